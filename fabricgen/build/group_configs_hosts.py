"""The groups with files for each device that packs render: switch configurations, and hosts.

Owns their tasks, each of which serves a run of switches of one segment, or a run of hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.group_infiniband import subnets
from fabricgen.build.write.files import Root, write_text
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written

HOST_PORTS = 32_768
"""Above this many NIC ports the files of the hosts are more than those of all switches; they are then written on request only."""


def configs(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the configurations, those of subnet managers included."""
    if sources.config_packs:
        yield from (Configs(segment, boxes) for segment, boxes in sources.switch_runs())
    yield from subnets(sources)


def hosts(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the hosts, unless they are too many to be written unasked."""
    ports = len(sources.plan.hosts) * len(sources.hosts.ports)
    if ports <= HOST_PORTS or "hosts" in sources.named:
        yield from (HostFiles(run) for run in sources.host_runs())
    else:
        sources.skipped.append(
            f"hosts/: {ports:,} NIC ports are more than {HOST_PORTS:,}; `--only hosts` writes their files all the same"
        )


@dataclass(frozen=True)
class Configs:
    """The configurations of a run of switches."""

    segment: int
    boxes: Sequence[int]

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List what the pack of each switch's role writes."""
        for switch, role in sources.switches(self.segment, self.boxes):
            yield from (
                output.path.format(switch=switch) for output in sources.outputs(self.segment, role)
            )

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        roles = tuple(
            role
            for role, port_layout in sources.plan.port_layouts(self.segment).items()
            if port_layout.nos in sources.config_packs
        )
        for switch in sources.views.switches(self.segment, roles, self.boxes):
            for output in sources.outputs(self.segment, Role(switch.role)):
                text = sources.packs.render(
                    sources.config_packs[switch.nos].name, output.template, switch=switch
                )
                yield write_text(root, output.path.format(switch=switch.name), [text])


@dataclass(frozen=True)
class HostFiles:
    """The files of a run of hosts."""

    run: Sequence[int]

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List what the packs write for each host, and for each of its NICs."""
        interfaces = [interface for _, _, interface in sources.hosts.ports]
        for host in self.run:
            for _, output in sources.host_outputs:
                names = interfaces if output.each == "nic" else [""]
                yield from (
                    output.path.format(host=sources.plan.hosts[host], interface=name)
                    for name in names
                )

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all hosts share."""
        sources.hosts.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for host in sources.hosts.views(self.run):
            for pack, output in sources.host_outputs:
                for nic in host.nics if output.each == "nic" else [None]:
                    text = sources.packs.render(pack, output.template, host=host, nic=nic)
                    path = output.path.format(
                        host=host.name, interface=nic.interface if nic else ""
                    )
                    yield write_text(root, path, [text], output.bits)
