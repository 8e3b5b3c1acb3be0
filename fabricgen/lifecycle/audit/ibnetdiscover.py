"""The output of `ibnetdiscover`: switches and channel adapters with the far end of each port.

Owns its grammar and the names in InfiniBand. A switch port is a number, written `#33` here, because
the subnet knows nothing else; `port_index` finds the interface. The NodeDescription of a host is
its name and that of the adapter, like `host-01 mlx5_0`; that of a managed switch may be
`MF0;leaf-01:MQM9700/U1`. A switch that aggregates (SHARP) has an adapter inside, behind a port
without a cage: it is not a cable.
"""

from __future__ import annotations

import re

from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords, UnreadableError

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*#\s*"([^"]*)"')
_PORT = re.compile(r'\[(\d+)\](?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')
_MANAGED = re.compile(r"MF\d+;(.+?):[^:]*/[A-Z]\d+")

INNER = "Aggregation Node"
"""The description of an adapter inside a switch (SHARP)."""

Node = tuple[str, str]
"""The name of a node's device, and the prefix of its port numbers."""


def is_discovery(text: str) -> bool:
    """Return whether a text is output of `ibnetdiscover`."""
    return bool(re.search(r'^(Switch|Ca)\s+\d+\s+"', text, re.MULTILINE))


def read_discovery(text: str) -> NeighborRecords:
    """Parse the nodes and links of a subnet. Raises UnreadableError with the line."""
    evidence, nodes, inner = NeighborRecords(), dict[str, Node](), set[str]()
    links: list[tuple[str, str, str, str]] = []
    at = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if node := _NODE.match(line):
            at = node[3]
            if INNER in node[4]:
                inner.add(at)
                continue
            nodes[at] = _node(node[1], node[4])
            evidence.reporters.add(nodes[at][0])
        elif line.startswith("["):
            joint = _PORT.match(line)
            if joint is None or not at:
                raise UnreadableError("this line is not a port of a switch or an adapter", number)
            links.append((at, joint[1], joint[2], joint[3]))
        elif line.startswith(("Switch", "Ca")):
            raise UnreadableError("this line names no switch or adapter", number)
    for near, port, far, far_port in links:
        if inner & {near, far}:
            continue
        peer, word = (nodes[far][0], _port(nodes[far], far_port)) if far in nodes else ("", "")
        evidence.records.append(
            NeighborRecord(nodes[near][0], _port(nodes[near], port), peer, (word,) if word else ())
        )
    return evidence


def _node(kind: str, description: str) -> Node:
    """Parse a NodeDescription."""
    if kind == "Switch":
        managed = _MANAGED.match(description)
        return (managed[1] if managed else description.strip(), "#")
    host, _, adapter = description.strip().partition(" ")
    return host, adapter


def _port(node: Node, number: str) -> str:
    """Return the name of a port: by its number on a switch, by the adapter on a host."""
    if node[1] == "#":
        return f"#{number}"
    return node[1] if number == "1" else f"{node[1]}/{number}"
