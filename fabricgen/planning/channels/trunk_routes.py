"""The trunks of each route, a pair of racks with panels, and the connector that each channel takes.

Links that keep a strand stay on it. The others of a route take the free strands of the trunks that
are installed, in order, and then those of new trunks, so that the spare ones are the last.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.channels.ends import PatchedLinks
    from fabricgen.planning.channels.kept_cabling import InstalledTrunks, Strands


class Route(NamedTuple):
    """A pair of sites, the kind of its trunks, and its new trunks from `first` on."""

    a: int
    b: int
    kind: int
    first: int
    trunks: int


class TrunkPlaces(NamedTuple):
    """The routes, and of each channel its trunk, the connector there, and the port of that.

    All count from 0. `installed` is the route of each installed trunk, and `a_site` the site at end
    A of every trunk; installed ones come first.
    """

    routes: list[Route]
    installed: IntArray
    a_site: IntArray
    trunk: IntArray
    leg: IntArray
    port: IntArray


def trunk_count(channels: int, fanout: int, legs: int, spare: Decimal) -> int:
    """Return the trunks of a route: its connectors and the spare ones, in whole trunks.

    >>> from decimal import Decimal
    >>> trunk_count(32, 1, 12, Decimal(10)), trunk_count(32, 6, 12, Decimal(10))
    (3, 1)
    """
    used = -(-channels // fanout)
    return -(-math.ceil(used * (1 + Fraction(spare) / 100)) // legs)


def lay_trunks(
    patched: PatchedLinks,
    kind: IntArray,
    shapes: Sequence[tuple[int, int]],
    spare: Decimal,
    installed: InstalledTrunks,
) -> TrunkPlaces:
    """Lay the trunks of all routes.

    `kind` is that of each channel's trunk; `shapes` has the front ports of a rear port and the
    connectors of a trunk for each kind.
    """
    links = _keys(patched.lower, patched.upper, kind)
    both = np.concatenate([links, _keys(*installed[:3])])
    keys, of = np.unique(both, axis=0, return_inverse=True)
    of, of_installed = np.split(of.ravel(), [len(links)])
    fanouts, legs = np.array(shapes, dtype=np.int64).T
    trunk, leg, port = (column.copy() for column in patched.strands[:3])
    waiting = np.flatnonzero(trunk < 0)
    waiting = waiting[np.argsort(of[waiting], kind="stable")]
    rank, counts = _ranks(of[waiting], len(keys))
    free = _free_strands(patched.strands, installed, fanouts, of_installed)
    spares = np.bincount(of_installed[free.trunk], minlength=len(keys))
    # of the links of a route, the first ones take its free strands, and the others new trunks
    place = rank - spares[of[waiting]]
    old, new = waiting[place < 0], waiting[place >= 0]
    taken = (np.cumsum(spares) - spares)[of[old]] + rank[place < 0]
    trunk[old], leg[old], port[old] = (column[taken] for column in free)
    routes, first = [], len(installed.kind)
    more = np.maximum(counts - spares, 0).tolist()
    for (one, other, number), channels in zip(keys.tolist(), more, strict=True):
        fanout, connectors = shapes[number]
        trunks = trunk_count(channels, fanout, connectors, spare)
        routes.append(Route(one, other, number, first, trunks))
        first += trunks
    connector, port[new] = np.divmod(place[place >= 0], fanouts[kind[new]])
    within, leg[new] = np.divmod(connector, legs[kind[new]])
    trunk[new] = np.array([route.first for route in routes], dtype=np.int64)[of[new]] + within
    a_site = [*installed.a.tolist(), *(each.a for each in routes for _ in range(each.trunks))]
    return TrunkPlaces(routes, of_installed, np.array(a_site), trunk, leg, port)


def _keys(one: IntArray, other: IntArray, kind: IntArray) -> IntArray:
    """Return both sites, the smaller one first, and the kind; shape (rows, 3)."""
    return np.stack([np.minimum(one, other), np.maximum(one, other), kind]).T


def _ranks(routes: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return the place of each entry of a sorted column among its equals, and the counts."""
    counts = np.bincount(routes, minlength=count)
    return np.arange(len(routes)) - np.repeat(np.cumsum(counts) - counts, counts), counts


class _Free(NamedTuple):
    """Strands that no link keeps, route by route."""

    trunk: IntArray
    leg: IntArray
    port: IntArray


def _free_strands(
    strands: Strands, installed: InstalledTrunks, fanouts: IntArray, route: IntArray
) -> _Free:
    """Return the free strands of the installed trunks."""
    fanout = fanouts[installed.kind]
    each = installed.legs * fanout
    trunk, first = np.repeat(np.arange(len(each)), each), np.cumsum(each) - each
    kept = strands.trunk >= 0
    own = strands.trunk[kept]
    free = np.ones(len(trunk), dtype=bool)
    free[first[own] + strands.leg[kept] * fanout[own] + strands.port[kept]] = False
    place = np.flatnonzero(free)
    place = place[np.argsort(route[trunk[place]], kind="stable")]
    trunk = trunk[place]
    return _Free(trunk, *np.divmod(place - first[trunk], fanout[trunk]))
