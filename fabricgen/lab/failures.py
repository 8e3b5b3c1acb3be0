"""Failures in a lab: cutting and repairing wires, and the crossings that are left.

`analysis.forwarding.failures` finds what a failure selects; here that is mapped to wires.
`survival` compares what is left with the plan.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.lab.iproute import batch, wait_for_carrier
from fabricgen.lab.measure import probes
from fabricgen.lab.probes import send_all
from fabricgen.views.link_ends import cable_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.lab.boot import End
    from fabricgen.lab.measure import RunningLab
    from fabricgen.lab.topology import LabLayout

Key = tuple[str, int]
"""The scope of a failure: a rail, a plane where blocks span rails, or an HB domain."""


QUICK_S = 0.1
"""Silence after which the remaining packets count as lost; lost packets are sent twice."""


class Measured(NamedTuple):
    """Ordered pairs of GPUs, measured: joined by the network, or by an HB domain."""

    crossings: frozenset[tuple[str, str]]
    inside: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Breaker:
    """Cuts and repairs a running lab."""

    lab: RunningLab

    @cached_property
    def _ends(self) -> dict[str, list[tuple[str, End]]]:
        """The upper ends of wires by their names: the label, the nodes, and a GPU's NIC port."""
        found: dict[str, list[tuple[str, End]]] = defaultdict(list)
        machines = self.lab.machines
        for wire in machines.layout.wires:
            end = wire.b, machines.ends[wire.b][wire.b_interface]
            for name in {wire.label, wire.a, wire.b, f"{wire.a}/{wire.a_interface}"} - {""}:
                found[name].append(end)
        return found

    def ends(self, failure: str) -> list[tuple[str, End]]:
        """Return the ends of wires that a failure takes down.

        They are the upper ends, so that a GPU keeps its routes and loses its carrier.
        """
        found, coordinates = self._find(failure), self._layout.plan.fabric.coordinates
        names = [
            *self._switches(found),
            *coordinates.names(found.gpus),
            *(f"hb:{domain}" for domain in found.domains),
            *(cable_label(self._layout.plan, segment, row) for segment, row in found.links),
            *(f"{coordinates.name(gpu)}/nic{plane}" for gpu, plane in found.ports),
        ]
        return [end for name in names for end in self._ends[name]]

    @property
    def _layout(self) -> LabLayout:
        """What is booted."""
        return self.lab.machines.layout

    def _find(self, failure: str) -> Failures:
        """Return what a failure selects in the plan."""
        return find_failures(self._layout.plan, [failure])

    def _switches(self, found: Failures) -> list[str]:
        """Return the switches of the lab that fail."""
        return [
            switch.name
            for switch in self._layout.switches
            if (switch.segment, switch.block) in found.blocks
            or (switch.segment, switch.box) in found.switches
        ]

    def cut(self, failures: Iterable[str]) -> None:
        """Take down the wires of failures."""
        self._set("down", failures)

    def repair(self, failures: Iterable[str]) -> None:
        """Bring the wires of failures up again."""
        self._set("up", failures)

    def _set(self, state: str, failures: Iterable[str]) -> None:
        """Set the ends of wires, node by node."""
        by_node, by_gpu = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for failure in failures:
            for node, end in self.ends(failure):
                by_node[node] += (
                    self.lab.machines.up(node, end.interface)
                    if state == "up"
                    else [f"link set {end.interface} down"]
                )
                if end.wire.a not in self.lab.tiers:
                    by_gpu[end.wire.a].append(end.wire.a_interface)
        networks = self.lab.machines.networks
        networks.each(list(by_node), lambda node: batch(by_node[node], node))
        networks.each(list(by_gpu), lambda gpu: wait_for_carrier(by_gpu[gpu], up=state == "up"))

    def dead(self, failures: Iterable[str]) -> set[str]:
        """Return the labels of cables and names of switches that failures disconnect."""
        found: set[str] = set()
        for failure in failures:
            found |= {end.wire.label for _, end in self.ends(failure)} - {""}
            found |= set(self._switches(self._find(failure)))
        return found

    def touches(self, failure: str) -> set[Key]:
        """Return the scopes of a failure; failures without a common scope can be tried at once.

        Without its HB domain a GPU crosses the network to those of the domain that share its rail,
        so that rail is touched as well.
        """
        gpus, found = self.lab.tables.gpus, set[Key]()
        mapping = self.lab.machines.layout.plan.mapping
        for _, end in self.ends(failure):
            wire = end.wire
            found |= {self._key(end) for end in (wire.a, wire.b) if end in self.lab.tiers}
            if not wire.label:
                found.add(("hb", gpus[wire.a]["domain"]))
                if mapping.spans_rails or mapping.fabric.ranks_per_rail > 1:
                    found.add(
                        ("plane", 0) if mapping.spans_rails else ("rail", gpus[wire.a]["rail"])
                    )
        return found

    def _key(self, switch: str) -> Key:
        """Return the rail of a switch, or its plane where blocks span rails."""
        return self._keys[switch]

    def same_rail(self, switch: str) -> list[str]:
        """Return the switches of the rail of one, or all where blocks span rails."""
        return [name for name, key in self._keys.items() if key == self._key(switch)]

    @cached_property
    def _keys(self) -> dict[str, Key]:
        """The rail of each switch, or its plane where blocks span rails."""
        layout = self.lab.machines.layout
        mapping = layout.plan.mapping
        return {
            switch.name: ("plane", 0)
            if mapping.spans_rails
            else ("rail", mapping.first_rail(switch.segment, switch.block))
            for switch in layout.switches
        }

    def measure(self) -> Measured:
        """Send a packet over every crossing and inside every HB domain, with relays off.

        Returns the pairs whose packet arrived, by the way it took.
        """
        lab = self.lab
        asked = probes(lab, self._neighbours())
        lab.forwarding(on=False)
        try:
            sockets = lab.sockets(paths=True)
            found = send_all(sockets, asked, asked, QUICK_S)
            lost = [probe for probe in asked if probe not in found]
            found |= send_all(sockets, lost, lost, QUICK_S)
            sockets.close()
        finally:
            lab.forwarding(on=True)
        crossed = {
            asked[probe][:2]
            for probe, record in found.items()
            if any(lab.owner.get(address) in lab.tiers for address in record)
        }
        return Measured(
            frozenset(crossed), frozenset(asked[probe][:2] for probe in found) - crossed
        )

    def _neighbours(self) -> Iterator[tuple[str, str]]:
        """Yield the ordered pairs of GPUs that need no relay."""
        gpus, spans = self.lab.tables.gpus, self.lab.machines.layout.plan.mapping.spans_rails
        for one, other in permutations(self.lab.addresses, 2):
            if (
                spans
                or gpus[one]["rail"] == gpus[other]["rail"]
                or gpus[one]["domain"] == gpus[other]["domain"]
            ):
                yield one, other


def every_failure(lab: RunningLab) -> list[str]:
    """Return the name of every single failure in a lab."""
    layout = lab.machines.layout
    fabric = layout.plan.fabric
    found = [f"link:{wire.label}" for wire in layout.wires if wire.label]
    found += [f"switch:{name}" for name in dict.fromkeys(each.switch for each in layout.switches)]
    found += [f"{kind}:{gpu}" for kind in ("nic", "gpu") for gpu in lab.addresses]
    found += [f"hb:{domain}" for domain in layout.domains] + [
        f"plane:{plane}" for plane in range(fabric.planes)
    ]
    return found + (
        [] if layout.plan.mapping.spans_rails else [f"rail:{rail}" for rail in sorted(layout.rails)]
    )
