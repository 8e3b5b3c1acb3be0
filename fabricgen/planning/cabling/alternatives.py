"""Parts of the catalog that fit and reach as a chosen part does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.inventory.site import EVERY_MEDIUM
from fabricgen.planning.cabling.candidate_order import assumed_order, described_order, stated
from fabricgen.planning.cabling.candidates import known_parts, preference_of
from fabricgen.planning.cabling.compatibility import fitting
from fabricgen.planning.cabling.link_cages import GENERIC, cages_of
from fabricgen.planning.cabling.link_classes import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.preference import Preference
    from fabricgen.planning.resolve import ResolvedFabric


class Alternative(NamedTuple):
    """A part that was chosen among several that fit and reach alike, and the others."""

    taken: Transceiver | Cable
    others: tuple[Transceiver | Cable, ...]


def alternatives(
    fabric: ResolvedFabric, catalog: Catalog, candidates: Iterable[LinkParts]
) -> list[Alternative]:
    """Yield the candidates that other parts of equal medium and reach could replace.

    What the inventory prefers has decided on the others.
    """
    preference = preference_of(fabric, catalog)
    found: dict[str, dict[str, Transceiver | Cable]] = {}
    taken: dict[str, Transceiver | Cable] = {}
    for candidate in candidates:
        for joint in _equals(fabric, preference, candidate):
            if stated(joint, preference) != stated(candidate, preference):
                continue
            for part, other in zip(candidate.parts, joint.parts, strict=True):
                if part and other and part.model != other.model:
                    taken[part.model] = part
                    found.setdefault(part.model, {})[other.model] = other
    return [Alternative(taken[model], tuple(others.values())) for model, others in found.items()]


def _equals(
    fabric: ResolvedFabric, preference: Preference, candidate: LinkParts
) -> list[LinkParts]:
    """Return what fits a kind of link like a candidate: its medium and reach, itself too."""
    cages, site = cages_of(fabric, class_of(candidate)), fabric.spec.site
    if GENERIC in (cages[0].form_factor, cages[1].form_factor):
        return []
    if site is None or site.lengths == "unknown":
        order = assumed_order(candidate, (candidate.medium,))
        return [
            joint
            for _, joint in known_parts(*cages, candidate.kind, preference, split=candidate.stated)
            if joint.medium == candidate.medium
            and assumed_order(joint, (candidate.medium,)) == order
        ]
    order = described_order(candidate, (candidate.medium,))
    found = fitting(*cages, candidate.kind, preference.catalog, (candidate.medium,))
    return [
        joint
        for joint in found
        if joint.cables == candidate.cables
        and preference.admits(joint.parts)
        and described_order(joint, (candidate.medium,)) == order
        and len(joint.modules) == len(candidate.modules)
    ]


def medium_of_part(
    fabric: ResolvedFabric, catalog: Catalog, candidates: Iterable[LinkParts], model: str
) -> str | None:
    """Return the medium of a part that fits links of some candidates, whatever medium they take.

    None where it fits none.
    """
    for each in dict.fromkeys(map(class_of, candidates)):
        for joint in fitting(*cages_of(fabric, each), each.kind, catalog, EVERY_MEDIUM):
            if any(part and part.model == model.lower() for part in joint.parts):
                return joint.medium
    return None
