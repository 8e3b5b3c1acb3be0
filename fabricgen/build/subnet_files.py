"""The files of InfiniBand subnets: the input of the subnet managers and of subnet tools.

Owns their tasks, one for each subnet. They belong to the group of the configurations, because a
subnet manager configures its switches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import fitting_outputs
from fabricgen.build.write.files import Root, write_text
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.views.infiniband.build import Subnets


def subnet_tasks(context: BuildContext) -> Iterator[BuildTask]:
    """List the tasks of the subnets; none on Ethernet."""
    if subnet_outputs(context):
        yield from (
            SubnetFiles(segment)
            for segment in range(len(subnets(context).names))
            if context.scope is None or segment in context.scope.segments
        )


@per_build
def subnets(context: BuildContext) -> Subnets:
    """Return the maker of the views of subnets."""
    from fabricgen.views.infiniband.build import Subnets

    return Subnets(context.plan)


@per_build
def subnet_outputs(context: BuildContext) -> list[tuple[str, PackOutput]]:
    """List the outputs for subnets and for types of box, with their packs' names; none on Ethernet.

    Raises Refusal `bad-guids` for a table of GUIDs that cannot be used.
    """
    if context.plan.spec.addressing.guids:
        subnets(context).prepare()
    if not is_infiniband(context.plan):
        return []
    outputs = fitting_outputs(context, "configs")
    return [(pack, output) for pack, output in outputs if output.each in ("subnet", "system")]


class SubnetFiles(NamedTuple):
    """The files of one subnet."""

    segment: int

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List what the packs write for the subnet, and for each type of box in it."""
        every = subnets(context)
        subnet = every.names[self.segment]
        for _, output in subnet_outputs(context):
            for system in every.systems if output.each == "system" else [""]:
                yield output.path.format(subnet=subnet, system=system)

    def prepare(self, context: BuildContext) -> None:
        """Make what all subnets share."""
        subnets(context).prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        view = subnets(context).view(self.segment)
        for pack, output in subnet_outputs(context):
            for system in view.systems if output.each == "system" else [None]:
                text = context.packs.render(pack, output.template, subnet=view, system=system)
                name = system.name if system else ""
                path = output.path.format(subnet=view.name, system=name)
                yield write_text(root, path, text, output.bits)
