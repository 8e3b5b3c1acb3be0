"""The groups with files for each device: switch configurations, hosts, and forwarding tables.

Owns their tasks, each of which serves a run of switches of one unit, or a run of hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.building.subnets import subnets
from fabricgen.building.tasks import OneFile
from fabricgen.forwarding.tables import document_text, host_table, switch_table
from fabricgen.terms import Role
from fabricgen.writing import Root, Written, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.building.sources import Sources, Task

HOST_PORTS = 32_768
"""Above this many NIC ports the files of the hosts are more than those of all switches; they are then written on request only."""

TABLE_ENTRIES = 100_000
"""Above so many relays the forwarding tables are written on request only."""


def configs(sources: Sources) -> Iterator[Task]:
    """List the tasks of the configurations, those of subnet managers included."""
    if sources.config_packs:
        yield from (Configs(unit, boxes) for unit, boxes in sources.switch_runs())
    yield from subnets(sources)


def hosts(sources: Sources) -> Iterator[Task]:
    """List the tasks of the hosts, unless they are too many to be written unasked."""
    ports = len(sources.plan.hosts) * len(sources.hosts.ports)
    if ports <= HOST_PORTS or "hosts" in sources.named:
        yield from (HostFiles(run) for run in sources.host_runs())
    else:
        sources.skipped.append(f"hosts/: {ports:,} NIC ports are more than {HOST_PORTS:,}; `--only hosts` writes their files all the same")


def forwarding(sources: Sources) -> Iterator[Task]:
    """List the tasks of the forwarding tables, unless they are too long to be written unasked."""
    entries = sources.tables.entries
    if entries <= TABLE_ENTRIES or "forwarding" in sources.named:
        yield DomainTable("forwarding/domains.json")
        yield from (HostTables(run) for run in sources.host_runs())
        yield from (SwitchTables(unit, boxes) for unit, boxes in sources.switch_runs())
    else:
        why = f"{entries:,} entries are more than {TABLE_ENTRIES:,}"
        sources.skipped.append(f"forwarding tables: {why}; `--only forwarding` writes them all the same")


@dataclass(frozen=True)
class Configs:
    """The configurations of a run of switches."""

    unit: int
    boxes: Sequence[int]

    def paths(self, sources: Sources) -> Iterator[str]:
        """List what the pack of each switch's role writes."""
        for switch, role in sources.switches(self.unit, self.boxes):
            yield from (output.path.format(switch=switch) for output in sources.outputs(self.unit, role))

    def prepare(self, sources: Sources) -> None:
        """Work out what all units share."""
        sources.views.prepare()

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Render them."""
        roles = tuple(role for role, front in sources.plan.fronts(self.unit).items() if front.nos in sources.config_packs)
        for switch in sources.views.switches(self.unit, roles, self.boxes):
            for output in sources.outputs(self.unit, Role(switch.role)):
                text = sources.packs.render(sources.config_packs[switch.nos].name, output.template, switch=switch)
                yield write_text(root, output.path.format(switch=switch.name), [text])


@dataclass(frozen=True)
class HostFiles:
    """The files of a run of hosts."""

    run: Sequence[int]

    def paths(self, sources: Sources) -> Iterator[str]:
        """List what the packs write for each host, and for each of its NICs."""
        interfaces = [interface for _, _, interface in sources.hosts.ports]
        for host in self.run:
            for _, output in sources.host_outputs:
                names = interfaces if output.each == "nic" else [""]
                yield from (output.path.format(host=sources.plan.hosts[host], interface=name) for name in names)

    def prepare(self, sources: Sources) -> None:
        """Work out what all hosts share."""
        sources.hosts.prepare()

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Render them."""
        for host in sources.hosts.views(self.run):
            for pack, output in sources.host_outputs:
                for nic in host.nics if output.each == "nic" else [None]:
                    text = sources.packs.render(pack, output.template, host=host, nic=nic)
                    path = output.path.format(host=host.name, interface=nic.interface if nic else "")
                    yield write_text(root, path, [text], output.bits)


@dataclass(frozen=True)
class DomainTable(OneFile):
    """The order of the HB domains."""

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Write it."""
        yield write_text(root, self.path, [document_text(sources.tables.domains())])


@dataclass(frozen=True)
class HostTables:
    """The forwarding tables of the GPUs of a run of hosts."""

    run: Sequence[int]

    def paths(self, sources: Sources) -> Iterator[str]:
        """List a file for each host."""
        return (host_table(sources.plan.hosts[host]) for host in self.run)

    def prepare(self, sources: Sources) -> None:
        """Work out what all tables share."""
        sources.tables.prepare()

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Write them."""
        wanted = sources.part.gpus if sources.part else None
        for host in self.run:
            yield write_text(root, host_table(sources.plan.hosts[host]), [document_text(sources.tables.host(host, wanted))])


@dataclass(frozen=True)
class SwitchTables:
    """The forwarding tables of a run of switches."""

    unit: int
    boxes: Sequence[int]

    def paths(self, sources: Sources) -> Iterator[str]:
        """List a file for each switch."""
        return (switch_table(name) for name, _ in sources.switches(self.unit, self.boxes))

    def prepare(self, sources: Sources) -> None:
        """Work out what all tables share."""
        sources.tables.prepare()

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Write them."""
        for name, document in sources.tables.switches(self.unit, self.boxes):
            yield write_text(root, switch_table(name), [document_text(document)])
