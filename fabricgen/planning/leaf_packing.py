"""Which endpoints of a block share a leaf, where leaves belong to scalable units.

Owns the arithmetic: endpoints come in *groups* that stay on one leaf (an HB domain's GPUs of the
rails of that leaf), and a unit is a number of groups. Without units the designs fill leaves in
order, and this module is not asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import Design

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.resolve import ResolvedFabric


class LeafPacking(NamedTuple):
    """The groups of endpoints of one block, and how leaves take them.

    `columns` leaves side by side serve the same HB domains, each with other rails.
    """

    groups: int
    group: int
    """Endpoints of a group."""
    unit_groups: int
    """Groups of a scalable unit."""
    columns: int = 1

    def together(self, down: int) -> int:
        """Return the groups of a leaf with `down` endpoints, spread evenly over those of a unit.

        A unit is spread over the fewest leaves that hold it.
        """
        return -(-self.unit_groups // self._fewest(down))

    def unit_leaves(self, down: int) -> int:
        """Return the leaves of a whole unit, all columns together.

        >>> LeafPacking(groups=16, group=18, unit_groups=8).unit_leaves(72)
        2
        """
        return -(-self.unit_groups // self.together(down)) * self.columns

    def leaves(self, down: int) -> int:
        """Return the leaves of the block; the last unit has those that its endpoints need."""
        units, rest = divmod(self.groups, self.unit_groups)
        return units * self.unit_leaves(down) + -(-rest // self.together(down)) * self.columns

    def used(self, down: int) -> int:
        """Return the endpoints of the fullest leaf."""
        return self.group * min(self.together(down), self.groups)

    def group_at(self, leaf: Int32Array, place: Int32Array, down: int) -> Int32Array:
        """Return the group at each place of each leaf of a column, -1 at a vacant one."""
        together, leaves = self.together(down), self.unit_leaves(down) // self.columns
        unit, within = np.divmod(leaf, np.int32(leaves))
        first = unit * np.int32(self.unit_groups) + within * np.int32(together)
        after = (unit + np.int32(1)) * np.int32(self.unit_groups)
        end, group = np.minimum(first + np.int32(together), after), first + place
        return np.where(group < end, group, np.int32(-1)).astype(np.int32)

    def leaf_of(self, group: IntArray, down: int) -> tuple[IntArray, IntArray]:
        """Return the leaf of each group within its column, and the place of the group on it."""
        together, leaves = self.together(down), self.unit_leaves(down) // self.columns
        unit, within = np.divmod(group, self.unit_groups)
        leaf, place = np.divmod(within, together)
        return unit * leaves + leaf, place

    def _fewest(self, down: int) -> int:
        """Return the fewest leaves of a column that hold a unit."""
        return -(-self.unit_groups // (down // self.group))


def unit_domains(fabric: ResolvedFabric) -> int:
    """Return the HB domains of a scalable unit; 0 where leaves are filled across units."""
    unit = fabric.spec.scalable_unit
    if unit is None or unit.leaf == "packed":
        return 0
    return unit.domains or fabric.coordinates.domain_of_host(unit.hosts or 0)


def one_unit(fabric: ResolvedFabric) -> bool:
    """Return whether all planned HB domains may share a leaf."""
    return not 0 < unit_domains(fabric) < fabric.coordinates.planned_domains


def leaf_packing(fabric: ResolvedFabric, shared: int, down: int) -> LeafPacking | None:
    """Return how the leaves of a block are filled; None where they do not belong to units.

    `shared` rails share a leaf, and `down` are the endpoints that one leaf can take: an HB domain
    that has more on a rail is spread over several leaves.
    """
    unit = unit_domains(fabric)
    if not unit:
        return None
    domains = fabric.coordinates.planned_domains
    if fabric.design is Design.FAT_TREE:
        return LeafPacking(fabric.planned_gpus, 1, unit * fabric.domain_gpus)
    ranks = fabric.ranks_per_rail
    if fabric.design is Design.RAIL_OPTIMIZED:
        columns = fabric.rails // shared
        return LeafPacking(domains, shared * ranks, unit, columns)
    if ranks > down:
        return LeafPacking(domains * ranks, 1, unit * ranks)
    return LeafPacking(domains, ranks, unit)
