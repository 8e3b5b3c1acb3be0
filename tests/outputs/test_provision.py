"""What switches boot from: every switch finds its own files, and no other's."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from fabricgen.build.run import build
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.provision.macs_csv import identities
from tests.fabrics import build_job, plan_of
from tests.outputs.packs.managed import FULL, LEAST, LEAVES, SECRETS, managed_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.planning.plan import Plan

GROUPS = ("configs", "provision")
PROGRAMS = "/usr/sbin:/usr/bin:/usr/local/sbin"
UNSHARE = ("/usr/bin/unshare", "-Urn")
FIRST_BOOT = Path(__file__).parent / "first_boot.py"
BOOTED = sorted(set(LEAVES) - {"frr"})
URL = re.compile(r"http://10\.200\.0\.254/([^\s\"']+)")


def booted_plan(nos: str, base: Path, **management: object) -> Plan:
    """Plan four leaves whose MAC addresses are in a table."""
    names = managed_plan(nos, LEAST).switches()
    rows = [f"{name},02-00-00-00-00-{at:02X}\n" for at, name in enumerate(names, start=1)]
    (base / "macs.csv").write_text("name,mac\n" + "".join(rows), encoding="ascii")
    return plan_of(
        Catalog(base=base),
        gpus=8,
        hb_domain={"gpus": 4},
        nos=nos,
        switches={"leaf": LEAVES[nos]},
        addressing={"mtu": 9000},
        management=LEAST | {"macs": "macs.csv"} | management,
    )


def dhcp_options(kea: str) -> dict[str, dict[int, str]]:
    """Return the options of each switch; of sub-options, the first text."""
    reservations = json.loads(kea)["Dhcp4"]["subnet4"][0]["reservations"]
    found: dict[str, dict[int, str]] = {}
    for switch in reservations:
        found[switch["hostname"]] = {
            option["code"]: option["data"].strip("'") for option in switch["option-data"]
        }
    return found


@pytest.mark.parametrize("nos", BOOTED)
def test_each_switch_finds_its_own_files(nos: str, tmp_path: Path) -> None:
    """DHCP leads to a script in its folder, and the script to files equal to its configuration."""
    build(build_job(booted_plan(nos, tmp_path), Packs(), GROUPS), tmp_path / "out")
    root = tmp_path / "out" / "provision"
    options = dhcp_options((root / "kea-dhcp4.conf").read_text(encoding="utf-8"))
    assert sorted(options) == sorted(path.name for path in (root / "www").iterdir())
    zero = (pack := Packs().for_nos(nos)) and pack.zero_touch
    assert pack
    assert zero
    for switch, own in options.items():
        folder = root / "www" / switch
        scripts = {file.name: (folder / file.name) for file in zero.files if not file.image}
        led = (
            bytes.fromhex(own[43].replace(":", "")).decode()
            if 43 in own
            else " ".join(own.values())
        )
        assert any(f"{switch}/{name}" in led for name in scripts)
        linked = {url for path in scripts.values() for url in URL.findall(path.read_text("utf-8"))}
        assert linked - {f"{switch}/{name}" for name in scripts} == {
            f"{switch}/{name}" for name in zero.fetches
        }
        for name in zero.fetches:
            kept = tmp_path / "out" / "configs" / switch / name
            assert (folder / name).read_bytes() == kept.read_bytes()


@pytest.mark.parametrize("nos", BOOTED)
def test_scripts_have_the_syntax_of_their_language(nos: str, tmp_path: Path) -> None:
    """Shell by `sh -n`, Python by its compiler, JSON by its reader."""
    build(build_job(booted_plan(nos, tmp_path), Packs(), ("provision",)), tmp_path / "out")
    folder = tmp_path / "out" / "provision" / "www" / "r0-leaf-1"
    zero = (pack := Packs().for_nos(nos)) and pack.zero_touch
    for file in [file for file in zero.files if not file.image] if zero else ():
        text = (folder / file.name).read_text(encoding="utf-8")
        if file.name.endswith(".json"):
            json.loads(text)
        elif file.name.endswith(".py"):
            compile(text, file.name, "exec")
        elif text.startswith("#!/bin/"):
            shell = text.partition("\n")[0].removeprefix("#!")
            subprocess.run([shell, "-n", str(folder / file.name)], check=True)
    if nos == "nxos":
        lines = text.splitlines(keepends=True)
        rest = "".join(line for line in lines if not line.startswith("#md5sum"))
        digest = hashlib.md5(rest.encode(), usedforsecurity=False).hexdigest()
        assert lines[1] == f'#md5sum="{digest}"\n'
    if nos == "nvue":
        assert "\n# CUMULUS-AUTOPROVISIONING\n" in text


def run_fakes(base: Path, script: str, **programs: str) -> list[str]:
    """Run a script of a switch with `base` as its root and these programs; return their calls."""
    (base / "bin").mkdir(exist_ok=True)
    for name, body in programs.items():
        text = f'#!/bin/sh\necho "{name} $*" >>{base}/calls\n{body}\n'
        (base / "bin" / name).write_text(text, encoding="utf-8")
        (base / "bin" / name).chmod(0o755)
    (base / "calls").write_text("", encoding="utf-8")
    path = f"{base / 'bin'}:/usr/bin:/bin"
    text = script.replace("/etc/sonic", f"{base}/etc/sonic")
    subprocess.run(["/bin/sh", "-c", text], check=True, env={"PATH": path}, cwd=base)
    return (base / "calls").read_text("utf-8").splitlines()


def test_sonic_gets_its_routing_after_configdb_and_after_a_boot(tmp_path: Path) -> None:
    """A load of ConfigDB, a start of bgp and a boot may delete frr.conf, in every way of loading.

    The fault: github.com/sonic-net/sonic-buildimage/issues/27014.
    """
    plan = booted_plan("sonic", tmp_path)
    build(build_job(plan, Packs(), ("configs", "provision", "push")), tmp_path / "out")
    web = tmp_path / "out/provision/www/r0-leaf-1"
    ztp = json.loads((web / "ztp.json").read_text("utf-8"))["ztp"]
    order = [own.partition("-")[2] for own in sorted(ztp)]
    assert order == ["files", "configdb-json", "frr"]
    assert ztp["03-frr"]["plugin"]["url"]["source"].endswith("/r0-leaf-1/frr.sh")
    assert "frr.conf" not in (web / "files.sh").read_text("utf-8")

    copy = f'cp "{web}/frr/${{8##*/frr/}}" "$7"'
    fakes = {"curl": copy, "systemctl": "", "sonic-db-cli": ""}
    made = run_fakes(tmp_path, (web / "frr.sh").read_text("utf-8"), **fakes)
    sonic, wanted = tmp_path / "etc/sonic", (web / "frr/frr.conf").read_bytes()
    assert (sonic / "frr/frr.conf").read_bytes() == wanted
    mode = "DEVICE_METADATA|localhost docker_routing_config_mode split-unified"
    assert made[-3:] == [
        f"systemctl enable {sonic}/fabric-frr.service",
        f"sonic-db-cli CONFIG_DB hset {mode}",
        "systemctl restart bgp",
    ]
    (sonic / "frr/frr.conf").unlink()  # as a boot does
    assert run_fakes(tmp_path, "sh /etc/sonic/fabric-frr.sh")[-1] == "systemctl restart bgp"
    assert (sonic / "frr/frr.conf").read_bytes() == wanted
    assert run_fakes(tmp_path, "sh /etc/sonic/fabric-frr.sh") == []

    load = (tmp_path / "out/push/sonic/load.yml").read_text("utf-8")
    steps = ["config reload", "frr/frr.conf", "fabric-frr.service", "docker_routing_config_mode"]
    places = [load.rindex(step) for step in [*steps, "systemctl restart bgp"]]
    assert places == sorted(places)
    back = (tmp_path / "out/push/sonic/rollback.yml").read_text("utf-8")
    assert "fabric-frr.conf" in back
    for folder in ("push", "provision"):
        text = (tmp_path / "out" / folder / "README.md").read_text("utf-8")
        assert "fabric-frr.service puts it back" in text
        assert "After a reboot, verify the BGP sessions" in text


def test_without_macs_there_are_no_reservations(tmp_path: Path) -> None:
    """Every document states it, and the web root has the files of each switch all the same."""
    build(build_job(managed_plan("eos", LEAST), Packs(), ("provision",)), tmp_path)
    for name in ("dnsmasq.conf", "kea-dhcp4.conf", "README.md"):
        text = (tmp_path / "provision" / name).read_text(encoding="utf-8")
        assert "no reservations" in text
        assert "r0-leaf-1" not in text
    assert (tmp_path / "provision/www/r0-leaf-1/bootstrap").is_file()


def test_without_management_there_is_nothing(tmp_path: Path) -> None:
    """The group is empty, and no output is listed."""
    plan = plan_of(gpus=8, hb_domain={"gpus": 4}, nos="eos", switches={"leaf": LEAVES["eos"]})
    build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
    assert not (tmp_path / "out" / "provision").exists()


def test_secrets_are_served_on_request_alone(tmp_path: Path) -> None:
    """Without them no file has one; with them only files of mode 0600 have."""
    packs = Packs()
    for name, values in (("plain", {}), ("secret", SECRETS)):
        packs.secrets.values = values
        build(build_job(managed_plan("sonic", FULL), packs, ("provision",)), tmp_path / name)
        holding = [
            path
            for path in (tmp_path / name).rglob("*")
            if path.is_file() and b"CANARY" in path.read_bytes()
        ]
        assert bool(holding) == bool(values)
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in holding)


def test_the_server_has_an_address_of_its_own(tmp_path: Path) -> None:
    """The last one that is free, or the given one."""
    full = {f"r{rail}-leaf-1": f"10.200.0.{250 + rail}" for rail in range(4)}
    for given, server in (
        ({}, "10.200.0.254"),
        ({"addresses": full | {"r0-leaf-1": "10.200.0.254"}}, "10.200.0.250"),
        ({"server": "10.200.0.2"}, "10.200.0.2"),
    ):
        plan = booted_plan("eos", tmp_path, **given)
        build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
        text = (tmp_path / "out/provision/dnsmasq.conf").read_text(encoding="utf-8")
        assert f"http://{server}/r0-leaf-1/bootstrap" in text
        assert text.count(f",{server},") == 0


@pytest.mark.parametrize("nos", sorted(LEAVES))
@pytest.mark.parametrize("table", ["macs", "ports", "none"])
def test_dhcp_servers_take_their_files(
    nos: str, table: str, tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """`dnsmasq --test` and `kea-dhcp4 -t`."""
    plan = booted_plan(
        nos, tmp_path, dns=["10.200.0.53"], **({"macs": None} if table == "none" else {})
    )
    if table == "ports":
        (tmp_path / "macs.csv").write_text(PORTS, encoding="ascii")
    build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
    root = tmp_path / "out" / "provision"
    for command in (
        ["dnsmasq", "--test", "-C", str(root / "dnsmasq.conf")],
        ["kea-dhcp4", "-t", str(root / "kea-dhcp4.conf")],
    ):
        program = shutil.which(command[0], path=PROGRAMS)
        if program is None:
            out_of_reach(f"there is no {command[0]}")
        done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_port_identifies_a_switch(tmp_path: Path) -> None:
    """By both IDs where the table has both, beside switches known by their MAC addresses."""
    plan = booted_plan("eos", tmp_path)
    (tmp_path / "macs.csv").write_text(PORTS, encoding="ascii")
    build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
    root = tmp_path / "out" / "provision"
    dnsmasq = (root / "dnsmasq.conf").read_text(encoding="utf-8")
    own = next(iter(plan.switches()))
    assert "dhcp-ignore=tag:!known,tag:!wired\n" in dnsmasq
    assert f"dhcp-circuitid=set:{own}.port,{b'Ethernet7'.hex(':')}\n" in dnsmasq
    assert f"dhcp-remoteid=set:{own}.switch,{b'oob-1'.hex(':')}\n" in dnsmasq
    assert f"dhcp-range=tag:{own}.port,tag:{own}.switch,set:{own},10.200.0.2,10.200.0.2," in dnsmasq
    kea = json.loads((root / "kea-dhcp4.conf").read_text(encoding="utf-8"))["Dhcp4"]
    first, second = kea["client-classes"]
    assert first["test"] == (
        f"relay4[1].hex == 0x{b'Ethernet7'.hex()} and relay4[2].hex == 0x{b'oob-1'.hex()}"
    )
    assert second["test"] == "relay4[1].hex == 0x0004000a"
    assert [pool["client-class"] for pool in kea["subnet4"][0]["pools"]] == [
        first["name"],
        second["name"],
    ]
    assert len(kea["subnet4"][0]["reservations"]) == 2


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("r0-leaf-1,02:00:00:00:00:03,oob-1,7", "`r0-leaf-1` has a MAC address and an OOB port"),
        ("r0-leaf-1,,oob-1,", "`` is no ID of DHCP option 82"),
        ("r0-leaf-1,,oob-1,0x123", "`0x123` is no ID of DHCP option 82"),
        (f"r0-leaf-1,,{'o' * 121},7", f"`{'o' * 121}` is no ID of DHCP option 82"),
        ("r0-leaf-1,,,", "`` is no MAC address"),
        ("r0-leaf-1,,oob-2,7\nr1-leaf-1,,oob-2,7", "`oob-2 7` is given twice"),
    ],
)
def test_a_wrong_port_is_refused(line: str, fact: str, tmp_path: Path) -> None:
    """An ID that no relay sends, one that two switches have, and two identities of one switch."""
    plan = booted_plan("eos", tmp_path)
    (tmp_path / "macs.csv").write_text(f"name,mac,oob_switch,oob_port\n{line}\n", encoding="ascii")
    with pytest.raises(Refusal) as refused:
        identities(plan)
    assert [finding.fact for finding in refused.value.findings] == [f"macs.csv: {fact}"]


PORTS = """name,mac,oob_switch,oob_port
r0-leaf-1,,oob-1,Ethernet7
r1-leaf-1,,,0x0004000a
r2-leaf-1,02:00:00:00:00:03,,
r3-leaf-1,02:00:00:00:00:04,,
"""
"""Switches known by an OOB port, by one of any OOB switch, and by a MAC address."""

WANTED = {
    "nvue": [239],
    "sonic": [67, 239],
    "eos": [66, 67],
    "nxos": [66, 67, 150],
    "junos": [43, 66, 67, 150],
    "srlinux": [66, 67],
    "nvos": [66, 67],
}
"""The DHCP options that a switch of each NOS asks for."""


@pytest.mark.slow
@pytest.mark.parametrize("server", ["dnsmasq", "kea-dhcp4"])
@pytest.mark.parametrize(
    ("nos", "by"),
    [*((nos, "mac") for nos in WANTED), ("eos", "port"), ("sonic", "image"), ("nvue", "image")],
)
def test_every_switch_boots(
    nos: str, by: str, server: str, tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """All 32 switches of 64 GPUs get their address, their script and their files, by the bytes.

    Known by their MAC addresses, or by the OOB ports that a relay adds: with 32 ports on two OOB
    switches, each port is on both of them. With an image they fetch that as well.
    """
    program = shutil.which(server, path=PROGRAMS)
    if program is None or subprocess.run([*UNSHARE, "true"], check=False).returncode:
        out_of_reach(f"there is no {server}, or no namespace")
    keys: dict[str, Any] = {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "nic": {"speed": "400G"},
        "rails": {"tiers": 2, "planes": 2},
    }
    if nos == "nvos":
        keys |= {"nic": {"speed": "800G"}, "switches": {"leaf": {"model": "q3400"}}}
    else:
        keys |= {"nos": nos, "switches": {"leaf": LEAVES[nos]}, "addressing": {"mtu": 9000}}
    names = [*plan_of(**keys).switches()]
    macs = {name: f"02:00:00:00:01:{at:02x}" for at, name in enumerate(names)}
    ports = {name: (f"oob-{at % 2}", f"Ethernet{at // 2}") for at, name in enumerate(names)}
    if by == "port":
        rows = "".join(f"{name},,{','.join(port)}\n" for name, port in ports.items())
        head = "name,mac,oob_switch,oob_port"
    else:
        rows, head = "".join(f"{name},{mac}\n" for name, mac in macs.items()), "name,mac"
    (tmp_path / "macs.csv").write_text(f"{head}\n{rows}", encoding="ascii")
    image = {"nos": nos, "file": "new.bin", "version": "9.9", "sha256": sha256(b"new").hexdigest()}
    management = LEAST | {"macs": "macs.csv"} | ({"images": [image]} if by == "image" else {})
    plan = plan_of(Catalog(base=tmp_path), **keys, management=management)
    build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
    www = tmp_path / "out" / "provision" / "www"
    fetched = {}
    if by == "image":
        (www / "images/new.bin").write_bytes(b"new")
        fetched = {"http://10.200.0.254/images/new.bin": image["sha256"]}
    switches = [
        {
            "mac": mac,
            "wanted": WANTED[nos],
            "remote": ports[name][0] if by == "port" else "",
            "circuit": ports[name][1] if by == "port" else "",
        }
        for name, mac in macs.items()
    ]
    found = booted(program, tmp_path / "out" / "provision", switches)
    assert len(found) == len(names) == 32
    assert plan.management
    addresses = {found[macs[name]]["address"] for name in names}
    assert len(addresses) == len(names)
    for name in names:
        got = found[macs[name]]
        assert got["name"] in (name, "")
        assert got["digests"] == fetched | {
            f"http://10.200.0.254/{path.relative_to(www)}": sha256(path.read_bytes()).hexdigest()
            for path in (www / name).rglob("*")
            if path.is_file()
        }


def booted(program: str, root: Path, switches: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what these clients received, by MAC address."""
    conf = ["-C", str(root / "dnsmasq.conf"), "--leasefile-ro", "--pid-file="]
    dnsmasq = [program, "-d", "--no-ping", *conf]  # without waiting for answers from free addresses
    kept = (root / "kea-dhcp4.conf").read_text(encoding="utf-8")
    forgetful = kept.replace('"persist": true', '"persist": false')
    (root / "kea-dhcp4.conf").write_text(forgetful, encoding="utf-8")
    kea = [program, "-c", str(root / "kea-dhcp4.conf")]
    web = [sys.executable, "-m", "http.server", "80", "--directory", str(root / "www")]
    dhcp = dnsmasq if program.endswith("dnsmasq") else kea
    servers = {"address": "10.200.0.254", "commands": [dhcp, web]}
    done = subprocess.run(
        [*UNSHARE, sys.executable, FIRST_BOOT, json.dumps(servers), json.dumps(switches)],
        env=os.environ | {"KEA_PIDFILE_DIR": str(root), "KEA_LOCKFILE_DIR": "none"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
