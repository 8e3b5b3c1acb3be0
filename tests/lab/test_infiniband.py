"""InfiniBand labs: ibsim and OpenSM with the emitted files.

Every trial holds, and fails on an injected error.
"""

from __future__ import annotations

import json
import shutil
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.resources import shipped
from fabricgen.core.yaml_text import write_yaml
from fabricgen.lab.infiniband import requirements as ib_requirements

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import NoReturn

    from tests.lab.conftest import Machine

RAILS: dict[str, Any] = {
    "name": "rails",
    "gpus": 64,
    "hb_domain": {"gpus": 4},
    "rails": {"count": 2},
    "nic": {"speed": "200G"},
    "switches": {"leaf": {"model": "ib8", "breakout": "1x200G"}},
}
"""Two rails of 32 adapters each: eight leaves and four spines of eight ports."""

CODES = [
    "ib-routes",
    "ib-reaches",
    "ib-spreads",
    "ib-traces",
    "ib-loops",
    "ib-discovers",
    "ib-survives",
    "ib-updn",
]


@pytest.fixture(scope="module", autouse=True)
def _programs(out_of_reach: Callable[[str], NoReturn]) -> None:
    """Skip unless the InfiniBand programs are installed."""
    missing = [need.what for need in ib_requirements.needs() if not need.ok]
    if missing:
        out_of_reach(f"no InfiniBand lab here: {', '.join(missing)}")


@pytest.fixture
def rails(place: Path) -> list[object]:
    """Write the small fabric and a catalog with its switch; return the arguments that name both."""
    switches = place / "own/switches"
    switches.mkdir(parents=True)
    text = (shipped("inventories") / "catalog/switches/qm8790.yaml").read_text(encoding="utf-8")
    (switches / "ib8.yaml").write_text(
        text.replace("model: qm8790", "model: ib8").replace("cages: 40", "cages: 8"),
        encoding="utf-8",
    )
    (place / "rails.yaml").write_text(write_yaml(RAILS), encoding="utf-8")
    return [place / "rails.yaml", "--catalog", place / "own"]


def outcomes(machine: Machine, *arguments: object) -> dict[str, dict[str, Any]]:
    """Run a lab, and return the outcome of each trial. Nothing may be left of it."""
    done = machine.run("lab", "run", *arguments, "--json")
    document = json.loads(done.stdout)
    assert done.stderr == ""
    assert (done.returncode == 0) == document["ok"]
    assert machine.left() == []
    return {trial["code"]: trial for trial in document["trials"]}


def test_two_rails(each_user: Machine, rails: list[object]) -> None:
    """Two subnets with a manager each: every trial holds, with its figure, for any user."""
    found = outcomes(each_user, *rails)
    assert list(found) == CODES
    assert all(trial["ok"] for trial in found.values()), found
    figures = {code: trial["figure"] for code, trial in found.items()}
    assert figures["ib-routes"].startswith("ftree tables configured on all switches of 2 subnets")
    assert figures["ib-reaches"] == f"{2 * 32 * 31:,} pairs, over 4 links at most"
    uplinks, pairs = (
        2 * 8 * 4,
        2 * 32 * 28,
    )  # each pair of adapters on two leaves uses one uplink, and the same number of downlinks
    assert figures["ib-spreads"] == f"{2 * uplinks} leaf-spine ways carry {pairs // uplinks} pairs"
    assert figures["ib-discovers"] == f"{64 + uplinks} of {64 + uplinks} links matched"
    assert figures["ib-survives"].startswith("4 killed")


def test_the_superpod_of_one_unit(machine: Machine) -> None:
    """256 adapters in one subnet, because its rails meet at the spines."""
    found = outcomes(machine, shipped("inventories") / "dgx-h100-superpod-1su.yaml")
    assert all(trial["ok"] for trial in found.values()), found
    assert found["ib-reaches"]["figure"] == f"{256 * 255:,} pairs, over 4 links at most"
    assert (
        found["ib-spreads"]["figure"]
        == f"{2 * 8 * 32} leaf-spine ways carry {256 * 224 // 256} pairs"
    )


def test_every_switch_in_turn(machine: Machine, rails: list[object]) -> None:
    """With --failures single each switch fails but the manager's own leaf.

    A slice has one rail, and the other is absent.
    """
    found = outcomes(machine, *rails, "--failures", "single", "--rails", "1")
    assert all(trial["ok"] for trial in found.values()), found
    assert found["ib-survives"]["figure"].startswith(f"{8 + 4 - 1} killed")
    assert found["ib-discovers"]["figure"] == "64 of 128 links matched, 64 not booted"


def without_an_uplink(net: str) -> str:
    """Remove one link between a leaf and a spine from a net file, at both ends."""
    gone = ('[5]\t"S-0200000200000000"[1]', '[1]\t"S-0200000100000000"[5]')
    assert all(end in net for end in gone)
    return "\n".join(line for line in net.split("\n") if not line.startswith(gone)) + "\n"


@pytest.mark.parametrize(
    ("name", "change", "failed"),
    [
        ("fabric.net", without_an_uplink, {"ib-spreads", "ib-discovers"}),
        ("cn_guids.txt", lambda _: "", {"ib-routes"}),
        ("fabric.topo", lambda text: text.replace("P1/8 ->", "P1/9 ->", 1), {"ib-loops"}),
    ],
    ids=["a missing uplink", "no compute nodes", "a port that there is not"],
)
def test_an_edited_file_is_found(
    name: str, change: Callable[[str], str], failed: set[str], machine: Machine, rails: list[object]
) -> None:
    """The files of a directory are run as they are, so that an edit of them fails these trials."""
    out = machine.place / "out"
    assert machine.run("build", *rails, "--only", "configs", "-o", out).returncode == 0
    path = out / "subnets/r0" / name
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    found = outcomes(machine, *rails, "-o", out)
    assert {code for code, trial in found.items() if not trial["ok"]} == failed, found
    shutil.rmtree(out)


def test_an_interrupt_ends_everything(machine: Machine, rails: list[object]) -> None:
    """Interrupted in the middle, nothing is left."""
    lab = machine.start("lab", "run", *rails)
    until = time.monotonic() + 20
    while (
        not any("opensm" in words for words in machine.processes().values())
        and time.monotonic() < until
    ):
        time.sleep(0.01)
    lab.send_signal(signal.SIGINT)
    lab.communicate()
    assert lab.returncode != 0
    assert machine.left() == []


def test_a_machine_without_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is named with its package."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(ib_requirements, "library", lambda: None)
    with pytest.raises(Refusal) as refused:
        ib_requirements.check_machine()
    assert all(
        package in refused.value.findings[0].hint
        for package in (*ib_requirements.PACKAGES.values(), "libumad2sim0")
    )


def test_hb_domains_are_for_ethernet(machine: Machine, rails: list[object]) -> None:
    """A subnet is run whole, as it was emitted."""
    done = machine.run("lab", "run", *rails, "--hb-domains", "4")
    assert done.returncode == 2
    assert "whole subnets" in done.stderr
