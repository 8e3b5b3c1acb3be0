"""Cost of the fabric and of the other designs: the bill as a table, and figures as bars.

Owns which figures become bars, and the columns of the bill. `bom.bill_table` and
`bom.comparison_table` format amounts and notes.
"""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.savings import TURNED
from fabricgen.bom.breakdown.view import bounded, grouped
from fabricgen.bom.comparison_table import comparison_view
from fabricgen.bom.figures import COST
from fabricgen.bom.summary import number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Comparison
    from fabricgen.planning.plan import Plan
    from fabricgen.views.bom import BomView, FigureView, PartView

CHARTED = (
    "cost",
    "power",
    "switches",
    "cables",
    "links",
    "transceivers, one per link end",
    "transceiver modules as sold",
)
"""The figures of the comparison that are drawn, the most important first."""

COLUMNS = {
    "class": "part_class",
    "part": "part",
    "length, m": "length_m",
    "part number": "part_number",
    "description": "description",
    "purpose": "purpose",
    "quantity": "quantity",
    "spares": "spares",
    "order": "order",
    "unit price": "unit_price",
    "currency": "currency",
    "total": "total",
    "power, W": "power_w",
    "price of": "price_book",
    "dated": "price_date",
}
"""The columns of the bill, and the attribute of a part behind each."""

STATED_ONCE = ("currency", "price of", "dated")
"""Columns that are empty where all parts agree, as the terms above the bill state them."""

PROSE = ("description", "purpose")

NUMBERS = ("length, m", "quantity", "spares", "order", "unit price", "total", "power, W")


def charts(comparison: Comparison) -> list[dict[str, Any]]:
    """Return `charts` of the model."""
    view = comparison_view(comparison)
    rows = {row.figure: row for row in view.figures}
    out = {design.value for design, _ in comparison.refused}
    least = {plan.fabric.design.value for plan, bom in comparison.built if bom.is_partial()}
    texts = {COST.name: (f"{rows[COST.name].unit} {{}}", least)}
    return [
        _chart(
            rows[figure], view.designs, out, *texts.get(figure, (f"{{}} {rows[figure].unit}", ()))
        )
        for figure in CHARTED
    ]


def _chart(
    row: FigureView, designs: list[str], out: set[str], text: str, least: Collection[str]
) -> dict[str, Any]:
    """Return `Chart` of the model; designs in `out` cannot be built.

    The figures of the designs in `least` are lower bounds.
    """
    bars = [
        {
            "design": design,
            "value": number(Decimal(value)) if value else None,
            "text": (
                f"{'>= ' * (design in least)}{text.format(grouped(value))}".strip()
                if value
                else "cannot be built"
                if design in out
                else grouped(value)
            ),
        }
        for design, value in zip(designs, row.values, strict=True)
    ]
    return {
        "figure": row.figure,
        "unit": row.unit,
        "bars": bars,
        "saved_pct": float(row.saving_pct) if row.saving_pct else None,
        "saving": _saving(row),
        "note": row.missing,
    }


def _saving(row: FigureView) -> str:
    """Return what rail-only saves against the fat-tree, in words; empty where it is not known."""
    if not row.saving_pct:
        return ""
    share = float(row.saving_pct)
    if not share and row.bound == "exact":
        return "no difference"
    if share < 0:
        return f"rail-only takes {bounded(f'{-share:g} %', TURNED.get(row.bound, row.bound))} more"
    return f"rail-only saves {bounded(f'{share:g} %', row.bound)}"


def refused(comparison: Comparison) -> list[dict[str, str]]:
    """Return the designs that cannot be built: `refused` of the model."""
    return [
        {"design": design.value, "fact": finding.fact} for design, finding in comparison.refused
    ]


def bill(bom: Bom, plan: Plan) -> dict[str, Any]:
    """Return `Bill` of the model."""
    view = bom_view(bom, plan)
    return {
        "columns": list(COLUMNS),
        "rows": [
            {"kind": part.row, "cells": cells}
            for part, cells in zip(view.rows, _without_repeated(view.rows), strict=True)
        ],
        "numeric": [at for at, name in enumerate(COLUMNS) if name in NUMBERS],
        "prose": [at for at, name in enumerate(COLUMNS) if name in PROSE],
        "terms": list(_terms(view, bom)),
    }


def _without_repeated(parts: list[PartView]) -> list[list[str]]:
    """Return the cells of all rows; a column of `STATED_ONCE` with one value is empty."""
    rows = [_cells(part) for part in parts]
    for at, name in enumerate(COLUMNS):
        if name in STATED_ONCE and len({row[at] for row in rows if row[at]}) == 1:
            for row in rows:
                row[at] = ""
    return rows


def _cells(part: PartView) -> list[str]:
    """Return the cells of a row, thousands separated; an unknown figure is empty."""
    values = attrgetter(*COLUMNS.values())(part)
    return [
        grouped(value) if value and name in NUMBERS else value
        for name, value in zip(COLUMNS, values, strict=True)
    ]


def _terms(view: BomView, bom: Bom) -> Iterator[str]:
    """Return the sentences on prices and what they leave out."""
    dated = f" of {bom.book.date}" if bom.book.date else ""
    yield f"prices by {bom.book.name}{dated}, in {view.currency}"
    yield from view.terms
    if view.unpriced:
        yield f"no price, excluded from totals: {', '.join(bom.unpriced)}"
    yield (
        f"{grouped(view.link_ends)} transceivers counted one per link end with a module;"
        f" {grouped(view.modules)} modules as they are sold"
    )
