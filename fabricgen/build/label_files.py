"""The labels to print, which belong to the group of the cabling.

Owns their tasks, each of which serves a run of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fabricgen.build.cable_sheets import prepare_cables, sheets
from fabricgen.build.context import per_build
from fabricgen.build.runs import cable_rows
from fabricgen.build.task import OneFile, numbered_paths
from fabricgen.build.write.files import Root, write_text

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
    """List the files of labels to print: one, or numbered ones of `LINKS` links each.

    Each network beside the compute fabric has files of its own.
    """
    if over := context.selection.over("labels", sum(own.plan.cables for own in context.each), path):
        yield over
        return
    layout_of(context)  # refused before anything is written
    for network, own in {"": context, **context.networks}.items():
        links = own.plan.links
        starts = range(0, links, LINKS)
        given = PurePosixPath(path)
        stem = f"{given.stem}-{network}" if network else given.stem
        names = numbered_paths(str(given.with_stem(stem)), len(starts))
        for start, name in zip(starts, names, strict=True):
            stop = min(start + LINKS, links)
            yield LabelFile(name, pack, template, start, stop, network)


def cord_label_tasks(
    context: BuildContext, path: str, pack: str, template: str
) -> Iterator[CordLabels]:
    """List the file of the labels of cords, which is left out where those of cables are."""
    if not context.selection.over("labels", sum(own.plan.cables for own in context.each)):
        yield CordLabels(path, pack, template)


@dataclass(frozen=True)
class CordLabels(OneFile):
    """The labels of power cords and of the cords of panels."""

    pack: str
    template: str

    def prepare(self, context: BuildContext) -> None:
        """Plug in the power cords, which the law of power examines too."""
        _ = context.power

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.installation.cord_labels import cord_labels
        from fabricgen.outputs.installation.power_cords import power_cords_view
        from fabricgen.outputs.labels.pages import label_pages

        labels = [*cord_labels(context.plan, power_cords_view(context.power))]
        title = f"Labels of {context.plan.spec.name}: cords"
        pages = label_pages(title, layout_of(context), labels)
        texts = (context.packs.render(self.pack, self.template, page=page) for page in pages)
        yield write_text(root, self.path, texts)


@dataclass(frozen=True)
class LabelFile(OneFile):
    """The labels of a run of links, counted over all segments."""

    pack: str
    template: str
    start: int
    stop: int
    network: str = ""
    """The network beside the compute fabric; empty for compute."""

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share, and the sheets."""
        prepare_cables(self._own(context))

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.labels.pages import cable_label_pages

        own = self._own(context)
        labelling = sheets(own).table.labelling
        name, layout = own.plan.spec.name, layout_of(context)
        pages = cable_label_pages(name, labelling, layout, self._cables(own))
        texts = (context.packs.render(self.pack, self.template, page=page) for page in pages)
        yield write_text(root, self.path, texts)

    def _own(self, context: BuildContext) -> BuildContext:
        """Return the context of the network."""
        return context.networks[self.network] if self.network else context

    def _cables(self, context: BuildContext) -> Sequence[CableView]:
        """Make the cables of the run."""
        each = len(context.plan.segment.kind)
        segments = range(self.start // each, (self.stop - 1) // each + 1)
        runs = (
            (segment, max(self.start - segment * each, 0), min(self.stop - segment * each, each))
            for segment in segments
        )
        return [cable for run in runs for cable in cable_rows(context).labelled(*run)]
