"""The trials of an InfiniBand lab.

Owns routing, reachability, spread, credit loops, failures and discovery, and their figures.
`opensm` runs the programs, `tables` walks the tables; the expected results follow from the plan and
the emitted net.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.lab.infiniband.tables import SubnetTables
from fabricgen.lab.measure import Trial
from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.core.arrays import Int64Array
    from fabricgen.lab.infiniband.opensm import Routed, Subnet
    from fabricgen.lab.infiniband.tables import Net, Walk
    from fabricgen.planning.plan import Plan

T = TypeVar("T")

TRACED = 16
"""Pairs of a fabric whose path ibtracert follows; one takes some 20 ms."""

SWEEPS = 5
"""Sweeps after a failure; the first may begin before the last link of a dead switch has gone."""

CLEAN = "no credit loops found"
_MET = re.compile(r'^(?!To ).*"([^"]*)"\s*$', re.MULTILINE)
"""A node in the output of ibtracert, which prints the last one twice."""


@dataclass
class Fabric:
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


class Killed(NamedTuple):
    """A killed switch: seconds until re-routed, engine, connected pairs, lost pairs."""

    switch: str
    seconds: float
    engine: str
    pairs: int
    lost: list[str]


def routes(fabric: Fabric) -> Trial:
    """Verify that OpenSM routes with the first engine of the emitted opensm.conf."""
    findings = [
        f"{subnet.name}: {routed.engine or 'no'} tables, where {subnet.engine} was wanted: "
        f"{'; '.join(routed.faults) or 'nothing was logged'}"
        for subnet, routed in zip(fabric.subnets, fabric.routed, strict=True)
        if routed.engine != subnet.engine or routed.faults
    ]
    engines = " and ".join(sorted({routed.engine or "no" for routed in fabric.routed}))
    slowest = max(routed.seconds for routed in fabric.routed)
    figure = (
        f"{engines} tables configured on all switches of {counted(fabric)}, "
        f"the slowest in {slowest:.2f} s"
    )
    return Trial("ib-routes", "OpenSM routes the emitted files", figure, findings)


def reaches(fabric: Fabric) -> Trial:
    """Verify that the tables lead from every adapter to every other one of its subnet."""
    findings = [
        found
        for tables, walk in zip(fabric.tables, fabric.walks, strict=True)
        for found in _lost(tables.net, walk)
    ]
    links = max(walk.links for walk in fabric.walks)
    figure = f"{sum(walk.pairs for walk in fabric.walks):,} pairs, over {links} links at most"
    return Trial("ib-reaches", "every pair is reached by the tables", figure, findings)


def spreads(fabric: Fabric) -> Trial:
    """Count the pairs on each switch link; in a regular fabric they must be even."""
    findings, figures = [], []
    for low, high in pairwise(fabric.plan.roles):
        pairs = zip(fabric.tables, fabric.walks, strict=True)
        shares = [
            share
            for tables, walk in pairs
            for share in _between(fabric, tables.net, walk, (low.tier, high.tier))
        ]
        loads = [load for load, _ in shares]
        least, most = min(loads), max(loads)
        span = f"{least:,} to {most:,}" if most > least else f"{least:,}"
        figures.append(f"{len(loads):,} {low}-{high} ways carry {span} pairs")
        if fabric.regular and most > least:
            findings += [
                f"{name} carries {load:,} pairs, and others {least:,}"
                for load, name in sorted(shares, reverse=True)
                if load > least
            ]
    why = "" if fabric.regular else "; leaves or their links are not alike, so shares need not be"
    return Trial(
        "ib-spreads",
        "links carry their even share",
        f"{', '.join(figures) or 'one switch: no links between switches'}{why}",
        findings,
    )


def traces(fabric: Fabric) -> Trial:
    """Compare the paths that ibtracert reads from the switches with the tables, for a sample."""
    share = max(1, TRACED // len(fabric.subnets))
    asked = [
        (subnet, tables, *pair)
        for subnet, tables in zip(fabric.subnets, fabric.tables, strict=True)
        for pair in _sample(tables.net.adapters, share)
    ]

    def trace(each: tuple[Subnet, SubnetTables, int, int]) -> str:
        subnet, tables, source, target = each
        done = subnet.run("ibtracert", str(tables.lids[source]), str(tables.lids[target]))
        met, wanted = _MET.findall(done.stdout), tables.way(source, target)
        return (
            ""
            if met == wanted
            else f"{wanted[0]} to {wanted[-1]}: "
            f"ibtracert met {', '.join(met) or done.stderr.strip()}, "
            f"and the tables name {', '.join(wanted)}"
        )

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        findings = [found for found in pool.map(trace, asked) if found]
    return Trial(
        "ib-traces",
        "ibtracert agrees with the tables",
        f"{len(asked)} ways, switch by switch",
        findings,
    )


def loops(fabric: Fabric) -> Trial:
    """Verify with ibdmchk that there are no credit loops, as designed and as routed.

    ibdmchk may fail after its verdict, so the verdict is read, not the exit code.
    """

    def look(subnet: Subnet) -> list[str]:
        first = subnet.net.names[subnet.net.switches]
        designed = subnet.run(
            "env",
            f"IBDM_IBNL_PATH={subnet.files}",
            "ibdmchk",
            "-t",
            str(subnet.files / "fabric.topo"),
            "-n",
            first.replace(" ", "/"),
            "-p",
            "1",
        )
        dumps = [
            word
            for flag, name in (
                ("-s", "opensm-subnet.lst"),
                ("-f", "opensm.fdbs"),
                ("-m", "opensm.mcfdbs"),
            )
            for word in (flag, str(subnet.dumps / name))
        ]
        routed = subnet.run("ibdmchk", *dumps)
        output = (("the emitted topology", designed.stdout), ("OpenSM's tables", routed.stdout))
        return [
            f"{subnet.name}: {what}: {_complaint(text)}"
            for what, text in output
            if CLEAN not in text or "\n-E-" in text
        ]

    findings = [found for each in fabric.each(look) for found in each]
    return Trial(
        "ib-loops",
        "ibdmchk finds no credit loops",
        f"{counted(fabric)}, as designed and as routed",
        findings,
    )


def discovers(fabric: Fabric) -> Trial:
    """Audit the output of ibnetdiscover against the plan."""

    def discover(subnet: Subnet) -> Path:
        path = subnet.place / "discovered.txt"
        path.write_text(subnet.run("ibnetdiscover").stdout, encoding="utf-8")
        return path

    found = audit(fabric.plan, read_evidence(fabric.each(discover)))
    document = found.document()
    findings = [finding["sentence"] for finding in document["findings"]]
    if not document["matched"]:
        findings.append("nothing of the plan was discovered")
    figure = f"{document['matched']:,} of {document['links']:,} links matched" + (
        f", {document['silent']:,} not booted" if document["silent"] else ""
    )
    return Trial("ib-discovers", "ibnetdiscover finds the plan", figure, findings)


def survives(fabric: Fabric) -> Trial:
    """Kill switches and verify that the new tables connect every pair that the wires still connect.

    By default the last switch of each tier is killed, except the leaf of the manager; with
    `--failures single` every switch is, one after the other.
    """
    killed = [
        each
        for some in fabric.each(lambda subnet: list(_kill_in_turn(fabric, subnet)))
        for each in some
    ]
    findings = [f"without {each.switch}: {lost}" for each in killed for lost in each.lost]
    if not killed:
        return Trial(
            "ib-survives", "a switch killed is routed around", "no switch can be spared", findings
        )
    engines = ", ".join(sorted({each.engine or "no engine" for each in killed}))
    slowest, pairs = max(each.seconds for each in killed), sum(each.pairs for each in killed)
    figure = (
        f"{len(killed)} killed, {pairs:,} surviving pairs reached, "
        f"re-routed by {engines} within {slowest:.2f} s"
    )
    return Trial("ib-survives", "a switch killed is routed around", figure, findings)


def falls_back(fabric: Fabric) -> Trial:
    """Verify that updn alone, the fallback of the emitted opensm.conf, reaches every pair too."""
    findings: list[str] = []

    def route(subnet: Subnet) -> Walk:
        routed, tables = subnet.route_once("updn"), subnet.tables()
        if routed.engine != "updn":
            findings.append(
                f"{subnet.name}: {routed.engine or 'no'} tables, where updn was wanted: "
                f"{'; '.join(routed.faults)}"
            )
        walk = tables.walk()
        findings.extend(_lost(subnet.net, walk))
        return walk

    walks = fabric.each(route)
    figure = (
        f"updn tables configured on all switches of {counted(fabric)}, "
        f"{sum(walk.pairs for walk in walks):,} pairs reached"
    )
    return Trial("ib-updn", "updn routes it too", figure, findings)


TRIALS: tuple[Callable[[Fabric], Trial], ...] = (
    routes,
    reaches,
    spreads,
    traces,
    loops,
    discovers,
    survives,
    falls_back,
)


def counted(fabric: Fabric) -> str:
    """Return the number of subnets as text."""
    count = len(fabric.subnets)
    return f"{count} subnet{'s' * (count > 1)}"


def _lost(net: Net, walk: Walk) -> list[str]:
    """Return a sentence for each path that ends early."""
    return [
        f"{net.names[leaf]} to {net.names[net.switches + target]}: "
        f"the tables lead no further than {net.names[at]}"
        for leaf, target, at in walk.lost
    ]


def _between(
    fabric: Fabric, net: Net, walk: Walk, tiers: tuple[int, int]
) -> Iterator[tuple[int, str]]:
    """Yield the load and the name of each link between two tiers, in each direction."""
    near, port = np.nonzero((net.peers >= 0) & (net.peers < net.switches))
    far = net.peers[near, port]
    rows = np.isin(fabric.tiers[near], tiers) & np.isin(fabric.tiers[far], tiers)
    for switch, number, peer in zip(
        near[rows].tolist(), port[rows].tolist(), far[rows].tolist(), strict=True
    ):
        yield (
            int(walk.loads[switch, number]),
            f"{net.names[switch]} port {number} to {net.names[peer]}",
        )


def _sample(adapters: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield pairs whose ends are spread over a subnet.

    >>> list(_sample(8, 3))
    [(0, 4), (2, 7), (5, 3)]
    """
    for number in range(min(count, adapters)):
        source = number * adapters // min(count, adapters)
        target = (source + adapters // 2 + number) % adapters
        if source != target:
            yield source, target


def _complaint(text: str) -> str:
    """Return the complaint of ibdmchk."""
    lines = text.splitlines()
    return next(
        (line for line in lines if line.startswith("-E-") or "credit loop" in line.lower()),
        lines[-1] if lines else "it said nothing",
    )


def _kill_in_turn(fabric: Fabric, subnet: Subnet) -> Iterator[Killed]:
    """Kill switches of a subnet one after the other, each restored before the next."""
    net, manager = subnet.net, int(subnet.net.leaves[0])
    every = [switch for switch in range(net.switches) if switch != manager]
    last = [
        max((switch for switch in every if fabric.tiers[switch] == tier), default=-1)
        for tier in sorted(set(fabric.tiers.tolist()))
    ]
    for switch in (
        every
        if fabric.failures in ("single", "all")
        else [switch for switch in last if switch >= 0]
    ):
        yield _kill(subnet, switch)


def _kill(subnet: Subnet, switch: int) -> Killed:
    """Unlink a switch, wait until OpenSM has routed around it, and link it again."""
    net, rest = subnet.net, subnet.net.without(switch)
    for routed in subnet.sweeps(f'Unlink "{net.ids[switch]}"', SWEEPS):  # noqa: B007 - the last one is reported
        walk = SubnetTables(rest, subnet.dumps / "opensm-lfts.dump").walk()
        if not walk.lost:
            break
    lost = _lost(rest, walk)
    subnet.relink(f'Relink "{net.ids[switch]}"')
    shown = [f"{lost[0]}, and {len(lost) - 1} more" if len(lost) > 1 else lost[0]] if lost else []
    return Killed(net.names[switch], routed.seconds, routed.engine, walk.pairs, shown)
