"""A lab of circuit switches: each box is a namespace whose ports are bridged two by two.

Owns the boxes, the configurations that are set one after the other while the lab runs, and the
trials. A circuit is a bridge of two ports; to change it, ports move between bridges. Probes are
packets between every two GPUs of a rail: exactly those with a circuit arrive.
"""

from __future__ import annotations

import select
import socket
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.analysis.circuits.port_map import PortMap
from fabricgen.analysis.circuits.schedule import schedule_of
from fabricgen.analysis.impact.replacement import replacements
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.lab.boot import prepare_mounts
from fabricgen.lab.iproute import batch, finish_batch, link_wire, start_batch
from fabricgen.lab.measure import Trial
from fabricgen.lab.namespaces import Namespaces
from fabricgen.lab.probes import PORT
from fabricgen.lab.registry import refused
from fabricgen.lab.session import isolated, report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.analysis.circuits.port_map import CircuitPort
    from fabricgen.lab.session import LabRequest
    from fabricgen.planning.plan import Plan

MOST_GPUS = 128
"""GPUs of a lab: each knows the addresses of all others on its rail."""

CALM_S = 0.15
"""Silence after which no more packets are expected."""


class CircuitEnd(NamedTuple):
    """A NIC port: its GPU and plane, and where it ends."""

    gpu: int
    plane: int
    port: CircuitPort
    address: str
    mac: str


class SetCircuit(NamedTuple):
    """A circuit: a box, and the two ports that it joins, by their cages."""

    box: str
    low: int
    high: int


def run(request: LabRequest, emit: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials in a lab of circuits of its own; return 0 where all hold, else 1."""
    if request.plan.fabric.gpus > MOST_GPUS:
        raise refuse(
            "lab-too-large",
            f"a lab of circuits has at most {MOST_GPUS} GPUs",
            because=(f"the fabric has {request.plan.fabric.gpus}",),
            hint=f"plan fewer: `--set gpus={MOST_GPUS}`",
        )
    return isolated(lambda send: _whole(request.plan, send), emit)


def _whole(plan: Plan, emit: Callable[[dict[str, Any]], None]) -> int:
    """Boot, try and report, inside the lab's own namespaces."""
    try:
        started = time.monotonic()
        prepare_mounts()
        lab = CircuitLab(plan)
        lab.boot()
        emit({"step": "the boxes and GPUs", "seconds": round(time.monotonic() - started, 2)})
        return max(report(trial, emit) for trial in lab.trials())
    except Refusal as refusal:
        emit(refused(refusal))
        return 1


class CircuitLab:
    """The running boxes of one fabric."""

    def __init__(self, plan: Plan) -> None:
        """Look up the ends of all cables, and the circuits of the AllReduce of all GPUs."""
        self.plan, self.ports = plan, PortMap(plan)
        self.schedule = schedule_of(plan, "", "", None)
        self.networks = Namespaces()
        self.joined: set[SetCircuit] = set()

    @cached_property
    def ends(self) -> list[CircuitEnd]:
        """The NIC ports of all GPUs."""
        coordinates = self.plan.fabric.coordinates
        found = []
        for gpu in range(self.plan.fabric.gpus):
            rail, place = coordinates.rail(gpu), coordinates.rail_index(gpu)
            for plane in range(self.plan.fabric.planes):
                address = f"10.{rail}.{plane}.{place + 1}"
                mac = f"02:00:00:{rail:02x}:{plane:02x}:{place + 1:02x}"
                found.append(CircuitEnd(gpu, plane, self.ports.port(gpu, plane), address, mac))
        return found

    def boot(self) -> None:
        """Create a namespace for each GPU and each box, and a wire for each cable."""
        boxes = list(dict.fromkeys(end.port.box for end in self.ends))
        gpus = list(dict.fromkeys(end.port.gpu for end in self.ends))
        self.networks.make([*gpus, *boxes])
        wires = [
            link_wire(
                number,
                f"p{end.port.cage} netns {end.port.box}",
                f"nic{end.plane} address {end.mac} netns {end.port.gpu}",
            )
            for number, end in enumerate(self.ends)
        ]
        finish_batch(start_batch(wires), wires, "the wires")
        self.networks.each(boxes, self._box)
        self.networks.each(gpus, self._gpu)

    def _box(self, name: str) -> None:
        """Bring up the ports of a box, and a bridge for each circuit that it may join."""
        cages = [end.port.cage for end in self.ends if end.port.box == name]
        options = "type bridge forward_delay 0 stp_state 0 mcast_snooping 0"
        batch(
            [
                line
                for cage in cages
                for line in (
                    f"link add c{cage} {options}",
                    f"link set c{cage} up",
                    f"link set p{cage} up",
                )
            ],
            name,
        )

    def _gpu(self, name: str) -> None:
        """Give a GPU the address of each NIC port, and permanent neighbors."""
        own = [end for end in self.ends if end.port.gpu == name]
        lines = []
        for end in own:
            lines += [
                f"link set nic{end.plane} up",
                f"address add {end.address}/24 dev nic{end.plane}",
            ]
            lines += [
                f"neighbor add {other.address} lladdr {other.mac} dev nic{end.plane} nud permanent"
                for other in self._beside(end)
            ]
        batch(lines, name)

    def _beside(self, end: CircuitEnd) -> Iterator[CircuitEnd]:
        """Yield the other NIC ports of a rail and plane."""
        rail = self.plan.fabric.coordinates.rail
        for other in self.ends:
            if (
                other.gpu != end.gpu
                and other.plane == end.plane
                and rail(other.gpu) == rail(end.gpu)
            ):
                yield other

    def trials(self) -> Iterator[Trial]:
        """Yield the result of each trial."""
        sockets = {
            end.address: self.networks.inside(end.port.gpu, lambda end=end: _socket(end.address))  # type: ignore[misc]  # bound now
            for end in self.ends
        }
        try:
            yield self._configurations(sockets)
            if self.plan.mapping.spare_domains:
                yield self._splice(sockets)
        finally:
            for each in sockets.values():
                each.close()

    def _configurations(self, sockets: dict[str, socket.socket]) -> Trial:
        """Set every configuration in turn; probe while circuits change, and after."""
        findings, probes = [], 0
        for found in (*self.schedule.configurations, self.schedule.configurations[0]):
            wanted = {
                SetCircuit(low.box, low.cage, high.cage)
                for low, high in self.ports.circuits(self.schedule, found)
            }
            for when, circuits in (("while", wanted & self.joined), ("after", wanted)):
                self._set(circuits)
                findings += self._wrong(sockets, f"{when} configuration {found.number} is set")
                probes += 1
        count = len(self.schedule.configurations)
        return Trial(
            "circuits",
            "exactly circuits carry packets",
            f"{count} configurations and the first again, {probes} times every pair of a rail:"
            " while circuits change, and after, which is before the next",
            findings,
        )

    def _splice(self, sockets: dict[str, socket.socket]) -> Trial:
        """Replace a GPU by its spare in the circuits that are set."""
        failed = next(end for end in self.ends if any(_takes(each, end) for each in self.joined))
        (moved,) = replacements(self.plan, [f"gpu:{failed.port.gpu}"])
        spares = {end.plane: end.port.cage for end in self.ends if end.port.gpu == moved.spare}
        lost = [end for end in self.ends if end.gpu == failed.gpu]
        circuits = set(self.joined)
        for end in lost:
            for each in [each for each in circuits if _takes(each, end)]:
                other = each.high if each.low == end.port.cage else each.low
                low, high = sorted((other, spares[end.plane]))
                circuits = circuits - {each} | {SetCircuit(each.box, low, high)}
        findings = self._wrong(sockets, f"before {moved.spare} replaces {failed.port.gpu}")
        self._set(self.joined & circuits)
        findings += self._wrong(sockets, f"while {moved.spare} replaces {failed.port.gpu}")
        self._set(circuits)
        findings += self._wrong(sockets, f"after {moved.spare} replaced {failed.port.gpu}")
        return Trial(
            "splice",
            "a spare GPU is spliced in",
            f"{moved.spare} in the circuits of {failed.port.gpu}, and no cable moved: every pair"
            " before, while and after",
            findings,
        )

    def _set(self, wanted: set[SetCircuit]) -> None:
        """Remove the circuits that are not wanted, then add the others."""
        removed, added = self.joined - wanted, wanted - self.joined
        for box in sorted({each.box for each in removed | added}):
            lines = [
                f"link set p{cage} nomaster"
                for each in sorted(removed)
                if each.box == box
                for cage in each[1:]
            ]
            lines += [
                f"link set p{cage} master c{each.low}"
                for each in sorted(added)
                if each.box == box
                for cage in each[1:]
            ]
            self.networks.inside(box, lambda lines=lines, box=box: batch(lines, box))  # type: ignore[misc]  # bound now
        self.joined = wanted

    def _wrong(self, sockets: dict[str, socket.socket], when: str) -> list[str]:
        """Probe every two GPUs of each rail; return those that differ from the circuits."""
        arrived = _probe(sockets, [(one.address, other.address) for one in self.ends
                                   for other in self._beside(one)])  # fmt: skip
        at = {(end.port.box, end.port.cage): end.address for end in self.ends}
        wanted = {
            pair
            for each in self.joined
            for low, high in [(at[each.box, each.low], at[each.box, each.high])]
            for pair in ((low, high), (high, low))
        }
        return [
            *(f"{one} does not reach {other} {when}" for one, other in sorted(wanted - arrived)),
            *(f"{one} reaches {other} {when}" for one, other in sorted(arrived - wanted)),
        ]


def _takes(circuit: SetCircuit, end: CircuitEnd) -> bool:
    """Return whether a circuit ends at a NIC port."""
    return circuit.box == end.port.box and end.port.cage in (circuit.low, circuit.high)


def _socket(address: str) -> socket.socket:
    """Open the socket of an address in this thread's namespace."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.bind((address, PORT))
    found.setblocking(False)  # noqa: FBT003 - the one argument that it takes
    return found


def _probe(sockets: dict[str, socket.socket], pairs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Send a packet for each pair of addresses, and return the pairs whose packet arrived."""
    for source, target in pairs:
        sockets[source].sendto(f"{source} {target}".encode(), (target, PORT))
    arrived: set[tuple[str, str]] = set()
    by_socket = {each: address for address, each in sockets.items()}
    while ready := select.select(list(by_socket), [], [], CALM_S)[0]:
        for each in ready:
            source, target = each.recv(128).decode().split()
            if target == by_socket[each]:
                arrived.add((source, target))
    return arrived
