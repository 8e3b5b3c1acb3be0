"""The part of the emitted frr.conf of a host of direct rails that one of its GPUs runs in a lab."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INTERFACE = re.compile(r"^interface (\S+)\n(?: .*\n)*exit\n", re.MULTILINE)
_RAIL = re.compile(
    r"^\S+ prefix-list \S+ seq \d+ permit (\S+) .*\nroute-map .*\n(?: .*\n)* set src .*\nexit\n",
    re.MULTILINE,
)
_NETWORK = re.compile(r"^  network (\S+)/\d+\n", re.MULTILINE)


def as_router(frr_conf: str, number: int, router_id: str) -> str:
    """Return the lines with an AS number and a router ID of their own.

    GPUs of one host on one rail are routers apart in a lab, and one on the host.
    """
    own = re.sub(r"^router bgp \d+", f"router bgp {number}", frr_conf, flags=re.MULTILINE)
    return re.sub(r"^ bgp router-id .*", f" bgp router-id {router_id}", own, flags=re.MULTILINE)


def part_of_gpu(frr_conf: str, interfaces: Mapping[str, str], addresses: Sequence[str]) -> str:
    """Return the lines for the links of a GPU, and for its addresses, with the lab's names.

    `interfaces` are the lab's names by those of the host.
    """

    def rail(found: re.Match[str]) -> str:
        inside = [each for each in addresses if ip_address(each) in ip_network(found[1])]
        return re.sub(r" set src .*", f" set src {inside[0]}", found[0]) if inside else ""

    for name in _INTERFACE.findall(frr_conf):
        line, own = rf"^(interface| +neighbor) {re.escape(name)}(?=\s)", interfaces.get(name)
        block = rf"^interface {re.escape(name)}\n(?: .*\n)*exit\n"
        if own:
            frr_conf = re.sub(line, rf"\1 {own}", frr_conf, flags=re.MULTILINE)
        else:
            frr_conf = re.sub(block, "", frr_conf, flags=re.MULTILINE)
            frr_conf = re.sub(rf"{line}.*\n", "", frr_conf, flags=re.MULTILINE)
    frr_conf = _RAIL.sub(rail, frr_conf)
    return _NETWORK.sub(lambda found: found[0] if found[1] in addresses else "", frr_conf)
