"""The API for programs: it plans files and mappings as the command line does.

A refusal names the place of the error.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING

import networkx as nx
import pytest

from fabricgen import api
from fabricgen.core.document import flat
from tests.fabrics import CLUSTER
from tests.outputs.report.decoding import Blocks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

INVENTORY = "name: small\ngpus: 64\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 4}}}\n"
KEYS = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 4}}},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write an inventory."""
    written = tmp_path / "fabric.yaml"
    written.write_text(INVENTORY, encoding="utf-8")
    return written


def test_every_public_name_exists() -> None:
    """Each name of `__all__` is public, exists and has a docstring."""
    assert all(getattr(api, name).__doc__ for name in api.__all__)
    assert not [name for name in api.__all__ if name.startswith("_")]


def test_a_file_and_a_mapping_give_one_plan(path: Path) -> None:
    """The same keys, the same wiring."""
    assert (
        api.plan_file(path).digest()
        == api.plan_file(str(path)).digest()
        == api.plan_inventory(KEYS).digest()
    )


def test_the_summary_is_what_the_command_prints(path: Path, run_here: Run) -> None:
    """`plan --json` and `summary` agree, key by key, with an override too.

    A refusal is an exception, so that `summary` needs no `ok`.
    """
    for overrides, words in (({}, ()), ({"rails.count": 4}, ("--set", "rails.count=4"))):
        printed = json.loads(run_here("plan", path, "--json", *words).stdout)
        assert (printed.pop("ok"), printed.pop("findings")) == (True, [])
        assert json.loads(json.dumps(api.summary(api.plan_file(path, overrides)))) == printed


ROWS: dict[str, dict[str, object]] = {
    "generic": KEYS,
    "priced": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "design": "rail-optimized",
        "rails": {"tiers": 2},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
        "prices": {"book": "street-2026-09", "discount": {"all": 10}},
        "spares": {"cables": {"percent": 5}},
        "search": {"switches": ["sn5600"], "max_tiers": 2},
    },
    "cluster": CLUSTER,
    "nowhere": KEYS | {"site": "unknown", "prices": "street-2026-09"},
}
"""Inventories whose tables have numbers, fractions, unknown values, and shared cables."""


def as_text(value: object) -> str:
    """Return a value as a CSV has it."""
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def as_value(text: str) -> object:
    """Return a number of a CSV, or its text."""
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_those_of_the_files(name: str, tmp_path: Path) -> None:
    """Cables and parts have the columns and values of the files of a build.

    `build` returns a row for each file, with the digests of its manifest.
    """
    plan = api.plan_inventory(ROWS[name])
    files = api.build(plan, tmp_path / "out", ["cabling", "bom"])
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert {row["path"]: row["sha256"] for row in files} == manifest["files"]
    with (tmp_path / "out/cabling/cables.csv").open(encoding="utf-8", newline="") as file:
        cables = list(csv.DictReader(file))
    assert [
        {column: as_text(value) for column, value in row.items()} for row in api.cables(plan)
    ] == cables
    with (tmp_path / "out/bom/bom.csv").open(encoding="utf-8", newline="") as file:
        parts = [row for row in csv.DictReader(file) if row["row"] == "part"]
    ours = api.bom(plan)
    assert [set(row) for row in ours] == [set(row) for row in parts]
    for mine, theirs in zip(ours, parts, strict=True):
        assert {key: as_value(as_text(value)) for key, value in mine.items()} == {
            key: as_value(text) for key, text in theirs.items()
        }
    assert all(isinstance(row["quantity"], int) for row in ours)


def test_rows_are_those_of_the_commands(tmp_path: Path, run_here: Run) -> None:
    """`compare`, `search` and `model` have the figures of `--json`, nested keys joined."""
    path = tmp_path / "fabric.yaml"
    path.write_text(json.dumps({"name": "rows", **ROWS["priced"]}), encoding="utf-8")
    plan = api.plan_file(path)
    printed = {
        command: json.loads(run_here(command, path, *words, "--json").stdout)
        for command, words in (("compare", ()), ("search", ()), ("model", ("--llm", "gpt3")))
    }
    designs = [flat(design) for design in printed["compare"]["designs"]]
    compared, searched, row = api.compare(plan), api.search(plan), api.model(plan)
    assert [
        {key: each[key] for key in design} for each, design in zip(compared, designs, strict=True)
    ] == designs
    against = printed["compare"]["savings_against"]
    for each in compared[1:]:
        saved = {key.removeprefix("saved_"): each[key] for key in each if "saved_" in key}
        assert saved == against[each["design"]]
    assert searched == [flat(design) for design in printed["search"]["designs"]]
    assert {key: printed["model"][key] for key in row} == row
    values = [value for each in (*compared, *searched, row) for value in each.values()]
    assert not [value for value in values if isinstance(value, dict)]


def test_costs_phases_and_all_designs_are_those_of_the_commands(
    tmp_path: Path, run_here: Run
) -> None:
    """`cost`, `phases` of both kinds and `search --all` have the figures of `--json`."""
    path, offered = tmp_path / "fabric.yaml", {"switches": ["sn5600", "sn4700"]}
    keys = {"name": "rows", **ROWS["priced"], "gpus": 256, "search": offered}
    terms = {"years": 3, "kwh_price": 0.2, "pue": 1.2}
    growing = [{"gpus": 256}, {"gpus": 512}]
    for phases in (growing, [{"name": "a", "rails": 1}, {"name": "b"}]):
        document = keys | {"ownership": terms, "phases": phases}
        path.write_text(json.dumps(document), encoding="utf-8")
        plan, printed = api.plan_file(path), json.loads(run_here("phases", path, "--json").stdout)
        rows = [row for row in api.phases(plan) if row.pop("recommended", True)]
        assert {row.pop("way", None) for row in rows} == {printed.get("recommended")}
        assert rows == [flat(phase) for phase in printed["phases"]]
    designs = json.loads(run_here("cost", path, "--json").stdout)["designs"]
    currency = {"currency": "USD"}
    assert api.cost(plan) == [flat(design) | currency for design in designs]
    every = json.loads(run_here("search", path, "--all", "--json").stdout)["designs"]
    assert api.search(plan, every=True) == [flat(design) for design in every]
    assert len(every) > len(api.search(plan))


def test_a_build_from_a_program_is_refused_as_a_command(path: Path, tmp_path: Path) -> None:
    """A directory of the user is not replaced, and an unknown group is named."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("kept", encoding="utf-8")
    plan = api.plan_file(path)
    for out, only, code in (("own", ["bom"], "not-ours"), ("out", ["bim"], "unknown-output")):
        with pytest.raises(api.Refusal) as refused:
            api.build(plan, tmp_path / out, only)
        assert [finding.code for finding in refused.value.findings] == [code]


def test_a_plan_file_is_planned_again(path: Path, tmp_path: Path, run_here: Run) -> None:
    """The result has the same wiring; a plan file with another digest is refused."""
    kept = tmp_path / "plan.json"
    assert run_here("plan", path, "-o", kept).returncode == 0
    assert api.plan_file(kept).digest() == api.plan_file(path).digest()
    text = kept.read_text(encoding="utf-8")
    kept.write_text(text.replace(api.plan_file(path).digest(), "0" * 64), encoding="utf-8")
    with pytest.raises(api.Refusal) as refused:
        api.plan_file(kept)
    assert [finding.code for finding in refused.value.findings] == ["plan-of-another-version"]


def test_a_refusal_has_a_place(path: Path) -> None:
    """A file's finding has line and column, an override's and a mapping's the key."""
    path.write_text(INVENTORY.replace("64", "60"), encoding="utf-8")
    with pytest.raises(api.Refusal) as refused:
        api.plan_file(path)
    (place,) = {finding.place for finding in refused.value.findings}
    assert place is not None
    assert (place.source, place.line) == (str(path), 2)
    with pytest.raises(api.Refusal) as overridden:
        api.plan_file(path, {"gpus": 61})
    with pytest.raises(api.Refusal) as mapped:
        api.plan_inventory({**KEYS, "gpus": 61})
    assert [
        [str(finding.place) for finding in one.value.findings] for one in (overridden, mapped)
    ] == [["gpus"], ["gpus"]]


def test_the_callers_values_are_not_changed(path: Path) -> None:
    """An override below another one is applied to a copy."""
    overrides = {"rails": {"count": 8}, "rails.count": 4}
    assert api.plan_file(path, overrides).fabric.rails == 4
    assert overrides == {"rails": {"count": 8}, "rails.count": 4}


def test_catalogs_and_price_books_are_found(path: Path, tmp_path: Path) -> None:
    """A directory of the caller shadows the catalog.

    The path of a price book is relative to the inventory.
    """
    (tmp_path / "own" / "prices").mkdir(parents=True)
    book = "description: ours\ncurrency: EUR\nsource: own\ndate: '2026-01-01'\nparts: {}\n"
    (tmp_path / "own" / "prices" / "mine.yaml").write_text(f"name: mine\n{book}", encoding="utf-8")
    (tmp_path / "beside.yaml").write_text(f"name: beside\n{book}", encoding="utf-8")
    assert (
        api.summary(api.plan_file(path, {"prices": "mine"}, catalogs=[tmp_path / "own"]))["cost"][
            "currency"
        ]
        == "EUR"
    )
    assert (
        api.summary(api.plan_inventory({**KEYS, "prices": "mine"}, catalogs=[tmp_path / "own"]))[
            "cost"
        ]["currency"]
        == "EUR"
    )
    assert api.summary(api.plan_file(path, {"prices": "beside.yaml"}))["cost"]["currency"] == "EUR"


def test_both_graphs_are_networkx_graphs(path: Path) -> None:
    """Functions of networkx accept them."""
    plan = api.plan_file(path)
    assert isinstance(api.graph(plan), nx.MultiGraph)
    assert nx.number_connected_components(api.switch_graph(plan)) == 8


def test_the_report_equals_the_built_file_except_for_switch_files(
    path: Path, tmp_path: Path, run_here: Run
) -> None:
    """Both have the same elements and differ in one part."""
    assert run_here("build", path, "-o", tmp_path / "out", "--only", "report").returncode == 0
    built, ours = (
        Blocks(text)
        for text in (
            (tmp_path / "out" / "report.html").read_text(encoding="utf-8"),
            api.report(api.plan_file(path)),
        )
    )
    assert ours.tags == built.tags
    assert [part for part in built.documents if ours.documents[part] != built.documents[part]] == [
        "configs"
    ]


def test_rows_are_of_all_networks() -> None:
    """Cables have their network, and the bill has the parts of all, as the files of a build."""
    plan = api.plan_inventory(CLUSTER)
    figures, rows, parts = api.summary(plan), api.cables(plan), api.bom(plan)
    planned = {name: each["cables"]["total"] for name, each in figures["networks"].items()}
    counted = Counter(row["network"] for row in rows)
    assert counted == {"compute": figures["cables"]["total"], **planned}
    assert sum(row["quantity"] for row in parts if row["class"] == "cables") == len(rows)
    assert sum(row["total"] or 0 for row in parts) == pytest.approx(figures["totals"]["cost"])
    assert "network" not in api.cables(api.plan_inventory(KEYS))[0]


def test_a_comparison_has_the_notes_and_the_cheaper_rows_of_the_command(
    path: Path, run_here: Run
) -> None:
    """With one rail a leaf, rail-only has a cheaper mapping, which its row alone does not show."""
    keys = {"switches.leaf.generic.radix": 64, "rails.per_switch": 1, "rails.tiers": 2}
    words = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    found = api.compare(api.plan_file(path, keys))
    printed = json.loads(run_here("compare", path, "--json", *words).stdout)
    assert found.cheaper == [flat(printed["cheaper"])]
    assert found.cheaper[0]["set"]
    assert [row["design"] for row in found] == [each["design"] for each in printed["designs"]]
    shown = run_here("compare", path, *words)
    assert any("2 tiers were asked for" in note for note in found.notes)
    assert all(note in f"{shown.stdout}{shown.stderr}" for note in found.notes)


def test_graphs_are_written_from_plans(path: Path) -> None:
    """`graphml` and `node_link` of a plan are those of its graph."""
    plan = api.plan_file(path)
    assert api.graphml(plan) == api.graphml(api.graph(plan))
    assert api.node_link(plan) == api.node_link(api.graph(plan))


@pytest.mark.parametrize("bandwidth", [None, "450GB/s"])
def test_flows_of_a_fabric_are_computed_by_networkx(bandwidth: str | None) -> None:
    """The GPUs of a domain send over all its NICs, and the links of the graph are all counted."""
    domain = {"gpus": 8} | ({"bandwidth": bandwidth} if bandwidth else {})
    plan = api.plan_inventory(KEYS | {"hb_domain": domain, "rails": {"per_switch": 1}})
    made, every = api.flow_graph(plan), api.graph(plan)
    assert not made.is_multigraph()
    assert sum(edge["links"] for _, _, edge in made.edges(data=True)) == every.number_of_edges()
    speed = plan.fabric.speed_gbps
    inside = speed + (3600 if bandwidth else 8 * speed)
    assert nx.maximum_flow_value(made, "d0-g0", "d7-g0") == min(8 * speed, inside)
    assert 0 < nx.maximum_flow_value(made, "d0-g0", "d0-g1") < float("inf")
    links = [edge for _, _, edge in every.edges(data=True) if edge["kind"] != "hb"]
    assert all(edge["capacity_gbps"] for edge in links)


def test_a_plan_is_shown_in_a_line() -> None:
    """A notebook prints its last value, which was every column of the plan."""
    plan = api.plan_inventory(KEYS)
    assert repr(plan) == (
        "<Plan small: rail-only, 64 GPUs, 8 rails, 1 plane, 2 tiers, 48 switches, 128 cables>"
    )
    assert plan._repr_html_().startswith("<table><tr><th>small</th><td>rail-only</td>")


def test_drawings_are_those_of_a_build(tmp_path: Path) -> None:
    """Each by its name, of networks too; without a title only title and legend are missing."""
    plan = api.plan_inventory(CLUSTER)
    api.build(plan, tmp_path / "out", ["drawings"])
    folder = tmp_path / "out" / "drawings"
    names = api.drawing_names(plan)
    assert {path.stem for path in folder.glob("*.svg")} == {*names}
    assert "network-storage" in names
    for form in ("svg", "dot", "drawio"):
        for name in (names[0], "network-storage"):
            written = (folder / f"{name}.{form}").read_text(encoding="utf-8")
            assert api.drawing(plan, name, form) == written
    bare = api.drawing(plan, title=False)
    assert 'class="title"' not in bare
    assert bare.count("<rect") == api.drawing(plan, names[0]).count("<rect")
    with pytest.raises(ValueError, match="no drawing is called `rail-99`; there are "):
        api.drawing(plan, "rail-99")
    with pytest.raises(ValueError, match="rsvg-convert -f pdf"):
        api.drawing(plan, form="pdf")
