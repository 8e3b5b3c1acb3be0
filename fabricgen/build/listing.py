"""The table of outputs: each file that a build can write, and its reader.

Its rows come from the pack.yaml of each pack and, for files without a pack, from `outputs.groups`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.pack_outputs import every_config_pack, fitting_outputs
from fabricgen.build.selection import lacks_switches
from fabricgen.build.subnet_files import subnet_outputs
from fabricgen.outputs.groups import ADDRESSES, GROUPS, OVERRIDES, PACK_GROUPS, SESSIONS
from fabricgen.outputs.packs.pack_yaml import SWITCH
from fabricgen.outputs.provision.build import WEB_ROOT
from fabricgen.outputs.push.build import FOLDER, pushed_packs
from fabricgen.views.hosts.router_sessions import has_sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs


class OutputRow(NamedTuple):
    """One output."""

    pack: str
    """The pack that writes it; empty where none does."""
    group: str
    path: str
    reader: str


OWN = (
    OutputRow(
        "",
        "",
        "manifest.json",
        "`fabricgen verify` and auditors: every file with its SHA-256",
    ),
    OutputRow(
        "",
        "",
        "plan.json",
        "fabricgen and other programs: the plan, in place of the inventory",
    ),
    *(OutputRow("", spec.name, *file) for spec in GROUPS.values() for file in spec.own),
)
"""The outputs without a pack."""


def every_output(packs: Packs) -> list[OutputRow]:
    """List all outputs of packs and without one, sorted by path."""
    found = [pack for pack in map(packs.pack, packs.names()) if pack]
    listed = [
        row
        for pack in found
        for row in (
            *_rows(pack, pack.outputs),
            *_mounted(pack),
            *_fetched(pack),
            *_pushed(pack),
        )
    ]
    return _sorted([*OWN, *listed])


def outputs_of(context: BuildContext) -> list[OutputRow]:
    """List the outputs of a build, with those that are over a limit, sorted by path."""
    selection, groups = context.selection, _groups(context)
    own = [
        row
        for row in OWN
        if (not row.group or (row.group in groups and selection.wants(row.group)))
        and (row.path != OVERRIDES or any(own.has_lines for own in context.plan.spec.overrides))
        and (row.path != ADDRESSES or context.plan.networks)
        and (row.path != SESSIONS or has_sessions(context.plan))
    ]
    return _sorted([*own, *(row for group in groups for row in _of_group(context, group))])


def _groups(context: BuildContext) -> list[str]:
    """Return the selected groups, without those of packet switches where there are none."""
    return [name for name in context.selection.groups if not lacks_switches(context.plan, name)]


def _sorted(rows: Iterable[OutputRow]) -> list[OutputRow]:
    """Sort rows by path, each once."""
    return sorted(set(rows), key=lambda row: (row.path, row.pack))


def _of_group(context: BuildContext, group: str) -> Iterator[OutputRow]:
    """List the outputs of a group's packs that fit the fabric."""
    if group == "configs":
        for own in every_config_pack(context).values():
            if context.selection.wants("configs", own.name):
                asked = context.plan.spec.management
                yield from _rows(own, [out for out in own.outputs if out.is_written(asked)])
        fitting = subnet_outputs(context)
    else:
        fitting = [
            found for word in GROUPS[group].packs for found in fitting_outputs(context, word)
        ]
    if group == "lab" and fitting:
        yield from (row for own in every_config_pack(context).values() for row in _mounted(own))
    if group == "provision" and fitting:
        yield from (row for own in every_config_pack(context).values() for row in _fetched(own))
    asked = context.plan.spec.management
    if group == "push" and asked:
        pushed = pushed_packs(every_config_pack(context), asked)
        yield from (row for own in pushed.values() for row in _pushed(own))
    yield from (OutputRow(name, group, output.path, output.reader) for name, output in fitting)


def _mounted(pack: Pack) -> Iterator[OutputRow]:
    """List the files of a pack that only its containers in a lab need."""
    for container in pack.containers.values():
        for bind in container.binds:
            if bind.template:
                reader = f"the switch's container in a lab: {bind.at}"
                yield OutputRow(pack.name, "lab", bind.file, reader)


def _fetched(pack: Pack) -> Iterator[OutputRow]:
    """List the files of a pack in the web root that its switches boot from."""
    if pack.zero_touch:
        for own in pack.zero_touch.files:
            yield OutputRow(pack.name, "provision", WEB_ROOT + own.name, own.reader)
        for output in pack.fetched_outputs:
            path = WEB_ROOT + output.path.removeprefix(SWITCH)
            yield OutputRow(pack.name, "provision", path, f"the switch that boots: {output.path}")


def _pushed(pack: Pack) -> Iterator[OutputRow]:
    """List the task lists by which Ansible loads the files of a pack."""
    for name in pack.push.templates if pack.push else ():
        reader = f"Ansible: tasks for switches of {pack.nos}"
        yield OutputRow(pack.name, "push", FOLDER.format(nos=pack.nos) + name, reader)


def _rows(pack: Pack, outputs: Iterable[PackOutput]) -> Iterator[OutputRow]:
    """List these outputs of a pack."""
    group = "configs" if pack.nos else PACK_GROUPS[pack.group]
    yield from (OutputRow(pack.name, group, output.path, output.reader) for output in outputs)
