"""The drafts of the networks beside a compute fabric.

A network may have the switches of another on it, so all are sized together, before any is wired.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import COMPUTE, DEVICES
from fabricgen.planning.baseline.expansion_stages import stage_of
from fabricgen.planning.designs import map_design
from fabricgen.planning.device_fabric import devices_fabric
from fabricgen.planning.device_ports import leaf_addresses
from fabricgen.planning.draft import draft_of
from fabricgen.planning.name_checks import check_names
from fabricgen.planning.naming import make_naming
from fabricgen.planning.network_fabric import network_fabric, placed, spare_group, switch_groups
from fabricgen.planning.network_pools import check_apart
from fabricgen.planning.network_sizing import check_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.network_fabric import SwitchGroup


def draft_networks(
    draft: Draft, hosts: list[str], installed: list[bool]
) -> tuple[dict[str, Draft], list[SwitchGroup]]:
    """Draft the networks beside a compute fabric, by name, and return their switches too.

    A network may have the switches of another on it, so all are sized until no number of switches
    changes; sizes only grow. Raises Refusal.
    """
    compute = switch_groups(draft.naming, installed)
    if draft.mapping.spare_leaves:
        compute.append(spare_group(draft.naming))
    before: list[SwitchGroup] | None = None
    switches: list[SwitchGroup] = []
    while switches != before:
        known = [*compute, *switches]
        mappings = [_map_network(draft, name, hosts, known) for name in draft.spec.networks.each()]
        before, switches = switches, [*chain.from_iterable(map(_switches, mappings))]
    drafts = _named(draft, mappings)
    if any(group.ports.compute.count for group in draft.spec.devices):
        mappings.append(map_design(devices_fabric(draft, installed)))
        drafts[DEVICES] = _on_leaves(draft, mappings[-1])
    _check_names(mappings, hosts, [*compute, *switches])
    return drafts, switches


def _on_leaves(draft: Draft, mapping: Mapping) -> Draft:
    """Name and address the devices on leaves of a compute fabric. Raises Refusal."""
    own, network = draft_of(mapping, draft.catalog), mapping.fabric.network
    assert network, "devices are a network"  # noqa: S101 - narrowed for mypy
    assert network.shared, "devices are on leaves"  # noqa: S101 - narrowed for mypy
    return replace(own, addresses=leaf_addresses(draft, network.shared))


def _map_network(
    draft: Draft, name: str, hosts: list[str], switches: Sequence[SwitchGroup]
) -> Mapping:
    """Map a network, with what it keeps of a smaller plan where that has its size."""
    kept = draft.mapping.baseline and draft.mapping.baseline.networks.get(name)
    bonds = kept.bonds if kept else None
    fabric = network_fabric(draft.fabric, name, hosts, switches, draft.catalog, bonds)
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
    check_apart({COMPUTE: draft, **drafts})
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
