"""The ways to grow as text: a table, and how each compares with the recommended one."""

from __future__ import annotations

from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING

from fabricgen.cli.printing import grouped, money, sum_of_prices, table
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.lifecycle.change.phase_summary import PhaseList, PhaseSummary, WaySummary

WAYS = {
    "reserve-now": "every phase is sized and numbered for the end",
    "grow-later": "every phase is sized for itself, and planned from the one before",
    "spines-later": "spines are bought when a block outgrows one leaf",
}
"""Way to grow -> its explanation."""


def ways_text(found: PhaseList) -> str:
    """Lay out the ways to grow below each other, with a column for each phase."""
    ways = found.ways or {}
    header = ["", *(f"{phase.gpus:,} GPUs" for phase in found.phases), "in all"]
    rows = [header]
    for name, way in ways.items():
        rows += [[name, *[""] * (len(header) - 1)], *_figures(way, found.currency)]
    best = ways[found.recommended or ""]
    rows += [
        [f"parts of {found.recommended}", *[""] * (len(header) - 1)],
        *([f"  {part}", *_cells(counts, sum(counts))] for part, counts in _parts(best).items()),
    ]
    unpriced = sorted(
        {part for way in ways.values() for phase in way.phases for part in phase.unpriced}
    )
    lines = [
        f"{found.name} in {len(found.phases)} phases, prices {found.book}",
        "",
        table(rows, right=range(1, len(header))),
        "",
        *(f"{name}: {WAYS[name]}" for name in ways),
        *(
            f"{each.way} cannot be planned: {each.fact} [{each.code}]"
            for each in found.refused or ()
        ),
        "",
        f"recommended: {found.recommended}, which {_moves(best.cables_moved)}",
        *(f"  {line}" for line in _against(found)),
        *(f"{name} leaves over {_listed(way)}" for name, way in ways.items() if way.left_over),
        "spares are not included",
        *([f"no price, excluded from the cost: {', '.join(unpriced)}"] if unpriced else []),
    ]
    return "\n".join(lines)


def _figures(way: WaySummary, currency: str) -> Iterator[list[str]]:
    """Yield the rows of a way: what each phase adds, and the sum."""
    of = way.phases
    yield ["  switches", *_cells([each.switches for each in of], sum(each.switches for each in of))]
    yield ["  cables", *_cells([each.cables for each in of], sum(each.cables for each in of))]
    yield ["  cables moved", *_cells([each.cables_moved for each in of], way.cables_moved)]
    for name in of[0].networks or {}:
        own = [each.networks[name] for each in of if each.networks]
        yield [
            f"  {name} switches",
            *_cells([each.switches for each in own], sum(each.switches for each in own)),
        ]
        yield [
            f"  {name} cables",
            *_cells([each.cables for each in own], sum(each.cables for each in own)),
        ]
    partial = [bool(each.unpriced) for each in of]
    yield [
        f"  cost, {currency}",
        *_sums([each.cost for each in of], partial),
        sum_of_prices(way.cost, partial=any(partial)),
    ]
    so_far = accumulate(partial, or_)
    yield ["  cost by then", *_sums([each.cost_by_then for each in of], so_far), ""]


def _sums(amounts: Iterable[float | None], partial: Iterable[bool]) -> list[str]:
    """Return sums of prices as cells, each with whether it leaves parts out."""
    return [sum_of_prices(each, partial=own) for each, own in zip(amounts, partial, strict=True)]


def _cells(values: Iterable[float | None], total: float | None) -> list[str]:
    """Return the cells of a row."""
    return [*map(money, values), money(total)]


def _parts(way: WaySummary) -> dict[str, list[int]]:
    """Return how many of each part every phase buys."""
    parts = dict.fromkeys(part for phase in way.phases for part in phase.parts)
    return {part: [phase.parts.get(part, 0) for phase in way.phases] for part in parts}


def _listed(way: WaySummary) -> str:
    """List the parts that a way leaves over, each with its number."""
    return ", ".join(f"{part} ({grouped(count)})" for part, count in way.left_over.items())


def _against(found: PhaseList) -> Iterator[str]:
    """Yield a sentence for each other way: where its sum differs the most, and its moves."""
    ways = found.ways or {}
    best = ways[found.recommended or ""]
    for name, way in ways.items():
        if name == found.recommended:
            continue
        if best.cost is None:
            yield f"{name} {_moves(way.cables_moved)}"
            continue
        gaps = [_gap(theirs, ours) for theirs, ours in zip(way.phases, best.phases, strict=True)]
        at = max(range(len(gaps)), key=lambda phase: abs(gaps[phase]))
        yield (
            f"{name} {_costs(gaps[at], way.phases[at].gpus, found.currency)}, and"
            f" {_moves(way.cables_moved)}"
            + _per_move(-gaps[at], way.cables_moved - best.cables_moved, found.currency)
        )


def _costs(gap: float, gpus: int, currency: str) -> str:
    """Describe how much more or less a way costs."""
    if not gap:
        return "costs as much in every phase"
    word = "more" if gap > 0 else "less"
    return f"costs {currency} {money(abs(gap))} {word} at {gpus:,} GPUs"


def _per_move(saved: float, moves: int, currency: str) -> str:
    """Describe what a way postpones for each cable that moves; empty where it postpones nothing."""
    return f" ({currency} {round(saved / moves):,} for each)" if saved > 0 and moves > 0 else ""


def _gap(theirs: PhaseSummary, ours: PhaseSummary) -> float:
    """Return how much more a way costs than another one by the end of a phase."""
    return (theirs.cost_by_then or 0) - (ours.cost_by_then or 0)


def _moves(cables: int) -> str:
    """Describe how many cables move."""
    return f"moves {counted(cables, 'cable')}" if cables else "moves no cable"
