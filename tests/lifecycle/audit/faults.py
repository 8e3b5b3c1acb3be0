"""A cabling with injected faults, the LLDP evidence of its devices, and carried-out moves.

Faults use ports that no other fault uses, so that each is one event. The expected name of a fault
is derived from its injection and from the cables' rails and planes, independent of the audit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from fabricgen.lifecycle.audit.fewest_moves import RepairStep
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

Fault = tuple[str, frozenset[str]]
"""The kind, and the labels of the links that are not as planned."""

IDLE_PORTS = 8
"""Idle ports of a switch that faults may use."""


class AsPlanned:
    """A cabling without faults: what all cablings of a plan read.

    `idle` are ports of switches without a planned cable.
    """

    def __init__(self, plan: Plan) -> None:
        """Give every port its number, and find the idle ones."""
        self.places = PortIndex(plan)
        self.cable: dict[int, CableView] = {}
        self.leaf_rails: dict[str, set[str]] = {}
        views, segments = Views(plan), range(plan.mapping.segments)
        for cable in (cable for segment in segments for cable in views.cables(segment)):
            for end in ((cable.a_device, cable.a_interface), (cable.b_device, cable.b_interface)):
                self.cable[self.places.find(end[0], [end[1]])] = cable
            if cable.tier == LinkKind.HOST:
                self.leaf_rails.setdefault(cable.b_device, set()).add(cable.rail)
        switches = [switch for segment in segments for switch in views.switches(segment)]
        self.switches = [switch.name for switch in switches]
        self.idle = [
            self.places.find(switch.name, [port.interface])
            for switch in switches
            for port in switch.idle_ports[:IDLE_PORTS]
        ]
        self.hosts = sorted(set(self.places.of_device) - set(self.switches))


as_planned = lru_cache(maxsize=1)(AsPlanned)  # many cablings of the same plan are tested in a row


@dataclass
class Cabling:
    """A cabling as it is built. Ports are the numbers of `PortIndex`."""

    plan: Plan
    partner: dict[int, int] = field(default_factory=dict)
    strangers: dict[int, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Build as planned."""
        planned = as_planned(self.plan)
        self.places, self.cable, self.leaf_rails = planned.places, planned.cable, planned.leaf_rails
        self.switches, self.idle, self.hosts = planned.switches, planned.idle, planned.hosts
        for low, high in self.places.links():
            self.plug(low, high)

    def plug(self, one: int, other: int) -> None:
        """Join two free ports by a cable."""
        assert one not in self.partner, "the port is taken"
        assert other not in self.partner, "the port is taken"
        self.partner[one], self.partner[other] = other, one

    def pull(self, one: int) -> int:
        """Remove a cable at both ends, and return the other one."""
        other = self.partner.pop(one)
        del self.partner[other]
        return other

    # Faults.

    def _claim(self, *ports: int) -> bool:
        """Return whether no fault has used these ports or their links, and mark them as used."""
        own = {*ports, *(self.places.peers[port] for port in ports)} - {-1}
        if len(set(ports)) != len(ports) or own & self.touched:
            return False
        self.touched |= own
        return True

    def _done(
        self, kind: str, ports: Iterable[int], crossed: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Record a fault; a cable that joins rails or planes has its own kind."""
        joined = [name for name in (self._crosses(*pair) for pair in crossed) if name]
        name = "rail-crossed" if "rail-crossed" in joined else next(iter(joined), kind)
        self.faults.append((name, frozenset(self.places.labels[port] for port in ports)))

    def _crosses(self, one: int, other: int) -> str:
        """Return what a cable between two ports joins that must stay separate, or nothing."""
        rails, planes = zip(*(self._scope(port) for port in (one, other)), strict=True)
        if all(rails) and not rails[0] & rails[1]:
            return "rail-crossed"
        return "plane-crossed" if not planes[0] & planes[1] else ""

    def _scope(self, port: int) -> tuple[set[str], set[int]]:
        """Return the rails and the planes of a port's cable.

        Without one, or where rails share it, they are those of its device.
        """
        device = self.places.places[port].device
        own = [self.cable[each] for each in self.places.of_device[device] if each in self.cable]
        planes = {cable.plane for cable in ([self.cable[port]] if port in self.cable else own)}
        if device in self.switches and self.plan.mapping.spans_rails:
            return self.leaf_rails.get(device, set()), planes
        rails = {cable.rail for cable in own}
        if port in self.cable:
            return {self.cable[port].rail} - {""}, planes
        return (rails if len(rails) == 1 else set()) - {""}, planes

    def _cage(self, port: int) -> tuple[str, int] | int:
        """Return the cage of a port, or the port itself where its cage is whole."""
        seat = self.places.position(port)
        return (self.places.places[port].device, seat.cage) if seat.ports > 1 else -port - 1

    def swap(self, rng: random.Random) -> None:
        """Swap two cables of one kind in different cages; in one cage that is a reversal."""
        one = rng.randrange(self.places.planned // 2) * 2
        other = rng.choice(
            [low for low, _ in self.places.links() if self.cable[low].tier == self.cable[one].tier]
        )
        apart = all(self._cage(one + side) != self._cage(other + side) for side in (0, 1))
        if apart and self._claim(one, other):
            self.pull(one)
            self.pull(other)
            self.plug(one, other + 1)
            self.plug(other, one + 1)
            self._done("swapped", (one, other), ((one, other + 1), (other, one + 1)))

    def shift(self, rng: random.Random) -> None:
        """Shift a run of cables of a device by one port.

        The cable of the last port is unplugged.
        """
        device = rng.choice(self.switches or self.hosts)
        ports = sorted(
            {
                port
                for port in (*self.places.of_device[device], *self.idle)
                if self.places.places[port].device == device
            },
            key=self._rank,
        )
        first, length = rng.randrange(len(ports)), rng.randint(2, 6)
        run = ports[first : first + length + 1]
        if rng.random() < 0.5:
            run.reverse()
        cables, last = run[:-1], run[-1]
        dense = [abs(self._rank(one) - self._rank(other)) == 1 for one, other in pairwise(run)]
        far = [self.places.peers[port] for port in cables]
        if len(cables) < 2 or not all(dense) or -1 in far or not self._claim(*run):
            return
        for port in run:
            if port in self.partner:
                self.pull(port)
        for port, other in zip(run[1:], far, strict=True):
            self.plug(port, other)
        self._done(
            "shifted", [port for port in run if port != last or self.places.peers[last] >= 0]
        )

    def _rank(self, port: int) -> int:
        return self.places.position(port).rank

    def reverse(self, rng: random.Random) -> None:
        """Reverse the cables of a split cage."""
        start = rng.randrange(self.places.planned)
        device, seat = self.places.places[start].device, self.places.position(start)
        own = self.places.at(device, seat.cage) if seat.ports > 1 else {}
        turned = {
            sub: self.places.find(device, [self._sub(device, seat.cage, seat.ports - 1 - sub)])
            for sub in own
        }
        moved = [sub for sub in own if own[sub] != turned[sub]]
        if len(moved) < 2 or not self._claim(*{*own.values(), *turned.values()}):
            return
        far = {sub: self.pull(own[sub]) for sub in moved}
        for sub in moved:
            self.plug(turned[sub], far[sub])
        self._done("breakout-reversed", [own[sub] for sub in moved])

    def _sub(self, device: str, cage: int, sub: int) -> str:
        """Return the interface at a position of a cage."""
        ports = (
            port
            for port in (*self.places.of_device[device], *self.idle)
            if self.places.places[port].device == device
        )
        return next(
            (
                self.places.places[port].interface
                for port in ports
                if self.places.position(port)[1:3] == (cage, sub)
            ),
            "",
        )

    def exchange(self, rng: random.Random) -> None:
        """Exchange two devices that are cabled alike."""
        devices = self.hosts if rng.random() < 0.5 or not self.switches else self.switches
        one, other = (rng.choice(devices) for _ in range(2))
        port_layouts = [
            {
                self.places.places[port].interface: port
                for port in self.places.of_device[each]
                if port in self.cable
            }
            for each in (one, other)
        ]
        joined = any(
            self.places.places[self.places.peers[port]].device == other
            for port in port_layouts[0].values()
        )
        if (
            len(port_layouts[0]) < 2
            or port_layouts[0].keys() != port_layouts[1].keys()
            or joined
            or not self._claim(*port_layouts[0].values(), *port_layouts[1].values())
        ):
            return
        self.exchange_devices(one, other)
        self._done("exchanged", [*port_layouts[0].values(), *port_layouts[1].values()])

    def exchange_devices(self, one: str, other: str) -> None:
        """Exchange all cables of two devices, port by port."""
        for port in [port for port in self.places.of_device[one] if port in self.cable]:
            mate = self.places.find(other, [self.places.places[port].interface])
            far, mates = self.pull(port), self.pull(mate)
            self.plug(port, mates)
            self.plug(mate, far)

    def lose(self, rng: random.Random) -> None:
        """Remove a cable."""
        port = rng.randrange(self.places.planned)
        if self._claim(port):
            self.pull(port)
            self._done("missing", [port])

    def misplug(self, rng: random.Random) -> None:
        """Plug one end of a cable into an idle port of some switch."""
        if not self.idle:
            return
        port, idle = rng.randrange(self.places.planned), rng.choice(self.idle)
        far = self.places.peers[port]
        if self.places.places[far].device != self.places.places[idle].device and self._claim(
            port, idle
        ):
            self.pull(port)
            self.plug(far, idle)
            self._done("misplugged", [port], [(far, idle)])

    def intrude(self, rng: random.Random) -> None:
        """Plug the cable of a foreign device into a planned port."""
        port = rng.randrange(self.places.planned)
        if self._claim(port):
            self.pull(port)
            self.strangers[port] = f"bmc-{port}"
            self._done("stranger", [port])

    def add(self, rng: random.Random) -> None:
        """Lay a cable between two idle ports."""
        if len(self.idle) > 1:
            one, other = rng.sample(self.idle, 2)
            if self.places.places[one].device != self.places.places[other].device and self._claim(
                one, other
            ):
                self.plug(one, other)
                self._done("extra", [], [(one, other)])

    def break_at_random(self, rng: random.Random, count: int) -> None:
        """Inject a number of faults, or as many as there is room for."""
        kinds = (
            self.swap,
            self.swap,
            self.shift,
            self.reverse,
            self.exchange,
            self.lose,
            self.misplug,
            self.intrude,
            self.add,
        )
        for _ in range(3 * count):
            if len(self.faults) < count:
                rng.choice(kinds)(rng)

    def scramble(self, rng: random.Random, count: int) -> None:
        """Change cables at random, repeatedly on the same ports."""
        ports = [*range(self.places.planned), *self.idle]
        for _ in range(count):
            one, other = rng.sample(ports, 2)
            mates = [
                self.pull(port) if port in self.partner else None
                for port in (one, other)
                if port in self.partner or port in (one, other)
            ]
            free = [
                port
                for port in (one, other, *mates)
                if port is not None and port not in self.partner
            ]
            rng.shuffle(free)
            free = sorted(set(free), key=free.index)
            for low, high in zip(free[::2], free[1::2], strict=False):
                if rng.random() < 0.8:
                    self.plug(low, high)

    # Evidence.

    def evidence(self, rng: random.Random, *, noise: bool = True) -> NeighborRecords:
        """Return the neighbours of every device.

        With noise, one end of some links is silent, names have domains, and other devices answer.
        """
        evidence = NeighborRecords(reporters=set(self.places.of_device))
        for one, other in self.partner.items():
            if not noise or one < other or rng.random() < 0.7:
                evidence.records.append(self._record(rng, one, other, noise=noise))
        for port, name in self.strangers.items():
            evidence.records.append(NeighborRecord(*self.places.places[port][:2], name, ("eth0",)))
        if noise:
            evidence.records += [
                NeighborRecord(device, "mgmt0", f"oob-{number}", ("swp1",))
                for number, device in enumerate(self.switches)
            ]
            beside = rng.sample(sorted(self.partner), min(5, len(self.partner)))
            evidence.records += [
                NeighborRecord(*self.places.places[port][:2], "vm-guest", ("ens3",))
                for port in beside
            ]
        rng.shuffle(evidence.records)
        return evidence

    def _record(self, rng: random.Random, one: int, other: int, *, noise: bool) -> NeighborRecord:
        """Return the neighbor record of a port."""
        near, far = self.places.places[one], self.places.places[other]
        domain = rng.choice(("", ".pod1.example.net")) if noise else ""
        return NeighborRecord(near.device, near.interface, far.device + domain, (far.interface,))

    # Repair.

    def carry_out(self, steps: Iterable[RepairStep], strangers: Iterable[int]) -> None:
        """Carry out steps in order; a port must be free when an end is plugged into it."""
        for port in strangers:
            del self.strangers[port]
        hanging: list[int] = []
        for step in steps:
            if step.source is not None:
                assert self.pull(step.source) == step.kept, "the cable is another one"
            if step.action == "unplug":
                hanging.append(step.kept)
            if step.action == "plug":
                assert hanging.pop() == step.kept, "another cable hangs"
            if step.target is not None:
                assert step.target not in self.strangers, "a foreign cable is in the port"
                self.plug(step.kept, step.target)
        assert not hanging, "a cable is left hanging"

    @property
    def as_planned(self) -> bool:
        """Return whether the cabling is as planned, with nothing else plugged in."""
        return not self.strangers and self.partner == {
            port: peer for port, peer in enumerate(self.places.peers) if peer >= 0
        }

    @property
    def differences(self) -> Counter[str]:
        """Count the cables that are not planned, and the planned links that are missing."""
        wrong = sum(self.places.peers[port] != other for port, other in self.partner.items()) // 2
        gone = sum(self.partner.get(low) != high for low, high in self.places.links())
        return Counter(wrong=wrong, gone=gone)
