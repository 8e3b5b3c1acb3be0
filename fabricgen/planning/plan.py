"""The plan: every decision about a fabric, made once.

Owns `Plan` and `make_plan`. One segment of the fabric is wired as columns, by `segments`; any other one
is the same columns with other names, addresses and labels. What a plan is rendered into is the
business of its readers.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen import __version__
from fabricgen.core.diagnostics import Finding, Refusal, refuse
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import AddressPlan, plan_addresses
from fabricgen.planning.baseline.baseline import Baseline, Slices, check_heritage
from fabricgen.planning.cabling.cable_runs import CableRuns
from fabricgen.planning.cabling.cages import Cages
from fabricgen.planning.cabling.candidates import LABEL_DIGITS, choose, label_prefix
from fabricgen.planning.cabling.lengths import Lengths, ReservedFabric
from fabricgen.planning.cabling.preference import rank
from fabricgen.planning.cabling.selection import first_of
from fabricgen.planning.cabling.trays import check_trays
from fabricgen.planning.designs import Mapping, map_design
from fabricgen.planning.naming import Naming, check_names, check_patterns
from fabricgen.planning.resolve import ResolvedFabric, resolve
from fabricgen.planning.room.room import make_room
from fabricgen.planning.segment_links import Segment, wire_segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.arrays import IntArray
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.cabling.pieces import Pieces
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.port_layout import Port, PortLayout
_LABEL = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True)
class Plan:
    """A fabric, sized, wired, named and addressed."""

    fabric: ResolvedFabric
    catalog: Catalog
    mapping: Mapping
    naming: Naming
    addresses: AddressPlan
    offers: tuple[LinkParts, ...]
    """The parts that there are for each kind of link, each reaching further than the one before; speed and cables of a link are alike in all."""
    measured: dict[tuple[int, int], int] = field(default_factory=dict)
    """What somebody measured: by segment and row of `segment`, the way of a link's cable in millimetres."""

    @property
    def spec(self) -> FabricSpec:
        """The inventory that was planned."""
        return self.fabric.spec

    @property
    def sizing(self) -> Sizing:
        """The size of one block."""
        return self.mapping.sizing

    @cached_property
    def joints(self) -> dict[LinkKind, LinkParts]:
        """The first offer for each kind of link: what its speed and its number of cables are read from, which all have in common."""
        return {joint.kind: joint for joint in reversed(self.offers)}

    @property
    def kinds(self) -> list[LinkKind]:
        """The kinds of link that the fabric has, from the hosts up."""
        return list(LinkKind)[: self.sizing.tiers]

    @property
    def roles(self) -> list[Role]:
        """The roles that the fabric has, from the leaf up."""
        return list(Role)[: self.sizing.tiers]

    @cached_property
    def segment(self) -> Segment:
        """The links of one segment."""
        return wire_segment(self.mapping, self.fabric.gpus)

    @property
    def widths(self) -> dict[Role, tuple[int, int]]:
        """The ports of a box of each role that face down, and those that face up; a cable that is kept may sit above the others."""
        sizing, shares = self.sizing, self.mapping.segment_blocks
        kept = self.mapping.baseline.downlinks if self.mapping.baseline else {}
        used = {
            Role.LEAF: (sizing.leaf_down * shares, sizing.leaf_up * shares),
            Role.SPINE: (max(sizing.spine_down, kept.get(Role.SPINE, 0)), sizing.spine_up),
            Role.CORE: (max(sizing.core_down, kept.get(Role.CORE, 0)), 0),
        }
        return {role: used[role] for role in self.roles}

    @cached_property
    def ports(self) -> dict[Role, list[Port]]:
        """The ports that links use on a box of each role: downlinks first, then uplinks."""
        return {
            role: self.fabric.port_layouts[role].ports(*width)
            for role, width in self.widths.items()
        }

    @cached_property
    def installed(self) -> list[bool]:
        """Whether each switch of a segment, in the order of `Naming.boxes`, has a link now."""
        has = np.zeros(len(self.naming.boxes), dtype=bool)
        has[self.segment.upper] = True
        has[self.segment.lower[self.segment.kind != LinkKind.HOST]] = True
        return [bool(value) for value in has]

    def port_layouts(self, segment: int) -> dict[Role, PortLayout]:
        """Return the front of each role in a segment: the switches of some rails may run another NOS."""
        return self.fabric.layouts_of_rail(self.mapping.rail(segment))

    def interfaces(self, segment: int) -> dict[Role, list[str]]:
        """Name the ports in use of each role, in the order of `ports`, as the boxes of a segment call them."""
        port_layouts = self.port_layouts(segment)
        switches_by_rail = tuple(port_layout.nos for port_layout in port_layouts.values())
        if switches_by_rail not in self._named:
            self._named[switches_by_rail] = {
                role: [port_layouts[role].interface(port) for port in ports]
                for role, ports in self.ports.items()
            }
        return self._named[switches_by_rail]

    @cached_property
    def _named(self) -> dict[tuple[str, ...], dict[Role, list[str]]]:
        """The interfaces by the NOS of each role, as they are asked for."""
        return {}

    def with_nos_of_rail(self, rail: int) -> Plan:
        """Return this plan with the NOS of one rail on every switch. What is worked out here first does not depend on it, and is kept."""
        worked_out = {
            name: getattr(self, name)
            for name in ("segment", "ports", "installed", "hosts", "lengths", "label_width")
        }
        other = replace(
            self,
            fabric=replace(
                self.fabric, port_layouts=self.fabric.switches_by_rail[rail], switches_by_rail={}
            ),
        )
        vars(other).update(worked_out)
        return other

    def switch_count(self, role: Role) -> int:
        """Count the installed switches of a role."""
        return self.mapping.segments * sum(
            has
            for has, box in zip(self.installed, self.naming.boxes, strict=True)
            if box.role is role
        )

    def link_count(self, kind: LinkKind) -> int:
        """Count the installed links of a kind."""
        return self.mapping.segments * int(np.count_nonzero(self.segment.kind == kind))

    def row_count(self, kind: LinkKind) -> int:
        """Count the rows that the installed links of a kind have in the cable list: one each, or one for each cable of a link that takes several."""
        return self.link_count(kind) * self.joints[kind].cables

    def cable_count(self, kind: LinkKind) -> int:
        """Count the installed cables of a kind, as pieces: a link of two connectors takes two, and several links may share one."""
        if self.pieces is None:
            return self.row_count(kind)
        rows = self.segment.kind == kind
        return int(np.count_nonzero(self.pieces.first[:, rows])) * self.joints[kind].cables

    @property
    def pieces(self) -> Pieces | None:
        """How links share cables; None where none does. Only parts that lengths decide on are shared."""
        return self.lengths.pieces if self.decides and self.lengths else None

    @cached_property
    def module_ends(self) -> int:
        """Count the link ends that are in a module, one for each link whatever the module carries; copper has none."""
        segments, ends = (
            self.mapping.segments,
            np.array([len(joint.modules) for joint in self.offers]),
        )
        if not self.decides:
            return segments * int(ends[self.offer(0)].sum())
        return sum(int(ends[self.offer(segment)].sum()) for segment in range(segments))

    @cached_property
    def lengths(self) -> Lengths | None:
        """Where everything stands, and how long every cable is; None where the inventory wants no lengths."""
        room = make_room(self.naming, self.catalog, self.installed)
        if room is None:
            return None
        grown = None
        if self.decides and self.spec.reserve:
            segment = wire_segment(self.mapping, self.fabric.planned_gpus)
            rows = np.flatnonzero(np.isin(_keys(segment), _keys(self.segment)))
            measured = {
                (number, int(rows[row])): length for (number, row), length in self.measured.items()
            }
            grown = ReservedFabric(
                Lengths(
                    CableRuns(room, segment),
                    self.offers,
                    replace(self.cages, links=segment),
                    measured,
                ),
                rows,
            )
        return Lengths(CableRuns(room, self.segment), self.offers, self.cages, self.measured, grown)

    @cached_property
    def cages(self) -> Cages:
        """Which cage each end of a link sits in."""
        return Cages(self.mapping, self.ports, self.segment, len(self.naming.boxes))

    @cached_property
    def decides(self) -> bool:
        """Whether segments may differ in their parts: there is a choice by length, or a cable that may serve several segments."""
        return len(self.offers) > len(self.kinds) or any(joint.shared > 1 for joint in self.offers)

    @cached_property
    def _first(self) -> IntArray:
        """The first offer of each link's kind."""
        return first_of([joint.kind for joint in self.offers], self.segment.kind)

    def offer(self, segment: int) -> IntArray:
        """Return which of the offers each link of a segment takes."""
        if self.lengths is not None and self.decides:
            return self.lengths.offer(segment)
        return self._first

    @property
    def links(self) -> int:
        """Installed links of the whole fabric."""
        return sum(self.link_count(kind) for kind in self.kinds)

    @property
    def cables(self) -> int:
        """Installed cables of the whole fabric, as pieces."""
        return sum(self.cable_count(kind) for kind in self.kinds)

    @property
    def rows(self) -> int:
        """Rows of the cable list of the whole fabric."""
        return sum(self.row_count(kind) for kind in self.kinds)

    @cached_property
    def label_width(self) -> int:
        """Digits of the number on a cable's label."""
        sizing = self.sizing
        largest = max(sizing.slots, sizing.leaf * sizing.leaf_up, sizing.spine * sizing.spine_up)
        return max(LABEL_DIGITS, self.mapping.digits("cable", largest))

    def label(self, kind: LinkKind, segment: int, block: int) -> str:
        """Return what stands before the number on the labels of a kind of cable in a block."""
        plane = self.mapping.plane(segment) if self.fabric.planes > 1 else None
        return label_prefix(kind, self.mapping.rail(segment, block), plane)

    @cached_property
    def hosts(self) -> list[str]:
        """The names of the installed hosts, in order."""
        return [self.naming.host(host) for host in range(self.fabric.coordinates.hosts)]

    def switches(self) -> Iterator[str]:
        """Name every installed switch, segment by segment."""
        for segment in range(self.mapping.segments):
            yield from (
                name
                for name, has in zip(self.naming.switches(segment), self.installed, strict=True)
                if has
            )

    def digest(self) -> str:
        """Return a SHA-256 of the wiring, so that a plan read from a file can be checked against the rules of this version."""
        state = hashlib.sha256(repr((self.mapping.segments, self.sizing)).encode())
        for column in self.segment:
            state.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
        return state.hexdigest()

    def document(self, summary: dict[str, Any]) -> dict[str, Any]:
        """Return what a plan file holds: the summary, the inventory with every default, a digest of the wiring, and what it keeps of another plan."""
        inventory = self.spec.model_dump(mode="json", exclude_none=True)
        baseline, site = self.mapping.baseline, self.spec.site
        if site and site.positions and self.lengths:
            standing, addresses = self.lengths.room.standing, self.addresses
            baseline = baseline or Baseline(
                self.mapping.rings, {}, Slices(addresses.hosts.size, addresses.loopbacks.size)
            )
            baseline = replace(baseline, standing=standing, table=site.positions)
        kept = {"kept": baseline.document()} if baseline else {}
        return {
            "format": "fabricgen-plan/1",
            "version": __version__,
            **summary,
            "wiring_sha256": self.digest(),
            "inventory": inventory,
            **kept,
        }


def make_plan(spec: FabricSpec, catalog: Catalog, baseline: Baseline | None = None) -> Plan:
    """Plan a fabric, with what it keeps of another plan. Raises Refusal with the findings of the first phase that has any."""
    plan = draft_plan(spec, catalog, baseline)
    check_names(list(plan.switches()), plan.hosts)
    plan = replace(plan, measured=_measured(plan))
    if spec.site and plan.lengths:
        plan.lengths.check()
        check_trays(plan.lengths)
    return plan


def draft_plan(spec: FabricSpec, catalog: Catalog, baseline: Baseline | None = None) -> Plan:
    """Size, number and address a fabric and choose its parts, as `make_plan` does first: nothing is wired, named or measured. Raises Refusal."""
    fabric = resolve(spec, catalog)
    mapping = map_design(fabric)
    if baseline:
        check_heritage(
            baseline,
            mapping.sizing,
            mapping.pattern(),
            {role: port_layout.radix for role, port_layout in fabric.port_layouts.items()},
        )
        mapping = replace(mapping, baseline=baseline)
    _check_rails(mapping)
    check_patterns(mapping)
    addresses = plan_addresses(mapping)
    naming = Naming(mapping)
    offers = choose(fabric, catalog, list(LinkKind)[: mapping.sizing.tiers])
    return _with_whole_cages(Plan(fabric, catalog, mapping, naming, addresses, offers))


def _check_rails(mapping: Mapping) -> None:
    """Refuse systems of single rails where switches serve several. Raises Refusal `rails-share-switches`."""
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


def _keys(segment: Segment) -> IntArray:
    """Return a number for each link of a segment, which it keeps whatever else is installed."""
    keys: IntArray = (segment.block.astype(np.int64) * (len(LinkKind) + 1) + segment.kind) * (
        int(np.iinfo(np.int32).max) + 1
    ) + segment.number
    return keys


def _with_whole_cages(plan: Plan) -> Plan:
    """Leave out offers that would need two modules where a downlink and an uplink share a cage. Raises Refusal `two-modules-in-a-cage`."""
    for below, above in pairwise(plan.kinds):
        role, count = below.upper, plan.fabric.port_layouts[below.upper].down.count
        down = plan.widths[role][0]
        cage = plan.ports[role][down].cage
        if not down % count or cage != plan.ports[role][down - 1].cage:
            continue
        sides = (
            {joint.upper for joint in plan.offers if joint.kind is below},
            {joint.lower for joint in plan.offers if joint.kind is above},
        )
        common = sorted(
            (module for module in sides[0] & sides[1] if module),
            key=lambda module: (rank(module, plan.catalog), module.model),
        )
        if not common:
            because = (
                f"{down} downlinks at {count} a cage end in the middle of cage {cage}, and the uplinks go on there",
                f"the downlink takes a {_plug(plan.joints[below], 'upper')} and the uplink a {_plug(plan.joints[above], 'lower')}",
            )
            hint = "choose another `oversubscription`, one that leaves whole cages to the downlinks, such as 1:1"
            raise refuse(
                "two-modules-in-a-cage",
                f"cage {cage} of each {role} would need two modules",
                path=("oversubscription",),
                because=because,
                hint=hint,
            )
        ends: dict[LinkKind, End] = {below: "upper", above: "lower"}
        kept = (
            joint
            for joint in plan.offers
            if joint.kind not in ends or joint.modules.get(ends[joint.kind]) == common[0]
        )
        plan = replace(plan, offers=tuple(kept))
    return plan


def _plug(joint: LinkParts, end: End) -> str:
    """Name what is plugged into a cage: a module, or the end of a cable."""
    module = joint.modules.get(end)
    return module.model if module else joint.cable.model


def _measured(plan: Plan) -> dict[tuple[int, int], int]:
    """Find the cables that the inventory gives a measured length. Raises Refusal `unknown-cable` with a finding for each that there is none of."""
    stated = plan.spec.site.measured_m if plan.spec.site else {}
    mapping, found, findings = plan.mapping, {}, []
    blocks = (
        [
            (segment, block, kind)
            for segment in range(mapping.segments)
            for block in range(mapping.segment_blocks)
            for kind in plan.kinds
        ]
        if stated
        else []
    )
    prefixes = {
        plan.label(kind, segment, block): (segment, block, kind) for segment, block, kind in blocks
    }
    for label, length_m in stated.items():
        match = _LABEL.fullmatch(label)
        segment, block, kind = (
            prefixes.get(match[1], (0, -1, LinkKind.HOST)) if match else (0, -1, LinkKind.HOST)
        )
        rows = np.flatnonzero(
            (plan.segment.kind == kind)
            & (plan.segment.block == block)
            & (plan.segment.number == int(match[2] if match else 0))
        )
        if len(rows) and match and len(match[2]) == plan.label_width:
            found[segment, int(rows[0])] = int(length_m * 1000)
        else:
            hint = "`cables.csv` lists every label; of a link's several cables, what their labels have in common stands for all"
            findings.append(
                Finding(
                    "unknown-cable",
                    f"this fabric has no cable `{label}`",
                    ("site", "measured_m", label),
                    (),
                    hint,
                )
            )
    if findings:
        raise Refusal(findings)
    return found
