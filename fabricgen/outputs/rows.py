"""The tables of a plan as rows of plain values, for programs and data frames.

Owns the columns of each row, which are those of the file or the JSON with the same contents.
"""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from fabricgen.bom.summary import number
from fabricgen.core.document import flat

if TYPE_CHECKING:
    from fabricgen.analysis.workload.equations import Group
    from fabricgen.planning.plan import Plan
    from fabricgen.views.bom import PartView

Row = dict[str, Any]
"""A row of a table: plain values by column, None where one is unknown."""

TITLES = {"part_class": "class", "purpose": "for"}
"""The columns of bom.csv with another title than the field of a part."""

NUMBERS = {
    "length_m",
    "quantity",
    "spares",
    "order",
    "unit_price",
    "total",
    "power_w",
    "pack",
    "list_price",
    "discount_pct",
    "power_max_w",
    "lead_time_days",
    "support_pct_per_year",
}
"""The fields of a part that are numbers; the others are texts."""


def cables(plan: Plan) -> list[Row]:
    """Return the rows of cables.csv: one for each cable of all networks, with its columns.

    Counts and lengths are numbers. Where a cable carries several links that differ in a column, the
    cell is a text with the value of each.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 8}}
    >>> plan = plan_inventory({"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}})
    >>> first = cables(plan)[0]
    >>> first["cable"], first["rail"], first["a_device"], first["b_device"], first["length_m"]
    ('r0-h00001', 0, 'host-1', 'r0-leaf-1', 5.0)
    """
    from fabricgen.views.cables.cable_rows import CableRows
    from fabricgen.views.cables.view import CableSheet
    from fabricgen.views.factory import Views

    columns, rows = CableSheet().columns, list[Row]()
    for own in (plan, *plan.networks.values()):
        made, links = CableRows(Views(own)), len(own.segment.kind)
        network = {"network": own.fabric.network_name} if plan.networks else {}
        rows += [
            {column: _cell(column, getattr(row, column)) for column in columns} | network
            for segment in range(own.mapping.segments)
            for row in made.rows(segment, 0, links)
        ]
    return rows


def bom(plan: Plan) -> list[Row]:
    """Return the parts of all networks as in bom.csv; quantities and amounts are numbers.

    A part without a price has None. Raises Refusal where a price book is missing.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 4}}
    >>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
    >>> [(row["class"], row["length_m"], row["order"], row["total"]) for row in bom(plan)][:3]
    [('switches', None, 48, 133248), ('transceivers', None, 256, 50944), ('cables', 2, 12, None)]
    """
    from fabricgen.bom.bill_table import bom_view
    from fabricgen.bom.cluster_bill import cluster_bom

    return [_part(part) for part in bom_view(cluster_bom(plan), plan).parts]


class ComparedDesigns(list[Row]):
    """The rows of designs, with what `compare` prints beside its table."""

    cheaper: list[Row]
    """A row for each way to make the first design cheaper, with the lines to write in `set`."""
    notes: list[str]
    """Sentences: designs that cannot be built, and the notices about the first design."""


def compare(plan: Plan) -> ComparedDesigns:
    """Return a row for each design that can hold the cluster: `compare --json`, flattened.

    `switches_total` is `total` of `switches`. The columns `saved_…` have what rail-only saves
    against the design of the row. The list has `cheaper`, the mappings of the first design that
    cost less, and `notes`. Raises Refusal where a price book is missing.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 8}}
    >>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
    >>> [(row["design"], row["switches_total"], row["saved_switches_pct"]) for row in compare(plan)]
    [('rail-only', 8, 0.0), ('rail-optimized', 40, 80.0), ('fat-tree', 40, 80.0)]
    """
    from fabricgen.analysis.search.cheaper import AdvisedComparison, cheaper_mappings
    from fabricgen.bom.comparison import compare as compared
    from fabricgen.bom.comparison import equal_tiers
    from fabricgen.planning.notices import advice

    found = compared(plan.spec, plan.catalog)
    rows = ComparedDesigns(found.rows())
    cheaper = AdvisedComparison(found, cheaper_mappings(*found.built[0]))
    rows.cheaper = [flat(row) for row in cheaper.rows()]
    alike = equal_tiers(found)
    rows.notes = [
        *(f"{design} cannot be built: {finding.fact}" for design, finding in found.refused),
        *([alike] if alike else []),
        *advice(found.built[0][0]),
    ]
    return rows


def cost(plan: Plan) -> list[Row]:
    """Return the cost of ownership of each design: `designs` of `cost --json`, flattened.

    The terms are those of `ownership` in the inventory: without `years`, the price of energy or the
    PUE, the sums that need them are None. Raises Refusal where a price book is missing.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 8}}
    >>> terms = {"years": 4, "kwh_price": 0.1, "pue": 1.5}
    >>> keys = {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}}
    >>> plan = plan_inventory({**keys, "ownership": terms})
    >>> [(row["design"], row["capital_total"], row["energy"]) for row in cost(plan)][0]
    ('rail-only', 69888, 10764.29)
    """
    from fabricgen.bom.comparison import compare as compared
    from fabricgen.bom.ownership import cost_of_ownership

    return cost_of_ownership(compared(plan.spec, plan.catalog)).rows()


def phases(plan: Plan) -> list[Row]:
    """Return the phases of a plan: `phases --json`, flattened.

    Phases by GPUs have a row for each way to grow and phase, with the way and whether it is the
    recommended one. Raises Refusal where phases do not build on each other.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 8}}
    >>> sizes = {"gpus": 16, "phases": [{"gpus": 16}, {"gpus": 64}]}
    >>> plan = plan_inventory({**sizes, "hb_domain": {"gpus": 4}, "switches": {"leaf": leaf}})
    >>> [(row["gpus"], row["switches"]) for row in phases(plan) if row["recommended"]]
    [(16, 4), (64, 20)]
    """
    from fabricgen.lifecycle.change.growth_ways import ways_to_grow
    from fabricgen.lifecycle.change.phase_sizes import by_gpus
    from fabricgen.lifecycle.change.phase_summary import summarize_phases, summarize_ways
    from fabricgen.lifecycle.change.phases import phase_in

    if not by_gpus(plan.spec):
        return [flat(each.document()) for each in summarize_phases(plan, phase_in(plan)).phases]
    found = summarize_ways(ways_to_grow(plan.spec, plan.catalog))
    return [
        {"way": name, "recommended": name == found.recommended, **flat(each.document())}
        for name, way in (found.ways or {}).items()
        for each in way.phases
    ]


def search(
    plan: Plan, llm: str | None = None, *, accelerator: str | None = None, every: bool = False
) -> list[Row]:
    """Return the designs of `search --json` for the inventory of a plan, the cheapest first.

    `llm` names a language model of the catalog, whose iteration time is then a column; `every`
    returns all designs that no other one dominates, as `--all` does, instead of ten. Raises Refusal
    where no design is feasible.

    >>> from fabricgen.api import plan_inventory
    >>> sizes = {"gpus": 64, "hb_domain": {"gpus": 8}}
    >>> wanted = {"switches": ["sn5600"], "max_tiers": 1}
    >>> leaf = {"model": "sn5600", "breakout": "2x400G"}
    >>> plan = plan_inventory({**sizes, "switches": {"leaf": leaf}, "search": wanted})
    >>> found = search(plan)[0]
    >>> found["design"], found["switches_total"], found["cost_is_known"], found["unpriced"]
    ('rail-only', 1, False, ['mfp7e10'])
    """
    from fabricgen.analysis.search.result import search_result
    from fabricgen.analysis.search.search import search as searched
    from fabricgen.analysis.workload.machine import find_llm

    workload = find_llm(plan.catalog, llm) if llm else None
    answer = searched(plan.spec, plan.catalog, workload, accelerator, every=every)
    found = search_result(answer, workload)
    return [flat(row.document()) for row in found.designs]


def model(
    plan: Plan,
    llm: str = "gpt3",
    *,
    mp_group: Group = "continuous",
    batch_tokens: int | None = None,
    accelerator: str | None = None,
) -> Row:
    """Return the training iteration of a language model: the figures of `model --json`.

    `notes` is a list of sentences. Raises Refusal for unknown models, and where a figure of the
    GPUs is unknown.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 64}}
    >>> plan = plan_inventory({"gpus": 1024, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
    >>> row = model(plan, "opt-175b", mp_group=8)
    >>> row["gpus"], round(row["iteration_s"], 1), row["n_m"]
    (1024, 6.0, 8)
    """
    from fabricgen.analysis.workload.equations import iterate
    from fabricgen.analysis.workload.machine import find_llm, machine_of
    from fabricgen.analysis.workload.sweep import Point, row_of
    from fabricgen.analysis.workload.text import notes

    workload, machine = (
        find_llm(plan.catalog, llm),
        machine_of(plan.fabric, plan.catalog, accelerator),
    )
    if batch_tokens is not None:
        workload = workload.model_copy(update={"batch_tokens": batch_tokens})
    point = Point(workload, machine, 0, iterate(workload, machine, mp_group))
    return row_of(point, None).document() | {"notes": notes(point, plan)}


def _cell(column: str, value: str | int) -> str | int | float | None:
    """Return the value of a cable's cell; a list of several links' values stays a text."""
    from fabricgen.views.cables.columns import INTEGERS

    text = str(value)
    if column == "length_m":
        return float(text) if text else None
    if column not in INTEGERS:
        return text
    return int(text) if text.isdecimal() else text or None


def _part(part: PartView) -> Row:
    """Return a part of the bill; an empty text of a number is None."""
    return {
        TITLES.get(name, name): value
        if name not in NUMBERS
        else number(Decimal(value))
        if value
        else None
        for name, value in asdict(part).items()
    }
