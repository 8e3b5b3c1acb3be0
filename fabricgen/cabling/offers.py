"""Which parts may serve each kind of link, and what a cable is called.

Owns the offers: where a room is described there are several for a kind of link, each of which reaches further than the one before; which one a link
takes is decided by `outfitting`, from its length. Where none is, there is one, for an assumed reach. What fits at all is for `plugging`; it
counts nothing: `tallying` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.cabling.plugging import FIBRES, Cage, Joint, fibre, fitting, modules_of, pairs
from fabricgen.diagnostics import refuse
from fabricgen.terms import LinkKind, speed_text

if TYPE_CHECKING:
    from fabricgen.catalog import Catalog
    from fabricgen.fronts import Front
    from fabricgen.resolving import Request

ASSUMED_REACH_M = {LinkKind.HOST: 50, LinkKind.LEAF_SPINE: 50, LinkKind.SPINE_CORE: 100}
"""Metres a link must reach where nobody described the room: 50 m of multimode up to the spine and 100 m of single-mode to the core, as the
DGX SuperPOD reference architectures are cabled."""

LABEL_DIGITS = 5
"""Digits of a cable's number; more where a fabric needs more. Fixed, so that growth keeps labels."""

GENERIC = "generic"

_LETTERS = {LinkKind.HOST: "h", LinkKind.LEAF_SPINE: "u", LinkKind.SPINE_CORE: "c"}


def choose(request: Request, catalog: Catalog, kinds: list[LinkKind]) -> tuple[Joint, ...]:
    """Find the parts for each kind of link that the fabric has; of a kind in a described room several, from the shortest reach to the longest.

    Raises Refusal `no-part-for-link` where a room is described and nothing in the catalog goes between two known cages.
    """
    site = request.spec.site
    if site is None or site.lengths == "unknown":
        return tuple(_joint(*_ends(request, kind), kind, catalog) for kind in kinds)
    return tuple(joint for kind in kinds for joint in _offers(request, kind, catalog, getattr(site.media, kind.key)))


def label_prefix(kind: LinkKind, rail: int | None, plane: int | None) -> str:
    """Return what stands before a cable's number.

    >>> label_prefix(LinkKind.HOST, 3, None)
    'r3-h'
    """
    scope = ("" if rail is None else f"r{rail}") + ("" if plane is None else f"p{plane}")
    return f"{scope}-{_LETTERS[kind]}" if scope else _LETTERS[kind]


def _ends(request: Request, kind: LinkKind) -> tuple[Cage, Cage]:
    """Return the cages at the lower and the upper end of a kind of link."""
    upper = _down_cage(request.fronts[kind.upper])
    if kind.lower is None:
        return _host_cage(request, upper.transport), upper
    front = request.fronts[kind.lower]
    return Cage(front.model.form_factor, front.model.module_top, front.up.count, front.up.speed_gbps, front.model.transport), upper


def _down_cage(front: Front) -> Cage:
    """Return a cage that faces down."""
    return Cage(front.model.form_factor, front.model.module_top, front.down.count, front.down.speed_gbps, front.model.transport)


def _host_cage(request: Request, transport: str) -> Cage:
    """Return a host's cage; a host that is not in the catalog has a generic one for each NIC port."""
    host = request.host
    if host is None:
        return Cage(GENERIC, "any", 1, request.speed_gbps, transport)
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < request.planes for port in host.ports)
    return Cage(host.form_factor, host.module_top, links, request.speed_gbps, transport)


def _joint(lower: Cage, upper: Cage, kind: LinkKind, catalog: Catalog) -> Joint:
    """Choose the parts with the shortest sufficient reach; below the core multimode wins, at the core single-mode."""
    reach = ASSUMED_REACH_M[kind]
    media = ("smf", "mmf") if kind is LinkKind.SPINE_CORE else FIBRES
    options = [
        (media.index(low.medium), max(low.reach_m or 0, high.reach_m or 0), low.model, high.model, low, high, cables)
        for low, high, cables in pairs(lower, upper, catalog, media)
        if min(low.reach_m or 0, high.reach_m or 0) >= reach
    ]
    if options:
        *_, low, high, cables = min(options, key=lambda option: option[:4])
        cable = fibre(catalog, low, reach)
        if cable:
            return Joint(kind, lower.speed_gbps, low.medium, cable, cables, low, high)
    return _half_known(lower, upper, kind, catalog, media)


def _half_known(lower: Cage, upper: Cage, kind: LinkKind, catalog: Catalog, media: tuple[str, ...]) -> Joint:
    """Take a generic module where an end is generic, or where no two modules of the catalog meet; the fibre follows the known end."""
    reach = ASSUMED_REACH_M[kind]
    low, high = (catalog.generic_transceiver(cage.speed_gbps, cage.links) for cage in (lower, upper))
    cable = catalog.generic_cable()
    known = [
        (end, module)
        for end, cage in enumerate((lower, upper))
        for module, cables in modules_of(cage, catalog)
        if module.medium in media and cables == 1 and (module.reach_m or 0) >= reach
    ]
    if known and GENERIC in (lower.form_factor, upper.form_factor):
        end, module = min(known, key=lambda item: (media.index(item[1].medium), item[1].reach_m or 0, item[1].model))
        low, high = (low, module) if end else (module, high)
        cable = fibre(catalog, module, reach) or cable
    return Joint(kind, lower.speed_gbps, cable.medium, cable, 1, low, high)


def _offers(request: Request, kind: LinkKind, catalog: Catalog, media: tuple[str, ...]) -> list[Joint]:
    """List what serves a kind of link in a described room: by preference of medium, and of a medium the shortest first; each reaches further.

    All take as many cables for each link as what reaches furthest, for the labels count cables.
    """
    lower, upper = _ends(request, kind)
    if GENERIC in (lower.form_factor, upper.form_factor):
        return [_joint(lower, upper, kind, catalog)]
    found = [joint for joint in fitting(lower, upper, kind, catalog, media) if joint.reach_m]
    if not found:
        raise _nothing_fits(request, kind, (lower, upper), media)
    furthest = max(found, key=lambda joint: (_reach(joint), -joint.cables))
    ranked = sorted((joint for joint in found if joint.cables == furthest.cables), key=lambda joint: (media.index(joint.medium), _order(joint)))
    offers: list[Joint] = []
    for joint in ranked:
        if not offers or _reach(joint) > _reach(offers[-1]):
            offers.append(joint)
    return offers


def _reach(joint: Joint) -> float:
    """Return how far an offer reaches, in metres."""
    return joint.reach_m[0] if joint.reach_m else 0


def _order(joint: Joint) -> tuple[float, float, bool, str, tuple[str, ...]]:
    """Rank what is of one medium: the shortest reach, of that modules that reach no further, then what shares no cable, then by name."""
    modules = joint.modules.values()
    return _reach(joint), sum(module.reach_m or 0 for module in modules), joint.shared > 1, joint.cable.model, tuple(module.model for module in modules)


def _nothing_fits(request: Request, kind: LinkKind, cages: tuple[Cage, Cage], media: tuple[str, ...]) -> Exception:
    """Refuse a kind of link that nothing in the catalog can serve."""
    name = kind.key.replace("_", "-")
    owners = (
        (request.host.model if request.host else "the host") if kind.lower is None else request.fronts[kind.lower].model.model,
        (request.fronts[kind.upper].model.model),
    )
    because = [
        f"a cage of the {owner} is {cage.form_factor}{'' if cage.top == 'any' else f', {cage.top} top'}, "
        f"with {cage.links} x {speed_text(cage.speed_gbps)} of {cage.transport}"
        for owner, cage in zip(owners, cages, strict=True)
    ]
    because.append(f"of {', '.join(media)} no module, fibre or cable of the catalog goes between the two and says how far it reaches")
    hint = "put what you buy into a catalog directory of your own (`--catalog DIR`), or plan without lengths: `site: unknown`"
    return refuse("no-part-for-link", f"nothing in the catalog serves {name} links", path=("site", "media"), because=tuple(because), hint=hint)
