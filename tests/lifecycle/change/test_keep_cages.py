"""Ports of several speeds on a leaf keep their cages when the cluster grows."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from operator import add
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.laws import check
from fabricgen.core.terms import Role
from fabricgen.lifecycle.change import keep_networks
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.baseline.baseline import read_baseline
from fabricgen.planning.networks.leaf_ports import KeptCages, LeafPorts, list_ports
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.planning.port_layout import Port, PortLayout
from tests.fabrics import CATALOG, spec_of
from tests.lifecycle.change.replay import wired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan

SPEEDS: tuple[dict[str, Any], ...] = (
    {},
    {"speed": "400G"},
    {"speed": "100G"},
    {"breakout": "1x800G"},
)
"""The ports of devices beside those of hosts, which have 200G."""


def cluster(hosts: int, counts: list[int], **storage: Any) -> dict[str, Any]:  # noqa: ANN401 - keys of a network
    """Return an inventory with hosts and as many devices of each of `SPEEDS`."""
    return {
        "gpus": 8 * hosts,
        "hb_domain": {"gpus": 8},
        "rails": {"count": 1},
        "switches": {"leaf": {"generic": {"radix": 256}}},
        "networks": {
            "storage": {
                "switches": {
                    "leaf": {"model": "sn5600", "breakout": "4x200G"},
                    "spine": {"model": "sn5600", "breakout": "1x800G"},
                },
                "speed": "200G",
                "host_ports": 2,
                **storage,
            }
        },
        "devices": [
            {"name": f"d{at}-{{n}}", "count": count, "ports": {"storage": {"count": 2, **ports}}}
            for at, (count, ports) in enumerate(zip(counts, SPEEDS, strict=True))
            if count
        ],
    }


def moved(old: Plan, new: Plan) -> list[list[str]]:
    """Return the ends of each cable of a device on storage that is elsewhere in the larger plan."""
    before, after = (wired(plan.networks["storage"]) for plan in (old, new))
    switches = {*old.networks["storage"].naming.switches(0)}
    return [
        sorted(ends)
        for ends in before.keys() - after.keys()
        if len({end.partition(" ")[0] for end in ends} & switches) == 1
    ]


STEPS: dict[str, tuple[list[tuple[int, list[int]]], dict[str, Any]]] = {
    "a cage more": ([(4, [2, 3, 0, 0]), (4, [2, 9, 0, 0])], {}),
    "of three speeds": ([(4, [2, 3, 3, 2]), (6, [4, 9, 9, 4]), (8, [4, 12, 16, 7])], {}),
    "a speed more": ([(4, [2, 3, 4, 0]), (4, [2, 3, 4, 1])], {}),
    "between leaves that are joined": ([(4, [2, 3, 3, 0]), (6, [4, 9, 9, 3])], {"peer_links": 2}),
    "of groups of leaves": (
        [(4, [2, 3, 3, 2]), (6, [4, 9, 9, 4])],
        {"uplinks": 16, "leaf_groups": [{"devices": ["d1-{n}"], "uplinks": 16}]},
    ),
}
"""Hosts and devices of each size, and keys of the network."""


def sizes(name: str) -> Iterator[tuple[Plan, Plan]]:
    """Yield each plan of some steps, read from its file, and the next one that it grows to."""
    counts, keys = STEPS[name]
    first, *others = (spec_of(**cluster(*each, **keys)) for each in counts)
    old = make_plan(first, CATALOG)
    for spec in others:
        new = grow(old, spec, CATALOG)
        yield old, new
        kept = json.loads(json.dumps(plan_document(new, {})))["kept"]
        old = make_plan(new.spec, CATALOG, read_baseline(kept))


@pytest.mark.parametrize("name", STEPS)
def test_no_cable_of_a_device_moves(name: str) -> None:
    """Whatever speeds take a cage more, also in a second growth, from the file of the first."""
    for old, new in sizes(name):
        assert moved(old, new) == []
    assert check(new).ok


@pytest.mark.parametrize("name", [name for name in STEPS if name != "a cage more"])
def test_without_kept_cages_they_would(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One speed gives way to another that takes a cage more."""
    monkeypatch.setattr(keep_networks, "with_cages", lambda bonds, *_: bonds)
    assert any(moved(old, new) for old, new in sizes(name))


MODEL = CATALOG.switch("sn5600")
assert MODEL
MODES = {mode.name: mode for mode in MODEL.breakouts}
LAYOUT = PortLayout(Role.LEAF, MODEL, "nvue", MODES["4x200G"], MODES["1x800G"])


def by_kind(counts: tuple[int, ...], kept: KeptCages = ()) -> list[list[Port]] | None:
    """List the ports of a leaf: downlinks of three speeds, uplinks, and links to a peer."""
    *down, up, peer = counts
    modes = MODES["2x400G"], MODES["4x100G"]
    ports = list_ports(LAYOUT, LeafPorts(tuple(down), up, peer, modes, kept=kept))
    ends = pairwise(accumulate(counts, initial=0))
    return None if ports is None else [ports[first:last] for first, last in ends]


@settings(max_examples=200)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3, *[st.integers(0, 6)] * 2), max_size=4))
def test_further_ports_are_behind_those_of_their_kind(steps: list[tuple[int, ...]]) -> None:
    """Whatever grows how often, while the leaf has cages; they are full no sooner than by rule."""
    counts: tuple[int, ...] = (5, 2, 1, 4, 2)
    before = by_kind(counts)
    for more in steps:
        assert before
        counts = tuple(map(add, counts, more))
        kept = tuple(tuple(dict.fromkeys(port.cage for port in own)) for own in before)
        ports = by_kind(counts, kept)
        if ports is None:
            assert by_kind(counts) is None
            return
        assert [own[: len(old)] for own, old in zip(ports, before, strict=True)] == before
        assert len({(port.cage, port.sub) for own in ports for port in own}) == sum(counts)
        before = ports


def test_cages_that_cannot_be_kept_follow_the_rule() -> None:
    """As in an edited file, with cages that the leaf does not have, or another kind has too."""
    counts = (5, 2, 1, 4, 2)
    assert by_kind(counts, ((1, 2), (70,), (1,), (61, 61, 62), (0,))) == by_kind(counts)
