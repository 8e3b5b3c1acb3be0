"""The output of `ibnetdiscover`: switches and channel adapters with the far end of each port.

Owns its grammar, and that of its list of ports (`-p`); both are as infiniband-diags 44 prints them.
`subnet_names` owns the names of the nodes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError
from fabricgen.lifecycle.audit.subnet_names import DiscoveredSubnet, Node, SubnetEnd

if TYPE_CHECKING:
    from fabricgen.lifecycle.audit.subnet_names import Owners

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*#\s*"([^"]*)"')
_PORT = re.compile(r'\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s+"([^"]+)"\[(\d+)\](?:\(([0-9a-fA-F]+)\))?')
_GUID = re.compile(r"[A-Z]-([0-9a-fA-F]+)")
_LISTED = re.compile(
    r"(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-fA-F]+)\s+\S+\s+\S+"
    r"(?:\s+-\s+(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-fA-F]+)\s+\(\s+'(.{0,99})'\s+-\s+'(.{0,99})'\s+\)"
    r"|\s+'(.{0,99})')\s*"
)


def is_discovery(text: str) -> bool:
    """Return whether a text is output of `ibnetdiscover`."""
    return bool(re.search(r'^(Switch|Ca)\s+\d+\s+"', text, re.MULTILINE))


def is_port_list(text: str) -> bool:
    """Return whether a text is output of `ibnetdiscover -p`."""
    return bool(re.search(r"^(SW|CA|RT)\s+\d+\s+\d+\s+0x[0-9a-fA-F]{16}\s", text, re.MULTILINE))


def read_discovery(text: str, owners: Owners = dict) -> NeighborRecords:
    """Parse the nodes and links of a subnet. Raises UnreadableError with the line."""
    subnet, at = DiscoveredSubnet(), ""
    for number, line in enumerate(text.splitlines(), start=1):
        if node := _NODE.match(line):
            at, guid = node[3], _GUID.fullmatch(node[3])
            subnet.nodes[at] = Node(node[1] == "Switch", guid[1] if guid else "", node[4])
        elif line.startswith("["):
            joint = _PORT.match(line)
            if joint is None or not at:
                raise UnreadableError("this line is not a port of a switch or an adapter", number)
            port, near, node_key, far_port, far = joint.groups("")
            subnet.links.append(
                (SubnetEnd(at, int(port), near), SubnetEnd(node_key, int(far_port), far))
            )
        elif line.startswith(("Switch", "Ca")):
            raise UnreadableError("this line names no switch or adapter", number)
    return subnet.records(owners)


def read_port_list(text: str, owners: Owners = dict) -> NeighborRecords:
    """Parse `-p`: a line for each port; ports of adapters have GUIDs of their own."""
    subnet = DiscoveredSubnet()
    for found in filter(None, map(_LISTED.fullmatch, text.splitlines())):
        near = _listed(subnet, found.groups()[:4], found[9] or found[11] or "")
        if found[5]:
            subnet.links.append((near, _listed(subnet, found.groups()[4:8], found[10] or "")))
    return subnet.records(owners)


def _listed(subnet: DiscoveredSubnet, facts: tuple[str, ...], description: str) -> SubnetEnd:
    """Return an end of a list, and keep its node."""
    kind, _, port, guid = facts
    subnet.nodes[guid] = Node(kind == "SW", guid, description)
    return SubnetEnd(guid, int(port), guid)
