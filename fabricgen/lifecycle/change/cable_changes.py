"""The cables that move, come and go between two plans of one network, in the order of the work.

Owns `CableChanges`, and the diff of one network. `cable_diff` reads the cables of both plans with
`cable_table`, `match_cables` pairs them, and `work_order` orders the work in one connected part of
the network after the other, such as a rail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.lifecycle.change.cable_diff import CableDiff
from fabricgen.lifecycle.change.cable_table import NO_CABLES, NameIndex, cable_table
from fabricgen.lifecycle.change.match_cables import CableJob, ChangedCable, match
from fabricgen.lifecycle.change.part_order import order_parts
from fabricgen.lifecycle.change.trunk_diff import diff_trunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from fabricgen.lifecycle.change.trunk_diff import TrunkDiff
    from fabricgen.lifecycle.change.work_order import WorkStep
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class CableChanges:
    """The cables of two plans compared.

    Cables are counted as physical pieces: one that carries several links is kept or moved if any of
    its links is, and has a step for each link that changes.
    """

    kept: int
    """Cables with a link whose ends and make stay."""
    kept_pieces: frozenset[str]
    """Those of them that carry several links, by name."""
    jobs: tuple[CableJob, ...]
    order: Callable[[], tuple[tuple[WorkStep, ...], int]]
    """Orders the jobs: returns `steps` and `unfollowed`, which take most of the time of a diff."""
    measured: bool
    """Whether both rooms are described, so that places and cable lengths were compared."""
    places: tuple[tuple[str, str, str], ...]
    """Devices with a new place: name, and rack and rack unit in either plan."""
    trunks: TrunkDiff | None
    """The trunks between panels; None where neither plan has any. Other cables are jumpers."""

    @cached_property
    def _ordered(self) -> tuple[tuple[WorkStep, ...], int]:
        """The jobs in their order."""
        return self.order()

    @property
    def steps(self) -> tuple[WorkStep, ...]:
        """The work in its order: trunks are pulled first, and removed last."""
        steps = self._ordered[0]
        return (*self.trunks.pulled, *steps, *self.trunks.removed) if self.trunks else steps

    @property
    def unfollowed(self) -> int:
        """Steps that are too many to check which NIC ports lose their path."""
        return self._ordered[1]

    @property
    def moved(self) -> int:
        """The number of cables with one end that moves."""
        return _count((job.new for job in self.jobs if job.old and job.new), self.kept_pieces)

    @property
    def added(self) -> int:
        """The number of new cables."""
        moved = {job.new.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.new for job in self.jobs if job.new and not job.old), self.kept_pieces | moved
        )

    @property
    def removed(self) -> int:
        """The number of cables to remove."""
        moved = {job.old.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.old for job in self.jobs if job.old and not job.new), self.kept_pieces | moved
        )

    def counts(self) -> dict[str, int]:
        """Return the numbers of cables by what happens to them."""
        return {
            "moved": self.moved,
            "added": self.added,
            "removed": self.removed,
            "kept": self.kept,
        }

    def step_documents(self) -> dict[str, Any]:
        """Return the steps, and how many were not followed, as `diff --json` has them."""
        steps = [
            {"action": step.action, "cable": step.cable, "from": step.start, "to": step.end}
            | ({"dark": list(step.disconnected)} if step.disconnected else {})
            for step in self.steps
        ]
        trunks = {"trunks": self.trunks.changes.document()} if self.trunks else {}
        return {"steps": steps, "steps_not_followed": self.unfollowed, **trunks}


def _count(cables: Iterable[ChangedCable], known: AbstractSet[str]) -> int:
    """Count cables as pieces, without the pieces that are counted elsewhere."""
    pieces = [cable.piece for cable in cables]
    return pieces.count("") + len({*pieces} - known - {""})


def compare_cables(old: Plan | None, new: Plan | None) -> CableChanges:
    """Compare the cables of two plans; None is a plan without any.

    Takes memory for each cable of both, and time for each that differs.
    """
    register = NameIndex()
    before, after = (cable_table(plan, register) if plan else NO_CABLES for plan in (old, new))
    measured = all(plan and _is_described(plan) for plan in (old, new))
    cables = CableDiff(before, after, measured=measured)
    if old:
        cables.read_old(old)
    if new:
        cables.read_new(new)
    jobs = [*match(cables.gone, cables.come), *cables.swaps]

    def order() -> tuple[tuple[WorkStep, ...], int]:
        steps, unfollowed = order_parts(jobs, before, after, cables.stay)
        return (*steps, *cables.small), unfollowed

    return CableChanges(
        kept=cables.kept + len(cables.kept_pieces),
        kept_pieces=frozenset(cables.kept_pieces),
        jobs=tuple(jobs),
        order=order,
        measured=measured,
        places=tuple(cables.moved_devices()),
        trunks=diff_trunks(old, new),
    )


def _is_described(plan: Plan) -> bool:
    """Return whether the room of a plan is described."""
    return plan.lengths is not None and not plan.lengths.room.generated
