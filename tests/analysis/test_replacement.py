"""Spare leaves and GPUs: what moves to them, and what they cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.impact.replacement import (
    Replacement,
    leaves_text,
    replacement_text,
    replacements,
)
from fabricgen.bom.priced_bill import make_bom
from fabricgen.cli import run
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PACKET: dict[str, Any] = {
    "name": "spare",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
    "spare": {"gpus_per_rail": 1, "leaves_per_rail": 1},
    "prices": {"book": "street-2026-09"},
}
LIGHT: dict[str, Any] = PACKET | {
    "rails": {"medium": "ocs"},
    "switches": {"leaf": {"model": "s320"}},
}


def test_a_spare_leaf_takes_the_cables_of_one_failed_leaf() -> None:
    """A second leaf of the rail finds none."""
    plan = plan_of(**PACKET)
    found = replacements(plan, ["switch:r3-leaf-1"])
    assert found == (Replacement("r3-leaf-1", "spare-r3-leaf-1", "cables", 8),)
    assert "move 8 cables, port by port" in replacement_text(found)
    wide = plan_of(**PACKET | {"gpus": 1024, "switches": {"leaf": {"generic": {"radix": 64}}}})
    names = ["switch:r0-leaf-1", "switch:r0-leaf-2"]
    both = replacements(wide, names)
    # 32 host cables and 32 uplinks
    assert [each.moves for each in both] == [64, 0]
    assert both[1].spare is None


def test_a_spare_gpu_is_spliced_in_by_a_circuit() -> None:
    """On packet switches the job takes it; on light a circuit of each configuration moves."""
    (packet,) = replacements(plan_of(**PACKET), ["gpu:d2-g3"])
    assert packet == Replacement("d2-g3", "d7-g3", "nothing", 0)
    (light,) = replacements(plan_of(**LIGHT), ["gpu:d2-g3"])
    assert light == Replacement("d2-g3", "d7-g3", "circuits", 1)
    lost = replacements(plan_of(**LIGHT), ["hb:1", "gpu:d2-g3"])
    assert [each.spare for each in lost].count(None) == 1, "one spare of rail 3 for two GPUs"
    assert replacements(plan_of(**LIGHT), ["gpu:d7-g0"]) == ()


def test_spare_leaves_are_in_the_bill_and_have_no_cable() -> None:
    """One for each rail, beside the leaves in use; links and power are unchanged."""
    plan, bare = plan_of(**PACKET), plan_of(**PACKET | {"spare": {}})
    with_spares, without = make_bom(plan), make_bom(bare)
    (line,) = (line for line in with_spares.lines if line.part == "sn5600")
    assert [line.quantity, line.spares] == [8, 8]
    assert [plan.links, with_spares.power_w] == [bare.links, without.power_w]
    assert leaves_text(plan) == "the 8 spare leaves (sn5600) cost USD 537,704"
    assert replacements(bare, ["switch:r3-leaf-1"]) == ()


def test_impact_prints_the_moves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Both as text and as JSON."""
    path = tmp_path / "spare.yaml"
    path.write_text(json.dumps(LIGHT))
    words = ["impact", str(path), "--fail", "gpu:d2-g3", "--no-compare"]
    assert run(words) == 0
    assert "d7-g3 replaces d2-g3: splice it into the circuit" in capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["replacements"][0]["spare"] == "d7-g3"
