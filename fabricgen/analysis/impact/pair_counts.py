"""How many ordered pairs of GPUs are connected, and how: by arithmetic on classes of GPUs.

Owns `Pairs`. A million GPUs have 10^12 pairs; here they are products of the sizes of classes.
`surviving` owns which GPUs are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.analysis.impact.surviving import SurvivingFabric
    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True)
class Classes:
    """Some GPUs in classes.

    `of` is the class of each GPU. `joined` is whether GPUs of two classes on different leaves are
    directly connected, and `overlap` whether GPUs on the same leaf are: they need a plane on which
    both have a working port.
    """

    gpus: Int32Array
    of: Int32Array
    scope: Int32Array
    joined: BoolArray
    overlap: BoolArray


def classes_of(living: SurvivingFabric, gpus: Int32Array) -> Classes:
    """Classify GPUs by scope, working ports and leaf class."""
    of, first = np.zeros(len(gpus), dtype=np.int64), np.zeros(0, dtype=np.int64)
    for column in (living.scope, living.mask, *(living.leaf_class or ())):
        _, first, of = np.unique(
            of * (int(column.max(initial=0)) + 1) + column[gpus],
            return_index=True,
            return_inverse=True,
        )
    one, other = (grid.reshape(-1) for grid in np.meshgrid(gpus[first], gpus[first], indexing="ij"))
    same = living.scope[one] == living.scope[other]
    planes = [ports[one] & ports[other] & same for ports in living.ports]
    joined = np.logical_or.reduce(
        [both & living.meet(plane, one, other) for plane, both in enumerate(planes)]
    )
    shape = (len(first), len(first))
    return Classes(
        gpus,
        of.astype(np.int32),
        living.scope[gpus[first]],
        joined.reshape(shape),
        np.logical_or.reduce(planes).reshape(shape),
    )


@dataclass(frozen=True)
class Pairs:
    """The ordered pairs of distinct GPUs of a surviving fabric."""

    living: SurvivingFabric

    @property
    def every(self) -> int:
        """The number of all pairs of the fabric, failed GPUs included."""
        count = len(self.living.gpu)
        return count * (count - 1)

    @cached_property
    def reachable(self) -> int:
        """The number of pairs that any path connects."""
        return self._sharing(np.flatnonzero(self.living.alive), self.living.component)

    @cached_property
    def relayed_before(self) -> int:
        """The pairs in different HB domains and scopes, which need a relay without any failure."""
        fabric = self.living.reach.plan.fabric
        domains, per_scope = (
            fabric.coordinates.domains,
            fabric.domain_gpus // self.living.scopes,
        )
        return (
            domains * (domains - 1) * per_scope**2 * self.living.scopes * (self.living.scopes - 1)
        )

    @cached_property
    def relayed_after(self) -> int:
        """The pairs that only a relay connects now."""
        living = self.living
        alive, whole = np.flatnonzero(living.alive), np.flatnonzero(living.hb)
        across = self._sharing(alive, living.scope, living.component) - self._sharing(
            alive, living.scope, living.component, living.domain
        )
        return (
            self.reachable
            - self._sharing(whole, living.domain)
            - (across - self._newly_across)
            - (self.inside_by_network - self._newly_inside)
        )

    @property
    def newly_relayed(self) -> int:
        """The pairs with a direct path or a common HB domain before, and only a relay now."""
        return self._newly_across + self._newly_inside

    @cached_property
    def inside_by_network(self) -> int:
        """The pairs of an HB domain with a failed interconnect that the network connects."""
        return self._sharing(self.stranded, self.living.domain, self.living.component)

    @cached_property
    def stranded(self) -> Int32Array:
        """The working GPUs whose HB domain's interconnect has failed."""
        return np.flatnonzero(self.living.alive & ~self.living.hb).astype(np.int32)

    @cached_property
    def affected(self) -> Classes:
        """The working GPUs of the affected scopes, in classes.

        These are the scopes in which a port or the path between two leaves is lost.
        """
        living = self.living
        affected = np.zeros(living.scopes, dtype=bool)
        affected[living.scope[living.alive & (living.mask != (1 << len(living.ports)) - 1)]] = True
        affected[[scope for scope, _ in living.joins]] = True
        return classes_of(
            living, np.flatnonzero(living.alive & affected[living.scope]).astype(np.int32)
        )

    @cached_property
    def _newly_across(self) -> int:
        """The newly relayed pairs in different HB domains.

        They are the connected pairs without the directly connected ones.
        """
        living, affected = self.living, self.affected
        joined = self._sharing(affected.gpus, living.scope, living.component) - self._sharing(
            affected.gpus, living.scope, living.component, living.domain
        )
        return (
            joined
            - self._direct(affected, np.zeros_like(living.domain))
            + self._direct(affected, living.domain)
        )

    @cached_property
    def _newly_inside(self) -> int:
        """The newly relayed pairs of one HB domain."""
        if not len(self.stranded):
            return 0
        return self.inside_by_network - self._direct(
            classes_of(self.living, self.stranded), self.living.domain
        )

    def _direct(self, classes: Classes, label: Int32Array) -> int:
        """Return the number of directly connected pairs of some GPUs that share a label.

        Pairs of different scopes are never connected. The result is all pairs by their classes;
        with those on one leaf corrected, which that leaf connects without an uplink; without the
        pair of each GPU with itself.
        """
        gpus, of, living = classes.gpus, classes.of, self.living
        labels, leaves = (
            label[gpus].astype(np.int64) * living.scopes + living.scope[gpus],
            living.reach.plan.sizing.leaf,
        )
        correction = classes.overlap.astype(np.int64) - classes.joined
        alone = int(np.count_nonzero(living.mask[gpus]))
        return (
            _weigh(labels, of, classes.joined.astype(np.int64))
            + _weigh(labels * leaves + living.leaf[gpus], of, correction)
            - alone
        )

    @staticmethod
    def _sharing(gpus: Int32Array | Int64Array, *labels: Int32Array) -> int:
        """Return the number of pairs of some GPUs that have every label in common."""
        key = np.zeros(len(gpus), dtype=np.int64)
        for label in labels:
            key = key * (int(label.max(initial=0)) + 1) + label[gpus]
        counts = np.unique(key, return_counts=True)[1]
        return int((counts * (counts - 1)).sum())


def _weigh(label: Int64Array, of: Int32Array, weight: NDArray[np.int64]) -> int:
    """Return the sum of the weights of all pairs that share a label, each with itself included.

    >>> _weigh(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1], dtype=np.int32), np.array([[1, 10], [10, 100]])
    ... )
    221
    """
    rows, times = np.unique(label * len(weight) + of, return_counts=True)
    group, member = np.divmod(rows, len(weight)) if len(rows) else (rows, rows)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(starts, append=len(group))
    mine = np.repeat(np.arange(len(group)), np.repeat(sizes, sizes))
    within = np.arange(len(mine)) - np.repeat(
        np.cumsum(np.repeat(sizes, sizes)) - np.repeat(sizes, sizes), np.repeat(sizes, sizes)
    )
    other = np.repeat(np.repeat(starts, sizes), np.repeat(sizes, sizes)) + within
    return int((times[mine] * times[other] * weight[member[mine], member[other]]).sum())
