"""The parts of an emitted frr.conf that run in one namespace each.

In a lab each GPU has a namespace of its own, and its host's file is for all of them; each rail of a
shared switch has one as well, because a kernel may have no VRFs. Owns both divisions: a line runs
in the namespace of its NIC port or VRF, and those that concern none in all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DAEMONS = """\
bgpd=yes
zebra_options="-A 127.0.0.1"
bgpd_options="-A 127.0.0.1"
"""
"""What a host's own file of daemons must enable."""

_PORT = re.compile(r"^interface (\S+)\n description ([^:\s]+):(\S+) ", re.MULTILINE)
_OWN = r"prefix-list {}-own seq \d+ permit (\S+)"


def part_of_gpu(frr_conf: str, ports: Mapping[tuple[str, str], str]) -> str:
    """Return the lines for some NIC ports, with the lab's names: those by leaf and leaf port."""
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


def part_of_vrf(frr_conf: str, vrf: str) -> str:
    """Return the lines for a VRF of a switch, as those of the only instance."""
    own = re.sub(rf"^(router bgp \d+) vrf {re.escape(vrf)}$", r"\1", frr_conf, flags=re.MULTILINE)
    return re.sub(r"^router bgp \d+ vrf .*\n(?: .*\n)*exit\n", "", own, flags=re.MULTILINE)
