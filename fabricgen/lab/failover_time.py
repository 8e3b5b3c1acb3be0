"""What a death costs the flows that survive it: packets lost, the longest silence, and the time until all is whole again.

Owns the choice of what dies: one of each kind. That the right pairs survive at all is `breaking`'s
to prove.
"""

from __future__ import annotations

import contextlib
import re
import time
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.lab.boot import set_kernel
from fabricgen.lab.failures import Breaker
from fabricgen.lab.loss_timer import outage
from fabricgen.lab.measure import Trial
from fabricgen.lab.probes import Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.measure import Bench

FLOWS, PORTS = 64, 8
"""Flows that are watched, and ports of each sender that they are spread over."""

PATIENCE_S, POLL_S = 60.0, 0.1

BFD_LINE = re.compile(r"^ neighbor (\S+) bfd\b.*", re.MULTILINE)
"""The line of a frr.conf that has BGP listen to BFD."""


def measure_failover(bench: Bench) -> Iterator[Trial]:
    """Let one of each kind of thing die while packets flow."""
    breaker, daemons = Breaker(bench), bench.daemons
    spine = next((name for name in bench.switches if bench.tiers[name] > 1), None)
    if spine is None:
        return
    cable = next(
        wire.label
        for wire in bench.machines.layout.wires
        if wire.a in bench.tiers and wire.b == spine
    )
    for failure in (f"link:{cable}", f"switch:{spine}"):
        yield _clock(
            bench,
            f"{failure} dies",
            [failure],
            partial(breaker.cut, [failure]),
            partial(breaker.mend, [failure]),
        )
    yield _clock(
        bench,
        f"the daemons of {spine} are killed",
        [f"switch:{spine}"],
        lambda: daemons.stop(spine),
        lambda: daemons.start([spine]),
    )
    freezes = [f"switch:{spine}"], lambda: _freeze(bench, spine), lambda: _thaw(bench, spine)
    if not bench.machines.layout.plan.spec.addressing.bfd:
        yield _clock(bench, f"{spine} freezes; there is no BFD", *freezes)
        return
    yield _clock(bench, f"{spine} freezes, with BFD", *freezes)
    with _without_bfd(breaker, spine):
        outcome = _clock(bench, f"{spine} freezes, without BFD", *freezes)
    yield outcome


def _clock(
    bench: Bench,
    title: str,
    failures: list[str],
    dies: Callable[[], None],
    lives: Callable[[], None],
) -> Trial:
    """Watch the flows that survive while something dies, then mend it and wait until all is whole, BFD too."""
    flows, findings = _survivors(bench, failures), _missing(bench)
    bench.converge(patience_s=PATIENCE_S)
    sockets = bench.sockets(PORTS)
    cost = outage(sockets, flows, dies)
    sockets.close()
    started = time.monotonic()
    lives()
    _, wrong = bench.converge(patience_s=PATIENCE_S)
    back = time.monotonic() - started
    lost = f"{cost.lost:,} of {cost.sent:,} packets of {len(flows)} flows lost, silent for {1000 * cost.longest_s:.0f} ms at most"
    findings += [f"{name} does not come back" for name in wrong]
    findings += [
        f"from {flow.source} to {flow.target} nothing arrives any more" for flow in cost.silent
    ]
    return Trial(
        "clock",
        title,
        f"{lost}; whole again {back:.1f} s after the repair",
        findings + _missing(bench),
    )


def _missing(bench: Bench) -> list[str]:
    """Wait until every session is up, of BGP and of BFD where there is any, and say which stay down: a failure that follows must find them."""
    until = time.monotonic() + PATIENCE_S
    while True:
        down = [text for name in bench.switches for text in bench.daemons.down(name)]
        if not down or time.monotonic() > until:
            return down
        time.sleep(POLL_S)


def _survivors(bench: Bench, failures: list[str]) -> list[Probe]:
    """Return flows that cross spines on the rail where something dies, and that have a direct way left then."""
    plan, names = bench.machines.layout.plan, bench.machines.layout.gpus
    found, missing = find_failures(plan, failures), bench.machines.layout.missing
    reach, after = Reach(plan, missing), Reach(plan, found | missing)
    segments = {segment for segment, _ in found.switches | found.links}
    chosen = [
        (names[one], names[other])
        for one, other in permutations(names, 2)
        if reach.leaf(one) != reach.leaf(other)
        and reach.home(one, 0)[0] in segments
        and reach.home(one, 0) == reach.home(other, 0)
        and after.joined(one, other, 0)
    ]
    ends = [(bench.addresses[one]["nic0"], bench.addresses[other]["nic0"]) for one, other in chosen]
    return [Probe(one, other, flow) for flow in range(PORTS) for one, other in ends][:FLOWS]


def _freeze(bench: Bench, switch: str) -> None:
    """Stop a switch without a sign: its links stay up, and nothing gets through."""
    bench.daemons.freeze(switch, frozen=True)
    bench.machines.networks.inside(switch, lambda: set_kernel("net.ipv4.ip_forward", "0"))


def _thaw(bench: Bench, switch: str) -> None:
    """Let a frozen switch go on."""
    bench.machines.networks.inside(switch, lambda: set_kernel("net.ipv4.ip_forward", "1"))
    bench.daemons.freeze(switch, frozen=False)


@contextlib.contextmanager
def _without_bfd(breaker: Breaker, switch: str) -> Iterator[None]:
    """Have BGP not listen to BFD in the rail of a switch, by taking the lines out of each configuration, and put them back.

    Each side of a session is told in turn, so the other one may take its end for a death: all must
    have come back before anything is timed.
    """
    bench = breaker.bench
    names = breaker.beside(switch)
    _tell_bfd(bench, names, keep=False)
    _wait_until_none(bench, names)
    try:
        yield
    finally:
        _tell_bfd(bench, names, keep=True)
        _missing(bench)


def _tell_bfd(bench: Bench, names: list[str], *, keep: bool) -> None:
    """Type the lines about BFD of each switch's own frr.conf, or their opposites."""

    def tell(name: str) -> None:
        text = (bench.machines.out / "configs" / name / "frr.conf").read_text(encoding="utf-8")
        router = re.search(r"^router bgp .*", text, re.MULTILINE)
        lines = [
            match[0] if keep else f" no neighbor {match[1]} bfd"
            for match in BFD_LINE.finditer(text)
        ]
        bench.daemons.tell(name, [router[0] if router else "", *lines])

    bench.machines.networks.each(names, tell)


def _wait_until_none(bench: Bench, names: list[str]) -> None:
    """Wait until switches have no session of BFD."""
    until = time.monotonic() + PATIENCE_S
    while any(bench.daemons.bfd(name) != (0, 0) for name in names) and time.monotonic() < until:
        time.sleep(POLL_S)
