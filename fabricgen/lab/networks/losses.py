"""The loss of each switch of the networks of a lab, and who is cut off by it.

Owns the comparison with `impact`. Networks share no switches but those of compute, so one of each
fails at once; a switch of compute fails alone, with the VRFs of all networks on it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from fabricgen.analysis.impact.network_loss import NetworkFailures
from fabricgen.lab.iproute import batch, wait_for_carrier
from fabricgen.lab.measure import Trial
from fabricgen.lab.networks.answers import Question, answered
from fabricgen.lab.networks.devices import configure_device
from fabricgen.lab.networks.verify import first_port, joined, joined_pairs, unmanaged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from fabricgen.lab.networks.layout import NetworkLayout
    from fabricgen.lab.networks.verify import NetworkLab

Ordered = frozenset[tuple[str, str]]
"""Ordered pairs of devices."""


class SwitchLosses:
    """Fails the switches of a lab, and compares who is left with the plan."""

    def __init__(self, own: NetworkLab) -> None:
        """Keep the pairs that the networks join while nothing has failed."""
        self.own = own
        self.planned = NetworkFailures(own.layout.plan)
        self.pairs = {part.name: self._joined(part) for part in own.layout.routed}
        self.findings: list[str] = []
        self.most_cut: dict[str, int] = defaultdict(int)
        self.slowest_s = 0.0

    def run(self) -> Trial:
        """Fail each switch once."""
        layout = self.own.layout
        parts = (*layout.routed, *layout.access)
        own = [[each.name for each in part.switches] for part in parts if not part.compute_boxes]
        rows = [frozenset(name for name in row if name) for row in zip_longest(*own)]
        rows += [self._nodes(name) for name in layout.shared_switches]
        for row in rows:
            self._fail(row)
        _, wrong = self.own.lab.converge()
        self.findings += [f"{name} does not converge when all switches are back" for name in wrong]
        cut = ", ".join(f"{part.name} at most {self.most_cut[part.name]:,}" for part in parts)
        count = sum(map(len, own)) + len(layout.shared_switches)
        figure = (
            f"{count:,} switches; devices cut off: {cut}; "
            f"reconverged in {self.slowest_s:.1f} s at most"
            if parts
            else "no switches"
        )
        return Trial("network-losses", "the loss of a switch", figure, self.findings)

    def _nodes(self, switch: str) -> frozenset[str]:
        """Return the nodes of a switch: itself, or its VRFs."""
        return frozenset(each.name for each in self.own.layout.switches if each.switch == switch)

    def _joined(self, part: NetworkLayout, dead: AbstractSet[str] = frozenset()) -> Ordered:
        """Return the pairs of devices that the living wires of a network join."""
        return frozenset((near.a, far.a) for near, far in joined_pairs(self.own, part, dead))

    def _fail(self, dead: frozenset[str]) -> None:
        """Fail one switch of each network, compare, and repair them."""
        self._set(dead, up=False)
        took, wrong = self.own.lab.converge(dead)
        self.slowest_s = max(self.slowest_s, took)
        names = ", ".join(sorted(dead))
        self.findings += [f"{names}: {name} does not converge" for name in wrong]
        planned = self._planned(dead)
        for part in self.own.layout.routed:
            pairs = frozenset(pair for pair in self.pairs[part.name] if dead.isdisjoint(pair))
            lost = pairs - self._reached(part, dead)
            cut = {name for name, _ in pairs} - {name for name, _ in pairs - lost}
            self._compare(names, part, cut & part.owners.keys(), planned[part.name])
            expected = self._joined(part, dead) if part.apart else pairs
            self.findings += [
                f"{names}: {far} does not answer {near} in {part.name}"
                for near, far in sorted(lost & expected)
                if not {near, far} & planned[part.name]
            ]
        for part in self.own.layout.access:
            self._compare(names, part, self._unmanaged(part, dead), planned[part.name])
        self._set(dead, up=True)

    def _planned(self, dead: AbstractSet[str]) -> dict[str, set[str]]:
        """Return the devices that `impact` has as cut off, by network, each switch alone."""
        found = defaultdict[str, set[str]](set)
        nodes = self.own.layout.switch_nodes
        for name in {nodes[name].switch if name in nodes else name for name in dead}:
            for loss in self.planned.losses([f"switch:{name}"]):
                found[loss.network] |= set(loss.cut_off)
        return found

    def _compare(
        self, names: str, part: NetworkLayout, cut: AbstractSet[str], planned: AbstractSet[str]
    ) -> None:
        """Keep the devices of a network that are cut off in the lab or in the plan alone."""
        booted = planned & set(part.owners.values())
        self.most_cut[part.name] = max(self.most_cut[part.name], len(cut))
        self.findings += [f"{names}: {each} is cut off in {part.name}" for each in cut - booted]
        self.findings += [
            f"{names}: {each} is not cut off in {part.name}, as planned" for each in booted - cut
        ]

    def _reached(self, part: NetworkLayout, dead: AbstractSet[str]) -> Ordered:
        """Return the pairs of devices of which the second answers the first at some address."""
        clos = self.own.lab.clos(dead)
        living = {
            name: [wire for wire in ports if wire.b not in dead]
            for name, ports in part.device_ports.items()
            if name not in dead
        }
        pairs = self.pairs[part.name]
        asked = {
            name: {
                Question(wire.a_address): wire
                for far in living
                if (name, far) in pairs
                for wire in living[far]
            }
            for name in living
        }

        def ask(name: str) -> set[Question]:
            expected = [
                question
                for question, wire in asked[name].items()
                if (own := first_port(part, name, part.block(wire), dead))
                and (back := first_port(part, wire.a, part.block(wire), dead))
                and joined(clos, own.b, wire.b)
                and joined(clos, back.b, own.b)
            ]
            return answered(asked[name], expected)

        found = self.own.lab.machines.networks.each([*asked], ask)
        return frozenset(
            (name, asked[name][question].a)
            for name, got in zip(asked, found, strict=True)
            for question in got
        )

    def _unmanaged(self, part: NetworkLayout, dead: frozenset[str]) -> set[str]:
        """Return the devices of an access network of which no management port answers."""
        lost = unmanaged(self.own, dead)
        living = {device for node, device in part.owners.items() if node not in lost}
        return set(part.owners.values()) - living

    def _set(self, names: AbstractSet[str], *, up: bool) -> None:
        """Bring all ports of switches up or down."""
        machines = self.own.lab.machines

        def lines(name: str) -> Iterator[str]:
            for port in machines.ends[name]:
                yield from machines.up(name, port) if up else (f"link set {port} down",)

        machines.networks.each([*names], lambda name: batch([*lines(name)], name))
        if up:  # an access switch has lost the routes of its uplinks
            again = [name for name in self.own.layout.devices if name in names]
            machines.networks.each(again, partial(configure_device, machines, self.own.layout))
        for part in self.own.layout.routed:
            for name, wires in part.device_ports.items():
                ports = [wire.a_interface for wire in wires if wire.b in names]
                machines.networks.inside(name, partial(wait_for_carrier, ports, up=up))
