"""The rule by which devices fill racks, and racks fill a room.

Hosts fill racks in the order of their numbers, from the bottom. Switches are sorted by the middle
of the hosts below them, then by tier, segment and number, and fill racks of their own in this
order, from the top. So leaves are near their hosts, the spines of a pod in the middle of its
leaves, and cores in the middle of the room. Switches of networks are sorted among those of the
compute fabric, and `devices` follow all switches. Racks of switches are spread evenly over the
rows. The rule uses what is planned, not what is installed, so that growth within the reserve moves
nothing.

`footprints` owns the sizes of devices, `switch_order` and `rack_grid` both orders, `rack_capacity`
what a rack holds, and `rack_expansion` new devices in a room that is in use.
"""

from __future__ import annotations

from operator import add, gt
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role
from fabricgen.planning.baseline.rack_positions import RackPositions
from fabricgen.planning.room.footprints import HOST, KINDS, highest
from fabricgen.planning.room.place_names import listed_names
from fabricgen.planning.room.rack_capacity import check_boxes, counted, hosts_of_a_rack
from fabricgen.planning.room.rack_grid import UNLIMITED, lay_out
from fabricgen.planning.room.switch_order import ordered

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, Int64Array
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment
    from fabricgen.planning.room.footprints import Shares


def fabric_kinds(naming: DeviceNames) -> Int32Array:
    """Return the kind of each host and of each switch of a fabric, as its index in KINDS."""
    mapping, fabric = naming.mapping, naming.mapping.fabric
    boxes = np.array([KINDS.index(box.role) for box in naming.boxes], dtype=np.int32)
    return np.concatenate(
        [
            np.zeros(fabric.coordinates.planned_hosts, dtype=np.int32),
            np.tile(boxes, mapping.segments),
        ]
    )


def kinds_of(naming: DeviceNames, equipment: Equipment) -> Int32Array:
    """Return the kind of each device of a room, as its index in `Room.kinds`."""
    return np.concatenate([fabric_kinds(naming), equipment.group + np.int32(len(KINDS))])


def racked_order(naming: DeviceNames, equipment: Equipment) -> Int64Array:
    """Return the numbers of all that racks of switches take, in this order.

    These are the switches of all networks with the spare leaves after those that they replace, then
    the devices that take rack units.
    """
    fabric = naming.mapping.fabric.coordinates.planned_hosts
    first = fabric + naming.mapping.segments * len(naming.boxes)
    numbers = np.concatenate(
        [np.arange(fabric, first), first + equipment.of(switches=True).astype(np.int64)]
    )
    order: Int64Array = np.concatenate(
        [
            numbers[ordered(naming, equipment)],
            first + equipment.of(switches=False).astype(np.int64),
        ]
    )
    return _with_spares(order, equipment, first)


def _with_spares(order: Int64Array, equipment: Equipment, first: int) -> Int64Array:
    """Move each spare leaf behind the switch that it follows; `first` is the first equipment."""
    after = [each for group in equipment.groups for each in group.after]
    if not after:
        return order
    # spare leaves are the first equipment, so their numbers follow each other
    place = np.zeros(int(order.max()) + 1)
    place[order] = np.arange(len(order))
    place[first : first + len(after)] = place[after] + 0.5
    found: Int64Array = order[np.lexsort((order, place[order]))]
    return found


def place_devices(
    naming: DeviceNames, shares: Shares, site: Site, equipment: Equipment
) -> RackPositions:
    """Place every device by the rule but PDUs, which take no rack units.

    Raises Refusal `rack-overflow`, or `no-room` where the site has too few racks.
    """
    kinds = kinds_of(naming, equipment)
    hosts = naming.mapping.fabric.coordinates.planned_hosts
    order = racked_order(naming, equipment)
    on_top = (
        order[kinds[order] == KINDS.index(Role.LEAF)] if site.leaves == "top-of-rack" else order[:0]
    )
    apart = order[kinds[order] != KINDS.index(Role.LEAF)] if len(on_top) else order
    check_boxes(shares)
    each = hosts_of_a_rack(naming, shares, site, hosts, len(on_top))
    host_racks = -(-hosts // each)
    names = (*KINDS, *(group.kind for group in equipment.groups))
    needs = {
        at: [fact or 0 for fact in shares.of[kind]]
        for at, kind in enumerate(names)
        if kind in shares.of
    }
    packed, packed_units, network_racks = _packed(
        [needs[at] for at in kinds[apart].tolist()], shares
    )
    slots, network, grid = lay_out(
        host_racks,
        network_racks,
        site,
        f"{counted(hosts, HOST)} at {each} a rack take {counted(host_racks, 'rack')}",
        counted(len(apart), "switch" if not len(equipment.of(switches=False)) else "device"),
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


def _packed(needs: list[list[int]], shares: Shares) -> tuple[list[int], list[int], int]:
    """Fill racks from the top with devices that need so much of each limit, in order.

    Return the rack and the lowest unit of each, and the number of racks.
    """
    limits = [UNLIMITED if limit is None else limit for limit in shares.rack]
    empty = shares.free(hosts=False)
    racks, units, count = list[int](), list[int](), 0
    used, free = limits, 0
    for need in needs:
        after = [*map(add, used, need)]
        over = any(map(gt, after, limits))
        place = None if over else highest(free, need[0])
        if place is None:
            count, after, free = count + 1, need, empty
            place = highest(free, need[0]) or 1
        used, free = after, free & ~(((1 << need[0]) - 1) << place - 1)
        racks.append(count - 1)
        units.append(place)
    return racks, units, count
