"""The figures of large graphs of direct rails are those that networkx has for small ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from fabricgen.analysis import direct_graphs
from fabricgen.analysis.checks.laws import judge
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.direct_graphs import figures_of, paths_of
from fabricgen.analysis.edge_connectivity import edge_connectivity
from fabricgen.analysis.large_graphs import changed_dimensions, large_figures, large_paths
from fabricgen.inventory.sizing import RailTopology
from fabricgen.planning.direct.topology import make_topology
from tests.fabrics import plan_of
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from fabricgen.planning.direct.topology import DirectTopology

GRAPHS: dict[str, tuple[int, int, dict[str, Any]]] = {
    "ring": (9, 2, {"kind": "ring"}),
    "ring of two links each": (12, 4, {"kind": "ring"}),
    "multi-ring": (25, 4, {"kind": "multi-ring"}),
    "torus of a side of two": (24, 4, {"kind": "torus-2d", "dimensions": [2, 12]}),
    "torus of odd sides": (45, 6, {"kind": "torus-3d"}),
    "torus": (36, 4, {"kind": "torus-2d"}),
    "hypercube": (32, 5, {"kind": "hypercube"}),
    "full mesh": (9, 8, {"kind": "full-mesh"}),
    "expander": (40, 4, {"kind": "expander"}),
    "odd expander": (40, 3, {"kind": "expander"}),
}


def topology(name: str) -> DirectTopology:
    """Return the topology of a graph."""
    nodes, ports, asked = GRAPHS[name]
    return make_topology(RailTopology(**asked), nodes, (ports, 100))


@pytest.mark.parametrize("name", GRAPHS)
def test_large_graphs_have_the_figures_of_small_ones(name: str) -> None:
    """Degree, diameter and disjoint paths are equal, and the bounds hold the claim."""
    made = topology(name)
    ends = made.links.lower, made.links.upper
    assert large_figures(made, *ends) == figures_of(made.nodes, *ends)
    large, small = large_paths(made, *ends), paths_of(made.nodes, *ends)
    assert large.disjoint == small.disjoint == made.degree
    assert large.least == small.least <= large.most
    assert made.bisection is None or small.least <= made.bisection <= large.most


def test_a_graph_in_parts_has_no_diameter() -> None:
    """Two rings are no ring of all."""
    made = topology("ring")
    lower, upper = np.arange(8), np.array([1, 2, 3, 0, 5, 6, 7, 4])
    assert large_figures(replace(made, nodes=8, kind="expander"), lower, upper).diameter is None


def test_flows_agree_with_networkx() -> None:
    """For random graphs of different degrees, bridges included."""
    tried = 0
    for seed in range(60):
        graph = nx.gnm_random_graph(12, 14 + seed % 12, seed=seed)
        if nx.is_connected(graph):
            tried += 1
            assert edge_connectivity(12, [*graph.edges]) == nx.edge_connectivity(graph), seed
    assert tried > 30


def test_a_swap_of_cables_changes_the_graph() -> None:
    """Each dimension along which the cables are others is named."""
    made = topology("torus")
    lower, upper = made.links.lower, made.links.upper.copy()
    assert changed_dimensions(made, lower, upper) == []
    upper[[0, 40]] = upper[[40, 0]]
    assert changed_dimensions(made, lower, upper) == [0, 1]


@pytest.mark.parametrize("most", [8, 512], ids=["large", "small"])
def test_the_laws_judge_rails_of_any_size(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cables that are exchanged within a rail are found, where degrees and diameter stay."""
    monkeypatch.setattr(direct_graphs, "MOST_NODES", most)
    evidence = evidence_of(plan_of(**TORUS))
    report = judge(evidence)
    assert report.ok
    figures = {each.law.code: each.figure for each in report.judgements}
    assert figures["direct-graph"] == "torus-2d 4 x 4: degree 4, diameter 4"
    assert figures["direct-paths"] == (
        "4 paths of 100G without a link in common; bisection of a rail 800 Gbps"
    )
    upper, port = evidence.wiring.upper.copy(), evidence.wiring.upper_port.copy()
    for column in (upper, port):
        column[[0, 5]] = column[[5, 0]]
    broken = judge(replace(evidence, wiring=evidence.wiring._replace(upper=upper, upper_port=port)))
    assert broken.broken == ["direct-graph"]
    assert [finding.fact for finding in broken.findings] == [
        f"rail 0 is no torus-2d: moved along dimension {each}, its cables differ" for each in (0, 1)
    ]
