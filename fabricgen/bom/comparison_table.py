"""The designs side by side as the view that tables and workbooks show.

Owns the notes on figures that a design lacks or that leave parts out. `figures` has the figures,
and `views.bom` defines the shape.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from fabricgen.bom.amounts import decimal_text, money_text
from fabricgen.bom.comparison import COMPARED
from fabricgen.bom.figures import (
    CABLES,
    CORES,
    COSTS,
    HOST_LINKS,
    LEAF_SPINE_LINKS,
    LEAVES,
    LINKS,
    MODULES,
    POWER,
    SPINE_CORE_LINKS,
    SPINES,
    SWITCHES,
    TIERS,
    TRANSCEIVERS,
)
from fabricgen.core.terms import Design
from fabricgen.views.bom import ComparisonView, FigureView

if TYPE_CHECKING:
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Comparison
    from fabricgen.bom.figures import ComparedFigure
    from fabricgen.bom.summary import PlanSummary

BOUNDS = {
    "at least": "the saving is at least that",
    "at most": "the saving is at most that",
    "of priced parts": "the saving is of priced parts",
}
"""The note on a saving that is not exact."""

_FIGURES = (
    TIERS,
    LEAVES,
    SPINES,
    CORES,
    SWITCHES,
    HOST_LINKS,
    LEAF_SPINE_LINKS,
    SPINE_CORE_LINKS,
    LINKS,
    TRANSCEIVERS,
    MODULES,
    CABLES,
    *COSTS,
    POWER,
)


def comparison_view(comparison: Comparison) -> ComparisonView:
    """Make the view of the designs side by side, in an order that no result changes."""
    built = {
        plan.fabric.design: (summary, bom)
        for (plan, bom), summary in zip(comparison.built, comparison.summaries, strict=True)
    }
    plan = comparison.built[0][0]
    refused = {design: finding.fact for design, finding in comparison.refused}
    holds = FigureView(
        "can be built",
        "",
        ["yes" if design in built else "no" for design in COMPARED],
        "",
        _joined(refused),
    )
    rows = [_compared(figure, comparison, built) for figure in _FIGURES]
    return ComparisonView(
        plan.spec.name,
        [design.value for design in COMPARED],
        [holds, *(row for row in rows if row)],
    )


def _compared(
    figure: ComparedFigure, comparison: Comparison, built: dict[Design, tuple[PlanSummary, Bom]]
) -> FigureView | None:
    """Make one row of the comparison; None for NICs where no inventory asks for any."""
    if figure.part_class == "nics" and not any(
        line.part_class == "nics" for _, bom in built.values() for line in bom.lines
    ):
        return None
    values = [_value(figure, built.get(design)) for design in COMPARED]
    notes = {
        design: _missing(figure, built[design][1]) if design in built else "cannot be built"
        for design in COMPARED
    }
    missing = {design: note for design, note in notes.items() if design in built}
    saved = figure.saving(comparison.savings)
    unit = comparison.built[0][1].book.currency if figure.unit == "currency" else figure.unit
    bound = figure.bound(comparison, Design.FAT_TREE)
    texts = [_joined(notes), "" if saved is None else BOUNDS.get(bound, "")]
    return FigureView(
        figure.name,
        unit,
        values,
        "" if saved is None else f"{saved:g}",
        "; ".join(text for text in texts if text),
        _joined(missing),
        bound,
    )


def _value(figure: ComparedFigure, counted: tuple[PlanSummary, Bom] | None) -> str:
    """Write a figure of a design; empty where it is not known."""
    value = figure.value(*counted) if counted else None
    if value is None:
        return ""
    return (
        money_text(Decimal(str(value)))
        if figure.unit == "currency"
        else decimal_text(Fraction(str(value)))
    )


def _missing(figure: ComparedFigure, bom: Bom) -> str:
    """Name the parts that a figure leaves out, because their price or power is not known."""
    if figure is POWER and bom.unknown_power:
        return f"power unknown: {', '.join(bom.unknown_power)}"
    unpriced = (
        bom.unpriced_of(
            line.item for line in bom.unpriced_lines if figure.part_class in (None, line.part_class)
        )
        if figure.unit == "currency"
        else []
    )
    return f"unpriced in {bom.book.name}: {', '.join(unpriced)}" if unpriced else ""


def _joined(notes: dict[Design, str]) -> str:
    """Join the notes of the designs; a note of several designs is given once."""
    by_note: dict[str, list[str]] = defaultdict(list)
    for design, note in notes.items():
        by_note[note].append(design.value)
    return "; ".join(
        note if len(designs) == len(COMPARED) else f"{', '.join(designs)}: {note}"
        for note, designs in by_note.items()
        if note
    )
