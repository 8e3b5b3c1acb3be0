"""The trials of an InfiniBand lab.

Owns routing, reachability, spread, credit loops, failures and discovery, and their figures.
`opensm` runs the programs, `tables` walks the tables; the expected results follow from the plan and
the emitted net.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.count_text import counted
from fabricgen.lab.infiniband.subnets import RunningSubnets, lost_paths
from fabricgen.lab.infiniband.switch_failures import survives
from fabricgen.lab.measure import Trial
from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.lab.infiniband.opensm import Subnet
    from fabricgen.lab.infiniband.tables import Net, SubnetTables, Walk


TRACED = 16
"""Pairs of a fabric whose path ibtracert follows; one takes some 20 ms."""


CLEAN = "no credit loops found"
_MET = re.compile(r'^(?!To ).*"([^"]*)"\s*$', re.MULTILINE)
"""A node in the output of ibtracert, which prints the last one twice."""


def routes(fabric: RunningSubnets) -> Trial:
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
        f"{engines} tables configured on all switches of {counted(len(fabric.subnets), 'subnet')}, "
        f"the slowest in {slowest:.2f} s"
    )
    return Trial("ib-routes", "OpenSM routes the emitted files", figure, findings)


def reaches(fabric: RunningSubnets) -> Trial:
    """Verify that the tables lead from every adapter to every other one of its subnet."""
    findings = [
        found
        for tables, walk in zip(fabric.tables, fabric.walks, strict=True)
        for found in lost_paths(tables.net, walk)
    ]
    links = max(walk.links for walk in fabric.walks)
    figure = f"{sum(walk.pairs for walk in fabric.walks):,} pairs, over {links} links at most"
    return Trial("ib-reaches", "every pair is reached by the tables", figure, findings)


def spreads(fabric: RunningSubnets) -> Trial:
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


def traces(fabric: RunningSubnets) -> Trial:
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


def loops(fabric: RunningSubnets) -> Trial:
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
        f"{counted(len(fabric.subnets), 'subnet')}, as designed and as routed",
        findings,
    )


def discovers(fabric: RunningSubnets) -> Trial:
    """Audit the output of ibnetdiscover against the plan."""

    def discover(subnet: Subnet) -> Path:
        path = subnet.place / "discovered.txt"
        path.write_text(subnet.run("ibnetdiscover").stdout, encoding="utf-8")
        return path

    found = audit(fabric.plan, read_evidence(fabric.each(discover)))
    findings = [finding.fact for finding in found.findings]
    if not found.matched:
        findings.append("nothing of the plan was discovered")
    figure = f"{len(found.matched):,} of {found.places.planned // 2:,} links matched" + (
        f", {len(found.silent):,} not booted" if found.silent else ""
    )
    return Trial("ib-discovers", "ibnetdiscover finds the plan", figure, findings)


def falls_back(fabric: RunningSubnets) -> Trial:
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
        findings.extend(lost_paths(subnet.net, walk))
        return walk

    walks = fabric.each(route)
    figure = (
        f"updn tables configured on all switches of {counted(len(fabric.subnets), 'subnet')}, "
        f"{sum(walk.pairs for walk in walks):,} pairs reached"
    )
    return Trial("ib-updn", "updn routes it too", figure, findings)


TRIALS: tuple[Callable[[RunningSubnets], Trial], ...] = (
    routes,
    reaches,
    spreads,
    traces,
    loops,
    discovers,
    survives,
    falls_back,
)


def _between(
    fabric: RunningSubnets, net: Net, walk: Walk, tiers: tuple[int, int]
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
