"""The size of a network: its leaves by group, and the spines that join them.

`leaf_groups` counts the leaves, `clos` sizes what is above them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations_with_replacement, islice
from typing import TYPE_CHECKING

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role
from fabricgen.inventory.networks import LeafGroup
from fabricgen.planning.clos import Width, size
from fabricgen.planning.networks.leaf_groups import filled_groups, grouped_leaves, kept_bonds

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.planning.block_shape import Shape
    from fabricgen.planning.clos import Sizing, Widths
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.networks.rules import NetworkRules, ServedPorts
    from fabricgen.planning.resolve import ResolvedFabric

Choice = Sequence[tuple[int, int]]
"""The stripes and the uplinks of each group of leaves; empty for those of the widest leaves."""

MOST_TRIES = 200
"""The most stripes that are added, and the most ways to add them to the groups of leaves."""


def size_network(
    fabric: ResolvedFabric, network: NetworkRules, widths: Widths, shape: Shape
) -> Sizing | None:
    """Size a network with the fewest tiers; None where no number of tiers holds it."""
    layout = fabric.port_layouts[Role.LEAF]
    if network.shared:
        used = len(network.shared.ports)
        own = widths._replace(single=used, leaf=Width(used, 0), lone_leaves=None)
        return size(_constant(len(network.shared.names)), own, 1, even=True)
    least = max(network.least_spines, widths.least_spines)
    for tiers in [shape.tiers] if shape.tiers else range(network.least_tiers, 4):

        def sized(chosen: Choice = (), tiers: int = tiers) -> Sizing | None:
            leaves = grouped_leaves(network, layout, joined=tiers > 1, chosen=chosen)
            used, uplinks = leaves.used(), max(leaves.uplinks)
            count = leaves.leaves() if leaves.ports(network, layout, uplinks) else 0
            own = widths._replace(
                single=used,
                leaf=Width(used if count else 0, uplinks),
                lone_leaves=network.lone_leaves,
                least_spines=least,
                least_cores=max(
                    network.reserved.cores if network.reserved else 1, widths.least_cores
                ),
                leaf_uplinks=leaves.leaf_uplinks(),
            )
            found = size(_constant(count), own, tiers, even=shape.spread == "even")
            return found and replace(found, chosen=tuple(chosen))

        sizing = sized()
        if tiers == 2 and fabric.spec.leaf_ports == "fewest":  # noqa: PLR2004 - the second tier
            sizing = _fewest(fabric, network, sized, sizing, least)
        if sizing:
            return sizing
    return None


def _fewest(
    fabric: ResolvedFabric,
    network: NetworkRules,
    sized: Callable[[Choice], Sizing | None],
    widest: Sizing | None,
    least: int,
) -> Sizing | None:
    """Return the size with the stripes and uplinks that take the fewest switches in two tiers.

    They are tried where a group of leaves is oversubscribed, as `clos.LeafRule` does. A network
    that has grown keeps its uplinks.
    """
    groups = filled_groups(network, fabric.port_layouts[Role.LEAF], joined=True)
    if all(group.keys.uplinks or group.keys.oversubscription <= 1 for group in groups):
        return widest
    if kept := kept_bonds(network):
        stripes = [kept.groups.count(number) for number in range(len(groups))]
        return sized([*zip(stripes, kept.uplinks, strict=True)]) if kept.uplinks else widest
    best, columns, radix = widest, network.attached.bond, fabric.port_layouts[Role.SPINE].usable
    free = [number for number, group in enumerate(groups) if not group.keys.leaves]
    fewest = [group.stripes() for group in groups]
    for more in range(MOST_TRIES if free else 1):
        leaves = columns * (sum(fewest) + more)
        if best and leaves + least >= best.leaf + best.spine:
            break
        for added in islice(combinations_with_replacement(free, more), MOST_TRIES):
            stripes = [each + added.count(number) for number, each in enumerate(fewest)]
            needed = [group.needed(own) for group, own in zip(groups, stripes, strict=True)]
            for spines in range(least, (best.leaf + best.spine if best else radix) - leaves):
                uplinks = [-(-number // spines) * spines for number in needed]
                chosen = [*zip(stripes, uplinks, strict=True)]
                links = columns * sum(own * up for own, up in chosen)
                if links <= spines * radix and all(
                    up == (group.keys.uplinks or up) and group.holds(*each)
                    for group, each in zip(groups, chosen, strict=True)
                    for up in each[1:]
                ):
                    best = sized(chosen) or best
                    break
    return best


def _constant(count: int) -> Callable[[int], int]:
    """Return the function that finds so many leaves, whatever their width."""
    return lambda _: count


def network_too_large(fabric: ResolvedFabric, network: NetworkRules) -> Refusal:
    """Return the refusal of a network that no number of tiers holds."""
    layout = fabric.port_layouts[Role.LEAF]
    alone = grouped_leaves(network, layout, joined=False)
    if alone.used() > layout.usable:
        ports = network.attached.ports
        return refuse(
            "network-too-large",
            f"the leaves of the network `{network.name}` have too few ports",
            path=("networks", network.name),
            because=(
                f"{ports} ports of devices are on {plain_count(alone.leaves(), 'leaf', 'leaves')}",
                f"the fullest has {alone.used()} of them, and {layout.usable} ports",
            ),
            hint="give more `leaves`, or choose larger switches",
        )
    leaves = grouped_leaves(network, layout, joined=True)
    uplinks = sum(leaves.leaf_uplinks()) or leaves.leaves() * leaves.uplinks[0]
    spines = max(-(-uplinks // fabric.port_layouts[Role.SPINE].usable), network.least_spines)
    reachable = spines <= layout.usable - leaves.used()
    fewer = "`leaves`" if any(each.keys.leaves for each in network.served) else "devices"
    return refuse(
        "network-too-large",
        f"no number of spines joins the leaves of the network `{network.name}`",
        path=("networks", network.name),
        because=(
            (
                f"{network.attached.ports} ports of devices need {leaves.leaves()} leaves, of which"
                f" the fullest has {leaves.used()} and {max(leaves.uplinks)} uplinks,"
                f" with {layout.usable} ports in all"
            ),
            (
                f"{uplinks} uplinks need {spines} spines or more, of"
                f" {fabric.port_layouts[Role.SPINE].usable} ports, and their number has to divide"
                f" the uplinks of every leaf: {', '.join(map(str, sorted(set(leaves.uplinks))))}"
            ),
        ),
        hint=f"give `uplinks` with a common divisor of {spines} or more, or larger switches"
        if reachable
        else f"choose larger switches, or fewer {fewer}",
    )


def check_leaves(fabric: ResolvedFabric) -> None:
    """Refuse leaves that no device would have a port on. Raises Refusal `bad-leaf-groups`."""
    network = fabric.network
    if network is None:
        return
    for served in network.served:
        leaves, ports, bond = served.keys.leaves or 0, sum(served.ports), network.attached.bond
        most = _most_stripes(served, network) * bond
        if leaves > most:
            on = plain_count(most, "leaf", "leaves")
            raise vacant_leaves(
                network,
                served,
                *(() if most == ports // bond * bond else (_filled_first(served),)),
                f"devices have {plain_count(ports, 'port')}, on {on} at most",
                hint=f"use `leaves: {most}`" + (" or fewer" if most > bond else ""),
            )


def vacant_leaves(network: NetworkRules, served: ServedPorts, *because: str, hint: str) -> Refusal:
    """Return the refusal of `leaves` of a group that no device would have a port on."""
    key = "leaf_groups" if isinstance(served.keys, LeafGroup) else "leaves"
    return refuse(
        "bad-leaf-groups",
        f"the network `{network.name}` would have leaves without devices",
        path=("networks", network.name, key),
        because=(f"`leaves` is {served.keys.leaves}", *because),
        hint=hint,
    )


def _most_stripes(served: ServedPorts, network: NetworkRules) -> int:
    """Return the most stripes that have a bond each; those of each breakout start on the first."""
    if served.kinds:
        return max(kind.devices for kind in chain.from_iterable(served.kinds) if kind.bonds)
    bonds = (ports // network.attached.bond for ports in served.ports)
    return max(-(-own // together) for own, together in zip(bonds, network.together, strict=True))


def _filled_first(served: ServedPorts) -> str:
    """Return why some leaves would have several ports before others have one."""
    if served.kinds:
        return "each group of `devices` takes the leaves in turn, from the first one"
    return "the ports of each speed start on the first leaf, and those of a `breakout` share a cage"


def check_pairs(mapping: Mapping) -> None:
    """Refuse bonds of LACP on two leaves that nothing joins. Raises Refusal `bad-bonding`."""
    network = mapping.fabric.network
    if network and network.tenants and mapping.sizing.tiers == 1 and not network.peer_links:
        raise refuse(
            "bad-bonding",
            f"nothing joins the two leaves of the network `{network.name}`",
            path=("networks", network.name, "bonding"),
            because=(
                "two leaves do not need spines, and the network has no `peer_links`",
                "by their links, leaves of a bond learn from each other which devices they have",
            ),
            hint="add `peer_links: 2`",
        )
