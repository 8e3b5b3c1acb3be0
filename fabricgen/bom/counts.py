"""How many modules and cables the links of a fabric take, or some of its links.

Owns the counts that every bill starts from. Where all segments are alike, one is counted and
multiplied; where length decides on parts, or only some links are installed, each is counted. Cables
are counted by model and length.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.patch_counts import channel_rows, cord_items, jumper_items, patch_items
from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.patch_counts import PatchItem
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


class CableItem(NamedTuple):
    """A cable as it is ordered: its model and its length, which is empty where it is unknown."""

    model: str
    length_m: str = ""

    @property
    def name(self) -> str:
        """The name of the item on a bill.

        >>> CableItem("mfp7e10", "30").name, CableItem("mfp7e10").name
        ('mfp7e10 30 m', 'mfp7e10')
        """
        return item_name(self.model, self.length_m)


def item_name(part: str, length_m: str) -> str:
    """Return the name of what is ordered: a part, and for a cable its length."""
    return f"{part} {length_m} m" if length_m else part


def part_of(item: str) -> str:
    """Return the part of an item: models have no spaces.

    >>> part_of("mfp7e10 30 m")
    'mfp7e10'
    """
    return item.partition(" ")[0]


class PartCounts(NamedTuple):
    """How many there are of each module by purpose, and of each cable by kind of link.

    `patching` are the trunks, panels and cassettes of structured cabling, or the cords of panels.
    """

    modules: dict[str, Counter[str]]
    cables: dict[LinkKind, Counter[CableItem]]
    patching: tuple[PatchItem, ...] = ()


def count_parts(plan: Plan, selected: BoolArray | None = None) -> PartCounts:
    """Count the modules and cables of a fabric, or of the rows of links that `selected` selects."""
    takes = list(_takes(plan, selected))
    modules = _modules(plan, takes)
    if plan.channels is None:
        whole = selected is None and plan.lengths
        cables = _by_length(plan) if whole else _cables(plan, takes)
        return PartCounts(modules, cables, tuple(cord_items(plan, selected)))
    cables = _cables(plan, takes)
    rows = channel_rows(plan.channels, selected, len(plan.segment.kind))
    for kind, part, length_m, _, ends in jumper_items(plan.channels, rows):
        cables[kind][CableItem(part, length_m)] += len(ends)
    return PartCounts(modules, cables, tuple(patch_items(plan.channels, rows)))


def _takes(plan: Plan, selected: BoolArray | None) -> Iterator[LinkGroup]:
    """Yield the links of each part, segment by segment."""
    segments, size = plan.mapping.segments, len(plan.segment.kind)
    # in their parts: lengths differ
    alike = selected is None and not plan.decides and plan.channels is None
    for segment in range(1 if alike else segments):
        candidate = plan.candidate[segment]
        here = (
            np.ones(size, dtype=bool)
            if selected is None
            else selected[segment * size : (segment + 1) * size]
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
        own = plan.cages.own(rows)
        for end, module in joint.modules.items():
            role = joint.kind.role(end)
            if role is None and alike > 1:  # links of several segments share the cages of a host
                counted[HOST][module.model] = len(plan.hosts) * plan.cages.of_host
            elif len(own[end]):
                filled[str(role or HOST)][module.model].append(
                    plan.cages.at(end, joint.kind, segment, own[end])
                )
    alike = takes[0].alike if takes else 1
    for purpose, models in filled.items():
        for model, cages in models.items():
            counted[purpose][model] = (1 if purpose == HOST else alike) * len(
                distinct(np.concatenate(cages))
            )
    return counted


def _by_length(plan: Plan) -> dict[LinkKind, Counter[CableItem]]:
    """Count all cables of each part and length, as the lengths of a plan have them."""
    counted: dict[LinkKind, Counter[CableItem]] = {kind: Counter() for kind in plan.kinds}
    if plan.lengths is None:
        return counted
    texts = plan.lengths.stock_m
    for joint, stocks in zip(plan.candidates, plan.lengths.counted, strict=True):
        for stock in np.flatnonzero(stocks).tolist():
            item = CableItem(joint.cable.model, texts[stock])
            counted[joint.kind][item] += int(stocks[stock]) * joint.cables
    return counted


def _cables(plan: Plan, takes: list[LinkGroup]) -> dict[LinkKind, Counter[CableItem]]:
    """Count the cables of some links; a cable that carries several links is one piece."""
    counted: dict[LinkKind, Counter[CableItem]] = {kind: Counter() for kind in plan.kinds}
    shared: dict[tuple[LinkKind, CableItem], list[IntArray]] = defaultdict(list)
    for joint, segment, rows, alike in takes:
        for item, own in lengths_of(plan, joint, segment, rows):
            if joint.shared == 1:
                counted[joint.kind][item] += alike * len(own) * joint.cables
            else:
                shared[joint.kind, item].append(plan.cages.pieces(joint, segment, own))
    for (kind, item), pieces in shared.items():
        counted[kind][item] += len(distinct(np.concatenate(pieces)))
    return counted


def lengths_of(
    plan: Plan, joint: LinkParts, segment: int, rows: IntArray
) -> Iterator[tuple[CableItem, IntArray]]:
    """Yield the cables of some links of a segment that take one part, each with its links.

    Links that run through panels have none.
    """
    rows = unpatched(plan, segment, rows)
    if plan.lengths is None:
        yield CableItem(joint.cable.model), rows
        return
    stock = plan.lengths.stock_at[segment, rows]
    for each in distinct(stock).tolist():
        yield CableItem(joint.cable.model, plan.lengths.stock_m[each]), rows[stock == each]


def unpatched(plan: Plan, segment: int, rows: IntArray) -> IntArray:
    """Return the links of a segment that do not run through panels, of some."""
    if plan.channels is None:
        return rows
    return rows[~plan.channels.patched(segment, len(plan.segment.kind))[rows]]
