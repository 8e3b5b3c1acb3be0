"""The constants of Linux that differ between IPv4 and IPv6: of sockets, headers and the kernel.

Python does not name all of them on every platform.
"""

from __future__ import annotations

import socket
from typing import NamedTuple


class SocketFamily(NamedTuple):
    """An address family as the lab's sockets use it."""

    number: socket.AddressFamily
    level: int
    """Of its socket options, and of the messages that come with a packet."""
    hops: int
    """The option that limits the hops of sent packets."""
    errors: int
    """The option to receive ICMP errors, and the kind of message that has one."""
    discovery: int
    """The option to send packets uncut; its value is `UNCUT`."""
    offender: slice
    """Position of the sender's address in an error: after struct sock_extended_err of 16 bytes."""
    header_bytes: int
    """Of IP and UDP."""
    forwarding: str
    """The kernel's key that enables forwarding."""


UNCUT = 2
"""IP_PMTUDISC_DO and IPV6_PMTUDISC_DO."""

IPV4 = SocketFamily(
    number=socket.AF_INET,
    level=socket.IPPROTO_IP,
    hops=socket.IP_TTL,
    errors=11,
    discovery=10,
    offender=slice(20, 24),
    header_bytes=28,
    forwarding="net.ipv4.ip_forward",
)
IPV6 = SocketFamily(
    number=socket.AF_INET6,
    level=socket.IPPROTO_IPV6,
    hops=socket.IPV6_UNICAST_HOPS,
    errors=25,
    discovery=23,
    offender=slice(24, 40),
    header_bytes=48,
    forwarding="net.ipv6.conf.all.forwarding",
)


FAMILIES = {"ipv4": IPV4, "ipv6": IPV6}


def family_of(address: str) -> SocketFamily:
    """Return the family of an address."""
    return IPV6 if ":" in address else IPV4
