"""What failures take from the networks beside the compute fabric: who is cut off from which.

Owns `NetworkLoss`. A device is cut off where no living cable joins it to the larger part of its
network. The switches of an access network are joined by the network of their uplinks, or without
one by the site.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.connectivity import pieces
from fabricgen.analysis.forwarding.failures import devices_in_rack, find_failures, own_devices
from fabricgen.core.document import Document
from fabricgen.core.terms import COMPUTE, UPLINKS, LinkKind
from fabricgen.views.cables.view import link_label
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from fabricgen.planning.plan import Plan

RACK = "rack:"
"""What precedes the name of a failed rack."""

SITE = "the site"
"""What joins access switches without an uplink, and the leaves of compute below devices."""


@dataclass(frozen=True, kw_only=True)
class NetworkLoss(Document):
    """What a network loses: an entry of `networks` of `impact --json`."""

    network: str
    devices: int
    """The devices on the network, without those that failed."""
    cut_off: list[str]
    """Devices that reach nothing on the network any more."""
    degraded: int
    """Devices that lose a cable and are not cut off."""


class _Joined(NamedTuple):
    """A cable of a network: a device or a switch below, and a switch above.

    Cables of one link fail together, so `link` is what their labels have in common.
    """

    link: str
    lower: str
    upper: str
    attached: bool
    label: str = ""


class NetworkFailures:
    """The networks of one plan, and which failed parts are theirs."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; cables are read when a network is asked for."""
        self._plan = plan

    def split(self, names: Sequence[str]) -> tuple[list[str], tuple[NetworkLoss, ...] | None]:
        """Return those failed parts that are of compute, and what each network loses.

        None instead of losses where no part is of a network.
        """
        compute = [name for name in names if not self.has(name)]
        shared = any(not self._own.isdisjoint(self._dead(name)) for name in compute)
        beside = shared or len(compute) < len(names)
        return compute, tuple(self.losses(names)) if beside else None

    def has(self, name: str) -> bool:
        """Return whether a failed part is of a network and not of compute.

        A rack is where no host and no switch of compute is in it. Raises Refusal `unknown-failure`
        for a rack that the room does not have.
        """
        if name.startswith(RACK):
            return not find_failures(self._plan, [name])
        return name in self._parts

    def losses(self, names: Sequence[str]) -> list[NetworkLoss]:
        """Return what each network loses that has one of these parts, or loses a device by it."""
        dead = set(chain.from_iterable(map(self._dead, names)))
        found = {network: self._loss(network, dead) for network in self._plan.networks}
        return [
            loss
            for network, loss in found.items()
            if loss.cut_off or loss.degraded or self._has(network, dead)
        ]

    def _dead(self, name: str) -> list[str]:
        """Return the devices and links that fail with a part: all devices of a rack."""
        if name.startswith(RACK) and self._plan.lengths:
            room = self._plan.lengths.room
            return [*map(room.device, devices_in_rack(self._plan, name.removeprefix(RACK)))]
        return [self._parts.get(name, name.partition(":")[2])]

    @cached_property
    def _own(self) -> frozenset[str]:
        """The devices and switches whose failure concerns a network beside that of a host."""
        devices = chain.from_iterable(map(own_devices, self._plan.networks.values()))
        return self._switches | self._shared | frozenset(devices)

    def _has(self, network: str, dead: AbstractSet[str]) -> bool:
        """Return whether a failed part is a switch, a device or a cable of a network."""
        plan = self._plan.networks[network]
        own = (plan.naming.switches(0), own_devices(plan))
        if not all(map(dead.isdisjoint, own)):
            return True
        return not dead.isdisjoint(cable.link for cable in self._cables[network])

    @cached_property
    def _parts(self) -> dict[str, str]:
        """The switch, the device or the link that each name of a failed part selects."""
        devices = chain.from_iterable(map(own_devices, self._plan.networks.values()))
        return (
            {f"switch:{switch}": switch for switch in self._switches}
            | {f"device:{device}": device for device in devices}
            | {
                f"link:{label}": cable.link
                for cable in chain.from_iterable(self._cables.values())
                for label in (cable.link, cable.label)
            }
        )

    @cached_property
    def _switches(self) -> frozenset[str]:
        """The switches of all networks."""
        plans = self._plan.networks.values()
        return frozenset(name for plan in plans for name in plan.switches())

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The leaves of compute that have devices on them."""
        return frozenset(self._plan.converged_leaves().values())

    @cached_property
    def _cables(self) -> dict[str, list[_Joined]]:
        """The cables of each network."""
        return {name: [*_cables(plan)] for name, plan in self._plan.networks.items()}

    def _loss(self, network: str, dead: AbstractSet[str]) -> NetworkLoss:
        """Return what one network loses."""
        attached = [cable for cable in self._cables[network] if cable.attached]
        before = Counter(cable.lower for cable in attached if cable.lower not in dead)
        reached = self._reached(network, dead)
        after = Counter(cable.lower for cable in _living(attached, dead) if cable.upper in reached)
        return NetworkLoss(
            network=network,
            devices=len(before),
            cut_off=[name for name in before if not after[name]],
            degraded=sum(0 < after[name] < count for name, count in before.items()),
        )

    def _reached(self, network: str, dead: AbstractSet[str]) -> AbstractSet[str]:
        """Return the switches of the part of a network that has the most devices.

        Without switches they are its devices that have not failed.
        """
        own = self._cables[network]
        if self._plan.networks[network].mapping.topology:
            return {cable.upper for cable in own} - dead
        joined = [*_living(own, dead), *self._above(network, dead)]
        names = sorted({each for cable in joined for each in (cable.lower, cable.upper)})
        at = {name: number for number, name in enumerate(names)}
        # devices join nothing: only links between switches, and uplinks of access switches do;
        # leaves of another network route no packet back to this one
        below = self._plan.networks[network].below
        leaves = chain.from_iterable(lower.switches() for lower in below)
        through = (self._switches | self._shared | {SITE}).difference(leaves)
        links = [(at[cable.lower], at[cable.upper]) for cable in joined if cable.lower in through]
        nodes = [at[name] for name in names if name in through]
        parts = [{names[node] for node in part} for part in pieces(nodes, links)]
        weight = Counter(cable.upper for cable in _living(own, dead) if cable.attached)
        return max(parts, key=lambda part: sum(weight[name] for name in part), default=set())

    def _above(self, network: str, dead: AbstractSet[str]) -> Iterator[_Joined]:
        """Yield what joins the switches of an access network, or leaves of compute."""
        asked = self._plan.spec.networks.each().get(network)
        if asked and asked.kind == "clos":  # its own links alone join its leaves
            return
        if asked and asked.uplink:
            on = asked.uplink.network
            above = UPLINKS if on == COMPUTE else self._plan.spec.networks.carrier(on)
            yield from _living(self._cables[above], dead)
            if above == UPLINKS:
                yield from self._outside(above)
        else:
            yield from self._outside(network)

    def _outside(self, network: str) -> Iterator[_Joined]:
        """Yield what joins the switches of a network at the site."""
        names = self._plan.networks[network].naming.switches(0)
        yield from (_Joined("", SITE, name, attached=False) for name in names)


def _cables(plan: Plan) -> Iterator[_Joined]:
    """Yield the cables of a network."""
    views = Views(plan)
    for segment in range(plan.mapping.segments):
        for view in views.cables(segment):
            attached = view.tier in (LinkKind.HOST, LinkKind.DIRECT)
            link = link_label(view)
            yield _Joined(link, view.a_device, view.b_device, attached, view.cable)
            if view.tier == LinkKind.DIRECT:  # each device is above the other
                yield _Joined(link, view.b_device, view.a_device, attached, view.cable)


def _living(cables: Sequence[_Joined], dead: AbstractSet[str]) -> list[_Joined]:
    """Return the cables that have not failed at either end or themselves."""
    return [cable for cable in cables if dead.isdisjoint(cable[:3])]


def sentence(loss: NetworkLoss) -> str:
    """Return one sentence on what a network loses.

    >>> sentence(NetworkLoss(network="oob", devices=9, cut_off=["pdu-1", "pdu-2"], degraded=0))
    'oob: 2 of 9 devices are cut off: pdu-1, pdu-2.'
    """
    shown = ", ".join(loss.cut_off[:SHOWN])
    more = len(loss.cut_off) - SHOWN
    names = f"{shown} and {more:,} more" if more > 0 else shown
    verb = "is" if len(loss.cut_off) == 1 else "are"
    cut = f"{len(loss.cut_off):,} of {loss.devices:,} devices {verb} cut off: {names}"
    text = f"{loss.network}: {cut if loss.cut_off else 'no device is cut off'}"
    lose = "loses" if loss.degraded == 1 else "lose"
    return f"{text}; {loss.degraded:,} {lose} a cable." if loss.degraded else f"{text}."


SHOWN = 4
"""The devices that a sentence names."""
