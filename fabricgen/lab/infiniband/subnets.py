"""The running subnets of a plan, and what their first sweep gives: tables, and walks over them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import Int64Array
    from fabricgen.lab.infiniband.opensm import Routed, Subnet
    from fabricgen.lab.infiniband.tables import Net, SubnetTables, Walk
    from fabricgen.planning.plan import Plan

T = TypeVar("T")


@dataclass
class RunningSubnets:
    """The running subnets of a plan."""

    plan: Plan
    subnets: list[Subnet]
    failures: str = "none"
    routed: list[Routed] = field(default_factory=list)
    """The result of the first sweep of each subnet."""

    def each(self, ask: Callable[[Subnet], T]) -> list[T]:
        """Call a function for every subnet, on every core."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(pool.map(ask, self.subnets))

    def manage(self) -> None:
        """Start ibsim and OpenSM in every subnet. Raises Refusal where one rejects its files."""

        def start(subnet: Subnet) -> Routed:
            subnet.simulate()
            return subnet.manage()

        self.routed = self.each(start)

    def end(self) -> None:
        """End every program."""
        for subnet in self.subnets:
            subnet.end()

    @cached_property
    def tables(self) -> list[SubnetTables]:
        """The tables of the first sweep."""
        return self.each(lambda subnet: subnet.tables())

    @cached_property
    def walks(self) -> list[Walk]:
        """The walks over the tables of the first sweep."""
        return [tables.walk() for tables in self.tables]

    @cached_property
    def tiers(self) -> Int64Array:
        """The tier of each switch of a subnet, in the order of its net file."""
        return np.array(
            [
                box.role.tier
                for box, has in zip(self.plan.naming.boxes, self.plan.installed, strict=True)
                if has
            ],
            dtype=np.int64,
        )

    @cached_property
    def regular(self) -> bool:
        """Whether all leaves, and all pairs of connected switches, have as many links.

        Then all links of a tier must carry the same.
        """
        segment = self.plan.segment
        hosts = np.unique(segment.upper[segment.kind == LinkKind.HOST], return_counts=True)[1]
        leaves = int((self.tiers == Role.LEAF.tier).sum())
        if len(hosts) != leaves or len(set(hosts.tolist())) > 1:
            return False
        kinds = (segment.kind == kind for kind in self.plan.kinds if kind is not LinkKind.HOST)
        return all(
            len(
                set(
                    np.unique(
                        segment.lower[rows] * len(self.plan.naming.boxes) + segment.upper[rows],
                        return_counts=True,
                    )[1].tolist()
                )
            )
            <= 1
            for rows in kinds
        )


def lost_paths(net: Net, walk: Walk) -> list[str]:
    """Return a sentence for each path that ends early."""
    return [
        f"{net.names[leaf]} to {net.names[net.switches + target]}: "
        f"the tables lead no further than {net.names[at]}"
        for leaf, target, at in walk.lost
    ]
