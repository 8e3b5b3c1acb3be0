"""The labels to print, which belong to the group of the cabling.

Owns their tasks, each of which serves a run of links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.cable_sheets import sheets
from fabricgen.build.context import per_build
from fabricgen.build.runs import cable_rows
from fabricgen.build.task import OneFile, numbered_paths
from fabricgen.build.write.files import Root, write_text
from fabricgen.core.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.labels.layouts import Layout
    from fabricgen.views.cables.view import CableView

LINKS = 4_800
"""Links whose labels are in one file: 200 pages and 10 MB, which a browser opens at once."""


@per_build
def layout_of(context: BuildContext) -> Layout:
    """Return the layout of the labels. Raises Refusal `bad-label-layout`."""
    from fabricgen.outputs.labels.layouts import choose_layout

    files = context.packs.files("cabling", "layouts.yaml")
    return choose_layout(context.plan.spec.labels.layout, files)


def label_tasks(
    context: BuildContext, path: str, pack: str, template: str
) -> Iterator[LabelFile | Skipped]:
    """List the files of labels to print: one, or numbered ones of `LINKS` links each."""
    if over := context.selection.over("labels", context.plan.cables, path):
        yield over
        return
    layout_of(context)  # refused before anything is written
    links = context.plan.links
    starts = range(0, links, LINKS)
    for start, name in zip(starts, numbered_paths(path, len(starts)), strict=True):
        yield LabelFile(name, pack, template, start, min(start + LINKS, links))


@dataclass(frozen=True)
class LabelFile(OneFile):
    """The labels of a run of links, counted over all segments."""

    pack: str
    template: str
    start: int
    stop: int

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share, and the sheets."""
        context.views.prepare()
        sheets(context)
        cable_rows(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.labels.pages import label_pages

        labelling = sheets(context).table.labelling
        name, layout = context.plan.spec.name, layout_of(context)
        pages = label_pages(name, labelling, layout, self._cables(context))
        texts = (context.packs.render(self.pack, self.template, page=page) for page in pages)
        yield write_text(root, self.path, texts)

    def _cables(self, context: BuildContext) -> Sequence[CableView]:
        """Make the cables of the run."""
        each = len(context.plan.segment.kind)
        segments = range(self.start // each, (self.stop - 1) // each + 1)
        runs = (
            (segment, max(self.start - segment * each, 0), min(self.stop - segment * each, each))
            for segment in segments
        )
        return [cable for run in runs for cable in cable_rows(context).labelled(*run)]
