"""The group of forwarding tables.

Owns their tasks, each of which serves a run of switches of one segment, or a run of hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.tables import document_text, host_table, switch_table
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written

TABLE_ENTRIES = 100_000
"""Above so many relays the forwarding tables are written on request only."""


def forwarding(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the forwarding tables, unless they are too long to be written unasked."""
    entries = sources.tables.entries
    if entries <= TABLE_ENTRIES or "forwarding" in sources.named:
        yield DomainTable("forwarding/domains.json")
        yield from (HostTables(run) for run in sources.host_runs())
        yield from (SwitchTables(segment, boxes) for segment, boxes in sources.switch_runs())
    else:
        why = f"{entries:,} entries are more than {TABLE_ENTRIES:,}"
        sources.skipped.append(
            f"forwarding tables: {why}; `--only forwarding` writes them all the same"
        )


@dataclass(frozen=True)
class DomainTable(OneFile):
    """The order of the HB domains."""

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write it."""
        yield write_text(root, self.path, [document_text(sources.tables.domains())])


@dataclass(frozen=True)
class HostTables:
    """The forwarding tables of the GPUs of a run of hosts."""

    run: Sequence[int]

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List a file for each host."""
        return (host_table(sources.plan.hosts[host]) for host in self.run)

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all tables share."""
        sources.tables.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write them."""
        wanted = sources.part.gpus if sources.part else None
        for host in self.run:
            pieces = sources.tables.host(host, wanted)
            yield write_text(root, host_table(sources.plan.hosts[host]), pieces)


@dataclass(frozen=True)
class SwitchTables:
    """The forwarding tables of a run of switches."""

    segment: int
    boxes: Sequence[int]

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List a file for each switch."""
        return (switch_table(name) for name, _ in sources.switches(self.segment, self.boxes))

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all tables share."""
        sources.tables.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write them."""
        for name, document in sources.tables.switches(self.segment, self.boxes):
            yield write_text(root, switch_table(name), [document_text(document)])
