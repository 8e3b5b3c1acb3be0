"""Paths over direct rails: shortest, counted as networkx counts them, and around failures."""

from __future__ import annotations

import networkx as nx
import pytest

from fabricgen.analysis.forwarding.direct_paths import DirectRouting
from fabricgen.analysis.forwarding.failures import Failures, find_failures
from fabricgen.api import plan_inventory
from tests.mutations.test_direct import TORUS

PLAN = plan_inventory(TORUS)


def routing(*failed: str) -> DirectRouting:
    """Return the paths of two rails of a 4 x 4 torus with failures."""
    return DirectRouting(PLAN, find_failures(PLAN, failed))


def gpu(domain: int, rank: int) -> int:
    """Return a GPU."""
    return PLAN.fabric.coordinates.gpu(domain, rank)


def test_paths_of_a_rail_are_those_of_networkx() -> None:
    """Their links, and how many of them are equal."""
    links = PLAN.segment
    graph: nx.Graph[int] = nx.Graph(zip(links.lower.tolist(), links.upper.tolist(), strict=True))
    for domain in range(1, 16):
        (path,) = routing().paths(gpu(0, 0), gpu(domain, 0), 0, all_kinds=False)
        found = [*nx.all_shortest_paths(graph, 0, gpu(domain, 0))]
        assert (path.links, path.equal) == (len(found[0]) - 1, len(found))
        assert (path.kind, len(path.relays)) == ("direct", path.links - 1)


def test_another_rail_is_reached_over_the_hb_domain() -> None:
    """At its start by default, at its end as a second kind."""
    first, second = routing().paths(gpu(0, 0), gpu(5, 1), 0, all_kinds=True)
    assert (first.kind, first.relays[0]) == ("source-relay", "d0-g1")
    assert (second.kind, second.relays[-1]) == ("destination-relay", "d5-g0")
    (inside,) = routing().paths(gpu(0, 0), gpu(0, 1), 0, all_kinds=False)
    assert (inside.kind, inside.links) == ("direct", 0)


@pytest.mark.parametrize(
    ("failed", "kind", "links"),
    [
        (["link:r0-d00003"], "direct", 3),
        (["nic:d1-g0"], "third-rail-relay", 1),
        (["rail:0"], "third-rail-relay", 1),
        (["gpu:d2-g0", "link:r0-d00003"], "direct", 3),
    ],
)
def test_a_failure_is_avoided(failed: list[str], kind: str, links: int) -> None:
    """The path goes around it on the rail, or over another rail."""
    (path,) = routing(*failed).paths(gpu(0, 0), gpu(1, 0), 0, all_kinds=False)
    assert (path.kind, path.links) == (kind, links)


def test_nothing_is_left() -> None:
    """A GPU that has failed has no path, and neither has one whose rails and HB domain have."""
    assert routing("gpu:d1-g0").paths(gpu(0, 0), gpu(1, 0), 0, all_kinds=True) == []
    cut = routing("nic:d1-g0", "hb:1")
    assert cut.paths(gpu(0, 0), gpu(1, 0), 0, all_kinds=True) == []
    assert DirectRouting(PLAN, Failures()).paths(gpu(0, 0), gpu(1, 0), 0, all_kinds=True)
