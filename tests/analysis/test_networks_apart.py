"""What is of the compute fabric alone: an inventory with networks is compared without them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.search.cheaper import cheaper_mappings
from fabricgen.analysis.search.search import search
from fabricgen.bom.comparison import compare
from fabricgen.bom.ownership import cost_of_ownership
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.cli import run
from fabricgen.core.yaml_text import write_yaml
from fabricgen.planning import network_drafts
from fabricgen.planning.plan import make_plan
from tests.fabrics import CATALOG, spec_of
from tests.mutations.cluster import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path


NETWORKS = ["storage", "inband", "oob"]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the fabrics whose networks are planned."""
    found: list[str] = []
    real = network_drafts.draft_networks

    def noted(draft: Any, *given: Any) -> Any:  # noqa: ANN401 - those of the planner
        found.append(draft.spec.name)
        return real(draft, *given)

    monkeypatch.setattr(network_drafts, "draft_networks", noted)
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Write the cluster as an inventory file."""
    path = tmp_path / "cluster.yaml"
    keys = {key: value for key, value in CLUSTER.items() if key != "radix"}
    switches = {"leaf": {"generic": {"radix": CLUSTER["radix"]}}}
    path.write_text(write_yaml({"name": "cluster", **keys, "switches": switches}))
    return str(path)


def test_compare_is_of_the_compute_fabric(planned: list[str]) -> None:
    """No design has networks, and the result names those that are not compared."""
    found = compare(spec_of(**CLUSTER), CATALOG)
    alone = {key: value for key, value in CLUSTER.items() if key not in ("networks", "devices")}
    document = found.document()
    assert document.pop("not_compared") == NETWORKS
    assert document == compare(spec_of(**alone), CATALOG).document()
    assert planned == []
    missing = cost_of_ownership(found).missing
    assert [f"the network {name} beside the compute fabric" for name in NETWORKS] == missing[-3:]


def test_a_known_plan_is_compared_without_networks() -> None:
    """Its figures are those of the other designs, of the compute fabric; its totals are added."""
    spec = spec_of(**CLUSTER)
    plan = make_plan(spec, CATALOG)
    found = compare(spec, CATALOG, (plan, make_bom(plan)))
    document = found.document()
    assert document.pop("totals") == summarize(plan, make_bom(plan)).document()["totals"]
    assert document == compare(spec, CATALOG).document()


def test_search_keeps_the_networks_of_the_inventory(planned: list[str]) -> None:
    """Candidates are planned without them, and the inventory of a row has them."""
    spec = spec_of(
        **CLUSTER, search={"designs": ["rail-only"], "switches": ["sn5600"], "rails": [8]}
    )
    found = search(spec, CATALOG)
    assert planned == []
    written = found.inventory(1, CATALOG)
    assert (written.networks, written.devices) == (spec.networks, spec.devices)


def test_a_cheaper_mapping_is_of_the_compute_fabric(planned: list[str]) -> None:
    """Other rails are planned without networks."""
    plan = make_plan(spec_of(**CLUSTER), CATALOG)
    alone = make_plan(plan.spec.without_networks(), CATALOG)
    assert planned == [plan.spec.name]
    assert cheaper_mappings(plan, make_bom(plan)) == cheaper_mappings(alone, make_bom(alone))
    assert planned == [plan.spec.name]


@pytest.mark.parametrize(
    "command",
    [
        ["plan"],
        ["impact", "--fail", "switch:r0-leaf-1"],
        ["route", "d0-g0", "d1-g0"],
        ["phases", "--set", "phases=[{name: now, rails: 4}]"],
        ["check", "--json"],
    ],
    ids=lambda command: command[0],
)
def test_a_command_plans_the_networks_once(
    command: list[str], cluster: str, planned: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """However many fabrics a command plans, the networks are those of the inventory."""
    name, *options = command
    assert run([name, cluster, *options]) == 0, capsys.readouterr().err
    assert planned == ["cluster"]


@pytest.mark.parametrize("command", [["compare"], ["compare", "--json"], ["cost", "--years", "3"]])
def test_a_comparison_names_the_networks(
    command: list[str], cluster: str, planned: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The text and the JSON state what is not compared, and the totals with it."""
    name, *options = command
    assert run([name, cluster, *options]) == 0
    out = capsys.readouterr().out
    if "--json" in options:
        document = json.loads(out)
        assert document["not_compared"] == NETWORKS
        assert document["totals"]["cables"] > document["designs"][0]["cables"]["total"]
    elif name == "compare":
        assert (
            "not compared, the same in each design: storage, inband, oob\nin all, as planned: "
            in out
        )
    else:
        assert "the network oob beside the compute fabric" in out
    assert planned == (["cluster"] if name == "compare" else [])


def test_diff_plans_the_networks_of_each_side(
    cluster: str, planned: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two inventories are two plans."""
    assert run(["diff", cluster, cluster]) == 0, capsys.readouterr().err
    assert len(planned) == 2


def test_a_saved_phase_has_the_networks(
    cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its networks are those that the phase was planned with."""
    sizes = "phases=[{gpus: 32}, {gpus: 64}]"
    assert run(["phases", cluster, "--set", sizes, "-o", str(tmp_path / "saved")]) == 0
    out = capsys.readouterr().out
    assert "  oob cables" in out
    for saved in sorted((tmp_path / "saved").iterdir()):
        assert run(["plan", str(saved)]) == 0
        assert "oob" in capsys.readouterr().out


def test_phases_by_rails_are_of_the_compute_fabric(
    cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The note names the phases that have the networks."""
    assert run(["phases", cluster, "--set", "phases=[{name: now, rails: 4}]"]) == 0
    assert "phases by GPUs have them too" in capsys.readouterr().err


def test_a_fabric_without_networks_is_what_it_was() -> None:
    """Without the keys there is nothing to leave out."""
    spec = spec_of(gpus=64, hb_domain={"gpus": 8}, radix=64)
    assert spec.without_networks() is spec
    assert replace(compare(spec, CATALOG)).networks == ()
    assert "not_compared" not in compare(spec, CATALOG).document()
