"""The group of forwarding tables.

Owns their tasks, each of which serves a run of switches of one segment, or a run of hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.tables import document_text, host_table, switch_table
from fabricgen.build.runs import host_runs, installed_switches, switch_runs
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the forwarding tables."""
    if over := context.selection.over("forwarding", context.tables.entries):
        yield over
        return
    yield DomainTable("forwarding/domains.json")
    yield from (HostTables(run) for run in host_runs(context))
    yield from (SwitchTables(segment, boxes) for segment, boxes in switch_runs(context))


@dataclass(frozen=True)
class DomainTable(OneFile):
    """The order of the HB domains."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write it."""
        domain, scope = context.plan.fabric.coordinates.domain, context.scope
        wanted = sorted({domain(gpu) for gpu in scope.gpus}) if scope else None
        yield write_text(root, self.path, document_text(context.tables.domains(wanted)))


@dataclass(frozen=True)
class HostTables:
    """The forwarding tables of the GPUs of a run of hosts."""

    run: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List a file for each host."""
        return (host_table(context.plan.hosts[host]) for host in self.run)

    def prepare(self, context: BuildContext) -> None:
        """Make what all tables share."""
        context.tables.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write them."""
        wanted = context.scope.gpus if context.scope else None
        for host in self.run:
            pieces = context.tables.host(host, wanted)
            yield write_text(root, host_table(context.plan.hosts[host]), pieces)


@dataclass(frozen=True)
class SwitchTables:
    """The forwarding tables of a run of switches."""

    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List a file for each switch."""
        switches = installed_switches(context, self.segment, self.boxes)
        return (switch_table(name) for name, _ in switches)

    def prepare(self, context: BuildContext) -> None:
        """Make what all tables share."""
        context.tables.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write them."""
        for name, document in context.tables.switches(self.segment, self.boxes):
            yield write_text(root, switch_table(name), document_text(document))
