"""The checks of a packet's record: its path against the tables, and the spread of many packets.

Owns the comparison of records with tables and wires; `measure` sends the packets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby, pairwise
from math import sqrt
from typing import TYPE_CHECKING

from fabricgen.lab.boot import has_hash_seed
from fabricgen.lab.table_walk import Walker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.measure import RunningLab


def met_by(lab: RunningLab, record: list[str]) -> list[str]:
    """Return the GPUs and switches that wrote a record, without repetitions in a row."""
    return [name for name, _ in groupby(lab.owner.get(address, address) for address in record)]


class PathCheck:
    """Compares the routers that a packet met with the tables."""

    def __init__(self, lab: RunningLab) -> None:
        """Start without packets."""
        self.lab, self.kinds = lab, Counter[str]()
        self.walker = Walker(lab.tables, lab.absent)

    def fault(self, pair: tuple[str, str, str], record: list[str] | None) -> str | None:
        """Return what is wrong with a packet's record; None if nothing is."""
        source, target, interface = pair
        if record is None:
            return f"{source} to {target}: no packet arrived"
        met = met_by(self.lab, record)
        wanted = self._gpus(source, target)
        if [name for name in met if name in self.lab.addresses] != wanted:
            return (
                f"{source} to {target}: met {' '.join(met)}, and the tables name {' '.join(wanted)}"
            )
        nodes = self.lab.machines.layout.switch_nodes
        across = [
            nodes[name].switch if name in nodes else name
            for name in met
            if name not in self.lab.addresses
        ]
        self.kinds["in-domain" if not across else "direct" if len(wanted) == 2 else "relayed"] += 1  # noqa: PLR2004 - both ends and no relay
        return None if not across else self._across(wanted[-2], target, interface, across)

    def _gpus(self, source: str, target: str) -> list[str]:
        """Return the GPUs on the path, both ends included."""
        crossing = self.walker.walk(source, target)
        return list(
            dict.fromkeys([source, *(gpu for each in crossing or () for gpu in each), target])
        )

    def _across(self, leaving: str, target: str, interface: str, met: list[str]) -> str | None:
        """Follow the switches of a record through the tables."""
        tables, plane = self.lab.tables, interface.removeprefix("nic")
        port = next(port for port in tables.gpus[leaving]["ports"] if str(port["plane"]) == plane)
        address = next(
            number for number, other in tables.landed[target] if str(other["plane"]) == plane
        )
        at, entered = port["peer"], port["peer_interface"]
        for index, name in enumerate(met):
            if name != at:
                return (
                    f"{leaving} to {target}: met {' '.join(met)}, "
                    f"and the tables name {at} in place {index + 1}"
                )
            hops: list[dict[str, str]] = next(
                iter(tables.instances[tables.at[at, entered]].find(address)), []
            )
            following = met[index + 1] if index + 1 < len(met) else None
            hop = next((hop for hop in hops if following in (None, hop["peer"])), None)
            if hop is None:
                return (
                    f"{leaving} to {target}: {at} sent to {following}, "
                    "which its table does not name"
                )
            at, entered = hop["peer"], hop["peer_interface"]
        return None


class SpreadCount:
    """Counts the next hops of flows at each switch with a choice, and the expected counts."""

    def __init__(self, lab: RunningLab) -> None:
        """Index the neighbour behind each wire."""
        self.lab, self.clos = lab, lab.clos()
        wires = [wire for wire in lab.machines.layout.wires if wire.a in lab.tiers]
        self.peers = {(wire.a, wire.a_interface): wire.b for wire in wires} | {
            (wire.b, wire.b_interface): wire.a for wire in wires
        }
        self.counts, self.means, self.variances = (
            Counter[tuple[str, str]](),
            defaultdict[tuple[str, str], float](float),
            defaultdict[tuple[str, str], float](float),
        )
        self._shares: dict[str, dict[str, dict[str, float]]] = {}

    def shares(self, at: str, target: str) -> dict[str, float]:
        """Return the share of each neighbour in a switch's traffic to another one."""
        if target not in self._shares:
            self._shares[target] = {}
            for switch, ways in self.clos.ways_to(target).items():
                ends = Counter(self.peers[switch, interface] for interface in ways)
                self._shares[target][switch] = {
                    peer: count / len(ways) for peer, count in ends.items()
                }
        return self._shares[target].get(at, {})

    def add(self, record: list[str]) -> None:
        """Count the choices of one packet.

        Where all switches hash alike only those of a leaf count, because later ones depend on it.
        """
        met = [name for name in met_by(self.lab, record) if name in self.lab.tiers]
        for at, following in pairwise(met):
            shares = self.shares(at, met[-1])
            if len(shares) > 1 and (self.lab.tiers[at] == 1 or has_hash_seed()):
                self.counts[at, following] += 1
                for peer, share in shares.items():
                    self.means[at, peer] += share
                    self.variances[at, peer] += share * (1 - share)

    def off(self) -> Iterator[tuple[str, str, float]]:
        """Yield the deviation of each switch's count per neighbour, in standard deviations."""
        for (at, peer), mean in self.means.items():
            yield (
                at,
                peer,
                abs(self.counts[at, peer] - mean) / max(sqrt(self.variances[at, peer]), 1),
            )
