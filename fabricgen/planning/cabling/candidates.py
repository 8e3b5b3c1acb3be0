"""Which parts can serve each kind of link, and the labels of cables.

In a described room there are several candidates for a kind of link, each with a longer reach than
the one before; `selection` takes one by the length of the link. Without a description there is one,
for an assumed reach. `compatibility` owns what fits, `preference` the choice between equals, and
`bom.counts` the counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import LinkKind, speed_text
from fabricgen.planning.cabling.compatibility import (
    FIBRES,
    Cage,
    LinkParts,
    fibres_of,
    fitting,
    modules_of,
)
from fabricgen.planning.cabling.preference import PartPrices, Preference, Rank, Stated
from fabricgen.planning.price_book import price_book

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric

    Order = tuple[float, ...]
    """The sort key of parts, smaller first, before preference decides."""

ASSUMED_REACH_M = {LinkKind.HOST: 50, LinkKind.LEAF_SPINE: 50, LinkKind.SPINE_CORE: 100}
"""Metres a link must reach in a room that is not described.

50 m of multimode up to the spine and 100 m of single-mode to the core, as in the DGX SuperPOD
reference architectures.
"""

GENERIC = "generic"


def part_candidates(
    fabric: ResolvedFabric, catalog: Catalog, kinds: list[LinkKind]
) -> tuple[LinkParts, ...]:
    """Return the parts for each kind of link of the fabric, from the shortest reach to the longest.

    Raises Refusal `no-part-for-link` where a room is described and no part of the catalog joins two
    known cages.
    """
    site, preference = fabric.spec.site, preference_of(fabric, catalog)
    if site is None or site.lengths == "unknown":
        return tuple(_joint(*_ends(fabric, kind), kind, preference) for kind in kinds)
    return tuple(
        joint
        for kind in kinds
        for joint in _described_candidates(fabric, kind, preference, getattr(site.media, kind.key))
    )


def preference_of(fabric: ResolvedFabric, catalog: Catalog) -> Preference:
    """Return what the parts of a fabric are chosen by."""
    asked = fabric.spec.prices.prefer
    prices = PartPrices(price_book(fabric.spec, catalog)) if asked.cheapest else None
    return Preference(catalog, asked, prices)


def _ends(fabric: ResolvedFabric, kind: LinkKind) -> tuple[Cage, Cage]:
    """Return the cages at the lower and the upper end of a kind of link."""
    upper = _down_cage(fabric.port_layouts[kind.upper])
    if kind.lower is None:
        return _host_cage(fabric, upper.transport), upper
    port_layout = fabric.port_layouts[kind.lower]
    return (
        Cage(
            port_layout.model.form_factor,
            port_layout.model.module_top,
            port_layout.up.count,
            port_layout.up.speed_gbps,
            port_layout.model.transport,
        ),
        upper,
    )


def _down_cage(port_layout: PortLayout) -> Cage:
    """Return a cage that faces down."""
    return Cage(
        port_layout.model.form_factor,
        port_layout.model.module_top,
        port_layout.down.count,
        port_layout.down.speed_gbps,
        port_layout.model.transport,
    )


def _host_cage(fabric: ResolvedFabric, transport: str) -> Cage:
    """Return a host's cage; a host outside the catalog has a generic one for each NIC port."""
    host = fabric.host
    if host is None:
        return Cage(GENERIC, "any", 1, fabric.speed_gbps, transport)
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < fabric.planes for port in host.ports)
    return Cage(host.form_factor, host.module_top, links, fabric.speed_gbps, transport)


@lru_cache(maxsize=256)
def _joint(lower: Cage, upper: Cage, kind: LinkKind, preference: Preference) -> LinkParts:
    """Return the parts of the shortest sufficient reach: multimode, or single-mode at the core."""
    known = _known(lower, upper, kind, preference)
    if known:
        return known[0][1]
    return _half_known(lower, upper, kind, preference, _assumed_media(kind))


def _assumed_media(kind: LinkKind) -> tuple[str, ...]:
    """Return the media of a kind of link in a room that is not described, the preferred first."""
    return ("smf", "mmf") if kind is LinkKind.SPINE_CORE else FIBRES


def _known(
    lower: Cage, upper: Cage, kind: LinkKind, preference: Preference
) -> list[tuple[Order, LinkParts]]:
    """Yield the catalog's modules and straight fibres of the assumed reach, with sort keys."""
    reach, media = ASSUMED_REACH_M[kind], _assumed_media(kind)
    found = (
        joint
        for joint in fitting(lower, upper, kind, preference.catalog, media)
        if joint.shared == 1 and len(joint.modules) > 1
    )
    enough = (
        joint
        for joint in found
        if all((part.reach_m or 0) >= reach for part in _parts(joint) if part)
    )
    return _ranked(((_assumed_order(joint, media), joint) for joint in enough), preference)


def _assumed_order(joint: LinkParts, media: tuple[str, ...]) -> Order:
    """Return the sort key for an assumed reach: medium, modules of least reach, then fibres."""
    modules = [module.reach_m or 0 for module in joint.modules.values()]
    return media.index(joint.medium), max(modules), sum(modules), joint.cable.reach_m or 0


def _ranked(
    ordered: Iterable[tuple[Order, LinkParts]], preference: Preference
) -> list[tuple[Order, LinkParts]]:
    """Sort parts by medium, then what the inventory prefers, the rest of their order, and facts."""
    return sorted(
        ordered,
        key=lambda item: (
            item[0][0],
            _stated(item[1], preference),
            item[0][1:],
            _facts(item[1], preference),
        ),
    )


def _stated(joint: LinkParts, preference: Preference) -> Stated:
    """Rank the parts of a link by what the inventory prefers, each with its share of a link."""
    modules = [(module, 1 / module.ports) for module in joint.modules.values()]
    return preference.stated([(joint.cable, joint.cables / joint.shared), *modules])


def _half_known(
    lower: Cage, upper: Cage, kind: LinkKind, preference: Preference, media: tuple[str, ...]
) -> LinkParts:
    """Return a generic module where an end is generic, or no two modules of the catalog join.

    The fibre follows the known end.
    """
    reach, catalog = ASSUMED_REACH_M[kind], preference.catalog
    low, high = (
        catalog.generic_transceiver(cage.speed_gbps, cage.links) for cage in (lower, upper)
    )
    cable = catalog.generic_cable()
    known = [
        (end, module)
        for end, cage in enumerate((lower, upper))
        for module, cables in modules_of(cage, catalog)
        if module.medium in media and cables == 1 and (module.reach_m or 0) >= reach
    ]
    if known and GENERIC in (lower.form_factor, upper.form_factor):
        end, module = min(
            known,
            key=lambda item: (
                media.index(item[1].medium),
                preference.stated([(item[1], 1)]),
                item[1].reach_m or 0,
                preference.rank(item[1]),
                item[1].model,
            ),
        )
        low, high = (low, module) if end else (module, high)
        cable = _fibre(preference, module, reach) or cable
    return LinkParts(
        kind=kind,
        speed_gbps=lower.speed_gbps,
        medium=cable.medium,
        cable=cable,
        cables=1,
        lower=low,
        upper=high,
    )


def _fibre(preference: Preference, module: Transceiver, reach: int) -> Cable | None:
    """Return the preferred straight fibre for a module, of the shortest sufficient reach."""
    return min(
        fibres_of(preference.catalog, module, reach),
        key=lambda cable: (
            preference.stated([(cable, 1)]),
            cable.reach_m or 0,
            preference.rank(cable),
            cable.model,
        ),
        default=None,
    )


def _described_candidates(
    fabric: ResolvedFabric, kind: LinkKind, preference: Preference, media: tuple[str, ...]
) -> list[LinkParts]:
    """Return the candidates of a kind of link in a described room, each reaching further.

    They are sorted by medium, preference, and reach. All take as many cables for each link as
    the one of the longest reach, because labels count cables.
    """
    lower, upper = _ends(fabric, kind)
    if GENERIC in (lower.form_factor, upper.form_factor):
        return [_joint(lower, upper, kind, preference)]
    fits = fitting(lower, upper, kind, preference.catalog, media)
    found = [joint for joint in fits if joint.reach_m]
    if not found:
        raise _nothing_fits(fabric, kind, (lower, upper), media)
    furthest = max(found, key=lambda joint: (_reach(joint), -joint.cables))
    alike = (joint for joint in found if joint.cables == furthest.cables)
    candidates: list[LinkParts] = []
    for _, joint in _ranked(((_order(joint, media), joint) for joint in alike), preference):
        if not candidates or _reach(joint) > _reach(candidates[-1]):
            candidates.append(joint)
    return candidates


def _reach(joint: LinkParts) -> float:
    """Return the reach of a candidate in metres."""
    return joint.reach_m[0] if joint.reach_m else 0


def _order(joint: LinkParts, media: tuple[str, ...]) -> Order:
    """Return the sort key in a described room: medium, reach, modules of least reach, own cable."""
    return (
        media.index(joint.medium),
        _reach(joint),
        sum(module.reach_m or 0 for module in joint.modules.values()),
        joint.shared > 1,
    )


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
            if _stated(joint, preference) != _stated(candidate, preference):
                continue
            for part, other in zip(_parts(candidate), _parts(joint), strict=True):
                if part and other and part.model != other.model:
                    taken[part.model] = part
                    found.setdefault(part.model, {})[other.model] = other
    return [Alternative(taken[model], tuple(others.values())) for model, others in found.items()]


def _parts(joint: LinkParts) -> tuple[Transceiver | Cable | None, ...]:
    """Return the parts of a link: the cable, and the modules at both ends."""
    return joint.cable, joint.lower, joint.upper


def _equals(
    fabric: ResolvedFabric, preference: Preference, candidate: LinkParts
) -> list[LinkParts]:
    """Return what fits a kind of link like a candidate: its medium and reach, itself too."""
    cages, site = _ends(fabric, candidate.kind), fabric.spec.site
    if GENERIC in (cages[0].form_factor, cages[1].form_factor):
        return []
    if site is None or site.lengths == "unknown":
        order = (
            _assumed_order(candidate, (candidate.medium,)) if len(candidate.modules) > 1 else None
        )
        return [
            joint
            for _, joint in _known(*cages, candidate.kind, preference)
            if joint.medium == candidate.medium
            and _assumed_order(joint, (candidate.medium,)) == order
        ]
    order = _order(candidate, (candidate.medium,))
    found = fitting(*cages, candidate.kind, preference.catalog, (candidate.medium,))
    return [
        joint
        for joint in found
        if joint.cables == candidate.cables
        and _order(joint, (candidate.medium,)) == order
        and len(joint.modules) == len(candidate.modules)
    ]


def _nothing_fits(
    fabric: ResolvedFabric, kind: LinkKind, cages: tuple[Cage, Cage], media: tuple[str, ...]
) -> Exception:
    """Refuse a kind of link that no part of the catalog can serve."""
    name = kind.key.replace("_", "-")
    owners = (
        (
            (fabric.host.model if fabric.host else "the host")
            if kind.lower is None
            else fabric.port_layouts[kind.lower].model.model
        ),
        (fabric.port_layouts[kind.upper].model.model),
    )
    because = [
        f"a cage of the {owner} is"
        f" {cage.form_factor}{'' if cage.top == 'any' else f', {cage.top} top'}, with {cage.links}"
        f" x {speed_text(cage.speed_gbps)} of {cage.transport}"
        for owner, cage in zip(owners, cages, strict=True)
    ]
    because.append(
        f"of {', '.join(media)} no module, fibre or cable of the catalog joins the two with a"
        " stated reach"
    )
    hint = (
        "put what you buy into a catalog directory of your own (`--catalog DIR`), or plan without"
        " lengths: `site: unknown`"
    )
    return refuse(
        "no-part-for-link",
        f"nothing in the catalog serves {name} links",
        path=("site", "media"),
        because=tuple(because),
        hint=hint,
    )


def _facts(joint: LinkParts, preference: Preference) -> tuple[tuple[Rank, ...], tuple[str, ...]]:
    """Return the rank of the parts of a link, the cable first; their names come last."""
    parts: tuple[Transceiver | Cable, ...] = (joint.cable, *joint.modules.values())
    return tuple(preference.rank(part) for part in parts), tuple(part.model for part in parts)
