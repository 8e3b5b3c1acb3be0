"""Which module goes into a cage, which fibre between two modules, and what a cable is called.

Owns the choice of parts for each kind of link, and cable labels. Lengths come from positions in the room; where none are given, a part is
chosen for an assumed reach and the length stays open. It counts nothing: `bom` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog import Catalog
    from fabricgen.fronts import Front
    from fabricgen.parts import Cable, Top, Transceiver
    from fabricgen.resolving import Request

ASSUMED_REACH_M = {LinkKind.HOST: 50, LinkKind.LEAF_SPINE: 50, LinkKind.SPINE_CORE: 100}
"""Metres a link must reach where no positions are known: 50 m of multimode up to the spine and 100 m of single-mode to the core, as the
DGX SuperPOD reference architectures are cabled."""

LABEL_DIGITS = 5
"""Digits of a cable's number; more where a fabric needs more. Fixed, so that growth keeps labels."""

_LETTERS = {LinkKind.HOST: "h", LinkKind.LEAF_SPINE: "u", LinkKind.SPINE_CORE: "c"}


class Cage(NamedTuple):
    """What a module sees: the cage, the top it takes, and the links that it must carry."""

    form_factor: str
    top: Top
    links: int
    speed_gbps: int
    transport: str


@dataclass(frozen=True, slots=True)
class Joint:
    """The parts of one kind of link. `cables` are pulled for each link: a module with two connectors used as one port takes two."""

    speed_gbps: int
    medium: str
    cable: Cable
    cables: int
    lower: Transceiver
    upper: Transceiver


def choose(request: Request, catalog: Catalog, kinds: list[LinkKind]) -> dict[LinkKind, Joint]:
    """Choose modules and fibre for each kind of link that the fabric has."""
    return {kind: _joint(*_ends(request, kind), kind, catalog) for kind in kinds}


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
        return Cage("generic", "any", 1, request.speed_gbps, transport)
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < request.planes for port in host.ports)
    return Cage(host.form_factor, host.module_top, links, request.speed_gbps, transport)


def _joint(lower: Cage, upper: Cage, kind: LinkKind, catalog: Catalog) -> Joint:
    """Choose the parts with the shortest sufficient reach; below the core multimode wins, at the core single-mode."""
    reach = ASSUMED_REACH_M[kind]
    media = ("smf", "mmf") if kind is LinkKind.SPINE_CORE else ("mmf", "smf")
    options = [
        (media.index(low.medium), max(low.reach_m or 0, high.reach_m or 0), low.model, high.model, low, high, cables)
        for low, cables in _modules(lower, catalog, reach)
        for high, others in _modules(upper, catalog, reach)
        if low.medium == high.medium and cables == others and low.medium in media
    ]
    if options:
        *_, low, high, cables = min(options, key=lambda option: option[:4])
        cable = _fibre(catalog, low.medium, reach)
        if cable:
            return Joint(lower.speed_gbps, low.medium, cable, cables, low, high)
    return _half_known(lower, upper, catalog, reach, media)


def _half_known(lower: Cage, upper: Cage, catalog: Catalog, reach: int, media: tuple[str, ...]) -> Joint:
    """Take a generic module where an end is generic, or where no two modules of the catalog meet; the fibre follows the known end."""
    sides = [catalog.generic_transceiver(cage.speed_gbps, cage.links) for cage in (lower, upper)]
    cable = catalog.generic_cable()
    known = [
        (end, module) for end, cage in enumerate((lower, upper)) for module, cables in _modules(cage, catalog, reach) if module.medium in media and cables == 1
    ]
    if known and "generic" in (lower.form_factor, upper.form_factor):
        end, module = min(known, key=lambda item: (media.index(item[1].medium), item[1].reach_m or 0, item[1].model))
        sides[end] = module
        cable = _fibre(catalog, module.medium, reach) or cable
    return Joint(lower.speed_gbps, cable.medium, cable, 1, *sides)


def _modules(cage: Cage, catalog: Catalog, reach: int) -> Iterator[tuple[Transceiver, int]]:
    """Find the modules that fill a cage, with the connectors that each link takes: one, or all where the cage is not split."""
    for module in catalog.transceivers():
        if not module.fits(cage.form_factor, cage.top) or cage.transport not in module.transports or (module.reach_m or 0) < reach:
            continue
        if (module.ports, module.port_gbps) == (cage.links, cage.speed_gbps):
            yield module, 1
        elif cage.links == 1 and module.ports * module.port_gbps == cage.speed_gbps:
            yield module, module.ports


def _fibre(catalog: Catalog, medium: str, reach: int) -> Cable | None:
    """Find the straight fibre of a medium with the shortest sufficient reach."""
    fitting = [cable for cable in catalog.cables() if cable.medium == medium and cable.links == 1 and cable.legs == 1 and (cable.reach_m or 0) >= reach]
    return min(fitting, key=lambda cable: (cable.reach_m or 0, cable.model)) if fitting else None
