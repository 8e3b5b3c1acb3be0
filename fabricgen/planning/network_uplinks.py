"""The uplinks of a network's switches into another network.

Owns which ports of a leaf they are, and how its cages are split for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import speed_text
from fabricgen.inventory.networks import Uplink
from fabricgen.planning.port_layout import Port
from fabricgen.planning.switch_choice import DEFAULT_SPEED_GBPS, stated_speed

if TYPE_CHECKING:
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.port_layout import PortLayout


def without_uplinks(spec: FabricSpec, name: str, layout: PortLayout) -> PortLayout:
    """Return the layout of a network's leaf, whose uplinks into another network stay free."""
    network = spec.networks.each()[name]
    if network.uplink is None:
        return layout
    if network.kind == "clos":
        return replace(layout, outward=tuple(uplink_ports(spec, name, layout)))
    above, ports = uplink_layout(spec, name, layout), network.uplink.ports
    down = max(down for down in range(layout.usable + 1) if above.fits(down, ports))
    return replace(layout, spare=layout.usable - down)


def uplink_ports(spec: FabricSpec, name: str, layout: PortLayout) -> list[Port]:
    """List the ports of a leaf that are its uplinks into another network.

    In a network of leaves and spines they are in the last cages that may face up, and links between
    its own switches in the cages below. Raises Refusal `no-uplink-speed`.
    """
    network, above = spec.networks.each()[name], uplink_layout(spec, name, layout)
    count, mode = network.uplink.ports if network.uplink else 0, above.up
    if network.kind != "clos":
        return above.ports(0, count)
    every, used = above.high_cages(mode), -(-count // mode.count)
    cages = every[len(every) - used :]
    return [Port(cage, sub, mode) for cage in cages for sub in range(mode.count)][:count]


def bonded_uplinks(spec: FabricSpec, name: str, layout: PortLayout) -> tuple[str, ...]:
    """Return the uplinks of a switch of an access network that are a bond of LACP."""
    networks = spec.networks.each()
    own = networks[name]
    upper = networks.get(spec.networks.carrier(own.uplink.network)) if own.uplink else None
    if upper is None or own.kind != "access" or upper.bonding != "lacp":
        return ()
    return tuple(map(layout.interface, uplink_ports(spec, name, layout)))


def uplink_layout(spec: FabricSpec, name: str, layout: PortLayout) -> PortLayout:
    """Return a layout with the cages of its uplinks as the network above has them.

    Raises Refusal `no-uplink-speed` where no cage has their speed.
    """
    networks = spec.networks.each()
    uplink = networks[name].uplink or Uplink.model_construct()
    upper = networks.get(spec.networks.carrier(uplink.network))  # None for compute
    stated = upper.speed if upper else spec.nic.speed
    leaf = (upper or spec).switches.leaf
    speed = uplink.speed or stated or stated_speed(leaf) or DEFAULT_SPEED_GBPS
    modes = [mode for mode in layout.model.breakouts if mode.speed_gbps == speed]
    for mode in sorted(modes, key=lambda each: each.count):
        above = replace(layout, up=mode, spare=0, outward=())
        if above.fits(1, uplink.ports):
            return above
    offered = ", ".join(mode.name for mode in layout.model.breakouts)
    raise refuse(
        "no-uplink-speed",
        f"a switch of the network `{name}` has no {uplink.ports} ports of {speed_text(speed)} for"
        " its uplinks",
        path=("networks", name, "uplink"),
        because=(f"the cages of {layout.model.model} offer {offered}",),
        hint="choose a model that has them, or leave `uplink` out",
    )
