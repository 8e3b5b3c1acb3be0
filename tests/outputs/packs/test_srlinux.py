"""The pack `srlinux`: Nokia's own models accept config.json. The files read back equal the plan."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.terms import LinkKind
from tests.fabrics import IPV6, IPV6_UNNUMBERED, OTHER_NUMBERS, Inventory, plan_of
from tests.nos import eos, sonic, srlinux_yang
from tests.nos.fabric import Fabric, assert_is_plan, fabric, findings
from tests.nos.model_variants import VARIANTS as SHARED
from tests.nos.srlinux import read
from tests.nos.switch_files import SwitchFiles, render_switches, sample

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from tests.nos.frr import Box
    from tests.nos.srlinux import Node

    Judge = Callable[[str], subprocess.CompletedProcess[str]]

FEW = 3
"""Switches of one fabric that yanglint validates."""

MODEL = "7220-ixr-h5-64"


def of(breakout: str, gpus: int, **more: Any) -> Inventory:  # noqa: ANN401 - any key of an inventory
    """Return an inventory of 7220 IXR-H5 in two tiers, with HB domains of 2."""
    return {
        "gpus": gpus,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "switches": {"leaf": {"model": MODEL, "breakout": breakout}},
        **more,
    }


VARIANTS: dict[str, Inventory] = {
    "two tiers": of("2x400G", 320),
    "whole cages": of("1x800G", 160, nic={"speed": "800G"}),
    "one tier": of("2x400G", 128, rails={"tiers": 1}),
    "three tiers": of("1x800G", 256, rails={"tiers": 3}, nic={"speed": "800G"}),
    "two planes": of("2x400G", 160, rails={"planes": 2, "tiers": 2}),
    "shared boxes": of("2x400G", 128, rails={"per_switch": 2}),
    "shared boxes below spines": of(
        "1x800G", 64, rails={"per_switch": 2, "tiers": 2}, nic={"speed": "800G"}
    ),
    "unnumbered hosts": of(
        "1x800G", 80, addressing={"host_links": "unnumbered"}, nic={"speed": "800G"}
    ),
    "unnumbered hosts on shared boxes": of(
        "1x800G",
        64,
        rails={"per_switch": 2, "tiers": 2},
        addressing={"host_links": "unnumbered"},
        nic={"speed": "800G"},
    ),
    "IPv6 pools": of("1x800G", 80, addressing=IPV6, nic={"speed": "800G"}),
    "IPv6 pools and unnumbered hosts on shared boxes": of(
        "1x800G",
        64,
        rails={"per_switch": 2, "tiers": 2},
        addressing=IPV6_UNNUMBERED,
        nic={"speed": "800G"},
    ),
    "rail-optimized": of("1x800G", 80, design="rail-optimized", nic={"speed": "800G"}),
    "fat-tree": of("1x800G", 80, design="fat-tree", nic={"speed": "800G"}),
    "two speeds": of(
        "2x400G",
        320,
        switches={
            "leaf": {"model": MODEL, "breakout": "2x400G"},
            "spine": {"model": MODEL, "breakout": "1x800G"},
        },
    ),
    "eight ports a cage": of(
        "8x100G",
        128,
        nic={"speed": "100G"},
        switches={"leaf": {"model": MODEL, "breakout": "8x100G"}},
    ),
    "other numbers": of(
        "1x800G",
        80,
        nic={"speed": "800G"},
        addressing={"asn_base": 64512, "mtu": 4200, "bfd": False},
        roce=OTHER_NUMBERS["roce"],
    ),
}


@cache
def variant_files(name: str) -> list[SwitchFiles]:
    """Render the switches of a variant once for all tests, which must not change the texts."""
    return render_switches(plan_of(nos="srlinux", **VARIANTS[name]))


def tree_of(one: SwitchFiles) -> Node:
    """Read a configuration, refusing duplicate keys."""

    def pairs(found: list[tuple[str, Any]]) -> Node:
        assert len(dict(found)) == len(found), "a key twice"
        return dict(found)

    tree: Node = json.loads(one.files["config.json"], object_pairs_hook=pairs)
    return tree


def boxes(found: list[SwitchFiles]) -> list[Box]:
    """Parse rendered files, each box with the reader of its NOS."""
    return [_box(one) for one in found]


def _box(one: SwitchFiles) -> Box:
    if one.switch.nos == "sonic":
        return sonic.read(one.files["config_db.json"], one.files["frr.conf"])
    return (
        read(one.files["config.json"])
        if one.switch.nos == "srlinux"
        else eos.read(one.files["startup-config.cfg"])
    )


@pytest.fixture(scope="session")
def yanglint(
    tool: Callable[[str], str], oracles: Path, tmp_path_factory: pytest.TempPathFactory
) -> Judge:
    """Return a function that validates a config.json against Nokia's models."""
    program, folder = tool("yanglint"), tmp_path_factory.mktemp("srlinux")
    home = srlinux_yang.prepare(oracles / "srlinux-yang", folder)
    return lambda text: srlinux_yang.validate(program, home, folder, text)


@pytest.mark.parametrize("name", sorted(VARIANTS.keys() - SHARED.keys()))
def test_sr_linux_accepts_the_files(name: str, yanglint: Judge) -> None:
    """Every kind of fabric, a switch of each role."""
    found = variant_files(name)
    for one in sample(list({one.switch.role: one for one in found}.values()), FEW):
        tree_of(one)
        done = yanglint(one.files["config.json"])
        assert (done.returncode, srlinux_yang.complaints(done)) == (0, []), one.switch.name


def _interface(tree: Node, at: int = -2) -> Node:
    found: Node = tree["srl_nokia-interfaces:interface"][at]
    return found


def _bgp(tree: Node) -> Node:
    found: Node = tree["srl_nokia-network-instance:network-instance"][0]["protocols"][
        "srl_nokia-bgp:bgp"
    ]
    return found


def _too_large(tree: Node) -> None:
    _interface(tree)["mtu"] = 9501


def _unknown_key(tree: Node) -> None:
    _interface(tree)["colour"] = "blue"


def _three_ports(tree: Node) -> None:
    _interface(tree, 0)["breakout-mode"]["num-breakout-ports"] = "3"


def _mtu_of_a_split_cage(tree: Node) -> None:
    _interface(tree, 0)["mtu"] = 9232


def _no_such_policy(tree: Node) -> None:
    _bgp(tree)["group"][-1]["export-policy"] = ["RAIL9"]


def _no_such_group(tree: Node) -> None:
    _bgp(tree)["dynamic-neighbors"]["interface"][0]["peer-group"] = "SPINES"


def _no_such_asn(tree: Node) -> None:
    _bgp(tree)["autonomous-system"] = 4294967296


def _no_such_prefix(tree: Node) -> None:
    tree["srl_nokia-routing-policy:routing-policy"]["policy"][0]["statement"][0]["match"]["prefix"][
        "prefix-set"
    ] = "HOSTS"


def _no_such_dscp(tree: Node) -> None:
    tree["srl_nokia-qos:qos"]["classifiers"]["dscp-policy"][0]["dscp"][0]["value"] = 64


def _classes_of_a_port(tree: Node) -> None:
    del tree["srl_nokia-qos:qos"]["interfaces"]["interface"][1]["interface-ref"]["subinterface"]


def _marking_without_a_limit(tree: Node) -> None:
    del tree["srl_nokia-qos:qos"]["interfaces"]["interface"][0]["output"][
        "buffer-allocation-profile"
    ]


def _bfd_of_no_port(tree: Node) -> None:
    tree["srl_nokia-bfd:bfd"]["subinterface"][0]["id"] = "ethernet-1/1.7"


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (_too_large, 'value "9501" is out of the allowed range'),
        (_unknown_key, 'Node "colour" not found'),
        (_three_ports, 'Invalid enumeration value "3"'),
        (_mtu_of_a_split_cage, "mtu not configurable when breakout-mode is enabled"),
        (_no_such_policy, 'Invalid leafref value "RAIL9"'),
        (_no_such_group, 'Invalid leafref value "SPINES"'),
        (_no_such_asn, 'Value "4294967296" is out of type'),
        (_no_such_prefix, 'Invalid leafref value "HOSTS"'),
        (_no_such_dscp, 'value "64"'),
        (_classes_of_a_port, "Attachment of classifiers, not permitted for interfaces"),
        (_marking_without_a_limit, "cannot be configured without setting maximum burst size"),
        (_bfd_of_no_port, "Must be an existing subinterface name"),
    ],
)
def test_the_models_find_errors(
    harm: Callable[[Node], None], complaint: str, yanglint: Judge
) -> None:
    """Wrong words, ranges, references and conditions are each found."""
    tree = tree_of(variant_files("two tiers")[0])
    harm(tree)
    done = yanglint(json.dumps(tree))
    assert done.returncode != 0
    assert any(complaint in printed for printed in srlinux_yang.complaints(done)), done.stderr[
        -400:
    ]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_files_alone_rebuild_the_plan(name: str) -> None:
    """Adjacency, addresses, neighbours, AS numbers and filters from the files agree.

    They are the plan's.
    """
    plan = plan_of(nos="srlinux", **VARIANTS[name])
    assert_is_plan(fabric(boxes(variant_files(name))), plan)


def test_hosts_of_one_leaf_learn_of_each_other() -> None:
    """All hosts share an AS number, which a leaf replaces by its own in what it sends them."""
    built = fabric(boxes(variant_files("unnumbered hosts")))
    assert findings(built) == []
    leaf = next(box for box in built.boxes.values() if "-leaf-" in box.name)
    leaf = replace(leaf, instances={"": replace(leaf.instances[""], withholds={"HOSTS"})})
    found = findings(Fabric({**built.boxes, leaf.name: leaf}))
    assert any("do not learn the addresses of hosts" in finding for finding in found)


@pytest.mark.parametrize(
    ("nos", "models"),
    [
        ({"leaf": "sonic", "spine": "srlinux"}, ("sn5600", MODEL)),
        ({"leaf": "srlinux", "spine": "eos"}, (MODEL, "7060x6-64pe")),
        ({"leaf": "eos", "spine": "srlinux"}, ("7060x6-64pe", MODEL)),
    ],
)
def test_leaves_and_spines_may_run_different_systems(
    nos: dict[str, str], models: tuple[str, str]
) -> None:
    """Each side of a cable is named as its own NOS does, on both sides.

    Sessions expect the AS numbers of the other side.
    """
    leaf, spine = ({"model": model, "breakout": "2x400G"} for model in models)
    plan = plan_of(
        nos=nos,
        **of("2x400G", 320, switches={"leaf": leaf, "spine": spine}, addressing={"mtu": 9214}),
    )
    built = fabric(boxes(render_switches(plan)))
    assert findings(built) == []
    assert len(built.between()) == plan.link_count(LinkKind.LEAF_SPINE)
    starts = {"sonic": "Ethernet", "eos": "Ethernet", "srlinux": "ethernet-1/"}
    for box in built.boxes.values():
        own, far = (
            (nos["leaf"], nos["spine"]) if "leaf" in box.name else (nos["spine"], nos["leaf"])
        )
        assert all(name.startswith(starts[own]) for name in box.ports)
        assert all(
            port.peer_interface.startswith(starts[far])
            for port in box.ports.values()
            if port.peer in built.boxes
        )


def test_a_shared_box_keeps_its_rails_in_vrfs() -> None:
    """Two rails on a box have two IP VRFs and no default instance.

    Each has a BGP instance, a loopback and a policy of its own.
    """
    one = variant_files("shared boxes below spines")[0]
    tree, box = tree_of(one), read(one.files["config.json"])
    assert (
        set(box.instances)
        == set(box.loopbacks)
        == {port.vrf for port in box.ports.values()}
        == {"rail0", "rail1"}
    )
    assert {each["type"] for each in tree["srl_nokia-network-instance:network-instance"]} == {
        "srl_nokia-network-instance:ip-vrf"
    }


def test_cages_are_split_before_their_ports_are_named() -> None:
    """A split cage is an interface that has only the split. Whole ones have their speed instead."""
    mixed = tree_of(next(one for one in variant_files("two speeds") if one.switch.role == "leaf"))[
        "srl_nokia-interfaces:interface"
    ]
    split = {each["name"]: each["breakout-mode"] for each in mixed if "breakout-mode" in each}
    assert {tuple(mode.values()) for mode in split.values()} == {("2", "400G")}
    for each in mixed:
        if "description" in each:
            assert (each["name"].rpartition("/")[0] in split) != (
                each.get("ethernet") == {"port-speed": "800G"}
            )


def test_settings_reach_the_file() -> None:
    """MTU, BFD, AS numbers and the lossless class are the inventory's; all 64 DSCPs are mapped."""
    one = variant_files("other numbers")[0]
    tree, box = tree_of(one), read(one.files["config.json"])
    qos = tree["srl_nokia-qos:qos"]
    assert {port.mtu for port in box.ports.values()} == {4200}
    assert box.instances[""].asn == 64512
    assert not box.instances[""].bfd
    assert "srl_nokia-bfd:bfd" not in tree
    (policy,) = qos["classifiers"]["dscp-policy"]
    assert {each["value"]: each["forwarding-class"] for each in policy["dscp"]} == dict.fromkeys(
        range(64), "fc0"
    ) | {24: "fc4", 46: "fc7", 48: "fc7", 56: "fc7"}
    assert {each["name"]: each["queue-index"] for each in qos["queues"]["queue"]} == {
        "rest": 0,
        "roce": 4,
        "cnp": 7,
    }
    (slope,) = qos["buffer-management"]["queue-management-profile"][0]["wred"]["wred-slope"]
    assert (slope["min-threshold"], slope["max-threshold"], slope["enable-ecn"]) == (
        "1000",
        "2000",
        True,
    )
    attached = {each["interface-id"] for each in qos["interfaces"]["interface"]}
    assert attached == {name for port in box.ports for name in (port, f"{port}.0")}
    assert read(variant_files("two tiers")[0].files["config.json"]).instances[""].bfd
