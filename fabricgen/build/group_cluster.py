"""The group of schedulers and automation: cluster topologies and the inventory of the devices.

Owns their tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.schedulers.build import cluster_view, devices_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.schedulers.view import ClusterView, DevicesView


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the group; most files have a line for each HB domain, host or switch."""
    plan = context.plan
    lines = {
        "domains": plan.fabric.coordinates.domains,
        "members": len(plan.hosts),
        "inventory": plan.switch_count(),
    }
    for pack in wanted_packs(context, "cluster"):
        for output in pack.outputs:
            over = context.selection.over("cluster", lines.get(output.each, 0), output.path)
            yield over or ClusterFile(pack.name, output)


@per_build
def cluster(context: BuildContext) -> ClusterView:
    """Return the stripes of the plan, as schedulers read them."""
    return cluster_view(context.plan)


@per_build
def devices(context: BuildContext) -> DevicesView:
    """Return the devices of the plan in groups."""
    return devices_view(context.plan)


@dataclass(frozen=True)
class ClusterFile:
    """One file of a scheduler or of automation."""

    pack: str
    output: PackOutput

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List the one file."""
        yield self.output.path

    def prepare(self, context: BuildContext) -> None:
        """Make the view of the template."""
        self._view(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        text = context.packs.render(self.pack, self.output.template, **self._view(context))
        yield write_text(root, self.output.path, text, self.output.bits)

    def _view(self, context: BuildContext) -> dict[str, DevicesView | ClusterView]:
        """Return the view of its template, by name."""
        if self.output.each == "inventory":
            return {"devices": devices(context)}
        return {"cluster": cluster(context)}
