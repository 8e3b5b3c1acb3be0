"""The management files of Linux switches: the programs that read them on a switch accept them.

Each runs on the emitted file in namespaces of its own, and rejects one that was broken on purpose.
The lab boots the same files.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import available_timezones

import pytest

from fabricgen.lab.frr import enabled
from fabricgen.lab.management.emitted import Interface, read_interfaces
from tests.conftest import SYSTEM_PATH
from tests.fabrics import VARIANTS, plan_of
from tests.nos.switch_files import render_switches, verification
from tests.outputs.packs.managed import FULL, LEAST, SECRETS, managed_files, managed_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import NoReturn

    Judge = Callable[[str, str], str]

PROGRAMS = {
    "interfaces": "/usr/share/ifupdown2/ifupdown2",
    "chrony.conf": "chronyd",
    "rsyslog.conf": "rsyslogd",
    "sshd.conf": "sshd",
    "ssh.conf": "systemd-analyze",
    "snmpd.conf": "snmpd",
    "nftables.conf": "nft",
}
"""The program that reads each file; `ifup` may be another package's than ifupdown2."""

COMMANDS = {
    "interfaces": "mkdir /run/network; ifup --all --syntax-check --interfaces $file",
    "chrony.conf": "chronyd -p -f $file",
    "rsyslog.conf": """
        printf '*.* /run/all\\ninclude(file="%s")\\n' $file > /run/main; rsyslogd -N1 -f /run/main
    """,
    "sshd.conf": """
        mkdir /run/sshd; ssh-keygen -q -t ed25519 -N '' -f /run/key
        /usr/sbin/sshd -t -f $file -h /run/key
    """,
    "ssh.conf": """
        mkdir -p /run/units/ssh.service.d; cp $file /run/units/ssh.service.d/vrf.conf
        printf '[Service]\\nExecStart=/usr/sbin/sshd -D\\n' > /run/units/ssh.service
        systemd-analyze verify --man=no /run/units/ssh.service
    """,
    "nftables.conf": "nft -f $file; nft list chain inet management input | grep -q 'hook input'",
    "snmpd.conf": """
        mount -t tmpfs none /var/lib/snmp; ip link add mgmt type bridge
        ip link set mgmt up; ip address add 10.200.0.2/24 dev mgmt
        MIBS= snmpd -C -c $file -Lo > /run/out 2>&1
        ! grep -v -e ^NET-SNMP -e ^Created /run/out >&2
    """,
}
"""How a program reads a file alone. A bridge takes the place of the VRF that snmpd binds to, for a
kernel may have no VRFs."""

MUTATIONS: tuple[tuple[str, str, str], ...] = (
    ("interfaces", "inet static", "inet statical"),
    ("interfaces", "address 10.200.0.2/24", "address 10.200.0.256/24"),
    ("interfaces", "gateway 10.200.0.1", "gateway 10.200"),
    ("interfaces", "vrf-table 5000", "vrf-table 999"),
    ("chrony.conf", "iburst", "burst-once"),
    ("chrony.conf", "bindacqdevice", "bindacqdev"),
    ("rsyslog.conf", 'device="', 'vrf="'),
    ("rsyslog.conf", "omfwd", "omforward"),
    ("sshd.conf", "Banner", "Banners"),
    ("sshd.conf", "PermitRootLogin no", "PermitRootLogin never"),
    ("ssh.conf", "ExecStart=\n", ""),
    ("ssh.conf", "/usr/sbin/ip vrf", "ip-vrf"),
    ("snmpd.conf", "rouser", "readuser"),
    ("snmpd.conf", "10.200.0.2@mgmt:161", "10.200.0.2:161@mgmt"),
    ("snmpd.conf", " AES ", " 3AES "),
    ("nftables.conf", "policy accept", "policy allow"),
    ("nftables.conf", "10.200.0.0/24", "10.200.0.0/33"),
    ("nftables.conf", "hook input", "hook local"),
)
"""A file, and what makes it one that its program rejects."""


@cache
def files(*, full: bool, nos: str = "frr") -> dict[str, str]:
    """Return the files of a managed switch, with everything or with the least."""
    plan = managed_plan(nos, FULL if full else LEAST)
    return managed_files(plan, SECRETS if full else {})


@pytest.fixture(scope="session")
def judge(
    tool: Callable[[str], str],
    out_of_reach: Callable[[str], NoReturn],
    tmp_path_factory: pytest.TempPathFactory,
) -> Judge:
    """Return a function that has a program read a file, and returns its complaints."""
    path = tmp_path_factory.mktemp("services")
    own = ["--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"]
    words = [tool("unshare"), *own, "sh", "-c"]
    environment = {"PATH": SYSTEM_PATH, "LC_ALL": "C"}
    tried = subprocess.run([*words, "true"], capture_output=True, check=False, env=environment)
    if tried.returncode:
        out_of_reach(f"no namespaces can be made here: {tried.stderr.decode().strip()}")

    def read(name: str, text: str) -> str:
        tool(PROGRAMS[name])
        (path / name).write_text(text, encoding="utf-8")
        script = f"mount -t tmpfs none /run; file={path / name}\n{COMMANDS[name]}"
        done = subprocess.run(
            [*words, script], capture_output=True, text=True, check=False, env=environment
        )
        # rsyslogd reports that it ran
        faults = [line for line in done.stderr.splitlines() if not re.search(r"config val", line)]
        return "\n".join(faults) or (f"exit code {done.returncode}" if done.returncode else "")

    return read


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("full", [False, True], ids=["least", "full"])
def test_its_program_accepts_a_file(judge: Judge, name: str, *, full: bool) -> None:
    """With the least of `management`, and with all of it."""
    if name == "snmpd.conf" and not full:
        assert "agentAddress" not in files(full=False)[name]
        return
    if name == "nftables.conf" and not full:
        assert name not in files(full=False)
        return
    assert judge(name, files(full=full)[name]) == ""


@pytest.mark.parametrize(("name", "good", "bad"), MUTATIONS)
def test_its_program_rejects_a_broken_file(judge: Judge, name: str, good: str, bad: str) -> None:
    """The programs read what the tests give them."""
    text = files(full=True)[name]
    assert good in text
    assert judge(name, text.replace(good, bad)) != ""


@pytest.mark.parametrize("variant", ["shared boxes", "two tiers"])
def test_ifupdown2_accepts_the_ports_and_vrfs_of_rails(judge: Judge, variant: str) -> None:
    """The tables of VRFs are those that it makes."""
    plan = plan_of(nos="frr", **VARIANTS[variant])
    one = render_switches(plan)[0]
    assert bool(one.switch.vrfs) == (variant == "shared boxes")
    assert judge("interfaces", one.files["interfaces"]) == ""


def test_ifupdown2_reads_what_the_lab_reads(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It knows the name of every attribute, and finds the same interfaces in the file."""
    path, text = tmp_path / "interfaces", files(full=True)["interfaces"]
    path.write_text(text, encoding="utf-8")
    tool(PROGRAMS["interfaces"])

    def ask(*options: object) -> str:
        command = [tool("ifquery"), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout

    read = json.loads(ask("--all", "--interfaces", path, "--format", "json"))
    found = {each["name"]: each["config"] for each in read if each["auto"]}
    known = set(re.findall(r"^  (\S+)$", ask("--syntax-help"), re.MULTILINE)) | {"post-up"}
    assert {key for config in found.values() for key in config} <= known
    assert {
        name: Interface(*(config.get(key, "") for key in Interface._fields))
        for name, config in found.items()
    } == read_interfaces(text)


REAL_ACCOUNTS = """\
set -eu
mkdir /run/etc
for name in passwd group shadow gshadow login.defs pam.d security nsswitch.conf; do
    cp -a "/etc/$name" /run/etc/ 2>/dev/null || true
done
mkdir /run/etc/sudoers.d
mount --bind /run/etc /etc
for place in /home /var/log /var/mail /var/lib; do mount -t tmpfs none "$place"; done
for name in sudo adm frrvty docker; do groupadd -f "$name"; done
sh "$1"; sh "$1"
visudo -q -c -f /etc/sudoers.d/fabric-ops
id -nG ops; getent shadow ops; id -nG watch; getent shadow watch
stat -c '%U %a' /home/ops/.ssh /home/ops/.ssh/authorized_keys /etc/sudoers.d/*
cat /home/ops/.ssh/authorized_keys /etc/sudoers.d/*
"""
"""Runs the script twice among copies of the machine's accounts, and prints what it has made."""


@pytest.mark.parametrize(("nos", "group"), [("frr", "frrvty"), ("sonic", "docker")])
def test_the_users_are_made(
    tool: Callable[[str], str],
    out_of_reach: Callable[[str], NoReturn],
    tmp_path: Path,
    nos: str,
    group: str,
) -> None:
    """By the programs that change accounts, twice with one result; sudo reads its file."""
    if os.geteuid() != 0:
        pytest.skip("only root can make accounts")
    tool("visudo")
    words = [tool("unshare"), "--mount", "sh", "-c"]
    environment = {"PATH": SYSTEM_PATH, "LC_ALL": "C"}
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        out_of_reach("no mounts can be made here")
    path = tmp_path / "users.sh"
    path.write_text(files(full=True, nos=nos)["users.sh"], encoding="utf-8")
    done = subprocess.run(
        [*words, f"mount -t tmpfs none /run; {REAL_ACCOUNTS}", "sh", path],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert set(lines[0].split()) == {"ops", "sudo", group}
    assert lines[1].startswith(f"ops:{SECRETS['env:OPS_SECRET']}:")
    assert set(lines[2].split()) == {"watch", "adm"}
    assert lines[3].startswith(f"watch:{SECRETS['env:WATCH_SECRET']}:")
    assert lines[4:] == [
        *("ops 700", "ops 644", "root 440"),
        *(FULL["users"][0]["key"], "ops ALL=(ALL) NOPASSWD: ALL"),
    ]


START_SCRIPT = """\
mount -t tmpfs none /etc/frr; touch /etc/frr/frr.conf; cp "$1" /etc/frr/daemons
log_warning_msg() { echo "$*" >&2; }
log_failure_msg() { echo "$*" >&2; }
. /usr/lib/frr/frrcommon.sh
daemon_list started others
for name in $started; do eval "echo $name \\$${name}_options"; done
"""
"""What FRR's start script makes of the file of daemons: each that it starts, with its options."""


@pytest.mark.parametrize(("good", "bad"), [("", ""), ("bgpd=yes", "bgpd=no")])
def test_frr_starts_the_daemons(
    tool: Callable[[str], str], tmp_path: Path, good: str, bad: str
) -> None:
    """Those of the file, as the lab does, and staticd, which it always starts."""
    tool("vtysh")
    path = tmp_path / "daemons"
    path.write_text(files(full=True)["daemons"].replace(good, bad), encoding="utf-8")
    words = [tool("unshare"), "--user", "--map-root-user", "--mount", tool("bash"), "-c"]
    done = subprocess.run(
        [*words, START_SCRIPT, "bash", path], capture_output=True, text=True, check=True
    )
    started = {name: options for name, *options in map(str.split, done.stdout.splitlines())}
    assert started.pop("staticd") == []
    assert (started == enabled(files(full=True)["daemons"])) == (good == bad)


LLDPD = """\
mount -t tmpfs none /run
cp "$2" /run/lldpd.conf
"$1" -d -u /run/socket -O /run/lldpd.conf > /run/log 2>&1 &
for _ in $(seq 100); do
    grep -q 'resume operations' /run/log && break
    sleep 0.1
done
cat /run/log
"""
"""Prints what lldpd reports until it has read its file; with the shell the daemon ends."""


@pytest.mark.parametrize(("good", "bad"), [("", ""), ("portidsubtype", "portidtype")])
def test_lldpd_configures_itself(
    tool: Callable[[str], str], tmp_path: Path, good: str, bad: str
) -> None:
    """It warns of a command that it does not know, before it resumes."""
    if os.geteuid() != 0:
        pytest.skip("lldpd gives up its groups, which only root may")
    path = tmp_path / "lldpd.conf"
    path.write_text(files(full=True)["lldpd.conf"].replace(good, bad), encoding="utf-8")
    own = ["--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]
    words = [tool("unshare"), *own, LLDPD, "sh", tool("lldpd"), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "system name set to new value r0-leaf-1" in done.stdout
    assert ("WARN/lldpctl" not in done.stdout) == (good == bad)


def test_the_time_zone_exists(out_of_reach: Callable[[str], NoReturn]) -> None:
    """In the tz database, by the name in the file."""
    known = available_timezones()
    if not known:
        out_of_reach("no tz database is installed")
    assert files(full=True)["timezone"].strip() == FULL["time_zone"]
    assert FULL["time_zone"] in known


@pytest.mark.parametrize(
    "name", [*PROGRAMS, "daemons", "hostname", "lldpd.conf", "sysctl.conf", "timezone", "users.sh"]
)
def test_the_record_names_the_program(name: str) -> None:
    """What verified a file is recorded in the pack."""
    assert verification("frr", name).tool
