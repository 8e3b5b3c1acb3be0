"""The number of switches that a mapping is sized for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import ROLES, Role

if TYPE_CHECKING:
    from fabricgen.planning.mapping import Mapping


def switch_counts(mapping: Mapping) -> dict[Role, int]:
    """Return the number of switches of each role."""
    sizing, segments = mapping.sizing, mapping.segments
    blocks = segments * mapping.segment_blocks
    counts = {
        Role.LEAF: segments * sizing.leaf,
        Role.SPINE: blocks * sizing.spine,
        Role.CORE: blocks * sizing.core,
    }
    return {role: counts[role] for role in ROLES[: sizing.tiers]}


def switch_total(mapping: Mapping) -> int:
    """Return the number of switches of all roles."""
    return sum(switch_counts(mapping).values())
