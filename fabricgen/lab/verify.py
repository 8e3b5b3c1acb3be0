"""The trials of a running lab: sessions, kernel routes, exact paths, isolation, even spread.

Owns the verdicts. The kernel's tables decide on ECMP, not a daemon's output, and the record of a
packet decides on its path.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from fabricgen.lab.measure import EXACT_GPUS, POLL_S, SAMPLED_PEERS, Routes, Trial, pairs, probes
from fabricgen.lab.path_checks import PathCheck, SpreadCount
from fabricgen.lab.verify_mtu import hidden, large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.measure import RunningLab

BFD_S = 10.0
"""Time for BFD sessions to come up: they start after BGP's, with a packet a second."""

FLOWS, SPREAD, SIGMAS = 4, 8192, 6
"""Flows per pair, pairs at most, and standard deviations from the mean that chance may cause."""


def sessions(lab: RunningLab) -> Trial:
    """Verify that every BGP session is up: between switches, and with unnumbered hosts."""
    wanted = {
        name: len(lab.fabric_ports[name]) + hosts for name, hosts in lab.host_sessions.items()
    }
    up = {name: lab.daemons.sessions(name)[0] for name in lab.switches}
    findings = [
        f"{name}: {up[name]} of {wanted[name]} sessions are up"
        for name in lab.switches
        if up[name] != wanted[name]
    ]
    twice = f", {len(lab.reopened):,} ports opened twice" if lab.reopened else ""
    hosts = sum(lab.host_sessions.values())  # a switch counts these alone, and both the others
    shown, every = ((sum(each.values()) + hosts) // 2 for each in (up, wanted))
    return Trial("sessions", "BGP sessions up", f"{shown:,} of {every:,}{twice}", findings)


def bfd(lab: RunningLab) -> Trial:
    """Verify that every BFD session comes up, one for each of BGP between switches."""
    if not lab.machines.layout.plan.spec.addressing.bfd:
        return Trial("bfd", "BFD sessions up", "the inventory switches BFD off")
    until = time.monotonic() + BFD_S
    while True:
        counted = {
            name: (lab.daemons.bfd(name)[0], len(lab.fabric_ports[name])) for name in lab.switches
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


def routes(lab: RunningLab) -> Trial:
    """Verify that every kernel has exactly the prefixes and equal next hops of its rail."""
    wanted, learnt = lab.expected(), lab.learnt(lab.switches)
    findings = [
        text for name in lab.switches for text in differences(name, wanted[name], learnt[name])
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
    """Yield the differences between a kernel's routes and the expected ones."""
    for prefix in sorted(wanted.keys() | learnt.keys()):
        if wanted.get(prefix) != learnt.get(prefix):
            have, want = (
                ", ".join(sorted(each.get(prefix, ()))) or "nothing" for each in (learnt, wanted)
            )
            yield f"{name}: {prefix} leads to {have}, and must to {want}"


def paths(lab: RunningLab) -> Trial:
    """Verify that every pair's packet takes a path of the emitted tables, relay included."""
    asked = probes(lab, pairs(lab))
    found, again = lab.deliver(asked, asked)
    judge = PathCheck(lab)
    findings = [
        text for probe, pair in asked.items() if (text := judge.fault(pair, found.get(probe)))
    ]
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(judge.kinds.items()))
    exact = (
        "every pair" if len(lab.addresses) <= EXACT_GPUS else f"{SAMPLED_PEERS} peers of every GPU"
    )
    return Trial(
        "paths",
        "paths as the tables name them",
        f"{len(found):,} of {len(asked):,} packets ({exact}{_again(again)}): {kinds}",
        findings,
    )


def _again(count: int) -> str:
    """Return the number of packets that were sent twice, as text."""
    return f", {count:,} sent twice" if count else ""


def isolation(lab: RunningLab) -> Trial:
    """Verify that without relays only pairs of one rail or HB domain reach each other."""
    asked = probes(lab, pairs(lab))
    gpus, spans = lab.tables.gpus, lab.machines.layout.plan.mapping.spans_rails
    near = {
        probe: spans
        or gpus[source]["rail"] == gpus[target]["rail"]
        or gpus[source]["domain"] == gpus[target]["domain"]
        for probe, (source, target, _) in asked.items()
    }
    lab.forwarding(on=False)
    try:
        found, again = lab.deliver(asked, [probe for probe, may in near.items() if may])
    finally:
        lab.forwarding(on=True)
    findings = [
        f"{asked[probe][0]} to {asked[probe][1]}: "
        f"{'does not arrive' if may else 'arrives across rails without a relay'}"
        for probe, may in near.items()
        if may != (probe in found)
    ]
    return Trial(
        "isolation",
        "rails apart without relays",
        f"{len(found):,} of {len(asked):,} packets arrive{_again(again)}, "
        f"{sum(near.values()):,} may",
        findings,
    )


def spread(lab: RunningLab) -> Trial:
    """Verify that flows spread over all equal paths as the wires do, at every switch."""
    if max(lab.tiers.values()) == 1:
        return Trial("spread", "flows spread over uplinks", "one tier has no uplinks")
    every = list(pairs(lab))
    drawn = every if len(every) <= SPREAD else random.Random(0).sample(every, SPREAD)  # noqa: S311 - the same sample everywhere, and no secret
    asked = probes(lab, drawn, FLOWS)
    found, _ = lab.deliver(asked, asked, FLOWS)
    tally = SpreadCount(lab)
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


TRIALS: tuple[Callable[[RunningLab], Trial], ...] = (
    sessions,
    routes,
    paths,
    isolation,
    spread,
    large,
    hidden,
    bfd,
)
"""The trials in the order in which they run."""

WITHOUT_GPUS: tuple[Callable[[RunningLab], Trial], ...] = (sessions, routes, bfd)
"""The trials of a lab without the compute fabric."""
