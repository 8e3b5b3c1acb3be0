"""From a plan to what network simulators read: numbered nodes, and links with rates.

Owns the numbering, the merging of parallel links, and which blocks htsim can build. ns-3's
frontends keep one interface for each pair of neighbours, so that of parallel links the last would
carry everything at its own rate: they become one link of the sum. A leaf box that several rails
share is a node for each, since no simulator has VRFs. Packs hold the latencies.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.outputs.simulators.view import (
    SimulatedBlock,
    SimulatedRun,
    SimulatedTier,
    Simulation,
)
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.planning.worst_permutation import stated_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.plan import Plan


BITS = 8
"""Bits of a byte."""


class Simulator:
    """Makes the simulators' views of one plan."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is needed."""
        self.plan = plan

    @property
    def gap(self) -> str | None:
        """Return why HB domains cannot be simulated; None where they can."""
        return (
            None
            if self.plan.fabric.hb_bandwidth_gbps
            else "the speed of an HB domain is unknown; `hb_domain.bandwidth` states it"
        )

    @property
    def _domains(self) -> int:
        """HB domains that are installed."""
        return self.plan.fabric.coordinates.domains

    @cached_property
    def _switches(self) -> tuple[list[tuple[str, str, str]], Int64Array]:
        """Name, role and rail of each switch, tier by tier, and its number by segment, box, block.

        The number is -1 where a box does not serve a block.
        """
        plan, mapping = self.plan, self.plan.mapping
        every = [
            (segment, index, block)
            for role in plan.roles
            for segment in range(mapping.segments)
            for index, box in enumerate(plan.naming.boxes)
            if box.role is role and plan.installed[index]
            for block in (range(mapping.segment_blocks) if box.block < 0 else [box.block])
        ]
        number = np.full(
            (mapping.segments, len(plan.naming.boxes), mapping.segment_blocks), -1, dtype=np.int64
        )
        number[tuple(np.array(every).T)] = np.arange(len(every)) + plan.fabric.gpus + self._domains
        segments = [plan.naming.switches(segment) for segment in range(mapping.segments)]
        shown = []
        for segment, index, block in every:
            box, rail = plan.naming.boxes[index], mapping.rail(segment, block)
            name = (
                f"{segments[segment][index]}/rail{rail}"
                if box.block < 0
                else segments[segment][index]
            )
            shown.append((name, box.role.value, "" if rail is None else str(rail)))
        return shown, number

    @cached_property
    def links(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Every line of links as columns: the numbers of both ends, and the links it represents.

        The count is -1 for a GPU in its HB domain. The order is GPU by GPU, each first to its HB
        domain, then to its leaves; then switch by switch upwards.
        """
        plan, gpus = self.plan, np.arange(self.plan.fabric.gpus, dtype=np.int64)
        wired, (_, number) = wiring_of(plan), self._switches
        boxes, host = len(plan.naming.boxes), wired.kind == LinkKind.HOST
        upper = number[wired.segment, wired.upper - wired.segment * boxes, wired.block]
        below = np.where(
            host, 0, wired.lower - wired.segment * boxes
        )  # the lower end of a host link is a GPU, which has no entry
        lower = np.where(host, wired.lower, number[wired.segment, below, wired.block])
        low = np.concatenate([gpus, lower])
        high = np.concatenate([plan.fabric.coordinates.domain(gpus) + plan.fabric.gpus, upper])
        size = int(high.max()) + 1
        pairs, links = np.unique(low * size + high, return_counts=True)
        low, high = np.divmod(pairs, size)
        return low, high, np.where(high < plan.fabric.gpus + self._domains, -1, links)

    @cached_property
    def _rates(self) -> Int64Array:
        """The rate of each line of links, in Gbps."""
        low, high, links = self.links
        first = self.plan.fabric.gpus + self._domains
        tier = np.array(
            [kind.upper.tier for kind in self.plan.kinds for _ in range(self._count(kind.upper))]
        )
        speeds = np.array([0, *(self.plan.link_parts[kind].speed_gbps for kind in self.plan.kinds)])
        hb = low.size and links < 0
        return np.where(
            hb,
            self.plan.fabric.hb_bandwidth_gbps or 0,
            links * speeds[tier[np.maximum(high - first, 0)]],
        )

    def _count(self, role: Role) -> int:
        """Count the nodes of a role."""
        return sum(shown == role for _, shown, _ in self._switches[0])

    def runs(self, size: int) -> Iterator[SimulatedRun]:
        """Cut the lines of links into runs of so many."""
        low, high, links = self.links
        for start in range(0, len(low), size):
            part = slice(start, start + size)
            rows = zip(
                low[part].tolist(),
                high[part].tolist(),
                self._rates[part].tolist(),
                (links[part] < 0).tolist(),
                strict=True,
            )
            yield SimulatedRun([*rows], start == 0, start + size >= len(low))

    @cached_property
    def view(self) -> Simulation:
        """The whole fabric in numbers."""
        plan, fabric = self.plan, self.plan.fabric
        switches, domains = self._switches[0], self._domains
        hb_gbps, first = fabric.hb_bandwidth_gbps or 0, fabric.gpus + domains
        nodes = first + len(switches)
        return Simulation(
            fabric=plan.spec.name,
            rail_only=fabric.design is Design.RAIL_ONLY,
            gpus=fabric.gpus,
            domain_gpus=fabric.domain_gpus,
            domains=domains,
            switches=len(switches),
            all_switches=domains + len(switches),
            nodes=nodes,
            links=len(self.links[0]),
            merged=int(self.links[2].max()),
            accelerator=(fabric.host.accelerator or "") if fabric.host else "",
            hb_gbps=hb_gbps,
            hb_gbytes=str(hb_gbps / BITS),
            nic_gbytes=str(fabric.speed_gbps * fabric.planes / BITS),
            oversubscription=stated_ratio(plan),
            rates_bps=[rate * 10**9 for rate in distinct(self._rates).tolist()],
            hb_ids=" ".join(map(str, range(fabric.gpus, first))),
            switch_ids=" ".join(map(str, range(first, nodes))),
            names=self._names(),
        )

    def _names(self) -> list[tuple[int, str, str, str]]:
        """Name every node."""
        coordinates, domains = self.plan.fabric.coordinates, range(self._domains)
        gpus = [
            (coordinates.name(gpu), "gpu", str(coordinates.rail(gpu)))
            for gpu in range(coordinates.gpus)
        ]
        shown = [
            *gpus,
            *((f"hb-{domain}", "hb-domain", "") for domain in domains),
            *self._switches[0],
        ]
        return [(number, *one) for number, one in enumerate(shown)]

    def block(self) -> SimulatedBlock | str:
        """Return a block as a tree that htsim builds as planned, or why there is none.

        The conditions are those of htsim's FatTreeTopology: two or three tiers, every switch of a
        tier alike, and a whole-numbered ratio of downward to upward capacity.
        """
        plan, sizing, baseline = self.plan, self.plan.sizing, self.plan.mapping.baseline
        if sizing.tiers == 1:
            return "a block is one switch, and htsim builds two tiers or three"
        if baseline and (baseline.wired or baseline.endpoints is not None):
            return "cables were kept from an older plan, and htsim wires by its own rule"
        speeds = [plan.link_parts[kind].speed_gbps for kind in plan.kinds]
        widths = [(sizing.leaf_down, sizing.leaf_up), (sizing.spine_down, sizing.spine_up)][
            : sizing.tiers - 1
        ]
        above = [sizing.pod_spines, sizing.group_cores]
        if any(up % switches for (_, up), switches in zip(widths, above, strict=False)):
            return (
                "uplinks are not spread evenly, and htsim joins each two switches by as many links;"
                " use `spread: even`"
            )
        ratios = [down // up if down >= up else 0 for down, up in widths]
        if (
            any(down != up * ratio for (down, up), ratio in zip(widths, ratios, strict=True))
            or len({*speeds}) > 1
        ):
            return "htsim wants one speed, and a whole number of downlinks to an uplink"
        leaves = sum(
            has
            for has, box in zip(plan.installed, plan.naming.boxes, strict=True)
            if box.role is Role.LEAF
        )
        return self._tree(leaves, speeds, ratios)

    def _tree(self, leaves: int, speeds: list[int], ratios: list[int]) -> SimulatedBlock:
        """Lay out a block of so many leaves.

        All pods of htsim are alike, so the last one gets leaves that the plan does not have.
        """
        sizing, mapping = self.plan.sizing, self.plan.mapping
        pods = -(-leaves // sizing.pod_leaves) if sizing.core else 1
        unplanned = pods * sizing.pod_leaves - leaves if sizing.core else 0
        leaves += unplanned
        bundles = [
            1,
            sizing.leaf_up // sizing.pod_spines,
            sizing.spine_up // sizing.group_cores if sizing.core else 0,
        ]
        downs = [sizing.leaf_down, leaves // pods * bundles[1], pods * bundles[2]]
        ups = [sizing.leaf_up, sizing.spine_up, 0]
        most = max(map(sum, zip(downs, ups, strict=True)))
        endpoints = leaves * sizing.leaf_down
        hosts = int(
            np.count_nonzero(
                (self.plan.segment.kind == LinkKind.HOST) & (self.plan.segment.block == 0)
            )
        )
        return SimulatedBlock(
            fabric=self.plan.spec.name,
            blocks=mapping.segments * mapping.segment_blocks,
            endpoints=endpoints,
            vacant=endpoints - hosts,
            unplanned_leaves=unplanned,
            pod=endpoints // pods,
            height=sizing.tiers,
            ports=most,
            tiers=[
                SimulatedTier(
                    tier, speeds[tier], downs[tier], ups[tier], [*ratios, 1][tier], bundles[tier]
                )
                for tier in range(sizing.tiers)
            ],
        )
