"""The ports that a fabric uses on the switches of each role, and their names.

Owns the step from a sized block to the ports of its switches. `port_layout` has the rule by which
cages face down or up; the same ports have other names where a rail runs another NOS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import Box
    from fabricgen.planning.networks.rules import NetworkRules
    from fabricgen.planning.port_layout import Port
    from fabricgen.planning.resolve import ResolvedFabric


def switch_widths(mapping: Mapping) -> dict[Role, tuple[int, int]]:
    """Return the ports of a switch of each role that face down, and those that face up.

    A cable that is kept of another plan may be plugged above the others.
    """
    sizing, shares = mapping.sizing, mapping.segment_blocks
    kept = mapping.baseline.downlinks if mapping.baseline else {}
    peers = mapping.peer_links * (mapping.peer_group - 1)
    used = {
        Role.LEAF: (sizing.leaf_down * shares, sizing.leaf_up * shares + peers),
        Role.SPINE: (max(sizing.spine_down, kept.get(Role.SPINE, 0)), sizing.spine_up),
        Role.CORE: (max(sizing.core_down, kept.get(Role.CORE, 0)), 0),
    }
    return {role: used[role] for role in list(Role)[: sizing.tiers]}


def switch_ports(mapping: Mapping) -> dict[Role, list[Port]]:
    """List the ports that links use on a switch of each role: downlinks first, then uplinks."""
    layouts = mapping.fabric.port_layouts
    if mapping.fabric.network is None or mapping.topology:
        return {role: layouts[role].ports(*width) for role, width in switch_widths(mapping).items()}
    upper = {role: width for role, width in switch_widths(mapping).items() if role is not Role.LEAF}
    leaf = _network_ports(mapping, mapping.fabric.network)
    return {Role.LEAF: leaf} | {role: layouts[role].ports(*width) for role, width in upper.items()}


def _network_ports(mapping: Mapping, network: NetworkRules) -> list[Port]:
    """List the ports that links use on a leaf of a network."""
    if network.shared:
        return [*network.shared.ports, *network.shared.peers]
    leaves, layout = mapping.network_leaves, mapping.fabric.port_layouts[Role.LEAF]
    return (leaves.ports(network, layout, mapping.sizing.leaf_up) if leaves else None) or []


def port_set_of(mapping: Mapping, boxes: Sequence[Box]) -> list[int]:
    """Return which of `port_sets` each switch of a segment has, leaves first."""
    leaves = mapping.network_leaves
    own = leaves.leaf_group().tolist() if leaves and leaves.sets else []
    return own + [0] * (len(boxes) - len(own))


def port_sets(mapping: Mapping, role: Role, count: int) -> list[list[int]]:
    """Return the ports of each set that switches of a role may have, by their number of `count`.

    Leaves of a network have several sets where they differ by group, all other switches one.
    """
    leaves = mapping.network_leaves if role is Role.LEAF else None
    if leaves is None or leaves.sets is None:
        return [[*range(count)]]
    return [*map(leaves.sets.numbers, range(len(leaves.stripes)))]


InterfaceNames = dict[tuple[Role, str], list[str]]
"""The names of the ports in use, by role and NOS."""


def interface_names(fabric: ResolvedFabric, ports: dict[Role, list[Port]]) -> InterfaceNames:
    """Name the ports in use of each role by each NOS that its switches run."""
    return {
        (role, layout.nos): [layout.interface(port) for port in used]
        for role, used in ports.items()
        for layout in fabric.nos_variants(role)
    }


def check_rail_nos(mapping: Mapping) -> None:
    """Refuse a NOS of one rail where switches serve several.

    Raises Refusal `rails-share-switches`.
    """
    named = mapping.fabric.spec.nos.rails
    if named and (mapping.spans_rails or mapping.segment_blocks > 1):
        shared = (
            "the rails meet in its switches"
            if mapping.spans_rails
            else f"{mapping.segment_blocks} rails share a leaf"
        )
        hint = "leave `rails` out, and name the `nos` of each role"
        raise refuse(
            "rails-share-switches",
            "a rail has no switches of its own to run another NOS",
            path=("nos", "rails"),
            because=(shared,),
            hint=hint,
        )
