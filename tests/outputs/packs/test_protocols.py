"""Protocol settings go from the inventory to the files of every NOS and host.

Each has the units of its file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from fabricgen.inventory.load import inventory_text
from fabricgen.inventory.settings import Roce
from fabricgen.outputs.packs.pack_yaml import Limit, OlderVersion, Pack
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.hosts.build import Hosts
from fabricgen.views.protocols import RoceView, headroom_bytes
from tests.fabrics import generic, plan_of, spec_of
from tests.nos.switch_files import render_switches
from tests.outputs.packs.managed import SECRETS

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

TIMERS = {"hold_s": 36, "connect_retry_s": 7, "bfd_interval_ms": 450, "bfd_multiplier": 5}
ROCE = {
    "ecn_probability_percent": 80,
    "pfc_watchdog_ms": 600,
    "pfc_restore_ms": 700,
    "headroom_bytes": 99999,
}
MODELS = {
    "frr": "sn5600",
    "sonic": "sn5600",
    "nvue": "sn5600",
    "eos": "7060x6-64pe",
    "junos": "qfx5240",
    "nxos": "n9364e-sg2",
    "srlinux": "7220-ixr-h5-64",
}
WRITTEN = {
    "frr": (
        "timers bgp 12 36",
        "timers connect 7",
        "multiplier 5",
        "transmit-interval 450",
        "headroom=99999",
        "probability 0.8 ",
    ),
    "sonic": (
        "timers bgp 12 36",
        "transmit-interval 450",
        '"detection_time": "600", "restoration_time": "700"',
        'probability": "80"',
    ),
    "nvue": (
        "keepalive 12",
        "hold 36",
        "connection-retry 7",
        "hold: 36",
        "min-rx-interval 450",
        "detect-multiplier: 5",
        "probability 80",
    ),
    "eos": (
        "timers bgp 12 36",
        "interval 450 min-rx 450 multiplier 5",
        "timeout 0.6",
        "recovery-time 0.7",
        "max-mark-probability 80",
    ),
    "junos": (
        "hold-time 36",
        "minimum-interval 450",
        "multiplier 5",
        "detection 6",
        "recovery 700",
        "drop-probability 80",
    ),
    "nxos": ("timers 12 36", "bfd interval 450 min_rx 450 multiplier 5", "drop-probability 80"),
    "srlinux": (
        '"hold-time": 36, "keepalive-interval": 12',
        'receive": 450000',
        'multiplier": 5',
        '"detection-timer": 600, "recovery-timer": 700',
        'percent": 80',
    ),
}


def fabric(nos: str) -> Plan:
    """Plan two tiers of one NOS with settings that are no defaults."""
    leaf = {"model": MODELS[nos]}
    keys: dict[str, Any] = {"gpus": 128, "hb_domain": {"gpus": 2}, "design": "fat-tree"}
    addressing = {"mtu": 9000, "host_links": "unnumbered", "timers": TIMERS}
    return plan_of(
        **keys,
        rails={"tiers": 2},
        switches={"leaf": leaf},
        nos=nos,
        addressing=addressing,
        roce=ROCE,
    )


@pytest.mark.parametrize("nos", MODELS)
def test_a_nos_writes_the_settings_of_the_inventory(nos: str) -> None:
    """Each setting in the unit that the NOS takes."""
    text = "\n".join(render_switches(fabric(nos))[0].files.values())
    assert [part for part in WRITTEN[nos] if part not in text] == []


def test_control_packets_are_served_with_notifications() -> None:
    """CS6 and CS7 are strict whatever the DSCP of CNPs, but for one that RoCE traffic has."""
    default, other, taken = (
        RoceView.of(Roce(**keys)) for keys in ({}, {"cnp_dscp": 46}, {"dscp": 56})
    )
    assert (default.strict_dscps, other.strict_dscps) == ((48, 56), (46, 48, 56))
    assert taken.strict_dscps == (48,)
    assert taken.classes[56] == taken.priority


@pytest.mark.parametrize(
    ("speed_mbps", "length_m", "wanted"),
    [(400_000, 0, 262_144), (800_000, 0, 393_216), (800_000, 300, 393_216), (800_000, 5, 131_072)],
)
def test_headroom_grows_with_speed_and_length(speed_mbps: int, length_m: int, wanted: int) -> None:
    """What is on the cable both ways, two packets, and what the peer sends until it obeys."""
    found = headroom_bytes(speed_mbps, length_m, 9216)
    assert found == wanted
    on_cable = 2 * (length_m or 300) / 198e6 * speed_mbps * 1e6 / 8
    assert 0 <= found - (on_cable + 2 * 9216 + 905 * 64) < 65_536


def test_ports_of_two_speeds_have_each_their_headroom() -> None:
    """A leaf with 400G to its hosts and 800G to its spines has two sizes of buffers in roce.sh."""
    keys: dict[str, Any] = {"gpus": 128, "hb_domain": {"gpus": 2}, "rails": {"tiers": 2}}
    leaf = {
        "leaf": {"model": "sn5600", "breakout": "2x400G"},
        "spine": {"model": "sn5600", "breakout": "1x800G"},
    }
    one = render_switches(plan_of(**keys, switches=leaf, nos="frr"))[0]
    listed = {
        port: int(headroom)
        for headroom, ports in re.findall(
            r'^headroom=(\d+) .*\nports="(.*) "$', one.files["roce.sh"], re.MULTILINE
        )
        for port in ports.split()
    }
    assert listed == {port.interface: port.headroom_bytes for port in one.switch.ports}
    speeds = {port.speed: port.headroom_bytes for port in one.switch.ports}
    assert speeds == {"400G": 262_144, "800G": 393_216}


def test_a_host_has_the_timers_of_its_leaf() -> None:
    """A host that speaks BGP has the hold time of the switches."""
    (host,) = Hosts(fabric("frr")).views([0])
    text = Packs().render("host-frr", "frr.conf.j2", host=host)
    assert " timers bgp 12 36\n" in text


def test_a_default_is_omitted_from_the_inventory() -> None:
    """The written inventory has no key of a default, and it has each key that was set."""
    keys: dict[str, Any] = {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"generic": {"radix": 16}}},
    }
    plain = plan_document(plan_of(**keys), {})["inventory"]
    assert "timers" not in plain["addressing"]
    assert not plain["roce"].keys() & ROCE.keys()
    kept = plan_document(plan_of(**keys, addressing={"timers": {"hold_s": 30}}), {})["inventory"]
    assert kept["addressing"]["timers"]["hold_s"] == 30
    assert "hold_s: 30" in inventory_text(spec_of(**keys, addressing={"timers": {"hold_s": 30}}))


@pytest.mark.parametrize(
    ("value", "nearest"), [(100, 200), (200, None), (250, 300), (500, None), (600, 500)]
)
def test_a_limit_names_the_nearest_value(value: int, nearest: int | None) -> None:
    """A value that is too small, too large or between two steps has a value beside it."""
    fault = Limit(least=200, most=500, step=100).fault(value)
    assert (fault and fault[2]) == nearest


def test_words_are_those_of_the_version() -> None:
    """The oldest syntax that covers a version, and the newest where no version is named."""
    words: dict[str, Any] = {"a": "new"}
    older = tuple(OlderVersion(before=before, words={"a": before}) for before in ("5.9", "5.15"))
    pack = Pack(
        name="x",
        description="x",
        group="configs",
        verified="x",
        words=words,
        older=older,
        outputs=(),
    )
    found = {version: pack.words_of(version)["a"] for version in ("", "5.8", "5.10", "5.15")}
    assert found == {"": "new", "5.8": "5.9", "5.10": "5.15", "5.15": "new"}


RESTART_LINES = ["bgp graceful-restart\n", "bgp graceful-restart preserve-fw-state\n"]
RESTART = {
    "frr": ("frr.conf", RESTART_LINES),
    "sonic": ("frr.conf", RESTART_LINES),
    "nvue": ("commands.txt", ["nv set router bgp graceful-restart mode full\n"]),
    "eos": ("startup-config.cfg", ["   graceful-restart\n"]),
    "junos": (
        "junos.set",
        [
            "set routing-options graceful-restart\n",
            "set routing-instances rail0 routing-options graceful-restart\n",
            "set routing-instances rail1 protocols bgp graceful-restart\n",
        ],
    ),
    "nxos": ("nxos.cfg", ["    graceful-restart\n"]),
    "srlinux": ("config.json", ['"graceful-restart": {"admin-state": "enable"}']),
}


@pytest.mark.parametrize("nos", RESTART)
def test_graceful_restart_is_written_on_request(nos: str) -> None:
    """In each VRF of a shared box, and at the hosts; by default nowhere."""
    name, lines = RESTART[nos]
    for wanted in (True, False):
        plan = plan_of(
            gpus=32,
            hb_domain={"gpus": 4},
            rails={"per_switch": 2},
            switches={"leaf": {"model": MODELS[nos], "breakout": "2x400G"}},
            addressing={"host_links": "unnumbered", "bgp": {"graceful_restart": wanted}},
            nos=nos,
        )
        text = render_switches(plan)[0].files[name]
        assert [line in text for line in lines] == [wanted] * len(lines)
        own = Packs().render("host-frr", "frr.conf.j2", host=next(Hosts(plan).views([0])))
        assert [line in own for line in RESTART_LINES] == [wanted, wanted]


def sessions_plan(nos: str, **bgp: str) -> Plan:
    """Plan two tiers of one NOS with hosts that use BGP, and settings of its sessions."""
    return plan_of(
        gpus=160,
        hb_domain={"gpus": 2},
        rails={"tiers": 2},
        switches={"leaf": {"model": MODELS[nos], "breakout": "2x400G"}},
        addressing={"host_links": "unnumbered", "bgp": bgp},
        nos=nos,
    )


KEY_LINES = {
    "frr": ("frr.conf", " neighbor FABRIC password CANARY5bgp\n"),
    "sonic": ("frr.conf", " neighbor FABRIC password CANARY5bgp\n"),
    "nvue": ("commands.txt", " peer-group FABRIC password 'CANARY5bgp'\n"),
    "eos": ("startup-config.cfg", " neighbor RAIL0-SWITCHES password 0 CANARY5bgp\n"),
    "junos": ("junos.set", ' group FABRIC authentication-key "CANARY5bgp"\n'),
    "nxos": ("nxos.cfg", "  template peer RAIL0-FABRIC\n    password 0 CANARY5bgp\n"),
    "srlinux": ("config.json", '"algorithm": "md5", "authentication-key": "CANARY5bgp"'),
}


@pytest.mark.parametrize("nos", KEY_LINES)
def test_the_key_of_sessions_is_a_secret(nos: str) -> None:
    """It is on sessions between switches alone, and only where the reference is resolved."""
    name, line = KEY_LINES[nos]
    plan = sessions_plan(nos, password="env:BGP_KEY")  # noqa: S106 - a reference
    text = render_switches(plan)[0].files[name]
    assert line in text
    assert text.count("CANARY5bgp") == 1
    bare = render_switches(plan, secrets={})[0].files[name]
    assert "password" not in bare
    assert "BGP_KEY" not in bare
    packs = Packs()
    packs.secrets.values = SECRETS
    with packs.secrets:
        host = next(Hosts(plan).views([0]))
        assert "CANARY" not in packs.render("host-frr", "frr.conf.j2", host=host)


HOST_KEY_LINES = {
    "frr": ("frr.conf", " neighbor HOSTS password CANARY6hosts\n", 1),
    "sonic": ("frr.conf", " neighbor HOSTS password CANARY6hosts\n", 1),
    "nvue": ("commands.txt", " peer-group HOSTS password 'CANARY6hosts'\n", 1),
    "eos": ("startup-config.cfg", " neighbor HOST-1-1 password 0 CANARY6hosts\n", 64),
    "junos": ("junos.set", ' group HOST-1-1 authentication-key "CANARY6hosts"\n', 64),
    "nxos": ("nxos.cfg", "  template peer RAIL0-HOSTS\n    password 0 CANARY6hosts\n", 1),
    "srlinux": ("config.json", '"authentication": {"keychain": "BGP-HOSTS"}', 1),
}


@pytest.mark.parametrize("nos", HOST_KEY_LINES)
def test_hosts_have_a_key_of_their_own(nos: str) -> None:
    """At the leaf and at the host, and not between switches."""
    name, line, times = HOST_KEY_LINES[nos]
    plan = sessions_plan(nos, hosts_password="env:BGP_HOSTS_KEY")  # noqa: S106 - a reference
    leaf, spine = (
        next(one for one in render_switches(plan) if one.switch.role == role)
        for role in ("leaf", "spine")
    )
    assert line in leaf.files[name]
    assert leaf.files[name].count("CANARY6hosts") == times
    groups = spine.files[name].replace('"name": "BGP-HOSTS"', "")
    assert "BGP-HOSTS" not in groups
    assert nos == "srlinux" or "CANARY6hosts" not in groups
    assert "CANARY" not in render_switches(plan, secrets={})[0].files[name]
    packs, host = Packs(), next(Hosts(plan).views([0]))
    packs.secrets.values = SECRETS
    with packs.secrets:
        text = packs.render("host-frr", "frr.conf.j2", host=host)
    assert text.count("password CANARY6hosts\n") == len(host.nics)


LIMIT_LINES = {
    "frr": ("frr.conf", "  neighbor FABRIC maximum-prefix {n}", " warning-only\n", "\n"),
    "sonic": ("frr.conf", "  neighbor FABRIC maximum-prefix {n}", " warning-only\n", "\n"),
    "nvue": (
        "commands.txt",
        " peer-group FABRIC address-family ipv4-unicast prefix-limits inbound maximum {n}\n",
        (
            "nv set vrf default router bgp peer-group FABRIC address-family ipv4-unicast "
            "prefix-limits inbound warning-only enabled\n"
        ),
        "nv set vrf default router bgp neighbor",
    ),
    "eos": (
        "startup-config.cfg",
        "   neighbor RAIL0-SWITCHES maximum-routes {n}",
        " warning-only\n",
        "\n",
    ),
    "junos": (
        "junos.set",
        " group FABRIC family inet unicast accepted-prefix-limit maximum {n}\n",
        "set protocols bgp group FABRIC bfd",
        "set protocols bgp group FABRIC family inet unicast accepted-prefix-limit teardown\n",
    ),
    "nxos": ("nxos.cfg", "      maximum-prefix {n}", " warning-only\n", "\n"),
    "srlinux": ("config.json", '"max-received-routes": {n}', ', "prevent-teardown": true', "}"),
}


@pytest.mark.parametrize("nos", LIMIT_LINES)
def test_switches_limit_the_prefixes_of_each_other(nos: str) -> None:
    """To twice what the plan has: 80 hosts and each switch of the rail."""
    name, line, warned, ended = LIMIT_LINES[nos]
    for action, after in (("warn", warned), ("teardown", ended)):
        switches = render_switches(sessions_plan(nos, max_prefixes=action))
        limit = 2 * (80 + len(switches) // 2)
        for one in switches:
            text, wanted = (
                one.files[name],
                line.format(n=limit).replace("RAIL0", f"RAIL{one.switch.rail}"),
            )
            assert text.partition(wanted)[2].startswith(after), (action, one.switch.name)
    assert str(limit) not in render_switches(sessions_plan(nos))[0].files[name]


def test_a_key_of_hosts_takes_hosts_that_use_bgp() -> None:
    """With numbered links none of them has a session."""
    keys = generic(16, addressing={"bgp": {"hosts_password": "env:BGP_HOSTS_KEY"}})
    with pytest.raises(ValidationError, match="with `host_links: numbered` no host uses BGP"):
        plan_of(**keys)


TTL_LINES = {
    "frr": (
        "frr.conf",
        ["neighbor FABRIC ttl-security hops 1", "neighbor HOSTS ttl-security hops 1"],
    ),
    "sonic": (
        "frr.conf",
        ["neighbor FABRIC ttl-security hops 1", "neighbor HOSTS ttl-security hops 1"],
    ),
    "nvue": (
        "commands.txt",
        ["neighbor swp1s0 ttl-security hops 1", "neighbor swp64s1 ttl-security hops 1"],
    ),
    "eos": (
        "startup-config.cfg",
        ["RAIL0-SWITCHES ttl maximum-hops 1", "HOST-1-1 ttl maximum-hops 1"],
    ),
    "junos": ("junos.set", ["group FABRIC ttl 255", "group HOST-1-1 ttl 255"]),
    "nxos": (
        "nxos.cfg",
        ["    ttl-security hops 1\n    timers", "    ttl-security hops 1\n    address-family"],
    ),
}


@pytest.mark.parametrize("nos", TTL_LINES)
def test_ttl_security_is_written_at_both_ends(nos: str) -> None:
    """On sessions between switches, with hosts, and at the hosts; by default on none."""
    name, lines = TTL_LINES[nos]
    for wanted in (True, False):
        links = {"host_links": "unnumbered", "bgp": {"ttl_security": wanted}}
        plan = plan_of(
            gpus=160,
            hb_domain={"gpus": 2},
            rails={"tiers": 2},
            switches={"leaf": {"model": MODELS[nos], "breakout": "2x400G"}},
            addressing=links,
            nos=nos,
        )
        text = render_switches(plan)[0].files[name]
        assert [line in text for line in lines] == [wanted, wanted]
        host = next(Hosts(plan).views([0]))
        own = Packs().render("host-frr", "frr.conf.j2", host=host)
        sessions = [f" neighbor {nic.interface} ttl-security hops 1\n" in own for nic in host.nics]
        assert sessions == [wanted] * len(host.nics)
