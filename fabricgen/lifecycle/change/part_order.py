"""The work of a diff, ordered in one connected part of the fabric after the other.

Owns the parts: no cable of either plan joins two of them, such as rails. `work_order` orders the
jobs of one part.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fabricgen.lifecycle.change.cable_table import NIC, PORT_BITS, CableTable
from fabricgen.lifecycle.change.port_downtime import PortReachability, pairs_of
from fabricgen.lifecycle.change.work_order import WorkStep, order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import IntArray
    from fabricgen.lifecycle.change.match_cables import CableJob, ChangedCable

FOLLOWED = 4000
"""Changed cables of a part above which its steps are not checked for NIC ports without a path,
unless the remaining cables connect them all."""


def order_parts(
    jobs: list[CableJob], before: CableTable, after: CableTable, stay: IntArray
) -> tuple[list[WorkStep], int]:
    """Order the jobs part by part; return the steps and how many of them were not followed."""
    fixed = pairs_of(after, stay)
    parts = _Parts(
        (*fixed, *(cable.nodes for job in jobs for cable in (job.old, job.new) if cable))
    )
    ports = {node: name for node, name in before.nics.items() if node in after.nics}
    jobs_of, fixed_of, nics_of = (
        parts.split(jobs, lambda job: _cable(job).nodes[1]),
        parts.split(fixed, lambda pair: pair[1]),
        parts.split(ports, lambda node: node),
    )
    steps: list[WorkStep] = []
    unfollowed = 0
    for part, some in jobs_of.items():
        watch = PortReachability(
            fixed_of.get(part, ()), {node: ports[node] for node in nics_of.get(part, ())}
        )
        _watch_connected(watch, some)
        followed = watch.steady or len(some) <= FOLLOWED
        if not followed:
            watch.watch({})
        found = order(some, watch)
        unfollowed += 0 if followed else len(found)
        steps += found
    steps += [
        WorkStep("relabel", job.old.label, job.old.label, job.new.label)
        for job in jobs
        if job.old and job.new and job.old.label != job.new.label
    ]
    return steps, unfollowed


def _cable(job: CableJob) -> ChangedCable:
    """Return the cable of a job."""
    cable = job.new or job.old
    assert cable  # noqa: S101 - a job is about a cable
    return cable


def _watch_connected(watch: PortReachability, jobs: Iterable[CableJob]) -> None:
    """Watch only NIC ports that have a path before and after; the others cannot keep one."""
    before = watch.ends([job.old.nodes for job in jobs if job.old])
    after = watch.ends([job.new.nodes for job in jobs if job.new])
    never = watch.disconnected(before) | watch.disconnected(after)
    watch.watch({node: name for node, name in watch.nics.items() if node not in never})


class _Parts:
    """The connected parts of a fabric, by box, as rails that share a box share its ports."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._root: dict[int, int] = {}
        for low, high in dict.fromkeys((self._box(low), self._box(high)) for low, high in pairs):
            self._root[self._find(low)] = self._find(high)

    @staticmethod
    def _box(node: int) -> int:
        """Return a NIC port itself, or the box of a switch's node."""
        return node if node & NIC else node >> PORT_BITS

    def _find(self, box: int) -> int:
        """Return the box that represents the part of a box."""
        while (above := self._root.get(box, box)) != box:
            self._root[box] = self._root.get(above, above)
            box = above
        return box

    def split(self, items: Iterable[Any], node_of: Any) -> dict[int, list[Any]]:  # noqa: ANN401 - a function from item to node
        """Group items by part, in their order."""
        found: dict[int, list[Any]] = defaultdict(list)
        for item in items:
            found[self._find(self._box(node_of(item)))].append(item)
        return found
