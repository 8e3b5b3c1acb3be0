"""The networks beside the compute fabric on the page: a row for each, and one for the cluster.

Owns `Networks` of the model. The figures are those of `plan --json` and of the bill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.bom.amounts import money_text
from fabricgen.bom.breakdown.view import grouped
from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.terms import COMPUTE, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from fabricgen.bom.bill import Bom
    from fabricgen.planning.plan import Plan

TEXTS = ("network", "switches, by role and model", "speed")
NUMBERS = ("devices", "switches", "links", "cables", "cost", "power, W")
COLUMNS = (*TEXTS, *NUMBERS)
"""The columns of the table, those of texts first."""

ALL = "in all"
"""The name of the last row."""


def networks(plan: Plan, bom: Bom, bill: Bom) -> dict[str, Any] | None:
    """Return `Networks` of the model, or None where there is the compute fabric alone.

    `bom` is the bill of the compute fabric, `bill` that of the cluster.
    """
    if not plan.networks:
        return None
    every = [plan, *plan.networks.values()]
    bills = [bom, *map(make_bom, plan.networks.values())]
    rows = [_row(each, own) for each, own in zip(every, bills, strict=True)]
    switches = sum(each.switch_count() for each in every)
    links, cables = (sum(each.links for each in every), sum(each.cables for each in every))
    total = [*_counts(switches, links, cables), *_amounts(bill.cost(), bill.power_w)]
    return {
        "columns": list(COLUMNS),
        "numeric": [at for at, name in enumerate(COLUMNS) if name in NUMBERS],
        "rows": [*rows, [ALL, "", "", "", *total]],
        "notes": list(_notes(bills, bill)),
    }


def _row(plan: Plan, bom: Bom) -> list[str]:
    """Return the row of a network."""
    fabric = plan.fabric
    devices = len({*plan.hosts})
    models = ", ".join(
        f"{plan.switch_count(role):,} {role} {fabric.port_layouts[role].model.model}"
        for role in plan.roles
        if plan.switch_count(role)
    )
    return [
        fabric.network_name,
        models,
        speed_text(plan.link_parts[plan.kinds[0]].speed_gbps),
        *_counts(devices, plan.switch_count(), plan.links, plan.cables),
        *_amounts(bom.cost(), bom.power_w),
    ]


def _counts(*numbers: int) -> list[str]:
    """Format counts."""
    return [f"{number:,}" for number in numbers]


def _amounts(cost: Decimal | None, power_w: float | None) -> list[str]:
    """Format a cost and a power; an unknown one is empty."""
    paid = grouped(money_text(cost)) if cost is not None else ""
    return [paid, "" if power_w is None else f"{power_w:,.10g}"]


def _notes(bills: Iterable[Bom], bill: Bom) -> Iterable[str]:
    """Yield the sentences below the table."""
    yield (
        f"The row `{COMPUTE}` is the fabric that joins the GPUs: every other section is about it,"
        " but the bill, the cables and the racks, which have the parts of all networks."
    )
    yield f"Costs are in {bill.book.currency}, with spares."
    if bill.unpriced:
        yield f"They leave parts without a price out: {', '.join(bill.unpriced)}."
    costs = [own.cost() for own in bills]
    if None not in costs and bill.cost() != sum(filter(None, costs)):
        yield "The last row has the spares of the whole cluster, which are fewer than the sum."
