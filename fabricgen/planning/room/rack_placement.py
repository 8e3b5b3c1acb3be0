"""The rule by which devices fill racks, and racks fill a room.

Hosts fill racks in the order of their numbers, from the bottom. Switches are sorted by the middle
of the hosts below them, then by tier, segment and number, and fill racks of their own in this
order, from the top. So leaves are near their hosts, the spines of a pod in the middle of its
leaves, and cores in the middle of the room. Racks of switches are spread evenly over the rows. The
rule uses what is planned, not what is installed, so that growth within the reserve moves nothing.

`footprints` owns the sizes of devices, `room` names and stated positions, and `rack_expansion` new
devices in a room that is in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Role
from fabricgen.planning.baseline.rack_positions import RackPositions
from fabricgen.planning.room.footprints import (
    DEFAULT_SITE,
    HOST,
    KINDS,
    WORDS,
    amount,
    highest,
)
from fabricgen.planning.room.place_names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array, Int64Array
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.footprints import Shares


MOST_HALLS, MOST_ROWS, MOST_RACKS = 100, 32, 20
"""Halls, rows of a hall and racks of a row where the inventory sets no limit.

A hall has 640 racks and 12 m by 77 m of trays. A generated room has as many halls as it takes.
"""

UNLIMITED = 2**62


def kinds_of(naming: DeviceNames) -> Int32Array:
    """Return the kind of each device, as its index in KINDS."""
    mapping, fabric = naming.mapping, naming.mapping.fabric
    boxes = np.array([KINDS.index(box.role) for box in naming.boxes], dtype=np.int32)
    return np.concatenate(
        [
            np.zeros(fabric.coordinates.planned_hosts, dtype=np.int32),
            np.tile(boxes, mapping.segments),
        ]
    )


def place_devices(naming: DeviceNames, shares: Shares, site: Site) -> RackPositions:
    """Place every device by the rule.

    Raises Refusal `rack-overflow`, or `no-room` where the site has too few racks.
    """
    kinds = kinds_of(naming)
    switches = np.flatnonzero(kinds)
    hosts = len(kinds) - len(switches)
    order = switches[ordered(naming)]
    on_top = (
        order[kinds[order] == KINDS.index(Role.LEAF)] if site.leaves == "top-of-rack" else order[:0]
    )
    apart = order[kinds[order] != KINDS.index(Role.LEAF)] if len(on_top) else order
    check_boxes(shares)
    each = hosts_of_a_rack(naming, shares, site, hosts, len(on_top))
    host_racks = -(-hosts // each)
    packed, packed_units, network_racks = _packed(kinds[apart].tolist(), shares)
    slots, network, grid = _grid(
        host_racks,
        network_racks,
        site,
        f"{_counted(hosts, HOST)} at {each} a rack take {_counted(host_racks, 'rack')}",
        len(apart),
    )
    rack, rack_unit = np.full((2, len(kinds)), -1, dtype=np.int32)
    fabric = naming.mapping.fabric
    number = np.arange(hosts)
    if fabric.domain_positions:
        number = np.array([fabric.host_position(host) for host in range(hosts)])
    stacked = shares.stacked((HOST, each), (Role.LEAF, -(-len(on_top) // host_racks))) or {}
    rack[:hosts], rack_unit[:hosts] = slots[number // each], np.array(stacked[HOST])[number % each]
    rack[apart], rack_unit[apart] = network[packed], packed_units
    if len(on_top):
        place = np.arange(len(on_top)) * host_racks // len(on_top)
        nth = np.arange(len(on_top)) - -(-place * len(on_top) // host_racks)
        rack[on_top], rack_unit[on_top] = slots[place], np.array(stacked[Role.LEAF])[nth]
    places = zip(*(column.tolist() for column in grid[:3]), strict=True)
    return RackPositions(rack, rack_unit, *grid, listed_names(site, places))


def ordered(naming: DeviceNames) -> Int64Array:
    """Sort the switches of the fabric, numbered segment * boxes of a segment + box.

    The order is that of the middle of the hosts below, then tier, segment and number.
    """
    mapping = naming.mapping
    below = _middles(naming)
    blocks = np.array([max(box.block, 0) for box in naming.boxes], dtype=np.int64)
    rails = np.stack([mapping.first_rail(each, blocks) for each in range(mapping.segments)])
    tiers = np.tile([box.role.tier for box in naming.boxes], mapping.segments)
    order: Int64Array = np.lexsort((np.arange(rails.size), tiers, (rails + below).ravel()))
    return order


def _middles(naming: DeviceNames) -> Int64Array:
    """Return for each box of a segment the mean of the GPUs below it on a block of rail 0."""
    mapping, sizing = naming.mapping, naming.mapping.sizing
    gpu = mapping.pattern().astype(np.int64)
    leaf = np.arange(len(gpu)) // sizing.leaf_down
    held = gpu >= 0
    counts, sums = np.zeros((2, sizing.leaf), dtype=np.int64)
    np.add.at(counts, leaf[held], 1)
    np.add.at(sums, leaf[held], gpu[held])
    of_pods = (sizing.by_pod(counts).sum(axis=1), sizing.by_pod(sums).sum(axis=1))
    whole = [(counts, sums), of_pods, (counts.sum(keepdims=True), sums.sum(keepdims=True))]
    means = [
        np.where(count > 0, total // np.maximum(count, 1), mapping.fabric.planned_gpus)
        for count, total in whole
    ]
    scope = {Role.LEAF: 1, Role.SPINE: max(sizing.pod_spines, 1), Role.CORE: max(sizing.core, 1)}
    return np.array(
        [means[box.role.tier - 1][box.index // scope[box.role]] for box in naming.boxes],
        dtype=np.int64,
    )


def check_boxes(shares: Shares) -> None:
    """Refuse devices that no rack holds. Raises Refusal with every kind that is too large."""
    large = [kind for kind in shares.of if not shares.fits((kind, 1))]
    if large:
        raise Refusal(
            [
                finding
                for kind in large
                for finding in overflow(shares, f"a {kind} overflows a rack", (kind, 1)).findings
            ]
        )


def overflow(shares: Shares, fact: str, *loads: tuple[str, int], hint: str = "") -> Refusal:
    """Refuse the contents of a rack, with the sum of each limit that is exceeded."""
    because, needs = [], []
    limits = shares.limits(*loads)
    reserved = shares.rack.rack_units - (limits[0] or 0)
    for at, limit in enumerate(limits):
        terms = [(count, kind, shares.of[kind][at] or 0) for kind, count in loads if count]
        total = sum(count * each for count, _, each in terms)
        if limit is not None and total > limit:
            added = " + ".join(
                f"{_counted(count, kind)} x {amount(at, each)}" for count, kind, each in terms
            )
            key = WORDS[at][0]
            beside = " beside its reserved ones" if key == "units" and reserved else ""
            because.append(
                f"{added} = {amount(at, total)}, and a rack has {amount(at, limit)}{beside}"
            )
            total += reserved if key == "units" else 0
            needs.append(f"{key}: {-(-total // 1000) if key == 'weight_kg' else total}")
    if not because:
        because.append("its reserved units leave no such gaps")
        hint = hint or "reserve units at the top or at the foot of the rack: `rack.reserved`"
    hint = hint or f"give the racks of the site more: `rack: {{{', '.join(needs)}}}`"
    return refuse("rack-overflow", fact, path=("site",), because=because, hint=hint)


def _counted(count: int, kind: str) -> str:
    """Format a count of things."""
    return f"{count} {kind if count == 1 else 'leaves' if kind == Role.LEAF else f'{kind}s'}"


def hosts_of_a_rack(
    naming: DeviceNames, shares: Shares, site: Site, hosts: int, leaves: int
) -> int:
    """Return how many hosts share a rack: the number asked for, or the most that fit.

    Top-of-rack leaves are left room for. Raises Refusal `rack-overflow`.
    """
    fabric = naming.mapping.fabric

    def loads(each: int) -> tuple[tuple[str, int], tuple[str, int]]:
        return (HOST, each), (Role.LEAF, -(-leaves // -(-hosts // each)))

    most = min(
        shares.rack.rack_units // shares.of[HOST].rack_units,
        (fabric.host and fabric.host.hosts_per_rack) or hosts,
        hosts,
    )
    best = next((each for each in range(most, 0, -1) if shares.fits(*loads(each))), 0)
    asked = site.hosts_per_rack or best or 1
    if shares.fits(*loads(asked)):
        return asked
    hint = f"use `hosts_per_rack: {best}`" if best else ""
    raise overflow(
        shares, f"{_counted(asked, HOST)} in a rack overflow it", *loads(asked), hint=hint
    )


def _packed(kinds: list[int], shares: Shares) -> tuple[list[int], list[int], int]:
    """Fill racks from the top with switches of these kinds, in order.

    Return the rack and the lowest unit of each, and the number of racks.
    """
    limits = [UNLIMITED if limit is None else limit for limit in shares.rack]
    empty = shares.free(hosts=False)
    needs = {
        index: [fact or 0 for fact in shares.of[kind]]
        for index, kind in enumerate(KINDS)
        if kind in shares.of
    }
    racks, units, count = list[int](), list[int](), 0
    used, free = limits, 0
    for kind in kinds:
        need = needs[kind]
        after = [have + more for have, more in zip(used, need, strict=True)]
        over = any(total > limit for total, limit in zip(after, limits, strict=True))
        place = None if over else highest(free, need[0])
        if place is None:
            count, after, free = count + 1, need, empty
            place = highest(free, need[0]) or 1
        used, free = after, free & ~(((1 << need[0]) - 1) << place - 1)
        racks.append(count - 1)
        units.append(place)
    return racks, units, count


def _grid(
    hosts: int, network: int, site: Site, reason: str, switches: int
) -> tuple[Int64Array, Int64Array, tuple[Int32Array, Int32Array, Int32Array, int]]:
    """Lay racks of hosts and of switches into rows and halls.

    Return the racks of each in order, and the columns of all racks. Raises Refusal `no-room`;
    `reason` and `switches` describe what takes the racks.
    """
    total = hosts + network
    halls, deepest, longest = bounds(site)
    rows = -(-total // longest)
    if rows > halls * deepest:
        raise no_room(
            total,
            (halls, deepest, longest),
            site,
            f"{reason}, and {switches} switches take {network}" if network else reason,
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
            f"{_counted(halls, 'hall')} x {_counted(deepest, 'row')} x {_counted(longest, 'rack')}"
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
