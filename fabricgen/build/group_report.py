"""The group of the report: one HTML file that shows the fabric.

Owns its task, and the selection of the switch files in it. `outputs.report` makes the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.build.interoperation import interoperation_notes
from fabricgen.build.management_notes import cut_off_notes
from fabricgen.build.pack_outputs import (
    config_packs,
    site_lines,
    switch_outputs,
    without_files,
)
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.report.html import html
from fabricgen.outputs.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written

MOST_TEXT = 3_000_000
"""Characters of configuration in a report; gzip compresses them to a twentieth."""

FIRST = 2
"""Switches of each role in segment 0 that come before all others."""


def tasks(context: BuildContext) -> Iterator[BuildTask]:
    """List the task of the report, which is always of the whole fabric."""
    if context.scope is None:
        yield ReportFile("report.html")


def report_of(context: BuildContext) -> Report:
    """Return the report of a build, whose verdicts and switch files are made when they are read."""
    return Report(
        context.plan,
        context.bom,
        context.comparison,
        lambda: context.check_report,
        lambda: configs_part(context),
        (*cut_off_notes(context), *interoperation_notes(context)),
    )


@dataclass(frozen=True)
class ReportFile(OneFile):
    """The one file."""

    def prepare(self, context: BuildContext) -> None:
        """Make what other tasks read as well."""
        _ = context.bom, context.comparison, context.check_report, config_packs(context)
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write it, piece by piece."""
        yield write_text(root, self.path, html(report_of(context)))


def configs_part(context: BuildContext) -> dict[str, Any]:
    """Return `Configs` of the page's model: the files in configs/ of as many switches as fit.

    A few of each role in segment 0 come first, then the rest of it, then the other segments. Raises
    Refusal where the inventory names a NOS without a pack.
    """
    switches: dict[str, list[dict[str, str]]] = {}
    systems: dict[str, str] = {}
    room = MOST_TEXT
    for segment, box in _in_order(context):
        name, nos, files = _files(context, segment, box)
        room -= sum(len(file["text"]) for file in files)
        if room < 0:
            break
        if files:
            switches[name], systems[name] = files, nos
    return {
        "switches": switches,
        "systems": systems,
        "verified": {nos: _verified(context, nos) for nos in dict.fromkeys(systems.values())},
        "note": _note(context, len(switches)),
    }


def _in_order(context: BuildContext) -> Iterator[tuple[int, int]]:
    """Yield the installed switches, as segment and box, in the order of the report."""
    plan = context.plan
    installed = [box for box, has in enumerate(plan.installed) if has]
    of_role = {
        role: [box for box in installed if plan.naming.boxes[box].role is role]
        for role in plan.roles
    }
    first = [box for boxes in of_role.values() for box in boxes[:FIRST]]
    yield from ((0, box) for box in [*first, *(box for box in installed if box not in first)])
    yield from ((segment, box) for segment in range(1, plan.mapping.segments) for box in installed)


def _verified(context: BuildContext, nos: str) -> dict[str, dict[str, Any]]:
    """Return `Verified` of the model for each file of a NOS: what read it, and what is unknown.

    The key of a file is the last part of its path. A pack without a record has its sentence.
    """
    pack = config_packs(context)[nos]
    written = {
        output.path.split("/")[-1]
        for output in pack.outputs
        if output.is_written(context.plan.spec.management)
    }
    records = {
        file: {
            "by": f"Verified by {record.tool}." if record.tool else "No tool verified this file.",
            "unknown": [*map(list, record.unknown.items())],
        }
        for record in pack.verified_by
        for file in record.files
        if file in written
    }
    return records or {
        file: {"by": f"Verified: {pack.verified}", "unknown": []} for file in sorted(written)
    }


def _files(context: BuildContext, segment: int, box: int) -> tuple[str, str, list[dict[str, str]]]:
    """Render the files of a switch, with its NOS; none where no pack writes it."""
    role = context.plan.naming.boxes[box].role
    outputs = switch_outputs(context, segment, role)
    if not outputs:
        return context.plan.naming.switches(segment)[box], "", []
    (switch,) = context.views.switches(segment, (role,), [box])
    pack = config_packs(context)[switch.nos]
    prefix = f"configs/{switch.name}/"
    files = [
        {
            "file": output.path.format(switch=switch.name).removeprefix(prefix),
            "text": site_lines(context).render(pack, output, switch),
        }
        for output in outputs
    ]
    return switch.name, switch.nos, files


def _note(context: BuildContext, shown: int) -> str:
    """Return a note on the files that are left out; empty where all are shown."""
    plan = context.plan
    every = sum(
        plan.switch_count(role)
        for role in plan.roles
        if any(switch_outputs(context, segment, role) for segment in range(plan.mapping.segments))
    )
    if not every:
        reasons = dict.fromkeys(reason for _, reason in without_files(context))
        return f"no files of switches: {', '.join(reasons) or 'this build has none of them'}"
    if shown == every:
        return ""
    return (
        f"the files of {shown:,} of {every:,} switches, a few of each role first;"
        " those of all are in configs/, a directory for each"
    )
