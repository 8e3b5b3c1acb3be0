"""The group of schedulers and automation: topologies of the cluster and the inventory of its devices.

Owns their tasks. What has a line for each HB domain, host or switch is long in a large fabric, and
is then written on request only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Output

MOST_LINES = 50_000
"""Above so many lines a file is written on request only; Slurm itself takes 65,536 nodes."""


def clusters(sources: BuildContext) -> Iterator[Task]:
    """List the files of schedulers and automation, unless they are too long to be written unasked."""
    plan = sources.plan
    switches = sum(plan.switch_count(role) for role in plan.roles)
    lines = {
        "domains": plan.fabric.coordinates.domains,
        "members": len(plan.hosts),
        "inventory": switches,
    }
    for pack in sources.packs.group("cluster"):
        for output in pack.outputs:
            if (long := lines.get(output.each, 0)) <= MOST_LINES or "cluster" in sources.named:
                yield ClusterFile(pack.name, output)
            else:
                sources.skipped.append(
                    f"{output.path}: {long:,} lines are more than {MOST_LINES:,}; `--only cluster` writes it all the same"
                )


@dataclass(frozen=True)
class ClusterFile:
    """One file of a scheduler or of automation."""

    pack: str
    output: Output

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List the one file."""
        yield self.output.path

    def prepare(self, sources: BuildContext) -> None:
        """Make what the templates see."""
        _ = sources.devices if self.output.each == "inventory" else sources.cluster

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        view = (
            {"devices": sources.devices}
            if self.output.each == "inventory"
            else {"cluster": sources.cluster}
        )
        yield write_text(
            root,
            self.output.path,
            [sources.packs.render(self.pack, self.output.template, **view)],
            self.output.bits,
        )
