"""From a divided bill and loads to the views that tables and workbooks show.

Owns the sums of a division and their notes. `bom.amounts` formats amounts; `view` defines the
shapes.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from fabricgen.bom.amounts import decimal_text, money_text
from fabricgen.bom.bill_table import add_up
from fabricgen.bom.breakdown.breakdown import SPARES, BomLine
from fabricgen.bom.breakdown.view import DivisionView, LoadsView, LoadView, PortionView
from fabricgen.bom.loads import BTU_H_PER_W, Load, cluster_loads, loads_of
from fabricgen.core.terms import ROLES
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.breakdown import RackContents
    from fabricgen.bom.loads import Loads
    from fabricgen.planning.plan import Plan

HEAT = ("heat_btu_h", "heat_max_btu_h")


def division_view(fabric: str, by: str, portions: list[BomLine], bom: Bom) -> DivisionView:
    """Make the view of a divided bill: each place and the spares with a subtotal, and the total."""
    rows = []
    for place, run in groupby(portions, key=lambda portion: portion.place):
        own = list(run)
        rows += [_portion(portion, bom.book.currency) for portion in own]
        rows.append(_sum("subtotal", place, "subtotal" if place else "all spares", own, bom))
    return DivisionView(fabric, by, [*rows, _sum("total", "", "all parts", portions, bom)])


def _portion(portion: BomLine, currency: str) -> PortionView:
    """Make the row of a line."""
    line, spares = portion.line, portion.place == SPARES
    return PortionView(
        row="spares" if spares else "part",
        place=portion.place,
        part_class=line.part_class,
        part=line.part,
        length_m=line.length_m,
        part_number=line.part_number,
        description=line.description,
        quantity=str(portion.quantity),
        unit_price=money_text(line.unit_price),
        currency=currency if line.unit_price is not None else "",
        total=money_text(portion.total),
        power_w=decimal_text(_power(portion)),
        note="",
    )


def _power(portion: BomLine) -> Fraction | None:
    """Return the typical power of a line; spares are not powered."""
    if portion.place == SPARES:
        return Fraction(0)
    return (
        None if portion.line.unit_power_w is None else portion.line.unit_power_w * portion.quantity
    )


def _sum(row: str, place: str, name: str, portions: list[BomLine], bom: Bom) -> PortionView:
    """Make the row of a sum."""
    sums = add_up([(each.line, each.total, _power(each)) for each in portions], bom)
    return PortionView(
        row=row,
        place=place,
        part_class="",
        part=name,
        part_number="",
        description="",
        quantity="",
        unit_price="",
        **sums._asdict(),
    )


DEVICES_NOTE = (
    "the power, weight and rack units of `devices` are in the columns that begin with `all_`; PDUs"
    " beside the rack units are not counted"
)


def loads_view(plan: Plan, bom: Bom, racks: Mapping[str, RackContents]) -> LoadsView:
    """Make the view of the loads of racks, of roles and of the fabric; `racks` may be empty.

    The bill and the racks are those of the cluster, where the plan has networks.
    """
    loads = cluster_loads(plan, bom) if plan.spec.has_networks else loads_of(plan, bom)
    hosts = plan.fabric.coordinates.hosts
    boxes = {**loads.switches, HOST: hosts}
    whole = _load("total", "", loads.total, loads.of(loads.everything, boxes), _roled(loads, boxes))
    rows = [
        *(_rack(name, rack, loads) for name, rack in racks.items()),
        *_roles(loads, hosts),
        whole,
    ]
    room = plan.lengths.room if racks and plan.lengths else None
    return LoadsView(
        plan.spec.name,
        "" if room is None else "generated" if room.generated else "site",
        rows,
        [
            *_notes(racks, generated=room is not None and room.generated),
            *([DEVICES_NOTE] if plan.spec.devices else []),
        ],
    )


def _rack(name: str, rack: RackContents, loads: Loads) -> LoadView:
    """Make the row of a rack."""
    fabric = loads.of(rack.parts, loads.fabric(rack.boxes))
    every = loads.of(rack.parts, rack.boxes)
    return _load("rack", name, fabric, every, _roled(loads, rack.boxes))


def _roled(loads: Loads, boxes: Mapping[str, int]) -> Counter[str]:
    """Count boxes by role."""
    counts: Counter[str] = Counter()
    for box, count in boxes.items():
        counts[loads.roles[box]] += count
    return counts


def _roles(loads: Loads, hosts: int) -> Iterator[LoadView]:
    """Make the row of each role."""
    for role in dict.fromkeys((HOST, *(loads.roles[box] for box in loads.switches))):
        boxes = {HOST: hosts} if role == HOST else loads.boxes_of(role)
        yield _load(
            "role",
            str(role),
            loads.of_role(role),
            loads.of(loads.counts.get(role, {}), boxes),
            _roled(loads, boxes),
        )


def _load(row: str, place: str, fabric: Load, every: Load, boxes: Mapping[str, int]) -> LoadView:
    """Make a row of loads; a figure unknown without hosts is unknown with hosts."""
    counts = {
        key: str(boxes.get(role, 0))
        for key, role in (("hosts", HOST), *((role.value, role) for role in ROLES))
    }
    return LoadView(
        row=row,
        place=place,
        unknown=every.unknown_text,
        **counts,
        **_figures(fabric, ""),
        **_figures(every, "all_"),
    )


def _figures(load: Load, prefix: str) -> dict[str, str]:
    """Format the figures of a load by column, heat to a tenth."""
    heat = {
        key: None if value is None else Fraction(round(value * 10), 10)
        for key, value in zip(HEAT, (load.heat_btu_h, load.heat_max_btu_h), strict=True)
    }
    known = {
        "rack_units": load.rack_units,
        "power_w": load.power_w,
        "power_max_w": load.power_max_w,
        **heat,
        "weight_kg": load.weight_kg,
    }
    return {f"{prefix}{key}": decimal_text(value) for key, value in known.items()}


def _notes(racks: Mapping[str, RackContents], *, generated: bool) -> Iterator[str]:
    """Return the notes on how the figures are meant."""
    if generated:
        yield (
            "the inventory describes no room, so the racks are an assumption: describe yours under"
            " `site`"
        )
    elif not racks:
        yield (
            "no racks are shown: `site: unknown` leaves them open, and of a large fabric `--only"
            " racks` shows them"
        )
    yield (
        "columns that begin with `all_` are with hosts, the others are the fabric alone: switches,"
        " modules, cables and NICs"
    )
    yield f"heat is power x {decimal_text(BTU_H_PER_W)} BTU/h per watt"
    yield (
        "the most power is a bound: a maker's maximum of a box may include its modules, which are"
        " counted beside it, and a module has one figure only"
    )
    yield (
        "weight and rack units are of boxes: weights of modules and cables are not published;"
        " spares are in no rack"
    )
    yield "a module takes its power in the rack of its cage; a cable counts where its lower end is"
