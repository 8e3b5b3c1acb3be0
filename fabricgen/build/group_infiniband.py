"""The files of InfiniBand subnets: what each subnet manager is told, and the subnet as its tools read it.

Owns their tasks, one for each subnet. They are written with the configurations, because a subnet
manager configures its switches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written


def subnets(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the subnets; none on Ethernet."""
    if sources.subnet_outputs:
        yield from (
            SubnetFiles(segment)
            for segment in range(len(sources.subnets.names))
            if sources.part is None or segment in sources.part.segments
        )


@dataclass(frozen=True)
class SubnetFiles:
    """The files of one subnet."""

    segment: int

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List what the packs write for the subnet, and for each type of box in it."""
        subnet = sources.subnets.names[self.segment]
        for _, output in sources.subnet_outputs:
            systems = sources.subnets.systems if output.each == "system" else [""]
            yield from (output.path.format(subnet=subnet, system=system) for system in systems)

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all subnets share."""
        sources.subnets.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        view = sources.subnets.view(self.segment)
        for pack, output in sources.subnet_outputs:
            for system in view.systems if output.each == "system" else [None]:
                text = sources.packs.render(pack, output.template, subnet=view, system=system)
                yield write_text(
                    root,
                    output.path.format(subnet=view.name, system=system.name if system else ""),
                    [text],
                    output.bits,
                )
