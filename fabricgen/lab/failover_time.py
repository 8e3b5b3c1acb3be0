"""The cost of a failure to surviving flows: packets lost, longest silence, time to recovery.

Owns the choice of what fails: one of each kind. `failures` verifies which pairs survive.
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

    from fabricgen.lab.measure import RunningLab

FLOWS, PORTS = 64, 8
"""Flows that are watched, and ports of each sender that they are spread over."""

PATIENCE_S, POLL_S = 60.0, 0.1

BFD_LINE = re.compile(r"^ neighbor (\S+) bfd\b.*", re.MULTILINE)
"""The line of a frr.conf that enables BFD for a BGP neighbour."""


def measure_failover(lab: RunningLab) -> Iterator[Trial]:
    """Fail one part of each kind while packets flow."""
    breaker, daemons = Breaker(lab), lab.daemons
    spine = next((name for name in lab.switches if lab.tiers[name] > 1), None)
    if spine is None:
        return
    cable = next(
        wire.label for wire in lab.machines.layout.wires if wire.a in lab.tiers and wire.b == spine
    )
    for failure in (f"link:{cable}", f"switch:{spine}"):
        yield _clock(
            lab,
            f"{failure} dies",
            [failure],
            partial(breaker.cut, [failure]),
            partial(breaker.repair, [failure]),
        )
    yield _clock(
        lab,
        f"the daemons of {spine} are killed",
        [f"switch:{spine}"],
        lambda: daemons.stop(spine),
        lambda: daemons.start([spine]),
    )
    freezes = [f"switch:{spine}"], lambda: _freeze(lab, spine), lambda: _thaw(lab, spine)
    if not lab.machines.layout.plan.spec.addressing.bfd:
        yield _clock(lab, f"{spine} freezes; there is no BFD", *freezes)
        return
    yield _clock(lab, f"{spine} freezes, with BFD", *freezes)
    with _without_bfd(breaker, spine):
        outcome = _clock(lab, f"{spine} freezes, without BFD", *freezes)
    yield outcome


def _clock(
    lab: RunningLab,
    title: str,
    failures: list[str],
    dies: Callable[[], None],
    lives: Callable[[], None],
) -> Trial:
    """Watch the surviving flows during a failure, repair it, and wait until all sessions are up."""
    flows, findings = _survivors(lab, failures), _missing(lab)
    lab.converge(patience_s=PATIENCE_S)
    sockets = lab.sockets(PORTS)
    cost = outage(sockets, flows, dies)
    sockets.close()
    started = time.monotonic()
    lives()
    _, wrong = lab.converge(patience_s=PATIENCE_S)
    back = time.monotonic() - started
    lost = (
        f"{cost.lost:,} of {cost.sent:,} packets of {len(flows)} flows lost, "
        f"silent for {1000 * cost.longest_s:.0f} ms at most"
    )
    findings += [f"{name} does not come back" for name in wrong]
    findings += [
        f"from {flow.source} to {flow.target} nothing arrives any more" for flow in cost.silent
    ]
    return Trial(
        "clock",
        title,
        f"{lost}; whole again {back:.1f} s after the repair",
        findings + _missing(lab),
    )


def _missing(lab: RunningLab) -> list[str]:
    """Wait until every session of BGP and BFD is up, and return those that stay down.

    A failure that follows must find all of them up.
    """
    until = time.monotonic() + PATIENCE_S
    while True:
        down = [text for name in lab.switches for text in lab.daemons.down(name)]
        if not down or time.monotonic() > until:
            return down
        time.sleep(POLL_S)


def _survivors(lab: RunningLab, failures: list[str]) -> list[Probe]:
    """Return flows over spines, on the rail of a failure, that keep a direct path."""
    plan, names = lab.machines.layout.plan, lab.machines.layout.gpus
    found, missing = find_failures(plan, failures), lab.machines.layout.missing
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
    ends = [(lab.addresses[one]["nic0"], lab.addresses[other]["nic0"]) for one, other in chosen]
    return [Probe(one, other, flow) for flow in range(PORTS) for one, other in ends][:FLOWS]


def _freeze(lab: RunningLab, switch: str) -> None:
    """Freeze a switch: its links stay up, and it forwards nothing."""
    lab.daemons.freeze(switch, frozen=True)
    lab.machines.networks.inside(switch, lambda: set_kernel(lab.family.forwarding, "0"))


def _thaw(lab: RunningLab, switch: str) -> None:
    """Let a frozen switch continue."""
    lab.machines.networks.inside(switch, lambda: set_kernel(lab.family.forwarding, "1"))
    lab.daemons.freeze(switch, frozen=False)


@contextlib.contextmanager
def _without_bfd(breaker: Breaker, switch: str) -> Iterator[None]:
    """Disable BFD for BGP in the rail of a switch during the block.

    Both sides of a session are configured in turn, so one may see the other fail: all sessions must
    be up again before anything is timed.
    """
    lab = breaker.lab
    names = breaker.same_rail(switch)
    _configure_bfd(lab, names, keep=False)
    _wait_until_none(lab, names)
    try:
        yield
    finally:
        _configure_bfd(lab, names, keep=True)
        _missing(lab)


def _configure_bfd(lab: RunningLab, names: list[str], *, keep: bool) -> None:
    """Enter the lines about BFD of each switch's own frr.conf, or their negations."""

    def configure(name: str) -> None:
        text = (lab.machines.out / "configs" / name / "frr.conf").read_text(encoding="utf-8")
        router = re.search(r"^router bgp .*", text, re.MULTILINE)
        lines = [
            match[0] if keep else f" no neighbor {match[1]} bfd"
            for match in BFD_LINE.finditer(text)
        ]
        lab.daemons.configure(name, [router[0] if router else "", *lines])

    lab.machines.networks.each(names, configure)


def _wait_until_none(lab: RunningLab, names: list[str]) -> None:
    """Wait until switches have no BFD session."""
    until = time.monotonic() + PATIENCE_S
    while any(lab.daemons.bfd(name) != (0, 0) for name in names) and time.monotonic() < until:
        time.sleep(POLL_S)
