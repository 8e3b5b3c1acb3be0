"""Jobs on direct rails: their paths, judged on the graph of a rail."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import networkx as nx
import pytest

from fabricgen.analysis.communicator.placement import placement
from tests.fabrics import SMALL, plan_of
from tests.mutations.test_direct import TORUS

KINDS: dict[str, dict[str, Any]] = {
    "torus": TORUS,
    "two GPUs of a domain on a rail": TORUS | {"hb_domain": {"gpus": 4}, "rails": {"count": 2}},
}
JOBS = ("d0-d3", "d0,d5", "d1-g0,d6-g0,d2-g1,d7-g1", "d4")


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_paths_of_a_job_are_those_of_the_graph(kind: str, job: str) -> None:
    """Neighbours, lengths, and pairs whose shortest paths need hosts of others."""
    keys = KINDS[kind]
    plan = plan_of(**keys | {"rails": TORUS["rails"] | keys["rails"]})
    found = placement(plan, job)
    paths, coordinates = found.rail_paths, plan.fabric.coordinates
    assert paths
    whole: nx.Graph[int] = nx.Graph()
    for rail in range(coordinates.rails):
        low, high = (
            (column + rail).tolist() for column in (plan.segment.lower, plan.segment.upper)
        )
        whole.add_edges_from(zip(low, high, strict=True))
    domains = {coordinates.domain(gpu) for gpu in found.gpus.tolist()}
    own = whole.subgraph(gpu for gpu in whole if coordinates.domain(gpu) in domains)
    pairs = [
        (a, b)
        for a, b in permutations(found.gpus.tolist(), 2)
        if coordinates.rail(a) == coordinates.rail(b)
        and coordinates.domain(a) != coordinates.domain(b)
    ]
    lengths = [nx.shortest_path_length(whole, *pair) for pair in pairs]
    assert (paths.neighbours, paths.forwarded) == (lengths.count(1), len(pairs) - lengths.count(1))
    assert found.pairs.direct == len(pairs)
    assert paths.longest_links == max(lengths, default=0)
    assert paths.mean_links == pytest.approx(sum(lengths) / max(len(lengths), 1), abs=1e-4)
    assert paths.outside == sum(
        not nx.has_path(own, *pair) or nx.shortest_path_length(own, *pair) > length
        for pair, length in zip(pairs, lengths, strict=True)
    )
    assert found.document()["rail_paths"] == paths.document()


def test_rails_of_switches_have_no_such_paths() -> None:
    """The document has no key for them."""
    found = placement(plan_of(**{"name": "small", **SMALL}), "d0,d1")
    assert "rail_paths" not in found.document()
