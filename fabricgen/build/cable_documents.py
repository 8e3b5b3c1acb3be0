"""Documents of packs that list the cables, as the groups of the cabling and of the graph have them.

Owns their task, which renders them in runs of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.cable_sheets import sheets
from fabricgen.build.runs import cable_chunks
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.write.manifest import Written


@dataclass(frozen=True)
class CableDocument(OneFile):
    """One document over all cables."""

    pack: str
    template: str

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share, and the sheets."""
        context.views.prepare()
        sheets(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the document run by run."""
        texts = (
            context.packs.render(self.pack, self.template, chunk=chunk)
            for chunk in cable_chunks(context, sheets(context).table)
        )
        yield write_text(root, self.path, texts)
