"""A fabric that is sized, mapped, named and addressed, with candidates for its parts; not wired.

Owns `Draft`: all that counts and prices by arithmetic need. A search makes hundreds of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import CLOS_KINDS, ROLES, LinkKind
from fabricgen.planning.addressing import plan_addresses
from fabricgen.planning.cabling.assignment import decided_by_length
from fabricgen.planning.cabling.candidates import part_candidates, preference_of
from fabricgen.planning.cabling.label_format import label_prefix, label_width
from fabricgen.planning.cabling.shared_cages import beside_compute, one_module_a_cage
from fabricgen.planning.naming import make_naming
from fabricgen.planning.switch_ports import check_rail_nos, switch_ports, switch_widths

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.terms import Role
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.addressing import AddressPlan
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """A fabric, sized, named and addressed."""

    fabric: ResolvedFabric
    catalog: Catalog
    mapping: Mapping
    naming: DeviceNames
    addresses: AddressPlan
    ports: dict[Role, list[Port]]
    """The ports in use on a switch of each role: downlinks first, then uplinks."""
    candidates: tuple[LinkParts, ...]
    """The candidates for the parts of each kind of link, each reaching further than the one before.

    All candidates of a kind have the same speed and the same number of cables.
    """
    kinds: list[LinkKind]
    """The kinds of link that the fabric has, from the hosts up, and that between leaves last."""
    roles: list[Role]
    """The roles that the fabric has, from the leaf up."""
    widths: dict[Role, tuple[int, int]]
    """The ports of a switch of each role that face down, and those that face up."""
    link_parts: dict[LinkKind, LinkParts]
    """The first candidate of each kind of link."""
    decides: bool
    """Whether segments may differ in their parts."""
    label_width: int
    """Digits of the number on a cable's label."""

    @property
    def spec(self) -> FabricSpec:
        """The inventory that was planned."""
        return self.fabric.spec

    @property
    def sizing(self) -> Sizing:
        """The size of one block."""
        return self.mapping.sizing

    @property
    def tier_kinds(self) -> list[LinkKind]:
        """The kinds of link that join a tier to the one below."""
        return self.kinds[: self.sizing.tiers]

    def link_cables(self, kind: Int32Array) -> IntArray:
        """Return the cables that each link takes, by its kind."""
        many = np.zeros(max(self.kinds) + 1, dtype=np.int64)
        many[self.kinds] = [self.link_parts[each].cables for each in self.kinds]
        cables: IntArray = many[kind]
        return cables

    def label(self, kind: LinkKind, segment: int, block: int) -> str:
        """Return what precedes the number on the labels of a kind of cable in a block."""
        plane = self.mapping.plane(segment) if self.fabric.planes > 1 else None
        network = self.fabric.network.name if self.fabric.network else ""
        return label_prefix(kind, self.mapping.rail(segment, block), plane, network)

    def label_prefixes(self, segment: int) -> dict[tuple[LinkKind, int], str]:
        """Return `label` for each kind of link and each block of a segment."""
        return {
            (kind, block): self.label(kind, segment, block)
            for kind in self.kinds
            for block in range(self.mapping.segment_blocks)
        }

    def port_layouts(self, segment: int) -> dict[Role, PortLayout]:
        """Return the port layout of each role in a segment, by the NOS of its rail."""
        return self.fabric.layouts_of_rail(self.mapping.rail(segment))

    def systems(self) -> dict[Role, list[str]]:
        """Return the NOS of the switches of each role by segment."""
        every = [*map(self.port_layouts, range(self.mapping.segments))]
        return {role: [layouts[role].nos for layouts in every] for role in every[0]}


def draft_of(mapping: Mapping, catalog: Catalog) -> Draft:
    """Name and address a mapped fabric, and find candidates for its parts. Raises Refusal."""
    fabric = mapping.fabric
    check_rail_nos(mapping)
    naming = make_naming(mapping)
    addresses = plan_addresses(mapping)
    ports = switch_ports(mapping)
    kinds = list(CLOS_KINDS[: mapping.sizing.tiers]) or [LinkKind.DIRECT]
    kinds += [LinkKind.PEER] if mapping.peer_links else []
    candidates = part_candidates(fabric, catalog, kinds)
    candidates = one_module_a_cage(candidates, mapping, ports, preference_of(fabric, catalog))
    if fabric.shared_leaves:
        candidates = beside_compute(candidates, fabric.shared_leaves)
    return Draft(
        fabric=fabric,
        catalog=catalog,
        mapping=mapping,
        naming=naming,
        addresses=addresses,
        ports=ports,
        candidates=candidates,
        kinds=kinds,
        roles=list(ROLES[: mapping.sizing.tiers]),
        widths=switch_widths(mapping),
        link_parts={joint.kind: joint for joint in reversed(candidates)},
        decides=decided_by_length(candidates),
        label_width=label_width(mapping),
    )
