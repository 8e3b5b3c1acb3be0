"""From a plan to the views of its cables and switches, unit by unit.

Owns `Views`. What is the same in every unit (interfaces, lanes, splits) is worked out once; what differs (names, addresses, labels) is
worked out for the rows that are asked for, so that memory stays level whatever the size. The shapes stand in `views`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.addressing import dotted
from fabricgen.cabling.ways import metres
from fabricgen.terms import ROLES, LinkKind, Role, speed_text
from fabricgen.views import CableView, CageView, IdlePort, Instance, PortView, SwitchView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.cabling.plugging import Joint
    from fabricgen.clos import Ints
    from fabricgen.fronts import Front, Port
    from fabricgen.placing import Box
    from fabricgen.planner import Plan

BGP_ECMP_LIMIT = 256
"""The widest ECMP that FRR is built with by default, and more than any box here has uplinks for."""


class _Facts(NamedTuple):
    """What is the same of a port on every box of a role."""

    interface: str
    alias: str
    cage: int
    subport: int
    lanes: str
    speed: str
    speed_mbps: int
    breakout: str


class Views:
    """Makes the views of one plan, unit by unit; what is the same in every unit is worked out once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is asked for."""
        self.plan = plan
        self._kept: tuple[int, Ints] | None = None

    @cached_property
    def _spoken(self) -> dict[int, Views]:
        """What makes the views of the rails whose switches run another NOS."""
        return {rail: Views(self.plan.speaking(rail)) for rail in self.plan.request.spoken}

    def _of(self, unit: int) -> Views:
        """Return what makes the views of a unit."""
        return self._spoken.get(self.plan.mapping.rail(unit) or 0, self) if self.plan.request.spoken else self

    @cached_property
    def facts(self) -> dict[Role, list[_Facts]]:
        """The ports of each role's box, in the order of `Plan.ports`."""
        fronts = self.plan.request.fronts
        return {role: [_facts(fronts[role], port) for port in ports] for role, ports in self.plan.ports.items()}

    @cached_property
    def _lane_counts(self) -> dict[Role, list[int]]:
        """The lanes of each port of a role's box, in the order of `Plan.ports`."""
        return {role: [port.breakout.lanes for port in ports] for role, ports in self.plan.ports.items()}

    @cached_property
    def _idle(self) -> dict[Role, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each role's box."""
        shown = {}
        for role, ports in self.plan.ports.items():
            front = self.plan.request.fronts[role]
            rest = front.idle(ports)
            shown[role] = [IdlePort(*_facts(front, port)[:7]) for port in rest], _cages(front, [*ports, *rest])
        return shown

    @cached_property
    def _host_interfaces(self) -> list[list[tuple[str, str]]]:
        """The interface and the printed label of each NIC port, by plane, then by GPU of a host."""
        request, naming = self.plan.request, self.plan.naming
        return [[(naming.interface(gpu, plane), naming.label(gpu, plane)) for gpu in range(request.host_gpus)] for plane in range(request.planes)]

    @cached_property
    def _printed(self) -> dict[Role, list[str]]:
        """What is printed beside the ports of each role's box: the cage, and the position in it."""
        return {role: [f"{port.cage}/{port.subport}" if port.subport else str(port.cage) for port in ports] for role, ports in self.facts.items()}

    @cached_property
    def _uppers(self) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
        """The interface, and what is printed beside it, at the upper end of each of a unit's links."""
        unit = self.plan.unit
        interface, printed = (np.empty(len(unit.kind), dtype=object) for _ in range(2))
        for kind in self.plan.kinds:
            rows = unit.kind == kind
            ports = unit.upper_port[rows]
            interface[rows] = np.array([fact.interface for fact in self.facts[kind.upper]], dtype=object)[ports]
            printed[rows] = np.array(self._printed[kind.upper], dtype=object)[ports]
        return interface, printed

    @cached_property
    def _ends(self) -> tuple[Ints, NDArray[np.bool_], Ints]:
        """The ends of a unit's links at its switches, in order of switch and port.

        Columns: the row of the link, whether the switch is its upper end, and where each switch's ends start.
        """
        unit, rows = self.plan.unit, np.arange(len(self.plan.unit.kind), dtype=np.int32)
        between = rows[unit.kind != LinkKind.HOST]
        switch = np.concatenate([unit.upper, unit.lower[between]])
        port = np.concatenate([unit.upper_port, unit.lower_port[between]])
        order = np.lexsort((port, switch))
        starts = np.searchsorted(switch[order], np.arange(len(self.plan.naming.boxes) + 1)).astype(np.int32)
        return np.concatenate([rows, between])[order], (order < len(rows)), starts

    @cached_property
    def _texts(self) -> tuple[NDArray[np.object_], ...]:
        """The rack and the rack unit of each device, empty where it has no place, and each stock length, as texts."""
        lengths = self.plan.lengths
        if lengths is None:
            return ()
        stand = lengths.room.standing
        racks = np.array([*lengths.room.names, ""], dtype=object)[stand.rack]
        units = np.array([*map(str, range(int(stand.unit.max(initial=0)) + 1)), ""], dtype=object)[stand.unit]
        return racks, units, np.array([*map(metres, lengths.stock_mm.tolist())], dtype=object)

    def _laid(self, unit: int, start: int, stop: int | None) -> list[list[Any]]:
        """Return the offer, rack and unit of both ends and the length of each link of a run, as columns; texts are empty where nothing is placed."""
        if self.plan.lengths is None:
            offer = self.plan.offer(unit)[start:stop].tolist()
            return [offer, *[[""] * len(offer)] * 5]
        laid, (racks, units, stocks) = self.plan.lengths.laid(unit, start, stop), self._texts
        columns = laid.offer, racks[laid.lower], units[laid.lower], racks[laid.upper], units[laid.upper], stocks[laid.stock]
        return [column.tolist() for column in columns]

    def _metres(self, unit: int) -> Ints:
        """Return the length of each link of a unit in whole metres, rounded up, and 0 in a room that nobody described; of one unit it is kept."""
        lengths = self.plan.lengths if self.plan.spec.site else None
        if self._kept is None or self._kept[0] != unit:
            long = -(-lengths.stock_mm[lengths.laid(unit).stock] // 1000) if lengths else np.zeros_like(self.plan.unit.kind)
            self._kept = unit, long
        return self._kept[1]

    def prepare(self) -> None:
        """Work out now what all units share; workers that are forked afterwards inherit it."""
        _ = self.facts, self._idle, self._host_interfaces, self._ends, self.plan.hosts, self._uppers, self._texts
        for views in self._spoken.values():
            views.prepare()

    def cables(self, unit: int, start: int = 0, stop: int | None = None) -> list[CableView]:
        """Return the cables of one unit, or a run of them, in the order of `Plan.unit`."""
        if (own := self._of(unit)) is not self:
            return own.cables(unit, start, stop)
        plan = self.plan
        names, plane = plan.naming.switches(unit), plan.mapping.plane(unit)
        boxes, request = plan.naming.boxes, plan.request
        labels = _Labels(plan, unit)
        texts = [_joint_texts(joint) for joint in plan.offers]
        many = {int(kind): joint.cables for kind, joint in plan.joints.items()}
        shared = {number: joint for number, joint in enumerate(plan.offers) if joint.shared > 1}
        facts, printed, nics, hosts = self.facts, self._printed, self._host_interfaces[plane], plan.hosts
        views: list[CableView] = []
        for kind, block, lower, lower_port, upper, upper_port, _, number, b_interface, b_port, offer, a_rack, a_unit, b_rack, b_unit, length in zip(
            *(column[start:stop].tolist() for column in (*plan.unit, *self._uppers)), *self._laid(unit, start, stop), strict=True
        ):
            rail, gpu = labels.rails[block], 0
            speed, medium, part, low, high = texts[offer]
            if kind == LinkKind.HOST:
                gpu = lower + (rail or 0)
                host, within = divmod(gpu, request.host_gpus)
                a_device, (a_interface, a_port) = hosts[host], nics[within]
                rail = gpu % request.domain_gpus % request.rails
            else:
                below = boxes[lower].role
                a_device, a_interface, a_port = names[lower], facts[below][lower_port].interface, printed[below][lower_port]
            views.append(
                CableView(
                    labels.cable(kind, block, number), "" if rail is None else str(rail), plane, kind,
                    a_device, a_interface, a_port, names[upper], b_interface, b_port,
                    speed, a_rack, a_unit, b_rack, b_unit, length, medium, part, low, high, "", 0,
                )
            )  # fmt: skip
            if offer in shared:
                views[-1].piece = self._piece(shared[offer], views[-1], (gpu, plane), (lower_port, upper_port))
            if many[kind] > 1:
                views[-1:] = _split(views[-1], many[kind])
        return views

    def _piece(self, joint: Joint, view: CableView, nic: tuple[int, int], ports: tuple[int, int]) -> str:
        """Name the piece of cable that a link shares with others: by the cage at its near end, and the position there where the cage holds several."""
        plan, role = self.plan, joint.kind.upper if joint.near == "upper" else joint.kind.lower
        device = view.b_device if joint.near == "upper" else view.a_device
        if role is None:
            port = plan.request.host.port(nic[0] % plan.request.host_gpus, nic[1]) if plan.request.host else None
            return f"{device}:{port.cage}" if port else device
        cage, sub, mode = plan.ports[role][ports[joint.near == "upper"]]
        return f"{device}:{cage}" + (f"/{sub // joint.shared + 1}" if mode.count > joint.shared else "")

    def switches(self, unit: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None) -> Iterator[SwitchView]:
        """Make the view of every installed switch of a unit, or of those at `boxes` of `Naming.boxes`."""
        if (own := self._of(unit)) is not self:
            yield from own.switches(unit, roles, boxes)
            return
        names = self.plan.naming.switches(unit)
        labels = _Labels(self.plan, unit)
        for index in boxes or range(len(names)):
            box = self.plan.naming.boxes[index]
            if self.plan.installed[index] and box.role in roles:
                yield self._switch(unit, index, box, names, labels)

    def _switch(self, unit: int, index: int, box: Box, names: list[str], labels: _Labels) -> SwitchView:
        """Make the view of one switch."""
        plan, spec = self.plan, self.plan.spec
        front = plan.request.fronts[box.role]
        ports = self._ports(unit, index, box, names, labels)
        idle, cages = self._idle[box.role]
        if len(ports) < len(self.facts[box.role]):
            idle = self._open(box.role, ports)
        shared = box.block < 0
        blocks = range(plan.mapping.unit_blocks) if shared else [box.block]
        instances = [self._instance(unit, block, box, ports, shared=shared) for block in blocks]
        rail = None if shared else plan.mapping.rail(unit, box.block)
        return SwitchView(
            names[index], spec.name, box.role.value, box.role.tier, front.model.model, front.nos, "" if rail is None else str(rail),
            plan.mapping.plane(unit), plan.addresses.asn(unit, box), spec.addressing.mtu, spec.addressing.bfd, plan.addresses.numbered,
            spec.roce, front.model.sonic, _hwsku(front), ports, idle, cages, instances, instances if shared else [],
            spec.nos.versions.get(front.nos, ""), front.model.adaptive_routing,
        )  # fmt: skip

    def _open(self, role: Role, ports: list[PortView]) -> list[IdlePort]:
        """List the ports without a cable of a box that leaves planned ones open, in the order of the front panel."""
        used = {port.interface for port in ports}
        planned = [IdlePort(*fact[:7]) for fact in self.facts[role] if fact.interface not in used]
        return sorted([*planned, *self._idle[role][0]], key=lambda port: (port.cage, port.subport))

    def _ports(self, unit: int, index: int, box: Box, names: list[str], labels: _Labels) -> list[PortView]:
        """Make the views of a switch's ports in use."""
        plan, request = self.plan, self.plan.request
        facts, boxes = self.facts[box.role], plan.naming.boxes
        rows, uppers, starts = self._ends
        run = slice(starts[index], starts[index + 1])
        nics, hosts, shared = self._host_interfaces[plan.mapping.plane(unit)], plan.hosts, box.block < 0
        lanes, views = self._lane_counts[box.role], []
        long = self._metres(unit)[rows[run]].tolist()
        for kind, block, lower, lower_port, upper, upper_port, slot, number, is_upper, length in zip(
            *(column[rows[run]].tolist() for column in plan.unit), uppers[run].tolist(), long, strict=True
        ):
            port: int = upper_port if is_upper else lower_port
            rail = labels.rails[block]
            address, to_host, far = "", kind == LinkKind.HOST, lower if is_upper else upper
            if to_host:
                host, within = divmod(lower + (rail or 0), request.host_gpus)
                peer, peer_interface = hosts[host], nics[within][0]
                address = labels.address(block, slot)
            else:
                peer, peer_interface = names[far], self.facts[boxes[far].role][lower_port if is_upper else upper_port].interface
            cable, vrf, peer_asn = labels.cable(kind, block, number), labels.vrfs[block] if shared else "", labels.peer_asn(far, to_host=to_host)
            views.append(PortView(*facts[port], peer, peer_interface, cable, address, to_host, vrf, labels.rail_texts[block], length, lanes[port], peer_asn))
        return views

    def _instance(self, unit: int, block: int, box: Box, ports: list[PortView], *, shared: bool) -> Instance:
        """Make one routing instance of a switch."""
        plan = self.plan
        rail = plan.mapping.rail(unit, block)
        vrf, table = (vrf_name(rail), FIRST_TABLE + (rail or 0)) if shared else ("", 0)
        own = [port for port in ports if port.vrf == vrf]
        hosts, fabric = [port for port in own if port.to_host], [port for port in own if not port.to_host]
        loopback = dotted(plan.addresses.loopback(unit, block, box))
        number = unit * plan.mapping.unit_blocks + block
        return Instance(
            vrf, table, "" if rail is None else str(rail), plan.addresses.asn(unit, box), loopback, loopback,
            plan.addresses.hosts.prefix(number), plan.addresses.loopbacks.prefix(number), 31 if plan.addresses.numbered else 32,
            hosts, fabric, min(max(len(fabric), 1), BGP_ECMP_LIMIT),
            list(dict.fromkeys(port.peer_asn for port in fabric)), hosts[0].peer_asn if hosts else 0,
        )  # fmt: skip


FIRST_TABLE = 1000
"""Linux routing table of rail 0's VRF; below it lie the tables that distributions use."""


def vrf_name(rail: int | None) -> str:
    """Name the VRF of a rail on a shared box."""
    return f"rail{rail}"


class _Labels:
    """The words of one unit that every port of it uses."""

    def __init__(self, plan: Plan, unit: int) -> None:
        blocks = range(plan.mapping.unit_blocks)
        self.rails = [plan.mapping.rail(unit, block) for block in blocks]
        self.rail_texts = ["" if rail is None else str(rail) for rail in self.rails]
        self.vrfs = [vrf_name(rail) for rail in self.rails]
        self._width = plan.label_width
        self._prefixes = {(int(kind), block): plan.label(kind, unit, block) for kind in plan.kinds for block in blocks}
        starts = [plan.addresses.hosts.start(unit * plan.mapping.unit_blocks + block) for block in blocks]
        self._starts = starts if plan.addresses.numbered else []
        self._host_asn = 0 if plan.addresses.numbered else plan.addresses.host_asn
        self._asn = cache(lambda box: plan.addresses.asn(unit, plan.naming.boxes[box]))

    def cable(self, kind: int, block: int, number: int) -> str:
        """Label a cable."""
        return f"{self._prefixes[kind, block]}{number:0{self._width}}"

    def peer_asn(self, box: int, *, to_host: bool) -> int:
        """Return the AS number behind a port: that of a box, or of the hosts."""
        return self._host_asn if to_host else self._asn(box)

    def address(self, block: int, slot: int) -> str:
        """Return the leaf's end of a host link's /31; empty where hosts are unnumbered."""
        return f"{dotted(self._starts[block] + 2 * slot)}/31" if self._starts else ""


def _hwsku(front: Front) -> str:
    """Return the SKU that stands for this front: a wrong one would split the cages otherwise."""
    sonic = front.model.sonic
    return sonic.hwsku or "" if sonic and sonic.hwsku_split == front.down.name == front.up.name else ""


def _joint_texts(joint: Joint) -> tuple[str, str, str, str, str]:
    """Return the texts of an offer: speed, medium, cable part, and the modules at the lower and the upper end, empty where the cable has its own ends."""
    low, high = (module.model if module else "" for module in (joint.lower, joint.upper))
    return speed_text(joint.speed_gbps), joint.medium, joint.cable.model, low, high


def _split(link: CableView, cables: int) -> list[CableView]:
    """Return the cables of a link that takes several: a letter behind the label, and the connector behind the port."""
    return [
        replace(link, cable=link.cable + "abcdefgh"[index], a_port=f"{link.a_port}/{index + 1}", b_port=f"{link.b_port}/{index + 1}", connector=index + 1)
        for index in range(cables)
    ]


def _facts(front: Front, port: Port) -> _Facts:
    """Work out what a port is called and made of."""
    cage, sub, mode = port
    alias = front.model.alias(front.nos, cage, sub, mode) or ""
    lanes = front.model.sonic.lanes[cage - 1] if front.model.sonic and front.model.sonic.lanes else ()
    own = ",".join(str(lane) for lane in lanes[sub * mode.lanes : (sub + 1) * mode.lanes])
    subport = sub + 1 if mode.count > 1 else 0
    return _Facts(front.interface(port), alias, cage, subport, own, speed_text(mode.speed_gbps), mode.speed_gbps * 1000, mode.name)


def _cages(front: Front, ports: list[Port]) -> list[CageView]:
    """List the cages with their split."""
    splits = {port.cage: port.breakout for port in ports}
    whole = next((mode for mode in front.model.breakouts if mode.count == 1), None)
    views = []
    for cage in sorted(splits):
        mode = splits[cage]
        first = front.model.interface(front.nos, cage, 0, mode)
        unsplit = front.model.interface(front.nos, cage, 0, whole) if whole else first
        views.append(CageView(cage, first, unsplit, mode.name, mode.count, mode.sonic or mode.name, mode.count > 1, speed_text(mode.speed_gbps), mode.lanes))
    return views
