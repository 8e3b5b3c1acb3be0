"""The search: every candidate drafted and scored, the limits applied, the best planned in full.

Owns the order of these steps, and the number of candidates that each removes, which is the proof if
none is left.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.search.candidates import candidates, whole
from fabricgen.analysis.search.pareto import front
from fabricgen.analysis.search.score import Judged, judge
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.bom.bill import CLASSES
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.inventory.search import Search
from fabricgen.planning.plan import make_draft, make_plan
from fabricgen.planning.resolve import resolve

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft


@dataclass(frozen=True)
class Found:
    """The result of a search: `rows` of the best, each with others of equal figures behind it.

    The first of a row is planned in full. `tried` combinations were `refused` by code, or the
    `same` as one before, or `beyond` a limit, by its key; `feasible` ones were compared.
    """

    spec: FabricSpec
    rows: tuple[tuple[Judged, ...], ...]
    counted: frozenset[str]
    """The classes of parts that count for the cost: at least one candidate has prices for them."""
    tried: int
    refused: Counter[str]
    same: int
    beyond: Counter[str]
    feasible: int

    def inventory(self, pick: int, catalog: Catalog) -> FabricSpec:
        """Return a row, from 1, as an inventory.

        It installs now what the original inventory installs. Raises Refusal if its reserve does not
        fit.
        """
        chosen = self.rows[pick - 1][0].draft.spec
        written = chosen.model_copy(update={"gpus": self.spec.gpus, "reserve": self.spec.reserve})
        if self.spec.reserve:
            make_plan(written, catalog)
        return written


def search(
    spec: FabricSpec, catalog: Catalog, llm: Workload | None = None, accelerator: str | None = None
) -> Found:
    """Return the best feasible fabrics among those that an inventory has on offer.

    Raises Refusal `nothing-feasible`, and for faults of the inventory itself.
    """
    if llm:
        machine_of(resolve(whole(spec), catalog), catalog, accelerator)
    judged: dict[tuple[Any, ...], Judged] = {}
    refused: Counter[str] = Counter()
    tried = same = 0
    for tried, candidate in enumerate(  # noqa: B007 - the number of the last one is used
        candidates(spec, catalog), start=1
    ):
        try:
            draft = make_draft(candidate, catalog)
            key = _identity(draft)
            same += key in judged
            judged.setdefault(key, judged.get(key) or judge(draft, llm, accelerator))
        except Refusal as refusal:
            refused[refusal.findings[0].code] += 1
    counted = _counted(judged.values())
    broken = {key: each.broken(spec.search or Search(), counted) for key, each in judged.items()}
    beyond = Counter(limit for limits in broken.values() for limit in limits)
    within = [each for key, each in judged.items() if not broken[key]]
    rows, feasible = _planned(within, counted, refused, catalog)
    if not rows:
        raise _nothing_feasible(
            tried,
            refused,
            [(judged[key], limits) for key, limits in broken.items() if limits],
            beyond,
            counted,
        )
    return Found(spec, rows, counted, tried, refused, same, beyond, feasible)


def _identity(draft: Draft) -> tuple[Any, ...]:
    """Return what identifies a fabric, independent of the keys that selected it."""
    fabric = draft.fabric
    boxes = tuple(
        (front.model.model, front.down.name, front.up.name)
        for role, front in fabric.port_layouts.items()
        if role in draft.roles
    )
    splits = draft.mapping.per_switch, draft.mapping.segments
    return (
        fabric.design,
        fabric.host and fabric.host.model,
        fabric.domain_gpus,
        fabric.rails,
        fabric.planes,
        boxes,
        draft.sizing,
        splits,
    )


def _counted(judged: Any) -> frozenset[str]:  # noqa: ANN401 - the values of a dictionary, read once
    """Return the classes of parts that are completely priced in at least one candidate.

    If a class is priced in none, all lack the same price, and the others are compared.
    """
    unpriced = [
        {line.part_class for line in each.bom.lines if line.unit_price is None} for each in judged
    ]
    return frozenset(name for name in CLASSES if any(name not in missing for missing in unpriced))


def _planned(
    within: list[Judged], counted: frozenset[str], refused: Counter[str], catalog: Catalog
) -> tuple[tuple[tuple[Judged, ...], ...], int]:
    """Return the rows of the best that can be planned in full, and how many candidates are left.

    Candidates are compared again after each that cannot be planned.
    """
    sound: set[int] = set()
    alive = list(within)
    while True:
        rows = front(alive, lambda each: each.figures(counted))
        fallen = set()
        for row in rows:
            if id(row[0]) in sound:
                continue
            try:
                make_plan(row[0].draft.spec, catalog)
                sound.add(id(row[0]))
            except Refusal as refusal:
                refused[refusal.findings[0].code] += 1
                fallen.add(id(row[0]))
        if not fallen:
            return tuple(tuple(row) for row in rows), len(alive)
        alive = [each for each in alive if id(each) not in fallen]


def _nothing_feasible(
    tried: int,
    refused: Counter[str],
    beyond: list[tuple[Judged, dict[str, float]]],
    limits: Counter[str],
    counted: frozenset[str],
) -> Refusal:
    """Return the refusal of a search without a result.

    The hint admits the candidate that exceeds the fewest limits, and of those the cheapest.
    """
    because = [
        f"{tried} combinations are on offer; distinct fabrics that can be built: {len(beyond)}"
    ]
    because += [f"refused as {code}: {number}" for code, number in refused.most_common()]
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
