"""The plan: every decision about a fabric, made once.

Owns `Plan` and `make_plan`. One unit of the fabric (the blocks that share boxes) is wired as columns; all units are alike, so any
other one is the same columns with other names, addresses and labels. What a plan is rendered into is the business of its readers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen import __version__
from fabricgen.addressing import AddressPlan, plan_addresses
from fabricgen.cabling import LABEL_DIGITS, Joint, choose, label_prefix
from fabricgen.clos import leaf_spine, spine_core
from fabricgen.designs import Mapping, map_design, rails_of_a_box
from fabricgen.diagnostics import refuse
from fabricgen.heritage import check_heritage, joints
from fabricgen.lengths import Lengths
from fabricgen.placing import Naming, check_names, check_patterns
from fabricgen.resolving import Request, resolve
from fabricgen.rooms import make_room
from fabricgen.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog import Catalog
    from fabricgen.clos import Bools, Ints, Joints, Sizing
    from fabricgen.fronts import Port
    from fabricgen.heritage import Heritage
    from fabricgen.spec import FabricSpec


WASTEFUL = 3
"""So many times the switches that are needed is worth a word."""


class Unit(NamedTuple):
    """The installed links of one unit as columns, ordered by block, kind, lower end and port.

    `kind` is a LinkKind; `block` counts within the unit. `lower` is the GPU at a host link (of rail 0: add the rail), otherwise a switch of
    the unit; `slot` its endpoint position; ports index `Plan.ports` of the role; `number` counts cables of a kind within a block, from 1.
    """

    kind: Ints
    block: Ints
    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints
    slot: Ints
    number: Ints


@dataclass(frozen=True)
class Plan:
    """A fabric, sized, wired, named and addressed."""

    request: Request
    catalog: Catalog
    mapping: Mapping
    naming: Naming
    addresses: AddressPlan
    joints: dict[LinkKind, Joint]

    @property
    def spec(self) -> FabricSpec:
        """The inventory that was planned."""
        return self.request.spec

    @property
    def sizing(self) -> Sizing:
        """The size of one block."""
        return self.mapping.sizing

    @property
    def kinds(self) -> list[LinkKind]:
        """The kinds of link that the fabric has, from the hosts up."""
        return list(LinkKind)[: self.sizing.tiers]

    @property
    def roles(self) -> list[Role]:
        """The roles that the fabric has, from the leaf up."""
        return list(Role)[: self.sizing.tiers]

    @cached_property
    def unit(self) -> Unit:
        """The links of one unit."""
        return _wire(self.mapping, self.request.gpus)

    @property
    def widths(self) -> dict[Role, tuple[int, int]]:
        """The ports of a box of each role that face down, and those that face up; a cable that is kept may sit above the others."""
        sizing, shares = self.sizing, self.mapping.unit_blocks
        kept = self.mapping.heritage.downlinks if self.mapping.heritage else {}
        used = {
            Role.LEAF: (sizing.leaf_down * shares, sizing.leaf_up * shares),
            Role.SPINE: (max(sizing.spine_down, kept.get(Role.SPINE, 0)), sizing.spine_up),
            Role.CORE: (max(sizing.core_down, kept.get(Role.CORE, 0)), 0),
        }
        return {role: used[role] for role in self.roles}

    @cached_property
    def ports(self) -> dict[Role, list[Port]]:
        """The ports that links use on a box of each role: downlinks first, then uplinks."""
        return {role: self.request.fronts[role].ports(*width) for role, width in self.widths.items()}

    @cached_property
    def installed(self) -> list[bool]:
        """Whether each switch of a unit, in the order of `Naming.boxes`, has a link now."""
        has = np.zeros(len(self.naming.boxes), dtype=bool)
        has[self.unit.upper] = True
        has[self.unit.lower[self.unit.kind != LinkKind.HOST]] = True
        return [bool(value) for value in has]

    def switch_count(self, role: Role) -> int:
        """Count the installed switches of a role."""
        return self.mapping.units * sum(has for has, box in zip(self.installed, self.naming.boxes, strict=True) if box.role is role)

    def link_count(self, kind: LinkKind) -> int:
        """Count the installed links of a kind."""
        return self.mapping.units * int(np.count_nonzero(self.unit.kind == kind))

    def cable_count(self, kind: LinkKind) -> int:
        """Count the installed cables of a kind; a link of two connectors takes two."""
        return self.link_count(kind) * self.joints[kind].cables

    @cached_property
    def lengths(self) -> Lengths | None:
        """Where everything stands, and how long every cable is; None where the inventory wants no lengths."""
        room = make_room(self.naming, self.catalog, self.installed)
        return Lengths(room, self.joints, self.unit) if room else None

    @property
    def links(self) -> int:
        """Installed links of the whole fabric."""
        return sum(self.link_count(kind) for kind in self.kinds)

    @property
    def cables(self) -> int:
        """Installed cables of the whole fabric."""
        return sum(self.cable_count(kind) for kind in self.kinds)

    @cached_property
    def label_width(self) -> int:
        """Digits of the number on a cable's label."""
        sizing = self.sizing
        largest = max(sizing.slots, sizing.leaf * sizing.leaf_up, sizing.spine * sizing.spine_up)
        return max(LABEL_DIGITS, self.mapping.digits("cable", largest))

    def label(self, kind: LinkKind, unit: int, block: int) -> str:
        """Return what stands before the number on the labels of a kind of cable in a block."""
        plane = self.mapping.plane(unit) if self.request.planes > 1 else None
        return label_prefix(kind, self.mapping.rail(unit, block), plane)

    @cached_property
    def hosts(self) -> list[str]:
        """The names of the installed hosts, in order."""
        return [self.naming.host(host) for host in range(self.request.gpus // self.request.host_gpus)]

    def switches(self) -> Iterator[str]:
        """Name every installed switch, unit by unit."""
        for unit in range(self.mapping.units):
            yield from (name for name, has in zip(self.naming.switches(unit), self.installed, strict=True) if has)

    def advice(self) -> list[str]:
        """Say what is planned as asked, though a person may want it otherwise."""
        return [*_idle_boxes(self), *_wasteful_spread(self), *_long_cables(self)]

    def digest(self) -> str:
        """Return a SHA-256 of the wiring, so that a plan read from a file can be checked against the rules of this version."""
        state = hashlib.sha256(repr((self.mapping.units, self.sizing)).encode())
        for column in self.unit:
            state.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
        return state.hexdigest()

    def document(self, summary: dict[str, Any]) -> dict[str, Any]:
        """Return what a plan file holds: the summary, the inventory with every default, a digest of the wiring, and what it keeps of another plan."""
        inventory = self.spec.model_dump(mode="json", exclude_none=True)
        kept = {"kept": self.mapping.heritage.document()} if self.mapping.heritage else {}
        return {"format": "fabricgen-plan/1", "version": __version__, **summary, "wiring_sha256": self.digest(), "inventory": inventory, **kept}


def make_plan(spec: FabricSpec, catalog: Catalog, heritage: Heritage | None = None) -> Plan:
    """Plan a fabric, with what it keeps of another plan. Raises Refusal with the findings of the first phase that has any."""
    request = resolve(spec, catalog)
    mapping = map_design(request)
    if heritage:
        check_heritage(heritage, mapping.sizing, mapping.pattern(), {role: front.radix for role, front in request.fronts.items()})
        mapping = replace(mapping, heritage=heritage)
    check_patterns(mapping)
    addresses = plan_addresses(mapping)
    naming = Naming(mapping)
    joints = choose(request, catalog, list(LinkKind)[: mapping.sizing.tiers])
    plan = Plan(request, catalog, mapping, naming, addresses, joints)
    _check_cages(plan)
    check_names(list(plan.switches()), plan.hosts)
    if spec.site and plan.lengths:
        plan.lengths.check()
    return plan


def _idle_boxes(plan: Plan) -> Iterator[str]:
    """Notice rails that could share their boxes."""
    request, mapping = plan.request, plan.mapping
    if mapping.spans_rails or plan.sizing.tiers > 1:
        return
    best, radix = rails_of_a_box(request), request.fronts[Role.LEAF].radix
    if best > mapping.per_switch:
        used = mapping.per_switch * (request.planned_gpus // request.rails)
        fewer = plan.switch_count(Role.LEAF) * mapping.per_switch // best
        yield f"a leaf uses {used} of its {radix} ports; `rails.per_switch: auto` would put {best} rails on a box and take {fewer} instead"


def _wasteful_spread(plan: Plan) -> Iterator[str]:
    """Notice spines or cores that are there only because they must divide the uplinks."""
    sizing, fronts = plan.sizing, plan.request.fronts
    if plan.spec.spread != "even" or sizing.tiers == 1:
        return
    upper, uplinks, ports, count = (
        (Role.CORE, sizing.spine_up, sizing.pods * sizing.spine_up, sizing.group_cores)
        if sizing.core
        else (Role.SPINE, sizing.leaf_up, sizing.leaf * sizing.leaf_up, sizing.spine)
    )
    fewest = -(-ports // fronts[upper].radix)
    if count >= WASTEFUL * fewest:
        where = " in a core group" if sizing.core else ""
        why = f"{uplinks} uplinks are spread evenly, and nothing smaller that suffices divides {uplinks}"
        hint = "`spread: minimal` takes the fewest, and another `oversubscription` may split rounder"
        yield f"{count} {upper} switches{where} where {fewest} have the ports: {why}; {hint}"


def _long_cables(plan: Plan) -> Iterator[str]:
    """Notice cables that are too long for their parts in a room that nobody described; in a described one they are refused."""
    if plan.lengths and plan.lengths.room.generated:
        for fact, *because in plan.lengths.too_long():
            yield f"in the room that was generated {fact}: {'; '.join(because)}; describe yours under `site`"


def _check_cages(plan: Plan) -> None:
    """Refuse a cage whose downlink and uplink need different modules. Raises Refusal `two-modules-in-a-cage`."""
    for below, above in pairwise(plan.kinds):
        role, count = below.upper, plan.request.fronts[below.upper].down.count
        down, modules = plan.widths[role][0], (plan.joints[below].upper.model, plan.joints[above].lower.model)
        cage = plan.ports[role][down].cage
        if down % count and cage == plan.ports[role][down - 1].cage and modules[0] != modules[1]:
            because = (
                f"{down} downlinks at {count} a cage end in the middle of cage {cage}, and the uplinks go on there",
                f"the downlink takes a {modules[0]} and the uplink a {modules[1]}",
            )
            hint = "choose another `oversubscription`, one that leaves whole cages to the downlinks, such as 1:1"
            raise refuse("two-modules-in-a-cage", f"cage {cage} of each {role} would need two modules", path=("oversubscription",), because=because, hint=hint)


def _wire(mapping: Mapping, installed_gpus: int) -> Unit:
    """Wire one unit: the block's three kinds of link, stamped for each block that shares its leaf boxes, and filtered to what is installed."""
    gpu = mapping.pattern()
    present = (gpu >= 0) & (gpu < installed_gpus)
    slots = np.flatnonzero(present).astype(np.int32)
    leaves = _installed_leaves(mapping, slots)
    blocks = [_block(mapping, block, gpu, slots, leaves) for block in range(mapping.unit_blocks)]
    return Unit(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))


def _installed_leaves(mapping: Mapping, slots: Ints) -> Bools:
    """Say which leaves are wired: all of them, or with a reserve those that serve a GPU now; in three tiers whole pods."""
    sizing = mapping.sizing
    if mapping.request.spec.reserve is None:
        return np.ones(sizing.leaf, dtype=bool)
    serves = np.zeros(sizing.leaf, dtype=bool)
    serves[slots // sizing.leaf_down] = True
    return np.repeat(serves.reshape(sizing.pods, -1).any(axis=1), sizing.pod_leaves) if sizing.core else serves


def _block(mapping: Mapping, block: int, gpu: Ints, slots: Ints, leaves: Bools) -> Unit:
    """Wire one block of a unit. On a shared leaf box the ports of its blocks alternate, so that a twin cage carries two rails of one host."""
    sizing, shares = mapping.sizing, mapping.unit_blocks
    spines = np.int32(sizing.leaf + block * (sizing.spine + sizing.core))
    leaf, down = np.divmod(slots, np.int32(sizing.leaf_down))
    hosts = (gpu[slots], np.zeros_like(slots), leaf, down * np.int32(shares) + np.int32(block), slots, slots + 1)
    parts: list[tuple[LinkKind, tuple[Ints, ...]]] = [(LinkKind.HOST, hosts)]
    if sizing.tiers > 1:
        wired = joined(mapping, LinkKind.LEAF_SPINE)
        ports = np.int32(sizing.leaf_down * shares + block) + wired.lower_port * np.int32(shares)
        parts.append((LinkKind.LEAF_SPINE, _columns(wired, leaves[wired.lower], np.int32(0), ports, spines, sizing.leaf_up)))
    if sizing.spine_up:
        wired = joined(mapping, LinkKind.SPINE_CORE)
        pods = leaves.reshape(sizing.pods, -1)[:, 0]
        ports = np.int32(sizing.spine_down) + wired.lower_port
        parts.append(
            (LinkKind.SPINE_CORE, _columns(wired, pods[wired.lower // sizing.pod_spines], spines, ports, spines + np.int32(sizing.spine), sizing.spine_up))
        )
    stacked = [(np.full(len(columns[0]), kind, dtype=np.int32), np.full(len(columns[0]), block, dtype=np.int32), *columns) for kind, columns in parts]
    return Unit(*(np.concatenate(columns).astype(np.int32) for columns in zip(*stacked, strict=True)))


def joined(mapping: Mapping, kind: LinkKind) -> Joints:
    """Join two tiers of a block: as the plan keeps them, else by the rule."""
    kept = mapping.heritage.wired.get(kind) if mapping.heritage else None
    if kept:
        return joints(kind, kept, mapping.sizing)
    return leaf_spine(mapping.sizing) if kind is LinkKind.LEAF_SPINE else spine_core(mapping.sizing)


def _columns(wired: Joints, keep: Bools, lower: np.int32, ports: Ints, upper: np.int32, uplinks: int) -> tuple[Ints, ...]:
    """Turn the joints of two tiers into unit columns, keeping the installed ones."""
    number = wired.lower * np.int32(uplinks) + wired.lower_port + np.int32(1)
    columns = (wired.lower + lower, ports, wired.upper + upper, wired.upper_port, np.full_like(number, -1), number)
    return tuple(column[keep] for column in columns)
