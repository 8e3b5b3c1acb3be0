"""Values of a network that its switches do not have, or that it cannot have together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.core.terms import speed_text
from fabricgen.inventory.networks import CONSOLE
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.switch_choice import DEFAULT_SPEED_GBPS, stated_speed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Leaves, Network


def network_values(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[Finding]:
    """Return the findings of all checks of a network with switches of its own."""
    yield from _speed(spec, name, catalog)
    yield from _pools(spec, name)
    yield from _idle_keys(spec, name)


def _speed(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[Finding]:
    """Refuse a speed of devices that no cage of the leaves has."""
    network = spec.networks.each()[name]
    choice = network.switches.leaf
    model = catalog.switch(choice.model or "")
    if name == CONSOLE or model is None or not model.breakouts:
        return
    speed = network.speed or stated_speed(choice) or DEFAULT_SPEED_GBPS
    if model.mode_at(speed) or (choice.breakout and model.breakout(choice.breakout) is None):
        return
    offered = ", ".join(mode.name for mode in model.breakouts)
    most = max(model.breakouts, key=lambda mode: _ports(model, mode))
    yield Finding(
        "no-port-speed",
        f"no leaf of the network `{name}` has ports of {speed_text(speed)}",
        ("networks", name, "speed"),
        (
            *(() if network.speed else (f"{speed_text(speed)} is the default of `speed`",)),
            f"the cages of {model.model} offer {offered}",
        ),
        f"write `speed: {speed_text(most.speed_gbps)}` under `networks.{name}`, or choose another"
        " leaf",
    )


def _ports(model: Switch, mode: Breakout) -> int:
    """Return the ports of a switch whose cages are all split alike."""
    return mode.count * len(model.cages_by_breakout[mode.name])


def _pools(spec: FabricSpec, name: str) -> Iterator[Finding]:
    """Refuse pools of one network that share addresses."""
    network = spec.networks.each()[name]
    pools = network_addressing(spec.addressing, name, network)
    if pools.host_pool.overlaps(pools.loopback_pool):
        key = "host_pool" if network.addressing.host_pool else "loopback_pool"
        yield Finding(
            "pools-overlap",
            f"{pools.host_pool} and {pools.loopback_pool} share addresses",
            ("networks", name, "addressing", key),
            (f"they are `host_pool` and `loopback_pool` of the network `{name}`",),
            "leave both out, or choose two that share no address with each other or with others",
        )


def _idle_keys(spec: FabricSpec, name: str) -> Iterator[Finding]:
    """Refuse keys that have no effect in a network of this kind."""
    network, given = spec.networks.each()[name], getattr(spec.networks, name)
    idle: dict[Path, str] = {}
    if network.kind == "access" and name != CONSOLE:
        idle = dict(_idle_in_access(network))
    elif network.kind == "clos" and network.bonding == "routed" and given.vlan is not None:
        idle["vlan",] = "its ports are routed: only bonds with `bonding: lacp` are in a VLAN"
    for path, reason in idle.items():
        key = path[-1]
        yield Finding(
            "unknown-key",
            f"`{key}` has no effect in the network `{name}`",
            ("networks", name, *path),
            (reason,),
            f"leave `{key}` out",
        )


def _idle_in_access(network: Network) -> Iterator[tuple[Path, str]]:
    """Yield the keys that an access network has no use for, with the reason."""
    groups: list[tuple[Path, Leaves]] = [((), network)]
    groups += [(("leaf_groups", at), group) for at, group in enumerate(network.leaf_groups)]
    for path, leaves in groups:
        for key in ("oversubscription", "uplinks"):
            if getattr(leaves, key) != type(leaves).model_fields[key].default:
                yield (*path, key), "it is of kind `access`: no spines join its switches"
    for key in ("host_pool", "loopback_pool", "asn_base"):
        if getattr(network.addressing, key) is not None:
            yield ("addressing", key), "it is of kind `access`: its addresses are of `management`"
