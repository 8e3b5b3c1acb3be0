"""What a running lab must show, each with a figure: sessions, the kernels' routes, the exact path of every pair, rails apart, an even spread.

Owns the judgement. The kernel's own tables are the judge of ECMP, not a daemon's word, and a
packet's own record is the judge of paths.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.lab.measure import EXACT_GPUS, POLL_S, SAMPLED_PEERS, Routes, Trial, pairs, probes
from fabricgen.lab.path_checks import PathJudge, Tally
from fabricgen.lab.verify_mtu import hidden, large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.measure import Bench

BFD_S = 10.0
"""How long BFD sessions may take to come up: they begin once BGP's are, and at a packet a second."""

FLOWS, SPREAD, SIGMAS = 4, 8192, 6
"""Flows of each pair whose spread is counted, of how many pairs at most, and how far chance may carry a count from its mean."""


def sessions(bench: Bench) -> Trial:
    """Every BGP session between switches is up."""
    wanted = Counter(
        name
        for wire in bench.machines.layout.wires
        if wire.a in bench.tiers and wire.b in bench.tiers
        for name in (wire.a, wire.b)
    )
    counted = {name: bench.daemons.sessions(name) for name in bench.switches}
    findings = [
        f"{name}: {counted[name][0]} of {wanted[name]} sessions are up"
        for name in bench.switches
        if counted[name][0] != wanted[name]
    ]
    twice = f", {len(bench.reopened):,} ports opened twice" if bench.reopened else ""
    return Trial(
        "sessions",
        "BGP sessions up",
        f"{sum(up for up, _ in counted.values()) // 2:,} of {wanted.total() // 2:,}{twice}",
        findings,
    )


def bfd(bench: Bench) -> Trial:
    """Every BFD session comes up, one for each of BGP."""
    if not bench.machines.layout.plan.spec.addressing.bfd:
        return Trial("bfd", "BFD sessions up", "the inventory switches BFD off")
    until = time.monotonic() + BFD_S
    while True:
        counted = {
            name: (bench.daemons.bfd(name)[0], bench.daemons.sessions(name)[1])
            for name in bench.switches
        }
        findings = [
            f"{name}: {up} of {every} BFD sessions are up"
            for name, (up, every) in counted.items()
            if up != every
        ]
        if not findings or time.monotonic() > until:
            return Trial(
                "bfd",
                "BFD sessions up",
                " of ".join(
                    f"{sum(column) // 2:,}" for column in zip(*counted.values(), strict=True)
                ),
                findings,
            )
        time.sleep(POLL_S)


def routes(bench: Bench) -> Trial:
    """Every kernel has every prefix of its rail with every equal next hop, and no other."""
    wanted, learnt = bench.expected(), bench.learnt(bench.switches)
    findings = [
        text for name in bench.switches for text in differences(name, wanted[name], learnt[name])
    ]
    hops = sum(len(ways) for each in wanted.values() for ways in each.values())
    widest = max((len(ways) for each in wanted.values() for ways in each.values()), default=0)
    return Trial(
        "routes",
        "kernel routes",
        f"{sum(map(len, wanted.values())):,} prefixes, {hops:,} next hops, up to {widest} wide",
        findings,
    )


def differences(name: str, wanted: Routes, learnt: Routes) -> Iterator[str]:
    """Say where a kernel's routes differ from what they must be."""
    for prefix in sorted(wanted.keys() | learnt.keys()):
        if wanted.get(prefix) != learnt.get(prefix):
            have, want = (
                ", ".join(sorted(each.get(prefix, ()))) or "nothing" for each in (learnt, wanted)
            )
            yield f"{name}: {prefix} leads to {have}, and must to {want}"


def paths(bench: Bench) -> Trial:
    """Every pair's packet takes exactly a path that the emitted tables name, relay included."""
    asked = probes(bench, pairs(bench))
    found, again = bench.deliver(asked, asked)
    judge = PathJudge(bench)
    findings = [
        text for probe, pair in asked.items() if (text := judge.fault(pair, found.get(probe)))
    ]
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(judge.kinds.items()))
    exact = (
        "every pair"
        if len(bench.addresses) <= EXACT_GPUS
        else f"{SAMPLED_PEERS} peers of every GPU"
    )
    return Trial(
        "paths",
        "paths as the tables name them",
        f"{len(found):,} of {len(asked):,} packets ({exact}{_again(again)}): {kinds}",
        findings,
    )


def _again(count: int) -> str:
    """Say that packets were sent twice."""
    return f", {count:,} sent twice" if count else ""


def isolation(bench: Bench) -> Trial:
    """With forwarding inside HB domains off, exactly the pairs of one rail or one domain reach each other."""
    asked = probes(bench, pairs(bench))
    gpus, spans = bench.tables.gpus, bench.machines.layout.plan.mapping.spans_rails
    near = {
        probe: spans
        or gpus[source]["rail"] == gpus[target]["rail"]
        or gpus[source]["domain"] == gpus[target]["domain"]
        for probe, (source, target, _) in asked.items()
    }
    bench.forwarding(on=False)
    try:
        found, again = bench.deliver(asked, [probe for probe, may in near.items() if may])
    finally:
        bench.forwarding(on=True)
    findings = [
        f"{asked[probe][0]} to {asked[probe][1]}: {'does not arrive' if may else 'arrives across rails without a relay'}"
        for probe, may in near.items()
        if may != (probe in found)
    ]
    return Trial(
        "isolation",
        "rails apart without relays",
        f"{len(found):,} of {len(asked):,} packets arrive{_again(again)}, {sum(near.values()):,} may",
        findings,
    )


def spread(bench: Bench) -> Trial:
    """Flows spread over all equal ways, at every switch that has a choice, as the wires do."""
    if max(bench.tiers.values()) == 1:
        return Trial("spread", "flows spread over uplinks", "one tier has no uplinks")
    every = list(pairs(bench))
    drawn = every if len(every) <= SPREAD else random.Random(0).sample(every, SPREAD)  # noqa: S311 - the same sample everywhere, and no secret
    asked = probes(bench, drawn, FLOWS)
    found, _ = bench.deliver(asked, asked, FLOWS)
    tally = Tally(bench)
    for record in found.values():
        tally.add(record)
    off = list(tally.off())
    findings = [
        f"{at}: {tally.counts[at, peer]} flows take {peer}, and {tally.means[at, peer]:.0f} should"
        for at, peer, sigmas in off
        if sigmas > SIGMAS
    ]
    worst = max((sigmas for _, _, sigmas in off), default=0)
    return Trial(
        "spread",
        "flows spread over uplinks",
        f"{tally.counts.total():,} choices, {worst:.1f} sigma off at most",
        findings,
    )


TRIALS: tuple[Callable[[Bench], Trial], ...] = (
    sessions,
    routes,
    paths,
    isolation,
    spread,
    large,
    hidden,
    bfd,
)
"""In the order in which they are run."""
