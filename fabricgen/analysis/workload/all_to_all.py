"""All-to-all, as a mixture of experts sends it: the cost of relays through HB domains.

It is compared with a network that joins any two GPUs. Owns the load if every GPU sends the same
amount to every other: on NICs, on HB links, and on HB links for relays alone. Paths are those of
`forwarding`, also after failures. Figures are multiples of one pair's data until they are converted
to time.

    any-to-any   max((N - K)/B_S, (K - 1)/B_F)
    overlapped   the larger of the busiest NIC and the busiest HB link
    in turn      the busiest NIC, then the busiest HB link's relayed data (store and forward)

In the paper's terms the slowdown is B_S/B_F: every byte that crosses is relayed once. Of R rails
one is the sender's own, so relays carry only (1 - 1/R) of it. Large fabrics are sampled by HB
domain of the source, those that a failure affects separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.bandwidth import Capacity
from fabricgen.analysis.impact.relay_selection import RelaySelection
from fabricgen.analysis.impact.surviving import SurvivingFabric
from fabricgen.analysis.workload.experts import expert_bytes
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

    Floats = NDArray[np.float64]

LIMIT = 8_000_000
"""Pairs that are examined before sources are sampled, affected and other ones each."""

CHUNK = 1 << 19
"""Pairs that are examined at once, so that the columns stay small."""


class GpuLoad(NamedTuple):
    """The load of each GPU: on its NIC out and in, on its HB link out and in, and relayed."""

    nic_out: Floats
    nic_in: Floats
    hb_out: Floats
    hb_in: Floats
    relay_out: Floats
    relay_in: Floats


@dataclass(frozen=True)
class AllToAllTimes(Document):
    """The time of an all-to-all without relays, and with relays overlapped and in turn."""

    any_to_any: float
    overlapped: float
    in_turn: float

    def times(self, factor: float) -> AllToAllTimes:
        """Return a multiple of these times."""
        return AllToAllTimes(
            factor * self.any_to_any, factor * self.overlapped, factor * self.in_turn
        )


@dataclass(frozen=True)
class AllToAllCost(Document):
    """The cost of relays for an all-to-all: `all_to_all` of `model --all-to-all --json`.

    The load of the busiest GPU is in multiples of one pair's data. The last two fields are for a
    whole iteration, in bytes and seconds; None for a model without experts.
    """

    pairs_relayed_pct: float
    pairs_lost: int
    sampled: bool
    nic_units: float
    nic_units_any_to_any: int
    hb_units: float
    hb_units_any_to_any: int
    relay_units: float
    slowdown_overlapped_pct: float
    slowdown_in_turn_pct: float
    paper_pct: float
    bytes_per_gpu: float | None
    iteration_s: AllToAllTimes | None


@dataclass(frozen=True)
class AllToAll:
    """One all-to-all over the working GPUs of a plan."""

    plan: Plan
    machine: Machine
    failures: Failures

    @cached_property
    def living(self) -> SurvivingFabric:
        """The working part of the fabric."""
        return SurvivingFabric(Reach(self.plan, self.failures))

    @cached_property
    def _relays(self) -> RelaySelection:
        """The selection of relays."""
        return RelaySelection(self.living)

    @cached_property
    def _strata(self) -> list[tuple[Int32Array, Floats]]:
        """The HB domains whose GPUs are sources, with the number of domains that each represents.

        The number is given for each target domain. A domain sends nothing to itself over the
        network, so a sampled domain represents others only.
        """
        living, size = self.living, self.plan.fabric.domain_gpus
        domains = int(living.domain[-1]) + 1
        affected = np.zeros(domains, dtype=bool)
        affected[living.domain[(Capacity(living).lost > 0) | ~living.hb]] = True
        found = []
        for members in (affected, ~affected):
            fits = max(2, LIMIT // (size * len(living.gpu)))
            every = np.flatnonzero(members).astype(np.int32)
            picked = every[:: max(1, -(-len(every) // fits))]
            senders = len(picked) - np.isin(np.arange(domains), picked)
            if len(picked):
                found.append(
                    (
                        picked,
                        np.where(senders > 0, (len(every) - members) / np.maximum(senders, 1), 1.0),
                    )
                )
        return found

    @property
    def sampled(self) -> bool:
        """Whether some pairs were not examined."""
        return any(bool((weight > 1).any()) for _, weight in self._strata)

    @cached_property
    def _worked(self) -> tuple[GpuLoad, float, float]:
        """The load, the number of relayed pairs, and that of pairs without a path."""
        load, relayed, lost = (
            GpuLoad(*(np.zeros(len(self.living.gpu)) for _ in GpuLoad._fields)),
            0.0,
            0.0,
        )
        alive = np.flatnonzero(self.living.alive).astype(np.int32)
        for domains, weight in self._strata:
            for domain in domains.tolist():
                every = alive[self.living.domain[alive] == domain]
                for own in (
                    np.array_split(every, -(-len(every) * len(alive) // CHUNK))
                    if len(every)
                    else ()
                ):
                    source, target = np.repeat(own, len(alive)), np.tile(alive, len(own))
                    other = source != target
                    over, missed = self._send(
                        load, source[other], target[other], weight[self.living.domain]
                    )
                    relayed, lost = relayed + over, lost + missed
        return load, relayed, lost

    @property
    def load(self) -> GpuLoad:
        """The load of every GPU."""
        return self._worked[0]

    def _send(
        self, load: GpuLoad, source: Int32Array, target: Int32Array, weight: Floats
    ) -> tuple[float, float]:
        """Add pairs to the load, and return how many are relayed and how many have no path.

        The load in the source's domain is counted in full, the load beyond it by the weight of the
        GPU there.
        """
        near = (
            (self.living.domain[source] == self.living.domain[target])
            & self.living.hb[source]
            & self.living.hb[target]
        )
        _count(load.hb_out, source[near])
        _count(load.hb_in, target[near])
        source, target = source[~near], target[~near]
        leaving, landing = self._relays.any_crossing(source, target)
        found = leaving >= 0
        self._cross(load, (source[found], leaving[found], landing[found], target[found]), weight)
        relayed = found & ((leaving != source) | (landing != target))
        total = float(weight[target[relayed]].sum())
        source, target = source[~found], target[~found]
        entry, onward = self._relays.over_a_domain(source, target)
        found = entry >= 0
        self._cross(load, (source[found], source[found], entry[found], onward[found]), weight)
        self._cross(
            load, (onward[found], onward[found], target[found], target[found]), weight, first=False
        )
        return total + float(weight[target[found]].sum()), float(weight[target[~found]].sum())

    def _cross(
        self,
        load: GpuLoad,
        way: tuple[Int32Array, Int32Array, Int32Array, Int32Array],
        weight: Floats,
        *,
        first: bool = True,
    ) -> None:
        """Add one crossing to the load.

        It is a hop inside the domain if it leaves over another GPU, the NICs, and a hop if it lands
        on another.
        """
        source, leaving, landing, target = way
        _count(load.nic_out, leaving, None if first else weight)
        _count(load.nic_in, landing, weight)
        hop = leaving != source
        for out, into in ((load.hb_out, load.hb_in), (load.relay_out, load.relay_in)):
            _count(out, source[hop])
            _count(into, leaving[hop])
        hop = landing != target
        for out, into in ((load.hb_out, load.hb_in), (load.relay_out, load.relay_in)):
            _count(out, landing[hop], weight)
            _count(into, target[hop], weight)

    def cost(self, llm: Workload) -> AllToAllCost:
        """Return the figures of one all-to-all, and of those of an iteration of a model."""
        load, relayed, lost = self._worked
        machine, living = self.machine, self.living
        gpus, size = machine.gpus, machine.domain_gpus
        base = max((gpus - size) / machine.nic_bytes_s, (size - 1) / machine.hb_bytes_s)
        left = np.maximum(1 - Capacity(living).lost, 1e-12)
        nic = float((np.maximum(load.nic_out, load.nic_in) / left).max()) / machine.nic_bytes_s
        hb = float(np.maximum(load.hb_out, load.hb_in).max()) / machine.hb_bytes_s
        relay = float(np.maximum(load.relay_out, load.relay_in).max()) / machine.hb_bytes_s
        times = AllToAllTimes(base, max(nic, hb), max(nic + relay, hb))
        sent = expert_bytes(llm, machine) or None
        return AllToAllCost(
            pairs_relayed_pct=100 * relayed / max(gpus * (gpus - 1), 1),
            pairs_lost=round(lost),
            sampled=self.sampled,
            nic_units=float(np.maximum(load.nic_out, load.nic_in).max()),
            nic_units_any_to_any=gpus - size,
            hb_units=float(np.maximum(load.hb_out, load.hb_in).max()),
            hb_units_any_to_any=size - 1,
            relay_units=float(np.maximum(load.relay_out, load.relay_in).max()),
            slowdown_overlapped_pct=_slower(times.overlapped, base),
            slowdown_in_turn_pct=_slower(times.in_turn, base),
            paper_pct=100 * machine.nic_bytes_s / machine.hb_bytes_s,
            bytes_per_gpu=sent,
            iteration_s=times.times(sent / (gpus - 1)) if sent else None,
        )


def _slower(time: float, base: float) -> float:
    """Return by how many percent a time is longer."""
    return 100 * (time / base - 1) if base else 0.0


def _count(load: Floats, gpus: Int32Array, weight: Floats | None = None) -> None:
    """Return the number of GPUs, each counted once or by its weight."""
    if len(gpus):
        load += np.bincount(gpus, None if weight is None else weight[gpus], minlength=len(load))
