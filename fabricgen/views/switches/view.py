"""What templates see of a switch: its ports, its cages, and all values of its configuration."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.template_api import for_templates

if TYPE_CHECKING:
    from fabricgen.core.terms import Family
    from fabricgen.views.management import ManagementView
    from fabricgen.views.protocols import BgpView, RoceView, TimersView
    from fabricgen.views.switches.facts import Values


@dataclass(slots=True)
class PortView:
    """One port in use on a switch."""

    interface: str
    alias: str
    cage: int
    subport: int
    """Position in the cage from 1; 0 where the cage is not split."""
    facts: Values
    """Facts that the NOS has of the port, by name; one that may be missing is read by `get`."""
    speed: str
    speed_mbps: int
    breakout: str
    peer_device: str
    peer_interface: str
    cable: str
    """Label of the cable; where the link takes several, what their labels have in common."""
    address: str
    """The port's own address with its prefix length; empty where the link is unnumbered."""
    to_host: bool
    vrf: str
    """The VRF of the port's rail; empty where the box serves one rail only."""
    rail: str
    length_m: int = 0
    """Length of the cable as it is bought, in whole metres, rounded up; 0 where it has none.

    Without a `site` it is that of a generated room.
    """
    headroom_bytes: int = 0
    """Buffer for packets that arrive after the port sent a pause."""
    lane_count: int = 0
    """Serdes lanes of the port."""
    peer_asn: int = 0
    """AS number of the switch at the far end, or of all unnumbered hosts.

    It is 0 for a numbered host, which does not use BGP.
    """
    host_route: str = ""
    """The only prefix that an unnumbered host may announce here: its address with its length."""
    filter_name: str = ""
    """The name of the port's filter of `host_route`: `HOST-CAGE`, or `HOST-CAGE-SUBPORT`."""
    peer_address: str = ""
    """The address of a router of the site with which the port has a BGP session; else empty."""
    bonded: bool = False
    """Whether it is a member of a bond of LACP."""


PORT_COLUMNS = tuple(column.name for column in fields(PortView))


@dataclass(slots=True)
class RouterPort(PortView):
    """A port with a BGP session to a router of the site, or to a leaf of another network."""

    bfd: bool = False
    """Whether BFD watches the session."""
    password: str = ""
    """The reference to the key of TCP MD5, or nothing."""
    key_name: str = ""
    """A name of the key, where a NOS keeps keys apart from sessions."""
    uplink: bool = False
    """Whether the far end is a leaf of another network."""

    @property
    @for_templates
    def edge(self) -> str:
        """The name of its `EdgeView`."""
        return "UPLINKS" if self.uplink else "EDGE"


@dataclass(slots=True)
class IdlePort:
    """One port without a cable."""

    interface: str
    alias: str
    cage: int
    subport: int
    facts: Values
    speed: str
    speed_mbps: int
    uplink: bool = False
    """Whether it is a member of the bond of `AccessView.uplinks`."""


@dataclass(slots=True, kw_only=True)
class CageView:
    """One cage and its split.

    `interface` is the name of its first port, `whole` that of the cage without a split.
    """

    cage: int
    interface: str
    whole: str
    breakout: str
    count: int
    facts: Values
    """Facts that the NOS has of a cage with this breakout, by name."""
    split: bool
    speed: str
    """Speed of each of its ports."""
    lane_count: int = 0
    """Serdes lanes of each of its ports."""


@dataclass(slots=True, kw_only=True)
class AcceptedPrefix:
    """Prefixes that switches accept from routers: one, or all of a length within it."""

    number: int
    """Counted from 1, apart from those of other routers."""
    prefix: str
    length: int
    """Length of the prefixes that are accepted."""
    parts: bool = False
    """Whether they are within `prefix`; else `prefix` alone is accepted."""
    uplink: bool = False
    """Whether they are those of another network's devices."""


class EdgeView(NamedTuple):
    """Routers of one kind on a switch, which have filters of their own.

    `EDGE` are those of the site, `UPLINKS` the leaves of other networks.
    """

    name: str
    accepted: list[AcceptedPrefix]
    """The prefixes that are accepted from them, which all switches of the network pass on."""
    ports: list[RouterPort]
    """The ports to them with a BGP session each."""
    rule: int
    """The number of the rule that passes these prefixes on, after those of hosts and loopbacks."""


FIRST_RULE, RULE_STEP = 30, 10


def _edges(accepted: list[AcceptedPrefix], ports: list[RouterPort]) -> list[EdgeView]:
    """Return the routers of each kind from which prefixes are accepted."""
    kinds = sorted({each.uplink for each in accepted})
    return [
        EdgeView(
            "UPLINKS" if uplink else "EDGE",
            [each for each in accepted if each.uplink is uplink],
            [port for port in ports if port.uplink is uplink],
            rule,
        )
        for rule, uplink in zip(count(FIRST_RULE, RULE_STEP), kinds, strict=False)
    ]


@dataclass(slots=True, kw_only=True)
class Instance:
    """One routing instance of a switch: the default one, or the VRF of one rail on a shared box."""

    vrf: str
    """Empty for the default instance."""
    table: int
    """Linux routing table of the VRF; 0 for the default instance."""
    rail: str
    asn: int
    router_id: str
    loopback: str
    """The loopback address, without a length: it has all of `SwitchView.address_bits`."""
    host_prefix: str
    """The slice of the host pool of this rail and plane, the only one that is announced here."""
    loopback_prefix: str
    host_prefix_length: int
    """Length of the prefixes of host links: 31 where links are numbered, else 32.

    With IPv6 it is 127 or 128.
    """
    own_ports: list[PortView]
    """Ports of the instance, in the order of the front panel."""
    host_ports: list[PortView]
    fabric_ports: list[PortView]
    """Those towards other switches; BGP is unnumbered on them."""
    bgp_hosts: list[PortView]
    """Those towards hosts that speak BGP: all hosts where links are unnumbered, else none."""
    bgp_ports: list[PortView]
    """Those with a BGP session, in the order of the front panel."""
    policy_name: str
    """The name of its policies and filters, or the beginning of their names."""
    ecmp_paths: int
    """The most links over which a prefix is reached: those to switches, or those to routers.

    Leaves of another network may be as near by a spine as over uplinks of this switch.
    """
    prefix_limit: int
    """Twice the prefixes that the plan has here, one for each host link and each loopback; 0 for no
    limit."""
    fabric_asns: list[int] = field(default_factory=list)
    """AS numbers at the far ends of the fabric ports, each once."""
    host_asn: int = 0
    """AS number of `bgp_hosts`; 0 where there are none."""
    edge_ports: list[RouterPort] = field(default_factory=list)
    """Those to routers of the site, with a BGP session each."""
    accepted: list[AcceptedPrefix] = field(default_factory=list)
    """The prefixes that the network accepts from routers, which all its switches pass on."""

    @property
    @for_templates
    def edges(self) -> list[EdgeView]:
        """The routers of each kind."""
        return _edges(self.accepted, self.edge_ports)


@dataclass(slots=True, kw_only=True)
class AccessView:
    """The bridge of an access switch, whose ports are all in one VLAN."""

    vlan: int
    name: str
    """The network, which the VLAN is named after."""
    uplinks: tuple[str, ...] = ()
    """The uplinks that are a bond of LACP; none where they are left to the site."""


def _dotted(mac: str) -> str:
    """Return a MAC address in groups of two octets with dots.

    >>> _dotted("44:38:39:ff:00:01")
    '4438.39ff.0001'
    """
    digits = mac.replace(":", "")
    return ".".join(digits[at : at + 4] for at in range(0, len(digits), 4))


@dataclass(slots=True, kw_only=True)
class BondView:
    """One bond of LACP, with a member on each of two leaves; both have the same numbers."""

    number: int
    """Counted from 1 on the pair of leaves."""
    port: PortView
    """The member on this leaf."""
    system_mac: str
    """The system of LACP that both leaves are, and a part of the Ethernet segment identifier."""
    esi: str
    """The Ethernet segment identifier of EVPN, of type 3 (RFC 7432): ten octets with colons."""
    vlan: int
    """The VLAN of a device that is in one network, which is untagged; 0 where there are several."""
    tagged_vlans: list[int]
    """The VLANs of a device that is in several networks."""

    @property
    @for_templates
    def vlans(self) -> list[int]:
        """All VLANs of the bond, untagged or tagged."""
        return [self.vlan] if self.vlan else self.tagged_vlans

    @property
    @for_templates
    def segment(self) -> str:
        """The Ethernet segment identifier in groups of two octets."""
        digits = self.esi.replace(":", "")
        return ":".join(digits[at : at + 4] for at in range(0, len(digits), 4))

    @property
    @for_templates
    def system_id(self) -> str:
        """The system of LACP in groups of two octets with dots."""
        return _dotted(self.system_mac)


@dataclass(slots=True, kw_only=True)
class TenantView:
    """One network on the leaves of bonds: its VLAN, and the VRF that routes for it alone."""

    name: str
    """The network, and the VRF."""
    vlan: int
    vni: int
    rd: str
    """The route distinguisher of the VLAN on this leaf."""
    target: str
    """The route target of the VLAN on all leaves."""
    vrf_vlan: int
    """The VLAN of the VRF; 0 where the VLAN is bridged only, and the fields below are empty."""
    vrf_vni: int
    table: int
    """Linux routing table of the VRF."""
    vrf_rd: str
    vrf_target: str
    prefix: str
    """The subnet of the VLAN."""
    prefix_length: int
    address: str
    """The address of this leaf, with the length of its prefix."""
    gateway: str
    """The address that all leaves share, with the length of its prefix."""
    ports: list[PortView]
    """The routed ports of the VRF, to routers of the site."""
    accepted: list[AcceptedPrefix] = field(default_factory=list)
    """The prefixes that the VRF accepts from routers."""

    @property
    @for_templates
    def edge_ports(self) -> list[RouterPort]:
        """The ports to routers with a BGP session each."""
        return [port for port in self.ports if isinstance(port, RouterPort)]

    @property
    @for_templates
    def ecmp_paths(self) -> int:
        """The most links over which a prefix of routers is reached."""
        return len(self.edge_ports)

    @property
    @for_templates
    def edges(self) -> list[EdgeView]:
        """The routers of each kind."""
        return _edges(self.accepted, self.edge_ports)


@dataclass(slots=True, kw_only=True)
class OverlayPeer:
    """The far end of an EVPN session."""

    address: str
    """Its loopback."""
    asn: int


@dataclass(slots=True, kw_only=True)
class OverlayView:
    """EVPN over the links between switches: what the leaves of bonds need, and spines pass on."""

    source: str
    """The loopback that VXLAN packets are sent from."""
    anycast_mac: str
    """The MAC address of all gateways."""
    mtu: int
    """The MTU of bonds and of devices: the packets of VXLAN around theirs are larger."""
    peers: list[OverlayPeer]
    """The switches at the other ends of links, which have EVPN sessions with this one."""
    tenants: list[TenantView]
    """None on a spine."""
    bonds: list[BondView]
    """In the order of the front panel."""
    uplinks: list[PortView]
    """The ports towards other switches."""

    @property
    @for_templates
    def anycast_id(self) -> str:
        """The MAC address of all gateways in groups of two octets with dots."""
        return _dotted(self.anycast_mac)

    @property
    @for_templates
    def vrfs(self) -> list[TenantView]:
        """The networks that have a VRF."""
        return [tenant for tenant in self.tenants if tenant.vrf_vlan]


@dataclass(slots=True)
class OverrideView:
    """Lines of the site's own for one switch."""

    name: str
    """What the override is called in files and messages: `overrides.0` is the first one."""
    number: int
    """The number of the override in the inventory, from 0."""
    place: str
    """Where they are added, as the inventory has it."""
    text: str


@dataclass(slots=True, kw_only=True)
class SwitchView:
    """One switch and all values of its configuration."""

    name: str
    fabric: str
    role: str
    tier: int
    model: str
    nos: str
    rail: str
    plane: int
    asn: int
    mtu: int
    bfd: bool
    hosts_numbered: bool
    family: Family
    """Of all addresses: `ipv4` or `ipv6`. A pack has its syntax of each under `families`."""
    address_bits: int
    """Length of the prefix of one address: 32 or 128."""
    timers: TimersView
    roce: RoceView
    bgp: BgpView
    facts: Values
    """Facts that the NOS has of the switch, by name; one of a breakout where all cages have it."""
    ports: list[PortView]
    """Ports in use, in the order of the front panel."""
    idle_ports: list[IdlePort]
    """Ports without a cable, in the order of the front panel."""
    cages: list[CageView]
    instances: list[Instance]
    """The default instance alone, or one for each rail of a shared box."""
    vrfs: list[Instance] = field(default_factory=list)
    """The instances that are VRFs; empty on a box that serves one rail."""
    headrooms: list[tuple[int, list[PortView]]] = field(default_factory=list)
    """Each `headroom_bytes` of the ports in use, smallest first, with the ports that have it."""
    nos_version: str = ""
    """Version of the NOS in the inventory; empty for the newest."""
    management: ManagementView | None = None
    """Its management; None where the inventory has no `management`."""
    adaptive_routing: bool = False
    """Whether the box can spread packets over equal paths by their load."""
    access: AccessView | None = None
    """Its bridge, where it is a switch of an access network, which routes nothing."""
    overlay: OverlayView | None = None
    """EVPN and its bonds, where the devices of a network have bonds of LACP."""
    lossless: bool = True
    """Whether its ports have the lossless class of `roce`; a network may do without."""
    vars: dict[str, Any] = field(default_factory=dict)
    """Values of `vars` and of the overrides that match the switch, by name."""
    overrides: list[OverrideView] = field(default_factory=list)
    """The texts of the overrides that match the switch, in the order of the inventory."""

    @property
    @for_templates
    def vtep(self) -> OverlayView | None:
        """The overlay of a leaf; None on a spine, which passes on the routes of EVPN alone."""
        return self.overlay if self.overlay and self.overlay.tenants else None

    @property
    @for_templates
    def router_ports(self) -> list[RouterPort]:
        """The ports with BGP sessions to routers of the site, in any VRF."""
        return [port for port in self.ports if isinstance(port, RouterPort)]

    @property
    @for_templates
    def router_bfd(self) -> bool:
        """Whether BFD watches a session with a router of the site."""
        return any(port.bfd for port in self.router_ports)

    @property
    @for_templates
    def bfd_ports(self) -> list[PortView]:
        """The ports with sessions that BFD watches."""
        fabric = [port for port in self.ports if self.bfd and not port.to_host]
        return [*fabric, *(port for port in self.router_ports if port.bfd)]

    @property
    @for_templates
    def bgp_keys(self) -> dict[str, str]:
        """The references to the keys of all BGP sessions, by a name for each key."""
        routers = {port.key_name: port.password for port in self.router_ports if port.password}
        return {"BGP": self.bgp.password, "BGP-HOSTS": self.bgp.hosts_password, **routers}

    @property
    @for_templates
    def routed_ports(self) -> list[PortView]:
        """The ports in use that are no members of bonds of LACP."""
        return [port for port in self.ports if not port.bonded]

    @property
    @for_templates
    def every_port(self) -> list[PortView | IdlePort]:
        """The ports in use, then those without a cable."""
        return [*self.ports, *self.idle_ports]
