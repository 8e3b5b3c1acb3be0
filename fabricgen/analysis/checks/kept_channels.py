"""The law of growth through panels: what is installed stays, and spare strands are used first.

It judges fabrics whose plan keeps the structured cabling of an earlier one. Planning finds strands
by routes; this law compares columns of the plan file with those of the channels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.baseline.kept_channels import KeptChannels
    from fabricgen.planning.channels.channels import Channels


def trunks_stay(evidence: Evidence) -> Verdict:
    """Panels, trunks and links are where they were, and no new trunk replaces a spare strand."""
    channels, baseline = evidence.channels, evidence.plan.mapping.baseline
    kept = baseline.channels if baseline else None
    if channels is None or kept is None:
        raise ValueError("this plan keeps no structured cabling")
    moved, strands = _moved_links(evidence, channels, kept)
    panels, trunks = len(kept.panels.hall), len(kept.trunks.make)
    return Verdict(
        f"{panels:,} panels, {trunks:,} trunks and {strands:,} strands stay;"
        f" {len(channels.trunks) - trunks:,} trunks come",
        (
            violations(list(_moved_hardware(evidence, channels, kept)), lambda fault: fault),
            violations(moved, lambda at: _moved(evidence, channels, at)),
            violations(list(_needless(evidence, channels, trunks)), lambda fault: fault),
        ),
    )


def _moved_hardware(
    evidence: Evidence, channels: Channels, kept: KeptChannels
) -> Iterator[Violation]:
    """Yield panels and trunks that are not where they were."""
    assert evidence.lengths  # noqa: S101 - structured cabling has a room
    positions = evidence.lengths.room.positions
    rack = np.array([panel.rack for panel in channels.panels], dtype=np.int64)
    unit = np.array([panel.rack_unit for panel in channels.panels])
    now = np.stack([positions.hall[rack], positions.row[rack], positions.at[rack], unit], axis=1)
    was = np.stack([*kept.panels[:3], kept.panels.rack_unit], axis=1)
    for number in np.flatnonzero((now[: len(was)] != was).any(axis=1)).tolist():
        yield Violation(f"panel {channels.panels[number].name} is not where it was")
    ends = np.array([(*trunk.a, *trunk.b) for trunk in channels.trunks])
    before = np.stack(kept.trunks[1:], axis=1)
    for number in np.flatnonzero((ends[: len(before)] != before).any(axis=1)).tolist():
        yield Violation(f"trunk {channels.trunks[number].name} ends at other ports than it did")


def _moved_links(
    evidence: Evidence, channels: Channels, kept: KeptChannels
) -> tuple[IntArray, int]:
    """Return the channels that have left their strand, and how many strands are kept.

    A link whose modules changed to another medium cannot stay on its strand.
    """
    plan = evidence.plan
    cables = plan.link_cables(plan.segment.kind)
    first = np.cumsum(cables) - cables
    place = channels.segment * int(cables.sum()) + first[channels.row] + channels.cable
    trunk, leg, port, lower_is_a = (column[place] for column in kept.strands)
    media = np.array([each.trunk.medium for each in channels.parts])[channels.part]
    old = np.array([each.parts.trunk.medium for each in channels.trunks])[trunk]
    own = (trunk >= 0) & (media == old)
    fanout = np.array([each.cassette.fanout for each in channels.parts])[channels.part]
    at_a = np.where(channels.lower_is_a, channels.lower.port, channels.upper.port)
    same = (channels.trunk == trunk) & (channels.leg == leg) & (at_a % fanout == port)
    same &= channels.lower_is_a == (lower_is_a > 0)
    return np.flatnonzero(own & ~same), int(np.count_nonzero(own))


def _moved(evidence: Evidence, channels: Channels, at: int) -> Violation:
    """Describe a link that has left its strand."""
    links = len(evidence.plan.segment.kind)
    link = evidence.link(int(channels.segment[at]) * links + int(channels.row[at]))
    trunk = channels.trunks[int(channels.trunk[at])].name
    return Violation(f"{link} has left its strand", (f"it runs through trunk {trunk}",))


def _needless(evidence: Evidence, channels: Channels, before: int) -> Iterator[Violation]:
    """Yield trunks that come although one that is installed has strands to spare.

    Those of a reserve are taken by links that are not installed, and are not counted here.
    """
    if evidence.plan.spec.reserve:
        return
    used = np.bincount(channels.trunk, minlength=len(channels.trunks)).tolist()
    spare: dict[tuple[object, ...], str] = {}
    for number, trunk in enumerate(channels.trunks):
        parts = trunk.parts
        ends = frozenset(
            (channels.panels[plug.panel].rack, channels.panels[plug.panel].parts.entry)
            for plug in trunk.ends
        )
        route = ends, parts.trunk.model, parts.cassette.model
        if number < before and used[number] < parts.legs * parts.cassette.fanout:
            spare.setdefault(route, trunk.name)
        elif number >= before and route in spare:
            because = (f"trunk {spare[route]} between the same panels has strands to spare",)
            yield Violation(f"trunk {trunk.name} comes needlessly", because)
