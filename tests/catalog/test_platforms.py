"""The catalog's lanes, breakouts and aliases equal those of SONiC's own platform files.

The files are sonic-buildimage's device/*/platform.json (github.com/sonic-net/sonic-buildimage,
Apache-2.0). They are found through FABRICGEN_ORACLES and never copied: without it these tests are
skipped, with it a missing file is a failure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.catalog.models.switch import Switch

MODELS = ("7060dx5-64s", "7060x6-64pe", "sn4700", "sn5400", "sn5600", "sn5640", "z9864f")
WITHOUT_FILE = ("as4630-54te", "sn2201", "sn4600c")
MODE = re.compile(
    r"(?P<count>\d+)x(?P<speed>\d+)G(?:\((?P<lanes>\d+)\))?(?:\[(?P<slower>[^]]*)\])?"
)
FRONT_LANES = 8  # the service ports of these boxes have one lane


@dataclass(frozen=True)
class Cage:
    """One front cage as platform.json describes it."""

    name: str
    index: int
    lanes: tuple[int, ...]
    modes: dict[str, list[str]]


def _folder(oracles: Path) -> Path:
    folder = oracles / "sonic-platforms"
    assert folder.is_dir(), f"FABRICGEN_ORACLES is set, but {folder} is missing"
    return folder


def _switch(model: str) -> Switch:
    switch = Catalog().switch(model)
    assert switch is not None
    return switch


def _sonic(switch: Switch) -> dict[str, Any]:
    """Return the facts of SONiC, which differ in type."""
    return dict(switch.nos["sonic"])


def _cages(oracles: Path, switch: Switch) -> list[Cage]:
    path = _folder(oracles) / f"{_sonic(switch)['platform']}.platform.json"
    assert path.is_file(), f"FABRICGEN_ORACLES is set, but {path} is missing"
    found = []
    for name, port in json.loads(path.read_text(encoding="utf-8"))["interfaces"].items():
        lanes = tuple(int(lane) for lane in port["lanes"].split(","))
        if len(lanes) == FRONT_LANES:
            found.append(
                Cage(name, int(port["index"].split(",")[0]), lanes, port["breakout_modes"])
            )
    return found


def test_every_platform_file_is_compared_once(oracles: Path) -> None:
    """Seven files, and as many of the models with lanes; the others' files are not among them."""
    on_disk = {path.name.removesuffix(".platform.json") for path in _folder(oracles).iterdir()}
    compared = [
        switch.nos["sonic"]["platform"]
        for switch in Catalog().switches()
        if "lanes" in switch.nos.get("sonic", {}) and switch.model not in WITHOUT_FILE
    ]
    assert len(compared) == len(MODELS) == 7
    assert set(compared) == on_disk == {_sonic(_switch(model))["platform"] for model in MODELS}


@pytest.mark.parametrize("model", MODELS)
def test_cages_and_lanes(oracles: Path, model: str) -> None:
    """The catalog has every front cage, in order, with its serdes lanes."""
    switch = _switch(model)
    cages = _cages(oracles, switch)
    assert [cage.index for cage in cages] == list(range(1, switch.cages + 1))
    assert _sonic(switch)["lanes"].per_lane == tuple(cage.lanes for cage in cages)
    assert switch.lanes_per_cage == FRONT_LANES


@pytest.mark.parametrize("model", MODELS)
def test_mode_strings_are_verbatim_and_complete(oracles: Path, model: str) -> None:
    """Every cage has exactly the modes of the catalog, including those that split it unevenly."""
    switch = _switch(model)
    known = [*_sonic(switch)["mode"].values(), *_sonic(switch).get("mixed_modes", ())]
    fastest = [name for name, text in _sonic(switch)["mode"].items() if text.startswith(name)]
    assert len(fastest) + len(_sonic(switch).get("mixed_modes", ())) == len(set(known))
    for cage in _cages(oracles, switch):
        assert set(cage.modes) == set(known), cage.name
        assert not switch.cage_groups


@pytest.mark.parametrize("model", MODELS)
def test_breakouts_follow_from_their_mode_strings(model: str) -> None:
    """They give name, ports, speed and lanes.

    A number in round brackets is the lanes of all ports together, those in square brackets are
    slower speeds of the same ports.
    """
    switch = _switch(model)
    for mode in switch.breakouts:
        output = MODE.fullmatch(_sonic(switch)["mode"][mode.name])
        assert output is not None, mode
        count = int(output["count"])
        offered = [output["speed"], *(output["slower"] or "").replace("G", "").split(",")]
        speed = int(mode.name.removeprefix(f"{count}x").removesuffix("G"))
        assert str(speed) in offered
        lanes = int(output["lanes"] or FRONT_LANES) // count
        assert (mode.name, mode.count, mode.speed_gbps, mode.lanes) == (
            f"{count}x{speed}G",
            count,
            speed,
            lanes,
        )
    assert not [text for text in _sonic(switch).get("mixed_modes", ()) if MODE.fullmatch(text)]


@pytest.mark.parametrize("model", MODELS)
def test_names_and_aliases(oracles: Path, model: str) -> None:
    """In SONiC the first port of a cage has the cage's name.

    Every port of every breakout has the platform's alias.
    """
    switch = _switch(model)
    compared = 0
    for cage in _cages(oracles, switch):
        for mode in switch.breakouts:
            assert switch.interface("sonic", cage.index, 0, mode) == cage.name
            aliases = [switch.alias("sonic", cage.index, sub, mode) for sub in range(mode.count)]
            assert aliases == cage.modes[_sonic(switch)["mode"][mode.name]]
            compared += len(aliases)
    assert compared == switch.cages * sum(mode.count for mode in switch.breakouts)
