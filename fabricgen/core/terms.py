"""The terms of the field as values: designs, roles, link kinds, speeds and ratios.

Every other module shares them. It knows no file format, no vendor and no plan. Standard library
only.
"""

from __future__ import annotations

import re
from enum import IntEnum, StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Literal

Family = Literal["ipv4", "ipv6"]
"""A family of addresses."""


COMPUTE = "compute"
"""The name of the network between GPUs among those of a cluster."""

DEVICES = "devices"
"""The name of the links between devices and leaves of the compute fabric, which are planned as a
network without switches of its own."""

PEERS = "peers"
"""The name of the links between the two devices of each pair, a network without any switch."""

UPLINKS = "uplinks"
"""The name of the links between access switches and switches of the compute fabric, a network
without switches of its own."""


class Design(StrEnum):
    """How NIC ports are mapped onto blocks."""

    RAIL_ONLY = "rail-only"
    RAIL_OPTIMIZED = "rail-optimized"
    FAT_TREE = "fat-tree"


class Role(StrEnum):
    """The role of a switch in its block; roles are in order of the tier, from 1."""

    LEAF = "leaf"
    SPINE = "spine"
    CORE = "core"

    @cached_property
    def tier(self) -> int:
        """The tier: 1 leaf, 2 spine, 3 core.

        >>> Role.SPINE.tier
        2
        """
        return ROLES.index(self) + 1


ROLES: tuple[Role, ...] = (Role.LEAF, Role.SPINE, Role.CORE)


class LinkKind(IntEnum):
    """What a link joins: two tiers, the value being that of its upper end, or two of a kind.

    These are hosts (0) and the leaves of a pair (4).
    """

    HOST = 1
    LEAF_SPINE = 2
    SPINE_CORE = 3
    DIRECT = 0
    PEER = 4

    @cached_property
    def key(self) -> str:
        """The name in JSON and in column headers.

        >>> LinkKind.LEAF_SPINE.key
        'leaf_spine'
        """
        return self.name.lower()

    @cached_property
    def setting(self) -> str:
        """The key of the inventory that decides on its cables: a pair is joined as to spines.

        >>> LinkKind.PEER.setting
        'leaf_spine'
        """
        return (LinkKind.LEAF_SPINE if self is LinkKind.PEER else self).key

    @cached_property
    def upper(self) -> Role:
        """The role of the switch at the upper end, a leaf for a pair; a direct link has none."""
        return Role.LEAF if self is LinkKind.PEER else ROLES[CLOS_KINDS.index(self)]

    @cached_property
    def lower(self) -> Role | None:
        """The role of the switch at the lower end; None for a host."""
        if self is LinkKind.PEER:
            return Role.LEAF
        return ROLES[self - 2] if self > 1 else None

    def role(self, end: Literal["lower", "upper"]) -> Role | None:
        """Return the role of the switch at an end; None for a host.

        >>> LinkKind.HOST.role("upper"), LinkKind.DIRECT.role("upper")
        (<Role.LEAF: 'leaf'>, None)
        """
        return self.lower if end == "lower" or self is LinkKind.DIRECT else self.upper


CLOS_KINDS: tuple[LinkKind, ...] = (LinkKind.HOST, LinkKind.LEAF_SPINE, LinkKind.SPINE_CORE)
"""The kinds of link of a folded Clos, from the hosts up."""


FASTEST_GBPS = 1_000_000
"""A hundred times the HB bandwidth of any GPU; a faster link is a mistake."""

MOST_TIMES = 4096
"""The ports of the largest switch: no leaf is more oversubscribed."""

LONGEST_NUMBER = 40
"""Characters of a speed or a ratio."""

_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*(G|T)(bps|b/s|bit/s)?", re.IGNORECASE)
BYTES = ("B/s", "Bps")
"""The ends of a rate that is in bytes, with a capital letter."""

_RATIO = re.compile(r"(\d+(?:\.\d+)?)(?:\s*:\s*(\d+(?:\.\d+)?))?")


def parse_speed(text: object) -> int:
    """Parse a bit rate, in whole Gbps, from `400G`, `400Gbps`, `7.68Tbps` or a number of Gbps.

    Data sheets of scale-up interconnects have bytes: `450GB/s` and `450GBps` are 3,600 Gbps.

    Raises ValueError for anything else, and for a rate of zero.

    >>> parse_speed("7.68Tbps")
    7680
    >>> parse_speed(400), parse_speed("450GB/s"), parse_speed("400 Gb/s")
    (400, 3600, 400)
    """
    found = (
        None
        if isinstance(text, bool) or len(str(text)) > LONGEST_NUMBER
        else _SPEED.fullmatch(f"{text}G" if isinstance(text, int) else str(text).strip())
    )
    value = Fraction(found[1]) * (1000 if found[2].upper() == "T" else 1) if found else Fraction(0)
    value *= 8 if found and found[3] in BYTES else 1
    if value <= 0 or value.denominator != 1:
        raise ValueError("a speed is written like 400G, 800G or 7.68Tbps")
    if value > FASTEST_GBPS:
        raise ValueError(f"a speed is at most {FASTEST_GBPS // 1000}T")
    return int(value)


def speed_text(gbps: int) -> str:
    """Format a bit rate as breakouts and data sheets do.

    >>> speed_text(400)
    '400G'
    >>> speed_text(1600)
    '1.6T'
    """
    if not gbps:  # console servers
        return "serial"
    if gbps > 1000:  # noqa: PLR2004 - Gbps per Tbps
        return f"{gbps / 1000:g}T"
    return f"{gbps}G"


def parse_ratio(text: object) -> Fraction:
    """Parse an oversubscription `down:up` as an exact fraction.

    Raises ValueError for anything that is not a positive ratio.

    >>> parse_ratio("3:1")
    Fraction(3, 1)
    >>> parse_ratio(1.5)
    Fraction(3, 2)
    """
    found = None if isinstance(text, bool) else _RATIO.fullmatch(str(text).strip())
    if found is None or not float(found[2] or 1) or not float(found[1]):
        raise ValueError("an oversubscription is written down:up, like 1:1 or 3:1")
    ratio = Fraction(found[1]) / Fraction(found[2] or "1")
    if max(ratio, 1 / ratio) > MOST_TIMES or len(found[0]) > LONGEST_NUMBER:
        raise ValueError(f"an oversubscription is at most {MOST_TIMES}:1, in few digits")
    return ratio


def ratio_text(ratio: Fraction) -> str:
    """Format a ratio as `down:up`.

    >>> ratio_text(Fraction(3, 2))
    '3:2'
    """
    return f"{ratio.numerator}:{ratio.denominator}"
