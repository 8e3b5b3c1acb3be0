"""Thousands of random faults: each is found and named, and there are no false findings.

The moves, carried out one by one, lead to the plan.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.fewest_moves import RepairStep, group_miscablings
from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
from tests.fabrics import plan_of
from tests.laws.drawing import inventories
from tests.lifecycle.audit.faults import Cabling
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.audit import Audit
    from fabricgen.planning.plan import Plan

SN5600 = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
FABRICS: dict[str, dict[str, Any]] = {
    "rail-only": {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 8},
    "one tier": {"gpus": 128, "hb_domain": {"gpus": 8}, "radix": 24},
    "three tiers": {"gpus": 64, "hb_domain": {"gpus": 4}, "radix": 4},
    "rail-optimized": {
        "gpus": 96,
        "hb_domain": {"gpus": 8},
        "design": "rail-optimized",
        "radix": 24,
    },
    "fat tree": {"gpus": 64, "hb_domain": {"gpus": 4}, "design": "fat-tree", "radix": 12},
    "shared leaves": {
        "gpus": 128,
        "hb_domain": {"gpus": 8},
        "rails": {"per_switch": 2},
        "switches": SN5600,
        "nic": {"speed": "400G"},
    },
    "breakouts": {
        "gpus": 128,
        "hb_domain": {"gpus": 4},
        "switches": {"leaf": {"model": "7060dx5-64s", "breakout": "4x100G"}},
        "nic": {"speed": "100G"},
    },
    "twin planes": {"gpus": 64, "hb_domain": {"gpus": 8}, "rails": {"planes": 2}, "radix": 16},
    "infiniband": {
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "design": "rail-optimized",
        "switches": {"leaf": {"model": "qm9700"}},
    },
    "direct rails": TORUS | {"gpus": 256, "hb_domain": {"gpus": 4}},
}
CASES = [range(30), pytest.param(range(30, 150), marks=pytest.mark.slow)]
SCRAMBLED = [range(20), pytest.param(range(20, 90), marks=pytest.mark.slow)]
MOST = 50


@cache
def variant_plan(fabric: str) -> Plan:
    """Plan a fabric once."""
    return plan_of(**FABRICS[fabric])


def found(result: Audit) -> Counter[tuple[str, frozenset[str]]]:
    """Return the findings of an audit in the form of recorded faults."""
    return Counter((finding.code, frozenset(finding.cables)) for finding in result.findings)


def check_counts(result: Audit) -> None:
    """Every link is in one state, and each move repairs one fault."""
    document = result.document()
    assert (
        sum(document[key] for key in ("matched", "wrong", "missing", "silent")) == document["links"]
    )
    assert document["moves"] == document["wrong"] + document["missing"] + document["extra"]


def repair(cabling: Cabling, result: Audit) -> None:
    """Carry out every move in the printed order."""

    def here(port: int | None) -> int | None:
        place = None if port is None else result.places.places[port]
        return place and cabling.places.find(place.device, [place.interface])

    for event in result.events:
        steps = [step for group in event.groups for step in group.steps]
        cabling.carry_out(
            [
                RepairStep(step.action, here(step.kept) or 0, here(step.source), here(step.target))
                for step in steps
            ],
            event.unknown_neighbors,
        )


@pytest.mark.parametrize("fabric", FABRICS)
def test_a_correct_cabling_has_no_findings(fabric: str) -> None:
    """Noise in the evidence causes none."""
    result = audit(variant_plan(fabric), Cabling(variant_plan(fabric)).evidence(random.Random(1)))  # noqa: S311 - a random case, not a secret
    assert (result.ok, result.moves, len(result.matched)) == (True, 0, result.places.planned // 2)
    assert found(result) == Counter()


@pytest.mark.parametrize("cases", CASES, ids=str)
@pytest.mark.parametrize("fabric", FABRICS)
def test_the_findings_are_exactly_the_faults(fabric: str, cases: range) -> None:
    """One to fifty faults of every kind: the findings are exactly these.

    The moves lead to the plan.
    """
    seen: Counter[str] = Counter()
    for seed in cases:
        rng = random.Random(seed)  # noqa: S311 - a random case, not a secret
        cabling = Cabling(variant_plan(fabric))
        cabling.break_at_random(rng, rng.randint(1, MOST))
        result = audit(variant_plan(fabric), cabling.evidence(rng))
        assert found(result) == Counter(cabling.faults), f"{fabric}, case {seed}"
        assert not result.silent
        check_counts(result)
        repair(cabling, result)
        assert cabling.as_planned, f"{fabric}, case {seed}"
        seen.update(kind for kind, _ in cabling.faults)
    assert seen.keys() >= {"shifted", "missing", "stranger"}
    assert seen.keys() & {"swapped", "rail-crossed"}


def test_every_kind_is_drawn() -> None:
    """The cases above contain every kind of event."""
    seen: set[str] = set()
    for fabric in FABRICS:
        for seed in range(12):
            cabling = Cabling(variant_plan(fabric))
            cabling.break_at_random(random.Random(seed), MOST)  # noqa: S311 - a random case, not a secret
            seen.update(kind for kind, _ in cabling.faults)
    assert seen == {
        "rail-crossed",
        "plane-crossed",
        "exchanged",
        "breakout-reversed",
        "shifted",
        "swapped",
        "misplugged",
        "missing",
        "stranger",
        "extra",
    }


@pytest.mark.parametrize("cases", SCRAMBLED, ids=str)
@pytest.mark.parametrize("fabric", FABRICS)
def test_the_moves_lead_to_the_plan_from_any_cabling(fabric: str, cases: range) -> None:
    """After overlapping faults every difference is found, and no correct cable is moved."""
    for seed in cases:
        rng = random.Random(seed)  # noqa: S311 - a random case, not a secret
        cabling = Cabling(variant_plan(fabric))
        cabling.scramble(rng, rng.randint(1, MOST))
        differences = cabling.differences
        result = audit(variant_plan(fabric), cabling.evidence(rng))
        check_counts(result)
        assert (result.wrong + result.extra, result.wrong + result.missing) == (
            differences["wrong"],
            differences["gone"],
        ), f"{fabric}, case {seed}"
        repair(cabling, result)
        assert cabling.as_planned, f"{fabric}, case {seed}"


@settings(max_examples=60)
@given(inventory=inventories(), seed=st.integers(0, 2**32), count=st.integers(1, MOST))
def test_any_plan_is_audited(inventory: dict[str, Any], seed: int, count: int) -> None:
    """For any valid inventory faults are found, and the moves lead to the plan."""
    try:
        plan = plan_of(**inventory)
    except Refusal:
        return
    if plan.links > 3000:
        return
    rng = random.Random(seed)  # noqa: S311 - a random case, not a secret
    cabling = Cabling(plan)
    cabling.break_at_random(rng, count)
    differences = cabling.differences
    result = audit(plan, cabling.evidence(rng))
    check_counts(result)
    strangers = len(result.built.unknown_neighbors)
    assert (result.wrong + result.extra - strangers, result.wrong + result.missing) == (
        differences["wrong"],
        differences["gone"],
    )
    repair(cabling, result)
    assert cabling.as_planned


def test_two_exchanged_racks() -> None:
    """Two racks of hosts, exchanged host by host, are one event.

    With one pair as planned they are several.
    """
    plan = plan_of(gpus=256, hb_domain={"gpus": 8}, radix=16)
    cabling = Cabling(plan)
    racks = sorted({cabling.places.racks[host] for host in cabling.hosts})[:2]
    pairs = list(
        zip(
            *(
                [host for host in cabling.hosts if cabling.places.racks[host] == rack]
                for rack in racks
            ),
            strict=True,
        )
    )
    for one, other in pairs[1:]:
        cabling.exchange_devices(one, other)
    some = audit(plan, cabling.evidence(random.Random(0)))  # noqa: S311 - a random case, not a secret
    assert [event.kind for event in some.events] == ["exchanged"] * (len(pairs) - 1)
    cabling.exchange_devices(*pairs[0])
    (event,) = audit(plan, cabling.evidence(random.Random(0))).events  # noqa: S311 - a random case, not a secret
    assert (event.kind, event.sentence.startswith(f"racks {racks[0]} and {racks[1]} are")) == (
        "exchanged",
        True,
    )


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        ((1, 2, 3, 4, 0), "shifted"),
        ((4, 0, 1, 2, 3), "shifted"),
        ((2, 0, 4, 1, 3), "mixed-up"),
        ((1, 2, 0, 3, 4), "shifted"),
    ],
)
def test_a_ring_of_cables(order: tuple[int, ...], kind: str) -> None:
    """A shifted run with its last cable in the first port is one event, as is a disordered cycle.

    Each takes as many moves as cables.
    """
    cabling = Cabling(variant_plan("one tier"))
    run = cabling.places.of_device["r0-leaf-1"][:5]
    far = [cabling.pull(port) for port in run]
    for port, place in zip(run, order, strict=True):
        cabling.plug(port, far[place])
    result = audit(cabling.plan, cabling.evidence(random.Random(0)))  # noqa: S311 - a random case, not a secret
    wrong = {cabling.places.labels[port] for at, port in enumerate(run) if order[at] != at}
    assert found(result) == Counter([(kind, frozenset(wrong))])
    assert result.moves == len(wrong)
    repair(cabling, result)
    assert cabling.as_planned


State = frozenset[frozenset[int]]
"""Cables by the ports that they are in: two, or one where the other end is unplugged."""


def fewest(cabling: Cabling, ports: list[int]) -> int:
    """Search for the fewest moves of any kind and in any order.

    Unplugging an end is part of the move that plugs it in again, so it costs nothing itself.
    """
    goal = frozenset(
        frozenset((port, cabling.places.peers[port]))
        for port in ports
        if cabling.places.peers[port] in ports
    )
    level = unplugged(
        {frozenset(frozenset(pair) for pair in cabling.partner.items() if set(pair) <= set(ports))}
    )
    seen, moves = set(level), 0
    while goal not in level:
        level = unplugged({after for state in level for after in moved(state, ports)} - seen)
        seen |= level
        moves += 1
    return moves


def unplugged(states: set[State]) -> set[State]:
    """Return the states, and those with some ends unplugged."""
    found, fresh = set(states), set(states)
    while fresh:
        fresh = {
            state - {cable} | {frozenset({port})}
            for state in fresh
            for cable in state
            if len(cable) == 2
            for port in cable
        } - found
        found |= fresh
    return found


def moved(state: State, ports: list[int]) -> Iterator[State]:
    """Yield the states after one move: an end is plugged in, a cable is added, or removed."""
    free = [port for port in ports if not any(port in cable for cable in state)]
    for cable in state:
        yield state - {cable}
        if len(cable) == 1:
            yield from (state - {cable} | {cable | {port}} for port in free)
    yield from (state | {frozenset(pair)} for pair in combinations(free, 2))


def test_the_number_of_moves_is_minimal() -> None:
    """On six ports, two of them idle, it equals that of an exhaustive search."""
    plan, compared, rings = variant_plan("one tier"), 0, 0
    for seed in range(150):
        rng = random.Random(seed)  # noqa: S311 - a random case, not a secret
        cabling = Cabling(plan)
        low = [link * 2 for link in rng.sample(range(cabling.places.planned // 2), 2)]
        ports = [*low, *(port + 1 for port in low), *rng.sample(cabling.idle, 2)]
        for port in low:
            cabling.pull(port)
        order = rng.sample(ports, rng.choice((2, 4, 4, 6)))
        for one, other in zip(order[::2], order[1::2], strict=True):
            cabling.plug(one, other)
        lost = [
            port for port in low if port not in cabling.partner and port + 1 not in cabling.partner
        ]
        groups = group_miscablings(
            cabling.places, ObservedCabling(partner=dict(cabling.partner)), lost
        )
        assert sum(len(group.moves) for group in groups) == fewest(cabling, ports), f"case {seed}"
        compared += bool(groups)
        rings += any(group.ring for group in groups)
    assert compared > 100
    assert rings > 5
