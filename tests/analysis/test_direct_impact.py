"""Failures of direct rails, judged on the graph of the fabric; hosts and racks fail as a whole."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from fabricgen.analysis.forwarding.direct_paths import DirectRouting
from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.compare import compare
from fabricgen.analysis.impact.equivalence import Parts
from fabricgen.analysis.impact.measure import Impact, impact
from fabricgen.analysis.impact.ranking import figures, rank
from fabricgen.analysis.impact.text import sentence
from fabricgen.core.diagnostics import Refusal
from fabricgen.views.link_ends import cable_label
from tests.analysis.small_failures import left_of
from tests.fabrics import SMALL, cables_of, plan_of
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

KINDS: dict[str, dict[str, Any]] = {
    "torus": TORUS,
    "ring on two planes": TORUS
    | {
        "gpus": 20,
        "hb_domain": {"gpus": 2},
        "nic": {"speed": "400G", "split": "2x200G"},
        "rails": {"medium": "direct", "planes": 2, "topology": {"kind": "ring"}},
    },
    "two rings, two GPUs of a domain on a rail": TORUS
    | {
        "gpus": 28,
        "hb_domain": {"gpus": 4},
        "rails": {"medium": "direct", "count": 2, "topology": {"kind": "multi-ring"}},
    },
    "expander": TORUS | {"rails": {"medium": "direct", "topology": {"kind": "expander"}}},
}


def parts_of(plan: Plan) -> list[str]:
    """Name everything that can fail."""
    fabric, names = plan.fabric, list[str]()
    for gpu in range(fabric.gpus):
        name = fabric.coordinates.name(gpu)
        names += [f"gpu:{name}", *(f"nic:{name}/{plane}" for plane in range(fabric.planes))]
    names += [f"hb:{domain}" for domain in range(fabric.coordinates.domains)]
    return [*names, *(f"link:{cable.cable}" for cable in cables_of(plan))]


def graph_left(plan: Plan, names: list[str]) -> nx.MultiGraph[str]:
    """Return the graph without the failed parts; a failed GPU takes its NIC along."""
    nics = [f"nic:{name.removeprefix('gpu:')}" for name in names if name.startswith("gpu:")]
    return left_of(plan, [*names, *nics])


@pytest.mark.parametrize("kind", KINDS)
def test_an_impact_is_what_the_graph_has_left(kind: str) -> None:
    """Lost pairs, cut off GPUs, lost links, relays and path lengths of failures drawn at random."""
    plan = plan_of(**KINDS[kind])
    parts, random = parts_of(plan), Random(7)  # noqa: S311 - the same failures in every run
    for count in (1, 1, 1, 2, 4, 6):
        names = random.sample(parts, count)
        check_impact(plan, names, impact(plan, names))


def check_impact(plan: Plan, names: list[str], found: Impact) -> None:
    """Compare an impact with the graph."""
    fabric, left = plan.fabric, graph_left(plan, names)
    gpus = [fabric.coordinates.name(gpu) for gpu in range(fabric.gpus)]
    alive = [name for name in gpus if name in left]
    component = {node: at for at, part in enumerate(nx.connected_components(left)) for node in part}
    domain = {name: name.partition("-")[0] for name in gpus}
    joined = [(a, b) for a, b in product(alive, alive) if a != b and component[a] == component[b]]
    assert found.pairs - found.pairs_lost == len(joined), names
    outside = {a for a, b in joined if domain[a] != domain[b]}
    assert found.gpus_cut_off == len(gpus) - len(outside), names
    ports = [f"{name}/{plane}" for name in gpus for plane in range(fabric.planes)]
    links = plan.links * 2 // len(gpus)
    own = [
        sum(
            sum(edge["kind"] == "direct" for *_, edge in left.edges(port, data=True))
            for port in ports
            if port in left and port.partition("/")[0] == name
        )
        for name in gpus
    ]
    assert found.fabric_bandwidth_lost_pct == pytest.approx(
        100 * (1 - np.mean(own) / links), abs=1e-5
    )
    rails = graph_left(plan, names)
    rails.remove_nodes_from([node for node in rails if node.startswith("hb:")])
    paths = dict(nx.all_pairs_shortest_path_length(rails))
    near = {(a, b) for a in alive for b in alive if a != b and b in paths[a]}
    hb = {f"d{name.partition(':')[2]}" for name in names if name.startswith("hb:")}
    held = {(a, b) for a, b in joined if domain[a] == domain[b] and domain[a] not in hb}
    assert found.pairs_by_relay_after == len({*joined} - near - held), names
    lengths = found.path_lengths
    assert lengths
    whole = graph_left(plan, [])
    whole.remove_nodes_from([node for node in whole if node.startswith("hb:")])
    before = dict(nx.all_pairs_shortest_path_length(whole))
    # between two GPUs are both NIC ports, and each host between them is one more
    assert lengths.pairs_longer == sum(paths[a][b] > before[a][b] for a, b in near), names
    assert lengths.longest_after == max((paths[a][b] for a, b in near), default=2) - 2, names


@pytest.mark.parametrize("kind", ["torus", "two rings, two GPUs of a domain on a rail"])
def test_a_pair_is_lost_that_has_no_route(kind: str) -> None:
    """`route` finds a path between exactly the pairs that `impact` counts as reachable."""
    plan = plan_of(**KINDS[kind])
    for names in (["gpu:d0-g0"], ["nic:d1-g1", "link:r0-d00001"]):
        routing = DirectRouting(plan, find_failures(plan, names))
        gpus = range(plan.fabric.gpus)
        routed = sum(
            bool(routing.paths(a, b, 0, all_kinds=False)) for a in gpus for b in gpus if a != b
        )
        found = impact(plan, names)
        assert routed == found.pairs - found.pairs_lost


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_class_lose_the_same(kind: str) -> None:
    """Each part is in one class, and has the figures of the first of its class."""
    plan = plan_of(**KINDS[kind])
    for part, count in (("gpu", plan.fabric.gpus), ("direct-cable", plan.links)):
        groups = Parts(plan).groups(part)
        assert sum(group.size for group in groups) == count
        for group in groups[:4]:
            first, *others = (impact(plan, [name]) for name in group.names[:3])
            assert all(figures(first) == figures(other) for other in others), group
    assert sum(row.count for row in rank(plan, "nic")) == plan.fabric.gpus
    assert not rank(plan, "switch")


def test_half_of_a_ring_is_one_cut() -> None:
    """Two cut cables divide a ring: pairs take other rails, and half of the bisection is gone."""
    keys = TORUS | {"nic": {"speed": "400G", "split": "2x200G"}}
    plan = plan_of(**keys | {"rails": {"medium": "direct", "topology": {"kind": "ring"}}})
    index = plan.fabric.coordinates.rail_index
    rows = np.flatnonzero(
        np.isin(index(plan.segment.lower), (0, 8)) & (index(plan.segment.upper) % 8 == 1)
    )
    found = impact(plan, [f"link:{cable_label(plan, 0, row)}" for row in rows.tolist()])
    assert found.pairs_needing_relay == 2 * 8 * 8
    assert found.pairs_needing_relay == 2 * 8 * 8 == 128 or found.pairs_needing_relay > 0
    assert found.bisection_left_pct == 50.0
    assert found.pairs_lost == 0


def test_the_sentence_names_longer_paths() -> None:
    """It has the means before and after, and a GPU that lost a link has lost a quarter."""
    plan = plan_of(**TORUS)
    assert sentence(impact(plan, ["link:r0-d00001"])) == (
        "link:r0-d00001 down: no GPU is cut off; 2 GPUs on rail 0 lose 25 % of their bandwidth;"
        " 2 pairs of a rail take longer paths, so that the mean path has 2.14 links instead of"
        " 2.13; every pair is still joined."
    )
    assert "4 GPUs on rail 0 lose 25 %" in sentence(impact(plan, ["gpu:d0-g0"]))


def test_the_counterpart_has_packet_switches() -> None:
    """A cable between hosts corresponds to the NIC port at its lower end."""
    found = compare(plan_of(**TORUS), ["link:r0-d00001"])
    assert found.impact
    assert (found.design, found.impact.failed) == ("rail-optimized", ["nic:d0-g0/0"])


@pytest.mark.parametrize("keys", [TORUS, SMALL], ids=["direct", "switches"])
def test_a_host_and_a_rack_fail_as_a_whole(keys: dict[str, Any]) -> None:
    """A host is its GPUs; a rack is its hosts and its switches, as the cable list places them."""
    plan = plan_of(**{"name": "small", **keys})
    coordinates = plan.fabric.coordinates
    gpus = [f"gpu:{coordinates.name(gpu)}" for gpu in coordinates.host_range(1)]
    assert find_failures(plan, [f"host:{plan.hosts[1]}"]) == find_failures(plan, gpus)
    racks: dict[str, set[str]] = {}
    for cable in cables_of(plan):
        racks.setdefault(cable.a_rack, set()).add(cable.a_device)
        racks.setdefault(cable.b_rack, set()).add(cable.b_device)
    for rack, devices in racks.items():
        names = [f"{'host' if name in plan.hosts else 'switch'}:{name}" for name in devices]
        assert find_failures(plan, [f"rack:{rack}"]) == find_failures(plan, names)


def test_an_unknown_rack_is_refused() -> None:
    """Also where nothing is placed."""
    for keys, hint in ((TORUS, "names every rack"), (TORUS | {"site": "unknown"}, "has a rack")):
        with pytest.raises(Refusal) as refused:
            find_failures(plan_of(**keys), ["rack:nowhere-at-all"])
        assert hint in (refused.value.findings[0].hint or "")
