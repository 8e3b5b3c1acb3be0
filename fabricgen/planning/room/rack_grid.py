"""The rows and halls of racks in a room, and the racks among them that switches take.

Owns the limits of a room, and the refusal of more racks than it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.planning.room.footprints import DEFAULT_SITE
from fabricgen.planning.room.rack_capacity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array, Int64Array
    from fabricgen.core.diagnostics import Refusal
    from fabricgen.inventory.site import Site

MOST_HALLS, MOST_ROWS, MOST_RACKS = 100, 32, 20
"""Halls, rows of a hall and racks of a row where the inventory sets no limit.

A hall has 640 racks and 12 m by 77 m of trays. A generated room has as many halls as it takes.
"""

UNLIMITED = 2**62


def lay_out(
    hosts: int, network: int, site: Site, reason: str, beside: str
) -> tuple[Int64Array, Int64Array, tuple[Int32Array, Int32Array, Int32Array, int]]:
    """Lay racks of hosts and of switches into rows and halls.

    Return the racks of each in order, and the columns of all racks. Raises Refusal `no-room`;
    `reason` and `beside` describe what takes the racks.
    """
    total = hosts + network
    halls, deepest, longest = bounds(site)
    rows = -(-total // longest)
    if rows > halls * deepest:
        raise no_room(
            total,
            (halls, deepest, longest),
            site,
            f"{reason}, and {beside} take {network}" if network else reason,
        )
    width = -(-total // rows)
    hall_rows = -(-rows // -(-rows // deepest))
    place = np.arange(rows * width)
    row, at = np.divmod(place, width)
    taken = np.zeros(rows * width, dtype=bool)
    for first, count in _runs(rows, width, hall_rows, network, site.network_racks):
        taken[first : first + count] = True
    columns = (
        (row // hall_rows).astype(np.int32),
        (row % hall_rows).astype(np.int32),
        at.astype(np.int32),
        width,
    )
    return np.flatnonzero(~taken)[:hosts], np.flatnonzero(taken), columns


def bounds(site: Site) -> tuple[int, int, int]:
    """Return the maximum halls of a site, rows of a hall and racks of a row."""
    halls, rows, racks = (site.most(key) for key in ("halls", "rows", "racks_per_row"))
    halls = halls or (1 if rows else UNLIMITED if site is DEFAULT_SITE else MOST_HALLS)
    return halls, rows or MOST_ROWS, racks or MOST_RACKS


def no_room(total: int, room: tuple[int, int, int], site: Site, reason: str) -> Refusal:
    """Refuse more racks than the room has; the hint is the given key, else longer rows."""
    halls, deepest, longest = room
    because = (
        reason,
        (
            f"{counted(halls, 'hall')} x {counted(deepest, 'row')} x {counted(longest, 'rack')}"
            f" = {halls * deepest * longest}"
        ),
    )
    rows = -(-total // longest)
    wanted = (
        {"halls": -(-rows // deepest)}
        if site.halls
        else {"rows": -(-rows // halls)}
        if site.rows
        else {}
    )
    hint = (
        "".join(f"use `{key}: {value}`, or " for key, value in wanted.items())
        + "make rows longer with `racks_per_row`"
    )
    return refuse(
        "no-room",
        f"{total} racks do not fit into the room",
        path=("site", *wanted),
        because=because,
        hint=hint,
    )


def _runs(
    rows: int, width: int, hall_rows: int, network: int, where: str
) -> Iterator[tuple[int, int]]:
    """Return the runs of racks that switches take.

    They are spread evenly over rows or halls, in the middle or at the end of each.
    """
    depth = hall_rows if where == "hall-middle" else 1
    wanted = (2 * np.arange(network) + 1) * (rows * width) // (2 * max(network, 1))
    counts = np.bincount(wanted // (depth * width), minlength=-(-rows // depth)).tolist()
    for cell, count in enumerate(counts):
        deep = min(depth, rows - cell * depth)
        spare = deep * width - count
        start = (
            spare
            if where == "row-end"
            else (deep - -(-count // width)) // 2 * width
            if where == "hall-middle"
            else spare // 2
        )
        yield cell * depth * width + start, count
