"""Planning a larger fabric around an existing one.

Owns `grow`. Boxes keep their numbers, and with them names, loopbacks and AS numbers. Endpoints stay
as `keep_endpoints` computes, links between switches as `keep_links` does, and devices of a
described room as `keep_positions` does. Whatever the inventory alone determines is not stored in
the plan.
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Design
from fabricgen.lifecycle.change.growth_refusals import unlike
from fabricgen.lifecycle.change.keep_channels import has_same_trunks, kept_channels
from fabricgen.lifecycle.change.keep_endpoints import kept_endpoints
from fabricgen.lifecycle.change.keep_links import kept_links
from fabricgen.lifecycle.change.keep_networks import kept_networks
from fabricgen.lifecycle.change.keep_positions import kept_positions, with_equipment
from fabricgen.lifecycle.change.kept_numbers import kept_digits, slices_of
from fabricgen.planning.baseline.baseline import Baseline
from fabricgen.planning.baseline.expansion_stages import ExpansionStages, stage_of
from fabricgen.planning.designs import map_design
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.kept_addresses import kept_skip
from fabricgen.planning.plan import make_draft, make_plan
from fabricgen.planning.plan_document import kept_leaf_ports

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.plan import Plan


def grow(old: Plan, spec: FabricSpec, catalog: Catalog) -> Plan:
    """Plan a larger fabric that keeps names, addresses, ports and cables wherever they fit.

    `rails.per_switch: auto` keeps its older value. Raises Refusal `cannot-grow` where the two have
    no common shape, or the refusal of the inventory.
    """
    if old.mapping.topology or spec.rails.medium == "direct":
        raise refuse(
            "cannot-grow",
            "direct rails do not grow around installed ones",
            path=("rails", "medium"),
            because=("links of a graph are numbered anew, and addresses and labels with them",),
            hint="plan the larger fabric anew; `fabricgen diff OLD NEW` lists the cables that move",
        )
    spec = pinned(old, spec)
    domains = [old.fabric.domain_position(each) for each in range(old.fabric.coordinates.domains)]
    mapping = map_design(resolve_positions(spec, catalog, domains))
    findings = list(unlike(old, mapping))
    if findings:
        raise Refusal(findings)
    plain = make_draft(spec.model_copy(update={"site": None}), catalog, domains=domains)
    before, stage = old.mapping.stages.stages, stage_of(mapping.sizing)
    stages = before if before[-1] == stage else (*before, stage)
    digits = kept_digits(old, plain)
    slices = slices_of(old)
    endpoints = kept_endpoints(old, plain.mapping)
    wired = kept_links(old, plain.mapping)
    positions = kept_positions(old, spec, plain)
    moved = () if domains == [*range(len(domains))] else tuple(domains)
    kept = Baseline(
        stages=ExpansionStages(stages),
        digits=digits,
        slices=slices,
        endpoints=endpoints,
        wired=wired,
        positions=positions,
        domains=moved,
    )
    by_rule = len(stages) == 1 and slices == slices_of(plain)
    by_rule = by_rule and not (digits or wired or moved) and endpoints is None and positions is None
    patched = any(each.channels for each in old.cluster)
    links = spec.model_copy(update={"cabling": None}) if patched else spec
    plan = make_plan(links, catalog, None if by_rule else kept)
    if old.networks and plan.networks:
        plan = _with_networks(old, plan, kept)
    return _with_channels(old, plan, spec, kept) if patched and spec.cabling else plan


def _with_channels(old: Plan, links: Plan, spec: FabricSpec, kept: Baseline) -> Plan:
    """Cable a grown fabric through the panels and the trunks that are installed.

    `links` is planned without panels. A reserve has its trunks already, by rule.
    """
    baseline = links.mapping.baseline
    if old.spec.reserve and old.spec.reserve == spec.reserve:
        plan = make_plan(spec, links.catalog, baseline)
        if has_same_trunks(old, plan):
            return plan
    own = replace(baseline or kept, channels=kept_channels(old, links))
    networks = {
        name: replace(each, channels=kept_channels(old.networks[name], links.networks[name]))
        for name, each in own.networks.items()
        if name in old.networks and name in links.networks
    }
    return make_plan(spec, links.catalog, replace(own, networks={**own.networks, **networks}))


ROUNDS = 4
"""How often networks are planned anew: each may have the switches of others on it."""


def _with_networks(old: Plan, plan: Plan, kept: Baseline) -> Plan:
    """Plan the networks of a grown cluster with what each keeps of the older one."""
    found, before = plan, dict[str, Any]()
    for _ in range(ROUNDS):
        positions = with_equipment(kept.positions, old, found)
        own = replace(kept, networks=kept_networks(old, found), positions=positions)
        if own.document() == before:
            break
        before = own.document()
        found = make_plan(plan.spec, plan.catalog, own)
    if kept.positions is not None:
        return found
    return plan if _names_and_wiring(found) == _names_and_wiring(plan) else found


def _names_and_wiring(plan: Plan) -> list[tuple[object, ...]]:
    """Return the names, the wiring and the ports of each network, which two plans differ in."""
    each = plan.networks.values()
    return [(own.digest(), [*own.switches()], own.label_width, own.ports) for own in each]


def pinned(old: Plan, spec: FabricSpec) -> FabricSpec:
    """Keep the ports of a leaf, and the rails on it: other numbers would move every host.

    The addresses that the management pools skipped are kept as well.
    """
    asked = spec.management if old.management else None
    if asked and asked.skip is None and (kept := kept_skip(old, spec)) is not None:
        own = asked.model_copy(update={"skip": tuple(map(IPv4Address, kept))})
        spec = spec.model_copy(update={"management": own})
    same = old.spec.oversubscription == spec.oversubscription
    if spec.leaf_ports == "fewest" and spec.oversubscribed and same:
        spec = spec.model_copy(update={"leaf_ports": kept_leaf_ports(old)})
    has_none = old.fabric.design is Design.FAT_TREE
    chosen_anew = has_none or (old.mapping.spans_rails and old.sizing.tiers == 1)
    if spec.rails.per_switch != "auto" or chosen_anew:
        return spec
    return spec.model_copy(
        update={"rails": spec.rails.model_copy(update={"per_switch": old.mapping.per_switch})}
    )
