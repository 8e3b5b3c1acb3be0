"""The figures of an iteration that a chart shows, and the position of printed ones in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.workload.svg_charts import COLOURS, Bars, Lines, short
from fabricgen.analysis.workload.sweep import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.workload.collectives import TrafficShares
    from fabricgen.analysis.workload.published import Compared
    from fabricgen.analysis.workload.sweep import IterationRow, Point, Sweep

PARTS = {
    "compute": "compute_s",
    "MP": "mp_s",
    "DP across HB domains": "dp_across_s",
    "DP within": "dp_within_s",
    "pipeline": "pipeline_s",
    "bubble": "bubble_s",
    "experts": "experts_s",
}
"""The parts of an iteration in the order of a bar."""


def lines_of(
    rows: Sequence[IterationRow],
    sweep: Sweep,
    plot: str,
    y_name: str,
    title: str,
    compared: Sequence[Compared],
) -> Lines:
    """Return a line for each model over the values of a sweep."""
    batches = {
        name: {row.batch_tokens for row in rows if row.llm == name}
        for name in (row.llm for row in rows)
    }

    def line(row: IterationRow) -> str:
        several = sweep.what != "batch" and len(batches[row.llm]) > 1
        return f"{row.llm}, {short(row.batch_tokens)} tokens" if several else row.llm

    names = list(dict.fromkeys(map(line, rows)))
    series = [
        (name, [(float(row.x or 0), _y(row, plot)) for row in rows if line(row) == name])
        for name in names
    ]
    printed = [point for each in compared for point in _printed(each, rows, plot)]
    return Lines(
        title or f"{' and '.join(names)}: {y_name}", UNITS[sweep.what], y_name, series, printed
    )


def _y(row: IterationRow, plot: str) -> float:
    """Return the figure that is plotted."""
    return float(100 * row.relative if plot == "relative_pct" else getattr(row, plot))


def _printed(
    compared: Compared, rows: Sequence[IterationRow], plot: str
) -> list[tuple[float, float]]:
    """Return the points of a printed saving: the printed percentage below our own first value."""
    printed = compared.printed
    if compared.ours is None or not printed.at:
        return []
    if printed.figure == "relative_pct" and plot == "relative_pct":
        return [(float(printed.at[-1]), printed.printed)]
    if printed.figure == "saves_pct" and plot == "iteration_s":
        first = next(
            row
            for row in rows
            if printed.is_of(row.llm, row.batch_tokens) and row.x == printed.at[0]
        )
        return [(float(printed.at[-1]), first.iteration_s * (1 - printed.printed / 100))]
    return []


def bars_of(points: Sequence[Point], title: str, compared: Sequence[Compared]) -> Bars:
    """Return two bars for each model: as it is and ideal.

    The printed saving of the ideal is drawn above it, in the first bar.
    """
    bars, printed = [], []
    for number, point in enumerate(points):
        found, batch = point.times, short(point.llm.batch_tokens)
        about = [
            each.printed
            for each in compared
            if each.printed.is_of(point.llm.name, point.llm.batch_tokens)
        ]
        printed += [
            (2 * number, found.ideal_s * (1 + each.printed / 100))
            for each in about
            if each.figure == "ideal_faster_pct"
        ]
        bars.append(
            (
                f"{point.llm.name}\n{batch} tokens",
                [float(getattr(found, key)) for key in PARTS.values()],
            )
        )
        ideal = [
            found.compute_s,
            found.mp_s,
            0.0,
            found.ideal_s - found.compute_s - found.mp_s - found.bubble_s,
            0.0,
            found.bubble_s,
            0.0,
        ]
        bars.append(("ideal", ideal))
    kept = [number for number in range(len(PARTS)) if any(values[number] for _, values in bars)]
    parts = [list(PARTS)[number] for number in kept]
    return Bars(
        title or "time of an iteration",
        "iteration, s",
        parts,
        [(name, [values[number] for number in kept]) for name, values in bars],
        printed,
    )


def shares_of(traffic: TrafficShares, title: str) -> Bars:
    """Return two bars of a traffic matrix: its pairs of GPUs, and its bytes, by where they are."""
    pairs = [
        traffic.hb_pairs_pct,
        100 - traffic.pairs_idle_pct - traffic.hb_pairs_pct,
        traffic.pairs_idle_pct,
    ]
    kept = [traffic.hb_bytes_pct, 100 - traffic.hb_bytes_pct, 0.0]
    return Bars(
        title,
        "%",
        ["inside HB domains", "across HB domains", "nothing"],
        [("pairs of GPUs", pairs), ("bytes", kept)],
        [],
        (*COLOURS[:2], "#d9d9d9"),
    )
