"""What templates see of the order in which configurations are loaded onto switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.core.terms import Family


@dataclass(slots=True, kw_only=True)
class PlayView:
    """The switches of one role or of one NOS in a segment."""

    name: str
    pattern: str
    """The pattern of Ansible that selects them."""
    nos: str


@dataclass(slots=True, kw_only=True)
class PushSegmentView:
    """Switches whose BGP sessions are all among themselves: one plane, or some rails of one."""

    name: str
    phase: str
    """The phase of the inventory that installs it; empty without phases."""
    loads: list[PlayView]
    """By role: cores, spines, then leaves."""
    checks: list[PlayView]
    """By NOS."""


@dataclass(slots=True, kw_only=True)
class PushSystemView:
    """One NOS."""

    nos: str
    group: str
    """Its group in the inventory of Ansible."""
    switches: int
    follows: str
    """The documents that its tasks follow."""
    restores: str
    """How a switch restores what it had before."""
    afterwards: str
    """What is left to do after a load and after a boot, or nothing."""
    unverified: str
    collections: dict[str, str]
    """The collections of Ansible that its tasks use, with their versions."""
    variables: dict[str, str | bool | tuple[str | dict[str, str], ...]]
    """How Ansible connects to its switches."""


@dataclass(slots=True, kw_only=True)
class PushView:
    """The order of work, and the systems that have playbooks."""

    fabric: str
    user: str
    """The first administrator of the inventory with a key."""
    family: Family
    """Of all addresses of the fabric: `ipv4` or `ipv6`."""
    segments: list[PushSegmentView]
    systems: list[PushSystemView]
    collections: dict[str, str]
    """Those of all systems."""
    has_secrets: bool
    """Whether the inventory refers to secrets."""
