"""The contents of the drawing of a stripe: its HB domains, and their leaves on every rail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.drawings.block_contents import gpus_of, rails_of, speed_of
from fabricgen.outputs.drawings.merged_tiers import Strand, Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.plan import Plan


def stripe_contents(plan: Plan, numbers: Sequence[int]) -> tuple[list[Tier], list[Strand]]:
    """Return the tiers of the HB domains with some numbers, and the links between them."""
    domains, coordinates = np.array(numbers, dtype=np.int32), plan.fabric.coordinates
    leaves: list[tuple[str, str]] = []
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    labels: list[Callable[[int], str]] = []
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        rows = (plan.segment.kind == LinkKind.HOST) & np.isin(
            coordinates.domain(plan.segment.lower), domains
        )
        gpus = gpus_of(plan, segment, rows)
        met, upper = np.unique(plan.segment.upper[rows], return_inverse=True)
        near, rail = coordinates.domain(gpus), coordinates.rail(gpus)
        parts.append((np.searchsorted(domains, near), upper + len(leaves), rail))
        served = rails_of(plan, met, np.flatnonzero(rows), rail)
        leaves += [(names[box], rail) for box, rail in zip(met.tolist(), served, strict=True)]
        labels.append(_host_cables(plan, segment, rows))
    lower, upper, rails = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])

    def cable(row: int) -> str:
        segment = int(np.searchsorted(starts, row, side="right")) - 1
        return labels[segment](row - int(starts[segment]))

    strand = Strand(lower, upper, rails, speed_of(plan, LinkKind.HOST), cable)
    return [_domains(plan, domains), _leaves(leaves)], [strand]


def _domains(plan: Plan, domains: Int32Array) -> Tier:
    """Return the HB domains of a stripe."""
    coordinates, each = plan.fabric.coordinates, plan.fabric.domain_hosts
    firsts = (coordinates.domain_host_range(domain).start for domain in domains.tolist())
    return Tier(
        "HB domains",
        [f"d{domain}" for domain in domains.tolist()],
        [f"{each} hosts" if each > 1 else plan.hosts[first] for first in firsts],
        [""] * len(domains),
        domains,
        switch=False,
    )


def _leaves(leaves: Sequence[tuple[str, str]]) -> Tier:
    """Return the leaves of a stripe, from their names and rails."""
    return Tier(
        "leaf switches",
        [name for name, _ in leaves],
        [""] * len(leaves),
        [rail for _, rail in leaves],
        np.arange(len(leaves)),
    )


def _host_cables(plan: Plan, segment: int, rows: BoolArray) -> Callable[[int], str]:
    """Return a function that names a host link of a segment."""
    blocks, numbers = plan.segment.block[rows], plan.segment.number[rows]
    prefixes, width = plan.label_prefixes(segment), plan.label_width
    return lambda row: f"{prefixes[LinkKind.HOST, int(blocks[row])]}{int(numbers[row]):0{width}}"
