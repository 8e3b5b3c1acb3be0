"""The list of power cords, read back and compared with the law of their feeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import Mock

from fabricgen.analysis.checks.cluster_evidence import cluster_evidence
from fabricgen.analysis.checks.cluster_laws import judge_cluster
from fabricgen.outputs.installation.cord_labels import cord_labels
from fabricgen.outputs.installation.power_cords import power_cords_view
from fabricgen.outputs.labels.layouts import choose_layout
from fabricgen.outputs.labels.pages import label_pages
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning import power_cords
from tests.csv_rows import read_rows
from tests.fabrics import build_job, plan_of
from tests.mutations.power import POWERED, power

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PATH, LABELS = "cabling/power-cords.csv", "cabling/cord-labels.html"


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


def test_both_ends_of_a_power_cord_have_a_label() -> None:
    """Each names both ends, the near one first; without an outlet only the device has one."""
    plan, view = plan_of(**POWERED), power_cords_view(power())
    labels = [*cord_labels(plan, view)]
    assert len(labels) == 2 * len(view.cords) == 2 * len({label.cable_id for label in labels})
    assert len({label.qr for label in labels}) == len(labels)
    for row, near, far in zip(view.cords, labels[::2], labels[1::2], strict=True):
        assert (near.device, far.device) == (row.device, row.pdu)
        assert (near.line1, near.line2) == (far.line2, far.line1)
        assert near.line2 == f"{row.pdu}:{row.socket}-{row.outlet}"
        assert near.colour == f"feed {row.feed}"
    cord = power().cords[0]._replace(pdu=-1, socket="", outlet=-1)
    (alone,) = cord_labels(plan, power_cords_view(replace(power(), cords=(cord,))))
    assert (alone.line2, alone.colour) == ("", "")


def test_each_feed_has_a_colour() -> None:
    """The bands of the labels differ as the feeds do."""
    labels = [*cord_labels(plan_of(**POWERED), power_cords_view(power()))]
    layout = choose_layout("a4-48", Packs().files("cabling", "layouts.yaml"))
    printed = [each for page in label_pages("", layout, labels) for each in page.labels]
    fills = {(each.label.colour, each.fill) for each in printed}
    assert len(fills) == len({fill for _, fill in fills}) == len({feed for feed, _ in fills}) == 3


def test_cords_of_panels_have_their_names_at_both_ends(tmp_path: Path) -> None:
    """As `circuits/cords.csv` has them; other fabrics have no such file."""
    keys = {"gpus": 16, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"model": "patch-144"}}}
    plan = plan_of(**keys, rails={"medium": "patch-panel"})
    labels = [*cord_labels(plan, power_cords_view(None))]
    assert [(label.end, label.cable_id) for label in labels[:2]] == [
        ("A", "r0-leaf-1-C1"),
        ("B", "r0-leaf-1-C1"),
    ]
    assert len({label.cable_id for label in labels}) == len(labels) // 2 == 8
    job = build_job(plan, Packs(), ("cabling",))
    (task,) = (task for task in job.tasks if LABELS in task.paths(job.context))
    [*_] = task.write(job.context, tmp_path)
    assert (tmp_path / LABELS).read_text("utf-8").count('<div class="label">') == len(labels)
    packets = plan_of(gpus=16, hb_domain={"gpus": 8}, radix=64)
    assert LABELS not in build_job(packets, Packs(), ("cabling",)).paths()


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
