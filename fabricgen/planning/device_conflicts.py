"""Groups of `devices` that contradict each other, or the leaves that a network has for them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.planning.port_counts import device_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Network


def device_conflicts(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Return the findings of all checks."""
    yield from _names(spec)
    for name, network in spec.networks.each().items():
        yield from _served(spec, name, catalog)
        yield from _halves(name, network)


def _names(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse names that several devices would have by their patterns."""
    patterns = [group.name for group in spec.devices]
    for at, group in enumerate(spec.devices):
        path: Path = ("devices", at, "name")
        if group.count > len(set(group.names)):
            yield Finding(
                "name-twice",
                f"{group.count} devices would be called `{group.names[0]}`",
                path,
                (f"`count` is {group.count}, and the name has no number",),
                f"put a number into it, like `{group.name}-{{n}}`",
            )
        elif group.name in patterns[:at]:
            yield Finding(
                "name-twice",
                f"2 devices would be called `{group.names[0]}`",
                path,
                (f"`devices.{patterns.index(group.name)}` has the name `{group.name}` too",),
                "give one of the two groups another name",
            )


def _served(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[Finding]:
    """Refuse leaves for devices that have none of their ports, or are on other leaves already."""
    network = spec.networks.each()[name]
    own = (name, *network.carried)
    without = {
        group.name
        for group in spec.devices
        if not any(device_ports(group, each, spec.networks, catalog).count for each in own)
    }
    seen: Counter[str] = Counter()
    for at, leaves in enumerate(network.leaf_groups):
        for number, device in enumerate(leaves.devices):
            seen[device] += 1
            reason = ""
            if device in without:
                reason = f"`ports` of `{device}` has none in `{name}`"
            elif seen[device] > 1:
                reason = "another group of leaves has them"
            if reason:
                yield Finding(
                    "bad-leaf-groups",
                    f"no leaves of this group in the network `{name}` can serve `{device}`",
                    ("networks", name, "leaf_groups", at, "devices", number),
                    (reason,),
                    f"take `{device}` out of the group"
                    if len(leaves.devices) > 1
                    else "leave the group out",
                )


def _halves(name: str, network: Network) -> Iterator[Finding]:
    """Refuse a number of leaves that leaves one without its pair."""
    bond = network.bond or 1
    asked: dict[Path, int | None] = {("networks", name, "leaves"): network.leaves}
    asked |= {
        ("networks", name, "leaf_groups", at, "leaves"): group.leaves
        for at, group in enumerate(network.leaf_groups)
    }
    for path, leaves in asked.items():
        if leaves and leaves % bond:
            group = "leaf_groups" in path
            yield Finding(
                "bad-leaf-groups",
                f"the leaves of the network `{name}` do not make pairs",
                path,
                (
                    f"`leaves` is {leaves}",
                    f"with `bond: {bond}` the ports of a device are on {bond} leaves",
                    *(
                        ["`bond` is of the whole network, not of a group of leaves"]
                        if group
                        else []
                    ),
                ),
                f"use `leaves: {leaves + bond - leaves % bond}`, or `bond: 1` in the network"
                + (", which puts all ports of every device on one leaf" if group else ""),
            )
