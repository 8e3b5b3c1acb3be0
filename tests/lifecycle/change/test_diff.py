"""Steps lead from one plan to the other exactly.

Their order keeps NIC ports connected, and every difference is listed.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.bom.priced_bill import make_bom
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.match_cables import ChangedCable, match
from fabricgen.lifecycle.change.port_downtime import PortReachability
from fabricgen.lifecycle.change.work_order import order
from fabricgen.views.factory import Views
from tests.fabrics import cables_of, plan_of
from tests.laws.drawing import Inventory, inventories
from tests.laws.drawn import planned_or_refused
from tests.lifecycle.change.replay import Technician, ends, grown, wired
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.diff import Diff
    from fabricgen.planning.plan import Plan

BASE: Inventory = {"gpus": 64, "hb_domain": {"gpus": 4}, "radix": 8}
PAIRS: dict[str, tuple[Inventory, Inventory]] = {
    "another design": (BASE, BASE | {"design": "fat-tree"}),
    "rails joined": (BASE, BASE | {"design": "rail-optimized"}),
    "fewer rails": (BASE, BASE | {"rails": {"count": 2}}),
    "another plane": (BASE, BASE | {"rails": {"planes": 2}}),
    "other boxes": (BASE, BASE | {"radix": 16}),
    "shrinking": (BASE, BASE | {"gpus": 32}),
    "oversubscribed": (BASE, BASE | {"oversubscription": "3:1"}),
    "shared": (BASE | {"gpus": 16}, BASE | {"gpus": 16, "rails": {"per_switch": 2}}),
    "a larger torus": (TORUS, TORUS | {"gpus": 40}),
    "torus to expander": (
        TORUS,
        TORUS | {"rails": {"medium": "direct", "topology": {"kind": "expander"}}},
    ),
    "ring on two planes to switches": (
        TORUS
        | {
            "nic": {"speed": "400G", "split": "2x200G"},
            "rails": {"medium": "direct", "planes": 2},
        },
        {key: value for key, value in TORUS.items() if key != "nic"} | {"rails": {"planes": 2}},
    ),
}


def replay(found: Diff) -> None:
    """Follow every step, and assert that the result is the new plan with its labels."""
    technician = Technician(wired(found.old))
    for step in found.steps:
        technician.follow(step)
    relabelled = {step.start: step.end for step in found.steps if step.action == "relabel"}
    assert technician.cables.keys() == wired(found.new).keys()
    assert not technician.loose
    for pair, label in wired(found.new).items():
        assert label in (technician.cables[pair], relabelled.get(technician.cables[pair]))


@pytest.mark.parametrize("name", PAIRS)
def test_steps_lead_to_the_new_plan(name: str) -> None:
    """No step plugs into a used port, and the result is exactly the new plan."""
    old, new = (plan_of(**keys) for keys in PAIRS[name])
    found = diff(old, new)
    replay(found)
    assert found.kept + found.moved + found.removed == len(wired(old))
    assert found.kept + found.moved + found.added == len(wired(new))


def test_steps_lead_to_any_plan() -> None:
    """For any two inventories the steps are complete, and each count adds up."""
    seen: Counter[str] = Counter()

    @settings(max_examples=60)
    @given(inventories(), inventories())
    def hold(one: Inventory, other: Inventory) -> None:
        plans = [
            planned_or_refused(
                inventory | {"gpus": min(inventory["gpus"], 8 * inventory["hb_domain"]["gpus"])}
            )
            for inventory in (one, other)
        ]
        if plans[0] and plans[1] and max(plan.cables for plan in plans if plan) < 1500:
            found = diff(plans[0], plans[1])
            replay(found)
            seen.update(step.action for step in found.steps)

    hold()
    assert {"add", "move", "remove"} <= seen.keys(), seen


@pytest.mark.parametrize(
    ("graphs", "gpus", "moved"),
    [
        (({"kind": "ring"}, {"kind": "ring"}), (32, 34), 2),
        (
            (
                {"kind": "torus-2d", "dimensions": [4, 4]},
                {"kind": "torus-2d", "dimensions": [5, 4]},
            ),
            (32, 40),
            4,
        ),
    ],
    ids=["ring", "torus"],
)
def test_a_larger_graph_moves_the_cables_that_close_it(
    graphs: tuple[Inventory, Inventory], gpus: tuple[int, int], moved: int
) -> None:
    """A ring opens at one place, both of its parallel links; a torus across its first dimension."""
    old, new = (
        plan_of(**TORUS | {"rails": {"medium": "direct", "topology": graph}, "gpus": count})
        for graph, count in zip(graphs, gpus, strict=True)
    )
    found = diff(old, new)
    assert (found.moved, found.removed) == (2 * moved, 0)
    assert found.kept + found.moved == old.links


def test_a_plan_equals_itself() -> None:
    """There are no steps, no cost and no differences."""
    plan = plan_of(**BASE)
    found = diff(plan, plan_of(**BASE))
    assert (found.moved, found.added, found.removed, found.kept) == (0, 0, 0, len(wired(plan)))
    assert (found.steps, found.parts, found.settings, found.devices, found.cost_delta) == (
        (),
        [],
        [],
        [],
        0,
    )


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(7, 13)), max_size=12),
    st.randoms(use_true_random=False),
)
def test_a_maximum_of_cables_moves(pairs: list[tuple[int, int]], random: Any) -> None:  # noqa: ANN401 - a type of hypothesis
    """No pairing of old and new cables with a common port has more pairs."""
    old: list[ChangedCable] = []
    new: list[ChangedCable] = []
    for side in (old, new):
        used: set[int] = set()
        for low, high in random.sample(pairs, len(pairs)):
            if low not in used and high not in used:
                used |= {low, high}
                side.append(
                    ChangedCable(f"c{low}", (low, high), (low, high), (f"p{low}", f"p{high}"), ())
                )
    both = {cable.ports for cable in old} & {cable.ports for cable in new}
    old, new = ([cable for cable in side if cable.ports not in both] for side in (old, new))
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from([("old", at) for at in range(len(old))])
    graph.add_edges_from(
        (("old", a), ("new", b))
        for a, one in enumerate(old)
        for b, other in enumerate(new)
        if set(one.ports) & set(other.ports)
    )
    most = len(nx.bipartite.maximum_matching(graph, [("old", at) for at in range(len(old))])) // 2
    jobs = match(old, new)
    assert sum(job.old is not None and job.new is not None for job in jobs) == most
    assert len(jobs) == len(old) + len(new) - most
    steps = order(jobs, PortReachability((), {}))
    technician = Technician({frozenset(cable.names): cable.label for cable in old})
    for step in steps:
        technician.follow(step)
    assert technician.cables.keys() == {frozenset(cable.names) for cable in new}


@cache
def planned_ports(plan: Plan) -> frozenset[str]:
    """Return the ports of every planned cable."""
    return frozenset(port for view in cables_of(plan) for port in ends(view))


def dark(plan: Plan, cables: set[frozenset[str]]) -> set[str]:
    """Return the host ports of a rail-only fabric without a path to another HB domain.

    The method is independent of the program's.
    """
    graph: nx.Graph[str] = nx.Graph()
    hosts = {name: number // plan.fabric.domain_hosts for number, name in enumerate(plan.hosts)}
    joined = planned_ports(plan).union(*cables)
    every = {port for port in joined if port.split()[0] in hosts}
    graph.add_nodes_from(every)
    for pair in cables:
        graph.add_edge(*(port if port.split()[0] in hosts else port.split()[0] for port in pair))
    found = set()
    for part in nx.connected_components(graph):
        ports = part & every
        if len({hosts[port.split()[0]] for port in ports}) == 1:
            found |= ports
    return found


@pytest.mark.parametrize(
    ("older", "newer", "keys"),
    [
        (128, 256, {"hb_domain": {"gpus": 4}, "radix": 16}),
        (16, 64, {"hb_domain": {"gpus": 4}, "radix": 16}),
    ],
)
def test_growth_keeps_every_nic_port_connected(older: int, newer: int, keys: Inventory) -> None:
    """After each step, every port that stays in place has a path.

    Only a port whose own cable moves has none meanwhile.
    """
    old, new = grown(older, newer, **keys)
    found = diff(old, new)
    technician = Technician(wired(old))
    moving = {step.end for step in found.steps if step.action == "move"}
    for step in found.steps:
        if step.action == "move":
            (pair,) = (pair for pair in technician.cables if step.start in pair)
            own = {port for port in pair if port.startswith("host-")}
            assert bool(step.disconnected) == bool(own)
        technician.follow(step)
        assert dark(old, set(technician.cables)) == set()
    assert moving or old.sizing.tiers == 1


def test_dark_ports_are_those_without_a_path() -> None:
    """A single leaf gets spines.

    Hosts that move to the second leaf wait for its uplinks no longer than necessary.
    """
    old, new = grown(16, 64, hb_domain={"gpus": 4}, radix=16, design="fat-tree")
    found = diff(old, new)
    technician = Technician(wired(old))
    for step in found.steps:
        before = dark(
            old,
            {
                pair
                for pair in technician.cables
                if not (step.action == "move" and step.start in pair)
            },
        )
        assert len(step.disconnected) == len(before)
        technician.follow(step)
    assert dark(old, set(technician.cables)) == set()


@given(st.randoms(use_true_random=False))
def test_each_move_disconnects_the_fewest_ports(random: Any) -> None:  # noqa: ANN401 - a type of hypothesis
    """Of a few moves between leaves and spines, each is compared with all others.

    None disconnects fewer ports.
    """
    slots = [(leaf, 100 + 10 * spine + leaf) for leaf in range(3) for spine in range(3)]
    random.shuffle(slots)
    old = [
        ChangedCable(f"u{at}", (1000 + at, port), (leaf, port // 10), (f"l{at}", f"s{port}"), ())
        for at, (leaf, port) in enumerate(slots[:4])
    ]
    new = [
        cable._replace(
            ports=(cable.ports[0], port),
            nodes=(cable.nodes[0], port // 10),
            names=(cable.names[0], f"s{port}"),
        )
        for cable, (_, port) in zip(old, random.sample(slots[4:], 4), strict=True)
    ]
    fixed, nics = (
        [(200 + leaf, leaf) for leaf in range(3)],
        {200 + leaf: (f"d{leaf}-g0", leaf) for leaf in range(3)},
    )
    state = {cable.label: cable.nodes for cable in old}
    left = list(state)
    for step in order(match(old, new), PortReachability(fixed, nics)):
        watch = PortReachability(fixed, nics)
        counts = {
            label: len(
                watch.disconnected(
                    watch.ends([nodes for other, nodes in state.items() if other != label])
                )
            )
            for label in left
        }
        assert len(step.disconnected) == counts[step.cable] == min(counts.values())
        state[step.cable] = next(cable.nodes for cable in new if cable.label == step.cable)
        left.remove(step.cable)
    assert left == []


def test_every_changed_configuration_is_named() -> None:
    """The list has exactly the devices whose configurations differ."""
    old, new = plan_of(**BASE), plan_of(**BASE, addressing={"mtu": 9000}, roce={"dscp": 24})
    found = diff(old, new)
    views = [
        {
            view.name: view
            for segment in range(plan.mapping.segments)
            for view in Views(plan).switches(segment)
        }
        for plan in (old, new)
    ]
    differing = {name for name in views[0] if views[0][name] != views[1][name]}
    assert differing
    assert {device.name for device in found.devices if device.role != "host"} == differing
    assert {setting.key for setting in found.settings} == {"addressing.mtu", "roce.dscp"}
    assert {change.what for device in found.devices for change in device.changes} >= {"mtu", "dscp"}


def test_parts_and_cost_are_those_of_the_bills() -> None:
    """The difference of the new bill and the old one."""
    old, new = plan_of(**BASE), plan_of(**BASE | {"gpus": 96}, spares={"switches": {"minimum": 2}})
    found = diff(old, new)
    bills = [make_bom(plan) for plan in (old, new)]
    counts = [{line.item: line.quantity + line.spares for line in bill.lines} for bill in bills]
    assert {delta.part: (delta.was, delta.now) for delta in found.parts} == {
        part: (counts[0].get(part, 0), count) for part, count in counts[1].items()
    }
    assert found.cost_delta == (bills[1].cost() or 0) - (bills[0].cost() or 0)


def test_the_document_has_the_documented_keys() -> None:
    """The keys of `diff --json`, and steps of one shape."""
    document = diff(plan_of(**BASE), plan_of(**BASE | {"gpus": 96})).document()
    assert {"moved", "added", "removed", "kept", "steps", "cost_delta"} <= document.keys()
    assert all({"action", "cable", "from", "to"} <= step.keys() for step in document["steps"])
    assert document["added"] == sum(step["action"] == "add" for step in document["steps"])


def test_positions_are_compared_in_described_rooms() -> None:
    """A device at another position is listed, and its cables are cut again."""
    feet = {"footprints": {kind: {"units": 1} for kind in ("host", "leaf", "spine")}}
    old, new = (
        plan_of(**BASE, site={"racks_per_row": 4, "network_racks": where, **feet})
        for where in ("row-middle", "row-end")
    )
    found = diff(old, new)
    assert found.measured
    assert any(change.what == "place" for device in found.devices for change in device.changes)
    lengths = [{ends(view): view.length_m for view in cables_of(plan)} for plan in (old, new)]
    assert found.kept == sum(lengths[1][pair] == length for pair, length in lengths[0].items())
    replay(found)
    assert not diff(plan_of(**BASE), new).measured
