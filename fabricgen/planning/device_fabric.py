"""The links between devices and leaves of a compute fabric, as a fabric to plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.terms import COMPUTE, DEVICES, Design, Role
from fabricgen.inventory.networks import Network, Networks
from fabricgen.inventory.sizing import HbDomain, NicChoice, Rails, SparePorts
from fabricgen.planning.device_ports import share_leaves
from fabricgen.planning.network_devices import named_interfaces
from fabricgen.planning.network_fabric import modes_of
from fabricgen.planning.networks.attachments import AttachedDevices, Attachments, ports_of
from fabricgen.planning.networks.rules import NetworkRules, ServedPorts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.draft import Draft
    from fabricgen.planning.resolve import ResolvedFabric


def devices_fabric(draft: Draft, installed: Sequence[bool]) -> ResolvedFabric:
    """Return the links between devices and leaves of a compute fabric as a fabric.

    Raises Refusal where no leaf has a free port for a device, or none of its speed.
    """
    compute, leaf = draft.fabric, draft.fabric.port_layouts[Role.LEAF]
    devices = [*_compute_devices(draft)]
    modes = modes_of(DEVICES, leaf, devices)
    shared = share_leaves(draft, installed, devices)
    ports = ports_of(devices)
    keys = {
        "name": f"{compute.spec.name}-{DEVICES}",
        "design": Design.RAIL_OPTIMIZED,
        "gpus": ports,
        "hb_domain": HbDomain.model_construct(gpus=1, hosts=1),
        "rails": Rails.model_construct(count=1, tiers=1),
        "networks": Networks.model_construct(),
        "devices": (),
        "exclude": (),
        "phases": (),
        "scalable_unit": None,
        "spare_ports": SparePorts.model_construct(),
        "reserve": None,
        "cabling": None,
        "host": None,
        "nic": NicChoice.model_construct(),
    }
    return replace(
        compute,
        spec=compute.spec.model_copy(update=keys),
        gpus=ports,
        planned_gpus=ports,
        domain_gpus=1,
        domain_hosts=1,
        rails=1,
        planes=1,
        speed_gbps=leaf.down.speed_gbps,
        nics_per_gpu=1,
        host=None,
        nic=None,
        switches_by_rail={},
        domain_positions=(),
        network=NetworkRules(
            name=DEVICES,
            attached=Attachments(tuple(devices), 1),
            served=(ServedPorts((ports,), Network.model_construct(leaves=len(shared.names))),),
            modes=modes,
            lossless=True,
            shared=shared,
            kept=shared.bonds,
        ),
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
            speed_gbps=ports.speed,
            connector=connector.connector if connector else "",
            own=True,
            edge=devices.edge,
        )
