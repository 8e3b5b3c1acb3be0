"""The output of `iblinkinfo`: a line for each port, below its node or with it (`-l`).

Owns both grammars, as infiniband-diags 44 prints them; older versions have the same. A line below
its node names the far end by its LID: `subnet_names` owns the names of the nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.subnet_names import DiscoveredSubnet, Node, SubnetEnd

if TYPE_CHECKING:
    from fabricgen.lifecycle.audit.neighbors import NeighborRecords
    from fabricgen.lifecycle.audit.subnet_names import Owners

_HEAD = re.compile(r"(Switch|CA|RT):\s+(?:0x([0-9a-fA-F]+)\s+)?(.*):\s*")
_FAR = (
    r"\[[^\]]*\]\s*==\([^)]*\)==>"
    r"\s+(?:0x([0-9a-fA-F]+)\s+)?(?:(\d+)\s+(\d+))?\s*\[[^\]]*\]\s*\"(.{0,99})\""
)
_BELOW = re.compile(r"\s+(?:0x([0-9a-fA-F]+)\s+)?(\d+)\s+(\d+)" + _FAR)
_LINE = re.compile(r"0x([0-9a-fA-F]+)\s+\"(.{0,99}?)\"\s+(\d+)\s+(\d+)" + _FAR)


def is_link_list(text: str) -> bool:
    """Return whether a text is output of `iblinkinfo`."""
    return bool(re.search(r"\[[^\[\]\n]*\][ \t]*==\([^()\n]*\)==>", text))


def read_link_list(text: str, owners: Owners = dict) -> NeighborRecords:
    """Parse the links of a subnet; a port that is down has no far end."""
    lines = text.splitlines()
    single = [found for line in lines if (found := _LINE.match(line.lstrip()))]
    return (_single(single) if single else _below(lines)).records(owners)


def _single(lines: list[re.Match[str]]) -> DiscoveredSubnet:
    """Parse `-l`: a switch has a line for each of its ports, an adapter's port one."""
    subnet, times = DiscoveredSubnet(), Counter(found[1] for found in lines)
    for found in lines:
        subnet.nodes[found[1]] = Node(times[found[1]] > 1, found[1], found[2].strip())
    for found in lines:
        guid, _, _, port, far, _, far_port, description = found.groups()
        if far and far_port:
            subnet.nodes.setdefault(far, Node(switch=False, guid=far, description=description))
            subnet.links.append(
                (SubnetEnd(guid, int(port), guid), SubnetEnd(far, int(far_port), far))
            )
    return subnet


def _below(lines: list[str]) -> DiscoveredSubnet:
    """Parse the blocks: a switch and its ports, or an adapter and its port."""
    subnet, switch, guid, description = DiscoveredSubnet(), False, "", ""
    for line in lines:
        if head := _HEAD.fullmatch(line.strip()):
            switch, guid, description = head[1] == "Switch", head[2] or "", head[3].strip()
        elif found := _BELOW.match(line):
            own, key, port, _, far, far_port, name = found.groups()
            own = own or guid
            if key == "0":  # no LID has been given yet
                key, far = own, far and f"{own}.{port}"
            subnet.nodes[key] = Node(switch, own, description)
            if far:
                subnet.nodes.setdefault(far, Node(switch=False, guid="", description=name))
                subnet.links.append((SubnetEnd(key, int(port), own), SubnetEnd(far, int(far_port))))
    return subnet
