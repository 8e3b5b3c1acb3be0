"""The linear forwarding tables of OpenSM, walked from every leaf to every adapter, and link loads.

Owns parsing an emitted fabric.net and OpenSM's dump, and the walk. A table gives the exit port for
each switch and LID; the walk follows it over the wires of the net file, so it detects a loop and a
missing wire.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.core.arrays import Int64Array


MOST_HOPS = 8
"""Switches on a path at most; a fabric of three tiers has paths of five, seven around a failure."""

_NODE = re.compile(r'(Switch|Ca)\t(\d+) "([^"]+)"\t+# "([^"]*)"')
_PORT = re.compile(r'\[(\d+)\]\t"([^"]+)"\[(\d+)\]')
_TABLE = re.compile(r"Unicast lids .* guid (0x[0-9a-f]+)")
_ENTRY = re.compile(r"0x([0-9a-f]+) (\d+) # .*? portguid (0x[0-9a-f]+):")


@dataclass(frozen=True)
class Net:
    """An emitted net file: switches and adapters, each numbered from 0, and their wires.

    `names` are the NodeDescriptions of switches, then adapters, `ids` their names in ibsim, `guids`
    those of switches and of adapters' ports. `peers` and `far` have for each switch and port the
    node behind it (-1 for none) and its port there; shape (switches, ports + 1).
    """

    switches: int
    names: list[str]
    ids: list[str]
    guids: list[int]
    peers: Int64Array
    far: Int64Array

    @property
    def adapters(self) -> int:
        """The number of adapters."""
        return len(self.names) - self.switches

    @cached_property
    def leaves(self) -> Int64Array:
        """The switch of each adapter; shape (adapters,)."""
        found = np.full(self.adapters, -1, dtype=np.int64)
        switch, port = np.nonzero(self.peers >= self.switches)
        found[self.peers[switch, port] - self.switches] = switch
        return found

    @cached_property
    def ports(self) -> int:
        """The ports of all nodes, port 0 of switches included; the capacity that ibsim needs."""
        return self.switches * int(self.peers.shape[1]) + self.adapters

    def without(self, dead: int) -> Net:
        """Return the net without the wires of a switch."""
        lost = self.peers == dead
        lost[dead] = True
        return Net(
            self.switches,
            self.names,
            self.ids,
            self.guids,
            np.where(lost, -1, self.peers),
            self.far,
        )

    @cached_property
    def islands(self) -> Int64Array:
        """The connected part of each switch, as its least switch; shape (switches,)."""
        island = np.arange(self.switches)
        near, port = np.nonzero((self.peers >= 0) & (self.peers < self.switches))
        far = self.peers[near, port]
        while True:
            before = island.copy()
            np.minimum.at(island, near, island[far])
            if (island == before).all():
                return island


def read_net(path: Path) -> Net:
    """Parse an emitted fabric.net."""
    nodes: list[tuple[str, str, int]] = []
    links: list[tuple[int, int, str, int]] = []
    width = guid = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("switchguid=", "caguid=")):
            guid = int(line.partition("=")[2], 16)
        elif node := _NODE.match(line):
            width = max(width, int(node[2]))
            nodes.append((node[3], node[4], guid + (node[1] == "Ca")))
        elif port := _PORT.match(line):
            links.append((len(nodes) - 1, int(port[1]), port[2], int(port[3])))
    ids = [each for each, _, _ in nodes]
    index = {each: number for number, each in enumerate(ids)}
    switches = sum(each.startswith("S-") for each in ids)
    peers, far = (np.full((switches, width + 1), -1, dtype=np.int64) for _ in range(2))
    for near, number, peer, peer_port in links:
        if near < switches:
            peers[near, number], far[near, number] = index[peer], peer_port
    return Net(
        switches, [name for _, name, _ in nodes], ids, [guid for _, _, guid in nodes], peers, far
    )


@dataclass
class Walk:
    """The result of walking every leaf's packets to every adapter.

    `lost` are the pairs (leaf, adapter) that do not arrive, with the switch where the path ends.
    `loads` counts for each switch and port the pairs of adapters that leave through it. `links` is
    the longest path, in links from adapter to adapter.
    """

    pairs: int
    lost: list[tuple[int, int, int]]
    loads: Int64Array
    links: int


class SubnetTables:
    """The tables of one subnet, over the wires of its net."""

    def __init__(self, net: Net, dump: Path) -> None:
        """Parse opensm-lfts.dump; `port` is the exit of each switch to each adapter, or -1."""
        self.net = net
        switch_of = {guid: number for number, guid in enumerate(net.guids[: net.switches])}
        adapter_of = {guid: number for number, guid in enumerate(net.guids[net.switches :])}
        self.port: Int64Array = np.full((net.switches, net.adapters), -1, dtype=np.int64)
        self.lids = np.zeros(net.adapters, dtype=np.int64)
        at = -1
        with dump.open(encoding="utf-8") as lines:
            for line in lines:
                if entry := _ENTRY.match(line):
                    adapter = adapter_of.get(int(entry[3], 16))
                    if adapter is not None and at >= 0:
                        self.port[at, adapter] = int(entry[2])
                        self.lids[adapter] = int(entry[1], 16)
                elif table := _TABLE.match(line):
                    at = switch_of.get(int(table[1], 16), -1)

    def walk(self) -> Walk:
        """Walk from each leaf with adapters to every connected adapter, all pairs at once.

        A pair is two adapters, in one direction.
        """
        net = self.net
        hosts = np.bincount(net.leaves[net.leaves >= 0], minlength=net.switches)
        source, target = (
            axis.ravel()
            for axis in np.meshgrid(
                np.flatnonzero(hosts), np.flatnonzero(net.leaves >= 0), indexing="ij"
            )
        )
        joined = net.islands[source] == net.islands[net.leaves[target]]
        source, target = source[joined], target[joined]
        weight = hosts[source] - (net.leaves[target] == source)
        loads = np.zeros_like(net.peers)
        at, steps, open_ = source.copy(), 0, np.ones(len(source), dtype=bool)
        arrived = np.zeros(len(source), dtype=bool)
        # one step of every open walk: look up the exit, count its load, move on or finish
        while open_.any() and steps < MOST_HOPS:
            rows = np.flatnonzero(open_)
            ports = self.port[at[rows], target[rows]]
            rows, ports = rows[ports > 0], ports[ports > 0]
            np.add.at(loads, (at[rows], ports), weight[rows])
            following = net.peers[at[rows], ports]
            arrived[rows] = following == target[rows] + net.switches
            open_[:] = False
            onward = (following >= 0) & (following < net.switches)
            at[rows[onward]] = following[onward]
            open_[rows[onward]] = True
            steps += 1
        wrong = np.flatnonzero(~arrived & (weight > 0))
        lost = list(
            zip(source[wrong].tolist(), target[wrong].tolist(), at[wrong].tolist(), strict=True)
        )
        return Walk(int(weight.sum()), lost, loads, steps + 1)

    def way(self, source: int, target: int) -> list[str]:
        """Return the names of the nodes from one adapter to another, as far as the tables lead."""
        net = self.net
        at, way = int(net.leaves[source]), [net.names[net.switches + source]]
        for _ in range(MOST_HOPS):
            way.append(net.names[at])
            port = int(self.port[at, target])
            peer = int(net.peers[at, port]) if port > 0 else -1
            if peer < 0 or peer >= net.switches:
                return [*way, net.names[peer]] if peer >= 0 else way
            at = peer
        return way
