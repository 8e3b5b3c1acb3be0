"""The evidence about a plan and its views, collected before the first law is judged."""

from __future__ import annotations

from ipaddress import IPv4Address
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.evidence import Addresses, DeviceSettings, Evidence, ManagementFacts
from fabricgen.analysis.forwarding.ecmp_hash import spread
from fabricgen.analysis.graph_elements import link_edges, nodes
from fabricgen.bom.breakdown.breakdown import racks_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.terms import LinkKind
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.planning.management_ports import port_name
from fabricgen.planning.named_addresses import named_addresses
from fabricgen.views.factory import Views
from fabricgen.views.managed_ports import managed_ports
from fabricgen.views.protocols import LinkSettings

if TYPE_CHECKING:
    from fabricgen.analysis.circuits.schedule import Schedule
    from fabricgen.bom.bill import Bom
    from fabricgen.planning.plan import Plan


def evidence_of(plan: Plan, views: Views | None = None, bom: Bom | None = None) -> Evidence:
    """Return the evidence about a plan, and about its views and its bill where they are made.

    Raises the Refusal of a price book that does not exist.
    """
    segments = range(plan.mapping.segments)
    views, bom = views or Views(plan), bom or make_bom(plan)
    return Evidence(
        plan=plan,
        wiring=wiring_of(plan),
        ports=plan.ports,
        idle={
            role: plan.fabric.port_layouts[role].idle(ports) for role, ports in plan.ports.items()
        },
        candidates=plan.candidates,
        candidate=np.concatenate([plan.candidate[segment] for segment in segments]),
        switches=list(chain.from_iterable(plan.naming.switches(segment) for segment in segments)),
        hosts=plan.hosts,
        prefixes={
            (segment, block, int(kind)): prefix
            for segment in segments
            for (kind, block), prefix in plan.label_prefixes(segment).items()
        },
        addresses=_addresses(plan),
        bom=bom,
        cables=views.cables,
        configs=lambda segment, boxes: views.switches(segment, boxes=boxes),
        settings=_settings(plan, views),
        management=_management(plan),
        lengths=plan.lengths,
        schedules=_schedules(plan),
        channels=plan.channels,
        flows=lambda count: dict(spread(plan, 0, count)),
        edges=lambda: _edges(plan),
        summary=summarize(plan, bom),
        racks=lambda: {name: rack.parts for name, rack in racks_of(plan).items()},
    )


def _management(plan: Plan) -> ManagementFacts | None:
    """Return the management of a plan; None where the inventory has none."""
    asked, planned = plan.spec.management, plan.management
    if asked is None or planned is None:
        return None
    admins = tuple(user.name for user in asked.users if user.key and user.role == "admin")
    switches = planned.switches.ravel()
    models = {role: layout.model for role, layout in plan.fabric.port_layouts.items()}
    outside = sum(plan.switch_count(role) for role in plan.roles if models[role].externally_managed)
    every = managed_ports(plan) if planned.further.size else ()
    further = {port.name: port.address for port in every if port.name != port.switch}
    return ManagementFacts(
        subnet=planned.subnet,
        gateway=planned.gateway,
        switches=switches,
        further=further,
        devices=_devices(plan) if asked.device_pool else {},
        admins=admins,
        clocks=asked.ntp,
        allow=asked.allow,
        hosts=np.zeros(0, dtype=np.int64) if planned.hosts is None else planned.hosts,
        named=named_addresses(plan.spec)
        | ({int(asked.server): "management.server"} if asked.server else {}),
        outside=outside,
    )


def _devices(plan: Plan) -> dict[str, int]:
    """Return the addresses of the ports that `management.device_pool` is for, by name."""
    from fabricgen.views.hosts.network_ports import (  # noqa: PLC0415 - few plans have such a pool
        managed_device_ports,
    )

    return {
        port_name(port.device, port.interface): int(IPv4Address(port.address))
        for port in managed_device_ports(plan)
    }


def _addresses(plan: Plan) -> Addresses:
    """Return every address and AS number of the address plan."""
    given = plan.addresses
    segment, boxes, segments, blocks = (
        plan.segment,
        plan.naming.boxes,
        plan.mapping.segments,
        plan.mapping.segment_blocks,
    )
    slots = [
        segment.slot[(segment.kind == LinkKind.HOST) & (segment.block == block)].tolist()
        for block in range(blocks)
    ]
    nics = [
        _from(given.hosts.origin, given.host_addresses(number, slots[number % blocks]))
        for number in range(segments * blocks)
    ]
    nics_at = [*range(segments * blocks)]
    if shared := plan.device_leaves:
        at = (leaf * blocks for leaf, _ in map(shared.leaves.__getitem__, shared.bonds.stripe))
        nics_at += [first + block for first, block in zip(at, shared.blocks, strict=True)]
        found = _from(given.hosts.origin, given.host_addresses(0, shared.bonds.slot))
        nics += [[address] for address in found]
    served = [
        (index, block)
        for index, box in enumerate(boxes)
        if plan.installed[index]
        for block in (range(blocks) if box.block < 0 else [box.block])
    ]
    loopbacks, router_ids = (
        [each(number, block, boxes[index]) for number in range(segments) for index, block in served]
        for each in (given.loopback, given.router_id)
    )
    served_blocks = np.array([block for _, block in served], dtype=np.int64)
    return Addresses(
        np.array(list(chain.from_iterable(nics)), dtype=np.int64),
        np.repeat(nics_at, [len(found) for found in nics]),
        np.array(_from(given.loopbacks.origin, loopbacks), dtype=np.int64),
        (np.arange(segments)[:, None] * blocks + served_blocks).ravel(),
        np.array(router_ids, dtype=np.int64),
        np.array(
            [given.asn(number, box) for number in range(segments) for box in boxes],
            dtype=np.int64,
        ),
    )


def _from(origin: int, addresses: list[int]) -> list[int]:
    """Return addresses as a column has them: counted from an origin."""
    return [address - origin for address in addresses] if origin else addresses


def _edges(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return the ends of the links of the graph.

    A NIC port is replaced by its host, and a rail's part of a shared box by the box.
    """
    devices = {
        node: shown.get("switch") or shown.get("host") or node for node, shown in nodes(plan)
    }
    links = chain.from_iterable(
        link_edges(plan, segment) for segment in range(plan.mapping.segments)
    )
    return {shown["cable"]: (devices[low], devices[high]) for low, high, _, shown in links}


def _settings(plan: Plan, views: Views) -> DeviceSettings:
    """Collect the settings of all devices: those of a segment's switches are one value."""
    switches = [views.settings(segment) for segment in range(plan.mapping.segments)]
    hosts = LinkSettings.of(plan.spec)
    values = tuple(dict.fromkeys([hosts, *switches]))
    each = np.array([values.index(found) for found in switches])
    return DeviceSettings(
        values,
        np.repeat(each, len(plan.naming.boxes)),
        np.full(len(plan.hosts), values.index(hosts)),
    )


def _schedules(plan: Plan) -> tuple[Schedule, ...]:
    """Return the circuits of all GPUs: of a ring, and of the AllReduce that is set by default."""
    if not plan.fabric.has_circuits:
        return ()
    from fabricgen.analysis.circuits.schedule import make_schedule, working  # noqa: PLC0415 - for circuits only

    gpus = working(plan)
    return make_schedule(plan, gpus, "ring"), make_schedule(plan, gpus)
