"""What a plan keeps of another one: numbers of boxes, digits of names, slices of the pools, how it was cabled, and where its devices stand.

Owns `ExpansionStages`, by which boxes are numbered growth by growth, `Baseline`, and its form in a plan file.
A plan that was made from its inventory alone has one stage and no heritage. Which cables stay when a
fabric grows is decided by `growth`; here it is only kept.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.baseline.rack_positions import read_rack_positions
from fabricgen.planning.baseline.run_length import decode_runs, encode_runs, runs
from fabricgen.planning.clos import TierLinks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.clos import Sizing


class ExpansionStage(NamedTuple):
    """The boxes of a block by role, and its pods, at the end of one growth."""

    leaf: int
    spine: int
    core: int
    pods: int


NOTHING = ExpansionStage(0, 0, 0, 0)


def stage_of(sizing: Sizing) -> ExpansionStage:
    """Return the counts of a size."""
    return ExpansionStage(sizing.leaf, sizing.spine, sizing.core, sizing.pods)


@dataclass(frozen=True)
class ExpansionStages:
    """How the boxes of a block were added: those of the first plan are numbered first, by role, then those of each growth.

    >>> stages = ExpansionStages((ExpansionStage(2, 1, 0, 1), ExpansionStage(4, 2, 0, 1)))
    >>> [stages.place(Role.LEAF, index) for index in range(4)], [stages.place(Role.SPINE, index) for index in range(2)]
    ([0, 1, 3, 4], [2, 5])
    """

    stages: tuple[ExpansionStage, ...]

    @cached_property
    def steps(self) -> list[tuple[ExpansionStage, ExpansionStage]]:
        """Each stage with the one before it."""
        return list(pairwise((NOTHING, *self.stages)))

    @cached_property
    def _counts(self) -> dict[Role, list[int]]:
        """The boxes of each role at the end of each growth."""
        return {role: [stage[number] for stage in self.stages] for number, role in enumerate(Role)}

    def ordinal(self, role: Role, index: int) -> int:
        """Return the number that a box bears among those of its role in its block, from 0; `index` is its position in the block as it is now.

        Leaves and spines come at the end. A core group grows by members, so that the cores of a
        later stage stand between older ones.

        >>> [ExpansionStages((ExpansionStage(8, 4, 2, 2), ExpansionStage(16, 8, 4, 4))).ordinal(Role.CORE, index) for index in range(4)]
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
        """Return the number of a box among all boxes of its block, from 0."""
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
        """Return the number of a leaf box among those of all `groups` of rails, from 0.

        >>> [ExpansionStages((ExpansionStage(1, 0, 0, 1), ExpansionStage(2, 2, 0, 1))).across(index, group, 2) for group in range(2) for index in range(2)]
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


class Slices(NamedTuple):
    """The addresses that each block has of the two pools, powers of two."""

    hosts: int
    loopbacks: int


@dataclass(frozen=True, eq=False)
class Baseline:
    """What a plan keeps. `digits` are of names by role, of `host` names and of `cable` labels.

    `endpoints` is `Mapping.pattern` where that is not the rule's; `wired` has the upper switch and
    its port of each uplink of a block, in order of lower switch, then uplink, where the rule does
    not join them. `positions` are those before the fabric grew, as the grown one counts its
    devices, or everything that `site.positions` says; `table` is the name of that file, and empty
    where there was none.
    """

    stages: ExpansionStages
    digits: dict[str, int]
    slices: Slices
    endpoints: Int32Array | None = None
    wired: dict[LinkKind, tuple[Int32Array, Int32Array]] = field(default_factory=dict)
    positions: RackPositions | None = None
    table: str = ""

    @cached_property
    def downlinks(self) -> dict[Role, int]:
        """The ports that kept cables take on a box of each role, counted up to the last."""
        return {kind.upper: int(port.max(initial=-1)) + 1 for kind, (_, port) in self.wired.items()}

    def document(self) -> dict[str, Any]:
        """Return the heritage as a plan file holds it; columns are runs of [first, step, count]."""
        columns = {
            kind.key: {"upper": runs(upper), "upper_port": runs(port)}
            for kind, (upper, port) in sorted(self.wired.items())
        }
        return {
            "rings": [stage._asdict() for stage in self.stages.stages],
            "digits": self.digits,
            "slices": self.slices._asdict(),
            **({} if self.endpoints is None else {"endpoints": runs(self.endpoints)}),
            **columns,
            **(
                {}
                if self.positions is None
                else {"standing": self.positions.document(), "table": self.table}
            ),
        }


def read_baseline(values: Any) -> Baseline | None:  # noqa: ANN401 - whatever stands in a plan file
    """Read what a plan file keeps; None where it keeps nothing. Raises Refusal `bad-plan-file` where it is not of this form."""
    if values is None:
        return None
    try:
        stages = ExpansionStages(_stages(values["rings"]))
        slices = Slices(*(encode_runs(values["slices"][key]) for key in Slices._fields))
        digits = {str(key): encode_runs(number) for key, number in values["digits"].items()}
        endpoints = decode_runs(values["endpoints"]) if "endpoints" in values else None
        positions = read_rack_positions(values["standing"]) if "standing" in values else None
        wired = {
            kind: (
                decode_runs(values[kind.key]["upper"]),
                decode_runs(values[kind.key]["upper_port"]),
            )
            for kind in list(LinkKind)[1:]
            if kind.key in values
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        because = (
            f"`kept` is not of the form that `plan -o` writes: {type(error).__name__}: {error}",
        )
        raise refuse(
            "bad-plan-file",
            "what the plan keeps of an older one cannot be read",
            path=("kept",),
            because=because,
            hint=_AGAIN,
        ) from None
    return Baseline(
        stages, digits, slices, endpoints, wired, positions, str(values.get("table", ""))
    )


def _stages(written: Iterable[Any]) -> tuple[ExpansionStage, ...]:
    """Read the sizes that a block has had. Raises ValueError where it has shrunk: boxes are numbered as they came."""
    stages = tuple(
        ExpansionStage(*(encode_runs(stage[key]) for key in ExpansionStage._fields))
        for stage in written
    )
    if any(
        below > above
        for old, new in pairwise(stages)
        for below, above in zip(old, new, strict=True)
    ):
        raise ValueError("a block of it has shrunk")
    if any(not stage.pods for stage in stages):
        raise ValueError("a block of it has no pod")
    return stages


_AGAIN = "write it again with `fabricgen plan -o`"


def check_baseline(
    baseline: Baseline, sizing: Sizing, pattern: Int32Array, radix: dict[Role, int]
) -> None:
    """Refuse what does not fit a block of this size, with these endpoints and boxes. Raises Refusal `cannot-grow`."""
    because = ""
    if not baseline.stages.stages or baseline.stages.stages[-1] != stage_of(sizing):
        kept = baseline.stages.stages[-1] if baseline.stages.stages else NOTHING
        because = (
            f"it keeps a block of {_words(kept)}, "
            f"and its inventory asks for {_words(stage_of(sizing))}"
        )
    elif baseline.endpoints is not None and not np.array_equal(
        np.sort(baseline.endpoints), np.sort(pattern)
    ):
        because = "its endpoints are not those of its inventory"
    else:
        odd = [
            kind.key
            for kind, columns in baseline.wired.items()
            if not _fits(kind, columns, sizing, radix)
        ]
        because = (
            f"its {odd[0].replace('_', '-')} cables do not fill the ports of its switches"
            if odd
            else ""
        )
    if because:
        hint = "grow a plan with `fabricgen plan --from`, which works out anew what it keeps"
        raise refuse(
            "cannot-grow",
            "the plan keeps cables of a fabric of another size",
            path=("kept",),
            because=(because,),
            hint=hint,
        )


def _words(stage: ExpansionStage) -> str:
    """Count the boxes of a block in words."""
    return f"{stage.leaf} leaf, {stage.spine} spine and {stage.core} core switches"


def _fits(
    kind: LinkKind, columns: tuple[Int32Array, Int32Array], sizing: Sizing, radix: dict[Role, int]
) -> bool:
    """Say whether each uplink of a block has a port of its own above it; the topmost boxes may use any of theirs."""
    (lowers, uplinks), (uppers, ports) = _sides(kind, sizing)
    ports = radix[kind.upper] if kind.upper.tier == sizing.tiers else ports
    upper, port = columns
    if not len(upper) == len(port) == lowers * uplinks or not uplinks:
        return False
    inside = min(upper.min(), port.min()) >= 0 and upper.max() < uppers and port.max() < ports
    return bool(inside) and len(distinct(upper.astype(np.int64) * ports + port)) == len(upper)


def _sides(kind: LinkKind, sizing: Sizing) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the lower switches of a kind of link and their uplinks, and the upper switches and their downlinks."""
    if kind is LinkKind.LEAF_SPINE:
        return (sizing.leaf, sizing.leaf_up), (sizing.spine, sizing.spine_down)
    return (sizing.spine, sizing.spine_up), (sizing.core, sizing.core_down)


def kept_links(kind: LinkKind, columns: tuple[Int32Array, Int32Array], sizing: Sizing) -> TierLinks:
    """Join two tiers of a block as the columns (upper, upper port) say, which stand in order of lower switch, then uplink."""
    (lowers, uplinks), _ = _sides(kind, sizing)
    lower, lower_port = np.divmod(np.arange(lowers * uplinks, dtype=np.int32), np.int32(uplinks))
    return TierLinks(lower, lower_port, *columns)
