"""The pack `nxos`: every statement is documented by Cisco, in its mode.

The files read back equal the plan, and NOSes may be mixed.
"""

from __future__ import annotations

import re

import pytest

from tests.fabrics import plan_of
from tests.nos import junos, nvue
from tests.nos.documented import Documented
from tests.nos.fabric import assert_is_plan, fabric
from tests.nos.model_variants import (
    MANAGED,
    MODELS,
    VARIANTS,
    files_without_secrets,
    interface_names,
    variant_files,
)
from tests.nos.nxos import read, without_banner
from tests.nos.statements import Grammar, assert_exhausted
from tests.nos.switch_files import SwitchFiles, render_switches

SOURCES = """
# Cisco Nexus 9000 NX-OS, Interfaces Configuration Guide: BFD; breakout
hostname <word>
feature bgp
feature lldp
feature bfd
bfd interval <n:50-999> min_rx <n:50-999> multiplier <n:1-50>
interface breakout module 1 port <n:1-64> map <100g-8x|200g-4x|400g-2x>
vrf context <def:vrf>
# Cisco Nexus 9000 NX-OS, Quality of Service Configuration Guide: classification; Paresh Gupta,
# roce_enable.py
class-map type qos match-any <def:class>
  match dscp <n:0-63,>
policy-map type qos <def:policy-qos>
  class <use:class>
    set qos-group <n:0-7>
# the same guide: queuing and scheduling (c-out-8q-q, priority, bandwidth remaining, random-detect),
# network QoS, priority flow control and its watchdog
policy-map type queuing <def:policy-queuing>
  class type queuing <queue>
    priority level 1
    bandwidth remaining percent <n:0-100>
    random-detect minimum-threshold <n> bytes maximum-threshold <n> bytes \
drop-probability <n:0-100> weight <n:0-15> ecn
policy-map type network-qos <def:policy-network-qos>
  class type network-qos <class-of-network>
    mtu <n:1500-9216>
    pause pfc-cos <n:0-7>
system qos
  service-policy type queuing output <use:policy-queuing>
  service-policy type network-qos <use:policy-network-qos>
priority-flow-control watch-dog-interval on
# Cisco Nexus 9000 NX-OS, Unicast Routing Configuration Guide: IPv4, IPv6 (use-link-local-only),
# VRFs, BGP interface peering
interface <loopback>
  vrf member <use:vrf>
  <ip|ipv6> address <address>
interface <port>
  description <word> <word>
  no switchport
  mtu <n:576-9216>
  vrf member <use:vrf>
  no ip redirects
  <ip|ipv6> address <address>
  no ipv6 redirects
  ipv6 address use-link-local-only
  ip forward
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input <use:policy-qos>
  no shutdown
# Cisco Nexus 9000 NX-OS 10.6(x), Quality of Service Configuration Guide: Configure Policy-driven
# Dynamic Load Balancing
hardware profile dlb
  mode flowlet
  dlb-interface <port>
# Cisco Nexus 9000 NX-OS, Unicast Routing Configuration Guide: Configuring Route Policy Manager
<ip|ipv6> prefix-list <def:prefix-list> seq <n> permit <prefix>
<ip|ipv6> prefix-list <def:prefix-list> seq <n> permit <prefix> ge <n:1-128>
<ip|ipv6> prefix-list <def:prefix-list> seq <n> permit <prefix> ge <n:1-128> le <n:1-128>
ip as-path access-list <def:as-path> seq <n> permit <text>
route-map <def:route-map> permit <n:0-65535>
  match <ip|ipv6> address prefix-list <use:prefix-list>
# the same guide: Configuring Basic BGP, Configuring Advanced BGP (peer templates, interface
# peering, multipath), in the default VRF and in others
router bgp <n:1-4294967295>
  log-neighbor-changes
  template peer <def:peer>
    bfd
    ttl-security hops <n:1-254>
    password 0 <word>
    timers <n> <n>
    address-family <ipv4|ipv6> unicast
      disable-peer-as-check
      route-map <use:route-map> <in|out>
      prefix-list <use:prefix-list> <in|out>
      filter-list <use:as-path> in
      maximum-prefix <n:1-300000>
      maximum-prefix <n:1-300000> warning-only
  router-id <ip>
  bestpath as-path multipath-relax
  graceful-restart
  address-family <ipv4|ipv6> unicast
    redistribute direct route-map <use:route-map>
    maximum-paths <n:1-128>
  neighbor <port>
    inherit peer <use:peer>
    remote-as <n:1-4294967295>
    address-family <ipv4|ipv6> unicast
      prefix-list <use:prefix-list> in
  vrf <use:vrf>
    router-id <ip>
    bestpath as-path multipath-relax
    graceful-restart
    address-family <ipv4|ipv6> unicast
      redistribute direct route-map <use:route-map>
      maximum-paths <n:1-128>
    neighbor <port>
      inherit peer <use:peer>
      remote-as <n:1-4294967295>
      address-family <ipv4|ipv6> unicast
        prefix-list <use:prefix-list> in
"""

MANAGEMENT = """
# Cisco Nexus 9000 NX-OS, Fundamentals Configuration Guide; Programmability Guide: NX-API CLI;
# Unicast Routing Configuration Guide: DNS
feature <ssh|tacacs+|nxapi|netconf>
vrf context <def:vrf>
  ip route 0.0.0.0/0 <ip>
interface mgmt0
  vrf member <use:vrf>
  ip address <address>
interface mgmt0
  ip access-group <use:acl> in
ip name-server <ip> use-vrf <use:vrf>
nxapi use-vrf <use:vrf>
banner motd @
# the same series, System Management Configuration Guide: NTP, syslog, SNMP
ntp server <word> use-vrf <use:vrf>
logging server <word> <n:0-7> use-vrf <use:vrf>
snmp-server location <word> <word> <word> <word>
snmp-server contact <word>
snmp-server user <word> network-operator auth sha <word> priv aes-128 <word>
# the same series, Security Configuration Guide: user accounts, SSH keys, TACACS+, RADIUS
username <word> password 5 <word> role <network-admin|network-operator>
username <word> sshkey <word> <word>
# the same guide: Configuring IP ACLs, ACLs of VTYs
ip access-list <def:acl>
  <n> permit ip <prefix> any
  <n> deny <tcp|udp> any any eq <n:1-65535>
  <n> permit ip any any
ipv6 access-list <def:acl>
  <n> deny ipv6 any any
line vty
  access-class <use:acl> in
  ipv6 access-class <use:acl> in
snmp-server user <word> use-ipv4acl <use:acl> use-ipv6acl <use:acl>
tacacs-server host <ip> key 0 <text>
radius-server host <ip> key 0 <text>
aaa group server <tacacs+|radius> LOGIN
  server <ip>
  use-vrf <use:vrf>
aaa authentication login default group LOGIN
"""

OVERLAY = """
# Cisco Nexus 9000 NX-OS, VXLAN Configuration Guide 10.6(x): Configure VXLAN BGP EVPN
nv overlay evpn
feature nv overlay
feature vn-segment-vlan-based
feature interface-vlan
feature lacp
fabric forwarding anycast-gateway-mac <mac>
vlan <n:1-4094>
  name <word>
  vn-segment <n:1-16777214>
vrf context <def:vrf>
  vni <n:1-16777214>
  rd <word>
  address-family ipv4 unicast
    route-target both <word>
    route-target both <word> evpn
interface <svi>
  vrf member <use:vrf>
  no ip redirects
  mtu <n:1500-9216>
  ip address <address>
  fabric forwarding mode anycast-gateway
  ip forward
  no shutdown
interface nve1
  no shutdown
  host-reachability protocol bgp
  source-interface loopback0
  member vni <n:1-16777214>
    ingress-replication protocol bgp
  member vni <n:1-16777214> associate-vrf
evpn
  vni <n:1-16777214> l2
    rd <word>
    route-target import <word>
    route-target export <word>
route-map <def:route-map> permit <n:0-65535>
  set ip next-hop unchanged
router bgp <n:1-4294967295>
  address-family l2vpn evpn
    maximum-paths <n:1-128>
    nexthop route-map <use:route-map>
    retain route-target all
  neighbor <ip>
    remote-as <n:1-4294967295>
    update-source loopback0
    ebgp-multihop <n:2-255>
    address-family l2vpn evpn
      send-community
      send-community extended
      route-map <use:route-map> out
  vrf <use:vrf>
    address-family ipv4 unicast
      advertise l2vpn evpn
    neighbor <ip>
      remote-as <n:1-4294967295>
      description <word>
      address-family ipv4 unicast
        prefix-list <use:prefix-list> <in|out>
# the same guide, EVPN ESI multi-homing; Cisco's pyATS, genie.libs.conf, evpn of nxos
evpn multihoming
interface <port>
  evpn multihoming core-tracking
interface <bond>
  ethernet-segment
    esi system-mac <mac> <n:1-16777215>
# Cisco Nexus 9000 NX-OS, Interfaces Configuration Guide: port channels, Layer 2 interfaces
interface <bond>
  description <word>
  switchport
  switchport access vlan <n:1-4094>
  switchport mode trunk
  switchport trunk allowed vlan <n,>
  mtu <n:1500-9216>
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input <use:policy-qos>
interface <port>
  switchport
  switchport access vlan <n:1-4094>
  switchport mode trunk
  switchport trunk allowed vlan <n,>
  channel-group <n:1-4096> mode active
"""

GRAMMAR = Grammar(SOURCES, modes=True)
MANAGED_GRAMMAR = Grammar(SOURCES + MANAGEMENT, modes=True)

READERS = {
    "nvue": lambda files: nvue.read(files["commands.txt"]),
    "junos": lambda files: junos.read(files["junos.set"]),
    "nxos": lambda files: read(files["nxos.cfg"]),
}


def nxos_words(one: SwitchFiles) -> dict[str, set[str]]:
    """Return the names of a box, with those of classes, queues and a VRF that NX-OS defines."""
    return interface_names(one) | {
        "loopback": {f"loopback{number}" for number in range(len(one.switch.instances))},
        "class": {"class-default"},
        "vrf": {"management"},
        "queue": {"c-out-8q-q-default", *(f"c-out-8q-q{queue}" for queue in range(1, 8))},
        "class-of-network": {
            "c-8q-nq-default",
            *(f"c-8q-nq{priority}" for priority in range(1, 8)),
        },
    }


BROKEN = (
    ("interface Ethernet1/1/1\n", "interface Ethernet1/65/1\n", "no statement"),
    ("dlb-interface Ethernet1/", "dlb-interface Eth1/", "no statement"),
    ("map 400g-2x", "map 2x400g", "no statement"),
    ("  no switchport\n", "no switchport\n", "no statement"),
    ("mtu 9216", "mtu 9217", "no statement"),
    ("input ROCE-IN", "input ROCE-OUT", "used, not defined: policy-qos ROCE-OUT"),
    ("output ROCE-OUT", "output ROCE", "defined, not used: policy-queuing ROCE-OUT"),
    ("  class CNP\n", "  class CNPS\n", "used, not defined: class CNPS"),
    ("direct route-map RAIL0", "direct route-map RAIL9", "used, not defined: route-map RAIL9"),
    (
        "address prefix-list RAIL0-HOSTS",
        "address prefix-list RAIL9-HOSTS",
        "used, not defined: prefix-list RAIL9-HOSTS",
    ),
    (
        "address prefix-list RAIL0-HOSTS",
        "address prefix-list RAIL9-HOSTS",
        "defined, not used: prefix-list RAIL0-HOSTS",
    ),
    ("inherit peer RAIL0-FABRIC", "inherit peer FABRIC", "used, not defined: peer FABRIC"),
    ("c-out-8q-q3", "c-out-8q-q8", "no statement"),
    ("feature bgp\n", "feature bgp\nfeature bgp\n", "twice"),
)
MISREAD = (
    ("host-001:nic0 ", "host-002:nic0 ", "host-002', 'nic0') is used 2 times"),
    ("address 10.0.0.0/31", "address 10.0.0.2/31", "10.0.0.2/31 is used 2 times"),
    ("  neighbor Ethernet1/49/1\n", "  neighbor Ethernet1/1/1\n", "neighbours on"),
    (
        "bestpath as-path multipath-relax",
        "bestpath as-path ignore",
        "uplinks that ECMP does not use",
    ),
    ("permit 10.0.0.0/19", "permit 10.0.32.0/19", "accepted on two rails"),
    ("      route-map RAIL0 in\n", "", "filters on"),
    ("remote-as 4200000003", "remote-as 4200000004", "expects AS 4200000004"),
)

NXOS = Documented("nxos", "nxos.cfg", GRAMMAR, nxos_words, read, ("n9364e-sg2",), BROKEN, MISREAD)


def test_every_statement_of_management_is_documented() -> None:
    """With secrets and without, and each statement of the grammar is used."""
    found = [variant_files(name, "nxos")[0] for name in [*MANAGED, *VARIANTS]]
    texts = [(without_banner(one.files["nxos.cfg"]), nxos_words(one)) for one in found]
    assert_exhausted(MANAGED_GRAMMAR, texts)
    bare = files_without_secrets("nxos")[0]
    for text, words in [*texts, (without_banner(bare.files["nxos.cfg"]), nxos_words(bare))]:
        assert MANAGED_GRAMMAR.findings(text, words) == []


@pytest.mark.parametrize(
    ("leaf", "spine"), [("nvue", "nxos"), ("nxos", "junos"), ("junos", "nvue")]
)
def test_leaves_and_spines_may_run_different_systems(leaf: str, spine: str) -> None:
    """Each end describes the other as the other describes itself.

    That includes MTU and AS number.
    """
    models = {
        role: {"model": MODELS[nos], "breakout": "2x400G"}
        for role, nos in (("leaf", leaf), ("spine", spine))
    }
    plan = plan_of(
        **VARIANTS["unnumbered hosts"], switches=models, nos={"leaf": leaf, "spine": spine}
    )
    found = render_switches(plan)
    assert {one.switch.nos for one in found} == {leaf, spine}
    assert_is_plan(fabric([READERS[one.switch.nos](one.files) for one in found]), plan)


def test_cages_are_split_as_planned() -> None:
    """Each split cage has its map, and a port of one that is whole has none."""
    for one in variant_files("two tiers", "nxos"):
        splits = re.findall(
            r"^interface breakout module 1 port (\d+) map (\S+)$",
            one.files["nxos.cfg"],
            re.MULTILINE,
        )
        assert splits == [
            (str(cage.cage), f"{cage.speed.lower()}-{cage.count}x")
            for cage in one.switch.cages
            if cage.split
        ]


def test_flowlets_are_balanced_in_the_default_vrf_only() -> None:
    """All fabric ports balance by load, and none on a box with VRFs."""
    for one in variant_files("two tiers", "nxos"):
        moved = re.findall(r"^  dlb-interface (\S+)$", one.files["nxos.cfg"], re.MULTILINE)
        assert moved == [port.interface for port in one.switch.instances[0].fabric_ports]
        assert moved
    for one in variant_files("shared boxes below spines", "nxos"):
        assert ("hardware profile dlb" in one.files["nxos.cfg"]) == (not one.switch.vrfs)


def test_ports_have_the_names_of_nxos() -> None:
    """Cages count from 1, and sub-ports of a split one follow a slash.

    The source is Cisco, Interfaces Configuration Guide, breakout.
    """
    for one in variant_files("two tiers", "nxos"):
        assert all(
            re.fullmatch(r"Ethernet1/([1-9]|[1-5]\d|6[0-4])(/[1-8])?", port.interface)
            for port in one.switch.ports
        )
