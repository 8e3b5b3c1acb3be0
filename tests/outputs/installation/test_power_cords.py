"""The list of power cords, read back and compared with the law of their feeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import Mock

from fabricgen.analysis.checks.cluster_evidence import cluster_evidence
from fabricgen.analysis.checks.laws import judge_cluster
from fabricgen.outputs.installation.power_cords import power_cords_view
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning import power_cords
from tests.csv_rows import read_rows
from tests.fabrics import build_job, plan_of
from tests.mutations.power import POWERED, power

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PATH = "cabling/power-cords.csv"


def test_every_cord_of_the_law_has_a_row(tmp_path: Path) -> None:
    """As many rows as the law has cords, each with an outlet of its own in the order of racks."""
    plan = plan_of(**POWERED)
    job = build_job(plan, Packs(), ("cabling",))
    (task,) = (task for task in job.tasks if PATH in task.paths(job.context))
    [*_] = task.write(job.context, tmp_path)
    rows = read_rows((tmp_path / PATH).read_text("utf-8"))
    (figure,) = (
        each.figure
        for each in judge_cluster(cluster_evidence(plan)).judgements
        if each.law.code == "power-feeds"
    )
    assert figure.startswith(f"{len(rows)} cords on 8 PDUs")
    assert len({(row["pdu"], row["socket"], row["outlet"]) for row in rows}) == len(rows)
    racks = [power().racks.index(row["rack"]) for row in rows]
    assert racks == sorted(racks)
    feeds = {(row["rack"], row["pdu"], row["feed"]) for row in rows}
    named = {(power().racks[each.rack], each.name, "ABC"[each.feed]) for each in power().pdus}
    assert feeds == named


def test_a_cord_without_an_outlet_has_empty_cells() -> None:
    """No PDU is named that the cord is not plugged into."""
    cord = power().cords[0]._replace(pdu=-1, socket="", outlet=-1)
    (row,) = power_cords_view(replace(power(), cords=(cord,))).cords
    assert row[4:] == ("", "", "", "")


def test_the_law_and_the_list_share_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cords of a build are plugged in once."""
    passes = Mock(wraps=power_cords.has_pdus)
    job = build_job(plan_of(**POWERED), Packs(), ("cabling",))
    (task,) = (task for task in job.tasks if PATH in task.paths(job.context))
    monkeypatch.setattr(power_cords, "has_pdus", passes)
    task.prepare(job.context)
    [*_] = task.write(job.context, tmp_path)
    assert job.context.check_report.ok
    passes.assert_called_once()
