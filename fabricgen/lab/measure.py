"""A running lab and its measurements: tables, wires, kernel routes and packets.

Owns the measurements that trials and failures share. `verify` and `failures` define the expected
results.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property, partial
from ipaddress import ip_address
from itertools import permutations
from typing import TYPE_CHECKING

from fabricgen.lab.boot import set_kernel
from fabricgen.lab.emitted_tables import EmittedTables
from fabricgen.lab.expected_routes import Clos
from fabricgen.lab.iproute import batch
from fabricgen.lab.probes import Probe, Sockets, open_at, send_all
from fabricgen.lab.sightings import Sightings, open_packets
from fabricgen.lab.socket_family import FAMILIES, IPV6, SocketFamily
from fabricgen.lab.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from socket import socket

    from fabricgen.lab.boot import Machines
    from fabricgen.lab.frr import Daemons
    from fabricgen.lab.management.logins import Logins
    from fabricgen.lab.topology import Wire

Routes = dict[str, frozenset[str]]
"""Prefix -> the interfaces of its next hops."""

EXACT_GPUS, SAMPLED_PEERS = 512, 64
"""Up to this many GPUs every ordered pair is tried; above it, every GPU with a fixed sample."""

STUCK_S = 8.0
"""Seconds without progress after which idle sessions are reopened; FRR retries every three."""

CALM_S = 30.0
"""Seconds without a change in any kernel after which none is expected: several openings of idle
sessions, and ten retries of FRR."""

POLL_S, POLLS, ASKED = 0.05, 10, 4
"""Interval of reading unfinished kernels, at least a tenth of the time without a change, and how
many are read at once: each costs the daemons time."""


@dataclass(frozen=True)
class Trial:
    """The result of one trial."""

    code: str
    title: str
    figure: str
    findings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there are no findings."""
        return not self.findings


@dataclass(frozen=True)
class RunningLab:
    """A running lab with its measurements."""

    machines: Machines
    daemons: Daemons
    reopened: list[str] = field(default_factory=list)
    """The ports that were opened a second time, as `switch port`."""
    logins: Logins | None = None
    """The SSH servers of the switches; None without `management`."""

    @cached_property
    def tables(self) -> EmittedTables:
        """The emitted forwarding tables of the lab's hosts and switches."""
        layout = self.machines.layout
        switches = dict.fromkeys(each.switch for each in layout.switches)
        return EmittedTables.read(self.machines.out, layout.hosts, switches)

    @cached_property
    def absent(self) -> frozenset[str]:
        """The cables of the tables that a slice leaves out, which count as failed."""
        booted = {wire.label for wire in self.machines.layout.wires}
        named = (
            hop["cable"]
            for routes in self.tables.instances.values()
            for _, hops in routes.entries()
            for hop in hops
        )
        return frozenset(cable for cable in named if cable not in booted)

    @cached_property
    def switches(self) -> list[str]:
        """The names of the switches."""
        return [switch.name for switch in self.machines.layout.switches]

    @property
    def tiers(self) -> dict[str, int]:
        """The tier of each switch."""
        return self.machines.layout.tiers

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
        return {
            name: {
                f"nic{port['plane']}": port["address"] for port in self.tables.gpus[name]["ports"]
            }
            for name in self.machines.layout.gpus.values()
        }

    @property
    def loopbacks(self) -> dict[str, str]:
        """The loopback of each switch."""
        return self.machines.layout.loopbacks

    @cached_property
    def owner(self) -> dict[str, str]:
        """The GPU or switch of each address in a packet's record."""
        owner = {
            address: gpu for gpu, ports in self.addresses.items() for address in ports.values()
        }
        owner |= {address: switch for switch, address in self.loopbacks.items()}
        return owner | {
            wire.b_address: leaf for leaf, wires in self.host_wires.items() for wire in wires
        }

    def clos(self, dead: Collection[str] = ()) -> Clos:
        """Return the working switches and the wires between them."""
        return Clos(self.tiers, self.machines.layout.wires, dead)

    def expected(self, dead: Collection[str] = ()) -> dict[str, Routes]:
        """Return the routes that every working switch must have despite some failures."""
        clos = self.clos(dead)
        routes: dict[str, Routes] = {name: {} for name in clos.tiers}
        for target in clos.tiers:
            living = [w for w in self.host_wires.get(target, ()) if w.label not in dead]
            behind = [self._prefix(wire) for wire in living]
            routes[target] |= {
                prefix: frozenset({wire.b_interface})
                for prefix, wire in zip(behind, living, strict=True)
                if not wire.numbered
            }
            for switch, ways in clos.ways_to(target).items():
                routes[switch] |= dict.fromkeys([self.loopbacks[target], *behind], ways)
            for switch, ways in clos.ways_from_beyond(target).items():
                routes[switch] |= dict.fromkeys(behind, ways)
        self._add_uplinks(routes, clos)
        return routes

    def _add_uplinks(self, routes: dict[str, Routes], clos: Clos) -> None:
        """Add the prefix of each uplink between two networks, which the leaves at both ends have.

        It is of the upper network; the lower leaf announces it within its own.
        """
        for link in clos.uplink_wires:
            prefix = wire_prefix(link.a_address)
            ways = clos.ways_from_beyond(link.b, link.a) | clos.ways_to(link.b)
            for switch, own in ways.items():
                routes[switch][prefix] = own

    def _prefix(self, wire: Wire) -> str:
        """Return what leaves announce for a host link: its prefix, or the address of the host."""
        own = self.addresses.get(wire.a)
        address = own[wire.a_interface] if own else wire.a_address
        return wire_prefix(address) if wire.numbered else address

    @cached_property
    def fabric_ports(self) -> dict[str, list[str]]:
        """The ports of each switch to other switches."""
        found: dict[str, list[str]] = {name: [] for name in self.switches}
        for wire in self.machines.layout.wires:
            if wire.a in self.tiers and wire.b in self.tiers:
                found[wire.a].append(wire.a_interface)
                found[wire.b].append(wire.b_interface)
        return found

    @cached_property
    def host_sessions(self) -> dict[str, int]:
        """The BGP sessions of each switch with hosts."""
        wires = self.host_wires
        return {
            name: sum(not wire.numbered for wire in wires.get(name, ())) for name in self.switches
        }

    def learnt(self, switches: list[str]) -> dict[str, Routes]:
        """Return the BGP routes in the kernels of some switches."""
        return dict(
            zip(
                switches,
                self.machines.networks.each(switches, lambda _: _kernel_routes(self.family)),
                strict=True,
            )
        )

    def converge(
        self, dead: Collection[str] = (), patience_s: float = 60, switches: list[str] | None = None
    ) -> tuple[float, dict[str, tuple[Routes, Routes]]]:
        """Wait until every kernel has its routes; return the seconds and the differences left.

        A difference has the expected and the learnt routes, by switch.
        """
        wanted = self.expected(dead)
        total, progress, change = Timer(), Timer(), Timer()
        waiting = [name for name in switches or self.switches if name in wanted]
        seen: dict[str, Routes] = {}
        while waiting and total.seconds < patience_s:
            asked, waiting = waiting[:ASKED], waiting[ASKED:]
            now = self.learnt(asked)
            left = [name for name, learnt in now.items() if learnt != wanted[name]]
            waiting += left
            if any(seen.get(name) != learnt for name, learnt in now.items()):
                change.restart()
            seen |= now
            if len(left) < len(now):
                progress.restart()
            elif progress.seconds > STUCK_S:
                self._reopen(waiting, dead)
                progress.restart()
            if change.seconds > CALM_S:
                break
            if left:
                time.sleep(max(POLL_S, change.seconds / POLLS))
        took, now = total.seconds, self.learnt(waiting)
        return took, {
            name: (wanted[name], learnt) for name, learnt in now.items() if learnt != wanted[name]
        }

    def _reopen(self, switches: list[str], dead: Collection[str]) -> None:
        """Reopen the ports with an idle session, each link from one of its ends.

        bgpd 8.4.4 forgets a neighbour for good if its packets arrive before the port is reported
        up, which happens on a busy machine. Where both ends are idle, the second would interrupt
        what the first has begun, and on a busy machine neither would come up.
        """
        idle: dict[str, tuple[str, str]] = {}
        for name in switches:
            for port, state in self.daemons.states(name).items():
                wire = self.machines.ends[name][port].wire
                if state == "Idle" and not {wire.label, wire.a, wire.b} & set(dead):
                    idle.setdefault(wire.label, (name, port))
        for name, port in idle.values():
            lines = [f"link set {port} down", *self.machines.up(name, port)]
            self.machines.networks.inside(name, partial(batch, lines, name))
            self.reopened.append(f"{name} {port}")

    def sockets(self, flows: int = 1, *, paths: bool = False) -> Sockets:
        """Open the sockets of every GPU; with `paths`, those that the paths of IPv6 need too."""
        made: dict[tuple[str, int], socket] = {}
        for gpu, ports in self.addresses.items():
            opened = partial(_open_all, ports.values(), flows)
            made |= self.machines.networks.inside(gpu, opened)
        return Sockets(made, self._sightings() if paths and self.family is IPV6 else None)

    def _sightings(self) -> Sightings:
        """Open a socket for copies of packets at every switch and GPU."""
        nodes = self.loopbacks | {
            gpu: next(iter(own.values())) for gpu, own in self.addresses.items()
        }
        inside = self.machines.networks.inside
        return Sightings({address: inside(name, open_packets) for name, address in nodes.items()})

    @property
    def family(self) -> SocketFamily:
        """The family of all addresses."""
        return FAMILIES[self.machines.layout.family]

    def deliver(
        self, probes: Collection[Probe], wanted: Collection[Probe], flows: int = 1
    ) -> tuple[dict[Probe, list[str]], int]:
        """Send probes; return the records of those that arrived, and how many were resent."""
        sockets = self.sockets(flows, paths=True)
        found = send_all(sockets, probes, wanted)
        lost = [probe for probe in wanted if probe not in found]
        found |= send_all(sockets, lost, lost)
        sockets.close()
        return found, len(lost)

    def forwarding(self, *, on: bool) -> None:
        """Enable or disable forwarding between GPUs."""
        self.machines.networks.each(
            list(self.addresses), lambda _: set_kernel(self.family.forwarding, str(int(on)))
        )


def _open_all(addresses: Iterable[str], flows: int) -> dict[tuple[str, int], socket]:
    """Open the sockets of one GPU, in whose namespace the thread is."""
    return {
        (address, flow): open_at(address, flow) for address in addresses for flow in range(flows)
    }


def wire_prefix(address: str) -> str:
    """Return the /31 or /127 of a NIC port's address, its odd half.

    >>> wire_prefix("10.0.0.9"), wire_prefix("2001:db8::3")
    ('10.0.0.8/31', '2001:db8::2/127')
    """
    parsed = ip_address(address)
    return f"{parsed - 1}/{parsed.max_prefixlen - 1}"


def _kernel_routes(family: SocketFamily) -> Routes:
    """Return the BGP routes of this thread's namespace."""
    version = "-6" if family is IPV6 else "-4"
    listed = json.loads(
        subprocess.run(  # noqa: S603 - our own words
            ["ip", "-j", version, "route", "show", "proto", "bgp"],  # noqa: S607 - found as the user's shell finds it
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        or "[]"
    )
    return {
        route["dst"]: frozenset(
            hop["dev"]
            for hop in route.get("nexthops") or [route]
            if "linkdown" not in hop.get("flags", ())
        )
        for route in listed
    }


def pairs(lab: RunningLab) -> Iterator[tuple[str, str]]:
    """Yield the ordered pairs of GPUs to try: all, or a sample where there are too many."""
    gpus = list(lab.addresses)
    if len(gpus) <= EXACT_GPUS:
        yield from permutations(gpus, 2)
        return
    drawn = random.Random(0)  # noqa: S311 - the same sample everywhere, and no secret
    for source in gpus:
        yield from (
            (source, target)
            for target in drawn.sample(gpus, SAMPLED_PEERS + 1)[:SAMPLED_PEERS]
            if target != source
        )


def probes(
    lab: RunningLab, chosen: Iterable[tuple[str, str]], flows: int = 1
) -> dict[Probe, tuple[str, str, str]]:
    """Return a probe for each pair, plane and flow, with the pair and the target's interface."""
    addresses = lab.addresses
    return {
        Probe(addresses[source][interface], addresses[target][interface], flow): (
            source,
            target,
            interface,
        )
        for source, target in chosen
        for interface in addresses[source]
        for flow in range(flows)
    }
