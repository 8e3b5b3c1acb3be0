"""How many modules and cables the links of a fabric take, or some of its links.

Owns the counts that every bill starts from. Where all segments are alike, one is counted and
multiplied; where length decides on parts, or only some links are installed, each is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.plan import Plan

HOST = "host"
"""The purpose of modules in hosts; the purpose of modules in switches is the role."""


class LinkGroup(NamedTuple):
    """Links that take one part: rows of `Plan.segment`, and how many segments are alike."""

    joint: LinkParts
    segment: int
    rows: IntArray
    alike: int


class PartCounts(NamedTuple):
    """How many of each model there are: modules by purpose, cables by kind of link."""

    modules: dict[str, Counter[str]]
    cables: dict[LinkKind, Counter[str]]


def count_parts(plan: Plan, stands: BoolArray | None = None) -> PartCounts:
    """Count the modules and cables of a fabric, or of the rows of links that `stands` selects."""
    takes = list(_takes(plan, stands))
    return PartCounts(_modules(plan, takes), _cables(plan, takes))


def _takes(plan: Plan, stands: BoolArray | None) -> Iterator[LinkGroup]:
    """Yield the links of each part, segment by segment."""
    segments, size = plan.mapping.segments, len(plan.segment.kind)
    alike = stands is None and not plan.decides
    for segment in range(1 if alike else segments):
        candidate = plan.candidate[segment]
        here = (
            np.ones(size, dtype=bool)
            if stands is None
            else stands[segment * size : (segment + 1) * size]
        )
        for number, joint in enumerate(plan.candidates):
            rows = np.flatnonzero(here & (candidate == number))
            if len(rows):
                yield LinkGroup(joint, segment, rows, segments if alike else 1)


def _modules(plan: Plan, takes: list[LinkGroup]) -> dict[str, Counter[str]]:
    """Count the cages that hold each module.

    A module whose second port is idle is needed all the same, and a downlink and an uplink may
    share one.
    """
    filled: dict[str, dict[str, list[IntArray]]] = {
        purpose: defaultdict(list) for purpose in (HOST, *map(str, plan.roles))
    }
    counted: dict[str, Counter[str]] = {purpose: Counter() for purpose in filled}
    for joint, segment, rows, alike in takes:
        for end, module in joint.modules.items():
            role = joint.kind.upper if end == "upper" else joint.kind.lower
            if role is None and alike > 1:  # links of several segments share the cages of a host
                counted[HOST][module.model] = len(plan.hosts) * plan.cages.of_host
            else:
                filled[str(role or HOST)][module.model].append(
                    plan.cages.at(end, joint.kind, segment, rows)
                )
    alike = takes[0].alike if takes else 1
    for purpose, models in filled.items():
        for model, cages in models.items():
            counted[purpose][model] = (1 if purpose == HOST else alike) * len(
                distinct(np.concatenate(cages))
            )
    return counted


def _cables(plan: Plan, takes: list[LinkGroup]) -> dict[LinkKind, Counter[str]]:
    """Count the cables of each part; a cable that carries several links is one piece."""
    counted: dict[LinkKind, Counter[str]] = {kind: Counter() for kind in plan.kinds}
    shared: dict[tuple[LinkKind, str], list[IntArray]] = defaultdict(list)
    for joint, segment, rows, alike in takes:
        if joint.shared == 1:
            counted[joint.kind][joint.cable.model] += alike * len(rows) * joint.cables
        else:
            shared[joint.kind, joint.cable.model].append(plan.cages.pieces(joint, segment, rows))
    for (kind, model), pieces in shared.items():
        counted[kind][model] += len(distinct(np.concatenate(pieces)))
    return counted
