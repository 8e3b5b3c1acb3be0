"""The links on leaves of a compute fabric, of devices or of a network, as a fabric to plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.terms import COMPUTE, DEVICES, Design, Role, speed_text
from fabricgen.inventory.networks import Network, Networks
from fabricgen.inventory.sizing import HbDomain, NicChoice, Rails, SparePorts
from fabricgen.planning.converged_ports import converge, network_ports
from fabricgen.planning.device_ports import share_leaves
from fabricgen.planning.lanes import joining_mode
from fabricgen.planning.management_ports import named_interfaces
from fabricgen.planning.network_devices import attached_devices
from fabricgen.planning.network_fabric import one_speed, served_in, splits_of
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.networks.attachments import AttachedDevices, Attachments, ports_of
from fabricgen.planning.networks.rules import NetworkRules, ServedPorts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.inventory.settings import Addressing
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.resolve import ResolvedFabric


def devices_fabric(
    draft: Draft, installed: Sequence[bool], taken: frozenset[int]
) -> ResolvedFabric:
    """Return the links between devices and leaves of a compute fabric as a fabric.

    `taken` are the cages of networks on these leaves. Raises Refusal where no leaf has a free port
    for a device, or none of its speed.
    """
    leaf = draft.fabric.port_layouts[Role.LEAF]
    devices = [each.on(leaf, draft.catalog) for each in _compute_devices(draft)]
    splits = splits_of(draft.spec, DEVICES, leaf, devices)
    shared = share_leaves(draft, installed, devices, taken)
    return on_compute(
        draft.fabric,
        leaf.down,
        NetworkRules(
            name=DEVICES,
            attached=Attachments(tuple(devices), 1),
            served=served_by(shared, ports_of(devices)),
            splits=splits,
            lossless=True,
            shared=shared,
            kept=shared.bonds,
        ),
    )


def converged_fabric(
    draft: Draft, installed: Sequence[bool], name: str, hosts: Sequence[str], taken: frozenset[int]
) -> ResolvedFabric:
    """Return a network on leaves of a compute fabric as a fabric.

    `taken` are the cages of other such networks. Raises Refusal.
    """
    compute, spec = draft.fabric, draft.spec
    leaf, network = compute.port_layouts[Role.LEAF], spec.networks.converged()[name]
    devices = [*attached_devices(compute, name, hosts, (), draft.catalog)]
    lanes = devices[0].lanes_at(network.speed or leaf.down.speed_gbps)
    speed = network.speed
    mode = (
        (joining_mode(leaf.model, speed, lanes, draft.catalog) or leaf.model.mode_at(speed))
        if speed
        else leaf.down
    )
    if mode is None:
        raise one_speed(name, leaf, speed_text(network.speed or 0))
    for each in devices:
        if each.speed_gbps not in {None, mode.speed_gbps} or each.breakout not in {"", mode.name}:
            raise one_speed(name, leaf, each.breakout or speed_text(each.speed_gbps or 0))
    attached = Attachments(tuple(devices), network.bond or 1)
    kept = draft.mapping.baseline and draft.mapping.baseline.networks.get(name)
    shared = converge(
        draft,
        installed,
        name,
        attached,
        network_ports(draft, name, mode, taken),
        taken,
        kept.bonds if kept else None,
    )
    rules = NetworkRules(
        name=name,
        attached=attached,
        served=(served_in(network, [devices], Network.model_construct(leaves=len(shared.names))),),
        lossless=bool(network.lossless),
        peer_links=network.peer_links or 0,
        shared=shared,
        kept=shared.bonds,
    )
    return on_compute(compute, mode, rules, network_addressing(spec.addressing, name, network))


def served_by(shared: SharedLeaves, ports: int) -> tuple[ServedPorts]:
    """Return the ports of devices with the leaves that serve them."""
    return (ServedPorts((ports,), Network.model_construct(leaves=len(shared.names))),)


def on_compute(
    compute: ResolvedFabric,
    down: Breakout,
    rules: NetworkRules,
    addressing: Addressing | None = None,
) -> ResolvedFabric:
    """Return links on leaves of a compute fabric as a fabric, with the members of bonds as rails.

    `down` is the breakout of their cages; `addressing` is that of compute by default.
    """
    ports, bond = rules.attached.ports, rules.attached.bond
    own = compute.port_layouts[rules.shared.role if rules.shared else Role.LEAF]
    cabling = compute.spec.cabling
    keys = {
        "name": f"{compute.spec.name}-{rules.name}",
        "design": Design.RAIL_OPTIMIZED,
        "gpus": ports,
        "hb_domain": HbDomain.model_construct(gpus=bond, hosts=1),
        "rails": Rails.model_construct(count=bond, tiers=1),
        "networks": Networks.model_construct(),
        "devices": (),
        "exclude": (),
        "phases": (),
        "scalable_unit": None,
        "spare_ports": SparePorts.model_construct(),
        "reserve": None,
        "cabling": cabling if cabling and rules.name in cabling.networks else None,
        "host": None,
        "nic": NicChoice.model_construct(),
        "addressing": addressing or compute.spec.addressing,
    }
    return replace(
        compute,
        spec=compute.spec.model_copy(update=keys),
        gpus=ports,
        planned_gpus=ports,
        domain_gpus=bond,
        domain_hosts=1,
        rails=bond,
        planes=1,
        speed_gbps=down.speed_gbps,
        nics_per_gpu=1,
        port_layouts={**compute.port_layouts, Role.LEAF: replace(own, role=Role.LEAF, down=down)},
        host=None,
        nic=None,
        switches_by_rail={},
        domain_positions=(),
        network=rules,
    )


def _compute_devices(draft: Draft) -> Iterator[AttachedDevices]:
    """Yield the devices of an inventory that have ports on leaves of the compute fabric."""
    for devices in draft.spec.devices:
        ports = devices.ports.compute
        if not ports.count:
            continue
        model = draft.catalog.device(devices.model) if devices.model else None
        connector = (model.fabric or model.front) if model else None
        yield AttachedDevices(
            kind=devices.name,
            names=devices.names,
            interfaces=named_interfaces(COMPUTE, ports.count),
            networks=(DEVICES,),
            speed_gbps=ports.gbps,
            breakout=ports.breakout or "",
            connector=connector.connector if connector else "",
            own=True,
            routed=devices.edge,
        )
