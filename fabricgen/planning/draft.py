"""A fabric that is sized, mapped, named and addressed, with candidates for its parts; not wired.

Owns `Draft`: all that counts and prices by arithmetic need. A search makes hundreds of them. `plan`
has the steps that make one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.cabling.assignment import decided_by_length
from fabricgen.planning.cabling.candidates import LABEL_DIGITS, label_prefix
from fabricgen.planning.switch_ports import switch_widths

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.addressing import AddressPlan
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


@dataclass(frozen=True, eq=False)
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

    @property
    def spec(self) -> FabricSpec:
        """The inventory that was planned."""
        return self.fabric.spec

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

    @property
    def widths(self) -> dict[Role, tuple[int, int]]:
        """The ports of a switch of each role that face down, and those that face up."""
        return switch_widths(self.mapping)

    @property
    def link_parts(self) -> dict[LinkKind, LinkParts]:
        """The first candidate of each kind of link."""
        return {joint.kind: joint for joint in reversed(self.candidates)}

    @property
    def decides(self) -> bool:
        """Whether segments may differ in their parts."""
        return decided_by_length(self.candidates)

    @property
    def label_width(self) -> int:
        """Digits of the number on a cable's label."""
        sizing = self.sizing
        largest = max(sizing.slots, sizing.leaf * sizing.leaf_up, sizing.spine * sizing.spine_up)
        return max(LABEL_DIGITS, self.mapping.digits("cable", largest))

    def label(self, kind: LinkKind, segment: int, block: int) -> str:
        """Return what precedes the number on the labels of a kind of cable in a block."""
        plane = self.mapping.plane(segment) if self.fabric.planes > 1 else None
        return label_prefix(kind, self.mapping.rail(segment, block), plane)

    def port_layouts(self, segment: int) -> dict[Role, PortLayout]:
        """Return the port layout of each role in a segment, by the NOS of its rail."""
        return self.fabric.layouts_of_rail(self.mapping.rail(segment))
