"""The results of `model`: as JSON, as tables and as CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.cli.printing import table
from fabricgen.core.document import Document, plain

if TYPE_CHECKING:
    from fabricgen.analysis.workload.equations import Group
    from fabricgen.analysis.workload.published import Compared
    from fabricgen.analysis.workload.sweep import IterationRow, Point, Sweep
    from fabricgen.analysis.workload.text import Symbol
    from fabricgen.planning.plan import Plan

COLUMNS = {
    "compute_s": "compute",
    "mp_s": "MP",
    "dp_across_s": "DP across",
    "dp_within_s": "DP within",
    "pipeline_s": "pipeline",
    "bubble_s": "bubble",
    "experts_s": "experts",
}


@dataclass(frozen=True)
class IterationResult(Document):
    """One iteration with its symbols and notes: `model --json`."""

    name: str
    row: IterationRow
    symbols: dict[str, Symbol]
    notes: list[str]
    published: list[Compared]

    def document(self) -> dict[str, Any]:
        """Return the figures of the iteration beside the rest."""
        shown = {"symbols": plain(self.symbols), "notes": self.notes}
        return {"name": self.name} | self.row.document() | shown | published(self.published)


@dataclass(frozen=True)
class SweepResult(Document):
    """Several iterations: `model --json` with a sweep, or with several models."""

    name: str
    rows: list[IterationRow]
    notes: list[str]
    published: list[Compared]

    def document(self) -> dict[str, Any]:
        """Return the rows and what they share."""
        shown = {"name": self.name, "rows": plain(self.rows), "notes": self.notes}
        return shown | published(self.published)


def published(compared: list[Compared]) -> dict[str, Any]:
    """Return the key of compared figures, where there are any."""
    return {"published": plain(compared)} if compared else {}


def result_of(
    points: list[Point],
    rows: list[IterationRow],
    compared: list[Compared],
    group: Group,
    plan: Plan,
) -> Document:
    """Return one iteration, or the rows of several."""
    from fabricgen.analysis.workload.text import notes, symbols

    name, first = plan.spec.name, points[0]
    found = notes(first, plan)
    if len(points) == 1 and not rows[0].sweep:
        named = {symbol.name: symbol for symbol in symbols(first, group)}
        return IterationResult(name, rows[0], named, found, compared)
    return SweepResult(name, rows, found[:1], compared)


def iteration_text(point: Point, group: Group, plan: Plan, compared: list[Compared]) -> str:
    """Lay out one iteration: its parts, the symbols, the notes."""
    from fabricgen.analysis.workload.text import equations, notes, symbols

    found, llm = point.times, point.llm
    head = (
        f"{llm.name} on {plan.spec.name}: an iteration of {llm.batch_tokens:,} tokens takes "
        f"{found.iteration_s:.4g} s, "
        f"{100 * found.relative:.1f} % of the speed of an ideal network"
    )
    whole = found.iteration_s
    parts = [
        [words, f"{getattr(found, key):.4f}", f"{100 * getattr(found, key) / whole:.1f}", how]
        for key, words, how in equations(point)
    ]
    sums = [
        ["iteration", f"{whole:.4f}", "100.0", "the sum, without overlap"],
        [
            "ideal",
            f"{found.ideal_s:.4f}",
            f"{100 * found.ideal_s / whole:.1f}",
            "B_S = B_F: one HB domain of N",
        ],
    ]
    named = [
        [symbol.name, symbol.value, f"{symbol.what}: {symbol.origin}"]
        for symbol in symbols(point, group)
    ]
    lines = [*(f"note: {note}" for note in notes(point, plan)), *(each.words for each in compared)]
    return "\n\n".join(
        [
            head,
            table([["part", "s", "%", ""], *parts, *sums], right=(1, 2)),
            table([["symbol", "value", ""], *named], right=(1,)),
            "\n".join(lines),
        ]
    )


def sweep_text(rows: list[IterationRow], sweep: Sweep | None, compared: list[Compared]) -> str:
    """Lay out rows."""
    from fabricgen.analysis.workload.sweep import UNITS
    from fabricgen.analysis.workload.text import DERIVED

    shown = [key for key in COLUMNS if any(getattr(row, key) for row in rows)]
    words = [
        "iteration, s",
        *(COLUMNS[key] for key in shown),
        "ideal",
        "N_M",
        "relative, %",
    ]
    heads = ["model", UNITS[sweep.what] if sweep else "batch, tokens", *words]
    lines = []
    for row in rows:
        x = row.x if sweep else row.batch_tokens
        cells = [row.iteration_s, *(getattr(row, key) for key in shown), row.ideal_s]
        lines.append(
            [
                row.llm,
                f"{x:,}",
                *(f"{cell:.4f}" for cell in cells),
                f"{row.n_m:.4g}",
                f"{100 * row.relative:.1f}",
            ]
        )
    notes = [*(each.words for each in compared), f"note: {DERIVED}"]
    return f"{table([heads, *lines], right=range(1, len(heads)))}\n\n" + "\n".join(notes)


def csv_text(rows: list[IterationRow]) -> str:
    """Write rows as CSV, with every digit."""
    documents = [row.document() for row in rows]
    lines = [",".join(map(str, document.values())) for document in documents]
    return "\n".join([",".join(documents[0]), *lines, ""])
