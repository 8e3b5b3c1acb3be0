"""The output of `ibnetdiscover`: every switch and every channel adapter with the far end of each of its ports.

Owns its grammar and how InfiniBand names things. A port of a switch is a number, written `#33`
here, because that is what the subnet knows; `places` finds the interface. A host's NodeDescription
is its name and the adapter's, as `host-01 mlx5_0`; a managed switch's may be
`MF0;leaf-01:MQM9700/U1`. A switch that sums for its hosts has an adapter inside, behind a port that
has no cage: it is no cable.
"""

from __future__ import annotations

import re

from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords, UnreadableError

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*#\s*"([^"]*)"')
_PORT = re.compile(r'\[(\d+)\](?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')
_MANAGED = re.compile(r"MF\d+;(.+?):[^:]*/[A-Z]\d+")

INNER = "Aggregation Node"
"""What the description of an adapter inside a switch says (SHARP)."""

Node = tuple[str, str]
"""What stands for a node: its device, and what stands before a port's number."""


def is_discovery(text: str) -> bool:
    """Say whether a text is what `ibnetdiscover` prints."""
    return bool(re.search(r'^(Switch|Ca)\s+\d+\s+"', text, re.MULTILINE))


def read_discovery(text: str) -> NeighborRecords:
    """Read what a subnet is made of. Raises UnreadableError with the line."""
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
                raise UnreadableError("this line is no port of a switch or an adapter", number)
            links.append((at, joint[1], joint[2], joint[3]))
        elif line.startswith(("Switch", "Ca")):
            raise UnreadableError("this line names no switch or adapter", number)
    for near, port, far, far_port in links:
        if inner & {near, far}:
            continue
        peer, word = (nodes[far][0], _port(nodes[far], far_port)) if far in nodes else ("", "")
        evidence.heard.append(
            NeighborRecord(nodes[near][0], _port(nodes[near], port), peer, (word,) if word else ())
        )
    return evidence


def _node(kind: str, description: str) -> Node:
    """Take a NodeDescription apart."""
    if kind == "Switch":
        managed = _MANAGED.match(description)
        return (managed[1] if managed else description.strip(), "#")
    host, _, adapter = description.strip().partition(" ")
    return host, adapter


def _port(node: Node, number: str) -> str:
    """Name a port: a switch's by its number, an adapter's only port by the adapter."""
    if node[1] == "#":
        return f"#{number}"
    return node[1] if number == "1" else f"{node[1]}/{number}"
