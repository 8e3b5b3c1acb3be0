"""The group of the cabling: cable lists, labels, the workbook, and the installation sheets.

Owns the tasks of the workbook, of power cords and of moves to spare leaves; the others are in
`cable_documents`, `cable_sheets`, `label_files`, `installation_files` and `patching_files`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.cable_documents import CableDocument
from fabricgen.build.cable_sheets import SheetSchema, prepare_cables, sheets
from fabricgen.build.installation_files import installation_tasks
from fabricgen.build.label_files import cord_label_tasks, label_tasks
from fabricgen.build.pack_outputs import fitting_outputs
from fabricgen.build.patching_files import patching_tasks
from fabricgen.build.runs import cable_chunks
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, adopt, reserve, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the cabling."""
    for pack, output in fitting_outputs(context, "cabling"):
        if output.each == "labels":
            yield from label_tasks(context, output.path, pack, output.template)
        elif output.each == "cord-labels":
            yield from cord_label_tasks(context, output.path, pack, output.template)
        elif output.each == "power-cords":
            yield PowerCordList(output.path, pack, output.template)
        elif output.each == "spare-leaves":
            yield SpareLeafMoves(output.path, pack, output.template)
        else:
            yield CableDocument(output.path, pack, output.template, output.each)
    yield from installation_tasks(context)
    yield from patching_tasks(context)
    if context.selection.wants("cabling"):
        yield SheetSchema("cabling/cables.schema.json")
        rows = sum(own.plan.cables for own in context.each) * sheets(context).table.rows
        yield context.selection.over("workbook", rows) or CableBook("cabling/cables.xlsx")


@dataclass(frozen=True)
class PowerCordList(OneFile):
    """The list of power cords."""

    pack: str
    template: str

    def prepare(self, context: BuildContext) -> None:
        """Plug in the cords, which the law of power examines too."""
        _ = context.power

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the list."""
        from fabricgen.outputs.installation.power_cords import power_cords_view

        power = power_cords_view(context.power)
        text = context.packs.render(self.pack, self.template, power=power)
        yield write_text(root, self.path, text, mark=context.sheet_options.csv_mark)


@dataclass(frozen=True)
class SpareLeafMoves(OneFile):
    """The moves of cables to spare leaves."""

    pack: str
    template: str

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the moves."""
        from fabricgen.outputs.installation.spare_leaves import spare_leaves_view

        spares = spare_leaves_view(context.plan, context.views)
        text = context.packs.render(self.pack, self.template, spares=spares)
        yield write_text(root, self.path, text, mark=context.sheet_options.csv_mark)


@dataclass(frozen=True)
class CableBook(OneFile):
    """The workbook of cables."""

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share, and the sheets, and import the writer."""
        import fabricgen.outputs.workbook.cables  # noqa: F401 - once for all workers

        for own in context.each:
            prepare_cables(own)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write the workbook row by row."""
        from fabricgen.outputs.workbook.cables import write_cables

        name, target = context.plan.spec.name, reserve(root, self.path)
        chunks = cable_chunks(context, lambda own: sheets(own).book)
        rows = sum(own.plan.cables for own in context.each)
        write_cables(target, name, sheets(context).book, chunks, rows)
        yield adopt(root, self.path)
