"""The columns, serials and labels of a build's cable sheets.

Owns `Sheets`, which every list of cables is written by, and the task of their schema. The tables
themselves are documents of a pack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.context import per_build
from fabricgen.build.runs import cable_rows
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.build.write.manifest import Written, json_document
from fabricgen.views.cables.labels import LINE
from fabricgen.views.cables.view import CableSheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.planning.plan import Plan


class Sheets(NamedTuple):
    """The sheet of the table, that of the workbook, and notes for the user."""

    table: CableSheet
    book: CableSheet
    notes: tuple[str, ...]


def prepare_cables(context: BuildContext) -> None:
    """Make what the tasks of one network's cables share, before workers are forked."""
    context.views.prepare()
    sheets(context)
    cable_rows(context)


@per_build
def sheets(context: BuildContext) -> Sheets:
    """Return the sheets of a build; where no cabling is written, the default ones.

    Raises Refusal for columns, serials or names that cannot be used.
    """
    if "cabling" not in context.selection.groups:
        # other documents of cables name their own columns, and have no labels
        return Sheets(CableSheet(), CableSheet(), ())
    from fabricgen.views.cables.columns import (
        DEFAULT,
        WORKBOOK,
        choose_columns,
        joins_of,
        read_profiles,
    )
    from fabricgen.views.cables.label_fit import fitting
    from fabricgen.views.cables.serials_csv import read_serials

    plan, (columns, both_ways, file, _) = context.plan, context.sheet_options
    profiles = read_profiles(context.packs.files("cabling", "profiles.yaml"))
    serials = read_serials(file, {*plan.hosts, *plan.switches()}) if file else {}
    labelling = fitting(plan)
    chosen = [choose_columns(columns or name, profiles) for name in (DEFAULT, WORKBOOK)]
    if not columns and (plan.networks or plan.fabric.network):
        chosen = [(*each, "network") for each in chosen]
    table, book = (
        CableSheet(each, joins_of(plan, each, serials), both_ways, labelling) for each in chosen
    )
    return Sheets(table, book, tuple(_notes(plan, table, serials, listed=bool(file))))


def _notes(
    plan: Plan, sheet: CableSheet, serials: dict[str, str], *, listed: bool
) -> Iterator[str]:
    """List what labels leave off, and which serials are missing or not shown."""
    for what, begin in (("racks", sheet.labelling.racks), ("devices", sheet.labelling.devices)):
        if begin:
            yield (
                f"labels leave off `{begin}`, with which the names of all {what} begin:"
                f" a line has {LINE} characters"
            )
    shows = {"a_serial", "b_serial"}.intersection(sheet.columns)
    if listed and not shows:
        yield "no column shows the serials; choose columns that do, such as `--columns run-list`"
    devices = len(plan.hosts) + sum(1 for _ in plan.switches()) if shows else 0
    if len(serials) < devices:
        yield f"{devices - len(serials):,} of {devices:,} devices have no serial in the sheet" + (
            "" if listed else "; `--serials FILE` reads them"
        )


@dataclass(frozen=True)
class SheetSchema(OneFile):
    """The schema of the table of cables."""

    def prepare(self, context: BuildContext) -> None:
        """Make the sheets."""
        sheets(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write it."""
        from fabricgen.views.cables.columns import schema_of

        shared = context.plan.pieces is not None
        schema = schema_of(sheets(context).table, context.plan.spec.name, shared=shared)
        yield write_text(root, self.path, json_document(schema))
