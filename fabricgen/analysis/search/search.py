"""The search: every candidate drafted and scored, the limits applied, the best planned in full.

Owns the order of these steps, and the number of candidates that each removes, which is the proof if
none is left.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from fabricgen.analysis.search.candidates import whole
from fabricgen.analysis.search.pareto import front, worthwhile
from fabricgen.analysis.search.pool import Pool, Scorer, bounded, make_pool, undominated
from fabricgen.analysis.search.score import PACE
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.inventory.search import Search
from fabricgen.planning.direct_conflicts import require_switches
from fabricgen.planning.plan import make_plan
from fabricgen.planning.resolve import resolve

MOST_ROWS, MOST_APART = 10, 3
"""Rows of the table, unless every one is asked for, and those of them without a known cost."""

if TYPE_CHECKING:
    from fabricgen.analysis.search.score import Judged
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft


@dataclass(frozen=True)
class Found:
    """The result of a search: `rows` of the best, each with others of equal figures behind it.

    The first of a row is planned in full.
    """

    spec: FabricSpec
    rows: tuple[tuple[Judged, ...], ...]
    counted: frozenset[str]
    """The classes of parts that count for the cost: at least one candidate has prices for them."""
    pool: Pool
    beyond: Counter[str]
    """How many that no other dominates exceed a limit, by its key."""
    more: int
    """How many rows are not shown."""

    def inventory(self, pick: int, catalog: Catalog) -> FabricSpec:
        """Return a row, from 1, as an inventory.

        It installs now what the original inventory installs. Raises Refusal if its reserve does not
        fit.
        """
        chosen = self.rows[pick - 1][0].draft.spec
        own = {key: getattr(self.spec, key) for key in ("gpus", "reserve", "networks", "devices")}
        written = chosen.model_copy(update=own)
        if self.spec.reserve:
            make_plan(written, catalog)
        return written


def search(
    spec: FabricSpec,
    catalog: Catalog,
    llm: Workload | None = None,
    accelerator: str | None = None,
    *,
    every: bool = False,
) -> Found:
    """Return the best feasible fabrics among those that an inventory has on offer.

    They are those that `pareto.worthwhile` selects, or `every` one that no other dominates. Raises
    Refusal `nothing-feasible`, and for faults of the inventory itself.
    """
    require_switches(spec, "search")
    if llm:
        machine_of(resolve(whole(spec), catalog), catalog, accelerator)
    pool = make_pool(spec, catalog)
    limits = spec.search or Search()
    scorer = Scorer(catalog, limits, llm, accelerator, pool.refused)
    counted, fabrics = bounded(pool, scorer)
    dropped: set[Draft] = set()
    while True:
        best = undominated(fabrics, scorer, counted, dropped)
        broken = [judged.broken(limits, counted) for judged in best]
        within = [judged for judged, beyond in zip(best, broken, strict=True) if not beyond]
        rows = front(within, lambda judged: judged.figures(counted))
        shown = rows if every else _worthwhile(rows, counted)
        fallen = _fallen(shown, catalog, pool.refused)
        if not fallen:
            break
        dropped |= fallen
    if not rows:
        exceeding = [pair for pair in zip(best, broken, strict=True) if pair[1]]
        raise _nothing_feasible(pool, exceeding, counted)
    return Found(
        spec,
        tuple(tuple(row) for row in shown),
        counted,
        pool,
        beyond=Counter(key for beyond in broken for key in beyond),
        more=len(rows) - len(shown),
    )


def _worthwhile(rows: list[list[Judged]], counted: frozenset[str]) -> list[list[Judged]]:
    """Return the rows of the table: the best of each pace, and what is worth its cost.

    Those whose cost is unknown come last, where the cost of others is known.
    """
    known = [row for row in rows if row[0].cost(counted) < inf]
    apart = [row for row in rows if row[0].cost(counted) == inf]
    most = MOST_APART if known else MOST_ROWS
    return [
        *worthwhile(
            known, lambda row: row[0].figures(counted), PACE, MOST_ROWS - most * bool(apart)
        ),
        *worthwhile(apart, lambda row: (1.0, *row[0].figures(counted)[1:]), PACE, most),
    ]


def _fallen(rows: list[list[Judged]], catalog: Catalog, refused: Counter[str]) -> set[Draft]:
    """Return the first of each row that cannot be planned in full, and count why."""
    fallen = set()
    for row in rows:
        try:
            make_plan(row[0].draft.spec, catalog)
        except Refusal as refusal:
            refused[refusal.findings[0].code] += 1
            fallen.add(row[0].draft)
    return fallen


def _nothing_feasible(
    pool: Pool, beyond: list[tuple[Judged, dict[str, float]]], counted: frozenset[str]
) -> Refusal:
    """Return the refusal of a search without a result.

    The hint admits the candidate that exceeds the fewest limits, and of those the cheapest.
    """
    refused = pool.refused
    tried = (
        f"{pool.tried} combinations are on offer; distinct fabrics that can be sized:"
        f" {len(pool.sized)}; not dominated by another: {len(beyond)}"
    )
    because = [tried, *(f"refused as {code}: {number}" for code, number in refused.most_common())]
    limits = Counter(limit for _, broken in beyond for limit in broken)
    alone = Counter(next(iter(broken)) for _, broken in beyond if len(broken) == 1)
    because += [
        f"`search.{key}` excludes {number}, {alone[key]} of them as the only limit"
        for key, number in limits.most_common()
    ]
    curable = [(judged, broken) for judged, broken in beyond if inf not in broken.values()]
    hint = (
        f"`fabricgen explain {refused.most_common(1)[0][0]}` explains the code; or offer more under"
        " `search`"
        if refused
        else _UNKNOWN
    )
    path: tuple[str, ...] = ("search",)
    if curable:
        _, changes = min(curable, key=lambda each: (len(each[1]), each[0].figures(counted)))
        path = ("search", next(iter(changes)))
        hint = "write " + " and ".join(
            f"`search.{key}: {value:.10g}`" for key, value in changes.items()
        )
    elif beyond:
        hint = _UNKNOWN
    return refuse(
        "nothing-feasible",
        "no fabric on offer can be built within the limits",
        path=path,
        because=because,
        hint=hint,
    )


_UNKNOWN = (
    "each has a part of unknown price or power: add prices under `prices.parts`, or offer other"
    " switches"
)
