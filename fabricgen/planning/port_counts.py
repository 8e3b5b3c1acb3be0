"""How many ports hosts and devices have in a network, by the inventory or by their model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.inventory.devices import AttachedPorts

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.inventory.devices import DeviceGroup
    from fabricgen.inventory.networks import Network, Networks


def host_ports(host: Host | None, network: Network) -> int:
    """Return the ports of each host in a network."""
    if network.host_ports is not None:
        return network.host_ports
    if network.kind == "access":
        return host.management.count if host and host.management else 1
    return network.bond or 1


def device_ports(
    devices: DeviceGroup, name: str, networks: Networks, catalog: Catalog
) -> AttachedPorts:
    """Return the ports of each device of a group in a network.

    Without a number under `oob`, they are the management ports of the model that no `peer_links`
    take, where `oob` has the management ports of all devices.
    """
    if name != "oob" or devices.ports.oob is not None or networks.management != name:
        return devices.ports.of(name)
    model = catalog.device(devices.model)
    has = model.management.count if model and model.management else 0
    return AttachedPorts(count=max(has - (devices.peer_links or 0), 0))
