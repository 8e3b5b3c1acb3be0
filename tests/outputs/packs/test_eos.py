"""The pack `eos`: Arista's renderer writes the same lines from the same facts.

The files read back equal the plan.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.terms import LinkKind
from tests.fabrics import IPV6, IPV6_UNNUMBERED, OTHER_NUMBERS, Inventory, plan_of
from tests.nos import eos_avd, frr, sonic
from tests.nos.eos import lines_of, read
from tests.nos.fabric import assert_is_plan, fabric, findings, swap_uplinks
from tests.nos.model_variants import VARIANTS as SHARED
from tests.nos.switch_files import PACKS, SwitchFiles, render_switches, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.nos.frr import Box

FEW = 3
"""Switches of one fabric that pyavd renders, which takes it a fifth of a second each."""


def of(breakout: str, gpus: int, **more: Any) -> Inventory:  # noqa: ANN401 - any key of an inventory
    """Return an inventory of 7060DX5 in two tiers.

    HB domains have 2 GPUs, and the MTU is the largest of EOS.
    """
    leaf = {"model": "7060dx5-64s", "breakout": breakout}
    return {
        "gpus": gpus,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "switches": {"leaf": leaf},
        "addressing": {"mtu": 9214},
        **more,
    }


UNNUMBERED = {"host_links": "unnumbered", "mtu": 9214}
VARIANTS: dict[str, Inventory] = {
    "7060x6-64pe": of(
        "2x400G", 320, switches={"leaf": {"model": "7060x6-64pe", "breakout": "2x400G"}}
    ),
    "two tiers": of("1x400G", 160),
    "one tier": of("1x400G", 64, rails={"tiers": 1}),
    "three tiers": of("1x400G", 256, rails={"tiers": 3}),
    "two planes": of("2x200G", 64, rails={"planes": 2, "tiers": 2}, nic={"speed": "200G"}),
    "shared boxes": of("1x400G", 64, rails={"per_switch": 2}),
    "shared boxes below spines": of("1x400G", 64, rails={"per_switch": 2, "tiers": 2}),
    "unnumbered hosts": of("1x400G", 80, addressing=UNNUMBERED),
    "unnumbered hosts on shared boxes": of(
        "1x400G", 64, rails={"per_switch": 2, "tiers": 2}, addressing=UNNUMBERED
    ),
    "IPv6 pools": of("1x400G", 80, addressing={**IPV6, "mtu": 9214}),
    "IPv6 pools on shared boxes": of(
        "1x400G", 64, rails={"per_switch": 2, "tiers": 2}, addressing={**IPV6, "mtu": 9214}
    ),
    "IPv6 pools and unnumbered hosts on shared boxes": of(
        "1x400G",
        64,
        rails={"per_switch": 2, "tiers": 2},
        addressing={**IPV6_UNNUMBERED, "mtu": 9214},
    ),
    "rail-optimized": of("1x400G", 80, design="rail-optimized"),
    "fat-tree": of("1x400G", 80, design="fat-tree"),
    "two speeds": of(
        "2x400G",
        320,
        switches={
            "leaf": {"model": "7060x6-64pe", "breakout": "2x400G"},
            "spine": {"model": "7060x6-64pe", "breakout": "1x800G"},
        },
    ),
    "other numbers": of(
        "1x400G",
        80,
        addressing={"asn_base": 64512, "mtu": 4200, "bfd": False},
        roce=OTHER_NUMBERS["roce"],
    ),
}


@cache
def variant_files(name: str) -> list[SwitchFiles]:
    """Render the switches of a variant once for all tests, which must not change the texts."""
    return render_switches(plan_of(nos="eos", **VARIANTS[name]))


def config(one: SwitchFiles) -> str:
    """Return the startup-config of a switch."""
    return one.files["startup-config.cfg"]


def boxes(found: list[SwitchFiles]) -> list[Box]:
    """Parse rendered files."""
    return [read(config(one)) for one in found]


@pytest.mark.parametrize("name", sorted(VARIANTS.keys() - SHARED.keys()))
def test_arista_writes_the_same_lines(name: str) -> None:
    """From the same facts pyavd renders exactly our lines, each below the same lines.

    Its schema accepts every fact.
    """
    found = variant_files(name)
    chosen = list({one.switch.role: one for one in found}.values()) if len(found) > FEW else found
    for one in sample(chosen, FEW):
        facts = eos_avd.facts_of(one.switch, one.secrets)
        assert eos_avd.complaints(facts) == []
        ours, theirs = lines_of(config(one)), lines_of(eos_avd.rendered(facts))
        assert len(set(ours)) == len(ours), "a line twice"
        assert sorted(set(ours) ^ set(theirs)) == [], one.switch.name


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("speed 400g-8", "speed 400g-9"),
        ("no switchport", "routed"),
        ("next-hop address-family ipv6 originate", "next-hop ipv6"),
        ("priority-flow-control priority 3 no-drop", "priority-flow-control priority 3 lossless"),
        (" eq 31", " eq 30"),
        ("route-map RAIL0 in", "route-map RAIL1 in"),
    ],
)
def test_the_comparison_finds_errors(good: str, bad: str) -> None:
    """Each injected error is a line that pyavd does not render."""
    one = variant_files("two tiers")[0]
    broken = config(one).replace(good, bad, 1)
    assert broken != config(one)
    assert any(
        bad in line[-1]
        for line in set(lines_of(broken))
        - set(lines_of(eos_avd.rendered(eos_avd.facts_of(one.switch, one.secrets))))
    )


def test_the_schema_finds_errors() -> None:
    """A value unknown to EOS is refused before anything is rendered."""
    facts = eos_avd.facts_of(variant_files("two tiers")[0].switch)
    facts["ethernet_interfaces"][0]["speed"] = "400g-9"
    (complaint,) = eos_avd.complaints(facts)
    assert complaint.startswith(
        "ethernet_interfaces.0.speed: The value '\"400g-9\"' is not among the valid values"
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_the_files_alone_rebuild_the_plan(name: str) -> None:
    """Adjacency, addresses, neighbours, AS numbers and filters from the files agree.

    They are the plan's.
    """
    plan = plan_of(nos="eos", **VARIANTS[name])
    assert_is_plan(fabric(boxes(variant_files(name))), plan)


def _expect_another(found: list[Box]) -> None:
    instance = found[0].instances[""]
    instance.peer_asns[next(iter(instance.peer_asns))] += 1


def _open_filter(found: list[Box]) -> None:
    found[0].instances[""].filters["FABRIC in"] = found[-1].instances[""].filters["FABRIC in"]


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (swap_uplinks, "which differs"),
        (_expect_another, "expects AS"),
        (_open_filter, "accepted on two rails"),
    ],
)
def test_the_comparison_of_files_finds_errors(
    harm: Callable[[list[Box]], None], words: str
) -> None:
    """Each injected error is a finding."""
    found = boxes(variant_files("two tiers"))
    harm(found)
    assert any(words in finding for finding in findings(fabric(found)))


@pytest.mark.parametrize(
    ("nos", "spine"),
    [
        ({"leaf": "sonic", "spine": "eos"}, "7060x6-64pe"),
        ({"leaf": "frr", "spine": "eos"}, "7060x6-64pe"),
        ({"leaf": "eos", "spine": "sonic"}, "sn5600"),
    ],
)
def test_leaves_and_spines_may_run_different_systems(nos: dict[str, str], spine: str) -> None:
    """Each side of a cable is named as its own NOS does, on both sides.

    Sessions expect the AS numbers of the other side.
    """
    leaf = {"sonic": "sn5600", "frr": "sn5600", "eos": "7060x6-64pe"}[nos["leaf"]]
    switches = {
        "leaf": {"model": leaf, "breakout": "2x400G"},
        "spine": {"model": spine, "breakout": "2x400G"},
    }
    plan = plan_of(nos=nos, **of("2x400G", 320, switches=switches))
    built = fabric([_box(one) for one in render_switches(plan)])
    assert findings(built) == []
    assert len(built.between()) == plan.link_count(LinkKind.LEAF_SPINE)
    assert {re.sub(r"\d+", "", name) for box in built.boxes.values() for name in box.ports} >= {
        "Ethernet/"
    }
    assert (
        len({re.sub(r"\d+", "", name) for box in built.boxes.values() for name in box.ports}) == 2
    )


def _box(one: SwitchFiles) -> Box:
    """Read a switch with the reader of its NOS."""
    if one.switch.nos == "sonic":
        return sonic.read(one.files["config_db.json"], one.files["frr.conf"])
    return (
        read(config(one))
        if one.switch.nos == "eos"
        else frr.read(one.files["frr.conf"], one.files["interfaces"])
    )


def test_a_shared_box_keeps_its_rails_in_vrfs() -> None:
    """Two rails on a box have two VRFs.

    Each has a BGP instance, a loopback, peer groups and a filter of its own.
    """
    one = variant_files("shared boxes below spines")[0]
    box = read(config(one))
    assert (
        set(box.instances)
        == set(box.loopbacks)
        == {port.vrf for port in box.ports.values()}
        == {"rail0", "rail1"}
    )
    assert "\n   router-id" not in config(
        one
    )  # the default instance has no session and no address for a router-id


def test_settings_reach_the_file() -> None:
    """MTU, BFD, AS numbers and the lossless class are the inventory's; all 64 DSCPs are mapped."""
    text = config(variant_files("other numbers")[0])
    box = read(text)
    assert {port.mtu for port in box.ports.values()} == {4200}
    assert box.instances[""].asn == 64512
    assert not box.instances[""].bfd
    assert "bfd" not in text
    mapped = {
        int(dscp): traffic
        for dscps, traffic in re.findall(
            r"^qos map dscp ([\d ]+) to traffic-class (\d)$", text, re.MULTILINE
        )
        for dscp in dscps.split()
    }
    assert mapped == dict.fromkeys(range(64), "0") | {24: "4", 46: "7", 48: "7", 56: "7"}
    assert read(config(variant_files("two tiers")[0])).instances[""].bfd


def test_load_is_balanced_by_load_where_the_switch_can() -> None:
    """Whether it can is a fact of the model; its name in EOS is the pack's."""
    switch = variant_files("two tiers")[0].switch
    output = [
        PACKS.render("eos", "forwarding.cfg.j2", switch=replace(switch, adaptive_routing=able))
        for able in (True, False)
    ]
    assert ["load-balance distribution dynamic" in text for text in output] == [True, False]
    assert switch.adaptive_routing


def test_a_port_without_a_cable_is_shut() -> None:
    """By default an EOS port is a switch port in VLAN 1.

    So two of them and a wrong cable would be a bridge.
    """
    one = variant_files("two tiers")[-1]
    shut = {
        line[0].removeprefix("interface ")
        for line in lines_of(config(one))
        if line[1:] == ("shutdown",)
    }
    assert shut == {port.interface for port in one.switch.idle_ports}
    assert shut
    assert len(shut) + len(one.switch.ports) == 64
