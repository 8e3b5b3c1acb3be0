"""The software that switches install on their first day, only if its digest agrees."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.group_provision import tasks
from fabricgen.build.run import build
from fabricgen.build.selection import Skipped
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, build_job, plan_of, refusal_codes
from tests.outputs.packs.managed import LEAST, LEAVES, managed_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

CONTENT = b"the software\n"
IMAGE = {"file": "new.bin", "version": "9.9", "sha256": hashlib.sha256(CONTENT).hexdigest()}
CURL = """#!/bin/sh
while [ $# -gt 2 ]; do [ "$1" = --output ] && to=$2; shift; done
case "$2$1" in *new.bin*) cp {home}/served "$to" ;; *) echo other >"$to" ;; esac
"""


def image_plan(nos: str, alias: str = "") -> Plan:
    """Plan switches with an image of their NOS."""
    return managed_plan(nos, LEAST | {"images": [IMAGE | {"nos": alias or nos}]})


def script_of(nos: str, name: str, home: Path) -> str:
    """Return a script of a switch, with the directories of the switch below `home`."""
    build(build_job(image_plan(nos), Packs(), ("provision",)), home / "out")
    text = (home / f"out/provision/www/r0-leaf-1/{name}").read_text(encoding="utf-8")
    return re.sub(r"(?<![\w/.])(?=/(?:mnt|host|var|root|etc|usr)/)", str(home), text)


def put(path: Path, text: str) -> None:
    """Write a file that can run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


SHELLS = {
    "eos": ("bootstrap", "mnt/flash/boot-config"),
    "sonic": ("image.sh", "installed"),
    "nvue": ("cumulus-ztp", "installed"),
    "junos": ("ztp.sh", "installed"),
}
"""Scripts that install an image, and a file that is there afterwards."""


@pytest.mark.parametrize("running", ["9.9", "9.8"])
@pytest.mark.parametrize("served", [CONTENT, b"another\n"])
@pytest.mark.parametrize("nos", SHELLS)
def test_an_image_is_installed_if_its_digest_agrees(
    nos: str, served: bytes, running: str, tmp_path: Path
) -> None:
    """And if the switch runs another version; with a wrong digest the script fails."""
    name, mark = SHELLS[nos]
    put(tmp_path / "script", script_of(nos, name, tmp_path))
    (tmp_path / "served").write_bytes(served)
    for folder in ("mnt/flash", "host", "var/tmp", "root", "etc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/os-release").write_text(f"VERSION_ID={running}\n", encoding="utf-8")
    installed = f"#!/bin/sh\necho yes >{tmp_path}/installed\n"
    shown = f"echo 'Software image version: {running}'; echo 'Current: {running}'"
    target = f'"$(ls -d {tmp_path}/var/*)/new.bin"'
    copied = f'case "$*" in *new.bin*) cp {tmp_path}/served {target} ;; esac'
    added = f'case "$*" in *software*) echo yes >{tmp_path}/installed ;; esac'
    put(tmp_path / "usr/cumulus/bin/onie-install", installed)
    put(tmp_path / "bin/curl", CURL.format(home=tmp_path))
    put(tmp_path / "bin/FastCli", f"#!/bin/sh\n{shown}\n")
    put(tmp_path / "bin/cli", f"#!/bin/sh\n{copied}\n{added}\necho 'Junos: {running}'\n")
    put(
        tmp_path / "bin/sonic-installer",
        f'#!/bin/sh\n[ "$1" = install ] && echo yes >{tmp_path}/installed\n{shown}\n',
    )
    for program in ("reboot", "nv"):
        put(tmp_path / "bin" / program, "#!/bin/sh\n")
    script = (tmp_path / "script").read_text(encoding="utf-8")
    shell = script.partition("\n")[0].removeprefix("#!")
    done = subprocess.run(
        [shell, tmp_path / "script"],
        env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = running != IMAGE["version"] and served != CONTENT
    assert bool(done.returncode) == wrong, done.stderr
    assert (tmp_path / mark).exists() == (running != IMAGE["version"] and served == CONTENT)


@pytest.mark.parametrize(
    ("running", "digest", "boots"),
    [("9.9", "", 0), ("9.8", IMAGE["sha256"], 1), ("9.8", "0" * 64, 0)],
)
def test_nxos_boots_an_image_if_its_digest_agrees(
    running: str,
    digest: str,
    boots: int,
    tmp_path: Path,
) -> None:
    """The script of POAP compares what NX-OS prints of the file."""
    put(
        tmp_path / "cli.py",
        f"import sys\ndef cli(line):\n    sys.stderr.write(line + '\\n')\n"
        f"    return {{'show version': 'NXOS: version {running} '}}.get(line, {digest!r})\n",
    )
    put(tmp_path / "poap.py", script_of("nxos", "poap.py", tmp_path))
    done = subprocess.run(
        [sys.executable, tmp_path / "poap.py"], capture_output=True, text=True, check=False
    )
    assert ("boot nxos bootflash:new.bin" in done.stderr) == bool(boots)
    assert ("scheduled-config" in done.stderr) == (running == "9.9" or bool(boots))


def test_the_web_root_has_the_digests(tmp_path: Path) -> None:
    """For sha256sum, if there are images; an alias of a NOS names it as well."""
    build(build_job(image_plan("nvue", "cumulus"), Packs(), ("provision",)), tmp_path / "with")
    sums = tmp_path / "with/provision/www/images/SHA256SUMS"
    assert sums.read_text(encoding="ascii") == f"{IMAGE['sha256']}  new.bin\n"
    build(build_job(managed_plan("nvue", LEAST), Packs(), ("provision",)), tmp_path / "without")
    assert not (tmp_path / "without/provision/www/images").exists()


@pytest.mark.parametrize(
    ("nos", "reason"),
    [("srlinux", "`ztp image upgrade` verifies MD5 alone"), ("frr", "its pack has no first boot")],
)
def test_an_image_that_nothing_installs_is_named(nos: str, reason: str) -> None:
    """With the reason."""
    listed = [*tasks(build_context(image_plan(nos), Packs()))]
    skipped = [one for one in listed if isinstance(one, Skipped)]
    assert skipped == [Skipped(f"`management.images` of {nos} on the first day: {reason}")]


def test_an_image_of_no_switch_is_refused() -> None:
    """It would have no effect."""
    keys: dict[str, Any] = {"gpus": 8, "hb_domain": {"gpus": 4}, "nos": "sonic"}
    management = LEAST | {"images": [IMAGE | {"nos": "eos"}]}
    leaf = {"leaf": LEAVES["sonic"]}
    assert refusal_codes(**keys, switches=leaf, management=management) == ["version-of-no-nos"]


def test_nvos_boots_from_the_network(tmp_path: Path) -> None:
    """Its document names the commands of the switch."""
    plan = plan_of(
        gpus=8,
        hb_domain={"gpus": 4},
        nic={"speed": "800G"},
        switches={"leaf": {"model": "q3400"}},
        management=LEAST,
    )
    build(build_job(plan, Packs(), ("configs", "provision")), tmp_path)
    name = next(iter(plan.switches()))
    folder = tmp_path / "provision/www" / name
    url = f"http://10.200.0.254/{name}/commands.txt"
    assert json.loads((folder / "ztp.json").read_text(encoding="utf-8")) == {
        "ztp": {"01-commands-list": {"url": url, "clear-config": True}}
    }
    kept = tmp_path / "configs" / name / "commands.txt"
    assert (folder / "commands.txt").read_bytes() == kept.read_bytes()
