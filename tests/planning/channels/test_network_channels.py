"""Structured cabling of the networks beside compute: panels and trunks of their own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.build.patching_files import PanelLabels, PatchingFiles, patching_tasks
from fabricgen.lifecycle.audit.cross_connects import audit_cross_connects
from fabricgen.lifecycle.change.expand import grow
from fabricgen.outputs.dcim.panels import PanelTables
from fabricgen.outputs.installation.bundles import Fronts
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.notices import advice
from tests.fabrics import CATALOG, build_context, plan_of, spec_of
from tests.lifecycle.change.test_keep_channels import trunks
from tests.planning.channels.test_channels import SMALL, channels_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

PATCHED: dict[str, Any] = SMALL | {
    "networks": {
        "storage": {"switches": {"leaf": {"model": "qm9700"}}},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
    },
    "site": {"rack": {"units": 48}, "media": {"host": ["mmf"]}},
    "cabling": {"where": {"host": "structured"}, "networks": ["storage", "oob"]},
}


@cache
def cluster() -> Plan:
    """Plan compute, storage and out-of-band, all with panels where links are of fibre."""
    return plan_of(**PATCHED)


def _units(plan: Plan) -> list[tuple[int, int]]:
    """Return the rack and the unit of every panel of 1U of all networks."""
    every = [each.channels for each in plan.cluster if each.channels]
    return [(panel.rack, panel.rack_unit) for each in every for panel in each.panels]


def test_a_network_has_panels_of_its_own_in_the_same_racks() -> None:
    """No unit is taken twice, also not by devices; names have the network, and all laws hold."""
    plan = cluster()
    storage = channels_of(plan.networks["storage"])
    assert len(storage.row) == 16
    assert all("-storage-P" in panel.name for panel in storage.panels)
    assert {trunk.name.rpartition("-T")[0][-8:] for trunk in storage.trunks} == {"-storage"}
    units = _units(plan)
    assert len({*units}) == len(units)
    assert plan.lengths
    room = plan.lengths.room
    columns = (room.positions.rack, room.positions.rack_unit, room.rack_units)
    for rack, unit, need in zip(*(each.tolist() for each in columns), strict=True):
        assert {*units}.isdisjoint((rack, unit + more) for more in range(need))
    assert check(plan).ok


def test_copper_of_a_network_stays_direct_with_a_notice() -> None:
    """It names the network; a network that is not listed has no panels."""
    plan = cluster()
    assert plan.networks["oob"].channels is None
    assert any(each.startswith("oob: ") and "stay direct" in each for each in advice(plan))
    without = plan_of(**PATCHED | {"cabling": {"where": {"host": "structured"}}})
    assert without.networks["storage"].channels is None
    assert without.channels


def test_the_bill_and_the_documents_have_the_panels_of_all_networks(tmp_path: Path) -> None:
    """A folder for each network, one list of ports for NetBox, and one audit of jumpers."""
    plan = cluster()
    panels = [*channels_of(plan).panels, *channels_of(plan.networks["storage"]).panels]
    billed = {line.item: line for line in cluster_bom(plan).lines}["panel-1u"]
    assert billed.quantity == len(panels)
    assert Fronts(plan).panels == {panel.name for panel in panels}
    tables = PanelTables(plan)
    assert {row.device for row in tables.rear()} == {panel.name for panel in panels}
    assert len([*tables.front()]) == tables.front_count
    assert len([*tables.legs()]) == tables.leg_count
    context = build_context(plan, Packs())
    paths = [
        path
        for task in patching_tasks(context)
        if isinstance(task, (PatchingFiles, PanelLabels))
        for path in task.paths(context)
    ]
    assert "cabling/patching/storage/trunks.csv" in paths
    assert "cabling/patching/storage/labels.html" in paths
    assert len(paths) == len({*paths})
    file = tmp_path / "jumpers.csv"
    row = f"{panels[-1].name},1,,"
    file.write_text(f"panel,port,device,device_port\n{row}\n", encoding="utf-8")
    audit = audit_cross_connects(plan, file)
    assert audit.counts["missing"] + audit.counts["silent"] == 2 * (64 + 16)


def test_growth_keeps_the_trunks_of_all_networks() -> None:
    """Compute adds panels beside those of storage, whose units it leaves."""
    old = cluster()
    new = grow(old, spec_of(**PATCHED | {"gpus": 128}), CATALOG)
    for before, after in ((old, new), (old.networks["storage"], new.networks["storage"])):
        assert trunks(after)[: len(trunks(before))] == trunks(before)
        assert channels_of(after).panels[: len(channels_of(before).panels)] == (
            channels_of(before).panels
        )
    units = _units(new)
    assert len({*units}) == len(units)
    assert check(new).ok
