"""The groups of whole documents: cabling and graph.

Owns their tasks: a document of a pack, rendered at once or in runs of cables, the two workbooks,
and the graph's two files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.graph_files import GraphFiles
from fabricgen.build.group_cable_sheets import SheetSchema, label_files
from fabricgen.build.group_installation import sheets
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, adopt, reserve, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.selection import Group
    from fabricgen.build.write.manifest import Written

WORKBOOK_CABLES, GRAPH_LINKS = 100_000, 100_000
"""Above this many rows a workbook takes ten seconds to write and as long to open, labels to print are thousands of pages, and a graph file is
longer still; they are then written on request only."""


def cabling(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the cabling."""
    yield from _documents(sources, "cabling")
    yield from sheets(sources)
    yield SheetSchema("cabling/cables.schema.json")
    rows = sources.plan.rows * sources.sheets.table.rows
    if rows <= WORKBOOK_CABLES or "workbook" in sources.named:
        yield CableBook("cabling/cables.xlsx")
    else:
        sources.skipped.append(
            f"cables.xlsx: {rows:,} rows are more than {WORKBOOK_CABLES:,}; `--only workbook` writes it all the same"
        )


def graphs(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the graph."""
    yield from _documents(sources, "graph")
    links = sources.plan.links
    if links <= GRAPH_LINKS or "graph" in sources.named:
        yield Graph()
    else:
        sources.skipped.append(
            f"fabric.json and fabric.graphml: {links:,} links are more than {GRAPH_LINKS:,}; `--only graph` writes them all the same"
        )


def _documents(sources: BuildContext, group: Group) -> Iterator[Task]:
    """List the files of the document packs of a group."""
    cables = sources.plan.cables
    for pack in sources.packs.group(group):
        for output in pack.outputs:
            if output.each != "labels":
                yield Document(output.path, pack.name, output.template, output.each)
            elif cables <= WORKBOOK_CABLES or "labels" in sources.named:
                yield from label_files(sources, output.path, pack.name, output.template)
            else:
                sources.skipped.append(
                    f"{output.path}: {cables:,} cables are more than {WORKBOOK_CABLES:,}; `--only labels` writes them all the same"
                )


@dataclass(frozen=True)
class Document(OneFile):
    """One document of a pack. `view` names what its template sees: the cables in runs."""

    pack: str
    template: str
    view: str

    def prepare(self, sources: BuildContext) -> None:
        """Make what the template sees."""
        if self.view == "cables":
            sources.views.prepare()
            _ = sources.sheets

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render the document."""
        yield write_text(root, self.path, self._texts(sources))

    def _texts(self, sources: BuildContext) -> Iterator[str]:
        """Render it run by run, or whole."""
        if self.view == "cables":
            yield from (
                sources.packs.render(self.pack, self.template, chunk=chunk)
                for chunk in sources.chunks(sources.sheets.table)
            )


@dataclass(frozen=True)
class CableBook(OneFile):
    """The workbook of cables."""

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()
        _ = sources.sheets

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write the workbook row by row."""
        from fabricgen.outputs.workbook.cables import write_cables

        sheet = sources.sheets.book
        write_cables(
            reserve(root, self.path),
            sources.plan.spec.name,
            sheet,
            sources.chunks(sheet),
            sources.plan.rows,
        )
        yield adopt(root, self.path)


@dataclass(frozen=True)
class Graph:
    """The graph in both forms."""

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List both files."""
        yield from ("graph/fabric.json", "graph/fabric.graphml")

    def prepare(self, sources: BuildContext) -> None:
        """Need nothing."""

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write both."""
        made = GraphFiles(sources.plan)
        yield write_text(root, "graph/fabric.json", [made.node_link()])
        yield write_text(root, "graph/fabric.graphml", [made.graphml()])
