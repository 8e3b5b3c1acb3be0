"""What a running lab must show, each with a figure: sessions, the kernels' routes, the exact path of every pair, rails apart, an even spread.

Owns the judgement. The kernel's own tables are the judge of ECMP, not a daemon's word, and a packet's own record is the judge of paths.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import permutations
from math import sqrt
from typing import TYPE_CHECKING

from fabricgen.lab.booting import set_kernel
from fabricgen.lab.expecting import Clos
from fabricgen.lab.probing import Probe, Sockets, open_at, send_all
from fabricgen.lab.walking import Tables, Walker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from socket import socket

    from fabricgen.lab.booting import Machines
    from fabricgen.lab.daemons import Daemons
    from fabricgen.lab.layout import Wire

Routes = dict[str, frozenset[str]]
"""By prefix: the interfaces of its next hops."""

EXACT_GPUS = 512
"""Up to so many GPUs the path of every ordered pair is proven; above it, that of every GPU with a spread of others."""

SAMPLED_PEERS = 64
FLOWS, SIGMAS = 4, 6
"""Flows of each pair whose spread is counted, and how far chance may carry a count from its mean."""

SHOWN = 5
"""Findings of a trial that are printed."""

POLL_S = 0.1


@dataclass(frozen=True)
class Trial:
    """The outcome of one trial."""

    code: str
    title: str
    figure: str
    findings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True)
class Bench:
    """A running lab and what it is judged by."""

    machines: Machines
    daemons: Daemons

    @cached_property
    def tables(self) -> Tables:
        """The emitted forwarding tables."""
        return Tables.read(self.machines.out)

    @cached_property
    def switches(self) -> list[str]:
        """The names of the switches."""
        return [seat.name for seat in self.machines.layout.switches]

    @cached_property
    def tiers(self) -> dict[str, int]:
        """The tier of each switch."""
        boxes = self.machines.layout.plan.naming.boxes
        return {seat.name: boxes[seat.box].role.tier for seat in self.machines.layout.switches}

    @cached_property
    def host_wires(self) -> dict[str, list[Wire]]:
        """The host cables at each leaf."""
        found: dict[str, list[Wire]] = defaultdict(list)
        for wire in self.machines.layout.wires:
            if wire.label and wire.a not in self.tiers:
                found[wire.b].append(wire)
        return found

    @cached_property
    def addresses(self) -> dict[str, dict[str, str]]:
        """The addresses of each GPU, by interface."""
        gpus = self.tables.gpus
        return {name: {f"nic{port['plane']}": port["address"] for port in gpus[name]["ports"]} for name in self.machines.layout.gpus.values()}

    @cached_property
    def loopbacks(self) -> dict[str, str]:
        """The loopback of each switch."""
        layout = self.machines.layout
        plan = layout.plan
        from fabricgen.addressing import dotted  # noqa: PLC0415

        return {seat.name: dotted(plan.addresses.loopback(seat.unit, 0, plan.naming.boxes[seat.box])) for seat in layout.switches}

    def expected(self, dead: Collection[str] = ()) -> dict[str, Routes]:
        """Return what every living switch must have learnt, with some cables and switches dead."""
        clos = Clos(self.tiers, self.machines.layout.wires, dead)
        routes: dict[str, Routes] = {name: {} for name in clos.tiers}
        for target in clos.tiers:
            behind = [f"{wire_prefix(self.addresses[wire.a][wire.a_interface])}" for wire in self.host_wires.get(target, ()) if wire.label not in dead]
            for switch, ways in clos.ways_to(target).items():
                routes[switch] |= dict.fromkeys([self.loopbacks[target], *behind], ways)
        return routes

    def learnt(self, switches: list[str]) -> dict[str, Routes]:
        """Read what the kernels of some switches have learnt from BGP."""
        return dict(zip(switches, self.machines.networks.each(switches, lambda _: _kernel_routes()), strict=True))

    def converge(self, dead: Collection[str] = (), patience_s: float = 60, switches: list[str] | None = None) -> tuple[float, dict[str, tuple[Routes, Routes]]]:
        """Wait until every kernel has what it must; return the seconds it took, and what is still wrong then: expected and learnt, by switch."""
        wanted, started = self.expected(dead), time.monotonic()
        waiting = [name for name in switches or self.switches if name in wanted]
        while True:
            now = self.learnt(waiting)
            waiting = [name for name in waiting if now[name] != wanted[name]]
            took = time.monotonic() - started
            if not waiting or took > patience_s:
                return took, {name: (wanted[name], now[name]) for name in waiting}
            time.sleep(POLL_S)

    def sockets(self, flows: int = 1) -> Sockets:
        """Open the sockets of every GPU."""
        made: dict[tuple[str, int], socket] = {}
        for gpu, ports in self.addresses.items():
            opened = partial(_open_all, ports.values(), flows)
            made |= self.machines.networks.inside(gpu, opened)
        return Sockets(made)

    def forwarding(self, *, on: bool) -> None:
        """Let GPUs forward for each other, or not."""
        self.machines.networks.each(list(self.addresses), lambda _: set_kernel("net.ipv4.ip_forward", str(int(on))))


def _open_all(addresses: Iterable[str], flows: int) -> dict[tuple[str, int], socket]:
    """Open the sockets of one GPU; the thread is in its namespace."""
    return {(address, flow): open_at(address, flow) for address in addresses for flow in range(flows)}


def wire_prefix(address: str) -> str:
    """Return the /31 that a NIC port's address is the odd half of.

    >>> wire_prefix("10.0.0.9")
    '10.0.0.8/31'
    """
    head, _, last = address.rpartition(".")
    return f"{head}.{int(last) - 1}/31"


def _kernel_routes() -> Routes:
    """Read the BGP routes of the namespace that the thread is in."""
    listed = json.loads(subprocess.run(["ip", "-j", "-4", "route", "show", "proto", "bgp"], capture_output=True, text=True, check=True).stdout or "[]")  # noqa: S607 - found as the user's shell finds it
    return {route["dst"]: frozenset(hop["dev"] for hop in route.get("nexthops") or [route] if "linkdown" not in hop.get("flags", ())) for route in listed}


def sessions(bench: Bench) -> Trial:
    """Every BGP session between switches is up."""
    wanted = Counter(name for wire in bench.machines.layout.wires if wire.a in bench.tiers and wire.b in bench.tiers for name in (wire.a, wire.b))
    counted = dict(zip(bench.switches, bench.machines.networks.each(bench.switches, bench.daemons.sessions), strict=True))
    findings = [f"{name}: {counted[name][0]} of {wanted[name]} sessions are up" for name in bench.switches if counted[name][0] != wanted[name]]
    return Trial("sessions", "BGP sessions up", f"{sum(up for up, _ in counted.values()) // 2:,} of {wanted.total() // 2:,}", findings)


def routes(bench: Bench) -> Trial:
    """Every kernel has every prefix of its rail with every equal next hop, and no other."""
    wanted, learnt = bench.expected(), bench.learnt(bench.switches)
    findings = [text for name in bench.switches for text in differences(name, wanted[name], learnt[name])]
    hops = sum(len(ways) for each in wanted.values() for ways in each.values())
    widest = max((len(ways) for each in wanted.values() for ways in each.values()), default=0)
    return Trial("routes", "kernel routes", f"{sum(map(len, wanted.values())):,} prefixes, {hops:,} next hops, up to {widest} wide", findings)


def differences(name: str, wanted: Routes, learnt: Routes) -> Iterator[str]:
    """Say where a kernel's routes differ from what they must be."""
    for prefix in sorted(wanted.keys() | learnt.keys()):
        if wanted.get(prefix) != learnt.get(prefix):
            have, want = (", ".join(sorted(each.get(prefix, ()))) or "nothing" for each in (learnt, wanted))
            yield f"{name}: {prefix} leads to {have}, and must to {want}"


def pairs(bench: Bench) -> Iterator[tuple[str, str]]:
    """Yield the ordered pairs of GPUs that are tried: all of them, or an even sample where there are too many."""
    gpus = list(bench.addresses)
    if len(gpus) <= EXACT_GPUS:
        yield from permutations(gpus, 2)
        return
    step = max(1, len(gpus) // SAMPLED_PEERS)
    for index, source in enumerate(gpus):
        yield from ((source, gpus[(index + offset) % len(gpus)]) for offset in range(1, len(gpus), step))


def probes(bench: Bench, chosen: Iterable[tuple[str, str]], flows: int = 1) -> dict[Probe, tuple[str, str, str]]:
    """Return a probe for each pair, plane and flow, with the pair and the interface that its target is cabled by."""
    addresses = bench.addresses
    return {
        Probe(addresses[source][interface], addresses[target][interface], flow): (source, target, interface)
        for source, target in chosen
        for interface in addresses[source]
        for flow in range(flows)
    }


def paths(bench: Bench) -> Trial:
    """Every pair's packet takes exactly a path that the emitted tables name, relay included."""
    asked = probes(bench, pairs(bench))
    sockets = bench.sockets()
    found = send_all(sockets, asked)
    sockets.close()
    judge = PathJudge(bench)
    findings = [text for probe, pair in asked.items() if (text := judge.fault(pair, found.get(probe)))]
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(judge.kinds.items()))
    exact = "every pair" if len(bench.addresses) <= EXACT_GPUS else f"{SAMPLED_PEERS} peers of every GPU"
    return Trial("paths", "paths as the tables name them", f"{len(found):,} of {len(asked):,} packets ({exact}): {kinds}", findings)


class PathJudge:
    """Compares the routers that a packet met with the tables."""

    def __init__(self, bench: Bench) -> None:
        """Learn whose address is whose."""
        self.bench, self.kinds = bench, Counter[str]()
        self.owner = {address: gpu for gpu, ports in bench.addresses.items() for address in ports.values()}
        self.owner |= {address: switch for switch, address in bench.loopbacks.items()}
        for leaf, wires in bench.host_wires.items():
            self.owner |= {wire_prefix(bench.addresses[wire.a][wire.a_interface]).removesuffix("/31"): leaf for wire in wires}
        self.walker = Walker(bench.tables)

    def fault(self, pair: tuple[str, str, str], record: list[str] | None) -> str | None:
        """Say what is wrong with a packet's record, or nothing."""
        source, target, interface = pair
        if record is None:
            return f"{source} to {target}: no packet arrived"
        met = [self.owner.get(address, address) for address in record]
        met = [name for at, name in enumerate(met) if at == 0 or met[at - 1] != name]
        wanted = self._gpus(source, target)
        if [name for name in met if name in self.bench.addresses] != wanted:
            return f"{source} to {target}: met {' '.join(met)}, and the tables name {' '.join(wanted)}"
        across = [name for name in met if name not in self.bench.addresses]
        self.kinds["in-domain" if not across else "direct" if len(wanted) == 2 else "relayed"] += 1  # noqa: PLR2004 - both ends and no relay
        return None if not across else self._across(wanted[-2], target, interface, across)

    def _gpus(self, source: str, target: str) -> list[str]:
        """Return the GPUs on the way, both ends included."""
        crossing = self.walker.walk(source, target)
        return list(dict.fromkeys([source, *(gpu for each in crossing or () for gpu in each), target]))

    def _across(self, leaving: str, target: str, interface: str, met: list[str]) -> str | None:
        """Follow the switches that were met through the tables."""
        tables, plane = self.bench.tables, interface.removeprefix("nic")
        port = next(port for port in tables.gpus[leaving]["ports"] if str(port["plane"]) == plane)
        address = next(number for number, other in tables.landed[target] if str(other["plane"]) == plane)
        at, entered = port["peer"], port["peer_interface"]
        for index, name in enumerate(met):
            if name != at:
                return f"{leaving} to {target}: met {' '.join(met)}, and the tables name {at} in place {index + 1}"
            hops: list[dict[str, str]] = next(iter(tables.instances[tables.at[at, entered]].find(address)), [])
            following = met[index + 1] if index + 1 < len(met) else None
            hop = next((hop for hop in hops if following in (None, hop["peer"])), None)
            if hop is None:
                return f"{leaving} to {target}: {at} sent to {following}, which its table does not name"
            at, entered = hop["peer"], hop["peer_interface"]
        return None


def isolation(bench: Bench) -> Trial:
    """With forwarding inside HB domains off, exactly the pairs of one rail or one domain reach each other."""
    asked = probes(bench, pairs(bench))
    bench.forwarding(on=False)
    try:
        sockets = bench.sockets()
        found = send_all(sockets, asked)
        sockets.close()
    finally:
        bench.forwarding(on=True)
    gpus, spans = bench.tables.gpus, bench.machines.layout.plan.mapping.spans_rails
    findings, allowed = [], 0
    for probe, (source, target, _) in asked.items():
        near = spans or gpus[source]["rail"] == gpus[target]["rail"] or gpus[source]["domain"] == gpus[target]["domain"]
        allowed += near
        if near != (probe in found):
            findings.append(f"{source} to {target}: {'does not arrive' if near else 'arrives across rails without a relay'}")
    return Trial("isolation", "rails apart without relays", f"{len(found):,} of {len(asked):,} packets arrive, {allowed:,} may", findings)


def spread(bench: Bench) -> Trial:
    """Flows of all pairs spread over the spines as the wires do."""
    if max(bench.tiers.values()) == 1:
        return Trial("spread", "flows spread over uplinks", "one tier has no uplinks")
    asked = probes(bench, pairs(bench), FLOWS)
    sockets = bench.sockets(FLOWS)
    found = send_all(sockets, asked)
    sockets.close()
    owner = {address: switch for switch, address in bench.loopbacks.items()}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in found.values():
        met = [owner[address] for address in record if address in owner]
        if len(met) > 1:
            counts[met[0]][met[1]] += 1
    findings, worst = [], 0.0
    links = Counter((wire.a, wire.b) for wire in bench.machines.layout.wires if wire.a in bench.tiers)
    for leaf, by_spine in counts.items():
        ups = {upper: count for (lower, upper), count in links.items() if lower == leaf}
        for upper, count in ups.items():
            share = count / sum(ups.values())
            mean = by_spine.total() * share
            off = abs(by_spine[upper] - mean) / max(sqrt(mean * (1 - share)), 1)
            worst = max(worst, off)
            if off > SIGMAS:
                findings.append(f"{leaf}: {by_spine[upper]} of {by_spine.total()} flows take {upper}, and {mean:.0f} should")
    return Trial("spread", "flows spread over uplinks", f"{sum(each.total() for each in counts.values()):,} flows, {worst:.1f} sigma off at most", findings)


TRIALS: tuple[Callable[[Bench], Trial], ...] = (sessions, routes, paths, isolation, spread)
"""In the order in which they are run."""
