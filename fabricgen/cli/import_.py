"""`import`: the plan of an existing fabric, from its cut sheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, PLAN_MARK, force_option, save
from fabricgen.cli.plan import summary_text
from fabricgen.cli.printing import echo, grouped, print_advice, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def import_sheet(sheet: Path, asked: FabricArguments, output: Path, *, as_json: bool) -> None:
    """Import an existing fabric from its cut sheet.

    FABRIC describes the fabric, SHEET its cables. SHEET has at least the columns a_device,
    a_interface, b_device and b_interface, as cabling/cables.csv has them, in any order; names with
    source and destination, from and to, host and port are accepted too.
    """
    from fabricgen.bom.bill import make_bom
    from fabricgen.bom.summary import summarize
    from fabricgen.build.write.manifest import json_document
    from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
    from fabricgen.lifecycle.change.import_cut_sheet import import_cut_sheet

    base, inventory = asked.plan()
    found = read_cut_sheet(sheet)
    with inventory.placing():
        plan = import_cut_sheet(base, found)
        summary = summarize(plan, make_bom(plan))
        facts = _facts(plan, {row.label for row in found.rows if row.label})
    save(output, json_document(plan.document(summary)), mark=PLAN_MARK)
    if as_json:
        print_json(summary | {"imported": {"cables": len(found.rows), **facts}})
        return
    echo(summary_text(summary))
    print_advice(_notes(facts))
    echo(f"\n{grouped(len(found.rows))} cables taken over; plan kept in {output}", err=True)


def _facts(plan: Plan, labels: set[str]) -> dict[str, Any]:
    """Say what of the sheet the plan does not have, and which laws the cabling breaks."""
    from fabricgen.analysis.checks.laws import check
    from fabricgen.views.factory import Views

    views = Views(plan)
    own = (
        {view.cable for segment in range(plan.mapping.segments) for view in views.cables(segment)}
        if labels
        else set()
    )
    return {"labels_not_kept": len(labels - own), "broken": check(plan).broken}


def _notes(facts: dict[str, Any]) -> Iterator[str]:
    """Put that into words."""
    if facts["labels_not_kept"]:
        yield f"{grouped(facts['labels_not_kept'])} labels of the sheet are not those of the plan, which labels cables by their lower port"
    if facts["broken"]:
        yield f"cabled so, the fabric breaks {', '.join(facts['broken'])}; `fabricgen check` tells where"
