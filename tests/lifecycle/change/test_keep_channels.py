"""Growth through panels: trunks, panels and strands stay, and spare strands are used first."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.baseline.baseline import read_baseline
from fabricgen.planning.plan import make_plan
from tests.fabrics import CATALOG, plan_of, spec_of
from tests.planning.channels.test_channels import SMALL, channels_of, duplex_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

PATCHED: dict[str, Any] = SMALL | {
    "gpus": 80,
    "rails": {"tiers": 2},
    "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
    "cabling": {"where": {"host": "structured"}},
}
"""Ten hosts, of which the last two have a rack with spare strands to the leaves."""


@cache
def pair(**keys: Any) -> tuple[Plan, Plan]:  # noqa: ANN401 - keys of an inventory
    """Plan ten hosts, and grow them by some keys."""
    old = plan_of(**PATCHED)
    return old, grow(old, spec_of(**PATCHED | keys), CATALOG)


def trunks(plan: Plan) -> list[tuple[object, ...]]:
    """Return the trunks of a plan with all that a technician sees of them."""
    every = channels_of(plan).trunks
    return [(each.name, each.item, each.a, each.b, each.length_mm) for each in every]


def _growth(gpus: int) -> tuple[Plan, Plan]:
    """Return the plan and the larger one."""
    return pair(gpus=gpus)


def test_spare_strands_are_used_before_a_trunk_comes() -> None:
    """A host more in the last rack takes connectors of its trunks: no trunk, no panel comes."""
    old, new = _growth(88)
    before, after = channels_of(old), channels_of(new)
    assert trunks(old) == trunks(new)
    assert before.panels == after.panels
    assert len(after.row) - len(before.row) == 8
    assert check(new).ok


@pytest.mark.parametrize("gpus", [88, 128, 256])
def test_no_trunk_and_no_jumper_moves(gpus: int) -> None:
    """`diff` has neither a trunk that goes nor a jumper that moves, and every law holds."""
    old, new = _growth(gpus)
    change = diff(old, new)
    assert change.trunks
    assert change.trunks.changes.removed == []
    assert change.trunks.changes.kept == len(channels_of(old).trunks)
    assert (change.moved, change.removed) == (0, 0)
    assert check(new).ok


def test_trunks_come_with_their_spares_for_the_links_that_need_them() -> None:
    """The panels of a rack go on behind the trunks that are there."""
    old, new = _growth(128)
    before, after = channels_of(old), channels_of(new)
    assert after.panels[: len(before.panels)] == before.panels
    assert trunks(new)[: len(trunks(old))] == trunks(old)
    ports = [
        (plug.panel, plug.port + leg)
        for trunk in after.trunks
        for plug in trunk.ends
        for leg in range(trunk.parts.legs)
    ]
    assert len({*ports}) == len(ports)
    assert len({panel.name for panel in after.panels}) == len(after.panels)


def test_a_plan_file_keeps_the_cabling() -> None:
    """What is written is read back, and gives the same plan; growth goes on from there."""
    _, new = _growth(128)
    assert new.mapping.baseline
    kept = json.loads(json.dumps(new.mapping.baseline.document()))
    again = make_plan(new.spec, CATALOG, read_baseline(kept))
    one, other = channels_of(new), channels_of(again)
    assert (one.panels, one.trunks) == (other.panels, other.trunks)
    assert one.lower_is_a.tolist() == other.lower_is_a.tolist()
    assert np.array_equal(one.leg, other.leg)
    assert np.array_equal(one.trunk, other.trunk)
    later = grow(again, spec_of(**PATCHED | {"gpus": 256}), CATALOG)
    assert trunks(later)[: len(one.trunks)] == trunks(new)
    assert check(later).ok


def test_a_link_that_moves_at_one_end_moves_one_jumper() -> None:
    """A leaf becomes eight; each link keeps its strand and its jumper at the host."""
    one_leaf = PATCHED | {"gpus": 64, "rails": {}}
    old = plan_of(**one_leaf)
    new = grow(old, spec_of(**one_leaf | {"gpus": 96}), CATALOG)
    change = diff(old, new)
    assert change.trunks
    assert change.trunks.changes.removed == []
    assert change.moved <= change.kept
    assert check(new).ok


def test_new_devices_leave_the_units_of_panels_free() -> None:
    """Switches that come into a rack of switches go below its panels."""
    keys = PATCHED | {"site": {"rack": {"units": 48, "max_switches": 16}, "hosts_per_rack": 4}}
    old = plan_of(**keys)
    new = grow(old, spec_of(**keys | {"gpus": 512}), CATALOG)
    assert new.lengths
    room, taken = new.lengths.room, set[tuple[int, int]]()
    for panel in channels_of(new).panels:
        units = {(panel.rack, panel.rack_unit)}
        assert taken.isdisjoint(units)
        taken |= units
    columns = (room.positions.rack, room.positions.rack_unit, room.rack_units)
    for rack, unit, need in zip(*(each.tolist() for each in columns), strict=True):
        assert taken.isdisjoint((rack, unit + more) for more in range(need) if rack >= 0)
    assert check(new).ok


def test_a_room_that_is_assumed_keeps_its_racks_too() -> None:
    """Without `site`, devices with panels stay in their racks as in a described room."""
    keys = {key: value for key, value in PATCHED.items() if key != "site"}
    old = plan_of(**keys)
    new = grow(old, spec_of(**keys | {"gpus": 160}), CATALOG)
    assert trunks(new)[: len(trunks(old))] == trunks(old)
    assert check(new).ok


def test_duplex_links_take_the_free_ports_of_a_connector(tmp_path: Path) -> None:
    """Behind a cassette, a connector of a trunk is filled before another one."""
    old = duplex_plan(tmp_path)
    keys = old.spec.model_copy(update={"gpus": 288})
    new = grow(old, keys, old.catalog)
    assert trunks(new)[: len(trunks(old))] == trunks(old)
    assert check(new).ok


@pytest.mark.parametrize(
    ("cabling", "words"),
    [
        ({"panels": [{"panel": "panel-4u"}]}, "panel-4u with adapters-12-mpo12 and 192 ports"),
        ({"panels": [{"ports": 24}]}, "panel-1u with adapters-12-mpo12 and 24 ports"),
        (
            {"trunks": {"polarity": "A"}, "jumpers": {"lower": "jumper-mpo12-mmf-a"}},
            "of polarity B is installed",
        ),
    ],
)
def test_other_hardware_in_place_of_the_installed_is_refused(
    cabling: dict[str, Any], words: str
) -> None:
    """Growth neither exchanges panels nor trunks."""
    old = plan_of(**PATCHED)
    keys = PATCHED | {"gpus": 128, "cabling": PATCHED["cabling"] | cabling}
    with pytest.raises(Refusal) as refused:
        grow(old, spec_of(**keys), CATALOG)
    (finding,) = refused.value.findings
    assert finding.code == "cannot-grow"
    assert words in finding.because[0]


def test_trunks_of_other_fibres_come_beside_the_installed_ones() -> None:
    """Spare strands of the older trunks are used first, whatever comes."""
    old = plan_of(**PATCHED)
    keys = PATCHED | {"gpus": 256, "cabling": PATCHED["cabling"] | {"trunks": {"fibres": 72}}}
    new = grow(old, spec_of(**keys), CATALOG)
    assert trunks(new)[: len(trunks(old))] == trunks(old)
    come = channels_of(new).trunks[len(trunks(old)) :]
    assert {trunk.parts.fibres for trunk in come} == {72}
    assert check(new).ok


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("strands", "trunk", [[500, 0, 80]]),
        ("strands", "leg", [[99, 0, 80]]),
        ("trunks", "a_panel", [[-1, 0, 1]]),
        ("panels", "rack_unit", [[0, 0, 1]]),
    ],
)
def test_cabling_that_is_not_there_is_refused(table: str, column: str, value: Any) -> None:  # noqa: ANN401 - a column as runs
    """A plan file whose links or trunks end at nothing is not planned."""
    _, new = _growth(88)
    assert new.mapping.baseline
    kept = json.loads(json.dumps(new.mapping.baseline.document()))
    runs = [[*value[0][:2], sum(run[2] for run in kept["channels"][table][column])]]
    kept["channels"][table][column] = runs
    with pytest.raises(Refusal, match=r"bad-plan-file|cannot-grow"):
        make_plan(new.spec, CATALOG, read_baseline(kept))
