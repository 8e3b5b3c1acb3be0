"""The names of the nodes of an InfiniBand subnet, and the records of their links.

Owns the parts of a NodeDescription. A switch port is a number, written `#33` here, because the
subnet has nothing else; `port_index` finds the interface. The description of a host is its name and
that of the adapter, like `host-01 mlx5_0`; that of a managed switch may be
`MF0;leaf-01:MQM9700/U1`. A description of more words, like
`MT4129 ConnectX7   Mellanox Technologies`, is that of the factory: such a node has no name, and
only its GUID differs from others. A switch that aggregates (SHARP) has an adapter inside, behind a
port without a cage: it is not a cable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords

Owners = Callable[[], Mapping[int, tuple[str, str]]]
"""Returns the device and the port of each GUID of the inventory; of a switch, the device alone."""

INNER = "Aggregation Node"
"""The description of an adapter inside a switch (SHARP)."""

ADAPTER_WORDS = 2
"""Words of a description that has a name: of the host, and of its adapter."""

_MANAGED = re.compile(r"MF\d+;(.+?):[^:]*/[A-Z]\d+")


class Node(NamedTuple):
    """A switch or an adapter: whether it is a switch, its GUID, its description.

    A GUID is hexadecimal digits, or empty where it is unknown.
    """

    switch: bool
    guid: str
    description: str


class SubnetEnd(NamedTuple):
    """An end of a link: the key of its node, the number of the port, and its GUID."""

    node: str
    port: int
    guid: str = ""


@dataclass(slots=True)
class DiscoveredSubnet:
    """The nodes of a subnet by key, and its links as each end reports them."""

    nodes: dict[str, Node] = field(default_factory=dict)
    links: list[tuple[SubnetEnd, SubnetEnd]] = field(default_factory=list)

    def records(self, owners: Owners) -> NeighborRecords:
        """Return the links as neighbor records, with the names that GUIDs or descriptions give."""
        evidence, by_guid = NeighborRecords(), owners()
        named = {
            key: _named(key, node, by_guid, evidence)
            for key, node in self.nodes.items()
            if INNER not in node.description
        }
        evidence.reporters.update(each.device for each in named.values())
        for near, far in self.links:
            if near.node in named and far.node in named:
                device, port = named[near.node].end(near, by_guid)
                peer, word = named[far.node].end(far, by_guid)
                evidence.records.append(NeighborRecord(device, port, peer, (word,) if word else ()))
        return evidence


class NamedNode(NamedTuple):
    """A node with the name of its device.

    `first` is the name of port 1 where a GUID gives it; else an adapter gives `adapter`, and a
    switch the number.
    """

    switch: bool
    device: str
    first: str
    adapter: str

    def end(self, end: SubnetEnd, owners: Mapping[int, tuple[str, str]]) -> tuple[str, str]:
        """Return the device and the port of an end."""
        if self.switch:
            return self.device, f"#{end.port}"
        if owners and (known := owners.get(_number(end.guid))):
            return known
        if end.port == 1:
            return self.device, self.first or self.adapter
        return self.device, self.adapter and f"{self.adapter}/{end.port}"


def _named(
    key: str, node: Node, owners: Mapping[int, tuple[str, str]], evidence: NeighborRecords
) -> NamedNode:
    """Return a node with its name; one without a name is kept in `evidence`."""
    words, adapter = node.description.split(), ""
    if not node.switch and 1 <= len(words) <= ADAPTER_WORDS:
        name, adapter = words[0], words[-1] if len(words) > 1 else ""
    elif node.switch and (managed := _MANAGED.match(node.description)):
        name = managed[1]
    else:
        name = words[0] if node.switch and len(words) == 1 else ""
    if owners and (known := owners.get(_number(node.guid))):
        return NamedNode(node.switch, known[0], known[1], adapter)
    if not name or " " in name:
        said = " ".join(words)
        name = f"{said or 'a node'} ({f'0x{_number(node.guid):016x}' if node.guid else key})"
        evidence.unnamed[name] = said
    return NamedNode(node.switch, name, "", adapter)


def _number(guid: str) -> int:
    """Return a GUID as a number; 0 where it is unknown."""
    return int(guid or "0", 16)
