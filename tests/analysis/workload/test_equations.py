"""The training model: published figures, equations, sweeps, charts, and traffic of links.

Each equation is compared with a plain one.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections import Counter, defaultdict
from itertools import permutations
from math import isclose
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fabricgen.analysis.forwarding.failures import Failures, find_failures
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.workload.all_to_all import AllToAll, GpuLoad
from fabricgen.analysis.workload.collectives import Groups
from fabricgen.analysis.workload.equations import (
    Times,
    best_group,
    iterate,
    least_group,
    parameters,
    replicas,
    times,
)
from fabricgen.analysis.workload.experts import expert_bytes
from fabricgen.analysis.workload.heatmap import heat_map
from fabricgen.analysis.workload.idle_links import idle_csv, idle_rows, link_totals
from fabricgen.analysis.workload.link_traffic import LinkTraffic
from fabricgen.analysis.workload.machine import Machine, find_llm, machine_of
from fabricgen.analysis.workload.published import (
    CLOSE,
    REPRODUCED,
    Printed,
    PublishedFigures,
    compare,
)
from fabricgen.analysis.workload.svg_charts import Bars, Lines, bar_chart, line_chart
from fabricgen.analysis.workload.sweep import Point, parse_sweep, parse_tokens
from fabricgen.analysis.workload.sweep import run as run_sweep
from fabricgen.analysis.workload.text import notes
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, LinkKind
from tests import ROOT
from tests.fabrics import CATALOG, plan_of, request_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.plan import Plan

PAPER = ROOT / "examples/paper"
GH200 = Machine(16384, 256, 960e9, 50e9, 989.4e12)
COMMANDS = re.findall(
    r"^\$ fabricgen (.+)$", (PAPER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)
ROWS = re.findall(
    r"^\| (\d[\w-]*) \| (.+?) \| ([\d.]+) % \| (\w+) \|$",
    (PAPER / "README.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def llm_of(name: str = "gpt3", **facts: object) -> Workload:
    """Return a model with some of its facts replaced."""
    return find_llm(CATALOG, name).model_copy(update=facts)


# --- what others printed


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, dict[str, object]]]:
    """Run each command of the page. Return by figure its chart and its JSON."""
    folder, found = tmp_path_factory.mktemp("figures"), {}
    for command in COMMANDS:
        words = shlex.split(command)
        name = next(
            re.findall(r"(figure-[\w-]+)\.yaml", word)[0]
            for word in words
            if "figure-" in word and word.endswith(".yaml")
        )
        words = [str(ROOT / word) if (ROOT / word).is_file() else word for word in words]
        words = [str(folder / word) if word.endswith((".svg", ".csv")) else word for word in words]
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", out)
            assert run([*words, "--json"]) == 0, command
        drawn = folder / f"{name}.svg"
        found[name] = (
            drawn.read_text(encoding="utf-8") if drawn.is_file() else "",
            json.loads(out.getvalue()),
        )
    return found


def test_each_figure_is_one_command(figures: dict[str, tuple[str, dict[str, object]]]) -> None:
    """Figures 3, 4, 5, 7 and 8 and the trimmed network.

    The plots of the page are those that the commands draw.
    """
    assert sorted(figures) == [
        "figure-3",
        "figure-4",
        "figure-5",
        "figure-5-network",
        "figure-7",
        "figure-8",
    ]
    assert {path.stem for path in PAPER.glob("*.yaml")} == set(figures)
    drawn = {name: svg for name, (svg, _) in figures.items() if svg}
    assert {path.stem: path.read_text(encoding="utf-8") for path in PAPER.glob("*.svg")} == drawn


def test_published_figures_are_reproduced_as_the_page_states(
    figures: dict[str, tuple[str, dict[str, object]]],
) -> None:
    """They are within 0.2 points, or 3; the page names the one that differs."""
    reported = iter(ROWS)
    count = Counter[str]()
    for name, (_, found) in figures.items():
        published = found.get("published", [])
        assert isinstance(published, list)
        for each in published:
            figure, words, ours, verdict = next(reported)
            assert (f"figure-{figure}", f"{each['ours']:.2f}", each["verdict"]) == (
                name,
                ours,
                verdict,
            )
            assert f"{each['printed']:g} %" in words
            apart = abs(each["ours"] - each["printed"])
            if each["bound"] == "equal":
                assert (apart <= REPRODUCED, apart <= CLOSE) == (
                    verdict == "reproduced",
                    verdict != "differs",
                ), each
            count[verdict] += 1
    assert next(reported, None) is None
    assert count == {"reproduced": 7, "close": 4, "differs": 1}


@pytest.mark.parametrize(
    ("llm", "gpus", "domain", "batch", "relative"),
    [
        ("gpt3", 32768, 256, "32M", 1 / 1.07),
        ("palm-540b", 32768, 256, "512seq", 0.501),
        ("palm-540b", 32768, 256, "2048seq", 0.726),
    ],
)
def test_relative_performance(
    llm: str, gpus: int, domain: int, batch: str, relative: float
) -> None:
    """The figures are those of the derivation of the equations."""
    model = llm_of(llm)
    model = model.model_copy(update={"batch_tokens": parse_tokens(batch, model.sequence)})
    assert iterate(model, Machine(gpus, domain, 960e9, 50e9, 989.4e12)).relative == pytest.approx(
        relative, abs=0.001
    )


# --- equations


def slow(llm: Workload, machine: Machine, n_m: float) -> float:
    """Compute the time of an iteration as `workload.equations` documents it, for one stage."""
    n, k, w, b, h = (
        machine.gpus,
        machine.domain_gpus,
        llm.bytes_per_element,
        llm.batch_tokens,
        llm.hidden,
    )
    p = 12 * llm.layers * h * h
    compute = 6 * p * b / (n * machine.flops)
    mp = 8 * llm.layers * w * b * h * (n_m - 1) / (n * machine.hb_bytes_s)
    return (
        compute
        + mp
        + 2
        * p
        * w
        * ((1 / k - 1 / n) / machine.nic_bytes_s + (1 / n_m - 1 / k) / machine.hb_bytes_s)
    )


@pytest.mark.parametrize("name", ["gpt3", "opt-175b", "palm-540b"])
@pytest.mark.parametrize("n_m", [1, 4, 17.4, 256])
def test_the_parts_sum_to_the_whole(name: str, n_m: float) -> None:
    """They equal the formula in one line, and T - T_id = 2 P w (1/K - 1/N)(1/B_S - 1/B_F)."""
    llm = llm_of(name)
    found = times(llm, GH200, n_m)
    assert found.iteration_s == pytest.approx(slow(llm, GH200, n_m))
    gap = (
        2 * parameters(llm) * llm.bytes_per_element * (1 / 256 - 1 / 16384) * (1 / 50e9 - 1 / 960e9)
    )
    assert found.iteration_s - found.ideal_s == pytest.approx(gap)
    assert sum(found[1:7]) == found.iteration_s


def test_the_ideal_is_one_hb_domain_of_all() -> None:
    """With K = N nothing crosses HB domains, and the iteration is the ideal one."""
    whole = times(llm_of(), Machine(16384, 16384, 960e9, 50e9, 989.4e12), 4)
    assert whole.dp_across_s == 0
    assert (
        whole.iteration_s
        == pytest.approx(whole.ideal_s)
        == pytest.approx(times(llm_of(), GH200, 4).ideal_s)
    )


@pytest.mark.parametrize("stages", [1, 4])
@pytest.mark.parametrize("name", ["gpt3", "opt-175b", "palm-540b"])
def test_no_group_is_faster_than_the_chosen(name: str, stages: int) -> None:
    """Between 1 and K, and among the divisors."""
    llm = llm_of(name, pipeline_stages=stages)
    best = iterate(llm, GH200)
    assert all(
        best.iteration_s <= times(llm, GH200, size / 4).iteration_s * (1 + 1e-12)
        for size in range(4, 4 * 256 + 1)
    )
    built = iterate(llm, GH200, "divisor")
    assert built.n_m in divisors(256)
    assert built.iteration_s == min(times(llm, GH200, size).iteration_s for size in divisors(256))


def test_the_best_group_is_that_of_the_paper() -> None:
    """It is sqrt(3 h N / b), clamped to 1..K, for any K and bandwidths.

    It shrinks as the batch grows.
    """
    llm = llm_of("opt-175b")
    free = (3 * llm.hidden * 16384 / llm.batch_tokens) ** 0.5
    for machine in (GH200, Machine(16384, 64, 450e9, 25e9, 312e12)):
        assert best_group(llm, machine) == pytest.approx(free)
    assert best_group(llm, Machine(16384, 8, 960e9, 50e9, 1e15)) == 8
    assert best_group(llm.model_copy(update={"batch_tokens": 10**12}), GH200) == 1


def test_a_pipeline_divides_the_model() -> None:
    """Four stages send a quarter of the gradients, and wait for each other.

    As many copies train as the GPUs allow.
    """
    llm = llm_of("opt-175b")
    piped = llm.model_copy(update={"pipeline_stages": 4})
    one, four = times(llm, GH200, 8), times(piped, GH200, 8)
    assert four.dp_within_s == pytest.approx(one.dp_within_s / 4)
    assert (four.compute_s, four.mp_s) == (one.compute_s, one.mp_s)
    assert four.pipeline_s == pytest.approx(
        2 * 4 * llm.batch_tokens * llm.hidden * 4 / (16384 * 50e9)
    )
    microbatches = llm.batch_tokens / llm.sequence / replicas(piped, GH200, 8)
    assert four.bubble_s == pytest.approx(3 / microbatches * (one.compute_s + one.mp_s))
    assert (one.pipeline_s, one.bubble_s) == (0, 0)


def test_a_group_holds_the_weights() -> None:
    """The best group has the GPUs that hold P w bytes, and K where those are more.

    A group that is stated keeps its size, and a note compares both.
    """
    roomy, tight = (
        Machine(1152, size, 900e9, 50e9, 2.5e15, memory_bytes=186e9) for size in (72, 2)
    )
    llm = llm_of()
    assert (least_group(llm, roomy), iterate(llm, roomy).n_m) == (4, 4)
    assert iterate(llm, roomy, "divisor").n_m == 4
    assert iterate(llm, tight).n_m == iterate(llm, tight, "divisor").n_m == 2
    assert least_group(llm_of(pipeline_stages=4), roomy) == 1
    plan = plan_of(
        gpus=144,
        hb_domain={"gpus": 72, "hosts": 18},
        host={"model": "gb200-nvl72"},
        switches={"leaf": {"model": "sn5600"}},
    )
    machine = machine_of(plan.fabric, CATALOG)
    told = {
        size: notes(Point(llm, machine, 0, iterate(llm, machine, size)), plan) for size in (3, 4)
    }
    assert any("3 GPUs hold 558 GB" in note for note in told[3])
    assert len(told[3]) == len(told[4]) + 1
    unknown = Machine(1152, 72, 900e9, 50e9, 2.5e15)
    assert least_group(llm, unknown) is None
    assert any(
        "is unknown" in note for note in notes(Point(llm, unknown, 0, iterate(llm, unknown)), plan)
    )


# --- where figures come from


def test_a_fabric_without_a_host_uses_the_papers_figures() -> None:
    """The text names them: B_F is 7.68 Tbps, 19.2 times B_S."""
    machine = machine_of(request_of(gpus=1024, hb_domain={"gpus": 8}, radix=64), CATALOG)
    assert (machine.hb_bytes_s, machine.nic_bytes_s, machine.flops) == (960e9, 50e9, 989.4e12)
    assert isclose(machine.hb_bytes_s / machine.nic_bytes_s, 19.2)
    assert "gh200-paper" in machine.origins["B_F"]
    assert "names no host" in machine.origins["C"]


NO_FACTS = {"pcie-8gpu", "dgx-rubin-nvl8", "vr-nvl72"}
"""Hosts of any accelerator, or of one whose compute no source states at a precision we model."""


@pytest.mark.parametrize("host", [name for name in CATALOG.names("hosts") if name not in NO_FACTS])
def test_every_host_names_an_accelerator(host: str) -> None:
    """The catalog has it, and its NVLink is the host's."""
    found = CATALOG.host(host)
    assert found is not None
    accelerator = CATALOG.accelerator(found.accelerator or "")
    assert accelerator is not None
    assert accelerator.hb_bandwidth_gbps == found.hb_bandwidth_gbps


def test_the_inventory_overrides_the_host() -> None:
    """The host overrides the accelerator; two planes are two ports."""
    keys = {
        "gpus": 1024,
        "hb_domain": {"gpus": 8, "bandwidth": "1Tbps"},
        "host": {"model": "dgx-b300"},
        "rails": {"planes": 2},
        "radix": 64,
    }
    machine = machine_of(request_of(**keys), CATALOG)
    assert (machine.hb_bytes_s, machine.nic_bytes_s) == (125e9, 100e9)
    other = machine_of(request_of(**{**keys, "hb_domain": {"gpus": 8}}), CATALOG, "a100-sxm")
    assert (other.hb_bytes_s, other.flops) == (900e9, 312e12)


def test_a_model_of_the_user(tmp_path: Path) -> None:
    """It is a file by its path, or a name in a catalog directory of the user."""
    text = (
        (ROOT / "inventories/workloads/gpt3.yaml")
        .read_text(encoding="utf-8")
        .replace("name: gpt3", "name: ours")
        .replace("layers: 96", "layers: 48")
    )
    (tmp_path / "workloads").mkdir()
    path = tmp_path / "workloads" / "ours.yaml"
    path.write_text(text, encoding="utf-8")
    assert find_llm(CATALOG, str(path)).layers == find_llm(Catalog([tmp_path]), "ours").layers == 48
    path.write_text(text + "pipeline_stages: 49\n", encoding="utf-8")
    with pytest.raises(Refusal, match="48 layers cannot be cut into 49 stages"):
        find_llm(CATALOG, str(path))


# --- sweeps and charts


def test_sweeps_vary_one_figure() -> None:
    """Each kind of sweep varies its own figure; LOW..HIGH doubles and ends at HIGH."""
    llm = llm_of()
    wide = run_sweep(parse_sweep("hb-domain=8..1024"), llm, GH200, "continuous")
    assert [point.x for point in wide] == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert [point.machine.domain_gpus for point in wide] == [point.x for point in wide]
    assert [
        point.machine.nic_bytes_s
        for point in run_sweep(parse_sweep("nic-speed=100..400G"), llm, GH200, 4)
    ] == [12.5e9, 25e9, 50e9]
    assert [
        point.llm.batch_tokens for point in run_sweep(parse_sweep("batch=3seq,1k"), llm, GH200, 4)
    ] == [1000, 6144]
    assert [
        point.machine.gpus for point in run_sweep(parse_sweep("gpus=256..768"), llm, GH200, 4)
    ] == [256, 512, 768]


@pytest.mark.parametrize(
    "text",
    [
        "hb-domain",
        "depth=1..4",
        "gpus=1..2..4",
        "gpus=",
        "gpus=8..4",
        "gpus=a",
        "gpus=-8..8",
        "batch=1x",
        "nic-speed=0..400",
        "gpus=,8",
    ],
)
def test_an_invalid_sweep(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a usage error that names the valid form."""
    assert (
        run(
            [
                "model",
                "--gpus",
                "64",
                "--hb-domain",
                "8",
                "--radix",
                "16",
                "--llm",
                "gpt3",
                "--sweep",
                text,
            ]
        )
        == 2
    )
    assert "'--sweep'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--mp-group", "0"],
        ["--batch-tokens", "many"],
        ["--llm", "gpt3@0seq"],
        ["--idle-links", "x"],
        ["--traffic", "own", "--llm", "gpt3"],
        ["--plot", "shares"],
    ],
)
def test_options_that_exclude_each_other(words: list[str]) -> None:
    """It is a usage error with exit code 2."""
    assert (
        run(["model", "--gpus", "64", "--hb-domain", "8", "--radix", "16", "--llm", "gpt3", *words])
        == 2
    )


def test_rows_are_written_with_every_digit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The CSV, the JSON and the equations agree."""
    base = [
        "model",
        "--gpus",
        "1024",
        "--hb-domain",
        "8",
        "--radix",
        "64",
        "--llm",
        "gpt3",
        "--llm",
        "opt-175b",
    ]
    assert (
        run([*base, "--sweep", "batch=1M..4M", "--csv", str(tmp_path / "rows.csv"), "--json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)["rows"]
    read = list(csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text(encoding="utf-8"))))
    assert [
        {key: type(row[key])(text) for key, text in line.items()}
        for row, line in zip(rows, read, strict=True)
    ] == rows
    assert len(rows) == 6
    assert [row["batch_tokens"] for row in rows[:3]] == [1_000_000, 2_000_000, 4_000_000]


def test_one_iteration_as_json_has_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts rely on them, and every symbol is explained."""
    assert (
        run(
            [
                "model",
                "--gpus",
                "64",
                "--hb-domain",
                "8",
                "--radix",
                "16",
                "--llm",
                "palm-540b",
                "--mp-group",
                "8",
                "--json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert {
        "iteration_s",
        "compute_s",
        "mp_s",
        "dp_across_s",
        "dp_within_s",
        "ideal_s",
        "n_m",
        "relative",
    } <= set(found)
    assert set(found["symbols"]) == {"N", "K", "N_M", "B_F", "B_S", "C", "l", "h", "P", "b", "w"}
    assert all(symbol["what"] and symbol["origin"] for symbol in found["symbols"].values())
    assert found["n_m"] == 8


def test_the_text_names_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Equations are derived, copies of a model starve, and oversubscription is not modelled.

    A pipeline has its own lines.
    """
    base = ["model", "--gpus", "4096", "--hb-domain", "8", "--radix", "64"]
    assert (
        run([*base, "--llm", "gpt3@512seq", "--mp-group", "1", "--set", "oversubscription=3:1"])
        == 0
    )
    output = capsys.readouterr().out
    assert "the equations are derived" in output
    assert "the fabric is oversubscribed" in output
    assert "512 sequences are fewer than the 4,096 copies" in output
    assert "bubble" not in output


def labels_of(svg: str) -> list[str]:
    """Return the texts of a picture, which must be well-formed."""
    return [
        element.text or ""
        for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314 - our own picture
    ]


def test_charts_have_axes_with_units_and_escape_names() -> None:
    """A model of the user may have any name."""
    svg = line_chart(
        Lines("<b>&", "GPUs", "iteration, s", [("a<b", [(8.0, 1.0), (16.0, 0.5)])], [(16.0, 0.4)]),
        ["1 < 2"],
    )
    assert {
        "<b>&",
        "GPUs",
        "iteration, s",
        "a<b",
        "8",
        "16",
        "0.0",
        "1.0",
        "1 < 2",
        "as printed",
    } <= set(labels_of(svg))
    bars = bar_chart(Bars("title", "%", ["x", "y"], [("one\ntwo", [1.0, 2.0])], []), [])
    assert {"title", "%", "x", "y", "one", "two"} <= set(labels_of(bars))
    assert "as printed" not in bars


def test_a_chart_of_one_point_is_drawn() -> None:
    """An axis without extent causes no division by zero."""
    assert "nan" not in line_chart(Lines("t", "x", "y", [("a", [(8.0, 0.0)])], []))


def test_a_published_figure_without_a_row() -> None:
    """The text states it, and it is not drawn."""
    (found,) = compare([Printed(llm="gpt3", figure="relative_pct", printed=50, at=(8,))], [])
    assert (found.ours, found.verdict) == (None, "not in this table")
    assert isinstance(Catalog().read(PAPER / "figure-7.yaml", PublishedFigures).figures[0], Printed)


# --- traffic

FABRICS = {
    "one tier": {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 16},
    "two tiers": {"gpus": 128, "hb_domain": {"gpus": 8}, "radix": 8},
    "minimal": {"gpus": 96, "hb_domain": {"gpus": 4}, "radix": 12, "spread": "minimal"},
    "three tiers": {"gpus": 256, "hb_domain": {"gpus": 4}, "radix": 8},
    "three tiers, one leaf in the last pod": {
        "gpus": 68,
        "hb_domain": {"gpus": 4},
        "radix": 8,
        "rails": {"tiers": 3},
    },
    "few rails": {
        "gpus": 96,
        "hb_domain": {"gpus": 12},
        "rails": {"count": 3, "planes": 2},
        "radix": 8,
    },
    "shared leaves": {
        "gpus": 128,
        "hb_domain": {"gpus": 8},
        "rails": {"per_switch": 2, "tiers": 2},
        "radix": 16,
    },
    "rail-optimized": {
        "gpus": 128,
        "hb_domain": {"gpus": 8},
        "radix": 16,
        "design": "rail-optimized",
    },
    "fat-tree": {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 8, "design": "fat-tree"},
}


def job(plan: Plan, n_m: int, collective: str = "direct", **facts: object) -> Groups:
    """Combine a plan with a model."""
    return Groups(
        llm_of("opt-175b", **facts),
        machine_of(plan.fabric, CATALOG),
        n_m,
        "ring" if collective == "ring" else "direct",
    )


def pairs_of(groups: Groups) -> Iterator[tuple[str, int, int, float]]:
    """Yield every entry of the matrix: class, source, target, bytes."""
    for each, sources, targets in groups.matrix():
        for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
            yield each.name, source, target, each.bytes_per_pair


@pytest.mark.parametrize("stages", [1, 4])
@pytest.mark.parametrize("collective", ["direct", "ring"])
def test_the_matrix_has_the_volumes_of_the_equations(collective: str, stages: int) -> None:
    """Every class sums to its volume.

    No pair has two classes, no GPU sends to itself, and classes inside stay inside.
    """
    groups = job(plan_of(**FABRICS["two tiers"]), 2, collective, pipeline_stages=stages)
    entries = list(pairs_of(groups))
    assert len({(source, target) for _, source, target, _ in entries}) == len(entries)
    assert all(source != target for _, source, target, _ in entries)
    shares = groups.shares()
    assert len(entries) == sum(each.pairs for each in shares.classes.values())
    assert shares.pairs_idle_pct == pytest.approx(100 * (1 - len(entries) / (128 * 127)))
    assert shares.bytes == pytest.approx(sum(amount for *_, amount in entries))
    for name, each in groups.classes.items():
        members = [(source, target) for of, source, target, _ in entries if of == name]
        assert all((source // 8 == target // 8) == each.inside for source, target in members)
        if name != "pipeline":
            assert set(Counter(source for source, _ in members).values()) == {each.peers}
            assert set(Counter(target for _, target in members).values()) == {each.peers}
    kept = sum(amount for of, *_, amount in entries if groups.classes[of].inside)
    assert shares.hb_bytes_pct == pytest.approx(100 * kept / shares.bytes)


def walk(
    plan: Plan, loads: tuple[np.ndarray, np.ndarray], box: int, target: int, amount: float
) -> None:
    """Send bytes from a switch to a leaf of segment 0.

    They go up over all links alike to a switch above the leaf, then down.
    """
    segment, up, down = plan.segment, *loads
    if box == target:
        return
    below = np.flatnonzero(
        (segment.upper == box) & (segment.kind != LinkKind.HOST) & (segment.block == 0)
    )
    straight = [row for row in below.tolist() if reaches(plan, int(segment.lower[row]), target)]
    for row in straight:
        down[row] += amount / len(straight)
        walk(plan, loads, int(segment.lower[row]), target, amount / len(straight))
    if not straight:
        rows = np.flatnonzero(
            (segment.lower == box) & (segment.kind != LinkKind.HOST) & (segment.block == 0)
        ).tolist()
        for row in rows:
            up[row] += amount / len(rows)
            walk(plan, loads, int(segment.upper[row]), target, amount / len(rows))


def reaches(plan: Plan, box: int, target: int) -> bool:
    """Return whether a leaf is a switch, or below it."""
    rows = np.flatnonzero(
        (plan.segment.upper == box)
        & (plan.segment.kind != LinkKind.HOST)
        & (plan.segment.block == 0)
    ).tolist()
    return box == target or any(reaches(plan, int(plan.segment.lower[row]), target) for row in rows)


@pytest.mark.parametrize(
    ("name", "collective", "stages"),
    [
        *((name, "direct", 1) for name in FABRICS),
        ("two tiers", "ring", 1),
        ("three tiers", "direct", 4),
    ],
)
def test_bytes_on_links_equal_those_of_a_slow_walk(name: str, collective: str, stages: int) -> None:
    """Each pair of GPUs of the first block is walked link by link over the wiring.

    The other blocks of a segment carry the same.
    """
    plan = plan_of(**FABRICS[name])
    groups, segment, request = (
        job(plan, 1, collective, pipeline_stages=stages),
        plan.segment,
        plan.fabric,
    )
    hosts = np.flatnonzero((segment.kind == LinkKind.HOST) & (segment.block == 0)).tolist()
    seat = {int(segment.lower[row]): row for row in hosts}
    up, down = np.zeros(len(segment.kind)), np.zeros(len(segment.kind))
    between: defaultdict[tuple[int, int], float] = defaultdict(float)
    for of, source, target, amount in pairs_of(groups):
        if source in seat and target in seat and not groups.classes[of].inside:
            up[seat[source]] += amount / request.planes
            down[seat[target]] += amount / request.planes
            between[int(segment.upper[seat[source]]), int(segment.upper[seat[target]])] += (
                amount / request.planes
            )
    for (low, high), amount in between.items():
        walk(plan, (up, down), low, high, float(amount))
    found, first = LinkTraffic(plan, groups).loads, segment.block == 0
    for block in range(1, plan.mapping.segment_blocks):
        np.testing.assert_array_equal(found[0][first], found[0][segment.block == block])
    assert up[first].sum() > 0
    np.testing.assert_allclose(found[0][first], up[first], rtol=1e-9)
    np.testing.assert_allclose(found[1][first], down[first], rtol=1e-9)


def test_a_third_of_an_any_to_any_fabric_is_idle() -> None:
    """Where pods hold whole rails no core is needed.

    Idle links are listed, each by a label of the fabric.
    """
    plan = plan_of(gpus=512, hb_domain={"gpus": 32}, radix=16, design="fat-tree")
    links = LinkTraffic(plan, job(plan, 4), gathered=True)
    idle = idle_rows(links)
    assert plan.fabric.design is Design.FAT_TREE
    assert (plan.segment.kind[idle] == LinkKind.SPINE_CORE).all()
    assert link_totals(links).idle_links_pct == pytest.approx(100 / 3)
    lines = list(idle_csv(links))
    assert len(lines) - 1 == 512
    assert lines[1].split(",")[1:] == ["spine_core", "spine-01", "core-01"]
    assert idle_rows(LinkTraffic(plan, job(plan, 4))).sum() == 0


def test_the_busiest_link_has_a_name_of_the_cabling() -> None:
    """Hashing is mentioned where there is a choice of uplinks."""
    plan = plan_of(**FABRICS["two tiers"])
    found = link_totals(LinkTraffic(plan, job(plan, 2)))
    assert found.busiest.cable == "r0-h00001"
    assert found.busiest.alike == 128
    assert found.hashing
    assert found.hashing.fullest >= 1
    one = plan_of(**FABRICS["one tier"])
    assert link_totals(LinkTraffic(one, job(one, 2))).hashing is None


def test_traffic_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The matrix as rows, the picture, and the table."""
    base = [
        "model",
        "--gpus",
        "64",
        "--hb-domain",
        "8",
        "--radix",
        "16",
        "--llm",
        "gpt3",
        "--traffic",
        "own",
        "--mp-group",
        "2",
    ]
    assert (
        run([*base, "--csv", str(tmp_path / "pairs.csv"), "--svg", str(tmp_path / "map.svg")]) == 0
    )
    assert "of the 4,032 pairs of GPUs carry no traffic" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "pairs.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 64 * (1 + 3 + 7)
    assert {row["class"] for row in rows} == {"mp", "dp_within", "dp_across"}
    assert rows[0]["source"] == "d0-g0"
    assert any(
        "d0-g0 to d0-g7" in words
        for words in labels_of((tmp_path / "map.svg").read_text(encoding="utf-8"))
    )


def test_a_heat_map_colours_every_pair() -> None:
    """It has as many cells as the matrix has entries among the GPUs of both squares."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=16)
    groups = job(plan, 2)
    svg = heat_map(groups, "map")
    inside = sum(1 for _, source, target, _ in pairs_of(groups) if source < 8 and target < 8)
    everything = sum(1 for _ in pairs_of(groups))
    assert svg.count("z") - svg.count("size") == inside + everything


def test_parts_of_an_iteration_are_named_in_order() -> None:
    """The contract of `Times`: its sum lies between the group and the ideal."""
    assert Times._fields == (
        "n_m",
        "compute_s",
        "mp_s",
        "dp_across_s",
        "dp_within_s",
        "pipeline_s",
        "bubble_s",
        "experts_s",
        "ideal_s",
    )


# --- all-to-all


def slow_load(choice: PathSelector, gpus: int) -> GpuLoad:
    """Find the path of every pair, and count it link by link."""
    load = GpuLoad(*(np.zeros(gpus) for _ in GpuLoad._fields))

    def hop(a: int, b: int, *, relays: bool) -> None:
        if a != b:
            for out, into in (
                (load.hb_out, load.hb_in),
                *([(load.relay_out, load.relay_in)] if relays else []),
            ):
                out[a] += 1
                into[b] += 1

    for source, target in permutations(range(gpus), 2):
        way, at = choice.way(source, target), source
        if way is None:
            continue
        for leg in way.legs:
            hop(at, leg.exit, relays=True)
            load.nic_out[leg.exit] += 1
            load.nic_in[leg.landing] += 1
            at = leg.landing
        hop(at, target, relays=bool(way.legs))
    return load


@pytest.mark.parametrize(
    ("keys", "failed"),
    [
        ({"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8}, []),
        (
            {"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8},
            ["nic:d0-g1", "gpu:d3-g2", "switch:r0-leaf-1"],
        ),
        (
            {"gpus": 32, "hb_domain": {"gpus": 8}, "rails": {"count": 4}, "radix": 8},
            ["nic:d0-g1", "nic:d1-g5"],
        ),
        ({"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8}, ["hb:0", "hb:2"]),
        (
            {"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8, "design": "rail-optimized"},
            ["nic:d0-g1"],
        ),
    ],
)
def test_the_load_of_an_all_to_all_is_that_of_every_path(
    keys: dict[str, object], failed: list[str]
) -> None:
    """It is compared GPU by GPU with the choice of the tables."""
    plan = plan_of(**keys)
    failures = find_failures(plan, failed)
    found = AllToAll(plan, machine_of(plan.fabric, CATALOG), failures)
    for name, ours, slow_one in zip(
        GpuLoad._fields, found.load, slow_load(PathSelector(Reach(plan, failures)), 32), strict=True
    ):
        np.testing.assert_array_equal(ours, slow_one, err_msg=name)
    assert not found.sampled


@pytest.mark.parametrize(("host", "printed"), [("dgx-a100", 8.2), ("dgx-h100", 11.2)])
def test_relays_cost_what_the_paper_states(host: str, printed: float) -> None:
    """B_S/B_F is 8.3 % and 11.1 %, and the paper prints 8.2 to 11.2.

    One of eight rails is the sender's own, which saves an eighth.
    """
    plan = plan_of(gpus=512, hb_domain={"gpus": 8}, host={"model": host}, radix=64)
    found = AllToAll(plan, machine_of(plan.fabric, CATALOG), Failures()).cost(llm_of()).document()
    assert found["paper_pct"] == pytest.approx(printed, abs=REPRODUCED)
    assert found["slowdown_in_turn_pct"] == pytest.approx(found["paper_pct"] * 7 / 8)
    assert found["slowdown_overlapped_pct"] == 0
    assert (found["nic_units"], found["relay_units"], found["iteration_s"]) == (504, 441, None)


def test_a_sample_of_the_sources_gives_the_same_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """All HB domains of a sound fabric are alike, and a failed one is computed separately."""
    plan = plan_of(gpus=256, hb_domain={"gpus": 8}, radix=32)
    machine = machine_of(plan.fabric, CATALOG)
    for failed in ([], ["nic:d0-g3"]):
        failures = find_failures(plan, failed)
        monkeypatch.setattr("fabricgen.analysis.workload.all_to_all.LIMIT", 10**9)
        whole = AllToAll(plan, machine, failures)
        full = whole.cost(llm_of()).document()
        monkeypatch.setattr("fabricgen.analysis.workload.all_to_all.LIMIT", 8 * 256 * 4)
        part = AllToAll(plan, machine, failures)
        some = part.cost(llm_of()).document()
        assert (whole.sampled, part.sampled) == (False, True)
        for key in (
            "nic_units",
            "hb_units",
            "relay_units",
            "pairs_relayed_pct",
            "slowdown_in_turn_pct",
        ):
            assert some[key] == pytest.approx(full[key], rel=0.02), key


def test_experts_are_counted_by_the_token(capsys: pytest.CaptureFixture[str]) -> None:
    """Each token's vector travels four times to two experts in every other layer.

    A dense model has no such traffic.
    """
    llm, machine = llm_of("glam-64b-64e"), Machine(1024, 8, 450e9, 50e9, 989.4e12)
    assert expert_bytes(llm, machine) == 4 * 32 * 2 * 1048576 * 8192 * 4 / 1024
    assert expert_bytes(llm_of(), machine) == 0
    base = ["model", "--gpus", "64", "--hb-domain", "8", "--radix", "16", "--llm", "glam-64b-64e"]
    assert run([*base, "--all-to-all", "--fail", "hb:1"]) == 0
    output = capsys.readouterr().out
    assert "hb:1 down" in output
    assert "GB a GPU to experts" in output
    assert run([*base, "--all-to-all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["all_to_all"]["pairs_lost"] == 0
    assert run(base) == 0
    assert "`--all-to-all`" in capsys.readouterr().out
