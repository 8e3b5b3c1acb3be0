"""What structured cabling takes: jumpers by kind of link, trunks, panels, cassettes, patch cords.

A fabric has all of its trunks, those of its reserve too; of a phase, the trunks of a route are laid
for the first link that takes it. A panel comes with its first trunk.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import Role
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.planning.patch_cords import cord_length, cord_of, cords_of_boxes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.trunks import TrunkRun
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan

TRUNKS, PANELS, CORDS = "trunks", "panels", "patch cords"
"""The purposes of trunks, of panels with their cassettes, and of cords between ports of a panel."""


class PatchItem(NamedTuple):
    """So many of a trunk or a cord of one length, a panel or a cassette, with its purpose."""

    purpose: str
    part: str
    length_m: str
    description: str
    quantity: int


class JumperItem(NamedTuple):
    """The jumpers of a channel's end: the kind of link, the part, the length, and the channels."""

    kind: LinkKind
    part: str
    length_m: str
    lower: bool
    channels: IntArray


def jumper_items(channels: Channels, rows: IntArray) -> Iterator[JumperItem]:
    """Yield the jumpers of some channels, by end, part and length."""
    for number, parts in enumerate(channels.parts):
        own = rows[channels.part[rows] == number]
        for end, cable in ((channels.lower, parts.lower), (channels.upper, parts.upper)):
            for length in distinct(end.length_mm[own]).tolist():
                here = own[end.length_mm[own] == length]
                lower, text = end is channels.lower, metres(length)
                yield JumperItem(parts.joint.kind, cable.model, text, lower, here)


def patch_items(channels: Channels, rows: IntArray) -> list[PatchItem]:
    """Count the trunks of some channels, and the panels and cassettes at their ends."""
    routes = {channels.trunks[number].route for number in distinct(channels.trunk[rows]).tolist()}
    whole = len(rows) == len(channels.row)
    used = [trunk for trunk in channels.trunks if whole or trunk.route in routes]
    trunks = Counter((each.item, each.length_mm) for each in used)
    described = {each.item: _described(each) for each in used}
    ends = sorted({end.panel for each in used for end in each.ends})
    counts = [
        PatchItem(TRUNKS, part, metres(length), described[part], count)
        for (part, length), count in sorted(trunks.items())
    ]
    for facts, count in _housings(channels, ends).items():
        counts.append(PatchItem(PANELS, *facts, count))
    return counts


def cord_items(plan: Plan, selected: BoolArray | None) -> list[PatchItem]:
    """Count the cords of the panels that a person moves, as far as links are selected."""
    if plan.fabric.port_layouts[Role.LEAF].model.circuits is None:
        return []
    count = int(cords_of_boxes(plan, selected).sum())
    return [cord_item(plan, count, cord_length(plan))] if count else []


def cord_item(draft: Draft, count: int, length_m: str) -> PatchItem:
    """Return so many cords. Raises ValueError where no person moves circuits."""
    cable = cord_of(draft)
    if cable is None:
        raise ValueError("no person moves circuits")
    return PatchItem(CORDS, cable.model, length_m, cable.description, count)


def _described(trunk: TrunkRun) -> str:
    """Describe a trunk with its fibres, its polarity and its plugs."""
    parts, plugs = trunk.parts, ""
    if parts.rear.pins:
        plugs = ", plugs with pins" if trunk.pins else ", plugs without pins"
    return f"{parts.trunk.description}, {parts.fibres} fibres, polarity {parts.path.trunk}{plugs}"


def _housings(channels: Channels, panels: list[int]) -> Counter[tuple[str, str, str]]:
    """Count panels, then cassettes, by model, with an empty length and their descriptions."""
    found: Counter[tuple[str, str, str]] = Counter()
    every = [channels.panels[number].parts for number in panels]
    for parts in every:
        found[parts.panel.model, "", parts.panel.description] += 1
    for parts in every:
        found[parts.cassette.model, "", parts.cassette.description] += parts.cassettes
    return found


def channel_rows(channels: Channels, selected: BoolArray | None, links: int) -> IntArray:
    """Return the channels of the selected links, which are counted over all segments."""
    if selected is None:
        return np.arange(len(channels.row))
    return np.flatnonzero(selected[channels.segment * links + channels.row])
