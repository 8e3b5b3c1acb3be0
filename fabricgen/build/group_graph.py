"""The group of the graph: the fabric as graph tools and PTM read it.

Owns the task of the graph's two files; those of packs are cable documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.graph_files import GraphFiles
from fabricgen.build.cable_documents import CableDocument
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the graph."""
    for pack in wanted_packs(context, "graph"):
        for output in pack.outputs:
            yield CableDocument(output.path, pack.name, output.template, output.each)
    if context.selection.wants("graph"):
        links = sum(own.plan.links for own in context.each)
        yield context.selection.over("graph", links) or Graph()


@dataclass(frozen=True)
class Graph:
    """The graph in both forms."""

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List both files."""
        yield from ("graph/fabric.json", "graph/fabric.graphml")

    def prepare(self, context: BuildContext) -> None:
        """Share nothing."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write both."""
        made = GraphFiles(context.plan)
        yield write_text(root, "graph/fabric.json", made.node_link)
        yield write_text(root, "graph/fabric.graphml", made.graphml())
