"""What templates of hosts see: the shapes of finished, sorted, named values.

The rules of `views` hold here too: every decision is text or number, and a template only loops,
tests and joins. `hosting` makes these views, `nccl` the settings in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.views.protocols import RoceView, TimersView

MAIN_TABLE = 254
"""The kernel's number of the table `main`."""


@dataclass(slots=True)
class RouteView:
    """One route of a host; without a gateway it is unreachable, and what it catches fails at once."""

    destination: str
    """A prefix; all addresses are 0.0.0.0/0."""
    gateway: str
    """Empty where the route is unreachable."""
    source: str
    table: int
    metric: int
    """The lower wins; 0 where it does not matter."""
    why: str


@dataclass(slots=True)
class RuleView:
    """One routing rule: packets from an address, to a prefix if one is given, look into a table."""

    source: str
    destination: str
    """Empty for all."""
    table: int
    priority: int


@dataclass(slots=True, kw_only=True)
class NicView:
    """One NIC port of a host, and the leaf port that it is cabled to."""

    gpu: str
    rail: int
    plane: int
    interface: str
    """What the host's system calls it; a placeholder where `HostView.placeholders` says so."""
    label: str
    """What is printed beside it."""
    rdma: str
    """The RDMA device; empty where the catalog does not know it."""
    pci: str
    """The PCI address with its domain; empty where the catalog does not know it."""
    address: str
    """Its address, without a length; empty on InfiniBand, where no address is planned."""
    prefix_length: int
    gateway: str
    """The leaf's end of the link; empty where links are unnumbered."""
    leaf: str
    leaf_interface: str
    leaf_alias: str
    """What is printed on the leaf, where its system keeps such a second name and LLDP may tell it."""
    cable: str
    rail_prefix: str
    """The addresses that this port reaches: of its rail and plane, or of its plane where the design joins rails."""
    table: int
    """Its own routing table: 1000 and up, in order of rank and plane, so that hosts alike number alike."""
    routes: list[RouteView]
    rules: list[RuleView]


@dataclass(slots=True)
class Setting:
    """One line of nccl.conf, with the lines of comment that stand above it; without a value it is not set, and the comment says why."""

    name: str
    value: str
    why: list[str]


@dataclass(slots=True, kw_only=True)
class HostView:
    """One host and everything that its files say."""

    name: str
    fabric: str
    design: str
    transport: str
    """Ethernet or infiniband, in lower case."""
    domain: int
    """Its HB domain, from 0."""
    numbered: bool
    placeholders: bool
    """Whether the interface names are made up, because the catalog does not know them."""
    notes: list[str]
    """What a reader of any of the files should know, a sentence or two each."""
    speed_mbps: int
    mtu: int
    timers: TimersView
    roce: RoceView
    nics: list[NicView]
    """In order of GPU, then plane."""
    kernel: list[tuple[str, int]]
    """Settings of every NIC port under net.ipv4.conf."""
    routes: list[RouteView]
    """Routes that belong to no NIC."""
    asn: int
    """AS number of all hosts, which speak BGP only where their links are unnumbered."""
    router_id: str
    nccl: list[Setting]
