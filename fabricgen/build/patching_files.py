"""The files of structured cabling, which exist where links run through panels.

Owns their tasks: the tables, and a map of each panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.cable_sheets import sheets
from fabricgen.build.context import per_build
from fabricgen.build.label_files import layout_of
from fabricgen.build.pack_outputs import fitting_outputs
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import PackOutput
    from fabricgen.outputs.patching.build import Patching
    from fabricgen.outputs.patching.panel_maps import PanelMaps
    from fabricgen.views.cables.view import CableView

FILES = 32
"""Maps that one task writes."""


def patching_tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of structured cabling."""
    outputs = fitting_outputs(context, "patching")
    if not outputs or context.plan.channels is None:
        return
    if over := context.selection.over("patching", len(context.plan.channels.row)):
        yield over
        return
    for pack, output in outputs:
        if output.each == "panel-labels":
            layout_of(context)  # refused before anything is written
            yield PanelLabels(output.path, pack, output.template)
            continue
        names = [panel.name for panel in context.plan.channels.panels]
        every = names if output.each == "panel" else [""]
        for first in range(0, len(every), FILES):
            yield PatchingFiles(pack, output, every[first : first + FILES])


@per_build
def patching(context: BuildContext) -> Patching:
    """Return the tables. Raises ValueError where no link runs through panels."""
    from fabricgen.outputs.patching.build import Patching

    plan = context.plan
    if plan.channels is None or plan.lengths is None:
        raise ValueError("no link of this fabric runs through panels")
    links: list[CableView] = []
    labelling = sheets(context).table.labelling
    for segment in range(plan.mapping.segments):
        row, patched = -1, plan.channels.patched(segment, len(plan.segment.kind))
        for view in context.views.cables(segment):
            row += view.connector <= 1  # the cables of a link follow each other
            if patched[row]:
                links.append(view)
    return Patching(plan.spec.name, plan.channels, plan.lengths.room, links, labelling)


@per_build
def panel_maps(context: BuildContext) -> PanelMaps:
    """Return the maps of panels. Raises ValueError as `patching` does."""
    from fabricgen.outputs.patching.panel_maps import PanelMaps

    return PanelMaps(patching(context))


@dataclass(frozen=True)
class PatchingFiles:
    """The files of an output for a run of panels, or its one file."""

    pack: str
    output: PackOutput
    panels: Sequence[str]

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List a file for each panel."""
        return (self.output.path.format(panel=panel) for panel in self.panels)

    def prepare(self, context: BuildContext) -> None:
        """Make the tables."""
        _ = patching(context).view

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for panel in self.panels:
            view = (
                {"panel": panel_maps(context).panel(panel)}
                if panel
                else {"patching": patching(context).view}
            )
            text = context.packs.render(self.pack, self.output.template, **view)
            yield write_text(root, self.output.path.format(panel=panel), [text])


@dataclass(frozen=True)
class PanelLabels(OneFile):
    """The labels of panels and cassettes to print."""

    pack: str
    template: str

    def prepare(self, context: BuildContext) -> None:
        """Make the labels."""
        _ = patching(context).view

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.labels.pages import label_pages

        title = f"Labels of {context.plan.spec.name}: panels and cassettes"
        pages = label_pages(title, layout_of(context), patching(context).view.labels)
        texts = (context.packs.render(self.pack, self.template, page=page) for page in pages)
        yield write_text(root, self.path, texts)
