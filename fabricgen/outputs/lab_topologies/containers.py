"""How each kind of thing runs in a container, and which template writes each of its files.

The pack of a NOS defines it for its switches, and a pack of group `lab` for all others.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse
from fabricgen.outputs.lab_topologies.view import LabFile, LabNode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.outputs.packs.containers import Container, Thing
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs


OTHER_THINGS: tuple[Thing, ...] = ("gpu", "hb-domain", "device")
"""What runs in containers beside switches."""


class FileSource(NamedTuple):
    """One file of a container: its path below OUT as a pattern, its mount, and its template."""

    path: str
    at: str
    pack: str
    template: str
    alone: bool
    """Whether it is written for the container, and not for the switch."""
    configuration: tuple[Pack, PackOutput] | None = None
    """The pack and its output where it is a configuration of the switch."""


class ContainerKind(NamedTuple):
    """How one kind of thing runs in a container."""

    container: Container
    sources: list[FileSource]

    def node(
        self, name: str, labels: dict[str, str], facts: Mapping[str, object] | None = None
    ) -> LabNode:
        """Make a node with its files; `facts` are those that a switch has of its NOS."""
        container, thing = self.container, dict.fromkeys(("switch", "gpu", "device"), name)
        files = [
            LabFile(path := source.path.format_map(thing), source.at, PurePosixPath(path).name)
            for source in self.sources
        ]
        startup = (container.startup or "").format_map(thing)
        return LabNode(
            name=name,
            kind=container.kind,
            image=container.image,
            network=container.network or "",
            address="",
            labels=labels,
            files=files,
            commands=list(container.exec),
            type=(container.type or "").format_map(facts or {}),
            startup=startup,
        )


def other_kinds(packs: Packs) -> dict[Thing, ContainerKind]:
    """Return the container definitions beside switches, from the first `lab` pack with each."""
    found: dict[Thing, ContainerKind] = {}
    for pack in packs.group("lab"):
        for thing in OTHER_THINGS:
            if thing in pack.containers and thing not in found:
                found[thing] = container_kind(packs, pack, thing)
    return found


def container_kind(packs: Packs, pack: Pack, thing: Thing) -> ContainerKind:
    """Return the template of each file that a pack mounts.

    Raises Refusal `bad-pack` where no template writes it.
    """
    container = pack.containers[thing]
    outputs = {
        output.path: (other.name, output.template)
        for other in [*packs.group("lab"), pack]
        for output in other.outputs
    }
    sources = []
    for bind in container.binds:
        writer = (pack.name, bind.template) if bind.template else outputs.get(bind.file)
        if writer is None:
            hint = f"outputs: {', '.join(sorted(outputs))}; or give it a `template`"
            raise refuse(
                "bad-pack",
                f"{pack.name}: `{bind.file}` is mounted into a container, and nothing writes it",
                hint=hint,
            )
        own = [(pack, output) for output in pack.outputs if output.path == bind.file]
        configuration = own[0] if own and pack.nos and not bind.template else None
        alone = bind.template is not None
        sources.append(FileSource(bind.file, bind.at, *writer, alone, configuration))
    return ContainerKind(container, sources)
