"""`build`: all files of a fabric, in one directory or archive."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import columns, complete_list
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OutputPath, force_option, forced, inputs
from fabricgen.cli.printing import echo, grouped, print_advice, print_result, progress, today
from fabricgen.cli.streams import WRITTEN
from fabricgen.core.document import Document
from fabricgen.outputs.groups import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fabricgen.build.context import BuildContext
    from fabricgen.build.job import BuildJob
    from fabricgen.build.selection import SheetOptions
    from fabricgen.build.write.manifest import Written
    from fabricgen.planning.plan import Plan

SHOWN = 4
"""Files of a directory that are printed by name."""


@dataclass(frozen=True)
class PlannedFiles(Document):
    """What a build would write: `build --dry-run --json`."""

    out: str
    files: list[str]
    skipped: list[str]


@dataclass(frozen=True)
class BuildResult(Document):
    """What a build wrote, the manifest included: `build --json`."""

    out: str
    files: int
    bytes: int
    skipped: list[str]


@click.command(
    cls=Command,
    examples=(
        "fabricgen build fabric.yaml -o out",
        "fabricgen build fabric.yaml -o out --only cabling,bom",
        "fabricgen build plan.json --archive fabric.tar.zst",
    ),
)
@fabric_arguments
@click.option(
    "-o",
    "--output",
    "out",
    type=OutputPath(file_okay=True, path_type=Path),
    help="Directory to write; an earlier output is replaced.",
)
@click.option(
    "--archive",
    type=OutputPath(dir_okay=False, path_type=Path),
    help="Archive to write instead: .tar.zst, .tar.gz, .tar or .zip.",
)
@force_option
@click.option(
    "--only",
    metavar="GROUPS",
    shell_complete=complete_list(lambda _: WORDS),
    help=f"Groups to write, separated by commas: {', '.join(WORDS)}.",
)
@click.option(
    "--columns",
    default="",
    metavar="NAME|A,B,C",
    shell_complete=complete_list(columns),
    help="Columns of the cable sheets: a profile, or names separated by commas.",
)
@click.option("--both-ways", is_flag=True, help="Write two rows for each cable, one from each end.")
@click.option(
    "--serials",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV with the columns device and serial, for sheets that show serial numbers.",
)
@click.option(
    "--csv-mark",
    is_flag=True,
    help="Begin the CSV files of cabling and bill with a byte order mark, for names in Excel.",
)
@click.option(
    "--with-secrets",
    is_flag=True,
    help="Read the secrets that the inventory refers to, into files of mode 0600.",
)
@click.option(
    "--list-outputs",
    "show",
    flag_value="outputs",
    help="List all outputs with their readers, or those of FABRIC, and write nothing.",
)
@click.option(
    "--explain-templates",
    "explained",
    metavar="SWITCH[/FILE]",
    help="List which template or override writes which lines of a switch, and write nothing.",
)
@click.option("--dry-run", "show", flag_value="files", help="List the files, and write nothing.")
@json_option
def build(
    asked: FabricArguments,
    out: Path | None,
    archive: Path | None,
    only: str | None,
    explained: str | None,
    show: str | None,
    *,
    with_secrets: bool,
    as_json: bool,
    **sheet: Any,  # noqa: ANN401 - the fields of `SheetOptions`
) -> None:
    """Write cabling, configurations, bill, report and more.

    Writes what the NOS and the transport need, or what `outputs` of the inventory lists. Every
    check must pass first. The directory of -o is replaced as a whole or not at all; one that
    fabricgen did not write is never touched, and one with files that were added or edited only
    with --force.
    """
    from fabricgen.analysis.search.cheaper_notes import cheaper_notes
    from fabricgen.bom.price_notes import price_notes
    from fabricgen.build.cable_sheets import sheets
    from fabricgen.build.interoperation import interoperation_notes
    from fabricgen.build.job import make_job
    from fabricgen.build.management_notes import cut_off_notes
    from fabricgen.build.selection import SheetOptions
    from fabricgen.outputs.packs.shadows import shadow_notes
    from fabricgen.planning.notices import advice, room_guesses

    named = _groups(only)
    if show == "outputs":
        _list(asked, named, as_json=as_json)
        return
    if explained is not None:
        _explain(asked, explained, as_json=as_json)
        return
    target = _target(out, archive)
    planned, inventory = asked.plan(named)
    _check(out, target)
    with inventory.locate_findings():
        context = _context(planned, named, asked, SheetOptions(**sheet))
        if show == "files":
            _print_files(make_job(context), target, as_json=as_json)
            return
        _prove(context)
        if with_secrets:
            _read_secrets(context)
        job = make_job(context)
        _announce(job)
        with progress("building") as advance:
            files = _write(job, out, target, advance)
            WRITTEN.append(target)
    if as_json:
        size = sum(file.size for file in files)
        print_result(BuildResult(str(target), len(files) + 1, size, job.skipped))
    else:
        echo(_report(files, target))
    _print_skipped(job.skipped)
    guesses = room_guesses(planned) if "cabling" in context.selection.groups else []
    shadows = shadow_notes(asked.packs)
    notes = sheets(context).notes
    switches = [*cut_off_notes(context), *interoperation_notes(context)]
    own = [*cheaper_notes(planned), *advice(planned), *price_notes(planned, today())]
    print_advice([*shadows, *switches, *guesses, *notes, *own])


def _announce(job: BuildJob) -> None:
    """Print the bytes that a large build will write, before it writes them."""
    from fabricgen.build.size_estimate import large_build_bytes

    if size := large_build_bytes(job):
        megabytes = round(size / 10**6, 1 - len(str(size // 10**6)))
        echo(f"writing about {grouped(int(megabytes))} MB", err=True)


def _read_secrets(context: BuildContext) -> None:
    """Read the secrets of the inventory for the files of the switches. Raises Refusal."""
    from fabricgen.build.secrets import read_secrets

    plan = context.plan
    context.packs.secrets.values = read_secrets(plan.spec.secrets(), plan.catalog)


def _print_files(job: BuildJob, target: Path, *, as_json: bool) -> None:
    """Print the files of a build that is not done."""
    paths = sorted(job.paths())
    if as_json:
        print_result(PlannedFiles(str(target), paths, job.skipped))
    else:
        echo("\n".join(paths))
    _print_skipped(job.skipped)


def _target(out: Path | None, archive: Path | None) -> Path:
    """Return the directory or archive to write. Raises UsageError unless there is exactly one."""
    if out and archive:
        raise click.UsageError("-o writes a directory and --archive one file: give one of them")
    if archive:
        _check_kind(archive)
    if not out and not archive:
        raise click.UsageError("Missing option '-o' / '--output'.")
    return out or archive or Path()


def _check_kind(archive: Path) -> None:
    """Verify the suffix of an archive. Raises BadParameter."""
    from fabricgen.build.write.archive import KINDS, kind_of

    if not kind_of(archive.name):
        raise click.BadParameter(
            f"`{archive}` is no archive: its name ends in {', '.join(KINDS)}",
            param_hint="'--archive'",
        )


def _check(out: Path | None, archive: Path) -> None:
    """Refuse a directory or archive that must not be replaced, before rendering."""
    if out:
        from fabricgen.build.write.directory import check_target

        check_target(out, inputs())
    else:
        from fabricgen.build.write.archive import check_archive

        check_archive(archive, inputs=inputs(), force=forced())


def _write(
    job: BuildJob, out: Path | None, archive: Path, advance: Callable[[str, int, int], None]
) -> list[Written]:
    """Write the directory or the archive."""
    from fabricgen.build.run import build as build_directory
    from fabricgen.build.run import build_archive

    if out:
        return build_directory(job, out, advance, force=forced())
    return build_archive(job, archive, advance, inputs=inputs(), force=forced())


def _list(asked: FabricArguments, named: frozenset[str], *, as_json: bool) -> None:
    """Print the outputs of a fabric's build or, without a fabric, every output."""
    from fabricgen.build.listing import every_output, outputs_of
    from fabricgen.build.pack_outputs import unconfigured
    from fabricgen.build.selection import SheetOptions
    from fabricgen.cli.outputs import print_outputs

    if not asked.fabric and not any(value is not None for value in asked.flags.values()):
        print_outputs(every_output(asked.packs), as_json=as_json)
        return
    planned, inventory = asked.plan(named)
    with inventory.locate_findings():
        context = _context(planned, named, asked, SheetOptions())
        print_outputs(outputs_of(context), as_json=as_json)
        if "configs" in context.selection.groups:
            _print_skipped(skipped.reason for skipped in unconfigured(context))


def _explain(asked: FabricArguments, explained: str, *, as_json: bool) -> None:
    """Print the origins of the lines of a switch's files. Raises BadParameter."""
    from fabricgen.build.selection import SheetOptions
    from fabricgen.build.template_origins import origins_of, switch_named
    from fabricgen.cli.template_origins import print_origins
    from fabricgen.core.diagnostics import suggest

    only = frozenset({"configs"})
    planned, inventory = asked.plan(only)
    name, _, file = explained.partition("/")
    with inventory.locate_findings():
        each = _context(planned, only, asked, SheetOptions()).each
        context, switch = next(
            ((own, switch) for own in each if (switch := switch_named(own, name))), (each[0], None)
        )
        if switch is None:
            known = [*planned.cluster_switches()]
            hint = suggest(name, known, f"the last is `{known[-1]}`")
            raise click.BadParameter(
                f"the fabric has no switch `{name}`; {hint}", param_hint="'--explain-templates'"
            )
        files = [*origins_of(context, switch, file)]
    if not files:
        raise click.BadParameter(
            f"no pack writes `{file or 'a file'}` for {name}", param_hint="'--explain-templates'"
        )
    print_origins(files, as_json=as_json)


def _prove(context: BuildContext) -> None:
    """Raise Refusal for a plan that breaks a law, which would be an error of the planner."""
    from fabricgen.core.diagnostics import Refusal

    if not context.check_report.ok:
        raise Refusal(context.check_report.findings)


def _groups(only: str | None) -> frozenset[str]:
    """Read the value of --only."""
    named = frozenset(word.strip() for word in (only or "").split(",") if word.strip())
    unknown = sorted(named - set(WORDS))
    if unknown or (only is not None and not named):
        raise click.BadParameter(
            f"{', '.join(unknown) or 'nothing'} is no group of files; groups: {', '.join(WORDS)}",
            param_hint="'--only'",
        )
    return named


def _context(
    plan: Plan, named: frozenset[str], asked: FabricArguments, sheets: SheetOptions
) -> BuildContext:
    """Return the context: named groups, else the inventory's `outputs`, else what the NOS needs."""
    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import choose

    selection = choose(sorted(named), plan.spec.outputs, asked.packs)
    return BuildContext(plan, asked.packs, selection, sheet_options=sheets)


def _report(files: list[Written], out: Path) -> str:
    """Describe the output, a line for each directory below it."""
    tops: dict[str, list[Written]] = {}
    for file in files:
        top = file.path.split("/")[0] if "/" in file.path else "."
        tops.setdefault(top, []).append(file)
    wide = max(len(top) for top in tops) + 1
    lines = [
        f"{out}: {grouped(len(files) + 1)} files, {grouped(sum(file.size for file in files))} bytes"
    ]
    for top, below in sorted(tops.items()):
        shown = (
            ", ".join(file.path.split("/", 1)[-1] for file in below[:SHOWN])
            if len(below) <= SHOWN
            else f"{below[0].path.split('/', 1)[1]} and {grouped(len(below) - 1)} more"
        )
        lines.append(
            f"  {top + '/':<{wide}} {shown}"
            if top != "."
            else f"  {'':<{wide}} manifest.json, {shown}"
        )
    return "\n".join(lines)


def _print_skipped(reasons: Iterable[str]) -> None:
    """Print what a build leaves out, and why."""
    for reason in reasons:
        echo(f"not written: {reason}", err=True)
