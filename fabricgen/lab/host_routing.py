"""The emitted FRR of hosts with unnumbered links, a GPU's part at a time.

In a lab each GPU has a namespace of its own, and its host's frr.conf is for all of them. Owns the
division: each line of the file runs in the namespace whose NIC port it concerns, and those that
concern none in all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.lab.topology import Wire

DAEMONS = """\
bgpd=yes
zebra_options="-A 127.0.0.1"
bgpd_options="-A 127.0.0.1"
"""
"""What a host's own file of daemons must enable."""

_PORT = re.compile(r"^interface (\S+)\n description ([^:\s]+):(\S+) ", re.MULTILINE)
_OWN = r"prefix-list {}-own seq \d+ permit (\S+)"


def part_of_gpu(frr_conf: str, wires: Iterable[Wire]) -> str:
    """Return the lines for the NIC ports at the lower ends of these wires, with the lab's names."""
    ports = {(wire.b, wire.b_interface): wire.a_interface for wire in wires}
    for name, leaf, leaf_interface in _PORT.findall(frr_conf):
        word = rf"(?<![\w.-]){re.escape(name)}(?![\w.])"
        if own := ports.get((leaf, leaf_interface)):
            frr_conf = re.sub(word, own, frr_conf)
        else:
            address = re.findall(_OWN.format(re.escape(name)), frr_conf)[0]
            frr_conf = re.sub(
                rf"^interface {re.escape(name)}\n(?: .*\n)*exit\n", "", frr_conf, flags=re.MULTILINE
            )
            frr_conf = re.sub(
                rf"^.*(?:{word}|network {re.escape(address)}$).*\n",
                "",
                frr_conf,
                flags=re.MULTILINE,
            )
    return frr_conf
