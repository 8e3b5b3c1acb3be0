"""The stages in which the switches of a block were added, and the numbers that follow from them.

Owns `ExpansionStages`. A fabric that was never expanded has one stage.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.planning.clos import Sizing


class ExpansionStage(NamedTuple):
    """The switches of a block by role, and its pods, after one expansion."""

    leaf: int
    spine: int
    core: int
    pods: int


NOTHING = ExpansionStage(0, 0, 0, 0)


def stage_of(sizing: Sizing) -> ExpansionStage:
    """Return the counts of a block of a size."""
    return ExpansionStage(sizing.leaf, sizing.spine, sizing.core, sizing.pods)


@dataclass(frozen=True)
class ExpansionStages:
    """The stages in which the switches of a block were added.

    Those of the first plan are numbered first, by role, then those of each expansion.

    >>> stages = ExpansionStages((ExpansionStage(2, 1, 0, 1), ExpansionStage(4, 2, 0, 1)))
    >>> [stages.place(Role.LEAF, index) for index in range(4)]
    [0, 1, 3, 4]
    >>> [stages.place(Role.SPINE, index) for index in range(2)]
    [2, 5]
    """

    stages: tuple[ExpansionStage, ...]

    @cached_property
    def steps(self) -> list[tuple[ExpansionStage, ExpansionStage]]:
        """Each stage with the one before it."""
        return list(pairwise((NOTHING, *self.stages)))

    @cached_property
    def _counts(self) -> dict[Role, list[int]]:
        """The switches of each role after each expansion."""
        return {role: [stage[number] for stage in self.stages] for number, role in enumerate(Role)}

    def ordinal(self, role: Role, index: int) -> int:
        """Return the number of a switch among those of its role in its block, from 0.

        `index` is its position in the block as it is now. New leaves and spines come last; a core
        group is expanded by members, so that new cores come between older ones.

        >>> stages = ExpansionStages((ExpansionStage(8, 4, 2, 2), ExpansionStage(16, 8, 4, 4)))
        >>> [stages.ordinal(Role.CORE, index) for index in range(4)]
        [0, 2, 1, 3]
        """
        if role is not Role.CORE or len(self.stages) == 1:
            return index
        groups = self.stages[-1].spine // self.stages[-1].pods
        group, member = divmod(index, self.stages[-1].core // groups)
        sizes = [stage.core // groups for stage in self.stages]
        stage = bisect_right(sizes, member)
        before = sizes[stage - 1] if stage else 0
        return groups * before + group * (sizes[stage] - before) + member - before

    def place(self, role: Role, index: int) -> int:
        """Return the number of a switch among all of its block, from 0."""
        number = self.ordinal(role, index)
        stage = bisect_right(self._counts[role], number)
        old, new = self.steps[stage]
        earlier = list(Role)[: role.tier - 1]
        added = sum(
            self._counts[each][stage] - (self._counts[each][stage - 1] if stage else 0)
            for each in earlier
        )
        return (
            old.leaf + old.spine + old.core + added + number - old[role.tier - 1] if new else number
        )

    def across(self, index: int, group: int, groups: int) -> int:
        """Return the number of a leaf among those of all `groups` of rails, from 0.

        >>> stages = ExpansionStages((ExpansionStage(1, 0, 0, 1), ExpansionStage(2, 2, 0, 1)))
        >>> [stages.across(index, group, 2) for group in range(2) for index in range(2)]
        [0, 2, 1, 3]
        """
        stage = bisect_right(self._counts[Role.LEAF], index)
        old, new = self.steps[stage]
        return groups * old.leaf + group * (new.leaf - old.leaf) + index - old.leaf

    def of_pod(self, pod: int) -> int:
        """Return the stage in which a pod was added."""
        return bisect_right([stage.pods for stage in self.stages], pod)

    def of_leaf(self, index: int) -> int:
        """Return the stage in which a leaf was added."""
        return bisect_right(self._counts[Role.LEAF], index)
