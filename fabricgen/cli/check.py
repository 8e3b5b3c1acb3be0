"""`check`: the laws of a fabric, each with its figures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import colours, echo, grouped, print_result

if TYPE_CHECKING:
    from fabricgen.analysis.checks.law import CheckResult

MARKS = {True: ("ok", "green"), False: ("BROKEN", "red"), None: ("-", "yellow")}


@click.command(cls=Command, examples=("fabricgen check fabric.yaml",))
@fabric_arguments
@json_option
def check(asked: FabricArguments, *, as_json: bool) -> int:
    """Check every invariant of a fabric and print the evidence.

    Exit code 1: a check failed. `fabricgen explain CODE` describes a check.
    """
    from fabricgen.analysis.checks.laws import check as check_plan

    plan, inventory = asked.plan()
    with inventory.locate_findings():
        report = check_plan(plan)
    if as_json:
        print_result(report, report.findings)
    else:
        echo(
            report_text(report, plan.spec.name, colour=colours(sys.stdout)),
            cleaned=colours(sys.stdout),
        )
    return 0 if report.ok else 1


def report_text(report: CheckResult, name: str, *, colour: bool = False) -> str:
    """Lay out a report: a line for each law, its findings, and the result."""
    from fabricgen.core.diagnostics import text_of

    laws = report.judgements
    wide = max(len(judgement.law.title) for judgement in laws)
    lines = [f"{name}: {len(laws)} laws", ""]
    for judgement in laws:
        word, shade = MARKS[judgement.ok]
        mark = click.style(f"{word:<6}", fg=shade) if colour else f"{word:<6}"
        lines.append(f"{mark}  {judgement.law.title:<{wide}}  {judgement.figure}")
        if judgement.findings:
            findings = [text_of(finding, colour=colour) for finding in judgement.findings]
            more = [f"and {grouped(judgement.more)} more"] if judgement.more else []
            lines += ["", "\n\n".join([*findings, *more]), ""]
    return "\n".join([*lines, *([] if lines[-1] == "" else [""]), _ending(report)])


def _ending(report: CheckResult) -> str:
    """Return the result in one line."""
    unjudged = sum(judgement.ok is None for judgement in report.judgements)
    if report.ok:
        formula = sum(judgement.method == "formula" for judgement in report.judgements)
        return "every law holds" + (f", {formula} of them by formula" if formula else "")
    rest = f", and {unjudged} could not be judged for it" if unjudged else ""
    broken = report.broken
    count = (
        f"{len(broken)} of {len(report.judgements)} laws {'is' if len(broken) == 1 else 'are'} "
        "broken"
    )
    return f"{count}{rest}; `fabricgen explain {broken[0]}` describes it"
