"""What happens to cables when a saved plan grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.core.document import Document
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.lower_bound import fewest_moves
from fabricgen.lifecycle.change.renumbering import outgrown

if TYPE_CHECKING:
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class Growth(Document):
    """Cables that move, come, go and stay, beside the fewest that have to move.

    `changed` names what the larger plan could not keep. `networks` has the cables of each network
    beside the compute fabric; all else is of the compute fabric.
    """

    OPTIONAL = frozenset({"networks"})

    moved: int
    added: int
    removed: int
    kept: int
    moved_at_least: int
    changed: list[str]
    networks: dict[str, dict[str, int]] | None = None

    @property
    def moved_in_all(self) -> int:
        """The cables that move in the compute fabric and in all networks."""
        return self.moved + sum(each["moved"] for each in (self.networks or {}).values())


@dataclass(frozen=True)
class GrownPlan(Document):
    """The figures of a plan that grew from a saved one: `plan --from --json`."""

    summary: PlanSummary
    growth: Growth

    def document(self) -> dict[str, Any]:
        """Return the summary with its growth."""
        return self.summary.document() | {"growth": self.growth.document()}


def growth(before: Plan, after: Plan) -> Growth:
    """Count what happens to cables on the way from one plan to a larger one."""
    found = diff(before, after)
    return Growth(
        moved=found.moved,
        added=found.added,
        removed=found.removed,
        kept=found.kept,
        moved_at_least=fewest_moves(before, after),
        changed=list(outgrown(before, after)),
        networks={name: each.counts() for name, each in found.networks.items()} or None,
    )
