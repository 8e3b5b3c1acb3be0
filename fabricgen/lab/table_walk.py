"""Walks through the emitted forwarding tables, hop by hop, with some parts failed.

Shares no code with the analysis of a plan. Failed parts are names: a GPU, `hb:<domain>`, a NIC port
`<GPU>/<plane>`, a switch, or a cable's label.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.emitted_tables import EmittedTables, Instance, number_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Crossing(NamedTuple):
    """One crossing of the network: the GPUs at its ends."""

    exit: str
    landing: str


class Walker:
    """Walks the tables with some parts failed."""

    def __init__(self, tables: EmittedTables, dead: Collection[str] = ()) -> None:
        """Keep the tables and the names of failed parts."""
        self.tables, self.dead = tables, frozenset(dead)
        self._switched: dict[tuple[Instance, int], int] = {}
        self._crossed: dict[tuple[str, str], int] = {}
        self._onto: dict[tuple[str, str], Crossing | None] = {}
        self._leaving: dict[tuple[str, int], list[str]] = {}
        self._landing: dict[tuple[str, int], list[str]] = {}
        self._searches: dict[str, _Search] = {}

    def switched(self, at: Instance, address: int, seen: tuple[Instance, ...] = ()) -> int:
        """Return the number of equal paths from a switch to an address, without dead ends.

        Raises LookupError for a loop and for a wrong NIC port.
        """
        key = at, address
        if key not in self._switched:
            if at in seen:
                raise LookupError(f"a loop: {[*seen, at]} to {address:#x}")
            ways = 0
            for hop in next(iter(self.tables.instances[at].find(address)), ()):
                peer = hop["peer"], hop["peer_interface"]
                if hop["cable"] in self.dead or hop["peer"] in self.dead:
                    continue
                if peer in self.tables.ports:
                    if self.tables.ports[peer] != self.tables.addresses[address]:
                        raise LookupError(f"{at} delivers {address:#x} to {peer}")
                    ways += (
                        not {self.tables.ports[peer], self.tables.ports[peer].split("/")[0]}
                        & self.dead
                    )
                else:
                    ways += self.switched(self.tables.at[peer], address, (*seen, at))
            self._switched[key] = ways
        return self._switched[key]

    def crossed(self, crossing: Crossing) -> int:
        """Return the number of equal paths between the NIC ports of two GPUs on the same planes."""
        if crossing not in self._crossed:
            ways = 0
            for port in self.tables.gpus[crossing.exit]["ports"]:
                if {
                    f"{crossing.exit}/{port['plane']}",
                    port["cable"],
                    port["peer"],
                    crossing.exit,
                } & self.dead:
                    continue
                leaf = self.tables.at[port["peer"], port["peer_interface"]]
                ways += sum(
                    self.switched(leaf, address)
                    for address, other in self.tables.landed[crossing.landing]
                    if other["plane"] == port["plane"]
                )
            self._crossed[crossing] = ways
        return self._crossed[crossing]

    def meets(self, one: str, other: str) -> bool:
        """Return whether the HB domain joins two GPUs."""
        gpus = self.tables.gpus
        return one == other or (
            gpus[one]["domain"] == gpus[other]["domain"]
            and f"hb:{gpus[one]['domain']}" not in self.dead
            and other not in self.dead
        )

    def island(self, gpu: str) -> int | str:
        """Return the HB domain of a working GPU, or its own name where the domain has failed."""
        domain: int = self.tables.gpus[gpu]["domain"]
        return gpu if f"hb:{domain}" in self.dead else domain

    def crossing(self, source: str, target: str) -> Crossing | None:
        """Return the first working crossing by rail, relay of the source, relay of the target."""
        onto = self._onto
        for leaving in self._exits(source, self.tables.gpus[target]["rail"]):
            key = leaving, target
            if key not in onto:
                onto[key] = self._look(leaving, target)
            if found := onto[key]:
                return found
        return None

    def _look(self, leaving: str, target: str) -> Crossing | None:
        """Return the first working crossing from a relay of the source, the same for its domain."""
        for landing in self._landings(target, self.tables.gpus[leaving]["rail"]):
            if leaving != landing and self.crossed(Crossing(leaving, landing)):
                return Crossing(leaving, landing)
        return None

    def _exits(self, source: str, rail: int) -> list[str]:
        """Return the working relays of a GPU towards a rail, in the order of the tables, cached."""
        key = source, rail
        if key not in self._leaving:
            self._leaving[key] = [
                each
                for each in self.tables.exits(source, rail)
                if self.meets(source, each) and each not in self.dead
            ]
        return self._leaving[key]

    def _landings(self, target: str, rail: int) -> list[str]:
        """Return the relays on a rail that reach a GPU, in the order of the tables, cached."""
        key = target, rail
        if key not in self._landing:
            gpus = self.tables.gpus
            relays = gpus[target]["relays"][str(rail)]
            self._landing[key] = [
                each for each in relays if each in gpus and self.meets(target, each)
            ]
        return self._landing[key]

    def walk(self, source: str, target: str) -> list[Crossing] | None:
        """Return the crossings from one GPU to another; None where the tables lead nowhere.

        The list is empty for two GPUs that their HB domain joins.
        """
        if source in self.dead or target in self.dead:
            return None
        if self.meets(source, target):
            return []
        direct = self.crossing(source, target)
        return [direct] if direct else self._over_other_domains(source, target)

    def _over_other_domains(self, source: str, target: str) -> list[Crossing] | None:
        """Return the fewest crossings through other domains, in the order of `domains`."""
        if source not in self._searches:
            self._searches[source] = _Search(self, source)
        for at, way in self._searches[source].reached():
            if last := self.crossing(at, target):
                return [*way, last]
        return None

    def forwarded(self, source: str, address: int) -> list[str]:
        """Return the GPUs on the path of the GPUs' own IP routes to an address.

        Raises LookupError for a loop, and StopIteration for a missing route.
        """
        at, way = source, [source]
        while self.tables.addresses[address].split("/")[0] != at:
            route = next(iter(self.tables.routes[at].find(address)))
            if route["device"] == "hb0":
                domain = self.tables.domains[self.tables.gpus[at]["domain"]]
                at = domain[number_of(route["via"]) - number_of("198.18.0.1")]
            else:
                (port,) = (
                    port
                    for port in self.tables.gpus[at]["ports"]
                    if route["device"] == f"nic{port['plane']}"
                )
                if not self.switched(self.tables.at[port["peer"], port["peer_interface"]], address):
                    raise LookupError(f"{at} cannot send to {address:#x}")
                at = self.tables.addresses[address].split("/")[0]
            if at in way:
                raise LookupError(f"a loop: {way}, {at}")
            way.append(at)
        return way


class _Search:
    """What one GPU reaches through other domains, for any target.

    It goes as far as the targets so far have needed.
    """

    def __init__(self, walker: Walker, source: str) -> None:
        """Begin at a GPU; the others are in the order of `domains`, beginning after its own."""
        self._walker, gpus, domains = walker, walker.tables.gpus, walker.tables.domains
        numbers = [*domains]
        after = numbers.index(gpus[source]["domain"]) + 1
        self._found: list[tuple[str, list[Crossing]]] = [(source, [])]
        self._entered = {walker.island(source)}
        self._left = [
            gpu
            for domain in numbers[after:] + numbers[:after]
            for gpu in domains[domain]
            if gpu not in walker.dead
        ]
        self._expanded = 0

    def reached(self) -> Iterator[tuple[str, list[Crossing]]]:
        """Yield the GPUs, one of each island, each with the crossings to it, the fewest first."""
        for number in count():
            if number == len(self._found):
                return
            yield self._found[number]
            if number == self._expanded:
                self._expand(*self._found[number])

    def _expand(self, at: str, way: list[Crossing]) -> None:
        """Find the islands that one crossing from a GPU enters first."""
        walker, rest = self._walker, list[str]()
        for gpu in self._left:
            if walker.island(gpu) in self._entered:
                continue
            if into := walker.crossing(at, gpu):
                self._found.append((gpu, [*way, into]))
                self._entered.add(walker.island(gpu))
            else:
                rest.append(gpu)
        self._left = rest
        self._expanded += 1
