"""The pack `nvue`: every command is documented by NVIDIA, and startup.yaml equals the commands.

The files read back equal the plan.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.nos.documented import Documented
from tests.nos.model_variants import (
    MANAGED,
    MODELS,
    VARIANTS,
    interface_names,
    variant_files,
    variant_plan,
)
from tests.nos.nvue import expanded, flattened, read
from tests.nos.statements import Grammar
from tests.nos.switch_files import SwitchFiles, render_switches, sample

SOURCES = """
# NVUE command reference: System; Interface; Cumulus Linux 5.18, Switch Port Attributes
nv set system hostname <word>
nv set interface
  <cage,> link breakout <2x|4x|8x> lanes-per-port <1|2|4>
  <port> description <text>
  lo @ip address <address>
  <port> @ip address <address>
  <port,> @vrf <use:vrf>
  <port,> link speed <25G|50G|100G|200G|400G|800G>
  <port,> link mtu <n:552-9216>
  <port,> router adaptive-routing @on
# Cumulus Linux 5.18, Quality of Service, PFC watchdog: nv set interface swp1,swp3 qos pfc-watchdog
  <port,> qos pfc-watchdog
# Cumulus Linux 5.18, Virtual Routing and Forwarding: nv set vrf RED table auto; nv set vrf RED
# loopback ip address 10.10.10.1/32
nv set vrf
  <def:vrf> table auto
  <use:vrf> loopback ip address <address>
# Cumulus Linux 5.18, RDMA over Converged Ethernet - RoCE: nv set qos roce mode lossless; since
# 5.15 `state enabled` (Changes to Command Syntax)
nv set qos
  roce @on
  roce mode lossless
# Cumulus Linux 5.18, Quality of Service: mapping, egress queues, PFC, scheduler, ECN
  mapping default-global trust l3
  mapping default-global dscp <n:0-63,> switch-priority <n:0-7>
  egress-queue-mapping default-global switch-priority <n:0-7> traffic-class <n:0-7>
  pfc default-global switch-priority <n:0-7>
  pfc default-global tx enable
  pfc default-global rx enable
  egress-scheduler default-global traffic-class <n:0-7,> mode <dwrr|strict>
  egress-scheduler default-global traffic-class <n:0-7,> bw-percent <n:1-100>
  congestion-control default-global traffic-class <n:0-7> ecn enable
  congestion-control default-global traffic-class <n:0-7> min-threshold <n>
  congestion-control default-global traffic-class <n:0-7> max-threshold <n>
  congestion-control default-global traffic-class <n:0-7> probability <n:0-100>
# NVUE command reference: BGP, Router Policy; Cumulus Linux 5.18, Equal Cost Multipath Load Sharing
# (adaptive routing), Route Filtering and Redistribution
nv set router
  adaptive-routing @on
  bgp @on
  bgp autonomous-system <n:1-4294967295>
  bgp router-id <ip>
  bgp graceful-restart mode full
  policy as-path-list <def:as-path-list> rule <n> action permit
  policy as-path-list <def:as-path-list> rule <n> aspath-exp <word>
  policy prefix-list <def:prefix-list> type ipv6
  policy prefix-list <def:prefix-list> rule <n> match <prefix> min-prefix-len <n:0-128>
  policy prefix-list <def:prefix-list> rule <n> match <prefix> max-prefix-len <n:0-128>
  policy prefix-list <def:prefix-list> rule <n> action permit
  policy route-map <def:route-map> rule <n> match type <ipv4|ipv6>
  policy route-map <def:route-map> rule <n> match ip-prefix-list <use:prefix-list>
  policy route-map <def:route-map> rule <n> match as-path-list <use:as-path-list>
  policy route-map <def:route-map> rule <n> action permit
# NVUE command reference, BGP; Cumulus Linux 5.18, Basic BGP Configuration (unnumbered), Optional
# BGP Configuration
nv set vrf <use:vrf> router bgp
  @on
  autonomous-system <n:1-4294967295>
  router-id <ip>
  path-selection multipath aspath-ignore @yes
  address-family ipv6-unicast @on
  address-family <ipv4-unicast|ipv6-unicast> redistribute connected @on
  address-family <ipv4-unicast|ipv6-unicast> redistribute connected route-map <use:route-map>
  address-family <ipv4-unicast|ipv6-unicast> multipaths ebgp <n:1-128>
  peer-group <def:.group> remote-as external
  peer-group <def:.group> password <word>
  peer-group <def:.group> timers keepalive <n>
  peer-group <def:.group> timers hold <n>
  peer-group <def:.group> timers connection-retry <n>
  peer-group <def:.group> address-family ipv4-unicast @off
  peer-group <def:.group> address-family ipv6-unicast @on
  peer-group <def:.group> address-family <ipv4-unicast|ipv6-unicast> policy
    <inbound|outbound> route-map <use:route-map>
  peer-group <def:.group> address-family <ipv4-unicast|ipv6-unicast> policy
    outbound prefix-list <use:prefix-list>
  neighbor <port> peer-group <use:.group>
  neighbor <port> type unnumbered
  neighbor <port> ttl-security hops <n:1-254>
  neighbor <port> address-family <ipv4-unicast|ipv6-unicast> policy
    inbound prefix-list <use:prefix-list>
  peer-group <def:.group> address-family <ipv4-unicast|ipv6-unicast> prefix-limits
    inbound maximum <n>
  peer-group <def:.group> address-family <ipv4-unicast|ipv6-unicast> prefix-limits
    inbound warning-only @yes
"""

BEFORE_5_15 = """
# NVUE command reference, BFD, up to 5.14
nv set vrf <use:vrf> router bgp peer-group <def:.group> bfd
  enable on
  detect-multiplier <n>
  min-rx-interval <n>
  min-tx-interval <n>
"""

SINCE_5_15 = """
# NVUE command reference, Interface: nv set interface <interface-id> ipv6 address, in 5.14 and
# earlier under `ip`
nv set interface
  lo ipv6 address <address>
  <port> ipv6 address <address>
# NVUE command reference, LLDP: nv set system lldp state, in 5.14 and earlier under `service`
nv set system lldp state enabled
# Cumulus Linux 5.18, Bidirectional Forwarding Detection, BFD profiles
nv set router bfd
  state enabled
  profile <def:bfd> detect-multiplier <n>
  profile <def:bfd> min-rx-interval <n>
  profile <def:bfd> min-tx-interval <n>
nv set vrf <use:vrf> router bgp peer-group <def:.group> bfd profile <use:bfd>
"""


def _grammar(text: str, **words: str) -> Grammar:
    """Insert the words that changed in 5.15.

    The source is Cumulus Linux 5.15, New and Changed NVUE Commands, Changes to Command Syntax.
    """
    return Grammar(re.sub(r"@(\w+)", lambda found: words[found[1]], text))


NEW = _grammar(
    SOURCES + SINCE_5_15,
    on="state enabled",
    off="state disabled",
    yes="enabled",
    ip="ipv4",
    vrf="vrf",
)
OLD = _grammar(
    SOURCES + BEFORE_5_15, on="enable on", off="enable off", yes="on", ip="ip", vrf="ip vrf"
)


@cache
def old(name: str, version: str = "5.14") -> list[SwitchFiles]:
    """Render a variant for an earlier release; 5.14 is the last with the old words."""
    return render_switches(
        variant_plan(name, "nvue", nos={"leaf": "nvue", "versions": {"nvue": version}})
    )


def _words(one: SwitchFiles) -> dict[str, set[str]]:
    return interface_names(one) | {"vrf": {"default"}}


BROKEN = (
    ("swp64s1 description", "swp65s0 description", "no statement"),
    ("interface swp1s0,", "interface swp1,", "no statement"),
    ("lanes-per-port 4", "lanes-per-port 3", "no statement"),
    ("state enabled", "enable on", "no statement"),
    ("ipv4 address", "ip address", "no statement"),
    ("bfd profile FABRIC\n", "bfd profile LEAVES\n", "used, not defined: bfd LEAVES"),
    (
        "peer-group FABRIC remote-as",
        "peer-group FABRICS remote-as",
        "defined, not used: .group FABRICS default",
    ),
    (
        "match ip-prefix-list RAIL0-HOSTS",
        "match ip-prefix-list RAIL9-HOSTS",
        "used, not defined: prefix-list RAIL9-HOSTS",
    ),
    (
        "connected route-map RAIL0",
        "connected route-map RAIL9",
        "used, not defined: route-map RAIL9",
    ),
    ("min-prefix-len 31", "min-prefix-len 129", "no statement"),
    ("mtu 9216", "mtu 9217", "no statement"),
    ("roce mode lossless\n", "roce mode lossless\nnv set qos roce mode lossless\n", "twice"),
)
MISREAD = (
    ('"host-001:nic0 ', '"host-002:nic0 ', "host-002', 'nic0') is used 2 times"),
    ("address 10.0.0.0/31", "address 10.0.0.2/31", "10.0.0.2/31 is used 2 times"),
    ("link mtu 9216", "link mtu 9000", "which differs"),
    ("neighbor swp49s0 type unnumbered\n", "neighbor swp49s0 type numbered\n", "neighbours on"),
    ("multipaths ebgp", "multipaths ibgp", "uplinks that ECMP does not use"),
    ("match ip-prefix-list RAIL0-LOOPBACKS", "match ip-prefix-list RAIL0-HOSTS", "of its own rail"),
    ("inbound route-map RAIL0", "outbound route-map RAIL0", "filters on"),
    ("bgp autonomous-system 4200000000", "bgp autonomous-system 4200000003", "one AS number"),
)

NVUE = Documented(
    "nvue",
    "commands.txt",
    NEW,
    _words,
    read,
    ("sn5600", "sn5640", "sn5400", "sn4700"),
    BROKEN,
    MISREAD,
)
NVUE_5_14 = Documented(
    "nvue",
    "commands.txt",
    OLD,
    _words,
    read,
    (),
    (("enable on", "state enabled", "no statement"),),
    MISREAD,
    "-5.14",
    old,
)


def test_the_words_of_both_releases_agree() -> None:
    """Read back, the files of 5.14 are those of the newest release."""
    for name in VARIANTS:
        texts = (
            [one.files["commands.txt"] for one in found]
            for found in (old(name), variant_files(name, "nvue"))
        )
        before, after = ([read(text) for text in each] for each in texts)
        assert before == after, name


@pytest.mark.parametrize("name", [*VARIANTS, *MANAGED])
@pytest.mark.parametrize("version", ["", "5.12", "5.14"])
def test_startup_yaml_equals_the_commands(name: str, version: str) -> None:
    """Each leaf of the YAML is a command, and each command a leaf.

    Only the type of an interface and the state of its watchdog are NVUE's own.
    """
    for one in sample(old(name, version) if version else variant_files(name, "nvue"), 2):
        stored = list(flattened(one.files["startup.yaml"]))
        assert len(set(stored)) == len(stored)
        output = {line for line in stored if line[0] != "interface" or line[2] != "type"}
        commands = {
            (*line, "state", "enable") if line[-1] == "pfc-watchdog" else line
            for line in expanded(one.files["commands.txt"])
            if line[0] != "interface" or line[2] != "type"
        }
        assert output == commands


def test_on_is_written_unquoted() -> None:
    """Up to 5.14 NVUE needs the bare word `on`, which is true in YAML 1.1.

    Since 5.15 it needs `state: enabled`.
    """
    stored, new = (
        old("two tiers")[0].files["startup.yaml"],
        variant_files("two tiers", "nvue")[0].files["startup.yaml"],
    )
    assert "    bgp:\n        enable: on\n" in stored
    assert "state: enabled" not in stored
    assert "state: enabled" in new
    for text in (stored, new):
        assert not re.search(r"\b(true|false|yes|no)\b", text, re.IGNORECASE)
    assert not re.search(r"\bon\b", new)


def test_startup_yaml_begins_with_a_header() -> None:
    """It has what NVUE writes: its own numbers, and the release where the inventory has it."""
    beginning = "- header:\n    nvue-api-version: nvue_v1\n    rev-id: 1.0\n"
    dated, undated = (
        found[0].files["startup.yaml"]
        for found in (old("two tiers"), variant_files("two tiers", "nvue"))
    )
    assert dated.startswith(f"{beginning}    version: Cumulus Linux 5.14\n- set:\n")
    assert undated.startswith(f"{beginning}- set:\n")


@pytest.mark.parametrize(("priority", "cnp_priority"), [(4, 7), (2, 3), (6, 5)])
def test_other_priorities_are_put_onto_the_traffic_classes_of_roce(
    priority: int, cnp_priority: int
) -> None:
    """Classes 3 and 6 of `roce mode lossless` have the pools and schedulers; no other is set up."""
    keys = {"roce": {"priority": priority, "cnp_priority": cnp_priority}}
    lines = set(
        expanded(render_switches(variant_plan("one tier", "nvue", **keys))[0].files["commands.txt"])
    )
    queues = {
        int(line[4]): int(line[6]) for line in lines if line[:2] == ("qos", "egress-queue-mapping")
    }
    assert queues == dict.fromkeys(range(8), 0) | {priority: 3, cnp_priority: 6}
    assert ("qos", "pfc", "default-global", "switch-priority", str(priority)) in lines
    named = {line[4] for line in lines if line[1] in ("egress-scheduler", "congestion-control")}
    assert named == {"0", "3", "6"}


def test_versions_are_compared_numerically() -> None:
    """5.9 is older than 5.15, and 5.16 is not."""
    for version, expected in (
        ("5.9", "enable on"),
        ("5.15", "state enabled"),
        ("5.16.1", "state enabled"),
    ):
        plan = variant_plan("one tier", "nvue", nos={"leaf": "nvue", "versions": {"nvue": version}})
        assert f"nv set router bgp {expected}\n" in render_switches(plan)[0].files["commands.txt"]


def test_cages_are_split_as_planned() -> None:
    """Lanes are written, because NVUE's default depends on the number of ports.

    Both ends must agree.
    """
    two_speeds = {
        "leaf": {"model": "sn5600", "breakout": "2x400G"},
        "spine": {"model": "sn5600", "breakout": "1x800G"},
    }
    for one in [
        *variant_files("two tiers", "nvue"),
        *render_switches(variant_plan("other numbers", "nvue", switches=two_speeds)),
    ]:
        splits = [
            line
            for line in expanded(one.files["commands.txt"])
            if line[2:4] == ("link", "breakout")
        ]
        assert splits == [
            (
                "interface",
                cage.whole,
                "link",
                "breakout",
                f"{cage.count}x",
                "lanes-per-port",
                str(cage.lane_count),
            )
            for cage in one.switch.cages
            if cage.split
        ]


def test_adaptive_routing_is_limited_to_what_supports_it() -> None:
    """These are fabric ports of the default VRF, at 200G and 400G, on models that have it.

    Boxes with VRFs have none.
    """

    def adaptive(one: SwitchFiles) -> list[str]:
        return [
            line[1]
            for line in expanded(one.files["commands.txt"])
            if line[0] == "interface" and line[2:4] == ("router", "adaptive-routing")
        ]

    for one in variant_files("two tiers", "nvue"):
        assert adaptive(one) == [port.interface for port in one.switch.instances[0].fabric_ports]
        assert adaptive(one)
    for one in variant_files("shared boxes below spines", "nvue"):
        assert not one.switch.vrfs or not adaptive(one)
    others = {"leaf": {"model": "sn4700", "breakout": "1x400G"}}
    assert not any(
        adaptive(one)
        for one in render_switches(variant_plan("other numbers", "nvue", switches=others))
    )


def test_ports_have_the_names_of_cumulus_linux() -> None:
    """Cumulus Linux 5.18, Switch Port Attributes: swp1, and swp1s0 and up on a split port."""
    assert MODELS["nvue"] == "sn5600"
    for one in variant_files("two tiers", "nvue"):
        assert all(
            re.fullmatch(r"swp([1-9]|[1-5]\d|6[0-4])(s[0-7])?", port.interface)
            for port in one.switch.ports
        )
