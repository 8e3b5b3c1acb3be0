"""`import`: the plan of an existing fabric, from its cut sheet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, PLAN_MARK, force_option, save
from fabricgen.cli.plan import summary_text
from fabricgen.cli.printing import echo, grouped, print_advice, print_result
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.law import CheckResult
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.lifecycle.change.cut_sheet import CutSheet
    from fabricgen.planning.plan import Plan


@click.command(
    "import",
    cls=Command,
    examples=("fabricgen import out/cabling/cables.csv fabric.yaml -o imported.json",),
)
@click.argument(
    "sheet",
    type=click.Path(path_type=Path),
    help="Cut sheet of the fabric: a CSV with a row per cable.",
)
@fabric_arguments
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    required=True,
    help="File to save the plan in; every command accepts it.",
)
@force_option
@json_option
def import_sheet(sheet: Path, asked: FabricArguments, output: Path, *, as_json: bool) -> int:
    """Import an existing fabric from its cut sheet.

    FABRIC describes the fabric, SHEET its cables. SHEET has at least the columns a_device,
    a_interface, b_device and b_interface, as cabling/cables.csv has them, in any order; other words
    for them, and the sheets of other tools, are accepted too: see `fabricgen explain
    bad-cut-sheet`. Exit code 1: the plan is saved, but its cabling breaks a check.
    """
    from fabricgen.analysis.checks.laws import check
    from fabricgen.bom.priced_bill import make_bom
    from fabricgen.bom.summary import summarize
    from fabricgen.build.write.manifest import json_document
    from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
    from fabricgen.lifecycle.change.import_cut_sheet import import_cut_sheet
    from fabricgen.planning.plan_document import plan_document

    base, inventory = asked.plan()
    found = read_cut_sheet(sheet)
    with inventory.locate_findings():
        plan = import_cut_sheet(base, found)
        summary = summarize(plan, make_bom(plan))
        report = check(plan)
        imported = _imported(plan, found, report)
    save(output, json_document(plan_document(plan, summary.document())), mark=PLAN_MARK)
    if as_json:
        print_result(ImportedPlan(summary, imported), report.findings)
    else:
        echo(summary_text(summary))
        print_advice(_notes(imported))
        echo(f"\n{grouped(imported.cables)} cables imported; saved plan to {output}", err=True)
    return 0 if report.ok else 1


@dataclass(frozen=True)
class Imported(Document):
    """The cables of a sheet, the labels that the plan lacks, and the broken laws."""

    cables: int
    labels_not_kept: int
    broken: list[str]


@dataclass(frozen=True)
class ImportedPlan(Document):
    """The figures of an imported plan: `import --json`."""

    summary: PlanSummary
    imported: Imported

    def document(self) -> dict[str, Any]:
        """Return the summary with what was imported."""
        return self.summary.document() | {"imported": self.imported.document()}


def _imported(plan: Plan, sheet: CutSheet, report: CheckResult) -> Imported:
    """Compare a plan with the sheet that it was imported from."""
    from fabricgen.views.factory import Views

    labels, views = {row.label for row in sheet.rows if row.label}, Views(plan)
    own = (
        {view.cable for segment in range(plan.mapping.segments) for view in views.cables(segment)}
        if labels
        else set()
    )
    return Imported(len(sheet.rows), len(labels - own), report.broken)


def _notes(imported: Imported) -> Iterator[str]:
    """Describe what the plan does not keep, and the laws that the cabling breaks."""
    if imported.labels_not_kept:
        yield (
            f"{grouped(imported.labels_not_kept)} labels of the sheet differ from the plan,"
            " which labels cables by their lower port"
        )
    if imported.broken:
        yield (
            f"with this cabling the fabric breaks {', '.join(imported.broken)};"
            " `fabricgen check` shows where"
        )
