"""The trials of a lab of networks: who answers whom, and that the networks stay apart."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from ipaddress import IPv4Network
from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.iproute import batch
from fabricgen.lab.measure import Trial
from fabricgen.lab.networks.access import AccessNetworks
from fabricgen.lab.networks.answers import Question, answered
from fabricgen.lab.networks.layout import ClusterLayout, address_space
from fabricgen.lab.topology import ROUTER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from fabricgen.lab.expected_routes import Clos
    from fabricgen.lab.measure import RunningLab
    from fabricgen.lab.networks.layout import NetworkLayout
    from fabricgen.lab.topology import LabLayout, Wire


class NetworkLab(NamedTuple):
    """A running lab of networks."""

    lab: RunningLab
    layout: ClusterLayout
    access: AccessNetworks


def network_lab(lab: RunningLab) -> NetworkLab | None:
    """Return a running lab as one of networks; None where it is of compute alone."""
    layout = lab.machines.layout
    if not isinstance(layout, ClusterLayout):
        return None
    return NetworkLab(lab, layout, AccessNetworks(lab.machines, layout))


def reachable(own: NetworkLab) -> Trial:
    """Verify that in each network every port of a device reaches all ports of the others."""
    findings, figures = list[str](), []
    for part in own.layout.routed:
        pairs = [*joined_pairs(own, part)]
        faults = [*_unanswered(own, pairs)]
        findings += [f"{part.name}: {fault}" for fault in faults]
        figures.append(f"{part.name} {len(pairs) - len(faults):,} of {len(pairs):,} pairs")
    return Trial("networks", "ports answer each other", ", ".join(figures), findings)


def joined_pairs(
    own: NetworkLab, part: NetworkLayout, dead: Collection[str] = ()
) -> Iterator[tuple[Wire, Wire]]:
    """Yield the pairs of ports of different devices of which the second can answer the first.

    A device answers by its first port in the block of the other, whatever port was asked.
    """
    clos = own.lab.clos(dead)
    for near, far in part.pairs:
        block = part.block(near)
        back = first_port(part, far.a, block, dead)
        if (
            block == part.block(far)
            and back
            and joined(clos, near.b, far.b)
            and joined(clos, back.b, near.b)
        ):
            yield near, far


def first_port(
    part: NetworkLayout, device: str, block: tuple[int, int], dead: Collection[str] = ()
) -> Wire | None:
    """Return the first port of a device in a block, on a switch that has not failed."""
    ports = part.device_ports[device]
    return next((each for each in ports if part.block(each) == block and each.b not in dead), None)


def joined(clos: Clos, leaf: str, other: str) -> bool:
    """Return whether a living leaf has a route to another living one."""
    if leaf == other:
        return leaf in clos.tiers
    return other in clos.tiers and leaf in clos.ways_to(other)


def _unanswered(own: NetworkLab, pairs: list[tuple[Wire, Wire]]) -> Iterator[str]:
    """Yield the pairs of ports of which the second does not answer the first."""
    asked: dict[str, dict[Question, Wire]] = {}
    for near, far in pairs:
        asked.setdefault(near.a, {})[Question(far.a_address, near.a_interface)] = far
    networks = own.lab.machines.networks
    found = networks.each([*asked], lambda name: answered(asked[name], asked[name]))
    for (name, questions), got in zip(asked.items(), found, strict=True):
        for question, far in questions.items():
            if question not in got:
                yield f"{far.a} {far.a_interface} does not answer {name} {question.interface}"


def uplinked(own: NetworkLab) -> Trial:
    """Verify that devices of two networks reach each other over the uplinks between them.

    They still do after the loss of the first uplink from each network.
    """
    pairs, layout = [*_pairs_beyond(own)], own.layout
    findings = [*_unanswered(own, pairs)]
    below = ([wire for wire in layout.uplinks if wire.a in part.tiers] for part in layout.routed)
    for wire in (wires[0] for wires in below if wires):
        findings += [f"without {wire.label}: {each}" for each in _without(own, wire, pairs)]
    figure = f"{len(pairs):,} pairs over {len(layout.uplinks):,} uplinks, and without the first"
    return Trial("network-uplinks", "devices of two networks answer", figure, findings)


def _pairs_beyond(own: NetworkLab) -> Iterator[tuple[Wire, Wire]]:
    """Yield the pairs of ports of devices that have uplinks alone between them."""
    layout = own.layout
    for part in layout.routed:
        for name, ports in part.device_ports.items():
            for far in layout.beyond(part, name):
                for device, others in far.device_ports.items():
                    if part in layout.beyond(far, device):
                        yield from product(ports, others)


def _without(own: NetworkLab, wire: Wire, pairs: list[tuple[Wire, Wire]]) -> Iterator[str]:
    """Yield what does not answer while an uplink has failed."""
    machines = own.lab.machines
    set_port = machines.networks.inside
    set_port(wire.a, partial(batch, [f"link set {wire.a_interface} down"], wire.a))
    _, wrong = own.lab.converge([wire.label])
    yield from (f"{name} does not converge" for name in wrong)
    yield from _unanswered(own, pairs)
    set_port(wire.a, partial(batch, machines.up(wire.a, wire.a_interface), wire.a))
    own.lab.converge()


def paired(own: NetworkLab) -> Trial:
    """Verify that the two devices of each pair answer each other over every cable of theirs."""
    wires = own.layout.peers
    asked: dict[str, dict[Question, str]] = {}
    for wire in wires:
        asked.setdefault(wire.a, {})[Question(wire.b_address, wire.a_interface)] = wire.b
        asked.setdefault(wire.b, {})[Question(wire.a_address, wire.b_interface)] = wire.a
    each = own.lab.machines.networks.each
    found = each([*asked], lambda name: answered(asked[name], asked[name]))
    findings = [
        f"{far} does not answer {name} over {question.interface}"
        for (name, questions), got in zip(asked.items(), found, strict=True)
        for question, far in questions.items()
        if question not in got
    ]
    figure = f"{2 * len(wires) - len(findings):,} of {2 * len(wires):,} ends of cables"
    return Trial("peers", "paired devices answer", figure, findings)


def managed(own: NetworkLab) -> Trial:
    """Verify that every management port answers over the bridges of the access switches."""
    lost = unmanaged(own)
    ports = own.access.ports
    findings = [
        f"{port.node} {port.interface} does not answer at {port.address} behind {port.switch}"
        for port in ports
        if port.node in lost
    ]
    switches = [each for each in own.layout.access_switches if each.address]
    findings += [f"{name} does not answer at {at}" for name, at in switches if name in lost]
    every = len(ports) + len(switches)
    figure = f"{every - len(findings):,} of {every:,} ports and access switches"
    return Trial("managed-ports", "management ports answer", figure, findings)


def unmanaged(own: NetworkLab, dead: frozenset[str] = frozenset()) -> set[str]:
    """Return the nodes and access switches that do not answer; those of `dead` are expected to."""
    asked = {Question(port.address): port.node for port in own.access.ports}
    asked |= {Question(each.address): each.name for each in own.layout.access_switches if each[1]}
    behind = {Question(port.address) for port in own.access.ports if port.switch in dead}
    expected = [each for each, name in asked.items() if each not in behind and name not in dead]
    found = own.lab.machines.networks.inside(ROUTER, partial(answered, [*asked], expected))
    return {name for question, name in asked.items() if question not in found}


def apart(own: NetworkLab) -> Trial:
    """Verify that no switch routes to another network.

    For packets, a device of each leaf gets routes to the other networks by that leaf.
    """
    findings = [*_foreign_routes(own), *_crossings(own)]
    parts = [part for part in own.layout.parts if part.switches]
    leaves = sum(1 for part in parts for _ in _first_ports(own, part))
    figure = f"{len(own.layout.switches):,} tables, and packets from {leaves:,} leaves"
    return Trial("networks-apart", "networks apart", figure, findings)


def _foreign_routes(own: NetworkLab) -> Iterator[str]:
    """Yield the routes of switches to the addresses of another network."""
    for part in own.layout.parts:
        others = _foreign(own, part)
        names = [switch.name for switch in part.switches]
        listed = own.lab.machines.networks.each(names, lambda _: _routes())
        for name, routes in zip(names, listed, strict=True):
            for route in routes:
                if any(route.overlaps(space) for space in others):
                    yield f"{name}: has the route {route}"


def _foreign(own: NetworkLab, part: LabLayout) -> list[IPv4Network]:
    """Return the addresses that no switch of a network has a route to.

    Of a network that uplinks join with it, they are those of switches alone.
    """
    others = [each for each in own.layout.parts if each is not part]
    spaces = ((address_space(each), part.joins(each)) for each in others)
    return [*chain.from_iterable(own[1:] if joins else own for own, joins in spaces)]


def _routes() -> list[IPv4Network]:
    """Return the destinations of the IPv4 routes of this thread's namespace."""
    command = ["ip", "-j", "-4", "route", "show"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    shown = (route["dst"] for route in json.loads(done.stdout or "[]"))
    return [IPv4Network("0.0.0.0/0" if dst == "default" else dst) for dst in shown]


def _first_ports(own: NetworkLab, part: LabLayout) -> Iterator[Wire]:
    """Yield a cable to a host or device at each leaf."""
    leaves = set[str]()
    for wire in part.wires:
        if wire.numbered and wire.b not in leaves and wire.a not in own.layout.tiers:
            leaves.add(wire.b)
            yield wire


def _crossings(own: NetworkLab) -> Iterator[str]:
    """Yield the packets that reach a device of another network over a leaf."""
    inside = own.lab.machines.networks.inside
    parts = [part for part in own.layout.parts if part.switches]
    for part in parts:
        for port in _first_ports(own, part):
            targets = [
                wire.a_address
                for other in parts
                if other is not part and not part.joins(other)
                for wire in other.wires
                if wire.numbered and wire.a != port.a
            ]
            some = targets[:: max(1, len(targets) // TARGETS)]
            for address in inside(port.a, partial(_reached, port, some)):
                yield f"{port.a}: {address} of another network answers by {port.b}"


TARGETS = 16
"""Addresses of other networks that are tried at each leaf."""


def _reached(port: Wire, targets: list[str]) -> list[str]:
    """Return the targets that answer by a leaf, in the namespace of a device on it."""
    routes = [f"{target}/32 via {port.b_address} dev {port.a_interface}" for target in targets]
    batch([f"route add {route}" for route in routes], port.a)
    try:
        found = answered([Question(target, port.a_interface) for target in targets], ())
    finally:
        batch([f"route del {route}" for route in routes], port.a)
    return [question.target for question in found]


def trials(own: NetworkLab) -> list[Callable[[NetworkLab], Trial]]:
    """Return the trials of the networks that are booted, in the order in which they run."""
    layout = own.layout
    return [
        *([reachable] if layout.routed else []),
        *([uplinked] if layout.uplinks else []),
        *([paired] if layout.peers else []),
        *([managed] if layout.access else []),
        *([apart] if layout.switches else []),
    ]
