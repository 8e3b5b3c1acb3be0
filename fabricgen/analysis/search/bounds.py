"""The least that the figures of a mapping can be, without its parts being counted.

Owns `Rates`. Mappings of one family have the same switches and tiers, so they take the same parts,
at the prices of one of them that is priced in full. Switches, links and bandwidth are exact; a
module serves at most the links that its cage carries, and spares and GPUs cut off are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.analysis.search.part_counts import host_modules, link_counts
from fabricgen.analysis.search.switch_counts import switch_counts, switch_total
from fabricgen.core.terms import ROLES, LinkKind, Role

if TYPE_CHECKING:
    from fabricgen.analysis.search.score import Judged
    from fabricgen.bom.bill import BillLine
    from fabricgen.core.arrays import FloatArray
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping

ROUNDED = 1e-12
"""A relative error beyond that of the sums below, and less than any difference of two costs."""


Paces = Callable[["Mapping"], tuple[float, float]]
"""The seconds that are compared, and how many times an ideal network is faster."""


class Rates(NamedTuple):
    """What a family takes in all cases, and for each switch of a role and each link of a kind."""

    fixed: float
    switch: dict[Role, float]
    link: dict[LinkKind, float]

    def least(self, mapping: Mapping) -> float:
        """Return the least sum for a mapping of the family."""
        switches, links = switch_counts(mapping), link_counts(mapping)
        return (
            self.fixed
            + sum(self.switch[role] * number for role, number in switches.items())
            + sum(self.link[kind] * number for kind, number in links.items())
        )


def family_of(mapping: Mapping) -> tuple[Any, ...]:
    """Return what mappings with the same parts have in common.

    Where downlinks end inside a cage, the uplinks of that cage take the same module.
    """
    fabric, sizing = mapping.fabric, mapping.sizing
    downs = (sizing.leaf_down * mapping.segment_blocks, sizing.spine_down)[: sizing.tiers - 1]
    counts = (fabric.port_layouts[role].down.count for role in ROLES)
    inside = (down % count for down, count in zip(downs, counts, strict=False))
    host = fabric.host and fabric.host.model
    return host, fabric.domain_gpus, fabric.planes, used_splits(mapping), *inside


def used_splits(mapping: Mapping) -> tuple[tuple[str, ...], ...]:
    """Return the model of each role and how its cages are split; nothing is above the top."""
    roles = ROLES[: mapping.sizing.tiers]
    layouts = [mapping.fabric.port_layouts[role] for role in roles]
    below = [(layout.model.model, layout.down.name, layout.up.name) for layout in layouts[:-1]]
    return *below, (layouts[-1].model.model, layouts[-1].down.name)


@dataclass(frozen=True)
class Family:
    """The rates of a family, from one judged member, and the pace of each of its bandwidths."""

    cost: Rates
    power: Rates
    paces: dict[tuple[int, ...], tuple[float, float]] = field(default_factory=dict)


def family(judged: Judged, counted: frozenset[str]) -> Family:
    """Return the rates of a family from one member."""
    cost = _rates(
        judged, lambda line: float(line.unit_price or 0) if line.part_class in counted else 0.0
    )
    power = _rates(judged, lambda line: float(line.unit_power_w or 0))
    return Family(
        cost._replace(fixed=inf) if judged.cost(counted) == inf else cost,
        power._replace(fixed=inf) if judged.power_w == inf else power,
    )


def _rates(judged: Judged, value: Callable[[BillLine], float]) -> Rates:
    """Return the rates of a family in the `value` of its parts."""
    draft, lines = judged.draft, judged.bom.lines
    values = {line.part: value(line) for line in lines}
    nics = sum(value(line) * line.quantity for line in lines if line.part_class == "nics")
    hosts = sum(values[model] * number for model, number in host_modules(draft).items())
    switch = {role: values[draft.fabric.port_layouts[role].model.model] for role in draft.roles}
    return Rates(nics + hosts, switch, {kind: _link(draft, kind, values) for kind in draft.kinds})


def _link(draft: Draft, kind: LinkKind, values: dict[str, float]) -> float:
    """Return the least value of a link: its cables, and its share of the modules in switches."""
    parts, layouts = draft.link_parts[kind], draft.fabric.port_layouts
    cables = parts.cables * values[parts.cable.model]
    modules = 0.0
    if parts.upper:
        modules += values[parts.upper.model] / layouts[kind.upper].down.count
    if parts.lower and kind.lower:
        modules += values[parts.lower.model] / layouts[kind.lower].up.count
    return cables + modules


def least_lost_pct(mapping: Mapping) -> float:
    """Return the least bandwidth, in percent, that the worst failed switch takes.

    That is its share if all switches of its role serve equally many NIC ports; a leaf of a rail
    that exceeds one is full.
    """
    fabric, sizing = mapping.fabric, mapping.sizing
    ports = fabric.gpus * fabric.planes
    fullest = 0
    if not mapping.spans_rails:
        packing, rail = mapping.packing, fabric.coordinates.planned_rail_gpus
        down = packing.used(sizing.leaf_down) if packing else sizing.leaf_down
        fullest = min(down, rail) * mapping.segment_blocks
    shares = (1 / number for number in switch_counts(mapping).values())
    return round(100 * max(fullest / ports, *shares, 0), 6)


class Bounds(NamedTuple):
    """The least figures of a mapping, then its slowdown and tiers, less and more a rounding."""

    low: FloatArray
    high: FloatArray

    @property
    def cost(self) -> float:
        """The least cost."""
        return float(self.low[0])


def bounds(mapping: Mapping, rates: Family, least_of: Paces, excess: int) -> Bounds:
    """Return the least figures of a mapping in the order of `Judged.figures`, and its limits."""
    sizing = mapping.sizing
    width = sizing.leaf_down, sizing.leaf_up, sizing.spine_down, sizing.spine_up
    if width not in rates.paces:
        rates.paces[width] = least_of(mapping)
    seconds, slowdown = rates.paces[width]
    least = np.array(
        [
            rates.cost.least(mapping),
            rates.power.least(mapping),
            switch_total(mapping),
            seconds,
            0,
            least_lost_pct(mapping),
            slowdown,
            excess,
        ]
    )
    error = np.array([ROUNDED, ROUNDED, 0, 0, 0, 0, 0, 0])
    return Bounds(least * (1 - error), least * (1 + error))
