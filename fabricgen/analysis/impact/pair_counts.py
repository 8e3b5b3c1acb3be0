"""How many ordered pairs of GPUs are joined, and how: by arithmetic on classes of GPUs.

Owns `Pairs`. A million GPUs have 10^12 pairs; here they are products of the sizes of classes. Which
GPUs are alike is said by `living`.
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
    """Some GPUs in classes: `of` numbers the class of each, `joined` says of two classes whether two GPUs on different leaves are directly joined.

    `overlap` says whether two GPUs on the same leaf are: that takes a plane on which both have a
    living port.
    """

    gpus: Int32Array
    of: Int32Array
    scope: Int32Array
    joined: BoolArray
    overlap: BoolArray


def classes_of(living: SurvivingFabric, gpus: Int32Array) -> Classes:
    """Sort GPUs into classes by scope, living ports and leaf class."""
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
    """The ordered pairs of distinct GPUs of a living fabric."""

    living: SurvivingFabric

    @property
    def every(self) -> int:
        """All pairs of the fabric, dead GPUs included."""
        count = len(self.living.gpu)
        return count * (count - 1)

    @cached_property
    def reachable(self) -> int:
        """Pairs that some way joins."""
        return self._sharing(np.flatnonzero(self.living.alive), self.living.component)

    @cached_property
    def relayed_before(self) -> int:
        """Pairs in different HB domains and scopes: without any failure they need a relay."""
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
        """Pairs that only a relay joins now."""
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
        """Pairs that had a direct path or shared an HB domain, and that only a relay joins now."""
        return self._newly_across + self._newly_inside

    @cached_property
    def inside_by_network(self) -> int:
        """Pairs of an HB domain whose interconnect is down that the network joins."""
        return self._sharing(self.stranded, self.living.domain, self.living.component)

    @cached_property
    def stranded(self) -> Int32Array:
        """The living GPUs whose HB domain's interconnect is down."""
        return np.flatnonzero(self.living.alive & ~self.living.hb).astype(np.int32)

    @cached_property
    def hurt(self) -> Classes:
        """The living GPUs of the scopes in which a port or the way between two leaves is lost, in classes."""
        living = self.living
        hurt = np.zeros(living.scopes, dtype=bool)
        hurt[living.scope[living.alive & (living.mask != (1 << len(living.ports)) - 1)]] = True
        hurt[[scope for scope, _ in living.joins]] = True
        return classes_of(
            living, np.flatnonzero(living.alive & hurt[living.scope]).astype(np.int32)
        )

    @cached_property
    def _newly_across(self) -> int:
        """Newly relayed pairs in different HB domains: those that are joined at all, less those that are directly joined, which are among them."""
        living, hurt = self.living, self.hurt
        joined = self._sharing(hurt.gpus, living.scope, living.component) - self._sharing(
            hurt.gpus, living.scope, living.component, living.domain
        )
        return (
            joined
            - self._direct(hurt, np.zeros_like(living.domain))
            + self._direct(hurt, living.domain)
        )

    @cached_property
    def _newly_inside(self) -> int:
        """Newly relayed pairs of one HB domain."""
        if not len(self.stranded):
            return 0
        return self.inside_by_network - self._direct(
            classes_of(self.living, self.stranded), self.living.domain
        )

    def _direct(self, classes: Classes, label: Int32Array) -> int:
        """Count the directly joined pairs among classified GPUs that share a label, and a scope, without which none is joined.

        All pairs by their classes; then those on one leaf again, for that leaf joins them without
        any uplink; less each GPU with itself.
        """
        gpus, of, living = classes.gpus, classes.of, self.living
        labels, leaves = (
            label[gpus].astype(np.int64) * living.scopes + living.scope[gpus],
            living.reach.plan.sizing.leaf,
        )
        mended = classes.overlap.astype(np.int64) - classes.joined
        alone = int(np.count_nonzero(living.mask[gpus]))
        return (
            _weigh(labels, of, classes.joined.astype(np.int64))
            + _weigh(labels * leaves + living.leaf[gpus], of, mended)
            - alone
        )

    @staticmethod
    def _sharing(gpus: Int32Array | Int64Array, *labels: Int32Array) -> int:
        """Count the pairs among some GPUs that agree in every label."""
        key = np.zeros(len(gpus), dtype=np.int64)
        for label in labels:
            key = key * (int(label.max(initial=0)) + 1) + label[gpus]
        counts = np.unique(key, return_counts=True)[1]
        return int((counts * (counts - 1)).sum())


def _weigh(label: Int64Array, of: Int32Array, weight: NDArray[np.int64]) -> int:
    """Sum the weights of all pairs, each with itself too, that share a label; `weight` is of two classes.

    >>> _weigh(np.array([0, 0, 1]), np.array([0, 1, 1], dtype=np.int32), np.array([[1, 10], [10, 100]]))
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
