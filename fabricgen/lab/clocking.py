"""What a death costs the flows that survive it: packets lost, the longest silence, and the time until all is whole again.

Owns the choice of what dies: one of each kind. That the right pairs survive at all is `breaking`'s to prove.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

from fabricgen.forwarding import Reach, find_failures
from fabricgen.lab.booting import set_kernel
from fabricgen.lab.breaking import Breaker
from fabricgen.lab.probing import Probe
from fabricgen.lab.stopwatch import outage
from fabricgen.lab.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.trials import Bench

FLOWS, PORTS = 64, 8
"""Flows that are watched, and ports of each sender that they are spread over."""

PATIENCE_S = 60.0


def clocked(bench: Bench) -> Iterator[Trial]:
    """Let one of each kind of thing die while packets flow."""
    breaker = Breaker(bench)
    spine = next((name for name in bench.switches if bench.tiers[name] > 1), None)
    if spine is None:
        return
    leaf = next(name for name in bench.switches if bench.tiers[name] == 1)
    cable = next(wire.label for wire in bench.machines.layout.wires if wire.a == leaf and wire.b in bench.tiers)
    for failure in (f"link:{cable}", f"switch:{spine}"):
        yield _clock(bench, f"{failure} dies", [failure], partial(breaker.cut, [failure]), partial(breaker.mend, [failure]))
    yield _clock(bench, f"the daemons of {spine} are killed", [f"switch:{spine}"], lambda: bench.daemons.stop(spine), lambda: bench.daemons.start([spine]))
    if bench.machines.layout.plan.spec.addressing.bfd:
        yield _clock(bench, f"{spine} freezes, with BFD", [f"switch:{spine}"], lambda: _freeze(bench, spine), lambda: _thaw(bench, spine))
        _bfd(bench, on=False)
    yield _clock(bench, f"{spine} freezes, without BFD", [f"switch:{spine}"], lambda: _freeze(bench, spine), lambda: _thaw(bench, spine))
    if bench.machines.layout.plan.spec.addressing.bfd:
        _bfd(bench, on=True)


def _clock(bench: Bench, title: str, failures: list[str], dies: Callable[[], None], lives: Callable[[], None]) -> Trial:
    """Watch the flows that survive while something dies, then mend it."""
    flows = _survivors(bench, failures)
    sockets = bench.sockets(PORTS)
    cost = outage(sockets, flows, dies)
    sockets.close()
    started = time.monotonic()
    lives()
    _, wrong = bench.converge(patience_s=PATIENCE_S)
    back = time.monotonic() - started
    lost = f"{cost.lost:,} of {cost.sent:,} packets of {len(flows)} flows lost, silent for {1000 * cost.longest_s:.0f} ms at most"
    return Trial("clock", title, f"{lost}; whole again {back:.1f} s after the repair", [f"{name} does not come back" for name in wrong])


def _survivors(bench: Bench, failures: list[str]) -> list[Probe]:
    """Return flows that cross spines on the rail where something dies, and that have a direct way left then."""
    plan, names = bench.machines.layout.plan, bench.machines.layout.gpus
    found, reach = find_failures(plan, failures), Reach(plan)
    after = Reach(plan, found)
    units = {unit for unit, _ in found.switches | found.links}
    chosen = [
        (names[one], names[other])
        for one, other in permutations(names, 2)
        if reach.leaf(one) != reach.leaf(other)
        and reach.home(one, 0)[0] in units
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


def _bfd(bench: Bench, *, on: bool) -> None:
    """Switch BFD on or off on every switch; a session that is put down by its own side takes nothing with it."""
    bench.machines.networks.each(bench.switches, lambda name: bench.daemons.tell(name, ["bfd", "profile FABRIC", "no shutdown" if on else "shutdown"]))
