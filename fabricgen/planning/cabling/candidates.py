"""Which parts can serve each kind of link.

In a described room there are several candidates for a kind of link, each with a longer reach than
the one before; `selection` takes one by the length of the link. Without a description there is one,
for an assumed reach. `compatibility` owns what fits, `link_cages` what it must fit,
`candidate_order` and `preference` the choice, and `bom.counts` the counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import DEVICES, LinkKind, speed_text
from fabricgen.inventory.site import EVERY_MEDIUM
from fabricgen.planning.cabling.candidate_order import (
    assumed_order,
    described_order,
    ranked,
    reach_of,
)
from fabricgen.planning.cabling.compatibility import (
    FIBRES,
    PLUGS,
    LinkParts,
    fibres_of,
    fitting,
    modules_of,
    pluggable,
)
from fabricgen.planning.cabling.link_cages import GENERIC, cages_of
from fabricgen.planning.cabling.link_classes import LinkClass, host_classes
from fabricgen.planning.cabling.preference import PartPrices, Preference
from fabricgen.planning.lanes import join, lanes_differ
from fabricgen.planning.price_book import price_list

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.inventory.site import MediaChoice
    from fabricgen.planning.cabling.candidate_order import Order
    from fabricgen.planning.cabling.compatibility import Cage
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


ASSUMED_REACH_M = {
    LinkKind.HOST: 50,
    LinkKind.LEAF_SPINE: 50,
    LinkKind.SPINE_CORE: 100,
    LinkKind.DIRECT: 50,
    LinkKind.PEER: 50,
}
"""Metres a link must reach in a room that is not described.

50 m of multimode up to the spine and 100 m of single-mode to the core, as in the DGX SuperPOD
reference architectures.
"""
SERIAL_REACH_M = 30
"""The same of cables to console ports: RS-232 reaches less far than Ethernet on twisted pairs."""

SPLIT_REACH_M = 30
"""The same of cages whose breakout the inventory states for devices: the length of splitter cables
in the DGX SuperPOD reference architectures."""


def part_candidates(
    fabric: ResolvedFabric, catalog: Catalog, kinds: list[LinkKind]
) -> tuple[LinkParts, ...]:
    """Return the parts for each kind of link of the fabric, from the shortest reach to the longest.

    Raises Refusal `no-part-for-link` where a room is described and no part of the catalog joins two
    known cages.
    """
    site, preference = fabric.spec.site, preference_of(fabric, catalog)
    _verify_lanes(fabric, kinds, catalog)
    if site is None or site.lengths == "unknown":
        return tuple(
            _of_class(_joint(*cages_of(fabric, each), each, preference), each)
            for each in _classes(fabric, kinds)
        )
    return tuple(
        _of_class(joint, each)
        for each in _classes(fabric, kinds)
        for joint in _described_candidates(fabric, each, preference, _media(site.media, each.kind))
    )


def _classes(fabric: ResolvedFabric, kinds: list[LinkKind]) -> list[LinkClass]:
    """Return the classes of links of the fabric."""
    if kinds[0] is LinkKind.DIRECT:
        return [LinkClass(kinds[0], fabric.link_gbps)]
    return host_classes(fabric) + [
        LinkClass(kind, _speed(fabric.port_layouts[kind.upper], kind)) for kind in kinds[1:]
    ]


def _verify_lanes(fabric: ResolvedFabric, kinds: list[LinkKind], catalog: Catalog) -> None:
    """Refuse devices whose ports cannot join those of a leaf: `lanes-mismatch`."""
    for each in _classes(fabric, kinds):
        lower, upper = cages_of(fabric, each)
        if not join(lower.lanes, upper.lanes, each.speed_gbps, catalog):
            leaf = fabric.port_layouts[each.kind.upper]
            mode = leaf.model.breakout(each.breakout) or leaf.down
            names = f"a device ({each.connector})", f"{leaf.model.model} at {mode.name}"
            own = fabric.network_name
            path = ("devices",) if own == DEVICES else ("networks", own)
            ends = lower.lanes, upper.lanes
            raise Refusal([lanes_differ(names, ends, leaf.model, mode, path, catalog)])


def _media(media: MediaChoice, kind: LinkKind) -> tuple[str, ...]:
    """Return the media of a kind of link in a described room; those of hosts for direct links."""
    found: tuple[str, ...] = getattr(media, _key(kind))
    return found


def _key(kind: LinkKind) -> str:
    """Return the key of the media of a kind of link."""
    return LinkKind.HOST.key if kind is LinkKind.DIRECT else kind.setting


def _of_class(joint: LinkParts, each: LinkClass) -> LinkParts:
    """Return the parts of a link, for the ports of a class."""
    if not each.connector and not each.breakout:
        return joint
    return joint._replace(
        connector=each.connector, breakout=each.breakout, stated=each.stated, lanes=each.lanes
    )


def _speed(above: PortLayout, kind: LinkKind) -> int:
    """Return the speed of a kind of link between switches."""
    return (above.up if kind is LinkKind.PEER else above.down).speed_gbps


def preference_of(fabric: ResolvedFabric, catalog: Catalog) -> Preference:
    """Return what the parts of a fabric are chosen by."""
    asked = fabric.spec.prices.prefer
    prices = PartPrices(price_list(fabric.spec, catalog)) if asked.cheapest else None
    return Preference(catalog, asked, prices)


@lru_cache(maxsize=256)
def _joint(lower: Cage, upper: Cage, each: LinkClass, preference: Preference) -> LinkParts:
    """Return the parts of the shortest sufficient reach: multimode, or single-mode at the core."""
    known = known_parts(lower, upper, each.kind, preference, split=each.stated)
    if known:
        return known[0][1]
    return _half_known(lower, upper, each.kind, preference, _assumed_media(each.kind))


def _assumed_media(kind: LinkKind) -> tuple[str, ...]:
    """Return the media of a kind of link in a room that is not described, the preferred first."""
    return (*(reversed(FIBRES) if kind is LinkKind.SPINE_CORE else FIBRES), "aoc")


def known_parts(
    lower: Cage, upper: Cage, kind: LinkKind, preference: Preference, *, split: bool = False
) -> list[tuple[Order, LinkParts]]:
    """List the parts of the catalog that have the assumed reach, with sort keys.

    They are modules with straight fibres, or cables that are not shared: AOC and twisted pairs.
    Where the inventory states how the cage is `split` for devices, they are splitter cables too.
    """
    serial = lower.transport == "serial"
    reach = SERIAL_REACH_M if serial else SPLIT_REACH_M if split else ASSUMED_REACH_M[kind]
    media = _assumed_media(kind)
    found = (
        joint
        for joint in fitting(lower, upper, kind, preference.catalog, media)
        if (joint.shared == 1 or split) and preference.admits(joint.parts)
    )
    enough = (
        joint
        for joint in found
        if all((part.reach_m or 0) >= reach for part in joint.parts if part)
    )
    return ranked(((assumed_order(joint, media), joint) for joint in enough), preference)


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
        if module.medium in media
        and cables == 1
        and (module.reach_m or 0) >= reach
        and preference.admits([module])
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
        lower=pluggable(low),
        upper=None if upper.form_factor in PLUGS else pluggable(high),
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
    fabric: ResolvedFabric, each: LinkClass, preference: Preference, media: tuple[str, ...]
) -> list[LinkParts]:
    """Return the candidates of a class of links in a described room, each reaching further.

    They are sorted by medium, preference, and reach. All take as many cables for each link as
    the one of the longest reach, because labels count cables.
    """
    (lower, upper), kind = cages_of(fabric, each), each.kind
    if GENERIC in (lower.form_factor, upper.form_factor):
        return [_joint(lower, upper, each, preference)]
    found = _with_reach((lower, upper), kind, preference, media)
    if not found:
        every = _with_reach((lower, upper), kind, preference, EVERY_MEDIUM)
        others = sorted({joint.medium for joint in every}, key=EVERY_MEDIUM.index)
        raise _nothing_fits(fabric, kind, (lower, upper), media, others)
    furthest = max(found, key=lambda joint: (reach_of(joint), -joint.cables))
    alike = (joint for joint in found if joint.cables == furthest.cables)
    candidates: list[LinkParts] = []
    for _, joint in ranked(((described_order(joint, media), joint) for joint in alike), preference):
        if not candidates or reach_of(joint) > reach_of(candidates[-1]):
            candidates.append(joint)
    return candidates


def _with_reach(
    cages: tuple[Cage, Cage], kind: LinkKind, preference: Preference, media: tuple[str, ...]
) -> list[LinkParts]:
    """Return the parts of some media that join two cages and have a stated reach."""
    # the links of a split NIC port lead to several hosts, so no cable has two of them
    return [
        joint
        for joint in fitting(*cages, kind, preference.catalog, media)
        if joint.reach_m
        and (joint.shared == 1 or kind is not LinkKind.DIRECT)
        and preference.admits(joint.parts)
    ]


def _nothing_fits(
    fabric: ResolvedFabric,
    kind: LinkKind,
    cages: tuple[Cage, Cage],
    media: tuple[str, ...],
    others: list[str],
) -> Exception:
    """Refuse a kind of link that no part of the catalog can serve; parts of `others` could."""
    name = kind.key.replace("_", "-")
    roles = (kind.role("lower"), kind.role("upper"))
    host = fabric.host.model if fabric.host else "host or device" if fabric.network else "host"
    owners = [host if role is None else fabric.port_layouts[role].model.model for role in roles]
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
    if others:
        hint = f"allow another medium: `site.media.{_key(kind)}: [{', '.join((*media, *others))}]`"
    else:
        hint = (
            "put what you buy into a catalog directory of your own (`--catalog DIR`), or plan"
            " without lengths: `site: unknown`"
        )
    return refuse(
        "no-part-for-link",
        f"nothing in the catalog serves {name} links",
        path=("site", "media"),
        because=tuple(because),
        hint=hint,
    )
