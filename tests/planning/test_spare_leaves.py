"""Spare leaves: their names, rack units, management ports, and the cables that move to them."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.loads import loads_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.build.context import BuildContext
from fabricgen.build.group_cabling import SpareLeafMoves, tasks
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.expand import grow
from fabricgen.outputs.dcim.devices import Assets
from fabricgen.outputs.installation.spare_leaves import spare_leaves_view
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.naming import spare_leaf_names
from fabricgen.views.factory import Views
from tests.fabrics import CATALOG, plan_of, spec_of

PACKET: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
    "spare": {"leaves_per_rail": 1},
}
LIGHT = PACKET | {"rails": {"medium": "ocs"}, "switches": {"leaf": {"model": "s320"}}}
PANEL = PACKET | {
    "rails": {"medium": "patch-panel"}, "switches": {"leaf": {"model": "patch-144"}},
}  # fmt: skip
TWO_TIERS = {
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 16}}},
    "spare": {"leaves_per_rail": 2},
}
TWIN = PACKET | {"rails": {"per_switch": 2}}
ROOM = {"rack": {"units": 42, "power_w": 45_000}}


@pytest.mark.parametrize(
    ("keys", "count", "last"),
    [
        (PACKET, 8, "spare-r7-leaf-1"),
        (LIGHT, 8, "spare-r7-leaf-1"),
        (TWO_TIERS, 16, "spare-r7-leaf-2"),
        (TWIN, 4, "spare-leaf-4"),
    ],
)
def test_every_spare_leaf_has_a_name_of_its_own(
    keys: dict[str, Any], count: int, last: str
) -> None:
    """As a leaf of its rail, with `spare-` in front; a fabric without spares has none."""
    plan = plan_of(**keys)
    names = spare_leaf_names(plan.naming)
    assert len(names) == len(set(names)) == count
    assert names[-1] == last
    assert spare_leaf_names(plan_of(**keys | {"spare": {}}).naming) == []


@pytest.mark.parametrize("keys", [PACKET, LIGHT, PANEL, TWO_TIERS, TWIN])
def test_cables_reach_the_spare_of_their_leaf(keys: dict[str, Any]) -> None:
    """Every cable of a leaf moves to the same port, is long enough, and every law holds."""
    plan = plan_of(**keys)
    moves = spare_leaves_view(plan, Views(plan)).moves
    leaves = {name for segment in range(plan.mapping.segments)
              for name in plan.naming.switches(segment) if "leaf" in name}  # fmt: skip
    assert {move.failed for move in moves} == leaves
    assert {move.reaches for move in moves} == {"yes"}
    assert len({(move.failed, move.port) for move in moves}) == len(moves)
    assert check(plan).ok


@pytest.mark.parametrize("keys", [PACKET, TWO_TIERS])
def test_the_longest_cable_is_named_by_the_spare_leaf_that_it_must_reach(
    keys: dict[str, Any],
) -> None:
    """The devices of the longest host link are those between which its run is measured."""
    lengths = plan_of(**keys).lengths
    assert lengths
    found = lengths.longest[LinkKind.HOST]
    assert lengths.room.device(found.upper).startswith("spare-r")
    [run_mm] = lengths.runs.run_mm(
        np.array([found.lower], dtype=np.int32), np.array([found.upper], dtype=np.int32)
    )
    assert run_mm == found.run_mm


def test_a_spare_leaf_is_below_the_leaf_that_it_replaces() -> None:
    """In the rack and the rack units that follow; a described room holds all of them."""
    plan = plan_of(**PACKET | {"site": ROOM})
    assert plan.lengths
    room = plan.lengths.room
    for rail in range(8):
        leaf, (spare,) = room.hosts + rail, room.spare_leaves(rail)
        assert room.positions.rack[leaf] == room.positions.rack[spare]
        assert room.positions.rack_unit[leaf] - room.positions.rack_unit[spare] == 2
    bare = plan_of(**PACKET | {"site": ROOM, "spare": {}})
    loads = [loads_of(each, make_bom(each)).total for each in (plan, bare)]
    assert [load.rack_units for load in loads] == [32, 16]
    assert loads[0].power_w == loads[1].power_w


def test_a_spare_leaf_has_a_management_port_and_an_entry_in_the_inventory() -> None:
    """The out-of-band network has a cable to each, and NetBox the device with its place."""
    oob = {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}}
    plan = plan_of(**PACKET | {"networks": oob, "site": ROOM})
    attached = plan.networks["oob"].fabric.network
    assert attached
    assert set(spare_leaf_names(plan.naming)) <= set(attached.attached.devices)
    assert check(plan).ok
    tables = Assets(plan)
    (entry,) = (each for each in tables.devices() if each.name == "spare-r0-leaf-1")
    assert (entry.model, entry.role, bool(entry.rack)) == ("sn5600", "leaf", True)


def test_the_table_of_moves() -> None:
    """It is written only where there are spare leaves."""
    context = BuildContext(plan_of(**PACKET), Packs())
    (task,) = (each for each in tasks(context) if isinstance(each, SpareLeafMoves))
    text = context.packs.render(
        task.pack, task.template, spares=spare_leaves_view(context.plan, context.views)
    )
    row = next(csv.DictReader(text.splitlines()))
    assert (row["failed"], row["spare"], row["port"]) == (
        "r0-leaf-1",
        "spare-r0-leaf-1",
        "Ethernet0",
    )
    bare = BuildContext(plan_of(**PACKET | {"spare": {}}), Packs())
    assert not [each for each in tasks(bare) if isinstance(each, SpareLeafMoves)]


def test_spare_leaves_keep_their_places_when_a_fabric_grows() -> None:
    """Beside PDUs, which take no rack unit; new hosts get racks of their own."""
    oob = {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}}
    pdus = [{"name": "pdu-{n}", "count": 8, "model": "ap8886", "ports": {"oob": 1}}]
    keys = PACKET | {"networks": oob, "site": ROOM, "devices": pdus}
    old = plan_of(**keys)
    new = grow(old, spec_of(**keys | {"gpus": 128}), CATALOG)
    assert old.lengths
    assert new.lengths
    rooms = [old.lengths.room, new.lengths.room]
    spares = [[room.place(room.spare_leaves(rail)[0]) for rail in range(8)] for room in rooms]
    assert spares[0] == spares[1]
