"""The adapters of devices on the leaves of a subnet, such as those of a fabric manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import DEVICES
from fabricgen.views.infiniband.guids_csv import guid_text
from fabricgen.views.infiniband.systems import Systems
from fabricgen.views.infiniband.view import PortNames, SubnetNode
from fabricgen.views.link_ends import LinkEnds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.infiniband.guids import Guids


class DeviceLink(NamedTuple):
    """A device's port in a subnet: its node, both ends of its cable, the box, and the label."""

    node: SubnetNode
    below: PortNames
    box: int
    above: PortNames
    cable: str


def device_links(plan: Plan, guids: Guids, segment: int) -> Iterator[DeviceLink]:
    """Yield the ports of devices in a subnet of the compute fabric."""
    network, shared = plan.networks.get(DEVICES), plan.device_leaves
    if network is None or shared is None:
        return
    systems = Systems(network)
    nics = [systems.nics[place, 0] for place in range(network.fabric.interface_count)]
    links = LinkEnds(network, systems.ports, [nics]).of_segment(0).columns(slice(None))
    for row, leaf in enumerate(links.upper.tolist()):
        where, box = shared.leaves[leaf]
        if where == segment:
            device, below = links.lower_device[row], links.lower_port[row]
            node = _node(device, below, guids, int(links.gpu[row]), systems.host)
            yield DeviceLink(node, below, box, links.upper_port[row], links.cables[row])


def _node(device: str, port: PortNames, guids: Guids, number: int, system: str) -> SubnetNode:
    """Make the node of a device's port."""
    adapter = port.panel.removesuffix("/P1")
    guid = guids.device(device, adapter, number)
    base = guid_text(guid - 1)
    return SubnetNode(
        kind="Ca",
        id=f"H-{base[2:]}",
        guid=guid_text(guid),
        guids=[guid_text(guid)],
        base=base,
        description=f"{device} {adapter}",
        device=device,
        system=system,
        width=1,
        role="",
    )
