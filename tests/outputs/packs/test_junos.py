"""The pack `junos`: every statement is documented by Juniper.

The files read back equal the plan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.nos import junos_yang
from tests.nos.documented import Documented
from tests.nos.junos import read, roce
from tests.nos.model_variants import VARIANTS, edited, interface_names, variant_files
from tests.nos.statements import Grammar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.nos.switch_files import SwitchFiles

# `<rest>` is what Juniper's models verify: words, choices and most numbers. They leave names,
# addresses and bits as text, so these are verified here.
SOURCES = """
# Juniper YANG, 24.4R1-EVO, junos-conf-*, where these values are text
set system <rest>
set chassis <rest>
set forwarding-options <rest>
set protocols lldp <rest>
set protocols router-advertisement interface <unit>
set protocols bgp group <word> ttl <rest>
set interfaces
  lo0 unit <n> family <inet|inet6> address <address>
  <cage> <rest>
  <port> description <text>
  <port> mtu <n:256-9500>
  <port> unit 0 family <inet|inet6> mtu <n:1280-9500>
  <port> unit 0 family <inet|inet6> address <address>
set routing-options
  router-id <ip>
  autonomous-system <n:1-4294967295>
  graceful-restart
  forwarding-table export <use:policy>
  forwarding-table ecmp-fast-reroute
set policy-options
  as-path <def:as-path> <n:1-4294967295>
  as-list <def:as-list> members <n:1-4294967295>
  policy-statement <def:policy> then <rest>
  policy-statement <def:policy> term <word> from protocol <rest>
  policy-statement <def:policy> term <word> from
    route-filter <prefix> prefix-length-range </31-/31|/32-/32|/127-/127|/128-/128>
  policy-statement <def:policy> term <word> from as-path <use:as-path>
  policy-statement <def:policy> term <word> then <rest>
set routing-instances <instance>
  instance-type <rest>
  interface <loopback>
  interface <unit>
  routing-options router-id <ip>
  routing-options autonomous-system <n:1-4294967295>
  routing-options graceful-restart
set class-of-service
  forwarding-classes class <def:class> <rest>
  classifiers dscp <def:classifier> forwarding-class <use:class>
    loss-priority low code-points <bits>
  interfaces et-* unit * classifiers dscp <use:classifier>
  interfaces et-* congestion-notification-profile <use:pause>
  interfaces et-* scheduler-map <use:scheduler-map>
  congestion-notification-profile <def:pause> pfc-watchdog <rest>
  congestion-notification-profile <def:pause> input dscp code-point <bits> pfc
  congestion-notification-profile <def:pause> output ieee-802.1
    code-point <bits> flow-control-queue <n:0-7>
  drop-profiles <def:drop-profile> <rest>
  schedulers <def:scheduler> drop-profile-map loss-priority any protocol any
    drop-profile <use:drop-profile>
  schedulers <def:scheduler> transmit-rate <rest>
  schedulers <def:scheduler> priority <rest>
  schedulers <def:scheduler> explicit-congestion-notification
  scheduler-maps <def:scheduler-map> forwarding-class <use:class> scheduler <use:scheduler>
# jvd, aiml_multitenancy_backend, leaf1_qfx5240-64od.conf, shared and dedicated buffers; in no model
set class-of-service
  shared-buffer ingress buffer-partition <lossless|lossless-headroom|lossy> percent <n:0-100>
  shared-buffer ingress buffer-partition lossless dynamic-threshold <n:0-10>
  shared-buffer egress buffer-partition <lossless|lossy> percent <n:0-100>
  dedicated-buffer <ingress|egress> percent <n:0-100>
"""

BGP = """
# Juniper YANG, 24.4R1-EVO, junos-conf-protocols, where these values are text
{edit} protocols bgp graceful-restart
{edit} protocols bgp group <word>
  peer-as-list <use:as-list>
  import <use:policy>
  export <use:policy>
  dynamic-neighbor <word> peer-auto-discovery interface <unit>
  dynamic-neighbor <word> peer-auto-discovery family <rest>
  type <rest>
  family <rest>
  hold-time <rest>
  multipath <rest>
  advertise-peer-as
  authentication-key <text>
  bfd-liveness-detection <rest>
"""

GRAMMAR = Grammar(
    SOURCES + BGP.format(edit="set") + BGP.format(edit="set routing-instances <instance>")
)


def _words(one: SwitchFiles) -> dict[str, set[str]]:
    """Return the names of a box, with the two classes that Junos defines."""
    known = interface_names(one)
    return known | {
        "unit": {f"{port}.0" for port in known["port"]},
        "loopback": {f"lo0.{number}" for number in range(len(one.switch.vrfs))},
        "instance": {instance.vrf for instance in one.switch.vrfs},
        "class": {"best-effort", "network-control"},
        "bits": {f"{number:06b}" for number in range(64)}
        | {f"{number:03b}" for number in range(8)},
    }


BROKEN = (
    ("et-0/0/0:0 mtu", "et-0/0/64:0 mtu", "no statement"),
    ("interface et-0/0/63:1.0", "interface et-0/0/63:1", "no statement"),
    ("mtu 9230", "mtu 9600", "no statement"),
    ("prefix-length-range /31-/31", "prefix-length-range /31", "no statement"),
    ("group FABRIC import RAIL0", "group FABRIC import RAIL9", "used, not defined: policy RAIL9"),
    ("peer-as-list RAIL0-FABRIC-PEERS", "peer-as-list PEERS", "used, not defined: as-list PEERS"),
    (
        "peer-as-list RAIL0-FABRIC-PEERS",
        "peer-as-list PEERS",
        "defined, not used: as-list RAIL0-FABRIC-PEERS",
    ),
    ("scheduler CNP\n", "scheduler CNPS\n", "used, not defined: scheduler CNPS"),
    ("drop-profile ECN", "drop-profile RED", "used, not defined: drop-profile RED"),
    (
        "congestion-notification-profile ROCE\n",
        "congestion-notification-profile PAUSE\n",
        "used, not defined: pause PAUSE",
    ),
    (
        "forwarding-class NO-LOSS scheduler",
        "forwarding-class LOSS scheduler",
        "used, not defined: class LOSS",
    ),
    ("code-points 011010", "code-points 11010", "no statement"),
    ("router-id 10.", "router-id 1000.", "no statement"),
)
MISREAD = (
    ('"host-001:nic0 ', '"host-002:nic0 ', "host-002', 'nic0') is used 2 times"),
    ("address 10.0.0.0/31", "address 10.0.0.2/31", "10.0.0.2/31 is used 2 times"),
    (
        "et-0/0/48:0 unit 0 family inet mtu 9216",
        "et-0/0/48:0 unit 0 family inet mtu 9000",
        "which differs",
    ),
    (
        "peer-auto-discovery interface et-0/0/48:0.0",
        "peer-auto-discovery interface et-0/0/49:0.0",
        "neighbours on",
    ),
    ("multipath multiple-as", "multipath", "uplinks that ECMP does not use"),
    ("then load-balance per-packet", "then accept", "uplinks that ECMP does not use"),
    ("from route-filter 10.0.0.0/19", "from route-filter 10.0.32.0/19", "accepted on two rails"),
    ("term LOOPBACKS from protocol direct", "term LOOPBACKS from protocol static", "stops"),
    ("members 4200000003", "members 4200000004", "expects AS 4200000004"),
)

JUNOS = Documented("junos", "junos.set", GRAMMAR, _words, read, ("qfx5240",), BROKEN, MISREAD)


@pytest.fixture(scope="session")
def models(oracles: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of Juniper's models that yanglint reads."""
    return junos_yang.prepare(oracles / "junos-yang", tmp_path_factory.mktemp("junos"))


def test_junipers_models_find_errors(
    models: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """An unknown word, a word too many, and a value that is no choice."""
    text = variant_files("one tier", "junos")[0].files["junos.set"]
    _, known = junos_yang.to_xml(text, models)
    for good, bad in (("family inet mtu", "family ethernet mtu"), ("no-loss", "no-loss at-all")):
        _, unknown = junos_yang.to_xml(edited(text, good, bad), models)
        assert len(unknown) == len(known) + 1
    xml, _ = junos_yang.to_xml(edited(text, "speed 400g", "speed 401g"), models)
    (complaint,) = junos_yang.validate(tool("yanglint"), models, [xml], tmp_path)
    assert 'Invalid enumeration value "401g"' in complaint


@pytest.mark.parametrize("name", VARIANTS)
def test_the_list_of_as_numbers_is_that_of_the_neighbours(name: str) -> None:
    """A neighbour found by its announcements is accepted by its AS number, and no other is."""
    found = {one.switch.name: one for one in variant_files(name, "junos")}
    for one in found.values():
        for instance in one.switch.instances:
            scope = f"RAIL{instance.rail}" if instance.rail else "FABRIC"
            listed = re.findall(
                rf"as-list {scope}-FABRIC-PEERS members (\d+)$",
                one.files["junos.set"],
                re.MULTILINE,
            )
            assert len(set(listed)) == len(listed)
            assert set(map(int, listed)) == {
                found[port.peer_device].switch.asn for port in instance.fabric_ports
            }


@pytest.mark.parametrize("name", ["two tiers", "other numbers"])
def test_the_lossless_class_is_the_inventorys(name: str) -> None:
    """All 64 DSCPs, the paused priority, marking, the queue served first, and the watchdog.

    Thresholds are Juniper's, because they are percentages.
    """
    one = variant_files(name, "junos")[0]
    wanted, found = one.switch.roce, roce(one.files["junos.set"])
    strict = found.pop("strict")
    assert isinstance(strict, list)
    assert set(strict) == {wanted.cnp_priority}
    assert found == {
        "dscp": dict.fromkeys(range(64), 0)
        | dict.fromkeys((wanted.cnp_dscp, 48, 56), wanted.cnp_priority)
        | {wanted.dscp: wanted.priority},
        "lossless": wanted.priority,
        "ecn": True,
        "watched": True,
    }


def test_an_mtu_leaves_room_for_the_header() -> None:
    """The largest packet of any inventory passes the port.

    The families have the inventory's own MTU.
    """
    for name, mtu in (("two tiers", 9216), ("other numbers", 4200)):
        text = variant_files(name, "junos")[0].files["junos.set"]
        assert set(re.findall(r"^set interfaces \S+ mtu (\d+)$", text, re.MULTILINE)) == {
            str(9216 + 14)
        }
        assert set(re.findall(r" family inet6? mtu (\d+)$", text, re.MULTILINE)) == {str(mtu)}


def test_cages_are_split_as_planned() -> None:
    """Each split cage has its number of sub-ports, and the speed of each."""
    for one in variant_files("two tiers", "junos"):
        text = one.files["junos.set"]
        splits = re.findall(
            r"^set interfaces (\S+) number-of-sub-ports (\d)\nset interfaces \1 speed (\w+)$",
            text,
            re.MULTILINE,
        )
        assert splits == [
            (cage.whole, str(cage.count), cage.speed.lower())
            for cage in one.switch.cages
            if cage.split
        ]


def test_ports_have_the_names_of_junos() -> None:
    """Cages count from 0, and sub-ports follow a colon (jvd, leaf1_qfx5240-64od.conf)."""
    for one in variant_files("two tiers", "junos"):
        assert all(
            re.fullmatch(r"et-0/0/(\d|[1-5]\d|6[0-3])(:[0-7])?", port.interface)
            for port in one.switch.ports
        )


def test_a_single_tier_announces_nothing() -> None:
    """Numbered hosts below one tier need neither BGP groups nor policies.

    Load is spread all the same.
    """
    text = variant_files("one tier", "junos")[0].files["junos.set"]
    assert " protocols bgp " not in text
    assert "policy-statement RAIL" not in text
