"""The group of playbooks that load the configurations onto switches.

Owns its tasks; without `management` there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.network_tasks import network_tasks
from fabricgen.build.pack_outputs import every_config_pack, fitting_outputs
from fabricgen.build.runs import installed_switches, switch_runs
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.push.build import FOLDER, push_view, pushed_packs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.push.view import PushView


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the group."""
    if context.plan.management is None:
        return
    yield from _without_playbooks(context)
    packs = _pushed(context)
    for name, output in fitting_outputs(context, "push") if packs else ():
        if output.each == "switch":
            variables = partial(_variables, name, output)
            yield from variables(context)
            yield from network_tasks(context, variables)
        elif output.each == "push-system":
            yield SystemFiles(name, output)
        else:
            yield PushDocument(output.path, name, output.template)
    for nos, pack in packs.items():
        for name, template in pack.push.templates.items() if pack.push else ():
            yield PushDocument(FOLDER.format(nos=nos) + name, pack.name, template)


def _variables(pack: str, output: PackOutput, context: BuildContext) -> Iterator[SwitchVariables]:
    """List the tasks of the switches of one network."""
    yield from (SwitchVariables(pack, output, *run) for run in switch_runs(context))


def _without_playbooks(context: BuildContext) -> Iterator[Skipped]:
    """List the systems that have no playbooks."""
    pushed = _pushed(context)
    for nos, pack in every_config_pack(context).items():
        if pack.push is None:
            yield Skipped(f"push/: the pack of {nos} has no playbooks")
        elif nos not in pushed:
            yield Skipped(f"push/{nos}/: Ansible needs `management: {{api: [{pack.push.api}]}}`")


@per_build
def _pushed(context: BuildContext) -> dict[str, Pack]:
    """Return the packs that have playbooks, by NOS."""
    asked = context.plan.spec.management
    return pushed_packs(every_config_pack(context), asked) if asked else {}


@per_build
def push(context: BuildContext) -> PushView | None:
    """Return the order of work; None without `management`."""
    asked = context.plan.spec.management
    return push_view(context.plan, asked, _pushed(context)) if asked else None


@dataclass(frozen=True)
class PushDocument(OneFile):
    """One playbook or list of tasks, rendered at once."""

    pack: str
    template: str

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        text = context.packs.render(self.pack, self.template, push=push(context))
        yield write_text(root, self.path, text)


@dataclass(frozen=True)
class SystemFiles:
    """The variables of each NOS."""

    pack: str
    output: PackOutput

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List them."""
        view = push(context)
        yield from (
            self.output.path.format(group=own.group) for own in (view.systems if view else ())
        )

    def prepare(self, context: BuildContext) -> None:
        """Make the view once."""
        push(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        view = push(context)
        for own in view.systems if view else ():
            text = context.packs.render(self.pack, self.output.template, system=own)
            yield write_text(root, self.output.path.format(group=own.group), text)


@dataclass(frozen=True)
class SwitchVariables:
    """The variables of a run of switches."""

    pack: str
    output: PackOutput
    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List them."""
        for switch, _ in installed_switches(context, self.segment, self.boxes):
            yield self.output.path.format(switch=switch)

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        roles = tuple(context.plan.roles)
        for switch in context.views.switches(self.segment, roles, self.boxes):
            text = context.packs.render(self.pack, self.output.template, switch=switch)
            yield write_text(root, self.output.path.format(switch=switch.name), text)
