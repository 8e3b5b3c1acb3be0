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
from fabricgen.outputs.packs.render import Packs
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
        scripts = {file.name: (folder / file.name) for file in zero.files}
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
    for file in zero.files if zero else ():
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
@pytest.mark.parametrize("table", [True, False])
def test_dhcp_servers_take_their_files(
    nos: str,
    table: bool,  # noqa: FBT001 - a parameter of pytest
    tmp_path: Path,
    out_of_reach: Callable[[str], NoReturn],
) -> None:
    """`dnsmasq --test` and `kea-dhcp4 -t`."""
    plan = booted_plan(nos, tmp_path, dns=["10.200.0.53"], **({} if table else {"macs": None}))
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


WANTED = {
    "nvue": [239],
    "sonic": [67, 239],
    "eos": [66, 67],
    "nxos": [66, 67, 150],
    "junos": [43, 66, 67, 150],
    "srlinux": [66, 67],
}
"""The DHCP options that a switch of each NOS asks for."""


@pytest.mark.slow
@pytest.mark.parametrize("server", ["dnsmasq", "kea-dhcp4"])
@pytest.mark.parametrize("nos", BOOTED)
def test_every_switch_boots(
    nos: str, server: str, tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """All 32 switches of 64 GPUs get their address, their script and their files, by the bytes."""
    program = shutil.which(server, path=PROGRAMS)
    if program is None or subprocess.run([*UNSHARE, "true"], check=False).returncode:
        out_of_reach(f"there is no {server}, or no namespace")
    keys: dict[str, Any] = {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "nic": {"speed": "400G"},
        "rails": {"tiers": 2, "planes": 2},
        "nos": nos,
        "switches": {"leaf": LEAVES[nos]},
        "addressing": {"mtu": 9000},
    }
    names = [*plan_of(**keys).switches()]
    macs = {name: f"02:00:00:00:01:{at:02x}" for at, name in enumerate(names)}
    rows = "".join(f"{name},{mac}\n" for name, mac in macs.items())
    (tmp_path / "macs.csv").write_text(f"name,mac\n{rows}", encoding="ascii")
    plan = plan_of(Catalog(base=tmp_path), **keys, management=LEAST | {"macs": "macs.csv"})
    build(build_job(plan, Packs(), ("provision",)), tmp_path / "out")
    found = booted(program, tmp_path / "out" / "provision", [*macs.values()], WANTED[nos])
    assert len(found) == len(names) == 32
    assert plan.management
    www = tmp_path / "out" / "provision" / "www"
    addresses = {found[macs[name]]["address"] for name in names}
    assert len(addresses) == len(names)
    for name in names:
        got = found[macs[name]]
        assert got["name"] in (name, "")
        assert got["digests"] == {
            f"http://10.200.0.254/{path.relative_to(www)}": sha256(path.read_bytes()).hexdigest()
            for path in (www / name).rglob("*")
            if path.is_file()
        }


def booted(program: str, root: Path, macs: list[str], wanted: list[int]) -> dict[str, Any]:
    """Return what clients with these MAC addresses received, by address."""
    dnsmasq = [program, "-d", "-C", str(root / "dnsmasq.conf"), "--leasefile-ro", "--pid-file="]
    kept = (root / "kea-dhcp4.conf").read_text(encoding="utf-8")
    forgetful = kept.replace('"persist": true', '"persist": false')
    (root / "kea-dhcp4.conf").write_text(forgetful, encoding="utf-8")
    kea = [program, "-c", str(root / "kea-dhcp4.conf")]
    web = [sys.executable, "-m", "http.server", "80", "--directory", str(root / "www")]
    dhcp = dnsmasq if program.endswith("dnsmasq") else kea
    servers = {"address": "10.200.0.254", "commands": [dhcp, web]}
    switches = [{"mac": mac, "wanted": wanted} for mac in macs]
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
