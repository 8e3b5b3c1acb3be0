"""Whether a set of GPUs can be one communicator: its rails, its relays, and the fewest changes.

Owns NCCL's rule on a fabric. Between HB domains a GPU reaches the GPUs of its own rail. For any
other rail NCCL needs a GPU that is in the communicator, in the sender's HB domain and on the
receiver's rail: PXN forwards at the sender's side, and never through a GPU that is not in the
communicator (NVIDIA/nccl#836). So every HB domain of a job needs a GPU on every rail that another
one uses. Where blocks span rails the network connects every pair. Pairs are ordered, and counted by
domain and rail, never one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.communicator.forwarded import rail_paths
from fabricgen.analysis.communicator.job_spec import find_job, job_text
from fabricgen.core.arrays import distinct
from fabricgen.core.document import Document, plain

if TYPE_CHECKING:
    from fabricgen.analysis.communicator.forwarded import RailPaths
    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array
    from fabricgen.planning.plan import Plan


EXAMPLES = 10
"""Pairs and relays that are named."""

KEPT = 64
"""Sets of rails that are tried for the GPUs to keep, those of the most domains first."""


@dataclass(frozen=True)
class JobPairs(Document):
    """Ordered pairs of GPUs of a job: in all, and by the path that connects them.

    `relayed` pairs use a relay of the job, `none` have no path that NCCL can use, and `cross_rail`
    are those across HB domains whose rails differ.
    """

    total: int
    hb: int
    direct: int
    relayed: int
    none: int
    cross_rail: int


@dataclass(frozen=True)
class UnreachablePair(Document):
    """A pair without a path, and the GPU that would relay if it were in the job."""

    src: str
    dst: str
    relay: str


@dataclass(frozen=True)
class JobFix(Document):
    """Two legal jobs: one with GPUs `added`, and one that keeps a part of the GPUs."""

    add: str
    added: str
    added_gpus: int
    keep: str
    kept_gpus: int


@dataclass(frozen=True)
class Placement(Document):
    """A job on a plan: `gpus` in order, counted over all domains.

    Tables have a row for each HB domain of the job, and a column for each rail.
    """

    plan: Plan
    gpus: Int32Array

    @cached_property
    def domains(self) -> Int32Array:
        """The HB domains of the job."""
        return distinct(self.plan.fabric.coordinates.domain(self.gpus))

    @cached_property
    def present(self) -> BoolArray:
        """Which GPUs of these domains are in the job; shape (domains, rail slots, rails)."""
        fabric = self.plan.fabric
        found = np.zeros((len(self.domains), fabric.domain_gpus), dtype=bool)
        found[self._row, fabric.coordinates.rank(self.gpus)] = True
        return found.reshape(len(self.domains), fabric.ranks_per_rail, fabric.rails)

    @cached_property
    def _row(self) -> Int64Array:
        """The row of each GPU in the tables."""
        return np.searchsorted(self.domains, self.plan.fabric.coordinates.domain(self.gpus))

    @cached_property
    def counts(self) -> Int64Array:
        """How many GPUs of the job a domain has on a rail."""
        return np.asarray(self.present.sum(axis=1, dtype=np.int64))

    @cached_property
    def elsewhere(self) -> Int64Array:
        """How many GPUs of the job the other domains have on a rail."""
        return np.asarray(self.counts.sum(axis=0) - self.counts)

    @cached_property
    def rails(self) -> Int32Array:
        """The rails that the job uses."""
        return np.flatnonzero(self.counts.any(axis=0)).astype(np.int32)

    @property
    def rail_aligned(self) -> bool:
        """Whether every HB domain has GPUs on the same rails."""
        return bool(((self.counts > 0) == (self.counts[0] > 0)).all())

    @property
    def ranks_aligned(self) -> bool:
        """Whether every HB domain has GPUs of the same ranks."""
        return bool((self.present == self.present[0]).all())

    @cached_property
    def pairs(self) -> JobPairs:
        """The ordered pairs of GPUs of the job."""
        sizes, count = self.counts.sum(axis=1), len(self.gpus)
        inside = int((sizes * (sizes - 1)).sum())
        across, same = count * (count - 1) - inside, int((self.counts * self.elsewhere).sum())
        relayed = int(((sizes[:, None] - self.counts) * self.elsewhere * (self.counts > 0)).sum())
        if self.plan.mapping.spans_rails:
            same, relayed, apart = across, 0, across - same
        else:
            apart = across - same
        return JobPairs(
            total=count * (count - 1),
            hb=inside,
            direct=same,
            relayed=relayed,
            none=across - same - relayed,
            cross_rail=apart,
        )

    @property
    def legal(self) -> bool:
        """Whether every pair has a path that NCCL can use."""
        return self.pairs.none == 0

    @cached_property
    def _wanted(self) -> BoolArray:
        """The GPUs over which the fabric's tables would relay although the job does not have them.

        They are in the sender's rail slot on the receiver's rail.
        """
        if self.plan.mapping.spans_rails:
            return np.zeros_like(self.present)
        senders = self.present.sum(axis=2)[:, :, None] > 0
        return np.asarray(~self.present & senders & (self.elsewhere > 0)[:, None, :])

    @cached_property
    def relays_outside_job(self) -> list[str]:
        """The names of the first few of these."""
        return [self._name(*place) for place in np.argwhere(self._wanted)[:EXAMPLES].tolist()]

    def _name(self, row: int, slot: int, rail: int) -> str:
        """Return the name of a GPU by its place in a table."""
        coordinates = self.plan.fabric.coordinates
        return coordinates.name(coordinates.rail_gpu(int(self.domains[row]), rail, slot))

    @property
    def by_another(self) -> int:
        """The number of pairs relayed by a GPU of the job instead of the one in the tables."""
        taken = self._wanted & (self.counts > 0)[:, None, :]
        return int(
            (taken * self.present.sum(axis=2)[:, :, None] * self.elsewhere[:, None, :]).sum()
        )

    def examples(self) -> list[UnreachablePair]:
        """Return some pairs without a path, one for each domain and rail that it lacks."""
        if self.legal:
            return []
        found = []
        for row, rail in np.argwhere((self.counts == 0) & (self.elsewhere > 0))[:EXAMPLES].tolist():
            slot, own = np.argwhere(self.present[row])[0].tolist()
            far = next(
                each for each in np.flatnonzero(self.counts[:, rail]).tolist() if each != row
            )
            target = self._name(far, int(np.flatnonzero(self.present[far, :, rail])[0]), rail)
            found.append(
                UnreachablePair(self._name(row, slot, own), target, self._name(row, slot, rail))
            )
        return found

    def added(self) -> Int32Array:
        """Return the fewest GPUs that make the job legal.

        They are one in each domain on each rail that it lacks, in the rail slot of its first GPU.
        """
        lacking = np.argwhere((self.counts == 0) & (self.counts.sum(axis=0) > 0))
        row, rail = lacking.T.astype(np.int32)
        slot = self.present.any(axis=2).argmax(axis=1).astype(np.int32)
        return np.sort(self.plan.fabric.coordinates.rail_gpu(self.domains[row], rail, slot[row]))

    def kept(self) -> Int32Array:
        """Return a large part of the job that is legal: the domains that have certain rails.

        Their GPUs on these rails are kept. The sets tried are the rails that all domains have in
        common, and those of single domains.
        """
        has = self.counts > 0
        sets, times = np.unique(has, axis=0, return_counts=True)
        tried = [has.all(axis=0), *sets[np.argsort(-times, kind="stable")][:KEPT]]
        inside = [(has | ~rails).all(axis=1) for rails in tried]
        best = max(
            range(len(tried)), key=lambda each: int(self.counts[inside[each]][:, tried[each]].sum())
        )
        rail = self.plan.fabric.coordinates.rail(self.gpus)
        return np.asarray(self.gpus[inside[best][self._row] & tried[best][rail]])

    def fix(self) -> JobFix | None:
        """Return two jobs that are legal; None for a legal job."""
        if self.legal:
            return None
        added, kept = self.added(), self.kept()
        return JobFix(
            add=job_text(self.plan, np.sort(np.concatenate([self.gpus, added]))),
            added=job_text(self.plan, added),
            added_gpus=len(added),
            keep=job_text(self.plan, kept),
            kept_gpus=len(kept),
        )

    @property
    def outside_count(self) -> int:
        """The number of GPUs outside the job that the fabric's tables would use as relays."""
        return int(self._wanted.sum())

    @cached_property
    def rail_paths(self) -> RailPaths | None:
        """The paths of the job on direct rails; None on rails of switches."""
        return rail_paths(self.plan, self.gpus)

    def document(self) -> dict[str, Any]:
        """Return `placement --json`."""
        paths = {"rail_paths": self.rail_paths.document()} if self.rail_paths else {}
        return paths | {
            "job": job_text(self.plan, self.gpus),
            "gpus": len(self.gpus),
            "hb_domains": len(self.domains),
            "rails": self.rails.tolist(),
            "rail_aligned": self.rail_aligned,
            "ranks_aligned": self.ranks_aligned,
            "pairs": self.pairs.document(),
            "relays_outside_job": self.relays_outside_job,
            "relays_outside_job_count": self.outside_count,
            "pairs_by_another_relay": self.by_another,
            "examples": plain(self.examples()),
            "fix": plain(self.fix()),
            "legal": self.legal,
        }


def placement(plan: Plan, job: str) -> Placement:
    """Read a job and examine its placement.

    Raises Refusal `bad-job` or `unknown-gpu`.
    """
    return Placement(plan, find_job(plan, job))
