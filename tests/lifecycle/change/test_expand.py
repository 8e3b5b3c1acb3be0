"""Growth keeps what it can.

Cables are compared with an optimal assignment; names, numbers, laws and the plan file are verified.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.laws import check
from fabricgen.api import plan_file
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.device_changes import device_changes
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from fabricgen.lifecycle.change.lower_bound import fewest_moves
from fabricgen.lifecycle.change.renumbering import outgrown
from fabricgen.planning.plan_document import plan_document
from fabricgen.planning.segment_links import tier_links
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import CATALOG, cables_of, plan_of, spec_of
from tests.laws.drawing import Inventory, inventories
from tests.laws.drawn import planned_or_refused
from tests.laws.laws import LAWS
from tests.lifecycle.change.replay import ends, grown, grown_or_refused, wired

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

Case = tuple[int, int, dict[str, Any]]

SMALL = {"hb_domain": {"gpus": 4}, "radix": 16}
CASES: dict[str, Case] = {
    "one switch fills up": (32, 64, {"hb_domain": {"gpus": 4}, "radix": 16}),
    "one switch gets spines": (48, 128, {"hb_domain": {"gpus": 4}, "radix": 16}),
    "as many spines": (96, 128, {"hb_domain": {"gpus": 4}, "radix": 8}),
    "twice the spines": (256, 512, {"hb_domain": {"gpus": 8}, "radix": 16}),
    "four times the spines": (256, 768, {"hb_domain": {"gpus": 8}, "radix": 16}),
    "stripes": (64, 128, {"hb_domain": {"gpus": 4}, "radix": 16, "design": "rail-optimized"}),
    "a leaf becomes one of a rail": (
        16,
        64,
        {"hb_domain": {"gpus": 4}, "radix": 16, "design": "rail-optimized"},
    ),
    "hosts in a row": (16, 64, {"hb_domain": {"gpus": 4}, "radix": 16, "design": "fat-tree"}),
    "a pod becomes many": (32, 96, {"hb_domain": {"gpus": 4}, "radix": 8, "design": "fat-tree"}),
    "more pods": (64, 120, {"hb_domain": {"gpus": 4}, "radix": 8, "design": "fat-tree"}),
    "rails share a leaf": (
        16,
        64,
        {"hb_domain": {"gpus": 4}, "radix": 16, "rails": {"per_switch": 2, "planes": 2}},
    ),
    "unnumbered": (
        32,
        96,
        {"hb_domain": {"gpus": 4}, "radix": 8, "addressing": {"host_links": "unnumbered"}},
    ),
    "an uneven spread": (
        32,
        56,
        {"hb_domain": {"gpus": 4}, "radix": 8, "design": "fat-tree", "spread": "minimal"},
    ),
}


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest) -> tuple[Plan, Plan]:
    """Return a plan and the plan that it grows to."""
    older, newer, keys = CASES[request.param]
    return grown(older, newer, **keys)


def exact(old: Plan, new: Plan, kind: LinkKind) -> int:
    """Return the largest number of links of one kind and block that can stay.

    It is a min-cost flow, in which one link is a flow of 1. It goes from its lower switch to a
    pair of switches, whose capacity is the largest of any pair in the new wiring. From there it
    continues as an old link, each of which is used once and earns one, or as a new link. An upper
    switch has the capacity of its ports.
    """
    was, now = (tier_links(plan.mapping, kind) for plan in (old, new))
    scale = new.sizing.group_cores, max(old.sizing.group_cores, 1)
    upper = (
        was.upper // scale[1] * scale[0] + was.upper % scale[1]
        if kind is LinkKind.SPINE_CORE
        else was.upper
    )
    ports = (
        new.widths[kind.upper][0]
        if kind.upper.tier < new.sizing.tiers
        else new.fabric.port_layouts[kind.upper].radix
    )
    stays = Counter(
        zip(
            was.lower[was.upper_port < ports].tolist(),
            upper[was.upper_port < ports].tolist(),
            strict=True,
        )
    )
    pairs = Counter(zip(now.lower.tolist(), now.upper.tolist(), strict=True))
    network: nx.DiGraph[Any] = nx.DiGraph()
    network.add_nodes_from(
        (("low", low), {"demand": -links}) for low, links in Counter(now.lower.tolist()).items()
    )
    network.add_nodes_from(
        (("high", high), {"demand": links}) for high, links in Counter(now.upper.tolist()).items()
    )
    for (low, high), links in pairs.items():
        here = ("pair", low, high)
        network.add_edge(("low", low), here, capacity=links, weight=0)
        network.add_edge(here, ("high", high), capacity=links, weight=0)
        network.add_edge(here, ("old", low, high), capacity=stays[low, high], weight=-1)
        network.add_edge(("old", low, high), ("high", high), capacity=stays[low, high], weight=0)
    return -int(nx.min_cost_flow_cost(network))


def test_as_many_links_stay_as_an_optimal_assignment_keeps(pair: tuple[Plan, Plan]) -> None:
    """By kind, and the printed bound is the same number."""
    old, new = pair
    kinds = old.kinds[1:]
    kept = wired(old).keys() & wired(new).keys()
    blocks = old.mapping.segments * old.mapping.segment_blocks
    most = sum(exact(old, new, kind) for kind in kinds)
    hosts = {end for end in kept if any(port.startswith("host-") for port in end)}
    assert len(kept) - len(hosts) == blocks * most
    assert len(wired(old)) - len(kept) == fewest_moves(old, new)


def test_diff_counts_as_many_moves(pair: tuple[Plan, Plan]) -> None:
    """A link that does not stay is moved; none is discarded."""
    old, new = pair
    found = diff(old, new)
    assert (found.moved, found.removed) == (fewest_moves(old, new), 0)
    assert found.kept + found.moved == len(wired(old))
    assert found.kept + found.moved + found.added == len(wired(new))


def test_names_and_numbers_are_kept(pair: tuple[Plan, Plan]) -> None:
    """Switches and hosts keep their names, and switches their AS numbers.

    Labels belong to the lower port.
    """
    old, new = pair
    assert set(old.switches()) <= set(new.switches())
    assert new.hosts[: len(old.hosts)] == old.hosts
    asns = [
        {
            view.name: view.asn
            for segment in range(plan.mapping.segments)
            for view in Views(plan).switches(segment)
        }
        for plan in pair
    ]
    assert asns[0].items() <= asns[1].items()
    assert len(set(new.switches())) == len(list(new.switches()))
    assert old.addresses.host_asn == new.addresses.host_asn
    before, after = wired(old), wired(new)
    assert {end: after[end] for end in before.keys() & after.keys()} == {
        end: before[end] for end in before.keys() & after.keys()
    }


def addressed(plan: Plan) -> dict[str, str]:
    """Return loopbacks of switches, addresses of NIC ports, and the prefixes in filters of both."""
    found: dict[str, str] = {}
    for segment in range(plan.mapping.segments):
        for view in Views(plan).switches(segment):
            found |= {
                f"{view.name} {one.vrf}": f"{one.loopback} {one.loopback_prefix} {one.host_prefix}"
                for one in view.instances
            }
    nics = [nic for host in Hosts(plan).views(range(len(plan.hosts))) for nic in host.nics]
    return found | {
        f"{nic.gpu} {nic.interface}": f"{nic.address} {nic.rail_prefix}" for nic in nics
    }


def test_addresses_are_kept(pair: tuple[Plan, Plan]) -> None:
    """Loopbacks, addresses of NIC ports, and prefixes in filters.

    A NIC port that must leave its leaf may change its address, and is counted.
    """
    old, new = (addressed(plan) for plan in pair)
    changed = {where for where, what in old.items() if new[where] != what}
    assert all(where.startswith("d") for where in changed)
    output = list(outgrown(*pair))
    assert sum(int(sentence.split()[3].replace(",", "")) for sentence in output) == len(changed)
    assert all(
        "existing NIC ports change: they change their leaf" in sentence for sentence in output
    )


@pytest.mark.parametrize(
    ("pools", "stay"),
    [
        ({}, True),
        ({"host_pool": "10.0.0.0/23"}, False),
        ({"loopback_pool": "10.128.0.0/25"}, False),
    ],
)
def test_an_exhausted_pool(pools: dict[str, str], *, stay: bool) -> None:
    """It is refused with its arithmetic. With a larger pool the changes are counted."""
    keys = {"hb_domain": {"gpus": 8}, "radix": 16}
    old = plan_of(**keys, gpus=256, addressing=pools)
    if stay:
        assert list(outgrown(old, grow(old, spec_of(**keys, gpus=1024), CATALOG))) == []
        return
    with pytest.raises(Refusal) as refused:
        grow(old, spec_of(**keys, gpus=1024, addressing=pools), CATALOG)
    assert [finding.code for finding in refused.value.findings] == ["pool-too-small"]
    new = grow(old, spec_of(**keys, gpus=1024), CATALOG)
    changed = Counter(
        change.what
        for device in diff(old, new).devices
        if device.state == "changed"
        for change in device.changes
    )
    (sentence,) = outgrown(old, new)
    assert int(sentence.split()[3]) == changed[
        "address" if "host_pool" in pools else "loopback"
    ] // (2 if "host_pool" in pools else 1)


def test_a_grown_plan_satisfies_every_law(pair: tuple[Plan, Plan]) -> None:
    """Those of `check`, and those of every plan."""
    _, new = pair
    assert check(new).broken == []
    for law in LAWS:
        if law.__name__ not in BY_THE_RULE:
            law(new)


BY_THE_RULE = {"planning_again_gives_the_same"}
"""Laws that plan the inventory again, which does not know the kept plan."""


def test_a_plan_file_holds_the_kept_plan(pair: tuple[Plan, Plan], tmp_path: Path) -> None:
    """Read back it is the same fabric, byte by byte, and it can grow."""
    old, new = pair
    document = plan_document(new, summarize(new, make_bom(new)).document())
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    again = plan_file(path)
    assert plan_document(again, summarize(again, make_bom(again)).document()) == document
    assert wired(again) == wired(new)
    assert list(again.switches()) == list(new.switches())
    assert diff(new, again).steps == ()
    assert old.fabric.gpus < again.fabric.gpus


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"addressing": {"asn_base": 64512}},
        {"naming": {"leaf": "l{rail}-{n}"}},
        {"rails": {"planes": 2}},
    ],
)
def test_equal_devices_are_skipped(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of devices is that of comparing each one."""
    keys = {"hb_domain": {"gpus": 8, "hosts": 2}, "radix": 16, "reserve": {"gpus": 512}}
    old, new = plan_of(**keys, gpus=128), plan_of(**keys | {"gpus": 256} | changes)
    found = list(device_changes(old, new))
    monkeypatch.setattr("fabricgen.lifecycle.change.device_changes._alike", lambda *_: {})
    monkeypatch.setattr(
        "fabricgen.lifecycle.change.device_changes._hosts_alike", lambda *_: range(0)
    )
    assert list(device_changes(old, new)) == found
    assert {device.state for device in found} >= {"added", "changed"}


def test_equal_devices_of_grown_plans_are_skipped(
    pair: tuple[Plan, Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for plans that grow."""
    found = list(device_changes(*pair))
    monkeypatch.setattr("fabricgen.lifecycle.change.device_changes._alike", lambda *_: {})
    monkeypatch.setattr(
        "fabricgen.lifecycle.change.device_changes._hosts_alike", lambda *_: range(0)
    )
    assert list(device_changes(*pair)) == found


def test_growth_in_two_steps_keeps_both() -> None:
    """Names, numbers and cables of the first growth are kept like those before it."""
    old, middle = grown(256, 512, hb_domain={"gpus": 8}, radix=16)
    new = grow(middle, spec_of(gpus=1024, hb_domain={"gpus": 8}, radix=16), CATALOG)
    assert diff(middle, new).moved == fewest_moves(middle, new)
    assert set(old.switches()) <= set(middle.switches()) <= set(new.switches())
    assert check(new).broken == []
    assert len(new.mapping.stages.stages) == 3


def test_an_edited_plan_violates_the_law_of_the_rule() -> None:
    """A plan whose wiring differs from its kept plan violates it."""
    _, new = grown(256, 512, hb_domain={"gpus": 8}, radix=16)
    baseline = new.mapping.baseline
    assert baseline
    _ = new.segment
    upper, port = baseline.wired[LinkKind.LEAF_SPINE]
    upper[[0, -1]], port[[0, -1]] = upper[[-1, 0]], port[[-1, 0]]
    assert "wired-as-planned" in check(new).broken


def test_within_a_reserve_nothing_moves() -> None:
    """Growth inside a reserve only adds.

    No cable moves, goes or is relabelled, and no device is renumbered.
    """
    seen = 0

    @settings(max_examples=60)
    @given(inventories())
    def hold(inventory: Inventory) -> None:
        nonlocal seen
        domain = inventory["hb_domain"]["gpus"]
        room = min(inventory.get("reserve", {"gpus": inventory["gpus"]})["gpus"], 20 * domain)
        half = -(-room // 2 // domain) * domain
        old = planned_or_refused(inventory | {"gpus": half, "reserve": {"gpus": room}})
        new = (
            grown_or_refused(old, **inventory | {"gpus": room, "reserve": {"gpus": room}})
            if old
            else None
        )
        if old and new:
            found = diff(old, new)
            assert {step.action for step in found.steps} <= {"add"}
            assert found.kept == old.cables
            assert list(outgrown(old, new)) == []
            numbers = {
                "asn",
                "loopback",
                "router id",
                "address",
                "gateway",
                "host prefix",
                "loopback prefix",
                "place",
            }
            assert not numbers & {
                change.what
                for device in found.devices
                if device.state == "changed"
                for change in device.changes
            }
            assert fewest_moves(old, new) == 0
            seen += 1

    hold()
    assert seen >= 30


def test_growth_inside_the_last_pod_moves_no_cable() -> None:
    """The spines of a pod with few leaves have free ports for the added leaves."""
    keys: dict[str, Any] = {"hb_domain": {"gpus": 2}, "radix": 4}
    old, new = plan_of(gpus=18, **keys), plan_of(gpus=24, **keys)
    assert [(plan.sizing.leaf, plan.sizing.spine, plan.sizing.core) for plan in (old, new)] == [
        (5, 6, 4),
        (6, 6, 4),
    ]
    found = diff(old, grow(old, new.spec, CATALOG))
    assert {step.action for step in found.steps} == {"add"}
    assert found.kept == old.cables


@pytest.mark.parametrize("examples", [60, pytest.param(150, marks=pytest.mark.slow)])
def test_any_growth_keeps_what_it_can(examples: int) -> None:
    """The result satisfies every law, and moves as many cables as the bound."""
    seen: Counter[tuple[int, int]] = Counter()
    seen_cuts: Counter[bool] = Counter()

    @settings(max_examples=examples)
    @given(inventories(), st.integers(1, 40))
    def hold(inventory: Inventory, more: int) -> None:
        small = {key: value for key, value in inventory.items() if key != "reserve"}
        old = planned_or_refused(small)
        new = (
            grown_or_refused(
                old, **small | {"gpus": small["gpus"] + more * small["hb_domain"]["gpus"]}
            )
            if old
            else None
        )
        if not old or not new or new.cables > 20_000:
            return
        seen[old.sizing.tiers, new.sizing.tiers] += 1
        before, after = wired(old), wired(new)
        gone = len(before.keys() - after.keys())
        assert gone == fewest_moves(old, new)
        assert set(old.switches()) <= set(new.switches())
        assert check(new).broken == []
        blocks = range(old.mapping.segments * old.mapping.segment_blocks)
        starts = [
            [
                pool.start(block)
                for pool in (plan.addresses.hosts, plan.addresses.loopbacks)
                for block in blocks
            ]
            for plan in (old, new)
        ]
        assert starts[0] == starts[1] or any(
            "pool grows" in sentence for sentence in outgrown(old, new)
        )
        seen_cuts[starts[0] == starts[1]] += 1

    hold()
    assert seen_cuts[True] >= examples // 5
    assert min(seen[tiers] for tiers in ((1, 1), (1, 2), (2, 2))) >= 3, seen


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({"design": "fat-tree"}, ("design",)),
        ({"gpus": 128}, ("gpus",)),
        ({"rails": {"planes": 2}}, ("rails", "planes")),
        ({"rails": {"count": 4}}, ("rails", "count")),
        ({"radix": 32}, ("switches", "leaf")),
        ({"oversubscription": "3:1"}, ("oversubscription",)),
        ({"hb_domain": {"gpus": 4}}, ("hb_domain", "gpus")),
    ],
)
def test_another_shape_is_refused(keys: dict[str, Any], path: tuple[str, ...]) -> None:
    """Growth changes the size of a block, and no other property."""
    old = plan_of(gpus=256, hb_domain={"gpus": 8}, radix=16)
    with pytest.raises(Refusal) as refused:
        grow(old, spec_of(**{"gpus": 512, "hb_domain": {"gpus": 8}, "radix": 16} | keys), CATALOG)
    assert {finding.code for finding in refused.value.findings} == {"cannot-grow"}
    assert path in [finding.path for finding in refused.value.findings]


def test_ports_of_uplinks_stay() -> None:
    """A leaf's uplink keeps its port, also with another spine."""
    old, new = grown(256, 512, hb_domain={"gpus": 8}, radix=16)
    sides = []
    for plan in (old, new):
        rows = plan.segment.kind == LinkKind.LEAF_SPINE
        sides.append(
            set(
                zip(
                    plan.segment.lower[rows].tolist(),
                    plan.segment.lower_port[rows].tolist(),
                    strict=True,
                )
            )
        )
    assert sides[0] <= sides[1]
    assert np.array_equal(
        old.segment.slot[old.segment.kind == LinkKind.HOST],
        new.segment.slot[new.segment.kind == LinkKind.HOST][: old.link_count(LinkKind.HOST) // 8],
    )


SITE = {
    "racks_per_row": 4,
    "rows": 12,
    "hosts_per_rack": 4,
    "footprints": {kind: {"units": 1} for kind in ("host", "leaf", "spine", "core")},
}


def places(plan: Plan) -> dict[str, str]:
    """Return the position of every planned device.

    The second value is the length of the cable between two ports.
    """
    assert plan.lengths
    room = plan.lengths.room
    lengths = {" - ".join(sorted(ends(view))): str(view.length_m) for view in cables_of(plan)}
    return {room.device(device): room.place(device) for device in range(len(room.kind))} | lengths


def common(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """Return the common keys with the values of the new plan."""
    return {name: new[name] for name in old if name in new}


@pytest.mark.parametrize(
    ("older", "newer", "keys"),
    [
        (256, 512, {"hb_domain": {"gpus": 8}, "radix": 16}),
        (
            32,
            64,
            {"hb_domain": {"gpus": 4}, "radix": 8, "design": "fat-tree", "rails": {"tiers": 3}},
        ),
        (16, 64, {"hb_domain": {"gpus": 4}, "radix": 16, "rails": {"per_switch": 2, "planes": 2}}),
    ],
)
@pytest.mark.parametrize("leaves", ["network-rack", "top-of-rack"])
def test_installed_devices_keep_their_positions(
    older: int, newer: int, keys: dict[str, Any], leaves: str
) -> None:
    """In a described room no device moves when others are added. A plan file has all positions."""
    site = {"site": SITE | {"leaves": leaves}}
    old, new = grown(older, newer, **keys, **site)
    last = grow(new, spec_of(**keys, **site, gpus=newer * 2), CATALOG)
    stood = [places(plan) for plan in (old, new, last)]
    for before, after in pairwise(stood):
        assert common(before, after) == common(after, before)
        assert len(before) / 3 < len(common(before, after)) < len(after)
    assert [*outgrown(old, new), *outgrown(new, last)] == []
    assert check(new).broken == check(last).broken == []


def test_a_full_room() -> None:
    """Devices that do not fit beside the installed ones are refused with their sum.

    So is a site without the rows of installed devices.
    """
    keys = {"hb_domain": {"gpus": 8}, "radix": 16}
    old = plan_of(**keys, gpus=256, site=SITE)
    for rows, code in ((3, "no-room"), (1, "cannot-grow")):
        with pytest.raises(Refusal) as refused:
            grow(old, spec_of(**keys, gpus=512, site=SITE | {"rows": rows}), CATALOG)
        assert [finding.code for finding in refused.value.findings] == [code]
