"""The figures of one candidate, and the limits that it exceeds.

Owns what is compared: cost, power, switches, the time of an iteration and the worst single failure.
Without a language model the bandwidth between HB domains replaces the time. It is computed as if
all traffic crossed the tier with the most oversubscription; no order of the GPUs is worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, inf
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.search.part_counts import count, endpoints, link_counts
from fabricgen.analysis.search.switch_counts import switch_counts, switch_total
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.bom.priced_bill import priced
from fabricgen.core.terms import ROLES, Role
from fabricgen.planning.bisection_width import bisection

if TYPE_CHECKING:
    from fabricgen.analysis.search.pareto import Figures
    from fabricgen.analysis.search.worst_failure import Worst
    from fabricgen.analysis.workload.equations import Times
    from fabricgen.bom.bill import Bom
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.core.arrays import BoolArray
    from fabricgen.inventory.search import Search
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.resolve import ResolvedFabric


PACE = 3
"""The place of the iteration time, or of the bandwidth, among the figures."""


@dataclass(frozen=True)
class Judged:
    """A drafted candidate with its figures; `times` is None without a language model."""

    draft: Draft
    bom: Bom
    share: Fraction
    """The part of a NIC's bandwidth that the network carries between HB domains."""
    worst: Worst
    """The worst single failure."""
    times: Times | None = None

    @cached_property
    def switches(self) -> int:
        """The number of switches."""
        return switch_total(self.draft.mapping)

    @cached_property
    def cables(self) -> int:
        """The number of cables."""
        return sum(
            links * self.draft.link_parts[kind].cables
            for kind, links in link_counts(self.draft.mapping).items()
        )

    @property
    def across_gbps(self) -> Fraction:
        """The bandwidth of a GPU between HB domains, one direction."""
        return across_gbps(self.draft.fabric, self.share)

    def cost(self, counted: frozenset[str]) -> float:
        """Return the price of the `counted` classes; infinite if a part of them has none.

        A class that no candidate has all prices of is left out: a part of a sum ranks nothing.
        """
        lines = [line for line in self.bom.lines if line.part_class in counted]
        totals = [line.total for line in lines]
        known = [total for total in totals if total is not None]
        return float(sum(known)) if known and len(known) == len(totals) else inf

    @property
    def is_priced(self) -> bool:
        """Whether every part has a price, so that the bill's total is the cost."""
        return not self.bom.unpriced_lines

    @property
    def power_w(self) -> float:
        """Typical power without hosts; infinite if a part's is unknown."""
        power = self.bom.power_w
        return inf if power is None else power

    def figures(self, counted: frozenset[str]) -> Figures:
        """Return the figures by which candidates are compared; smaller is better."""
        pace = pace_of(self.draft.fabric, self.share, self.times)
        return self.cost(counted), self.power_w, self.switches, pace, *self.worst

    def broken(self, limits: Search, counted: frozenset[str]) -> dict[str, float]:
        """Return the limits that this candidate exceeds, each with the value that admits it."""
        cost = inf if self.cost(counted) == inf else float(self.bom.cost() or 0)
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


def across_gbps(fabric: ResolvedFabric, share: Fraction) -> Fraction:
    """Return the bandwidth of a GPU between HB domains, one direction."""
    return fabric.planes * fabric.speed_gbps * share


def pace_of(fabric: ResolvedFabric, share: Fraction, times: Times | None) -> float:
    """Return the seconds of an iteration; without a language model, those of a gigabit."""
    return times.iteration_s if times else 1 / float(across_gbps(fabric, share))


def upward_share(mapping: Mapping) -> Fraction:
    """Return the least ratio of bandwidth up to bandwidth down of a switch, at most 1."""
    sizing, layouts = mapping.sizing, mapping.fabric.port_layouts
    widths = {
        Role.LEAF: (sizing.leaf_down, sizing.leaf_up),
        Role.SPINE: (sizing.spine_down, sizing.spine_up),
    }
    shares = (
        Fraction(up * layouts[role].up.speed_gbps, down * layouts[role].down.speed_gbps)
        for role, (down, up) in widths.items()
        if role in ROLES[: sizing.tiers - 1]
    )
    return min(Fraction(1), *shares, Fraction(1))


def carried_share(draft: Draft, used: BoolArray) -> Fraction:
    """Return the part of a NIC's bandwidth that the network carries between HB domains.

    Uplinks that are spread unevenly carry less from half to half than the switches send upwards.
    """
    share = upward_share(draft.mapping)
    if draft.spec.spread == "even" or draft.sizing.tiers == 1:
        return share
    layouts = draft.fabric.port_layouts
    speeds = tuple(layouts[kind.upper].down.speed_gbps for kind in draft.kinds)
    return share * _evenness(draft.sizing, used.sum(axis=1, dtype=np.int64).tobytes(), speeds)


@lru_cache(maxsize=1024)
def _evenness(sizing: Sizing, endpoints: bytes, speeds: tuple[int, ...]) -> Fraction:
    """Return the part of the bandwidth upwards that reaches the other half of a block.

    `endpoints` counts those of each leaf. Many switch models have the same blocks.
    """
    found = bisection(sizing, np.frombuffer(endpoints, dtype=np.int64), speeds)
    return Fraction(found.flow, found.even) if found.even else Fraction(1)


def times_of(
    fabric: ResolvedFabric,
    share: Fraction,
    catalog: Catalog,
    llm: Workload | None,
    accelerator: str | None,
) -> Times | None:
    """Return the time of an iteration with a share of the bandwidth; None without a language model.

    Raises Refusal if the language model does not fit, or a figure of its GPUs is missing.
    """
    if llm is None:
        return None
    machine = machine_of(fabric, catalog, accelerator)
    return iterate(llm, replace(machine, nic_bytes_s=machine.nic_bytes_s * float(share)))


def judge(draft: Draft, llm: Workload | None, accelerator: str | None = None) -> Judged:
    """Compute the figures of a draft.

    Raises Refusal if the language model does not fit it, or a figure of its GPUs is missing.
    """
    used = endpoints(draft)
    share = carried_share(draft, used)
    times = times_of(draft.fabric, share, draft.catalog, llm, accelerator)
    if llm and times and draft.fabric.has_circuits:
        from fabricgen.analysis.circuits.times import circuit_times  # noqa: PLC0415 - for circuits only

        machine = machine_of(draft.fabric, draft.catalog, accelerator)
        times = circuit_times(draft, llm, machine, times)
    bom = priced(draft, switch_counts(draft.mapping), count(draft, used))
    return Judged(draft, bom, share, worst(draft, used), times)
