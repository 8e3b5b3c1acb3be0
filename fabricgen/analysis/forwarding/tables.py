"""The forwarding tables as documents: of each host's GPUs, of each switch, and the domain order.

Owns their form. Every entry is derived from the plan, and a reader needs no other rule than these.
A source tries the destination's rail, then its own rail, then the others in the order that its HB
domain has under `third_rails` for the destination's rail. On each rail it tries its own `relays` as
exits, in order, and for each the destination's `relays` on the rail of the exit as landings, in
order. If no such crossing works, it crosses into another HB domain first, in the order of
`domains`. A switch uses the longest prefix, without next hops that have failed or cannot continue.

A GPU's table is as long as its HB domain is large. The order of rails is the same for all GPUs of a
domain, and is written once for them.
"""

from __future__ import annotations

from functools import cached_property
from ipaddress import IPv4Address, ip_interface, summarize_address_range
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.forwarding.gpu_routes import has_hb_addresses, route_columns
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.forwarding.relay_rules import ranks_by_rail, third_rails
from fabricgen.core.compact_json import compact_json
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import IPV4_BITS, address_text
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from fabricgen.analysis.forwarding.path_names import NicAttachment
    from fabricgen.core.arrays import Int32Array
    from fabricgen.core.columns import Columns
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import Instance, PortView

RULE = "the domains after the source's own, in cyclic order; the way over the fewest of them wins"


def host_table(host: str) -> str:
    """Return the path of a host's tables below OUT."""
    return f"hosts/{host}/forwarding.json"


def switch_table(switch: str) -> str:
    """Return the path of a switch's table below OUT."""
    return f"forwarding/{switch}.json"


def document_text(document: dict[str, Any]) -> str:
    """Return the text of a table; blanks would double its size."""
    return compact_json(document) + "\n"


_ROUTE = '{"prefix":"{}","via":"{}","device":"{}","source":"{}","metric":{}}'
"""A route as JSON: addresses and names of devices hold nothing to escape."""

_NEXT = "\n"
"""What divides the lines of a run of routes."""


class ForwardingTables:
    """The forwarding tables of one plan; what its segments share is computed once."""

    def __init__(self, plan: Plan, views: Views | None = None) -> None:
        """Keep the plan and its views; the tables are computed when they are needed."""
        self.plan = plan
        self.ends = PathNames(Reach(plan))
        self.views = views or Views(plan)
        self._covers: dict[tuple[int, int], list[tuple[int, int]]] = {}

    @property
    def entries(self) -> int:
        """Return the number of relays of all GPUs and of ordered rails: the size."""
        fabric = self.plan.fabric
        return fabric.gpus * fabric.domain_gpus + fabric.coordinates.domains * fabric.rails**2

    @cached_property
    def ethernet(self) -> bool:
        """Whether packets are routed by IP; on InfiniBand the subnet manager assigns addresses."""
        return self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"

    def prepare(self) -> None:
        """Compute what all segments share; workers that are forked afterwards inherit it."""
        self.views.prepare()
        _ = self.ends.nic(0, 0), self._slots

    def domains(self, wanted: Iterable[int] | None = None) -> dict[str, Any]:
        """Return the order in which other HB domains are tried as a path for a packet.

        Each has its hosts, its GPUs and its order of rails. `wanted` limits them.
        """
        fabric, coordinates = self.plan.fabric, self.plan.fabric.coordinates
        orders = [  # every domain has one of a few
            {str(rail): third_rails(fabric, domain, rail) for rail in range(fabric.rails)}
            for domain in range(max(fabric.rails - 1, 1))
        ]
        listed = [
            {
                "hb_domain": domain,
                "hosts": [self.plan.hosts[host] for host in coordinates.domain_host_range(domain)],
                "gpus": self.ends.gpus(domain),
                "third_rails": orders[domain % len(orders)],
            }
            for domain in (range(coordinates.domains) if wanted is None else wanted)
        ]
        return {"rule": RULE, "domains": listed}

    def host(self, host: int, wanted: Container[int] | None = None) -> Iterator[str]:
        """Yield the text of a host's table: all of its GPUs, or some.

        Hosts are counted over all HB domains. In large HB domains nearly all of the text is routes,
        which are written without a mapping for each.
        """
        coordinates = self.plan.fabric.coordinates
        gpus = [gpu for gpu in coordinates.host_range(host) if wanted is None or gpu in wanted]
        whose = {"host": self.plan.hosts[host], "hb_domain": coordinates.domain_of_host(host)}
        yield compact_json(whose)[:-1] + ',"gpus":['
        for gpu, ports in zip(gpus, self.ends.nics(gpus), strict=True):
            routes = ",".join(run.lines(_ROUTE) for run in self._gpu_routes(gpu, ports))
            yield (
                f"{',' if gpu > gpus[0] else ''}{compact_json(self._gpu(gpu, ports))[:-1]}"
                f',"routes":[{routes.replace(_NEXT, ",")}]}}'
            )
        yield "]}\n"

    def _gpu(self, gpu: int, ports: Sequence[NicAttachment]) -> dict[str, Any]:
        """Return the tables of a GPU with these NIC ports, except its routes."""
        fabric = self.plan.fabric
        return {
            "gpu": self.ends.gpu(gpu),
            "rank": fabric.coordinates.rank(gpu),
            "rail": fabric.coordinates.rail(gpu),
            "ports": [_port(plane, end) for plane, end in enumerate(ports)],
            "relays": {str(rail): names for rail, names in enumerate(self._relays(gpu))},
        }

    def _gpu_routes(self, gpu: int, ports: Sequence[NicAttachment]) -> Iterable[Columns]:
        """Return the IP routes of a GPU in runs; none on InfiniBand."""
        routed = self.ethernet and has_hb_addresses(self.plan.fabric.domain_gpus)
        return route_columns(self.ends, gpu, ports) if routed else ()

    def _relays(self, gpu: int) -> Iterator[list[str]]:
        """Return the names of GPUs on which a packet for a GPU may land, rail by rail.

        They are those of `landings`, best first, computed for all rails at once.
        """
        fabric, spans = self.plan.fabric, self.plan.mapping.spans_rails
        own, ranks = fabric.coordinates.rail(gpu), ranks_by_rail(fabric, gpu)
        rank, names = fabric.coordinates.rank(gpu), self.ends.gpus(fabric.coordinates.domain(gpu))
        for rail in range(fabric.rails):
            on = [
                names[other]
                for other in ranks[
                    rail * fabric.ranks_per_rail : (rail + 1) * fabric.ranks_per_rail
                ]
            ]
            yield [names[rank], *on] if spans and rail != own else on

    def switches(
        self, segment: int, boxes: Sequence[int] | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the table of every installed switch of a segment.

        `boxes` of `DeviceNames.boxes` limits them.
        """
        index = {name: box for box, name in enumerate(self.plan.naming.switches(segment))}
        for view in self.views.switches(segment, boxes=boxes):
            box, blocks = (
                self.plan.naming.boxes[index[view.name]],
                range(self.plan.mapping.segment_blocks),
            )
            served = blocks if box.block < 0 else [box.block]
            instances = [
                {
                    "vrf": instance.vrf,
                    "rail": self.plan.mapping.rail(segment, block),
                    "routes": list(self._routes(segment, block, box, index, instance)),
                }
                for block, instance in zip(served, view.instances, strict=False)  # not networks
            ]
            yield (
                view.name,
                {
                    "switch": view.name,
                    "role": view.role,
                    "plane": view.plane,
                    "instances": instances,
                },
            )

    def _routes(
        self, segment: int, block: int, box: Box, index: dict[str, int], instance: Instance
    ) -> Iterator[dict[str, Any]]:
        """Yield the routes of one routing instance.

        Hosts come first, then the leaves or pods below it, then a route upwards for everything
        else.
        """
        number, sizing = segment * self.plan.mapping.segment_blocks + block, self.plan.sizing
        start = self.plan.addresses.hosts.start(number)
        slots = self._slots_of(box) if instance.host_ports else []
        addresses = self.plan.addresses.host_addresses(number, slots)
        for port, address in zip(instance.host_ports, addresses, strict=False):
            yield {"prefixes": [self._link_prefix(address)], "next_hops": _hops([port])}
        for port in instance.host_ports[len(slots) :]:  # those of devices
            yield {"prefixes": [_prefix_of(port)], "next_hops": _hops([port])}
        devices = self._device_prefixes(segment, block)
        below: dict[int, list[PortView]] = {}
        for port in instance.fabric_ports:
            peer = self.plan.naming.boxes[index[port.peer_device]]
            pod_or_leaf = (
                -1
                if peer.role.tier > box.role.tier
                else peer.index
                if peer.role is Role.LEAF
                else peer.index // sizing.pod_spines
            )
            below.setdefault(pod_or_leaf, []).append(port)
        width = sizing.leaf_down * (sizing.pod_leaves if box.role is Role.CORE else 1)
        up = below.pop(-1, [])
        for group, ports in below.items():
            own = range(group * width // sizing.leaf_down, (group + 1) * width // sizing.leaf_down)
            prefixes = self._prefixes(start, group * width, (group + 1) * width)
            prefixes += [prefix for leaf, prefix in devices if leaf in own]
            if prefixes:
                yield {"prefixes": prefixes, "next_hops": _hops(ports)}
        if up:
            yield {"prefixes": [instance.host_prefix], "next_hops": _hops(up)}

    def _device_prefixes(self, segment: int, block: int) -> list[tuple[int, str]]:
        """Return the leaf and the prefix of each port of devices in a block."""
        shared, addresses = self.plan.device_leaves, self.plan.addresses
        if shared is None:
            return []
        leaves = [shared.leaves[leaf] for leaf in shared.bonds.stripe]
        every = zip(leaves, shared.blocks, shared.bonds.slot, strict=True)
        own = [(box, slot) for (where, box), at, slot in every if (where, at) == (segment, block)]
        found = addresses.host_addresses(0, [slot for _, slot in own])
        return [
            (box, self._link_prefix(address)) for (box, _), address in zip(own, found, strict=True)
        ]

    def _link_prefix(self, address: int) -> str:
        """Return the prefix of the link of a NIC port, or of its address on unnumbered links."""
        addresses = self.plan.addresses
        return f"{address_text(address - addresses.numbered)}/{addresses.host_length}"

    @cached_property
    def _slots(self) -> Int32Array:
        """The installed endpoint positions of a block, in order."""
        segment = self.plan.segment
        slots: Int32Array = segment.slot[(segment.kind == LinkKind.HOST) & (segment.block == 0)]
        return slots

    def _slots_of(self, leaf: Box) -> list[int]:
        """Return the installed endpoint positions of a leaf."""
        down = self.plan.sizing.leaf_down
        first, last = np.searchsorted(self._slots, (leaf.index * down, (leaf.index + 1) * down))
        found: list[int] = self._slots[first:last].tolist()
        return found

    def _prefixes(self, start: int, first: int, last: int) -> list[str]:
        """Return prefixes for the endpoint positions from `first` below `last`, and no others.

        The block begins at address `start`.
        """
        if (first, last) not in self._covers:
            slots = self._slots[slice(*np.searchsorted(self._slots, (first, last)))]
            runs = np.split(slots, np.flatnonzero(np.diff(slots) != 1) + 1) if len(slots) else []
            self._covers[first, last] = [
                cover for run in runs for cover in self._cover(int(run[0]), int(run[-1]))
            ]
        return [
            f"{address_text(start + offset)}/{length}"
            for offset, length in self._covers[first, last]
        ]

    def _cover(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield offset and length of the prefixes of a run of positions.

        A block begins at a multiple of its size, so offsets are aligned alike.
        """
        each = 2 if self.plan.addresses.numbered else 1
        skipped, more = self.plan.addresses.skipped, self.plan.addresses.hosts.bits - IPV4_BITS
        for network in summarize_address_range(
            IPv4Address(skipped + first * each), IPv4Address(skipped + last * each + each - 1)
        ):
            yield int(network.network_address), network.prefixlen + more


def _port(plane: int, end: NicAttachment) -> dict[str, Any]:
    """Return a NIC port and the far end of its cable."""
    return {
        "plane": plane,
        "interface": end.interface,
        "address": address_text(end.address),
        "peer": end.switch,
        "peer_interface": end.switch_interface,
        "cable": end.cable,
    }


def _prefix_of(port: PortView) -> str:
    """Return the prefix of the link of a device's port, or the one that the device announces."""
    if not port.address:
        return port.host_route
    return str(ip_interface(port.address).network)


def _hops(ports: Iterable[PortView]) -> list[dict[str, str]]:
    """Return the next hops behind some ports."""
    return [
        {
            "interface": port.interface,
            "peer": port.peer_device,
            "peer_interface": port.peer_interface,
            "cable": port.cable,
        }
        for port in ports
    ]
