"""The figures in which designs are compared, and how each is read.

Owns the table of figures. Which of them a report shows, and how, is the report's own choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.bom.bill import Bom, PartClass
    from fabricgen.bom.comparison import Bound, Comparison, Savings
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.core.terms import Design


class ComparedFigure(NamedTuple):
    """A figure: how it is read, its unit and its saving.

    `part_class` is set on a cost of one class of parts.
    """

    name: str
    value: Callable[[PlanSummary, Bom], float | None]
    unit: str = ""
    saving: Callable[[Savings], float | None] = lambda _: None
    part_class: PartClass | None = None

    def own_bound(self, summary: PlanSummary, bom: Bom) -> Bound:
        """Return how the figure of a design is bounded: costs lack the price of unpriced parts."""
        if self.unit != "currency" or self.value(summary, bom) is None:
            return "exact"
        return "at least" if bom.is_partial(self.part_class) else "exact"

    def bound(self, comparison: Comparison, design: Design) -> Bound:
        """Return how the saving against a design is bounded; unpriced parts are in costs only."""
        if self.unit != "currency":
            return "exact"
        return comparison.cost_bound(design, self.part_class)


def module_count(bom: Bom) -> int:
    """Count transceivers as they are sold."""
    return sum(line.quantity for line in bom.lines if line.part_class == "transceivers")


TIERS = ComparedFigure("tiers", lambda summary, _: summary.tiers)
LEAVES = ComparedFigure("leaf switches", lambda summary, _: summary.switches.leaf)
SPINES = ComparedFigure("spine switches", lambda summary, _: summary.switches.spine)
CORES = ComparedFigure("core switches", lambda summary, _: summary.switches.core)
SWITCHES = ComparedFigure(
    "switches",
    lambda summary, _: summary.switches.total,
    saving=lambda savings: savings.switches_pct,
)
HOST_LINKS = ComparedFigure("host links", lambda summary, _: summary.links.host)
LEAF_SPINE_LINKS = ComparedFigure("leaf-spine links", lambda summary, _: summary.links.leaf_spine)
SPINE_CORE_LINKS = ComparedFigure("spine-core links", lambda summary, _: summary.links.spine_core)
LINKS = ComparedFigure("links", lambda summary, _: summary.links.total)
TRANSCEIVERS = ComparedFigure(
    "transceivers, one per link end",
    lambda summary, _: summary.transceivers,
    saving=lambda savings: savings.transceivers_pct,
)
MODULES = ComparedFigure("transceiver modules as sold", lambda _, bom: module_count(bom))
CABLES = ComparedFigure("cables", lambda summary, _: summary.cables.total)
RACK_UNITS = ComparedFigure("rack units of switches", lambda summary, _: summary.rack_units)
POWER = ComparedFigure(
    "power", lambda summary, _: summary.power_w, "W", lambda savings: savings.power_pct
)
POWER_MAX = ComparedFigure("most power", lambda summary, _: summary.power_max_w, "W")
HEAT = ComparedFigure("heat of the typical power", lambda summary, _: summary.heat_btu_h, "BTU/h")
COST = ComparedFigure(
    "cost",
    lambda summary, _: summary.cost.total,
    "currency",
    lambda savings: savings.cost_pct,
)
COSTS = (
    ComparedFigure(
        "cost of switches",
        lambda summary, _: summary.cost.switches,
        "currency",
        part_class="switches",
    ),
    ComparedFigure(
        "cost of transceivers",
        lambda summary, _: summary.cost.transceivers,
        "currency",
        part_class="transceivers",
    ),
    ComparedFigure(
        "cost of cables", lambda summary, _: summary.cost.cables, "currency", part_class="cables"
    ),
    ComparedFigure(
        "cost of NICs", lambda summary, _: summary.cost.nics, "currency", part_class="nics"
    ),
    COST,
)
"""The cost of each class of parts, and the total."""
