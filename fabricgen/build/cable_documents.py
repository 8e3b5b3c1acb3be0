"""Documents of packs that list cables or links, as those of the cabling and of the graph do.

Owns their task, which renders them in runs of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.cable_sheets import prepare_cables, sheets
from fabricgen.build.runs import cable_chunks, labelled_chunks, link_chunks
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.write.manifest import Written


CHUNKS = {"cables": cable_chunks, "links": link_chunks, "labelled": labelled_chunks}
"""What cuts the rows of each kind of list."""


@dataclass(frozen=True)
class CableDocument(OneFile):
    """One document over all cables, or over all links."""

    pack: str
    template: str
    each: str
    """`cables`, `links` or `labelled`: what has a row."""

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share, and the sheets."""
        for own in context.each:
            prepare_cables(own)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the document run by run."""
        chunks = CHUNKS[self.each]
        texts = (
            context.packs.render(self.pack, self.template, chunk=chunk)
            for chunk in chunks(context, lambda own: sheets(own).table)
        )
        yield write_text(root, self.path, texts, mark=context.sheet_options.csv_mark)
