"""The trunks of each route, a pair of racks with panels, and the connector that each channel takes.

Channels of a route take the connectors of its trunks in order, so that the spare ones are the last.
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


class Route(NamedTuple):
    """A pair of sites, the kind of its trunks, its channels, and its trunks from `first` on."""

    a: int
    b: int
    kind: int
    channels: int
    first: int
    trunks: int


class TrunkPlaces(NamedTuple):
    """The routes, and of each channel its trunk, the connector there, and the port of that.

    All count from 0.
    """

    routes: list[Route]
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
    patched: PatchedLinks, kind: IntArray, shapes: Sequence[tuple[int, int]], spare: Decimal
) -> TrunkPlaces:
    """Lay the trunks of all routes.

    `kind` is that of each channel's trunk; `shapes` has the front ports of a rear port and the
    connectors of a trunk for each kind.
    """
    a, b = (each(patched.lower, patched.upper) for each in (np.minimum, np.maximum))
    keys, of = np.unique(np.stack([a, b, kind]).T, axis=0, return_inverse=True)
    of = of.ravel()
    counts = np.bincount(of, minlength=len(keys))
    order = np.argsort(of, kind="stable")
    place = np.empty(len(of), dtype=np.int64)
    place[order] = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    routes, first = [], 0
    for (one, other, number), channels in zip(keys.tolist(), counts.tolist(), strict=True):
        each, legs = shapes[number]
        trunks = trunk_count(channels, each, legs, spare)
        routes.append(Route(one, other, number, channels, first, trunks))
        first += trunks
    fanouts, connectors = np.array(shapes, dtype=np.int64)[kind].T
    connector, port = np.divmod(place, fanouts)
    within, leg = np.divmod(connector, connectors)
    trunk = np.array([route.first for route in routes])[of] + within
    return TrunkPlaces(routes, trunk, leg, port)
