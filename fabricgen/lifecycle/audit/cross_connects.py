"""The jumpers at panels as built, from a list of cross-connects, compared with the plan.

Owns the reading of the list and the faults: a row names a port of a panel, and the device and the
port that its jumper joins; a port without a device is empty. Ports that the list leaves out are not
verified. A device's port is written as printed or by its interface.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse
from fabricgen.core.document import Document
from fabricgen.core.files import FileError, csv_rows
from fabricgen.lifecycle.audit.finding import AuditFinding
from fabricgen.lifecycle.audit.load import read_text
from fabricgen.lifecycle.audit.neighbors import UnreadableError
from fabricgen.views.cables.cable_rows import CableRows
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabricgen.lifecycle.audit.fault_kinds import Kind
    from fabricgen.planning.plan import Plan

COLUMNS = ("panel", "port", "device", "device_port")
"""The columns that a list must have; `cabling/patching/panels.csv` has them among others."""


class PanelPort(NamedTuple):
    """A port of a panel, by its name and its number from 1."""

    panel: str
    port: str

    def __str__(self) -> str:
        """Name the port."""
        return f"port {self.port} of panel {self.panel}"


class Jumper(NamedTuple):
    """The jumper that belongs to a panel port: its label, and the device's port in both forms."""

    label: str
    device: str
    printed: str
    interface: str

    def __str__(self) -> str:
        """Name the far end."""
        return f"{self.device} {self.printed}"


@dataclass(frozen=True)
class PatchAudit(Document):
    """The comparison of a list with the plan: `planned` has the jumper of each panel port."""

    planned: Mapping[PanelPort, Jumper]
    built: Mapping[PanelPort, tuple[str, str]]
    ports: frozenset[PanelPort]
    """All ports of all panels."""

    @cached_property
    def findings(self) -> list[AuditFinding]:
        """The faults, in the order of the list."""
        return [fault for port in self.built if (fault := self._fault(port))]

    @cached_property
    def counts(self) -> Counter[str]:
        """The ports of the list by their state, and the planned ones that it leaves out."""
        kinds = Counter(finding.code for finding in self.findings)
        listed = [port for port in self.planned if port in self.built]
        wrong, missing = kinds["misplugged"], kinds["missing"]
        matched = sum(self._found(port) == self.planned[port] for port in listed)
        extra = len(self.findings) - wrong - missing
        silent = len(self.planned) - len(listed)
        return Counter(matched=matched, wrong=wrong, missing=missing, extra=extra, silent=silent)

    @property
    def moves(self) -> int:
        """The jumpers that are moved or plugged."""
        return self.counts["wrong"] + self.counts["missing"]

    def document(self) -> dict[str, Any]:
        """Return `cross_connects` of `audit --json`."""
        return {**self.counts, "moves": self.moves}

    @cached_property
    def _places(self) -> dict[tuple[str, str], tuple[PanelPort, Jumper]]:
        """Where the jumper of each port of a device belongs, in both forms of its name."""
        return {
            (jumper.device, name): (port, jumper)
            for port, jumper in self.planned.items()
            for name in (jumper.printed, jumper.interface)
        }

    def _found(self, port: PanelPort) -> Jumper | None:
        """Return the jumper that the list has at a port, if the plan has it anywhere."""
        place = self._places.get(self.built[port])
        return place and place[1]

    def _fault(self, port: PanelPort) -> AuditFinding | None:
        """Return what is wrong at a listed port."""
        device, far = self.built[port]
        wanted, place = self.planned.get(port), self._places.get((device, far))
        if port not in self.ports:
            return _finding("unknown-port", f"the fabric has no {port}", port, None, "")
        if not device:
            fix = f"plug {wanted.label} from {wanted} into {port}" if wanted else ""
            fact = f"{port} is empty"
            return _finding("missing", fact, port, wanted, fix) if wanted else None
        if place and place[0] == port:
            return None
        fact = f"{port} leads to {device} {far}"
        if place is None:
            return _finding("extra", fact, port, wanted, f"unplug it from {port}")
        fix = f"move {place[1].label} from {port} to {place[0]}"
        return _finding("misplugged", fact, port, wanted, fix)


def audit_cross_connects(plan: Plan, path: Path) -> PatchAudit:
    """Compare a list with the plan.

    Raises Refusal `bad-evidence` for a file that cannot be read, and `no-panel` without panels.
    """
    every = [each.channels for each in plan.cluster if each.channels]
    if not every:
        raise refuse(
            "no-panel",
            "no link of this fabric runs through panels",
            path=("cabling",),
            hint="leave `--cross-connects` out, or plan panels with `cabling`",
        )
    ports = frozenset(
        PanelPort(panel.name, str(port + 1))
        for channels in every
        for panel in channels.panels
        for port in range(panel.parts.ports)
    )
    planned = dict(chain.from_iterable(map(_planned, plan.cluster)))
    return PatchAudit(planned, _read(path), ports)


def _planned(plan: Plan) -> Iterator[tuple[PanelPort, Jumper]]:
    """Yield the jumper of each panel port of a network."""
    if plan.channels is None:
        return
    panels = {panel.name for panel in plan.channels.panels}
    rows, links = CableRows(Views(plan)), len(plan.segment.kind)
    for segment in range(plan.mapping.segments):
        for row in rows.labelled(segment, 0, links):
            a, b = row.a_device in panels, row.b_device in panels
            if b and not a:
                own = Jumper(row.cable, row.a_device, row.a_port, row.a_interface)
                yield PanelPort(row.b_device, row.b_port), own
            elif a and not b:
                own = Jumper(row.cable, row.b_device, row.b_port, row.b_interface)
                yield PanelPort(row.a_device, row.a_port), own


def _read(path: Path) -> dict[PanelPort, tuple[str, str]]:
    """Read a list: the device and its port at each panel port."""
    found: dict[PanelPort, tuple[str, str]] = {}
    try:
        rows = csv_rows(read_text(path))
        header = [cell.strip().lower() for cell in next(rows, (1, []))[1]]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise _bad(path, 1, f"has no column `{missing[0]}`")
        places = [header.index(column) for column in COLUMNS]
        for line, cells in rows:
            padded = [cell.strip() for cell in cells] + [""] * len(header)
            panel, port, device, far = (padded[place] for place in places)
            if PanelPort(panel, port) in found:
                raise _bad(path, line, f"lists {PanelPort(panel, port)} twice")
            if panel:
                found[PanelPort(panel, port)] = device, far
    except UnreadableError as error:
        raise _bad(path, 1, f"cannot be read: {error.fact}") from None
    except FileError as error:
        raise _bad(path, error.line or 1, error.fact) from None
    return found


def _bad(path: Path, line: int, fact: str) -> Refusal:
    """Refuse a list that cannot be read."""
    hint = f"write a CSV with the columns {', '.join(COLUMNS)}, as cabling/patching/panels.csv has"
    place = Place(str(path), line, 1)
    return Refusal([Finding("bad-evidence", f"`{path}` {fact}", hint=hint, place=place)])


def _finding(
    kind: Kind, fact: str, port: PanelPort, wanted: Jumper | None, fix: str
) -> AuditFinding:
    """Make a finding about a port."""
    label = [wanted.label] if wanted else []
    because = (f"the plan has {wanted.label} to {wanted} there",) if wanted else ()
    return AuditFinding(
        kind,
        fact,
        because=because,
        level="minor" if kind == "extra" else "major",
        cables=label,
        expected=[str(wanted)] if wanted else [],
        found=[fact.removeprefix(f"{port} ")],
        fix=[fix] if fix else [],
    )
