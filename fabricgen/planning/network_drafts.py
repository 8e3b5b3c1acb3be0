"""The drafts of the networks beside a compute fabric.

A network may have the switches of another on it, so all are sized together, before any is wired.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import COMPUTE, DEVICES, PEERS, UPLINKS, Role
from fabricgen.inventory.networks import CONSOLE
from fabricgen.planning.baseline.expansion_stages import stage_of
from fabricgen.planning.designs import map_design
from fabricgen.planning.device_fabric import converged_fabric, devices_fabric
from fabricgen.planning.device_pairs import map_pairs
from fabricgen.planning.device_ports import leaf_addresses
from fabricgen.planning.draft import draft_of
from fabricgen.planning.name_checks import check_names
from fabricgen.planning.naming import make_naming
from fabricgen.planning.network_devices import spare_group, switch_groups
from fabricgen.planning.network_fabric import network_fabric, placed
from fabricgen.planning.network_pools import check_apart
from fabricgen.planning.network_sizing import check_leaves, check_pairs
from fabricgen.planning.networks.rules import ReservedSize
from fabricgen.planning.uplink_fabric import uplinks_fabric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.network_devices import SwitchGroup


def draft_networks(
    draft: Draft, hosts: list[str], installed: list[bool]
) -> tuple[dict[str, Draft], list[SwitchGroup]]:
    """Draft the networks beside a compute fabric, by name, and return their switches too.

    With a reserve, spines are those that all planned hosts and switches need. Raises Refusal.
    """
    compute = _compute_switches(draft, installed)
    mappings, switches = _map_networks(draft, hosts, compute, _reserved(draft))
    drafts = _named(draft, mappings)
    taken = draft.fabric.port_layouts[Role.LEAF].reserved
    for name in draft.spec.networks.converged():
        mappings.append(map_design(converged_fabric(draft, installed, name, hosts, taken)))
        drafts[name] = _on_leaves(draft, mappings[-1])
        taken |= {port.cage for port in drafts[name].ports[Role.LEAF]}
    if uplinks := uplinks_fabric(draft, installed, switches, taken):
        mappings.append(map_design(uplinks))
        drafts[UPLINKS] = _on_leaves(draft, mappings[-1])
        taken |= {port.cage for port in drafts[UPLINKS].ports[Role.LEAF]}
    check_apart({COMPUTE: draft, **drafts})
    if any(group.ports.compute.count for group in draft.spec.devices):
        mappings.append(map_design(devices_fabric(draft, installed, taken)))
        drafts[DEVICES] = _on_leaves(draft, mappings[-1])
    access = draft.spec.networks.management
    paired = [group for group in draft.spec.devices if group.peer_links]
    if paired and access:
        known = draft.mapping.baseline and draft.mapping.baseline.networks.get(PEERS)
        kept = known.bonds if known else None
        mappings.append(map_pairs(draft.fabric, drafts[access].fabric, paired, kept))
        drafts[PEERS] = draft_of(mappings[-1], draft.catalog)
    _check_names(mappings, hosts, [*compute, *switches])
    return drafts, switches


def _on_leaves(draft: Draft, mapping: Mapping) -> Draft:
    """Name and address what is on leaves of a compute fabric. Raises Refusal."""
    own, shared = draft_of(mapping, draft.catalog), mapping.fabric.shared_leaves
    assert shared, "devices are on leaves"  # noqa: S101 - narrowed for mypy
    addresses = draft.addresses if mapping.fabric.network_name == DEVICES else own.addresses
    return replace(own, addresses=leaf_addresses(draft, shared, addresses))


def _compute_switches(draft: Draft, installed: list[bool]) -> list[SwitchGroup]:
    """Return the switches of the compute fabric, with spare leaves."""
    spare = [spare_group(draft.naming)] if draft.mapping.spare_leaves else []
    return [*switch_groups(draft.naming, installed), *spare]


def _reserved(draft: Draft) -> dict[str, ReservedSize]:
    """Size the networks for all planned hosts and switches; empty without a reserve."""
    if draft.spec.reserve is None:
        return {}
    hosts = [*map(draft.naming.host, range(draft.fabric.coordinates.planned_hosts))]
    compute = _compute_switches(draft, [True] * len(draft.naming.boxes))
    mappings, _ = _map_networks(draft, hosts, compute, {})
    sizes = {mapping.fabric.network_name: mapping.sizing for mapping in mappings}
    return {
        name: ReservedSize(sizing.tiers, sizing.leaf, sizing.pod_spines, sizing.group_cores)
        for name, sizing in sizes.items()
    }


def _map_networks(
    draft: Draft,
    hosts: list[str],
    compute: list[SwitchGroup],
    reserved: dict[str, ReservedSize],
) -> tuple[list[Mapping], list[SwitchGroup]]:
    """Map all networks, and return their switches too. Raises Refusal.

    A network may have the switches of another on it, so all are sized until no number of switches
    changes; sizes only grow.
    """
    before: list[SwitchGroup] | None = None
    switches: list[SwitchGroup] = []
    while switches != before:
        known = [*compute, *switches]
        names = draft.spec.networks.each()
        mappings = [
            _map_network(draft, name, hosts, known, reserved.get(name))
            for name in names
            if name != CONSOLE or not all(group.layout.model.passive for group in known)
        ]
        before, switches = switches, [*chain.from_iterable(map(_switches, mappings))]
    for mapping in mappings:
        check_leaves(mapping.fabric)
    return mappings, switches


def _map_network(
    draft: Draft,
    name: str,
    hosts: list[str],
    switches: Sequence[SwitchGroup],
    reserved: ReservedSize | None,
) -> Mapping:
    """Map a network, with what it keeps of a smaller plan where that has its size."""
    kept = draft.mapping.baseline and draft.mapping.baseline.networks.get(name)
    bonds = kept.bonds if kept else None
    fabric = network_fabric(draft.fabric, name, hosts, switches, draft.catalog, bonds, reserved)
    mapping = map_design(fabric)
    check_pairs(mapping)
    if kept and kept.stages.stages[-1] == stage_of(mapping.sizing):
        return map_design(fabric, kept)
    return mapping


def _named(draft: Draft, mappings: list[Mapping]) -> dict[str, Draft]:
    """Name and address the networks beside a compute fabric. Raises Refusal."""
    drafts = {}
    for mapping in mappings:
        name = mapping.fabric.network_name
        try:
            drafts[name] = draft_of(mapping, draft.catalog)
        except Refusal as refusal:
            raise placed(refusal, name) from None
    return drafts


def _switches(mapping: Mapping) -> list[SwitchGroup]:
    """Return the switches of a network, all of which are installed."""
    naming = make_naming(mapping)
    return switch_groups(naming, [True] * len(naming.boxes))


def _check_names(mappings: list[Mapping], hosts: list[str], switches: list[SwitchGroup]) -> None:
    """Refuse names of devices and switches of networks that are illegal, or given twice."""
    named = {
        device.kind: device.names
        for mapping in mappings
        if mapping.fabric.network
        for device in mapping.fabric.network.attached.groups
        if device.own
    }
    names = [*chain.from_iterable((*(group.names for group in switches), *named.values()))]
    check_names(names, hosts, ("devices",))
