"""`build`: everything a fabric takes, into one directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import ROOT, Asked, fabric_arguments, json_option
from fabricgen.cli.printing import grouped, print_advice, print_json, progress

if TYPE_CHECKING:
    from fabricgen.building import Job, SheetAsked
    from fabricgen.planner import Plan
    from fabricgen.writing import Written

SHOWN = 4
"""Files of a directory that the report names."""

REQUESTABLE = ("cabling", "bom", "configs", "hosts", "forwarding", "graph", "lab", "workbook", "labels", "racks", "pull-sheets")


@click.command()
@fabric_arguments
@click.option(
    "-o", "--output", "out", required=True, type=click.Path(file_okay=True, path_type=Path), help="Directory to write; one that fabricgen wrote is replaced."
)
@click.option("--only", metavar="GROUPS", help=f"Groups of files, joined by commas: {', '.join(REQUESTABLE)}.")
@click.option("--columns", default="", metavar="NAME|A,B,C", help="Columns of the sheets of cables: a profile, or names joined by commas.")
@click.option("--both-ways", is_flag=True, help="Write two rows for each cable, one from each end.")
@click.option("--serials", type=click.Path(path_type=Path), metavar="FILE", help="CSV with device and serial, for columns that show them.")
@click.option("--dry-run", is_flag=True, help="List what would be written, and write nothing.")
@click.option(
    "--templates", type=ROOT, multiple=True, envvar="FABRICGEN_TEMPLATES", help="Directory of your own packs; they shadow the shipped ones, file by file."
)
@json_option
def build(
    asked: Asked, out: Path, only: str | None, templates: tuple[Path, ...], columns: str, serials: Path | None, *, both_ways: bool, dry_run: bool, as_json: bool
) -> None:
    """Write cabling, configurations, hosts, forwarding tables, parts, graph and lab.

    Every law of `check` must hold first. OUT is replaced whole or not at all; a directory that fabricgen did not write is never touched.
    """
    from fabricgen.advice import advice
    from fabricgen.building import SheetAsked
    from fabricgen.building import build as build_job
    from fabricgen.writing import check_target

    check_target(out)
    named = _groups(only)
    planned, inventory = asked.plan()
    with inventory.placing():
        job = _job(planned, named, templates, SheetAsked(columns, both_ways, serials))
        if dry_run:
            paths = sorted(job.paths())
            print_json({"out": str(out), "files": paths, "skipped": job.skipped}) if as_json else click.echo("\n".join(paths))
            _say_skipped(job)
            return
        _prove(planned)
        with progress("building") as advance:
            files = build_job(job, out, advance)
    if as_json:
        print_json({"out": str(out), "files": len(files) + 1, "bytes": sum(file.size for file in files), "skipped": job.skipped})
    else:
        click.echo(_report(files, out))
    _say_skipped(job)
    print_advice([*_guesses(job), *job.sheets.notes, *advice(planned)])


def _guesses(job: Job) -> list[str]:
    """Say where the cable list names racks and lengths of a room that nobody described."""
    lengths = job.plan.lengths if "cabling" in job.groups else None
    return ["racks and lengths of cables follow a generated room; describe yours under `site`"] if lengths and lengths.room.generated else []


def _prove(plan: Plan) -> None:
    """Refuse to write anything of a plan that breaks a law: it would be a fault of the planner's, and an expensive one."""
    from fabricgen.checks import check
    from fabricgen.diagnostics import Refusal

    report = check(plan)
    if not report.ok:
        raise Refusal(report.findings)


def _groups(only: str | None) -> frozenset[str]:
    """Read the value of --only."""
    named = frozenset(word.strip() for word in (only or "").split(",") if word.strip())
    unknown = sorted(named - set(REQUESTABLE))
    if unknown or (only is not None and not named):
        raise click.BadParameter(f"{', '.join(unknown) or 'nothing'} is no group of files; groups: {', '.join(REQUESTABLE)}", param_hint="'--only'")
    return named


def _job(plan: Plan, named: frozenset[str], templates: tuple[Path, ...], sheets: SheetAsked) -> Job:
    """Lay out the job; the workbook of cables, labels to print and pull sheets belong to the cabling, racks to the bill, and a lab boots the configurations."""
    from fabricgen.building import GROUPS, Job
    from fabricgen.packs import Packs

    wanted = named | ({"cabling"} if named & {"workbook", "labels", "pull-sheets"} else set()) | ({"configs"} if "lab" in named else set())
    wanted |= {"bom"} if "racks" in named else set()
    groups = tuple(group for group in GROUPS if not named or group in wanted)
    return Job(plan, Packs(templates), groups, named, asked=sheets)


def _report(files: list[Written], out: Path) -> str:
    """Say what stands where, a line for each directory below OUT."""
    tops: dict[str, list[Written]] = {}
    for file in files:
        top = file.path.split("/")[0] if "/" in file.path else "."
        tops.setdefault(top, []).append(file)
    lines = [f"{out}: {grouped(len(files) + 1)} files, {grouped(sum(file.size for file in files))} bytes"]
    for top, below in sorted(tops.items()):
        shown = (
            ", ".join(file.path.split("/", 1)[-1] for file in below[:SHOWN])
            if len(below) <= SHOWN
            else f"{below[0].path.split('/', 1)[1]} and {grouped(len(below) - 1)} more"
        )
        lines.append(f"  {top + '/':<10} {shown}" if top != "." else f"  {'':<10} manifest.json, {shown}")
    return "\n".join(lines)


def _say_skipped(job: Job) -> None:
    """Say what a build leaves out, and why."""
    for sentence in job.skipped:
        click.echo(f"not written: {sentence}", err=True)
