"""What templates see of a host: its NIC ports, addresses, routes and settings.

`build` makes these views, and `nccl` the settings in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabricgen.core.terms import Family
    from fabricgen.views.protocols import BgpView, RoceView, TimersView

MAIN_TABLE = 254
"""The kernel's number of the table `main`."""


@dataclass(slots=True)
class RouteView:
    """One route of a host; without a gateway it is unreachable, and its packets fail at once."""

    destination: str
    """A prefix; all addresses are 0.0.0.0/0 or ::/0."""
    gateway: str
    """Empty where the route is unreachable."""
    source: str
    table: int
    metric: int
    """The lowest is preferred; 0 where the table has no other route to the destination."""
    why: str


@dataclass(slots=True)
class RuleView:
    """One routing rule: the table for packets from an address, and to a prefix if one is given."""

    source: str
    destination: str
    """Empty for all."""
    table: int
    priority: int


@dataclass(slots=True, kw_only=True)
class DirectRailView:
    """A rail on a plane without switches, as a host on it sees it."""

    name: str
    """`rail0`, or `rail0-plane1` where there are several planes."""
    rail: int
    plane: int
    gpus: list[str]
    """The host's GPUs on it."""
    addresses: list[str]
    """Their addresses, without a length."""
    interfaces: list[str]
    """Those of its links here."""
    prefix: str
    """The addresses of all its GPUs."""
    link_prefix: str
    """The addresses of all its links."""
    table: int
    """The routing table that rejects what would leave it."""


@dataclass(slots=True, kw_only=True)
class NicView:
    """One NIC port of a host, and the leaf port that it is cabled to.

    On direct rails it is one link of a NIC port, and the host at its far end is in place of a leaf.
    """

    gpu: str
    rail: int
    plane: int
    interface: str
    """Its name in the host's system; a placeholder where `HostView.placeholders` is set."""
    label: str
    """The text printed beside it."""
    rdma: str
    """The RDMA device; empty where it is unknown."""
    pci: str
    """The PCI address with its domain; empty where it is unknown."""
    address: str
    """Its address, without a length; empty on InfiniBand, where no address is planned."""
    prefix_length: int
    gateway: str
    """The leaf's end of the link; empty where links are unnumbered."""
    leaf: str
    leaf_interface: str
    leaf_alias: str
    """The name printed on the leaf, where its system has such a second name; LLDP may report it."""
    cable: str
    rail_prefix: str
    """The addresses that this port reaches: of its plane, and of its rail if rails never meet."""
    table: int
    """Its own routing table: from 1000, in order of rank and plane, the same on similar hosts."""
    routes: list[RouteView]
    rules: list[RuleView]


@dataclass(slots=True, kw_only=True)
class NetworkPortView:
    """A port of a host or a device in a network beside compute, and the switch port it is on."""

    device: str
    interface: str
    """Its name in the device's system; a placeholder such as `inband0` on a host."""
    network: str
    address: str
    """Its address, without a length; empty where none is planned."""
    prefix_length: int
    gateway: str
    mtu: int
    switch: str
    switch_interface: str
    cable: str
    routes: list[RouteView]
    bond: str = ""
    """The bond of LACP that it is a member of, whose address it has; empty without one."""
    vlan: int = 0
    """The tag of the VLAN of the network on the bond; 0 where it is untagged."""


@dataclass(slots=True, kw_only=True)
class NetworkBondView:
    """A bond of LACP of a host in the networks beside compute."""

    name: str
    mtu: int
    members: list[NetworkPortView]
    """Its ports, each once."""
    addresses: list[NetworkPortView]
    """Its first port in each network, with the address of the bond and the tag of the VLAN."""


@dataclass(slots=True, kw_only=True)
class NetworkLinkView:
    """An interface of a host in the networks beside compute: a port, a bond of LACP, or a VLAN."""

    name: str
    what: str
    """Its network, and the switch port and the cable of a port."""
    kind: str = ""
    """`bond`, `vlan`, or empty for a port."""
    mtu: int = 0
    """0 where it has that of the bond."""
    parent: str = ""
    """The bond that a port is a member of, or that a VLAN is on; empty for others."""
    members: list[str] = field(default_factory=list)
    """The ports of a bond."""
    vlans: list[str] = field(default_factory=list)
    """The VLANs on a bond."""
    vlan: int = 0
    port: NetworkPortView | None = None
    """The port whose address, length and routes it has; None where it has none."""


@dataclass(slots=True)
class DeviceView:
    """A host or a device with its ports in the networks beside compute."""

    name: str
    fabric: str
    ports: list[NetworkPortView]
    """In the order of the networks, without members of bonds."""
    bonds: list[NetworkLinkView]
    """Its bonds of LACP with their members and VLANs."""


@dataclass(slots=True)
class Setting:
    """One line of nccl.conf or rccl.conf, with the comment above it.

    Without a value it is not set, and the comment has the reason.
    """

    name: str
    value: str
    why: list[str]


@dataclass(slots=True, kw_only=True)
class HostView:
    """One host and all values of its files."""

    name: str
    fabric: str
    design: str
    transport: str
    """`ethernet` or `infiniband`."""
    domain: int
    """Its HB domain, from 0."""
    numbered: bool
    family: Family
    """Of all addresses: `ipv4` or `ipv6`."""
    address_bits: int
    """Length of the prefix of one address: 32 or 128."""
    placeholders: bool
    """Whether the interface names are placeholders, because the catalog has none."""
    notes: list[str]
    """Notes for readers of any of the files, a sentence or two each."""
    speed_mbps: int
    mtu: int
    timers: TimersView
    bgp: BgpView
    roce: RoceView
    nic: str
    """The model of its NICs; empty where the inventory has none."""
    roce_tools: str
    """What sets the lossless class on its NICs: `mlnx-tools`, `nicctl`, `dcb`, or empty where
    unknown."""
    nics: list[NicView]
    """In order of GPU, then plane, then link."""
    kernel: list[tuple[str, int]]
    """Settings of every NIC port under net.ipv4.conf, or net.ipv6.conf, by `family`."""
    addresses: list[str]
    """Addresses that belong to no NIC, with their length: of GPUs on direct rails."""
    routes: list[RouteView]
    """Routes that belong to no NIC."""
    rules: list[RuleView]
    """Rules that belong to no NIC."""
    rails: list[DirectRailView]
    """The direct rails and planes of its GPUs; empty where rails have switches."""
    asn: int
    """AS number of all hosts, which use BGP only where their links are unnumbered; on direct rails
    its own."""
    router_id: str
    library: str
    """The collective communication library of its accelerators, such as NCCL."""
    library_file: str
    """The path of the configuration that the library reads."""
    nccl: list[Setting]
    """The settings of NCCL or RCCL."""
    network_ports: list[NetworkPortView]
    """Its routed ports in the networks beside compute."""
    network_bonds: list[NetworkBondView]
    """Its bonds of LACP there."""
    network_links: list[NetworkLinkView]
    """Its interfaces there: routed ports, then each bond with its members and VLANs."""
    vars: dict[str, Any]
    """Values of the top-level `vars` of the inventory, by name."""
