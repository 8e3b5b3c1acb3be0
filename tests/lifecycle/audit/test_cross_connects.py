"""The jumpers at panels, compared with a list as built."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.patching_files import patching
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.audit.cross_connects import PatchAudit, audit_cross_connects
from fabricgen.lifecycle.audit.report import AuditReport
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of
from tests.planning.channels.test_channels import SMALL, STRUCTURED

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan


@cache
def plan() -> Plan:
    """Return hosts behind panels."""
    return plan_of(**SMALL | {"cabling": {"where": STRUCTURED}})


@cache
def built() -> tuple[dict[str, str], ...]:
    """Return the rows of panels.csv."""
    context = build_context(plan(), Packs())
    view = patching(context).view
    text = context.packs.render("patching", "panels.csv.j2", patching=view)
    return tuple(csv.DictReader(io.StringIO(text)))


def audited(path: Path, rows: list[dict[str, str]]) -> PatchAudit:
    """Audit a list of these rows."""
    file = path / "built.csv"
    with file.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return audit_cross_connects(plan(), file)


def test_the_planned_list_has_no_findings(tmp_path: Path) -> None:
    """All 128 ends of jumpers match; free ports are free."""
    found = audited(tmp_path, list(built()))
    assert found.findings == []
    assert found.counts == {"matched": 128, "wrong": 0, "missing": 0, "extra": 0, "silent": 0}


def test_swapped_jumpers_are_two_moves(tmp_path: Path) -> None:
    """Each is named with the port that it belongs to."""
    rows = [dict(row) for row in built()]
    for column in ("device", "device_port"):
        rows[0][column], rows[1][column] = rows[1][column], rows[0][column]
    found = audited(tmp_path, rows)
    assert [finding.code for finding in found.findings] == ["misplugged"] * 2
    panel = rows[0]["panel"]
    assert found.findings[0].fix == [
        f"move h00002-1 from port 1 of panel {panel} to port 2 of panel {panel}"
    ]
    assert (found.counts["matched"], found.moves) == (126, 2)


def test_empty_unknown_and_foreign_ports_are_findings(tmp_path: Path) -> None:
    """A port without its jumper, a jumper of another fabric, and a panel that does not exist."""
    rows = [dict(row) for row in built()[:3]]
    rows[0]["device"] = rows[0]["device_port"] = ""
    rows[1]["device"] = "stranger"
    rows[2]["panel"] = "A09-01-P1"
    found = audited(tmp_path, rows)
    assert [finding.code for finding in found.findings] == ["missing", "extra", "unknown-port"]
    assert found.counts["silent"] == 126
    report = AuditReport(None, None, patching=found)
    assert json.loads(json.dumps(report.document()))["cross_connects"]["missing"] == 1


def test_a_port_may_be_named_by_its_interface(tmp_path: Path) -> None:
    """The list of a technician has what is printed, that of a program the interface."""
    rows = [dict(row) for row in built()[:1]]
    rows[0]["device_port"] = "ibp24s0" if rows[0]["device_port"] == "OSFP4P2" else ""
    assert audited(tmp_path, rows).findings == []


def test_lists_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A column is missing, a port is listed twice, or there are no panels."""
    rows = [dict(row) for row in built()[:1]]
    with pytest.raises(Refusal, match="no column `device_port`"):
        audited(tmp_path, [{key: row[key] for key in ("panel", "port", "device")} for row in rows])
    with pytest.raises(Refusal, match="twice"):
        audited(tmp_path, rows * 2)
    with pytest.raises(Refusal, match="no-panel"):
        audit_cross_connects(plan_of(**SMALL), tmp_path / "built.csv")
