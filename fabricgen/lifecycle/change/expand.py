"""Planning a larger fabric around an existing one.

Owns `grow`. Boxes keep their numbers, and with them names, loopbacks and AS numbers; endpoints keep
their leaf port, and with it their address; links between switches stay as `keep_links` computes; in
a described room devices keep their places, and only free places are filled. Whatever the inventory
alone determines is not stored in the plan.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.lifecycle.change.keep_links import TierPorts, keep
from fabricgen.planning.baseline.baseline import Baseline, Slices
from fabricgen.planning.baseline.expansion_stages import ExpansionStages, stage_of
from fabricgen.planning.block_links import TierLinks
from fabricgen.planning.designs import map_design
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.plan import make_draft, make_plan
from fabricgen.planning.segment_links import tier_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.diagnostics import Path
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.resolve import ResolvedFabric


GROWN_TIERS = 3
"""A tier above an old one is new, and follows the rule."""


def grow(old: Plan, spec: FabricSpec, catalog: Catalog) -> Plan:
    """Plan a larger fabric that keeps names, addresses, ports and cables wherever they fit.

    `rails.per_switch: auto` keeps its older value. Raises Refusal `cannot-grow` where the two have
    no common shape, or the refusal of the inventory.
    """
    spec = pinned(old, spec)
    domains = [old.fabric.domain_position(each) for each in range(old.fabric.coordinates.domains)]
    mapping = map_design(resolve_positions(spec, catalog, domains))
    findings = list(_unlike(old, mapping))
    if findings:
        raise Refusal(findings)
    plain = make_draft(spec.model_copy(update={"site": None}), catalog, domains=domains)
    before, stage = old.mapping.stages.stages, stage_of(mapping.sizing)
    stages = before if before[-1] == stage else (*before, stage)
    digits = _kept_digits(old, plain)
    slices = _slices(old)
    endpoints = _endpoints(old, plain.mapping)
    wired = _wired(old, plain.mapping)
    positions = _positions(old, spec, plain)
    moved = () if domains == [*range(len(domains))] else tuple(domains)
    if (
        len(stages) == 1
        and not digits
        and endpoints is None
        and not wired
        and slices == _slices(plain)
        and positions is None
        and not moved
    ):
        return make_plan(spec, catalog)
    return make_plan(
        spec,
        catalog,
        Baseline(
            ExpansionStages(stages),
            digits,
            slices,
            endpoints,
            wired,
            positions,
            moved,
        ),
    )


def _slices(plan: Draft) -> Slices:
    """Return the size of the address slices of each block."""
    return Slices(plan.addresses.hosts.size, plan.addresses.loopbacks.size)


def pinned(old: Plan, spec: FabricSpec) -> FabricSpec:
    """Keep the number of rails on a leaf: another one would move every host."""
    has_none = old.fabric.design is Design.FAT_TREE
    chosen_anew = has_none or (old.mapping.spans_rails and old.sizing.tiers == 1)
    if spec.rails.per_switch != "auto" or chosen_anew:
        return spec
    return spec.model_copy(
        update={"rails": spec.rails.model_copy(update={"per_switch": old.mapping.per_switch})}
    )


def _unlike(old: Plan, new: Mapping) -> Iterator[Finding]:
    """Yield a finding for each difference that growth cannot make."""
    was, now, before, after = old.fabric, new.fabric, old.sizing, new.sizing
    facts: list[tuple[str, object, object, Path]] = [
        ("the design", was.design.value, now.design.value, ("design",)),
        ("GPUs of an HB domain", was.domain_gpus, now.domain_gpus, ("hb_domain", "gpus")),
        ("hosts of an HB domain", was.domain_hosts, now.domain_hosts, ("hb_domain", "hosts")),
        ("rails", was.rails, now.rails, ("rails", "count")),
        ("planes", was.planes, now.planes, ("rails", "planes")),
        (
            "rails on a leaf",
            old.mapping.segment_blocks,
            new.segment_blocks,
            ("rails", "per_switch"),
        ),
    ]
    if before.tiers > 1 and now.design is Design.RAIL_OPTIMIZED:
        facts.append(
            ("rails on a leaf", old.mapping.per_switch, new.per_switch, ("rails", "per_switch"))
        )
    facts += [
        (f"{role} switches", _model(old.fabric, role), _model(now, role), ("switches", role.value))
        for role in old.roles
    ]
    if 1 < before.tiers <= after.tiers:
        facts.append(
            (
                "ports of a leaf, down and up",
                (before.leaf_down, before.leaf_up),
                (after.leaf_down, after.leaf_up),
                ("oversubscription",),
            )
        )
    for what, old_value, new_value, path in dict.fromkeys(facts):
        if old_value != new_value:
            values = f"{_text(old_value)}, and the inventory asks for {_text(new_value)}"
            because = (f"the existing plan has {values}",)
            hint = "keep it as it is; `fabricgen diff` shows the cost of a fabric of another shape"
            yield Finding("cannot-grow", f"growth keeps {what}", path, because, hint)
    smaller = [
        f"{size} {role} switches"
        for role, size, least in zip(Role, stage_of(after), stage_of(before), strict=False)
        if size < least
    ]
    if smaller or now.gpus < was.gpus:
        counts = f"{was.gpus:,} GPUs exist, and the inventory asks for {now.gpus:,}"
        shrunk = [counts, *([f"a block would have only {', '.join(smaller)}"] if smaller else [])]
        yield Finding(
            "cannot-grow",
            "a plan can only grow",
            ("gpus",),
            tuple(shrunk),
            "ask for at least the existing GPUs; `fabricgen diff` compares any two plans",
        )


def _model(fabric: ResolvedFabric, role: Role) -> str:
    """Return the model of the switches of a role, and how their cages are split downwards."""
    port_layout = fabric.port_layouts[role]
    return f"{port_layout.model.model} split {port_layout.down.name}"


def _text(value: object) -> str:
    """Return a value of either plan as text."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _positions(old: Plan, spec: FabricSpec, new: Draft) -> RackPositions | None:
    """Return the kept rack positions of a described room, None where there are none to keep.

    None without a described room, where a table gives positions, and where the rule gives the same.
    Devices are numbered as in `new`, which has the size of `spec`; new ones have no place yet.
    """
    site, lengths, naming = spec.site, old.lengths, new.naming
    if site is None or site.positions or lengths is None or lengths.room.generated:
        return None
    was, room = lengths.room.positions, lengths.room
    hosts, boxes = new.fabric.coordinates.planned_hosts, len(naming.boxes)
    rack, rack_unit = np.full((2, hosts + new.mapping.segments * boxes), -1, dtype=np.int32)
    at = {new.fabric.host_position(host): host for host in range(hosts)}
    stays = [host for host in range(room.hosts) if old.fabric.host_position(host) in at]
    places = [at[old.fabric.host_position(host)] for host in stays]
    # old number of each device -> its number in the larger plan; hosts count first, then switches
    position = {box: at for at, box in enumerate(naming.boxes)}
    now = np.array(
        [position[_core(box, old.sizing, new.sizing)] for box in old.naming.boxes], dtype=np.int64
    )
    before = np.concatenate([stays, np.arange(room.hosts, len(was.rack))])
    after = np.concatenate(
        [places, hosts + (np.arange(new.mapping.segments)[:, None] * boxes + now).ravel()]
    )
    rack[after], rack_unit[after] = was.rack[before], was.rack_unit[before]
    by_rule = old.mapping.baseline is None or old.mapping.baseline.positions is None
    if by_rule and len(before) == len(rack) and old.spec.site == site:
        return None
    return was._replace(rack=rack, rack_unit=rack_unit)


def _core(box: Box, old: Sizing, new: Sizing) -> Box:
    """Return a box as a larger block numbers it: a core group has its older cores first."""
    if box.role is not Role.CORE:
        return box
    group, member = divmod(box.index, old.group_cores)
    return replace(box, index=group * new.group_cores + member)


def _kept_digits(old: Plan, new: Draft) -> dict[str, int]:
    """Return the digits of names that would have others by the new size."""
    before, after = _digits(old), _digits(new)
    kept = {names: before.get(names, count) for names, count in after.items()}
    kept["cable"] = max(kept["cable"], after["cable"])
    return {names: count for names, count in kept.items() if count != after[names]}


def _digits(plan: Draft) -> dict[str, int]:
    """Return the digits of the numbers in the names of each kind."""
    mapping, sizing = plan.mapping, plan.sizing
    groups = mapping.rail_groups if mapping.segment_blocks > 1 else 1
    sizes = {Role.LEAF: sizing.leaf * groups, Role.SPINE: sizing.spine, Role.CORE: sizing.core}
    digits = {role.value: mapping.digits(role.value, sizes[role]) for role in plan.roles}
    return digits | {
        "host": mapping.digits("host", plan.fabric.coordinates.planned_hosts),
        "cable": plan.label_width,
    }


def _endpoints(old: Plan, new: Mapping) -> Int32Array | None:
    """Return the leaf ports that endpoints of a block keep; None where the rule gives the same.

    Below a second tier every leaf port stays a leaf port. The ports of a lone leaf that become
    uplinks are given up, and on a leaf that now serves some rails only, so are those of the others.
    """
    rule = new.pattern()
    home = homes(rule, new.fabric.planned_gpus)
    here = (old.segment.kind == LinkKind.HOST) & (old.segment.block == 0)
    gpu, slot = old.segment.lower[here].astype(np.int64), old.segment.slot[here].astype(np.int64)
    if old.sizing.tiers == 1 and new.sizing.tiers > 1:
        stays = slot < new.sizing.leaf_down
        if new.fabric.design is Design.RAIL_OPTIMIZED:
            stays &= home[gpu] < new.sizing.leaf_down
        gpu, slot = gpu[stays], slot[stays]
    return filled(gpu, slot, home, rule, new.sizing)


def homes(rule: Int32Array, gpus: int) -> IntArray:
    """Return the slot of each GPU by a pattern of slots; -1 where it has none."""
    home: IntArray = np.full(gpus, -1, dtype=np.int64)
    home[rule[rule >= 0]] = np.flatnonzero(rule >= 0)
    return home


def filled(
    gpu: IntArray, slot: IntArray, home: IntArray, rule: Int32Array, sizing: Sizing
) -> Int32Array | None:
    """Keep GPUs at their slots, and put others at the rule's slot or the nearest free one.

    Returns None where this is the rule's pattern.
    """
    if (home[gpu] == slot).all():
        return None
    # kept GPUs and those with a free slot by the rule are placed in bulk; only the rest is searched
    pattern = np.full_like(rule, -1)
    pattern[slot] = gpu
    stays = np.zeros(len(home), dtype=bool)
    stays[gpu] = True
    rest = np.array([each for each in rule[rule >= 0].tolist() if not stays[each]], dtype=np.int64)
    free = pattern[home[rest]] < 0
    pattern[home[rest[free]]] = rest[free]
    down = sizing.leaf_down
    for each in rest[~free].tolist():
        first = home[each] // down * down
        near = np.flatnonzero(pattern[first : first + down] < 0)
        pattern[first + near[0] if len(near) else np.flatnonzero(pattern < 0)[0]] = each
    return pattern


def _wired(old: Plan, new: Mapping) -> dict[LinkKind, tuple[Int32Array, Int32Array]]:
    """Return the switch links to keep, without kinds where every link follows the rule."""
    found = {}
    for kind in list(LinkKind)[1 : old.sizing.tiers]:
        rule = tier_links(new, kind)
        wired = (
            _leaf_spine(old, new, rule)
            if kind is LinkKind.LEAF_SPINE
            else _spine_core(old, new, rule)
        )
        if any(not np.array_equal(one, other) for one, other in zip(wired, rule, strict=True)):
            found[kind] = (wired.upper, wired.upper_port)
    return found


def _leaf_spine(old: Plan, new: Mapping, rule: TierLinks) -> TierLinks:
    """Keep the links of leaves to spines; both keep their number in the block."""
    sizing = new.sizing
    top = sizing.tiers < GROWN_TIERS
    side = TierPorts(
        sizing.leaf_up,
        sizing.spine,
        new.fabric.port_layouts[Role.SPINE].usable if top else sizing.spine_down,
    )
    was = tier_links(old.mapping, LinkKind.LEAF_SPINE)
    return keep(was, rule, side)


def _spine_core(old: Plan, new: Mapping, rule: TierLinks) -> TierLinks:
    """Keep the links of spines to cores, group by group; a group has its older cores first."""
    # renumber the cores as the larger groups do, then sort the groups' links back into block order
    sizing, was = new.sizing, tier_links(old.mapping, LinkKind.SPINE_CORE)
    group, member = np.divmod(was.upper, np.int32(old.sizing.group_cores))
    was = was._replace(upper=(group * sizing.group_cores + member).astype(np.int32))
    side = TierPorts(sizing.spine_up, sizing.group_cores, new.fabric.port_layouts[Role.CORE].usable)
    groups = [_group(was, rule, each, sizing, side) for each in range(sizing.pod_spines)]
    columns = TierLinks(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    order = np.lexsort((columns.lower_port, columns.lower))
    return TierLinks(*(column[order] for column in columns))


def _group(
    was: TierLinks, rule: TierLinks, group: int, sizing: Sizing, side: TierPorts
) -> TierLinks:
    """Keep the links of one core group's spines; within it a spine counts as its pod."""
    spines, first = sizing.pod_spines, group * sizing.group_cores
    before, asked = (
        TierLinks(links.lower // spines, links.lower_port, links.upper - first, links.upper_port)
        for links in (
            TierLinks(*(column[links.lower % spines == group] for column in links))
            for links in (was, rule)
        )
    )
    kept = keep(before, asked, side)
    return kept._replace(lower=kept.lower * spines + group, upper=kept.upper + first)
