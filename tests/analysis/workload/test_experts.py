"""The time of the all-to-all of experts on each medium, against flows counted one by one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from fabricgen.analysis.circuits.schedule import make_schedule
from fabricgen.analysis.circuits.times import circuit_times, phase_times, relayed_s
from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.search.side_by_side import side_by_side
from fabricgen.analysis.workload.all_to_all import AllToAll
from fabricgen.analysis.workload.direct_rails import direct_times, over_direct_rails
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.experts import exchanges, expert_bytes, expert_s, pair_bytes
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.analysis.workload.rail_load import MOST_NODES, busiest_link
from fabricgen.api import plan_inventory
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from tests.analysis.circuits.test_schedule import SMALL
from tests.fabrics import plan_of
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.catalog.models.workload import Workload


@cache
def glam(**changes: Any) -> Workload:  # noqa: ANN401 - values of a model
    """Return a mixture of experts."""
    found = Catalog().workload("glam-64b-64e")
    assert found
    return found.model_copy(update=changes)


def test_packet_rails_agree_with_the_paths_of_all_pairs() -> None:
    """The equation is the slowest NIC or HB link if every pair is followed over its relays."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=16)
    machine = machine_of(plan.fabric, plan.catalog)
    cost = AllToAll(plan, machine, Failures()).cost(glam())
    assert cost.iteration_s
    assert expert_s(glam(), machine) == pytest.approx(cost.iteration_s.overlapped)
    assert iterate(glam(), machine).experts_s == expert_s(glam(), machine)
    slow = replace(machine, hb_bytes_s=machine.nic_bytes_s / 2)
    assert expert_s(glam(), slow) == pytest.approx(
        expert_bytes(glam(), slow) * 8 * 7 / 63 / slow.hb_bytes_s
    )


def test_a_pipeline_stage_has_its_own_experts() -> None:
    """GPUs of a stage exchange as many bytes with fewer others, once for each sequence."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=16)
    machine = machine_of(plan.fabric, plan.catalog)
    piped = glam(pipeline_stages=4)
    assert pair_bytes(piped, machine) == expert_bytes(piped, machine) / 15
    assert expert_s(piped, machine) < expert_s(glam(), machine)
    assert (exchanges(glam(), 5), exchanges(piped, 5)) == (4 * 32, 4 * 8 * 5)


def followed(nodes: int, links: list[tuple[int, int]], groups: list[int]) -> float:
    """Return the load of the busiest link, every flow divided hop by hop on its own."""
    graph: nx.MultiGraph[int] = nx.MultiGraph(links)
    near = dict(nx.all_pairs_shortest_path_length(graph))
    load: Counter[tuple[int, int, int]] = Counter()

    def send(at: int, target: int, amount: float) -> None:
        out = [
            (peer, key)
            for _, peer, key in graph.edges(at, keys=True)
            if near[peer][target] < near[at][target]
        ]
        for peer, key in out:
            load[at, peer, key] += amount / len(out)  # type: ignore[assignment]  # shares of flows
            send(peer, target, amount / len(out))

    for source in range(nodes):
        for target in range(nodes):
            if source != target and groups[source] == groups[target]:
                send(source, target, 1.0)
    return max(load.values())


@pytest.mark.parametrize(
    "topology",
    [
        {"kind": "ring"},
        {"kind": "multi-ring", "rings": 2},
        {"kind": "torus-2d"},
        {"kind": "torus-2d", "dimensions": [2, 8]},
        {"kind": "hypercube"},
        {"kind": "expander", "degree": 4},
    ],
)
@pytest.mark.parametrize("stages", [1, 2])
def test_direct_rails_agree_with_every_flow(topology: dict[str, Any], stages: int) -> None:
    """The busiest cable of a rail, in bytes and seconds, is that of all flows of both GPUs."""
    rails = {"medium": "direct", "topology": topology}
    plan = plan_inventory({**TORUS, "rails": rails})
    llm = glam(pipeline_stages=stages)
    machine = over_direct_rails(machine_of(plan.fabric, plan.catalog), plan, stages)
    links = plan.segment
    pairs = list(zip((links.lower // 2).tolist(), (links.upper // 2).tolist(), strict=True))
    groups = [node // (16 // stages) for node in range(16)]
    load = followed(16, pairs, groups)
    seconds = load * 2 * pair_bytes(llm, machine) / (100e9 / 8)
    assert direct_times(machine, plan, llm).experts_s == pytest.approx(seconds)


def test_a_large_ring_takes_the_mean_of_its_links() -> None:
    """Above a number of nodes the busiest link is bounded from below; a ring's are alike."""
    nodes = MOST_NODES + 2
    ring = [(at, (at + 1) % nodes) for at in range(nodes)]
    assert busiest_link(nodes, ring, [0] * nodes) == pytest.approx(nodes**2 / 8)
    with pytest.raises(ValueError, match="no path leads to node 0"):
        busiest_link(3, [(0, 1)], [0] * 3)


def light(**keys: Any) -> dict[str, Any]:  # noqa: ANN401 - values of YAML
    """Return an inventory of 64 GPUs on circuits."""
    return SMALL | {"gpus": 64} | keys


def test_rounds_of_circuits_agree_with_every_byte() -> None:
    """In each round a GPU carries what its HB domain has for another; circuits change each time."""
    plan = plan_of(**light())
    machine = machine_of(plan.fabric, plan.catalog)
    schedule = make_schedule(plan, np.arange(64, dtype=np.int32), llm=glam())
    found = iterate(glam(), machine)
    experts, data = phase_times(schedule, glam(), machine, found)
    carried = Counter[int]()
    (phase, _) = schedule.phases
    for each in phase.configurations:
        for low, high in each.planes[0]:
            carried[low] += 8
            carried[high] += 8
    assert set(carried.values()) == {64 - 8}
    assert experts.sending_s == pytest.approx(
        56 * pair_bytes(glam(), machine) / machine.nic_bytes_s
    )
    assert experts.changes == 4 * 32 * 7
    times = circuit_times(plan, glam(), machine, found)
    assert times.experts_s == pytest.approx(experts.total_s)
    assert times.dp_across_s == pytest.approx(data.total_s)


def test_experts_relay_over_a_ring_that_is_held_where_that_is_faster() -> None:
    """With two ports a ring of 8 HB domains stays joined; a box of 200 ms never changes it."""
    plan = plan_of(**light(rails={"medium": "ocs", "planes": 2}))
    machine = machine_of(plan.fabric, plan.catalog)
    schedule = make_schedule(plan, np.arange(64, dtype=np.int32), llm=glam())
    seconds = relayed_s(schedule, glam(), machine)
    # 8 nodes: the busiest link of a ring carries 8 x 8 / 8 pairs of HB domains, 8 units each
    assert seconds == pytest.approx(8 * 8 * pair_bytes(glam(), machine) / 50e9)
    times = circuit_times(plan, glam(), machine, iterate(glam(), machine))
    assert times.experts_s == seconds
    panel = light(
        rails={"medium": "patch-panel", "planes": 2}, switches={"leaf": {"model": "patch-144"}}
    )
    by_hand = plan_of(**panel)
    assert circuit_times(by_hand, glam(), machine, times).experts_s == seconds
    single = plan_of(**panel | {"rails": {"medium": "patch-panel"}})
    with pytest.raises(Refusal, match="the time in which a patch-144 changes circuits"):
        circuit_times(single, glam(), machine, times)


def test_media_side_by_side() -> None:
    """Experts cost circuits more than packet switches; a torus pays with its relays."""
    spec = plan_inventory({**TORUS, "host": None, "name": "media"}).spec
    rails = side_by_side(spec, Catalog(), ["sn5600", "palomar", "s320", "direct"], llm=glam()).rails
    packet, fast, slow, direct = (each.iteration_s or 0.0 for each in rails)
    assert packet < fast < slow
    assert packet < direct


def test_the_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`model` has a part for experts, and `circuits` sets their rounds for each layer."""
    path = tmp_path / "light.yaml"
    path.write_text(json.dumps(light()))
    assert run(["model", str(path), "--llm", "glam-64b-64e"]) == 0
    assert "S (N - K)/(N - 1) / B_S" in capsys.readouterr().out
    assert run(["circuits", str(path), "--llm", "glam-64b-64e", "--json"]) == 0
    (experts, _) = json.loads(capsys.readouterr().out)["phases"]
    assert (experts["turns"], experts["changes"]) == (128, 128 * 7)
    assert run(["model", str(path), "--llm", "glam-64b-64e", "--all-to-all"]) == 2
    assert "joined by circuits alone" in capsys.readouterr().err
