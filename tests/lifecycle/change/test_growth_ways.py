"""The ways to grow by GPUs: what each phase buys, what it moves, and which way is recommended."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.cluster_bill import bill_of
from fabricgen.bom.counts import part_of
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli.ways_text import ways_text
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.growth_ways import Way, Ways, ways_to_grow
from fabricgen.lifecycle.change.phase_summary import summarize_ways
from fabricgen.lifecycle.change.purchases import has_fixed_lengths
from tests.fabrics import spec_of
from tests.mutations.cluster import CLUSTER

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.growth_ways import GrowthPhase

QUOTE = {"sn5600": 51200, "mma4z00-ns": 598, "mma4z00-ns-flt": 948, "mfp7e10": 80}
HALL: dict[str, Any] = {
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "phases": [{"gpus": 256}, {"gpus": 1024}, {"gpus": 2048}],
    "prices": {"book": "street-2026-09", "parts": QUOTE},
}
SMALL: dict[str, Any] = {
    "gpus": 32,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 8}}},
    "phases": [{"gpus": 32}, {"gpus": 64}, {"gpus": 128}],
}

ROOM = {
    "rack": {"units": 48},
    "footprints": {role: {"units": 2} for role in ("host", "leaf", "spine", "core")},
}


def ways_of(**keys: Any) -> Ways:  # noqa: ANN401 - keys of an inventory
    """Plan the ways of an inventory."""
    return ways_to_grow(spec_of(**keys), Catalog())


def costs(way: Way) -> list[Decimal]:
    """Return the cost by the end of each phase."""
    return list(accumulate(phase.cost or Decimal(0) for phase in way.phases))


def adds_up(way: Way) -> None:
    """Assert that the parts of all phases are those of the last plan, besides what is left over.

    In a generated room the lengths of installed cables are those of the phase that bought them.
    """
    last = way.phases[-1]
    bought = sum((Counter(phase.parts) for phase in way.phases), Counter[str]())
    used = Counter({line.item: line.quantity for line in bill_of(last.plan).lines})
    if not has_fixed_lengths(last.plan):
        bought, used = (by_part(items) for items in (bought, used))
    assert bought - Counter(way.left_over) == +used


def by_part(items: Counter[str]) -> Counter[str]:
    """Count items by part."""
    counts: Counter[str] = Counter()
    for item, count in items.items():
        counts[part_of(item)] += count
    return counts


def moves(way: Way) -> list[int]:
    """Count by a whole diff of the plans what each phase moves."""
    plans = [phase.plan for phase in way.phases]
    return [diff(*pair).moved for pair in pairwise(plans)]


def test_phases_have_the_networks_beside_compute() -> None:
    """What all phases buy is the bill of the last cluster, and no cable of any network moves."""
    gpus = (64, 128, 256)
    ways = ways_of(**CLUSTER, phases=[{"gpus": each} for each in gpus])
    best = ways.recommended
    adds_up(best)
    assert best.moved == 0
    plans = [phase.plan for phase in best.phases]
    for old, new in pairwise(plans):
        assert {each.moved for each in diff(old, new).networks.values()} == {0}
    shown = summarize_ways(ways).phases
    last = plans[-1]
    for name, network in last.networks.items():
        added = [phase.networks[name] for phase in shown if phase.networks]
        assert sum(each.cables for each in added) == network.cables
        assert sum(each.switches for each in added) == len([*network.switches()])
    assert sum(phase.cables for phase in shown) == sum(own.cables for own in last.cluster)
    assert shown[-1].cables_by_then == sum(own.cables for own in last.cluster)


def test_moves_in_networks_count() -> None:
    """A way that moves cables between switches of a network alone is not recommended."""
    ways = ways_of(**CLUSTER, phases=[{"gpus": 64}, {"gpus": 256}])
    moved = {way.name: way.moved for way in ways.found}
    assert moved["grow-later"] > 0
    assert moved[ways.recommended.name] == 0
    later = next(way for way in ways.found if way.name == "grow-later").phases[-1].growth
    assert later
    assert later.moved == 0


def test_spines_are_bought_when_a_rail_outgrows_a_leaf() -> None:
    """256 GPUs now and 2,048 later: a third of the cost in the first phase, and no cable moves."""
    ways = ways_of(**HALL)
    reserved, grown, later = ways.found
    assert ways.recommended is later
    assert later.name == "spines-later"
    assert costs(reserved) == [1_794_304, 3_206_144, 5_593_088]
    assert costs(grown) == [627_968, 1_283_072, 5_593_088]
    assert costs(later) == [627_968, 3_206_144, 5_593_088]
    assert [way.moved for way in ways.found] == [0, 512, 0]
    assert [moves(way) for way in ways.found] == [[0, 0], [0, 512], [0, 0]]
    for way in ways.found:
        adds_up(way)
        assert not way.left_over


def test_the_phases_are_those_of_the_recommended_way() -> None:
    """The keys that scripts rely on, and the other ways under another key."""
    document = summarize_ways(ways_of(**HALL)).document()
    keys = ("gpus", "switches", "cables", "cost", "cables_moved", "switches_by_then")
    assert [tuple(phase[key] for key in keys) for phase in document["phases"]] == [
        (256, 8, 256, 627_968, 0, 8),
        (1024, 24, 1792, 2_578_176, 0, 32),
        (2048, 16, 2048, 2_386_944, 0, 48),
    ]
    assert document["recommended"] == "spines-later"
    assert list(document["ways"]) == ["reserve-now", "grow-later", "spines-later"]
    assert document["phases"] == document["ways"]["spines-later"]["phases"]


def test_two_phases_may_both_fit_one_leaf() -> None:
    """A phase whose hosts stay on their leaf needs no spines either."""
    ways = ways_of(**HALL | {"phases": [{"gpus": 128}, {"gpus": 512}, {"gpus": 1024}]})
    assert [[phase.parts.get("sn5600", 0) for phase in way.phases] for way in ways.found] == [
        [8, 0, 0]
    ] * 3
    assert ways.recommended.name == "reserve-now"


@pytest.mark.parametrize("room", [None, "unknown", ROOM])
@pytest.mark.parametrize("design", ["rail-only", "rail-optimized", "fat-tree"])
def test_every_design_adds_up(design: str, room: Any) -> None:  # noqa: ANN401 - a value of `site`
    """Each way buys the parts of its last plan, and counts the moves that `diff` finds."""
    for way in ways_of(**SMALL, design=design, **({"site": room} if room else {})).found:
        adds_up(way)
        assert room or not way.left_over
        assert [phase.growth.moved for phase in way.phases if phase.growth] == moves(way)
        assert way.moved == 0 or way.name == "grow-later"


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized", "fat-tree"])
def test_rails_are_packed_as_in_the_end(design: str) -> None:
    """`per_switch: auto` is that of the end, which a fat-tree does not have, and no cable moves."""
    packed = {"rails": {"per_switch": "auto"}, "phases": [{"gpus": 16}, {"gpus": 128}]}
    ways = ways_of(**SMALL | packed, design=design)
    assert not ways.refused
    assert ways.recommended.moved == 0


def test_a_way_that_cannot_be_planned_is_named() -> None:
    """The text has the fact and its code, and recommends one of the others."""
    ways = ways_of(**SMALL)
    finding = Finding("no-room", "66 racks do not fit into the room")
    without = replace(ways, found=ways.found[:1], refused=(("grow-later", finding),))
    text = ways_text(summarize_ways(without))
    assert "grow-later cannot be planned: 66 racks do not fit into the room [no-room]" in text
    assert "recommended: reserve-now" in text


def test_parts_that_are_left_over_are_named() -> None:
    """A part that an early phase bought and the last does not use."""
    ways = ways_of(**SMALL)
    early = ways.found[1].phases[0]
    bought = early._replace(parts=early.parts | {"generic-400g": early.parts["generic-400g"] + 999})
    way = replace(ways.found[1], phases=(bought, *ways.found[1].phases[1:]))
    assert way.left_over == {"generic-400g": 999}
    text = ways_text(summarize_ways(replace(ways, found=(ways.found[0], way))))
    assert "grow-later leaves over generic-400g (999)\n" in text


def test_the_ways_begin_with_what_is_installed() -> None:
    """In the second year: its two phases, each way from the plan of the first."""
    whole = ways_of(**HALL).recommended
    first = whole.phases[0].plan
    later = ways_to_grow(spec_of(**HALL), Catalog(), first)
    rest = next(way for way in later.found if way.name == "spines-later")
    assert [phase.name for phase in rest.phases] == ["gpus-1024", "gpus-2048"]
    assert [phase.cost for phase in rest.phases] == [phase.cost for phase in whole.phases[1:]]
    assert [phase.parts for phase in rest.phases] == [phase.parts for phase in whole.phases[1:]]
    assert not rest.left_over
    assert [way.moved for way in later.found] == [0, 512, 0]
    assert summarize_ways(later).phases[-1].switches_by_then == 48


def test_phases_that_are_all_installed_are_refused() -> None:
    """There is nothing to compare."""
    last = ways_of(**SMALL).recommended.phases[-1].plan
    with pytest.raises(Refusal, match="no phase has more GPUs than are installed"):
        ways_to_grow(spec_of(**SMALL), Catalog(), last)


def test_gpus_beyond_the_last_phase_are_a_phase() -> None:
    """As for phases by rails, the rest completes the fabric."""
    found = ways_of(**SMALL | {"gpus": 256, "phases": [{"gpus": 64}]})

    def gpus(phase: GrowthPhase) -> tuple[str, int]:
        return phase.name, phase.plan.fabric.gpus

    assert list(map(gpus, found.recommended.phases)) == [("gpus-64", 64), ("rest", 256)]


def test_no_other_phase_has_the_name_of_the_rest() -> None:
    """The plans of both would be saved in one file; in a saved plan the rest is stated."""
    found = ways_of(**SMALL | {"gpus": 256, "phases": [{"gpus": 64}]})
    last = found.recommended.phases[0].plan.spec.phases[-1]
    assert (last.name, last.gpus) == ("rest", 256)
    with pytest.raises(Refusal, match="two phases are called `rest`"):
        ways_of(**SMALL | {"gpus": 256, "phases": [{"name": "rest", "gpus": 64}]})


def test_a_larger_reserve_is_the_end() -> None:
    """The first way is sized for the reserve of the inventory, beyond the last phase."""
    found = ways_of(**SMALL | {"reserve": {"gpus": 256}})
    assert found.found[0].phases[-1].plan.fabric.planned_gpus == 256


def test_a_last_phase_that_is_too_large_is_refused() -> None:
    """The refusal is that of the size."""
    with pytest.raises(Refusal, match="block-too-large"):
        ways_of(**SMALL | {"rails": {"tiers": 1}})


def test_a_way_that_moves_cables_is_weighed_by_what_it_postpones() -> None:
    """1,923,072 are paid one phase later for 512 cables; a dearer way has no such figure."""
    text = ways_text(summarize_ways(ways_of(**HALL)))
    assert "reserve-now costs USD 1,166,336 more at 256 GPUs, and moves no cable\n" in text
    assert (
        "grow-later costs USD 1,923,072 less at 1,024 GPUs, and moves 512 cables (USD 3,756 for"
        " each)\n"
    ) in text
