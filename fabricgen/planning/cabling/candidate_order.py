"""The order of the parts that fit a kind of link, the best first.

The medium comes first, then what the inventory prefers, then reach, and facts decide the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.planning.cabling.compatibility import TWISTED_PAIR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.preference import Preference, Rank, Stated

    Order = tuple[float, ...]
    """The sort key of parts, smaller first, before preference decides."""


def assumed_order(joint: LinkParts, media: tuple[str, ...]) -> Order:
    """Return the sort key for an assumed reach: medium, modules of least reach, then fibres."""
    modules = [module.reach_m or 0 for module in joint.modules.values()]
    return _place(joint, media), max(modules, default=0), sum(modules), joint.cable.reach_m or 0


def ranked(
    ordered: Iterable[tuple[Order, LinkParts]], preference: Preference
) -> list[tuple[Order, LinkParts]]:
    """Sort parts by medium, then what the inventory prefers, the rest of their order, and facts."""
    return sorted(
        ordered,
        key=lambda item: (
            item[0][0],
            stated(item[1], preference),
            item[0][1:],
            _facts(item[1], preference),
        ),
    )


def stated(joint: LinkParts, preference: Preference) -> Stated:
    """Rank the parts of a link by what the inventory prefers, each with its share of a link."""
    modules = [(module, 1 / module.ports) for module in joint.modules.values()]
    return preference.stated([(joint.cable, joint.cables / joint.shared), *modules])


def _facts(joint: LinkParts, preference: Preference) -> tuple[tuple[Rank, ...], tuple[str, ...]]:
    """Return the rank of the parts of a link, the cable first; their names come last."""
    parts: tuple[Transceiver | Cable, ...] = (joint.cable, *joint.modules.values())
    return tuple(preference.rank(part) for part in parts), tuple(part.model for part in parts)


def reach_of(joint: LinkParts) -> float:
    """Return the reach of a candidate in metres."""
    return joint.reach_m[0] if joint.reach_m else 0


def described_order(joint: LinkParts, media: tuple[str, ...]) -> Order:
    """Return the sort key in a described room: medium, reach, modules of least reach, own cable."""
    return (
        _place(joint, media),
        reach_of(joint),
        sum(module.reach_m or 0 for module in joint.modules.values()),
        joint.shared > 1,
    )


def _place(joint: LinkParts, media: tuple[str, ...]) -> int:
    """Return the place of a medium among those allowed; twisted pairs compete with no other."""
    return 0 if joint.medium == TWISTED_PAIR else media.index(joint.medium)
