"""Settings that the ends of a link share: MTU, BFD, timers, and the lossless class.

Every switch and host of a plan has the same values; the law `ends-agree` verifies it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.settings import Bgp, Roce, Timers

DSCPS = 64
"""Values of the DSCP field (RFC 2474)."""

QUEUES = 8
"""Queues of a port, one for each priority of PFC (IEEE 802.1Q)."""

CONTROL_DSCPS = (48, 56)
"""CS6 and CS7, which routing protocols and BFD use (RFC 4594); they are served with the CNPs."""

QUEUE_LIMIT_FACTOR = 4
"""A queue ends at this multiple of the depth at which ECN marks most, so nothing is dropped."""

RESPONSE_QUANTA = {
    10_000: 67,
    25_000: 80,
    40_000: 118,
    50_000: 147,
    100_000: 394,
    200_000: 453,
    400_000: 905,
    800_000: 905,
}
"""Time that a port may take to obey a pause, in quanta, by its speed in Mb/s.

IEEE 802.3, 31B.3.7, as SONiC has it (`buffer_headroom_mellanox.lua`); faster ports as the fastest.
"""

QUANTUM_BYTES = 64
"""A quantum of pauses is 512 bits."""

METRES_PER_MICROSECOND = 198
"""Speed of light in fibre, as SONiC has it."""

UNKNOWN_LENGTH_M = 300
"""Cable for which a port has headroom where the inventory describes no room."""

HEADROOM_STEP = 65_536
"""Headroom is a multiple of it, which leaves room for packets that fill buffer cells in part."""

SHARE_PERCENT = 50
"""Bandwidth of RoCE traffic, and of the rest; the few notifications are served before both."""


@dataclass(frozen=True, slots=True)
class TimersView:
    """Timers of BGP and BFD; each name ends in its unit."""

    keepalive_s: int
    hold_s: int
    connect_retry_s: int
    bfd_interval_ms: int
    """Between BFD packets, sent and expected."""
    bfd_multiplier: int

    @classmethod
    def of(cls, timers: Timers) -> Self:
        """Take the timers of an inventory."""
        return cls(**{known.name: getattr(timers, known.name) for known in fields(cls)})


@dataclass(frozen=True, slots=True)
class BgpView:
    """Protection and restart of BGP sessions."""

    ttl_security: bool
    """Whether a session accepts packets of its direct neighbour only, by their TTL (RFC 5082)."""
    graceful_restart: bool
    """Whether neighbours keep forwarding while BGP restarts (RFC 4724)."""
    password: str
    """The reference to the key of TCP MD5 between switches, or nothing."""
    hosts_password: str
    """The same for the sessions between leaves and hosts."""
    max_prefixes: str
    """What happens above `Instance.prefix_limit`: `warn`, `teardown`, or nothing set."""

    @classmethod
    def of(cls, bgp: Bgp) -> Self:
        """Take the settings of an inventory."""
        return cls(
            bgp.ttl_security,
            bgp.graceful_restart,
            bgp.password or "",
            bgp.hosts_password or "",
            bgp.max_prefixes or "",
        )


class DscpClass(NamedTuple):
    """A DSCP and its traffic class."""

    dscp: int
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoceView:
    """The lossless class, the same on every switch and host."""

    dscp: int
    """DSCP of RoCE traffic."""
    priority: int
    """Traffic class, queue and PFC priority of RoCE traffic."""
    cnp_dscp: int
    """DSCP of congestion notification packets."""
    cnp_priority: int
    """Traffic class and queue of `strict_dscps`, served first."""
    ecn_minimum_bytes: int
    """Queue depth at which ECN marking starts."""
    ecn_maximum_bytes: int
    """Queue depth at which `ecn_probability_percent` of packets are marked; above it all are."""
    ecn_probability_percent: int
    pfc_watchdog_ms: int
    """Pause after which the PFC watchdog drops the packets of a queue."""
    pfc_restore_ms: int
    """Time after which the PFC watchdog lets the queue send again."""
    headroom_bytes: int
    """Buffer of each port for packets that arrive after it sent a pause.

    It is 0 where the inventory has none, and each port has its own by speed and length.
    """
    queue_limit_bytes: int
    """Where the queue ends."""
    queue_limit_factor: int
    """The same as a multiple of `ecn_maximum_bytes`."""
    share_percent: int
    """Bandwidth of RoCE traffic, and of the rest."""
    strict_dscps: tuple[int, ...]
    """Every DSCP of class `cnp_priority`, in order: CNPs, CS6 and CS7."""
    classes: tuple[int, ...]
    """The traffic class of each DSCP, from 0 to 63."""
    dscp_classes: tuple[DscpClass, ...]
    """The same, with the DSCPs."""
    other_dscps: tuple[int, ...]
    """Every DSCP of class 0, in order."""
    lossy_queues: tuple[str, ...]
    """The queues other than that of RoCE, as ranges like `4-7`."""

    @classmethod
    def of(cls, roce: Roce) -> Self:
        """Take the settings of an inventory, and derive the rest."""
        own = dict.fromkeys((*CONTROL_DSCPS, roce.cnp_dscp), roce.cnp_priority)
        own[roce.dscp] = roce.priority
        given = {known.name for known in fields(cls)} & type(roce).model_fields.keys()
        given.remove("headroom_bytes")
        return cls(
            **{name: getattr(roce, name) for name in given},
            headroom_bytes=roce.headroom_bytes or 0,
            queue_limit_bytes=QUEUE_LIMIT_FACTOR * roce.ecn_maximum_bytes,
            queue_limit_factor=QUEUE_LIMIT_FACTOR,
            share_percent=SHARE_PERCENT,
            strict_dscps=tuple(sorted(own.keys() - {roce.dscp})),
            classes=tuple(own.get(dscp, 0) for dscp in range(DSCPS)),
            dscp_classes=tuple(DscpClass(dscp, own.get(dscp, 0)) for dscp in range(DSCPS)),
            other_dscps=tuple(dscp for dscp in range(DSCPS) if dscp not in own),
            lossy_queues=_ranges_around(roce.priority),
        )


def _ranges_around(queue: int) -> tuple[str, ...]:
    """Return the other queues as ranges.

    >>> _ranges_around(3), _ranges_around(1), _ranges_around(7)
    (('0-2', '4-7'), ('0', '2-7'), ('0-6',))
    """
    ends = ((0, queue - 1), (queue + 1, QUEUES - 1))
    return tuple(
        f"{first}-{last}" if first < last else f"{first}" for first, last in ends if first <= last
    )


@cache
def headroom_bytes(speed_mbps: int, length_m: int, mtu: int) -> int:
    """Return the buffer that a port needs for what arrives after it sent a pause.

    IEEE 802.1Qbb, Annex O: what is on the cable both ways, a packet that delays the pause and one
    that the peer has begun, and what the peer sends until it obeys.
    """
    both_ways = 2 * (length_m or UNKNOWN_LENGTH_M)
    on_cable = both_ways * speed_mbps // (METRES_PER_MICROSECOND * 8)
    quanta = RESPONSE_QUANTA.get(speed_mbps, max(RESPONSE_QUANTA.values()))
    needed = on_cable + 2 * mtu + quanta * QUANTUM_BYTES
    return -(-needed // HEADROOM_STEP) * HEADROOM_STEP


class LinkSettings(NamedTuple):
    """The settings of a device that the far ends of its links have to share."""

    mtu: int
    bfd: bool
    timers: TimersView
    roce: RoceView
    bgp: BgpView

    @classmethod
    def of(cls, spec: FabricSpec) -> Self:
        """Take the settings of an inventory."""
        addressing = spec.addressing
        return cls(
            mtu=addressing.mtu,
            bfd=addressing.bfd,
            timers=TimersView.of(addressing.timers),
            roce=RoceView.of(spec.roce),
            bgp=BgpView.of(addressing.bgp),
        )
