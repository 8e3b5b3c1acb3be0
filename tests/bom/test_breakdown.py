"""The bill divided by role, rack and phase, and the loads of the racks.

Every division sums to the whole.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from openpyxl import load_workbook

from fabricgen.bom.breakdown.breakdown import by_phase, by_rack, by_role, racks_of
from fabricgen.bom.breakdown.build import division_view, loads_view
from fabricgen.bom.counts import item_name
from fabricgen.bom.loads import loads_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.build import group_bom
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.growth_ways import ways_to_grow
from fabricgen.lifecycle.change.phases import phase_in
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.workbook.breakdown import FIXED_PRICES
from fabricgen.planning.room.footprints import HOST
from tests.csv_rows import read_rows
from tests.fabrics import build_job, cables_of, plan_of, set_limit
from tests.laws.drawing import Inventory, inventories

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.breakdown import BomLine
    from fabricgen.planning.plan import Plan

DGX: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "spares": {
        "transceivers": {"percent": 2, "minimum": 2, "pack": 10},
        "switches": {"minimum": 1},
    },
    "prices": "street-2026-09",
}


def whole(bom: Bom) -> Counter[str]:
    """Count what is bought of each part."""
    return Counter({line.item: line.quantity + line.spares for line in bom.lines})


def summed(portions: list[BomLine]) -> Counter[str]:
    """Count the parts of all portions."""
    found: Counter[str] = Counter()
    for portion in portions:
        found[portion.line.item] += portion.quantity
    return found


def divisions(plan: Plan, bom: Bom) -> dict[str, list[BomLine]]:
    """Divide a bill in every way that its plan allows."""
    found = {
        "role": by_role(bom),
        "phase": by_phase(bom, {stage.name: stage.parts for stage in phase_in(plan)}),
    }
    return found | ({"rack": by_rack(bom, racks_of(plan))} if plan.lengths else {})


@settings(max_examples=60)
@given(inventories())
def test_every_division_sums_to_the_whole(inventory: Inventory) -> None:
    """Parts, money and loads, for every design, number of tiers and host."""
    inventory = inventory | {
        "spares": {"cables": {"percent": 3, "pack": 7}, "transceivers": {"minimum": 2}}
    }
    try:
        plan = plan_of(**inventory)
    except Refusal:
        return
    bom = make_bom(plan)
    for by, portions in divisions(plan, bom).items():
        assert summed(portions) == whole(bom), by
        assert sum((portion.total or Decimal(0) for portion in portions), Decimal(0)) == (
            bom.cost() or 0
        )
    loads, racks = loads_of(plan, bom), racks_of(plan)
    roles = [loads.of_role(role) for role in (HOST, *loads.switches)]
    alone = [
        loads.of(rack.parts, {role: count for role, count in rack.boxes.items() if role != HOST})
        for rack in racks.values()
    ]
    for parts in (roles, alone) if racks else (roles,):
        for key in ("power_w", "power_max_w", "weight_kg", "rack_units"):
            figures = [getattr(load, key) for load in parts]
            total = getattr(loads.total, key)
            assert total == (None if None in figures else sum(figures, Fraction(0))), key
    assert (None if loads.total.power_w is None else float(loads.total.power_w)) == bom.power_w
    assert sum(rack.boxes[HOST] for rack in racks.values()) == (len(plan.hosts) if racks else 0)


@pytest.mark.parametrize(
    "keys",
    [{"site": {"leaves": "top-of-rack"}}, {"design": "fat-tree", "gpus": 1024, "site": {}}],
    ids=["copper", "mixed"],
)
def test_cables_of_several_links_are_divided_once(keys: dict[str, Any]) -> None:
    """Where lengths select parts, a cable of two links is one piece in each division.

    So are its modules.
    """
    plan = plan_of(**DGX | keys)
    bom = make_bom(plan)
    copper = [
        line.part for line in bom.lines if line.part_class == "cables" and line.part != "mfp7e10"
    ]
    assert copper
    for by, portions in divisions(plan, bom).items():
        assert summed(portions) == whole(bom), by


def test_racks_hold_what_the_cable_list_has() -> None:
    """Counted again from its rows: a module for each cage with a cable, a device for each name."""
    plan = plan_of(**DGX)
    cables = cables_of(plan)
    ends = {
        (
            cable.a_rack,
            cable.a_device,
            cable.a_port.rpartition("P")[0] or cable.a_port.partition("/")[0],
            cable.a_transceiver,
        )
        for cable in cables
    }
    ends |= {
        (cable.b_rack, cable.b_device, cable.b_port.partition("/")[0], cable.b_transceiver)
        for cable in cables
    }
    modules = Counter((rack, module) for rack, _, _, module in ends)
    fibres = Counter((cable.a_rack, f"{cable.part} {cable.length_m} m") for cable in cables)
    names = {rack for rack, _ in modules}
    found = racks_of(plan)
    for rack in names:
        own = {part: count for (where, part), count in (modules | fibres).items() if where == rack}
        boxes = {plan.fabric.port_layouts[role].model.model for role in plan.roles}
        assert {
            part: count for part, count in found[rack].parts.items() if part not in boxes
        } == own
    assert set(found) == names


def test_a_twin_cage_counts_once_in_each_division() -> None:
    """The eight rails of a DGX use four cages, and so four modules, in each division."""
    plan = plan_of(**DGX)
    bom = make_bom(plan)
    for by, portions in divisions(plan, bom).items():
        held = [
            portion.quantity
            for portion in portions
            if portion.line.part == "mma4z00-ns-flt" and portion.place
        ]
        assert sum(held) == 32 * 4, by
    racks = [rack for rack in racks_of(plan).values() if rack.boxes[HOST]]
    assert {rack.parts["mma4z00-ns-flt"] / rack.boxes[HOST] for rack in racks} == {4}


def test_the_division_by_phase_equals_phases() -> None:
    """`phases` and the division have eight rails in two halves, with the spares separately."""
    plan = plan_of(
        **DGX | {"design": "rail-only"}, phases=[{"name": "first", "rails": 4}, {"name": "second"}]
    )
    bom, stages = make_bom(plan), phase_in(plan)
    portions = by_phase(bom, {stage.name: stage.parts for stage in stages})
    for stage in stages:
        own = [portion for portion in portions if portion.place == stage.name]
        assert {portion.line.item: portion.quantity for portion in own} == stage.parts
        assert sum(portion.total for portion in own if portion.total is not None) == stage.cost
    assert [portion.place for portion in portions if portion.line.part == "qm9700"] == [
        "first",
        "second",
        "",
    ]


@pytest.mark.parametrize("by", ["role", "rack", "phase"])
def test_the_printed_tables_add_up(by: str) -> None:
    """Read back, the rows of each place sum to its subtotal, and the subtotals to the total.

    The total names what it lacks.
    """
    plan = plan_of(**DGX)
    bom = make_bom(plan)
    rows = read_rows(
        Packs().render(
            "bom",
            "division.csv.j2",
            division=division_view(plan.spec.name, by, divisions(plan, bom)[by], bom),
        )
    )
    sums: dict[str, list[Decimal]] = {"parts": [], "subtotals": []}
    run = Decimal(0)
    for row in rows[:-1]:
        amount = Decimal(row["total"] or 0)
        if row["row"] == "subtotal":
            assert amount == run
            sums["subtotals"].append(amount)
            run = Decimal(0)
        else:
            run += amount
    assert rows[-1]["row"] == "total"
    assert Decimal(rows[-1]["total"]) == sum(sums["subtotals"]) == bom.cost()
    assert rows[-1]["note"] == "unpriced: mfp7e10"
    assert Decimal(rows[-1]["power_w"]) == Decimal(str(bom.power_w))
    assert {row[by] for row in rows if row["row"] == "spares"} == {""}


def test_the_loads_of_racks() -> None:
    """A rack of four DGX, and one of switches.

    Roles and racks sum to the total, with hosts and without.
    """
    plan = plan_of(**DGX)
    rows = read_rows(
        Packs().render(
            "bom", "loads.csv.j2", loads=loads_view(plan, make_bom(plan), racks_of(plan))
        )
    )
    total = next(row for row in rows if row["row"] == "total")
    for kind in ("rack", "role"):
        own = [row for row in rows if row["row"] == kind]
        for key in (
            "rack_units",
            "power_w",
            "power_max_w",
            "weight_kg",
            "all_rack_units",
            "all_power_max_w",
            "all_weight_kg",
        ):
            assert sum(Decimal(row[key]) for row in own) == Decimal(total[key]), (kind, key)
    hosts = next(row for row in rows if row["row"] == "rack" and row["hosts"] == "4")
    assert hosts["all_rack_units"] == str(4 * 8)
    assert Decimal(hosts["all_power_max_w"]) == 4 * 10200 + 16 * 15
    assert (hosts["all_power_w"], hosts["note"]) == ("", "unknown: power_w of dgx-h100")
    assert Decimal(total["heat_btu_h"]) == round(Decimal(total["power_w"]) * Decimal("3.412"), 1)


def test_stated_footprints_override_and_unknown_ones_are_named() -> None:
    """Size and weight of a generic switch are unknown until the inventory states them."""
    keys: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 64}
    plan = plan_of(**keys)
    summary = summarize(plan, make_bom(plan)).document()
    assert [summary[key] for key in ("rack_units", "weight_kg", "power_max_w")] == [
        None,
        None,
        None,
    ]
    assert summary["unknown"] == {
        key: ["generic-64x400G"] for key in ("power_max_w", "weight_kg", "rack_units")
    }
    assert summary["heat_btu_h"] == pytest.approx(summary["power_w"] * 3.412, abs=0.05)
    leaf = {"units": 2, "power_w": 2000, "weight_kg": 24}
    plan = plan_of(**keys, site={"footprints": {"leaf": leaf, "host": {"units": 8}}})
    summary, leaves = summarize(plan, make_bom(plan)).document(), plan.switch_count(plan.roles[0])
    assert (summary["rack_units"], summary["weight_kg"], summary["unknown"]) == (
        2 * leaves,
        24 * leaves,
        {},
    )
    assert summary["power_max_w"] == 2000 * leaves + 8 * 2 * 64


def test_an_undescribed_room_has_no_racks() -> None:
    """Nothing is placed, so there is no division by rack."""
    plan = plan_of(**DGX, site="unknown")
    assert racks_of(plan) == {}
    view = loads_view(plan, make_bom(plan), {})
    assert (view.room, {row.row for row in view.rows}) == ("", {"role", "total"})


def test_many_racks_are_written_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a size the bill by rack is left out, and the build names the option that writes it.

    Without known racks it states that.
    """
    set_limit(monkeypatch, "racks", 3)
    plan = plan_of(**DGX)
    left, asked = (
        build_job(plan, Packs(), ("bom",), named)
        for named in (frozenset({"bom"}), frozenset({"racks"}))
    )
    wanted = {
        "bom/bom.csv",
        "bom/bom.xlsx",
        "bom/by-role.csv",
        "bom/by-phase.csv",
        "bom/loads.csv",
        "bom/savings.md",
        "bom/savings.csv",
    }
    assert wanted <= set(left.paths())
    assert set(asked.paths()) - set(left.paths()) == {"bom/by-rack.csv"}
    (output,) = left.skipped
    assert output.startswith("by-rack.csv: ")
    assert output.endswith(" racks are more than 3; `--only racks` overrides the limit")
    bare = build_job(plan_of(**DGX, site="unknown"), Packs(), ("bom",), frozenset({"racks"}))
    assert "bom/by-rack.csv" not in set(bare.paths())
    assert "no racks are known" in bare.skipped[0]


def test_phases_by_gpus_reach_beyond_the_installed_gpus() -> None:
    """The division by phase is of the recommended way to the last phase, the bill of today's."""
    plan = plan_of(**DGX | {"design": "rail-only"}, phases=[{"gpus": 64}, {"gpus": 512}])
    division = group_bom.divisions(build_job(plan, Packs(), ("bom",)).context)["by-phase"]
    way = ways_to_grow(plan.spec, plan.catalog).recommended
    bought = {
        phase.name: {
            item_name(row.part, row.length_m): int(row.quantity)
            for row in division.rows
            if row.place == phase.name and row.row == "part"
        }
        for phase in way.phases
    }
    assert bought == {phase.name: phase.parts for phase in way.phases}
    assert bought["gpus-512"]


def test_the_workbook_has_a_sheet_for_each_division(tmp_path: Path) -> None:
    """Their totals are those of the bill, and the sheet of loads has a row for each rack."""
    plan = plan_of(**DGX, phases=[{"name": "first", "spines": 2}, {"name": "second"}])
    job = build_job(plan, Packs(), ("bom",))
    (book,) = (task for task in job.tasks if isinstance(task, group_bom.BillBook))
    book.prepare(job.context)
    (tmp_path / "bom").mkdir()
    assert [written.path for written in book.write(job.context, tmp_path)] == ["bom/bom.xlsx"]
    sheets = load_workbook(tmp_path / "bom" / "bom.xlsx", data_only=True)
    assert sheets.sheetnames == [
        "Parts",
        "Comparison",
        "Savings",
        "By role",
        "By rack",
        "By phase",
        "Room",
    ]
    assert FIXED_PRICES in [cell.value for cell in sheets["Savings"]["A"]]
    for name in ("By role", "By rack", "By phase"):
        titles, *rows = sheets[name].iter_rows(values_only=True)
        assert rows[-1][titles.index("Total")] == float(job.context.bom.cost() or 0), name
    places = [row[0] for row in sheets["Room"].iter_rows(min_row=2, values_only=True)]
    assert places[: len(job.context.racks)] == list(job.context.racks)
    assert {row[0] for row in sheets["By phase"].iter_rows(min_row=2, values_only=True)} == {
        "first",
        "second",
        "spares",
        None,
    }
