"""From a plan to the views of its switches, segment by segment.

Owns `SwitchViews`. What differs between segments (names, addresses, peers) is computed for the
switches that are asked for.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import DEVICES, ROLES, LinkKind, Role, speed_text
from fabricgen.planning.addressing import address_text
from fabricgen.planning.networks.shared_leaves import ports_with
from fabricgen.planning.override_texts import override_texts
from fabricgen.planning.switch_match import matches, switch_identity, switch_vars
from fabricgen.views.link_ends import objects
from fabricgen.views.management import ManagementViews
from fabricgen.views.protocols import LinkSettings, headroom_bytes
from fabricgen.views.switches.edges import Edges
from fabricgen.views.switches.facts import cage_facts, switch_facts
from fabricgen.views.switches.overlay import Overlays
from fabricgen.views.switches.ports import PortFacts, Ports, SegmentLabels, facts_of, vrf_name
from fabricgen.views.switches.view import (
    PORT_COLUMNS,
    AccessView,
    CageView,
    IdlePort,
    Instance,
    OverrideView,
    PortView,
    SwitchView,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array
    from fabricgen.inventory.overrides import OverrideMatch
    from fabricgen.planning.naming import Box
    from fabricgen.planning.port_layout import Port, PortLayout

BGP_ECMP_LIMIT = 256
"""The widest ECMP that FRR is built with by default, and more than any box here has uplinks for."""

PREFIX_HEADROOM = 2
"""A session is limited to this multiple of the prefixes that the plan counts, so that a fabric may
grow to it before the limits of its old switches are raised."""

FIRST_TABLE = 1001
"""Linux routing table of rail 0's VRF; ifupdown2 makes VRFs with the tables 1001 to 5000 only."""

BATCH = 8
"""Switches whose ports are made at once.

With fewer, the overhead of numpy shows; with more, that of the garbage collector.
"""


class _SwitchEnds(NamedTuple):
    """The ends of a segment's links at its switches, in order of switch and port.

    The row of the link, whether the switch is its upper end, and whether several rails share the
    switch; the facts and the lanes of the port, and where the ends of each switch begin.
    """

    row: Int32Array
    is_upper: BoolArray
    is_shared: BoolArray
    facts: NDArray[np.object_]
    lanes: Int64Array
    starts: list[int]


class SwitchViews:
    """Makes the views of the switches of one plan."""

    def __init__(self, ports: Ports, *, kept: bool = False) -> None:
        """Keep the ports of the plan; with `kept`, each view is made once."""
        self.plan, self.ports = ports.plan, ports
        self._edges = Edges(self.plan)
        self._overlays = Overlays(self.plan, self._edges)
        self._management = ManagementViews(self.plan.spec.management, self.plan.management)
        self._lengths: tuple[int, Int32Array] | None = None
        self._headroom = cache(self._headroom_of)  # few speeds and lengths, and many ports
        self._open = cache(self._open_ports)  # few sets of ports in use, and many switches
        self._made: dict[tuple[int, int], SwitchView] | None = {} if kept else None
        devices = self.plan.networks.get(DEVICES)
        self._devices = SwitchViews(Ports(devices)) if devices else None

    def prepare(self) -> None:
        """Compute now what all segments share."""
        _ = self._idle, self._ends, self._overrides, self._prefixes

    def switches(
        self, segment: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None
    ) -> Iterator[SwitchView]:
        """Make the view of each installed switch of a segment, or of those at these boxes."""
        labels, every = SegmentLabels(self.ports, segment), self.plan.naming.boxes
        wanted = [
            index
            for index in (range(len(every)) if boxes is None else boxes)
            if self.plan.installed[index] and every[index].role in roles
        ]
        for first in range(0, len(wanted), BATCH):
            yield from self._batch(wanted[first : first + BATCH], labels)

    def _batch(self, boxes: Sequence[int], labels: SegmentLabels) -> list[SwitchView]:
        """Make the views of some switches of a segment, but for those that were kept."""
        made, segment = {} if self._made is None else self._made, labels.ends.segment
        missing = [index for index in boxes if (segment, index) not in made]
        for index, ports in zip(missing, self._ports(missing, labels), strict=True):
            made[segment, index] = self._switch(index, ports, labels)
        return [made[segment, index] for index in boxes]

    def _switch(self, index: int, ports: list[PortView], labels: SegmentLabels) -> SwitchView:
        """Make the view of one switch."""
        plan, spec, segment = self.plan, self.plan.spec, labels.ends.segment
        box = plan.naming.boxes[index]
        self._edges.set_peers(index, self.ports.facts[box.role], ports)
        overlay = self._overlays.view(box, index, self.ports.facts[box.role], ports)
        port_layout = plan.fabric.port_layouts[box.role]
        shared = box.block < 0
        devices, places = self._device_ports(index, labels)
        idle, cages = self._unused(box.role, places) if places else self._idle[box.role]
        if places or len(ports) < len(self.ports.facts[box.role]):
            ports = [*ports, *devices]
            used = frozenset(port.interface for port in ports)
            idle = self._open(box.role, used, places)
        blocks = range(plan.mapping.segment_blocks) if shared else [box.block]
        instances = [self._instance(segment, block, box, ports, shared=shared) for block in blocks]
        rail = None if shared else plan.mapping.rail(segment, box.block)
        identity = switch_identity(plan, segment, index, labels.ends.switches[index])
        return SwitchView(
            name=labels.ends.switches[index],
            fabric=spec.name,
            role=box.role.value,
            tier=box.role.tier,
            model=port_layout.model.model,
            nos=port_layout.nos,
            rail="" if rail is None else str(rail),
            plane=plan.mapping.plane(segment),
            asn=plan.addresses.asn(segment, box),
            mtu=self.settings.mtu,
            bfd=self.settings.bfd,
            hosts_numbered=plan.addresses.numbered,
            family=plan.addresses.family,
            address_bits=plan.addresses.hosts.bits,
            timers=self.settings.timers,
            roce=self.settings.roce,
            bgp=self.settings.bgp,
            facts=switch_facts(port_layout),
            ports=ports,
            idle_ports=idle,
            cages=cages,
            instances=instances,
            vrfs=instances if shared else [],
            headrooms=_headrooms(ports),
            nos_version=plan.fabric.nos_version(port_layout),
            management=self._management.view(segment, index),
            # no document has adaptive routing together with the overlay of EVPN
            adaptive_routing=port_layout.model.adaptive_routing and overlay is None,
            access=self._access,
            overlay=overlay,
            lossless=plan.fabric.lossless,
            vars=switch_vars(spec, identity),
            overrides=[own for match, own in self._overrides if matches(match, identity)],
        )

    def _device_ports(
        self, box: int, labels: SegmentLabels
    ) -> tuple[list[PortView], tuple[Port, ...]]:
        """Return the ports of devices on a leaf of the compute fabric, as views and as places."""
        if self._devices is None or (shared := self.plan.shared_leaves) is None:
            return [], ()
        segment = labels.ends.segment
        if not (own := shared.on(segment, box)):
            return [], ()
        leaf = shared.leaves.index((segment, box))
        (views,) = self._devices._ports([leaf], SegmentLabels(self._devices.ports, 0))  # noqa: SLF001 - of another plan
        for view, port in zip(views, own, strict=True):
            view.rail = labels.rail_texts[shared.blocks[port]]
            if self.plan.naming.boxes[box].block < 0:
                view.vrf = labels.vrfs[shared.blocks[port]]
        return views, tuple(own.values())

    def _open_ports(
        self, role: Role, used: frozenset[str], devices: tuple[Port, ...]
    ) -> list[IdlePort]:
        """List the ports without a cable of a box that uses some planned ones.

        They are in the order of the front panel.
        """
        idle = self._unused(role, devices)[0] if devices else self._idle[role][0]
        kept = {*ports_with(self.plan.ports[role], devices)}
        planned = [
            IdlePort(*fact[:7])
            for fact, port in zip(self.ports.facts[role], self.plan.ports[role], strict=True)
            if fact.interface not in used and port in kept
        ]
        return sorted([*planned, *idle], key=lambda port: (port.cage, port.subport))

    def _ports(self, boxes: Sequence[int], labels: SegmentLabels) -> Iterator[list[PortView]]:
        """Yield the views of the ports in use of each of some switches."""
        if not boxes:
            return
        # numpy resolves the ends of all these switches at once, which costs less than one by one
        every, starts = self._ends, self._ends.starts
        here = np.concatenate([np.arange(starts[box], starts[box + 1]) for box in boxes])
        rows, is_upper = every.row[here], every.is_upper[here]
        links = labels.ends.columns(rows)
        block, slot, to_host = links.block.tolist(), links.slot.tolist(), links.is_host.tolist()
        far = np.where(is_upper, links.lower, links.upper).tolist()
        vrf = np.where(every.is_shared[here], links.block, np.int32(-1)).tolist()
        metres = self._metres(labels.ends.segment)[rows].tolist()
        facts = dict(zip(PortFacts._fields, zip(*every.facts[here], strict=True), strict=True))
        columns = {
            **facts,
            "peer_device": np.where(is_upper, links.lower_device, links.upper_device).tolist(),
            "peer_interface": map(
                attrgetter("interface"),
                np.where(is_upper, links.lower_port, links.upper_port).tolist(),
            ),
            "cable": links.cables,
            "address": labels.addresses(block, slot),
            "to_host": to_host,
            "vrf": map([*labels.vrfs, ""].__getitem__, vrf),
            "rail": map(labels.rail_texts.__getitem__, block),
            "length_m": metres,
            "headroom_bytes": map(self._headroom, facts["speed_mbps"], metres),
            "lane_count": every.lanes[here].tolist(),
            "peer_asn": map(labels.peer_asn, far, to_host),
            "host_route": labels.host_routes(block, slot),
            "peer_address": repeat(""),
            "bonded": repeat(False),  # noqa: FBT003 - a column
        }
        # a hot loop: PORT_COLUMNS are the fields in their order, so no view is built by keyword
        views = map(PortView, *(columns[name] for name in PORT_COLUMNS))
        for box in boxes:
            yield list(islice(views, starts[box + 1] - starts[box]))

    def _instance(
        self, segment: int, block: int, box: Box, ports: list[PortView], *, shared: bool
    ) -> Instance:
        """Make one routing instance of a switch."""
        plan = self.plan
        rail = plan.mapping.rail(segment, block)
        vrf = vrf_name(rail) if shared else ""
        table = FIRST_TABLE + plan.mapping.first_rail(segment, block) if shared else 0
        own = [port for port in ports if port.vrf == vrf]
        fabric = [port for port in own if not port.to_host]
        speakers = [port for port in own if not (port.to_host and plan.addresses.numbered)]
        hosts = [port for port in own if port.to_host]
        bgp_hosts = [port for port in speakers if port.to_host]
        number = segment * plan.mapping.segment_blocks + block
        return Instance(
            vrf=vrf,
            table=table,
            rail="" if rail is None else str(rail),
            asn=plan.addresses.asn(segment, box),
            router_id=address_text(plan.addresses.router_id(segment, block, box)),
            loopback=address_text(plan.addresses.loopback(segment, block, box)),
            host_prefix=plan.addresses.hosts.prefix(number),
            loopback_prefix=plan.addresses.loopbacks.prefix(number),
            host_prefix_length=plan.addresses.host_length,
            own_ports=own,
            host_ports=hosts,
            fabric_ports=fabric,
            bgp_hosts=bgp_hosts,
            bgp_ports=speakers,
            policy_name="FABRIC" if rail is None else f"RAIL{rail}",
            ecmp_paths=min(max(len(fabric), 1), BGP_ECMP_LIMIT),
            prefix_limit=self._prefix_limit(block),
            fabric_asns=list(dict.fromkeys(port.peer_asn for port in fabric)),
            host_asn=bgp_hosts[0].peer_asn if bgp_hosts else 0,
            edge_ports=[port for port in hosts if port.peer_address],
            accepted=[] if self._overlays.tenants else self._edges.accepted(),
        )

    def _prefix_limit(self, block: int) -> int:
        """Return the prefixes that a neighbor may announce; 0 where the inventory sets no limit."""
        limited = self.plan.spec.addressing.bgp.max_prefixes
        return PREFIX_HEADROOM * self._prefixes[block] if limited else 0

    @cached_property
    def _overrides(self) -> list[tuple[OverrideMatch, OverrideView]]:
        """The texts of overrides, with the switches that each is for."""
        return [
            (own.match, OverrideView(own.origin, own.number, own.place, own.text))
            for own in override_texts(self.plan)
        ]

    @cached_property
    def _prefixes(self) -> list[int]:
        """The prefixes of each block of a segment: its host links, and its loopbacks."""
        segment, blocks = self.plan.segment, self.plan.mapping.segment_blocks
        hosts = np.bincount(segment.block[segment.kind == LinkKind.HOST], minlength=blocks)
        boxes = [box.block for box in self.plan.naming.boxes]
        return [int(hosts[block]) + boxes.count(block) + boxes.count(-1) for block in range(blocks)]

    @cached_property
    def _access(self) -> AccessView | None:
        """The bridge that every switch of an access network has."""
        network = self.plan.fabric.network
        if network is None or not network.vlan:
            return None
        return AccessView(vlan=network.vlan, name=network.name, uplinks=network.uplinks)

    @cached_property
    def settings(self) -> LinkSettings:
        """The settings that every switch shares with the far ends of its links."""
        return LinkSettings.of(self.plan.spec)

    @cached_property
    def _idle(self) -> dict[Role, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each role's box without devices."""
        return {role: self._unused(role, ()) for role in self.plan.ports}

    def _unused(
        self, role: Role, devices: tuple[Port, ...]
    ) -> tuple[list[IdlePort], list[CageView]]:
        """Return the idle ports and the cages of a box with devices at some ports."""
        port_layout = self.plan.fabric.port_layouts[role]
        used = ports_with(self.plan.ports[role], devices)
        rest = port_layout.idle(used)
        return (
            [IdlePort(*facts_of(port_layout, port)[:7]) for port in rest],
            _cages(port_layout, [*used, *rest]),
        )

    @cached_property
    def _ends(self) -> _SwitchEnds:
        """The ends of a segment's links at its switches."""
        segment, rows = self.plan.segment, np.arange(len(self.plan.segment.kind), dtype=np.int32)
        between = rows[segment.kind != LinkKind.HOST]
        switch = np.concatenate([segment.upper, segment.lower[between]])
        port = np.concatenate([segment.upper_port, segment.lower_port[between]])
        order = np.lexsort((port, switch))
        starts = np.searchsorted(switch[order], np.arange(len(self.plan.naming.boxes) + 1))
        switch, port = switch[order], port[order]
        tier = np.array([box.role.tier for box in self.plan.naming.boxes])[switch]
        facts, lanes = np.empty(len(switch), dtype=object), np.zeros(len(switch), dtype=np.int64)
        for role in self.plan.ports:
            here = tier == role.tier
            facts[here] = objects(self.ports.facts[role])[port[here]]
            lanes[here] = np.array(self.ports.lane_counts[role])[port[here]]
        return _SwitchEnds(
            row=np.concatenate([rows, between])[order],
            is_upper=order < len(rows),
            is_shared=np.array([box.block < 0 for box in self.plan.naming.boxes])[switch],
            facts=facts,
            lanes=lanes,
            starts=starts.tolist(),
        )

    def _headroom_of(self, speed_mbps: int, length_m: int) -> int:
        """Return the headroom of a port: the inventory's, or by its speed and cable.

        A cable in a room that the inventory does not describe counts as one of unknown length.
        """
        given = self.settings.roce.headroom_bytes
        known_m = length_m if self.plan.spec.site else 0
        return given or headroom_bytes(speed_mbps, known_m, self.settings.mtu)

    def _metres(self, segment: int) -> Int32Array:
        """Return the length of each link of a segment in whole metres, rounded up.

        It is 0 where cables have no lengths. The lengths of the last segment are kept.
        """
        if self._lengths is None or self._lengths[0] != segment:
            self._lengths = segment, -(-self.plan.link_mm(segment) // 1000)
        return self._lengths[1]


def _headrooms(ports: list[PortView]) -> list[tuple[int, list[PortView]]]:
    """Group ports by the headroom that they need."""
    sizes = sorted({port.headroom_bytes for port in ports})
    return [(size, [port for port in ports if port.headroom_bytes == size]) for size in sizes]


def _cages(port_layout: PortLayout, ports: list[Port]) -> list[CageView]:
    """List the cages with their split."""
    splits = {port.cage: port.breakout for port in ports}
    views = []
    for cage in sorted(splits):
        mode, every = splits[cage], port_layout.model.breakouts_of(cage)
        whole = next((other for other in every if other.count == 1), None)
        first = port_layout.model.interface(port_layout.nos, cage, 0, mode)
        unsplit = port_layout.model.interface(port_layout.nos, cage, 0, whole) if whole else first
        views.append(
            CageView(
                cage=cage,
                interface=first,
                whole=unsplit,
                breakout=mode.name,
                count=mode.count,
                facts=cage_facts(port_layout, mode.name),
                split=mode.count > 1,
                speed=speed_text(mode.speed_gbps),
                lane_count=mode.lanes,
            )
        )
    return views
