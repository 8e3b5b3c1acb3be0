"""The figures of one candidate, and the limits that it exceeds.

Owns what is compared: cost, power, switches, the time of an iteration and the worst single failure.
Without a language model the bandwidth between HB domains replaces the time. It is computed as if
all traffic crossed the tier with the most oversubscription; no order of the GPUs is worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf
from typing import TYPE_CHECKING

from fabricgen.analysis.search.part_counts import count, link_counts, switch_counts
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.bom.bill import priced
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.analysis.search.pareto import Figures
    from fabricgen.analysis.search.worst_failure import Worst
    from fabricgen.analysis.workload.equations import Times
    from fabricgen.bom.bill import Bom
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.inventory.search import Search
    from fabricgen.planning.draft import Draft


@dataclass(frozen=True)
class Judged:
    """A drafted candidate with its figures; `times` is None without a language model."""

    draft: Draft
    bom: Bom
    worst: Worst
    """The worst single failure."""
    times: Times | None = None

    @cached_property
    def switches(self) -> int:
        """The number of switches."""
        return sum(switch_counts(self.draft).values())

    @cached_property
    def cables(self) -> int:
        """The number of cables."""
        return sum(
            links * self.draft.link_parts[kind].cables
            for kind, links in link_counts(self.draft).items()
        )

    @cached_property
    def across_gbps(self) -> Fraction:
        """The bandwidth of a GPU between HB domains, one direction."""
        fabric = self.draft.fabric
        return fabric.planes * fabric.speed_gbps * _share(self.draft)

    def cost(self, counted: frozenset[str]) -> float:
        """Return the bill's total; infinite if a part of the `counted` classes has no price."""
        total = self.bom.cost()
        missing = any(
            line.unit_price is None for line in self.bom.lines if line.part_class in counted
        )
        return inf if missing or total is None else float(total)

    @property
    def power_w(self) -> float:
        """Typical power without hosts; infinite if a part's is unknown."""
        power = self.bom.power_w
        return inf if power is None else power

    def figures(self, counted: frozenset[str]) -> Figures:
        """Return the figures by which candidates are compared; smaller is better."""
        speed = self.times.iteration_s if self.times else -float(self.across_gbps)
        return self.cost(counted), self.power_w, self.switches, speed, *self.worst

    def broken(self, limits: Search, counted: frozenset[str]) -> dict[str, float]:
        """Return the limits that this candidate exceeds, each with the value that admits it."""
        cost = self.cost(counted)
        relative = self.times.relative if self.times else 1.0
        asked = {
            "budget": (
                limits.budget is not None and cost > limits.budget,
                cost if cost == inf else ceil(cost),
            ),
            "power_w": (
                limits.power_w is not None and self.power_w > limits.power_w,
                self.power_w if self.power_w == inf else ceil(self.power_w),
            ),
            "max_tiers": (self.draft.sizing.tiers > limits.max_tiers, self.draft.sizing.tiers),
            "min_relative": (
                limits.min_relative is not None and relative < limits.min_relative,
                floor(relative * 1e4) / 1e4,
            ),
        }
        return {key: enough for key, (beyond, enough) in asked.items() if beyond}


def _share(draft: Draft) -> Fraction:
    """Return the least ratio of bandwidth up to bandwidth down of a switch, at most 1."""
    sizing, port_layouts = draft.sizing, draft.fabric.port_layouts
    widths = {
        Role.LEAF: (sizing.leaf_down, sizing.leaf_up),
        Role.SPINE: (sizing.spine_down, sizing.spine_up),
    }
    below = draft.roles[:-1]
    shares = (
        Fraction(up * port_layouts[role].up.speed_gbps, down * port_layouts[role].down.speed_gbps)
        for role, (down, up) in widths.items()
        if role in below
    )
    return min(Fraction(1), *shares, Fraction(1))


def judge(draft: Draft, llm: Workload | None, accelerator: str | None = None) -> Judged:
    """Compute the figures of a draft.

    Raises Refusal if the language model does not fit it, or a figure of its GPUs is missing.
    """
    judged = Judged(draft, priced(draft, switch_counts(draft), count(draft)), worst(draft))
    if llm is None:
        return judged
    machine = machine_of(draft.fabric, draft.catalog, accelerator)
    slowed = replace(machine, nic_bytes_s=machine.nic_bytes_s * float(_share(draft)))
    return replace(judged, times=iterate(llm, slowed))
