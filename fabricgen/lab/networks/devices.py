"""The hosts and devices of a lab of networks: their addresses and routes.

A host has those of its emitted `61-networks.yaml`. No file is emitted for a device; it gets the
addresses of the plan, and a route by each port to its network and to those that uplinks join with
it. The addresses of paired devices on
the cables between them are of the lab, as the plan has none.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import refuse
from fabricgen.core.yaml_text import read_document
from fabricgen.lab.boot import set_kernel
from fabricgen.lab.iproute import batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.lab.boot import Machines
    from fabricgen.lab.networks.layout import ClusterLayout

FIRST_METRIC = 100
"""The metric of a device's route by its first port."""

KERNEL = {
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.all.ignore_routes_with_linkdown": "1",
    "net.ipv4.conf.default.ignore_routes_with_linkdown": "1",
}
"""A route of a port without carrier is left out, as networkd removes it."""


class DevicePort(NamedTuple):
    """The settings of a port: addresses with lengths, and routes as words of `ip route`."""

    interface: str
    addresses: list[str]
    routes: list[str]


def boot_devices(machines: Machines, layout: ClusterLayout) -> None:
    """Configure every host and device. Raises Refusal where a file or the kernel fails."""
    machines.networks.each(layout.devices, partial(configure_device, machines, layout))


def configure_device(machines: Machines, layout: ClusterLayout, name: str) -> None:
    """Configure a device, in whose namespace the thread is; it may run again."""
    host = name in layout.host_names
    ports = _emitted(machines.out, name) if host else [*_planned(layout, name)]
    for key, value in KERNEL.items():
        set_kernel(key, value)
    booted = machines.ends[name]
    lines = ["link set lo up"]
    for port in ports:
        if port.interface in booted:
            lines += [f"address replace {each} dev {port.interface}" for each in port.addresses]
            lines += machines.up(name, port.interface)
    lines += [
        f"route replace {route} dev {port.interface}"
        for port in ports
        if port.interface in booted
        for route in port.routes
    ]
    batch(lines, name)


def _planned(layout: ClusterLayout, device: str) -> Iterator[DevicePort]:
    """Yield the ports of a device with their planned addresses."""
    for part in layout.routed:
        own = [wire for wire in part.wires if wire.a == device]
        beyond = [str(far.prefixes[0]) for far in layout.beyond(part, device)]
        for order, wire in enumerate(own):
            routes = [
                f"{prefix} via {wire.b_address} metric {FIRST_METRIC + order}"
                for prefix in (*part.reach(wire), *beyond)
            ]
            length = part.plan.addresses.host_length
            yield DevicePort(wire.a_interface, [f"{wire.a_address}/{length}"], routes)
    for wire in layout.peers:
        for name, interface, address in (
            (wire.a, wire.a_interface, wire.a_address),
            (wire.b, wire.b_interface, wire.b_address),
        ):
            if name == device:
                yield DevicePort(interface, [f"{address}/31"], [])


def _emitted(out: Path, host: str) -> list[DevicePort]:
    """Return the ports of a host as its file of netplan has them."""
    path = out / "hosts" / host / "netplan" / "61-networks.yaml"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise refuse(
            "lab-failed",
            f"{host} has no netplan of its networks",
            because=(f"{error.strerror}: {path.relative_to(out)}",),
            hint="build with `hosts` too, or leave -o out",
        ) from error
    return read_netplan(text)


def read_netplan(text: str) -> list[DevicePort]:
    """Return the Ethernet ports of a file of netplan."""
    document: dict[str, Any] = read_document(text, "61-networks.yaml").values
    return [
        DevicePort(
            name,
            list(port.get("addresses", ())),
            [_route(**route) for route in port.get("routes", ())],
        )
        for name, port in document["network"]["ethernets"].items()
    ]


def _route(to: str, via: str, metric: int) -> str:
    """Return a route of netplan as words of `ip route`."""
    return f"{to} via {via} metric {metric}"
