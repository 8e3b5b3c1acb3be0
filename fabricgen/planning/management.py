"""The management addresses of switches and hosts.

Owns their order: switches are counted by the expansion that adds them, then by segment, then by
their places in it, so that an expansion changes no address; hosts are counted by their positions.
Where switches have cables at several management ports, each of these ports has an equal part of the
pool, in which the switches are counted alike. Other devices on the network of management ports are
counted by the endpoint positions of their ports, which growth keeps.
`inventory.management` owns the keys.
"""

from __future__ import annotations

from bisect import bisect_right
from ipaddress import IPv4Network
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.planning.addressing import address_text
from fabricgen.planning.device_pool import first_device_address, fit_device_pool, hold_devices
from fabricgen.planning.management_ports import port_name, ports_of_role
from fabricgen.planning.named_addresses import in_slices, named_addresses, skipped_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.core.arrays import Int64Array
    from fabricgen.inventory.management import Management
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.naming import Box

KEY = "management"


class ManagementPlan(NamedTuple):
    """The management addresses of one fabric, as numbers."""

    subnet: IPv4Network
    gateway: int
    switches: Int64Array
    """Of each switch, in the order of `DeviceNames.boxes`; shape (segments, switches in each)."""
    further: Int64Array
    """Of each management port with a cable after the first; shape (ports, *switches.shape)."""
    hosts: Int64Array | None
    """Of each host; None where hosts are managed by their names."""
    devices: int | None
    """The address at the first endpoint position of the network of management ports; None without
    `device_pool`, and for other networks."""
    server: int | None = None
    """The server that switches boot from; None where the subnet has no address left for it."""
    skip: frozenset[int] = frozenset()
    """The addresses that no device is given."""
    columns: tuple[Int64Array, ...] = ()
    """The counted addresses of each pool or part of one, rising, also where others are given."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The first address of each of these pools, and the last that was counted."""

    def switch(self, segment: int, box: int) -> str:
        """Return the address of a switch, which is that of its first management port."""
        return address_text(int(self.switches[segment, box]))

    def port(self, number: int) -> Int64Array:
        """Return the addresses of a management port of all switches, by its number from 0."""
        own: Int64Array = self.further[number - 1] if number else self.switches
        return own

    def device(self, slot: int) -> str:
        """Return the address of a device by its endpoint position; empty without `device_pool`."""
        return "" if self.devices is None else address_text(_nth(self.devices, slot, self.skip))

    def gives(self, address: int) -> bool:
        """Return whether counting has reached an address, so that a device may have it."""
        counted = any(address in column for column in self.columns)
        return counted or any(
            first <= address <= last and address not in self.skip
            for first, last in self.ranges[len(self.columns) :]
        )

    def host(self, host: int) -> str:
        """Return the address of a host; empty without `host_pool`."""
        return "" if self.hosts is None else address_text(int(self.hosts[host]))


def plan_management(
    draft: Draft, installed: Sequence[bool], hosts: Sequence[str], *, shared: bool
) -> ManagementPlan | None:
    """Give every switch its management address, and every host where there is a pool for them.

    `installed` is whether each switch has a link. Compute has the pool alone, or it is `shared`
    with the switches of networks. Returns None without `management`, and for a network without
    switches of its own. Raises Refusal where a pool is too small, where pools share addresses, and
    for an address under `addresses` that does not fit.
    """
    asked = draft.spec.management
    if asked is None or (draft.fabric.network and not any(installed)):
        return None
    if draft.fabric.network:
        asked, hosts = asked.model_copy(update={"host_pool": None}), []
    subnet = asked.subnet or asked.pool
    gateway = int(asked.gateway or subnet.network_address + 1)
    names = [name for segment in _segments(draft) for name in draft.naming.switches(segment)]
    places = _places(draft)
    reserved, skip = _reserved(asked, subnet, gateway), skipped_addresses(draft.spec)
    taken = reserved | skip
    findings, ports = [*_overlaps(asked, draft)], port_names(draft, names)
    if not draft.fabric.network:
        findings += _misfits(asked, subnet, gateway)
        findings += fit_device_pool(asked, subnet, reserved, draft)
    findings += hold_devices(asked, draft, skip)
    pool = _part(asked.pool, draft, shared=shared)
    columns: list[Int64Array] = []
    parts = _parts_by_port(pool, 1 + len(ports))
    for part in parts:
        column, short = _counted(part, taken.union(*columns), places.size)
        findings += _shortage("pool", part, short, f"{places.size} switches")
        columns.append(column)
    own, short = np.zeros(0, dtype=np.int64), 0
    if asked.host_pool:
        positions = [draft.fabric.host_position(host) for host in range(len(hosts))]
        own, short = _counted(asked.host_pool, taken, max(positions) + 1)
        findings += _shortage("host_pool", asked.host_pool, short, f"{max(positions) + 1} hosts")
    if findings:
        raise Refusal(findings)
    given, *further = (
        _pinned(asked, known, column[places.ravel()]).reshape(places.shape)
        for known, column in zip((names, *ports), columns, strict=True)
    )
    if asked.host_pool:
        parts, columns = [*parts, asked.host_pool], [*columns, own]
    first = first_device_address(asked, draft)
    ranges = [
        (int(part.network_address), int(column.max(initial=0)))
        for part, column in zip(parts, columns, strict=True)
    ]
    if first is not None:
        ranges.append((first, _nth(first, draft.mapping.sizing.slots - 1, skip)))
    own = _pinned(asked, hosts, own[positions]) if asked.host_pool else own
    beside = np.array(further, dtype=np.int64).reshape(len(ports), *places.shape)
    return ManagementPlan(
        subnet=subnet,
        gateway=gateway,
        switches=given,
        further=beside,
        hosts=own if asked.host_pool else None,
        devices=first,
        skip=skip,
        columns=tuple(columns),
        ranges=tuple(ranges),
    )


def _nth(first: int, number: int, skip: Iterable[int]) -> int:
    """Return the address at a position, counted from 0 without those that are skipped."""
    address = first + number
    for one in sorted(one for one in skip if one >= first):
        address += one <= address
    return address


def _reserved(asked: Management, subnet: IPv4Network, gateway: int) -> set[int]:
    """Return the addresses that are not counted: edges of prefixes, and those that are given."""
    edges = [subnet, *([asked.host_pool] if asked.host_pool else [])]
    taken = {int(edge) for net in edges for edge in (net.network_address, net.broadcast_address)}
    taken |= {gateway} | set(map(int, asked.addresses.values()))
    return taken | ({int(asked.server)} if asked.server else set())


def boot_server(asked: Management, planned: Sequence[ManagementPlan]) -> int | None:
    """Return the server of a cluster: the one that is given, else the last address that is free.

    `planned` are compute and the networks with switches of their own, compute first.
    """
    if asked.server:
        return int(asked.server)
    subnet = planned[0].subnet
    taken = _reserved(asked, subnet, planned[0].gateway) | planned[0].skip
    for each in planned:
        taken.update(each.switches.ravel().tolist(), each.further.ravel().tolist())
        taken.update(each.hosts.tolist() if each.hosts is not None else ())
    first, last = int(subnet.network_address), int(subnet.broadcast_address)
    pool = asked.device_pool
    low, high = (int(pool.network_address), int(pool.broadcast_address)) if pool else (first, first)
    free = chain(range(last - 1, high, -1), range(min(low, last) - 1, first, -1))
    return next((at for at in free if at not in taken), None)


def port_names(draft: Draft, names: list[str]) -> list[list[str]]:
    """Return the names of the second management port of each switch, of the third, and so on.

    They are empty for switches with fewer that have a cable.
    """
    by_role = {role: ports_of_role(draft.fabric, role) for role in draft.roles}
    most = max(map(len, by_role.values()), default=0)
    roles = [box.role for box in draft.naming.boxes] * draft.mapping.segments
    return [
        [
            port_name(name, by_role[role][port]) if port < len(by_role[role]) else ""
            for name, role in zip(names, roles, strict=True)
        ]
        for port in range(1, most)
    ]


def _parts_by_port(pool: IPv4Network, ports: int) -> list[IPv4Network]:
    """Return the part of a pool for each management port of a switch, equal for all.

    A pool with fewer addresses than ports is that of each.
    """
    length = min(pool.prefixlen + (ports - 1).bit_length(), pool.max_prefixlen)
    parts = [*pool.subnets(new_prefix=length)]
    return (parts if len(parts) >= ports else [pool] * ports)[:ports]


_PARTS = ("storage", "inband", "oob", "console")
"""The networks whose switches have an eighth of the pool each, from its middle on."""


def _part(pool: IPv4Network, draft: Draft, *, shared: bool) -> IPv4Network:
    """Return the part of the pool that the switches of a network have.

    Those of compute have all of it, or the first half where there are other networks, so that no
    address changes when a network grows.
    """
    name = draft.fabric.network_name
    if name not in _PARTS:
        return next(pool.subnets()) if shared and pool.prefixlen < pool.max_prefixlen else pool
    length = min(pool.prefixlen + 3, pool.max_prefixlen)
    size = 1 << pool.max_prefixlen - length
    first = int(pool.network_address) + pool.num_addresses // 2 + _PARTS.index(name) * size
    return IPv4Network((first, length))


def _segments(draft: Draft) -> range:
    """Return the segments of a fabric."""
    return range(draft.mapping.segments)


def _places(draft: Draft) -> Int64Array:
    """Return the number of each switch in the order of the addresses; see the module."""
    stages, boxes = draft.mapping.stages, draft.naming.boxes
    totals = [stage.leaf + stage.spine + stage.core for stage in stages.stages]

    def place(box: Box) -> tuple[int, int, int]:
        number = stages.place(box.role, box.index)
        return bisect_right(totals, number), box.block, number

    keys = np.array([place(box) for box in boxes], dtype=np.int64)
    count = draft.mapping.segments
    stage, block, number = (np.tile(column, count) for column in keys.T)
    order = np.lexsort((number, block, np.repeat(np.arange(count), len(boxes)), stage))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places.reshape(count, len(boxes))


def _counted(pool: IPv4Network, taken: set[int], count: int) -> tuple[Int64Array, int]:
    """Return the first addresses of a pool that nothing else has, and how many are missing."""
    first, size = int(pool.network_address), pool.num_addresses
    free = np.arange(first, first + min(size, count + len(taken)), dtype=np.int64)
    free = free[~np.isin(free, list(taken))][:count]
    return free, count - len(free)


def _pinned(asked: Management, names: Iterable[str], counted: Int64Array) -> Int64Array:
    """Return the addresses of devices, those under `addresses` instead of the counted ones."""
    given = counted.copy()
    for number, name in enumerate(names) if asked.addresses else ():
        if name in asked.addresses:
            given[number] = int(asked.addresses[name])
    return given


def _shortage(key: str, pool: IPv4Network, short: int, what: str) -> Iterator[Finding]:
    """Refuse a pool that has too few addresses."""
    if short:
        because = (
            f"{what} need an address each",
            f"{pool} lacks {short} of them, without those that are taken",
        )
        hint = "give a larger pool"
        fact = f"{pool} has too few management addresses"
        yield Finding("pool-too-small", fact, (KEY, key), because, hint)


def _overlaps(asked: Management, draft: Draft) -> Iterator[Finding]:
    """Refuse management pools that share addresses with each other or with the fabric's slices."""
    plan, blocks = draft.addresses, draft.mapping.segments * draft.mapping.segment_blocks
    network = draft.fabric.network
    yield from _named_twice(asked, draft)
    if network and not network.joined:
        return
    place = f"networks.{network.name}." if network else ""
    for key in ("pool", "host_pool", "device_pool"):
        pool: IPv4Network | None = getattr(asked, key)
        if pool is None:
            continue
        first, last = int(pool.network_address), int(pool.broadcast_address)
        for other, slices in (("host_pool", plan.hosts), ("loopback_pool", plan.loopbacks)):
            end = slices.base + slices.size * blocks
            if first < end and slices.base <= last:
                fact = f"{pool} shares addresses with the fabric"
                because = (f"`{place}addressing.{other}` uses {slices.cover(blocks)}",)
                hint = "choose a pool outside of it"
                yield Finding("pools-overlap", fact, (KEY, key), because, hint)
    if asked.host_pool and asked.host_pool.overlaps(asked.pool):
        fact = f"{asked.host_pool} and {asked.pool} share addresses"
        hint = "choose two that share no address"
        yield Finding("pools-overlap", fact, (KEY, "host_pool"), (), hint)


def _named_twice(asked: Management, draft: Draft) -> Iterator[Finding]:
    """Refuse addresses of servers in the slices of the fabric, which are routed to its hosts."""
    if not draft.fabric.has_pools:
        return
    blocks = draft.mapping.segments * draft.mapping.segment_blocks
    named = named_addresses(draft.spec) | {
        int(address): f"{KEY}.{key}"
        for key in ("gateway", "server")
        if (address := getattr(asked, key))
    }
    kept = None if asked.skip is None else set(map(int, asked.skip))
    network = draft.fabric.network
    place = f"networks.{network.name}." if network else ""
    for address, key in named.items():
        pool = in_slices(draft.addresses, blocks, address)
        if pool and (kept is None or address in kept):
            slices = draft.addresses.hosts if pool == "host_pool" else draft.addresses.loopbacks
            fact = f"`{key}` names {address_text(address)}, an address of the fabric"
            because = (f"`{place}addressing.{pool}` uses {slices.cover(blocks)}",)
            hint = f"give `{place}addressing.{pool}` a prefix without it, or name another address"
            yield Finding("pools-overlap", fact, tuple(key.split(".")), because, hint)


def _misfits(asked: Management, subnet: IPv4Network, gateway: int) -> Iterator[Finding]:
    """Refuse addresses under `addresses` that no device can have."""
    edges = {int(subnet.network_address), int(subnet.broadcast_address), gateway}
    edges |= {int(asked.server)} if asked.server else set()
    pools = [subnet, *([asked.host_pool] if asked.host_pool else [])]
    for name, address in asked.addresses.items():
        if not any(address in pool for pool in pools) or int(address) in edges:
            because = (f"the subnet is {subnet}, its gateway {address_text(gateway)}",)
            fact = f"{address} cannot be the address of `{name}`"
            hint = "give a free address of the subnet"
            yield Finding("bad-management-address", fact, (KEY, "addresses"), because, hint)
