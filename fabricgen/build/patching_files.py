"""The files of structured cabling, which exist where links run through panels.

Owns their tasks: the tables, and a map of each panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
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
    from fabricgen.outputs.patching.build import Patching
    from fabricgen.outputs.patching.panel_maps import PanelMaps
    from fabricgen.views.cables.view import CableView

FILES = 32
"""Maps that one task writes."""


def patching_tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of structured cabling; each network has a folder of its own."""
    every = {"": context, **context.networks}
    patched = {name: own.plan.channels for name, own in every.items() if own.plan.channels}
    outputs = fitting_outputs(context, "patching")
    if not outputs or not patched:
        return
    links = sum(len(channels.row) for channels in patched.values())
    if over := context.selection.over("patching", links):
        yield over
        return
    for pack, output in outputs:
        if output.each == "panel-labels":
            layout_of(context)  # refused before anything is written
        for network, channels in patched.items():
            path = PurePosixPath(output.path)
            given = str(path.parent / network / path.name)
            if output.each == "panel-labels":
                yield PanelLabels(given, pack, output.template, network)
                continue
            names = [panel.name for panel in channels.panels]
            panels = names if output.each == "panel" else [""]
            for first in range(0, len(panels), FILES):
                run = panels[first : first + FILES]
                yield PatchingFiles(given, pack, output.template, run, network)


def own_context(context: BuildContext, network: str) -> BuildContext:
    """Return the context of a network; an empty name is that of the compute fabric."""
    return context.networks[network] if network else context


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
    """The files of an output for a run of panels of a network, or its one file."""

    path: str
    pack: str
    template: str
    panels: Sequence[str]
    network: str

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List a file for each panel."""
        return (self.path.format(panel=panel) for panel in self.panels)

    def prepare(self, context: BuildContext) -> None:
        """Make the tables."""
        _ = patching(own_context(context, self.network)).view

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        own = own_context(context, self.network)
        for panel in self.panels:
            view = (
                {"panel": panel_maps(own).panel(panel)}
                if panel
                else {"patching": patching(own).view}
            )
            text = context.packs.render(self.pack, self.template, **view)
            yield write_text(
                root, self.path.format(panel=panel), text, mark=context.sheet_options.csv_mark
            )


@dataclass(frozen=True)
class PanelLabels(OneFile):
    """The labels of panels and cassettes of a network to print."""

    pack: str
    template: str
    network: str

    def prepare(self, context: BuildContext) -> None:
        """Make the labels."""
        _ = patching(own_context(context, self.network)).view

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.labels.pages import label_pages

        own = own_context(context, self.network)
        title = f"Labels of {own.plan.spec.name}: panels and cassettes"
        pages = label_pages(title, layout_of(context), patching(own).view.labels)
        texts = (context.packs.render(self.pack, self.template, page=page) for page in pages)
        yield write_text(root, self.path, texts)
