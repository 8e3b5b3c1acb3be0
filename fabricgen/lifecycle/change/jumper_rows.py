"""The cables of structured cabling in the table of a plan's cables: jumpers instead of links.

Owns the rows of a link through panels, and the ways through trunks. A way joins the front ports at
both ends of a trunk: it is no cable to work on, but packets have a path while its trunk stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.channels.channels import Channels


class CableEnds(NamedTuple):
    """The ends of cables as columns: the ports at both ends, and the nodes there."""

    a: IntArray
    b: IntArray
    a_node: IntArray
    b_node: IntArray


def with_jumpers(
    links: CableEnds,
    channels: Channels,
    patched: BoolArray,
    number: Callable[[str, int], int],
) -> CableEnds:
    """Replace each link through panels by its two jumpers, and append the ways through trunks.

    `patched` is whether each cable runs through panels; `number` returns that of a panel's port.
    """
    front = np.array(
        [
            [number(panel.name, port) for port in range(_most_ports(channels))]
            for panel in channels.panels
        ],
        dtype=np.int64,
    )
    near, far = (front[end.panel, end.port] for end in (channels.lower, channels.upper))
    rows = np.repeat(np.arange(len(patched)), 1 + patched)
    second = np.append(False, rows[1:] == rows[:-1])
    first = np.append(rows[1:] == rows[:-1], False)
    found = CableEnds(*(column[rows] for column in links))
    found.b[first] = found.b_node[first] = near
    found.a[second] = found.a_node[second] = far
    low, high = _ways(channels, front)
    return CableEnds(
        *(np.concatenate(both) for both in zip(found, (low, high, low, high), strict=True))
    )


def _most_ports(channels: Channels) -> int:
    """Return the most front ports that a panel has."""
    return max(panel.parts.ports for panel in channels.panels)


def _ways(channels: Channels, front: IntArray) -> IntArray:
    """Return the front ports at both ends of each fibre path of each trunk; shape (2, paths)."""
    found: list[tuple[int, int]] = []
    for trunk in channels.trunks:
        fanout, far_port = trunk.parts.cassette.fanout, trunk.parts.path.far_port
        for leg in range(trunk.parts.legs):
            a, b = ((plug.port + leg) * fanout for plug in trunk.ends)
            found += [
                (front[trunk.a.panel, a + port], front[trunk.b.panel, b + far_port(port)])
                for port in range(fanout)
            ]
    return np.array(found, dtype=np.int64).reshape(-1, 2).T
