"""What joins two cages: fibre with modules at both ends, or cables with ends of their own.

Owns `LinkParts`, the parts of one link, and which parts of a catalog fit two cages, carry their
links at their speed, and join. `candidates` and, by length, `selection` choose among them.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.catalog.models.base import ANY_LANES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.base import Top
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.lanes import Lanes

FIBRES = ("mmf", "smf")
"""The media that need modules at both ends; the others have ends of their own."""

TWISTED_PAIR = "utp"
"""The medium of RJ45 sockets, which take no other."""

PLUGS = {"lc": "duplex LC"}
"""The cages that light passes, and their plugs: the modules are at the far ends of a circuit."""

End = Literal["lower", "upper"]


class Cage(NamedTuple):
    """What a module must fit: the cage, the module top it allows, and the links to carry.

    `loss_db` is that of a circuit through the box, which has no modules.
    """

    form_factor: str
    top: Top
    links: int
    speed_gbps: int
    transport: str
    loss_db: float = 0.0
    lanes: Lanes = ANY_LANES
    """The numbers of lanes on which one of its links can run."""


class LinkParts(NamedTuple):
    """The parts of one link.

    Modules are None where the cable has ends of its own, or the switch its own optics.

    `cables` are pulled for each link: a module with two connectors used as one port takes two. A
    cable that carries several links, `shared` of them, is one piece at its `near` end: of its links
    those that leave the same cage there, so many at a time, lie in one cable.
    """

    kind: LinkKind
    speed_gbps: int
    medium: str
    cable: Cable
    cables: int
    lower: Transceiver | None
    upper: Transceiver | None
    shared: int = 1
    near: End = "upper"
    connector: str = ""
    """The form factor of the ports of devices at the lower end, where it decided on the parts."""
    breakout: str = ""
    """How the cages at the upper end are split, where devices of a network share them alone."""
    stated: bool = False
    """Whether the inventory states this breakout."""
    lanes: Lanes = ANY_LANES
    """Those of the ports of devices at the lower end."""

    @property
    def modules(self) -> dict[End, Transceiver]:
        """The modules at its ends."""
        ends: tuple[tuple[End, Transceiver | None], ...] = (
            ("lower", self.lower),
            ("upper", self.upper),
        )
        return {end: module for end, module in ends if module}

    @property
    def parts(self) -> tuple[Cable, Transceiver | None, Transceiver | None]:
        """The cable, and the modules at the lower and the upper end."""
        return self.cable, self.lower, self.upper

    @property
    def reach_m(self) -> tuple[float, str] | None:
        """The reach of the parts, and the part that limits it; None where unknown."""
        parts = [(module.reach_m, module.model) for module in self.modules.values()]
        return min(
            (
                (reach, model)
                for reach, model in [*parts, (self.cable.reach_m, self.cable.model)]
                if reach is not None
            ),
            default=None,
        )


def fitting(
    lower: Cage, upper: Cage, kind: LinkKind, catalog: Catalog, media: tuple[str, ...]
) -> Iterator[LinkParts]:
    """Yield the parts that join two cages."""
    speed = lower.speed_gbps
    for low, high, cables in pairs(lower, upper, catalog, media):
        yield from (
            LinkParts(
                kind=kind,
                speed_gbps=speed,
                medium=low.medium,
                cable=fibre,
                cables=cables,
                lower=pluggable(low),
                upper=pluggable(high),
            )
            for fibre in _fibres(catalog, low)
        )
    whole: tuple[tuple[End, Cage, Cage], ...] = (("upper", upper, lower), ("lower", lower, upper))
    for cable in catalog.cables():
        if cable.medium not in (*media, TWISTED_PAIR) or lower.transport not in cable.transports:
            continue
        if cable.medium not in FIBRES:
            near = next((end for end, one, other in whole if _plugs(cable, one, other)), None)
            if near:
                yield LinkParts(
                    kind=kind,
                    speed_gbps=speed,
                    medium=cable.medium,
                    cable=cable,
                    cables=1,
                    lower=None,
                    upper=None,
                    shared=cable.links if lower.links * upper.links > 1 else 1,
                    near=near,
                )
        elif cable.legs > 1:
            for near, one, other in whole:
                for at_near, at_far in _splitting(cable, one, other, catalog):
                    yield LinkParts(
                        kind=kind,
                        speed_gbps=speed,
                        medium=cable.medium,
                        cable=cable,
                        cables=1,
                        lower=pluggable(at_far if near == "upper" else at_near),
                        upper=pluggable(at_near if near == "upper" else at_far),
                        shared=cable.links,
                        near=near,
                    )


def pluggable(module: Transceiver) -> Transceiver | None:
    """Return a module to buy; None where it is a part of the switch."""
    return None if module.built_in else module


def _plugs(cable: Cable, near: Cage, far: Cage) -> bool:
    """Return whether a cable with its own ends joins one cage to others, and carries their links.

    Its near end fills a cage with all its links; each far end fills one with its share of them.
    """
    each, speed = cable.links // cable.legs, cable.speed_gbps
    if (near.links, far.links) == (1, 1):
        whole = cable.links * speed if speed is not None and cable.legs == 1 else None
        carries = whole == near.speed_gbps
    else:
        carries = speed == near.speed_gbps and (near.links, far.links) == (cable.links, each)
    lanes = ANY_LANES if cable.lanes is None else {cable.lanes * near.speed_gbps // (speed or 1)}
    joins = not near.lanes.intersection(far.lanes).isdisjoint(lanes)
    return carries and joins and cable.plugs_into(near.form_factor, far.form_factor)


def _splitting(
    cable: Cable, near: Cage, far: Cage, catalog: Catalog
) -> Iterator[tuple[Transceiver, Transceiver]]:
    """Yield the modules at both ends of a splitter fibre.

    At its near end several links leave by one connector; at each far end one arrives.
    """
    if cable.speed_gbps != near.speed_gbps or far.links != 1 or near.links % cable.links:
        return
    at_near = [
        module
        for module in _fitting_modules(near, catalog)
        if module.ports * cable.links == near.links
        and module.port_gbps == cable.links * near.speed_gbps
        and _connects(module, cable)
    ]
    at_far = [
        module
        for module in _fitting_modules(far, catalog)
        if module.ports == 1 and module.port_gbps >= far.speed_gbps and _connects(module, cable)
    ]
    for low, high in product(at_near, at_far):
        if _lanes_meet((near, far), (low, high)):
            yield low, high


def pairs(
    lower: Cage, upper: Cage, catalog: Catalog, media: Iterable[str]
) -> Iterator[tuple[Transceiver, Transceiver, int]]:
    """Yield the modules of both ends that join: one medium, one plug, equal connectors per link."""
    if upper.form_factor in PLUGS:
        yield from _passing(lower, upper, catalog, media)
        return
    uppers = list(modules_of(upper, catalog))
    for low, cables in modules_of(lower, catalog):
        for high, others in uppers:
            if (
                low.medium == high.medium
                and low.medium in media
                and low.connector == high.connector
                and cables == others
                and _lanes_meet((lower, upper), (low, high))
            ):
                yield low, high, cables


def _passing(
    lower: Cage, upper: Cage, catalog: Catalog, media: Iterable[str]
) -> Iterator[tuple[Transceiver, Transceiver, int]]:
    """Yield the modules whose light passes a circuit switch, which has none of its own.

    Their budget covers the circuit and the mated pairs at both modules, where it is known.
    """
    plug = PLUGS[upper.form_factor]
    mated = next((each.loss_db for each in catalog.connectors() if each.name == plug), None) or 0
    for module, cables in modules_of(lower, catalog):
        enough = module.budget_db is None or module.budget_db > upper.loss_db + 2 * mated
        if module.connector == plug and module.medium in media and cables == 1 and enough:
            yield module, module.model_copy(update={"built_in": True}), 1


def _lanes_meet(cages: tuple[Cage, Cage], modules: tuple[Transceiver, Transceiver]) -> bool:
    """Return whether modules in two cages have the same lanes on the fibre between them."""
    low, high = (
        module.fibre_lanes(cage.lanes, cage.speed_gbps)
        for cage, module in zip(cages, modules, strict=True)
    )
    return not low.isdisjoint(high)


def _fitting_modules(cage: Cage, catalog: Catalog) -> list[Transceiver]:
    """Return the modules that fit a cage and take its lanes, whatever links they carry."""
    return [
        module
        for module in catalog.fitting_transceivers(cage.form_factor, cage.top, cage.transport)
        if cage.lanes == ANY_LANES or module.fibre_lanes(cage.lanes, cage.speed_gbps)
    ]


def modules_of(cage: Cage, catalog: Catalog) -> Iterator[tuple[Transceiver, int]]:
    """Yield the modules that fill a cage, with the connectors that each link takes.

    A link takes one connector, or all where the cage is not split.
    """
    for module in _fitting_modules(cage, catalog):
        if (module.ports, module.port_gbps) == (cage.links, cage.speed_gbps):
            yield module, 1
        elif cage.links == 1 and module.ports * module.port_gbps == cage.speed_gbps:
            yield module, module.ports


def _connects(module: Transceiver, cable: Cable) -> bool:
    """Return whether a fibre joins two modules: their medium, their plug, and crossed."""
    return module.medium == cable.medium and module.connector == cable.ends[0] and cable.crosses


def _fibres(catalog: Catalog, module: Transceiver) -> list[Cable]:
    """Yield the straight fibres that fit a module."""
    return [
        cable
        for cable in catalog.cables()
        if (cable.links, cable.legs) == (1, 1) and _connects(module, cable)
    ]


def fibres_of(catalog: Catalog, module: Transceiver, reach: int) -> list[Cable]:
    """Return the straight fibres for a module that reach so many metres."""
    return [cable for cable in _fibres(catalog, module) if (cable.reach_m or 0) >= reach]
