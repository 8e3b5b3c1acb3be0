"""Which GPUs exchange data in one iteration: four classes of groups, by HB domain and rank.

A GPU of rank r in HB domain d is in one group of each class. With N_M and p pipeline stages, each a
run of D/p of the D HB domains:

    mp          the N_M consecutive ranks around r, in d
    dp_within   the ranks of d that are r modulo N_M
    dp_across   rank r of every HB domain of the stage
    pipeline    rank r in the same place of the stage before and after

Owns membership and the bytes between two members. *Direct* spreads what a GPU sends evenly over the
others of its group, which is how the rail-only paper counts pairs; *ring* sends all of it to the
next. `link_traffic` owns the links that carry it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fabricgen.analysis.workload.equations import volume
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.core.arrays import Int32Array

Collective = Literal["direct", "ring"]


class TrafficClass(NamedTuple):
    """One class of traffic.

    It has the size of its groups, the bytes that each GPU sends, the number of receivers, and
    whether the traffic stays in the HB domain.
    """

    name: str
    size: int
    bytes_per_gpu: float
    peers: int
    inside: bool

    @property
    def bytes_per_pair(self) -> float:
        """The bytes that a GPU sends to one other."""
        return self.bytes_per_gpu / self.peers if self.peers else 0.0


@dataclass(frozen=True)
class ClassTraffic(Document):
    """The traffic of one class in figures."""

    name: str
    size: int
    bytes_per_gpu: float
    peers: int
    inside: bool
    bytes_per_pair: float
    pairs: int


@dataclass(frozen=True)
class TrafficShares(Document):
    """Ordered pairs of GPUs and bytes of an iteration, in all and by where they are.

    Idle pairs carry no traffic; `hb_pairs_pct` and `hb_bytes_pct` are inside HB domains.
    """

    pairs: int
    pairs_idle_pct: float
    hb_pairs_pct: float
    hb_bytes_pct: float
    bytes: float
    classes: dict[str, ClassTraffic]


@dataclass(frozen=True)
class Groups:
    """The groups of one job that uses a whole fabric; `n_m` divides K."""

    llm: Workload
    machine: Machine
    n_m: int
    collective: Collective = "direct"

    @property
    def domains(self) -> int:
        """The number of HB domains."""
        return self.machine.coordinates.domains

    @property
    def stage_domains(self) -> int:
        """The number of HB domains of a pipeline stage."""
        return self.domains // self.llm.pipeline_stages

    @cached_property
    def classes(self) -> dict[str, TrafficClass]:
        """The classes with traffic, by name.

        A GPU of an outer pipeline stage has one neighbor and sends half.
        """
        sent = volume(self.llm, self.machine, self.n_m)
        rows = [
            ("mp", self.n_m, sent.mp, True),
            ("dp_within", self.machine.domain_gpus // self.n_m, sent.dp_within, True),
            ("dp_across", self.stage_domains, sent.dp_across, False),
        ]
        found = [
            TrafficClass(name, size, total, size - 1 if self.collective == "direct" else 1, inside)
            for name, size, total, inside in rows
            if size > 1
        ]
        if self.llm.pipeline_stages > 1:
            found.append(
                TrafficClass("pipeline", self.llm.pipeline_stages, sent.pipeline, 2, inside=False)
            )
        return {each.name: each for each in found}

    def pair_count(self, each: TrafficClass) -> int:
        """Return the number of ordered pairs of GPUs with traffic of a class."""
        if each.name == "pipeline":
            return 2 * (self.machine.gpus - self.machine.gpus // self.llm.pipeline_stages)
        return self.machine.gpus * each.peers

    def bytes_of(self, each: TrafficClass) -> float:
        """Return all bytes of a class."""
        return self.pair_count(each) * each.bytes_per_pair

    def peers(self, each: TrafficClass, domain: int) -> tuple[Int32Array, Int32Array]:
        """Return the pairs of a class whose sources are in an HB domain.

        They are two columns of GPUs, counted over all domains.
        """
        coordinates, size = self.machine.coordinates, self.machine.domain_gpus
        rank, step = np.arange(size, dtype=np.int32), np.arange(1, each.peers + 1, dtype=np.int32)
        own, peer = np.full(1, domain, dtype=np.int32), rank[:, None]
        source = coordinates.gpu(own, rank)
        if each.name == "mp":
            peer = rank[:, None] // self.n_m * self.n_m + (rank[:, None] + step) % self.n_m
        elif each.name == "dp_within":
            peer = coordinates.rank(rank[:, None] + step * self.n_m)
        else:
            own = self._far(each, domain, step)[None, :]
        target = coordinates.gpu(own, peer)
        return np.repeat(source, target.shape[1]), target.reshape(-1)

    def _far(self, each: TrafficClass, domain: int, step: Int32Array) -> Int32Array:
        """Return the HB domains that one sends to across domains."""
        wide = self.stage_domains
        if each.name == "pipeline":
            near = np.array([domain - wide, domain + wide], dtype=np.int32)
            return near[(near >= 0) & (near < self.domains)]
        stage, place = divmod(domain, wide)
        return np.asarray(stage * wide + (place + step) % wide, dtype=np.int32)

    def matrix(self) -> Iterator[tuple[TrafficClass, Int32Array, Int32Array]]:
        """Yield the sparse traffic matrix, class by class and HB domain by HB domain.

        Every pair carries its class's `bytes_per_pair`.
        """
        for each in self.classes.values():
            for domain in range(self.domains):
                yield each, *self.peers(each, domain)

    def shares(self) -> TrafficShares:
        """Return how many pairs of GPUs have traffic, and how many bytes stay in HB domains."""
        gpus, classes = self.machine.gpus, list(self.classes.values())
        pairs, total = gpus * (gpus - 1), sum(self.bytes_of(each) for each in classes)
        inside = [each for each in classes if each.inside]
        return TrafficShares(
            pairs=pairs,
            pairs_idle_pct=100 * (1 - sum(map(self.pair_count, classes)) / max(pairs, 1)),
            hb_pairs_pct=100 * sum(map(self.pair_count, inside)) / max(pairs, 1),
            hb_bytes_pct=100 * sum(map(self.bytes_of, inside)) / total if total else 0.0,
            bytes=total,
            classes={
                each.name: ClassTraffic(*each, each.bytes_per_pair, self.pair_count(each))
                for each in classes
            },
        )
