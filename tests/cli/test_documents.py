"""The result of each command: its class, and the keys of its document that scripts rely on."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

from fabricgen.analysis.checks.law import CheckResult
from fabricgen.analysis.circuits.result import CircuitResult
from fabricgen.analysis.communicator.placement import Placement
from fabricgen.analysis.forwarding.paths import PathList
from fabricgen.analysis.impact.compare import ComparedImpact
from fabricgen.analysis.impact.ranking import Ranking
from fabricgen.analysis.search.result import SearchResult
from fabricgen.bom.comparison import Comparison
from fabricgen.bom.ownership import OwnershipCost
from fabricgen.bom.summary import PlanSummary
from fabricgen.cli import printing, program, run
from fabricgen.cli.all_to_all import AllToAllResult
from fabricgen.cli.build import BuildResult, PlannedFiles
from fabricgen.cli.catalog import ModelFacts, ModelList
from fabricgen.cli.import_ import ImportedPlan
from fabricgen.cli.model_result import IterationResult, SweepResult
from fabricgen.cli.outputs import OutputList
from fabricgen.cli.traffic import TrafficResult
from fabricgen.cli.verify import Verification
from fabricgen.lifecycle.audit.report import AuditReport
from fabricgen.lifecycle.change.diff import Diff
from fabricgen.lifecycle.change.growth import GrownPlan
from fabricgen.lifecycle.change.phase_summary import PhaseList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pytest

    from fabricgen.core.diagnostics import Finding
    from fabricgen.core.document import Document

INVENTORY = """
name: small
gpus: 64
hb_domain: {gpus: 8}
host: {model: dgx-h100}
switches: {leaf: {generic: {radix: 8}}}
"""
LIGHT = """
name: light
gpus: 64
hb_domain: {gpus: 8}
rails: {medium: ocs}
switches: {leaf: {model: s320}}
"""
PLAN = (
    "name design gpus hb_domains rails planes tiers radix switches per_block blocks links cables"
    " longest_cable_m room transceivers cost power_w power_max_w heat_btu_h weight_kg rack_units"
    " unknown oversubscription"
)
IMPACT = (
    "failed gpus gpus_dead gpus_cut_off gpus_degraded gpu_bandwidth_lost_pct"
    " fabric_bandwidth_lost_pct rails_affected rails hb_pairs_over_network pairs"
    " pairs_needing_relay pairs_by_relay_before pairs_by_relay_after pairs_lost"
    " reachable_pairs_pct relay_load bisection_left_pct"
)
ITERATION = (
    "llm gpus hb_domain batch_tokens nic_gbps iteration_s compute_s mp_s dp_across_s dp_within_s"
    " pipeline_s bubble_s experts_s ideal_s n_m relative"
)


class Example(NamedTuple):
    """A command line, the class of its result, and the keys of the document."""

    command: str
    result: type[Document]
    keys: str


EXAMPLES = (
    Example("plan fabric.yaml -o plan.json", PlanSummary, PLAN),
    Example("plan --from plan.json --set gpus=128", GrownPlan, f"{PLAN} growth"),
    Example(
        "cost fabric.yaml --years 4 --kwh 0.12 --pue 1.3",
        OwnershipCost,
        "name gpus nic_gbps currency book terms designs refused savings sensitivity break_even"
        " missing",
    ),
    Example("compare fabric.yaml", Comparison, "designs savings savings_against refused"),
    Example(
        "search fabric.yaml --set search.designs=[rail-only] --set search.switches=[sn5600]",
        SearchResult,
        "name gpus llm currency book tried refused same beyond feasible more designs",
    ),
    Example("check fabric.yaml", CheckResult, "laws"),
    Example("route fabric.yaml d0-g0 d1-g1", PathList, "src dst same_rail relay paths reachable"),
    Example("impact fabric.yaml --fail hb:0", ComparedImpact, f"{IMPACT} compared"),
    Example("impact fabric.yaml --fail hb:0 --no-compare", ComparedImpact, IMPACT),
    Example("impact fabric.yaml --each leaf", Ranking, "each rows"),
    Example(
        "placement fabric.yaml d0-d1",
        Placement,
        "job gpus hb_domains rails rail_aligned ranks_aligned pairs relays_outside_job"
        " relays_outside_job_count pairs_by_another_relay examples fix legal",
    ),
    Example(
        "circuits light.yaml",
        CircuitResult,
        "gpus hb_domains rails planes model moved_by switching_ms phases configurations"
        " blast_radius",
    ),
    Example("model fabric.yaml --llm gpt3", IterationResult, f"name {ITERATION} symbols notes"),
    Example("model fabric.yaml --llm gpt3 --llm opt-175b", SweepResult, "name rows notes"),
    Example("model fabric.yaml --llm gpt3 --traffic own", TrafficResult, "name llm traffic"),
    Example(
        "model fabric.yaml --llm gpt3 --all-to-all",
        AllToAllResult,
        "name llm design failed all_to_all",
    ),
    Example("phases fabric.yaml", PhaseList, "name currency book phases"),
    Example(
        'phases fabric.yaml --set phases=[{"gpus":32},{"gpus":64}]',
        PhaseList,
        "name currency book phases recommended ways refused",
    ),
    Example("build fabric.yaml -o out --only cabling", BuildResult, "out files bytes skipped"),
    Example("build fabric.yaml -o out --dry-run", PlannedFiles, "out files skipped"),
    Example("build --list-outputs", OutputList, "outputs"),
    Example("verify out", Verification, "out files missing altered extra"),
    Example(
        "diff plan.json fabric.yaml",
        Diff,
        "old new moved added removed kept steps steps_not_followed cost_delta currency unpriced"
        " places_and_lengths_compared parts settings devices",
    ),
    Example(
        "audit fabric.yaml --lldp neighbors.csv",
        AuditReport,
        "links matched wrong missing extra silent moves notes silent_cables unreported",
    ),
    Example("audit fabric.yaml --degraded dead.txt", AuditReport, "degraded"),
    Example(
        "import out/cabling/cables.csv fabric.yaml -o imported.json",
        ImportedPlan,
        f"{PLAN} imported",
    ),
    Example("catalog list nics", ModelList, "nics"),
    Example("catalog show gpt3", ModelFacts, ""),
)
"""In the order in which they are run: some read what an earlier one wrote."""

PRINTERS = (
    "all_to_all", "audit", "build", "catalog", "check", "circuits", "compare", "cost", "diff",
    "impact", "import_", "model", "outputs", "phases", "placement", "plan", "route", "search",
    "traffic", "verify",
)  # fmt: skip
"""Modules of commands that print a result."""

OTHERS = {
    "lab run", "lab up", "lab test", "lab down", "lab lldp", "lab status", "lab doctor",
    "init", "explain", "catalog import",
}  # fmt: skip
"""Commands that print what the process of a lab reports, or the name or text of what they made."""


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command by its name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif command:
            yield f"{path}{name}", command


def commands_with_documents(group: click.Group) -> Iterator[str]:
    """Yield the names of the commands with the option --json."""
    for name, command in commands(group):
        if any(option.name == "as_json" for option in command.params):
            yield name


def test_every_command_has_an_example() -> None:
    """A command with --json is in the table, or belongs to a lab."""
    shown = {
        name
        for name in commands_with_documents(program)
        if any(f"{example.command} ".startswith(f"{name} ") for example in EXAMPLES)
    }
    assert shown | OTHERS == set(commands_with_documents(program))


def assert_agree(code: int, printed: list[object]) -> None:
    """Assert that `ok` and `findings` agree with the exit code."""
    assert (printed[0], bool(printed[1])) == (code == 0, code == 1)


def test_each_command_prints_the_document_of_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed is the document of one value of the class, with the keys of the table."""
    results: list[Document] = []

    def record(result: Document, findings: Iterable[Finding] = ()) -> None:
        results.append(result)
        printing.print_result(result, findings)

    for name in PRINTERS:
        monkeypatch.setattr(import_module(f"fabricgen.cli.{name}"), "print_result", record)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    (tmp_path / "light.yaml").write_text(LIGHT, encoding="utf-8")
    (tmp_path / "dead.txt").write_text("hb:0\n", encoding="utf-8")
    (tmp_path / "neighbors.csv").write_text("r0-leaf-1,Ethernet0,host-1,nic0\n", encoding="utf-8")
    for example in EXAMPLES:
        code = run([*example.command.split(), "--json"])
        assert code < 2, capsys.readouterr().err
        printed = json.loads(capsys.readouterr().out)
        assert_agree(code, [printed.pop("ok"), printed.pop("findings")])
        (result,) = results
        results.clear()
        assert isinstance(result, example.result), example.command
        assert printed == json.loads(json.dumps(result.document())), example.command
        if example.keys:
            assert " ".join(printed) == example.keys, example.command
