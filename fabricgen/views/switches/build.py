"""From a plan to the views of its switches, segment by segment.

Owns `SwitchViews`. What differs from segment to segment (names, addresses, peers) is worked out for the
switches that are asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import ROLES, LinkKind, Role, speed_text
from fabricgen.planning.addressing import dotted
from fabricgen.views.switches.ports import HOST, Ports, SegmentLabels, facts_of, vrf_name
from fabricgen.views.switches.view import (
    CageView,
    IdlePort,
    Instance,
    PlatformView,
    PortView,
    RoceView,
    SwitchView,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.naming import Box
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.switches.ports import PortFacts

BGP_ECMP_LIMIT = 256
"""The widest ECMP that FRR is built with by default, and more than any box here has uplinks for."""

FIRST_TABLE = 1000
"""Linux routing table of rail 0's VRF; below it lie the tables that distributions use."""


class SwitchViews:
    """Makes the views of the switches of one plan."""

    def __init__(self, ports: Ports, *, kept: bool = False) -> None:
        """Keep the ports of the plan; with `kept`, each view is made once."""
        self.plan, self.ports = ports.plan, ports
        self._lengths: tuple[int, Int32Array] | None = None
        self._made: dict[tuple[int, int], SwitchView] | None = {} if kept else None

    def prepare(self) -> None:
        """Work out now what all segments share."""
        _ = self._idle, self._ends, self._box_facts

    def switches(
        self, segment: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None
    ) -> Iterator[SwitchView]:
        """Make the view of every installed switch of a segment, or of those at `boxes` of `Naming.boxes`."""
        names = self.plan.naming.switches(segment)
        labels = SegmentLabels(self.plan, segment)
        for index in boxes or range(len(names)):
            box = self.plan.naming.boxes[index]
            if self.plan.installed[index] and box.role in roles:
                yield self._once(segment, index, box, names, labels)

    def _once(
        self, segment: int, index: int, box: Box, names: list[str], labels: SegmentLabels
    ) -> SwitchView:
        """Make the view of one switch, or return the one that was kept."""
        if self._made is None:
            return self._switch(segment, index, box, names, labels)
        if (segment, index) not in self._made:
            self._made[segment, index] = self._switch(segment, index, box, names, labels)
        return self._made[segment, index]

    def _switch(
        self, segment: int, index: int, box: Box, names: list[str], labels: SegmentLabels
    ) -> SwitchView:
        """Make the view of one switch."""
        plan, spec = self.plan, self.plan.spec
        port_layout = plan.fabric.port_layouts[box.role]
        ports = self._ports(segment, index, box, names, labels)
        idle, cages = self._idle[box.role]
        if len(ports) < len(self.ports.facts[box.role]):
            idle = self._open(box.role, ports)
        shared = box.block < 0
        blocks = range(plan.mapping.segment_blocks) if shared else [box.block]
        instances = [self._instance(segment, block, box, ports, shared=shared) for block in blocks]
        rail = None if shared else plan.mapping.rail(segment, box.block)
        return SwitchView(
            names[index], spec.name, box.role.value, box.role.tier, port_layout.model.model, port_layout.nos, "" if rail is None else str(rail),
            plan.mapping.plane(segment), plan.addresses.asn(segment, box), spec.addressing.mtu, spec.addressing.bfd, plan.addresses.numbered,
            self._roce, _platform(port_layout), _hwsku(port_layout), ports, idle, cages, instances, instances if shared else [],
            spec.nos.versions.get(port_layout.nos, ""), port_layout.model.adaptive_routing,
        )  # fmt: skip

    def _open(self, role: Role, ports: list[PortView]) -> list[IdlePort]:
        """List the ports without a cable of a box that leaves planned ones open, in the order of the front panel."""
        used = {port.interface for port in ports}
        planned = [
            IdlePort(*fact[:7]) for fact in self.ports.facts[role] if fact.interface not in used
        ]
        return sorted([*planned, *self._idle[role][0]], key=lambda port: (port.cage, port.subport))

    def _ports(
        self, segment: int, index: int, box: Box, names: list[str], labels: SegmentLabels
    ) -> list[PortView]:
        """Make the views of a switch's ports in use."""
        plan, facts, lanes = self.plan, self.ports.facts[box.role], self.ports.lane_counts[box.role]
        rows, uppers, starts = self._ends
        run = slice(starts[index], starts[index + 1])
        nics, hosts, host_gpus = (
            self.ports.host_interfaces[plan.mapping.plane(segment)],
            plan.hosts,
            plan.fabric.host_gpus,
        )
        far_facts, cables, views, shared = (
            self._box_facts,
            labels.cables,
            list[PortView](),
            box.block < 0,
        )
        long = self._metres(segment)[rows[run]].tolist()
        for (
            kind,
            block,
            lower,
            lower_port,
            upper,
            upper_port,
            slot,
            number,
            is_upper,
            length,
        ) in zip(
            *(column[rows[run]].tolist() for column in plan.segment),
            uppers[run].tolist(),
            long,
            strict=True,
        ):
            port: int = upper_port if is_upper else lower_port
            address, to_host, far = "", kind == HOST, lower if is_upper else upper
            if to_host:
                host, within = divmod(lower + (labels.rails[block] or 0), host_gpus)
                peer, peer_interface = hosts[host], nics[within][0]
                address = labels.address(block, slot)
            else:
                peer, peer_interface = (
                    names[far],
                    far_facts[far][lower_port if is_upper else upper_port].interface,
                )
            vrf, peer_asn = (
                labels.vrfs[block] if shared else "",
                labels.peer_asn(far, to_host=to_host),
            )
            views.append(
                PortView(
                    *facts[port], peer, peer_interface, cables[kind, block](number), address, to_host, vrf, labels.rail_texts[block], length, lanes[port],
                    peer_asn,
                )
            )  # fmt: skip
        return views

    def _instance(
        self, segment: int, block: int, box: Box, ports: list[PortView], *, shared: bool
    ) -> Instance:
        """Make one routing instance of a switch."""
        plan = self.plan
        rail = plan.mapping.rail(segment, block)
        vrf, table = (vrf_name(rail), FIRST_TABLE + (rail or 0)) if shared else ("", 0)
        own = [port for port in ports if port.vrf == vrf]
        hosts, fabric = (
            [port for port in own if port.to_host],
            [port for port in own if not port.to_host],
        )
        loopback = dotted(plan.addresses.loopback(segment, block, box))
        number = segment * plan.mapping.segment_blocks + block
        return Instance(
            vrf, table, "" if rail is None else str(rail), plan.addresses.asn(segment, box), loopback, loopback,
            plan.addresses.hosts.prefix(number), plan.addresses.loopbacks.prefix(number), 31 if plan.addresses.numbered else 32,
            hosts, fabric, min(max(len(fabric), 1), BGP_ECMP_LIMIT),
            list(dict.fromkeys(port.peer_asn for port in fabric)), hosts[0].peer_asn if hosts else 0,
        )  # fmt: skip

    @cached_property
    def _roce(self) -> RoceView:
        """The lossless class, which all switches share."""
        return RoceView.of(self.plan.spec.roce)

    @cached_property
    def _idle(self) -> dict[Role, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each role's box."""
        shown = {}
        for role, ports in self.plan.ports.items():
            port_layout = self.plan.fabric.port_layouts[role]
            rest = port_layout.idle(ports)
            shown[role] = (
                [IdlePort(*facts_of(port_layout, port)[:7]) for port in rest],
                _cages(port_layout, [*ports, *rest]),
            )
        return shown

    @cached_property
    def _box_facts(self) -> list[list[PortFacts]]:
        """The ports of each of a segment's boxes."""
        return [self.ports.facts[box.role] for box in self.plan.naming.boxes]

    @cached_property
    def _ends(self) -> tuple[Int32Array, NDArray[np.bool_], Int32Array]:
        """The ends of a segment's links at its switches, in order of switch and port.

        Columns: the row of the link, whether the switch is its upper end, and where each switch's
        ends start.
        """
        segment, rows = self.plan.segment, np.arange(len(self.plan.segment.kind), dtype=np.int32)
        between = rows[segment.kind != LinkKind.HOST]
        switch = np.concatenate([segment.upper, segment.lower[between]])
        port = np.concatenate([segment.upper_port, segment.lower_port[between]])
        order = np.lexsort((port, switch))
        starts = np.searchsorted(switch[order], np.arange(len(self.plan.naming.boxes) + 1)).astype(
            np.int32
        )
        return np.concatenate([rows, between])[order], (order < len(rows)), starts

    def _metres(self, segment: int) -> Int32Array:
        """Return the length of each link of a segment in whole metres, rounded up, and 0 in a room that nobody described; of one segment it is kept."""
        lengths = self.plan.lengths if self.plan.spec.site else None
        if self._lengths is None or self._lengths[0] != segment:
            long = (
                -(-lengths.stock_mm[lengths.laid(segment).stock] // 1000)
                if lengths
                else np.zeros_like(self.plan.segment.kind)
            )
            self._lengths = segment, long
        return self._lengths[1]


def _hwsku(port_layout: PortLayout) -> str:
    """Return the SKU that stands for this front: a wrong one would split the cages otherwise."""
    sonic = port_layout.model.sonic
    return (
        sonic.hwsku or ""
        if sonic and sonic.hwsku_split == port_layout.down.name == port_layout.up.name
        else ""
    )


def _platform(port_layout: PortLayout) -> PlatformView | None:
    """Return what SONiC calls the switch; None where the catalog knows none."""
    sonic = port_layout.model.sonic
    return PlatformView(sonic.platform, sonic.fec or "", sonic.dynamic_buffers) if sonic else None


def _cages(port_layout: PortLayout, ports: list[Port]) -> list[CageView]:
    """List the cages with their split."""
    splits = {port.cage: port.breakout for port in ports}
    whole = next((mode for mode in port_layout.model.breakouts if mode.count == 1), None)
    views = []
    for cage in sorted(splits):
        mode = splits[cage]
        first = port_layout.model.interface(port_layout.nos, cage, 0, mode)
        unsplit = port_layout.model.interface(port_layout.nos, cage, 0, whole) if whole else first
        views.append(
            CageView(
                cage,
                first,
                unsplit,
                mode.name,
                mode.count,
                mode.sonic or mode.name,
                mode.count > 1,
                speed_text(mode.speed_gbps),
                mode.lanes,
            )
        )
    return views
