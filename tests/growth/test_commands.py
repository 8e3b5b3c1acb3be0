"""`diff`, `plan --from`, `import` and `phases` as a user runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fabricgen.cli import run

if TYPE_CHECKING:
    from pathlib import Path

INVENTORY = "name: grow\ngpus: 256\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 16}}}\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Keep a small plan in an empty directory, and stand there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    assert run(["plan", "fabric.yaml", "-o", "old.json"]) == 0
    capsys.readouterr()
    return tmp_path


def test_a_plan_grows_from_a_file(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figure stands beside its bound; the kept plan builds to the same plan file."""
    assert run(["plan", "--from", "old.json", "--set", "gpus=512", "-o", "new.json"]) == 0
    said = capsys.readouterr()
    assert "128 cables move, and 128 at least must, for every pair of switches to have its share; 512 come, 384 stay" in said.out
    assert "a slice of the host pool grows from 64 to 128 addresses" in said.err
    assert run(["build", "new.json", "-o", "out", "--only", "cabling"]) == 0
    assert (plan / "out" / "plan.json").read_bytes() == (plan / "new.json").read_bytes()


def test_growth_in_json(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The counts are those of `diff --json`, and an inventory may stand in the place of a plan."""
    assert (plan / "old.json").exists()
    assert run(["plan", "--from", "fabric.yaml", "--set", "gpus=512", "--json", "-o", "new.json"]) == 0
    growth = json.loads(capsys.readouterr().out)["growth"]
    assert run(["diff", "old.json", "new.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {key: growth[key] for key in ("moved", "added", "removed", "kept")} == {key: document[key] for key in ("moved", "added", "removed", "kept")}
    assert growth["moved_at_least"] == growth["moved"] == 128
    assert len(document["steps"]) == 640


def test_diff_in_words(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Steps, parts, cost, settings and devices, each once; `--all` leaves nothing out."""
    assert run(["plan", "--from", "old.json", "--set", "gpus=512", "-o", str(plan / "new.json")]) == 0
    capsys.readouterr()
    assert run(["diff", "old.json", "new.json"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("grow -> grow: 128 cables move, 512 cables come, no cables go, 384 cables stay\n")
    for words in ("pull r0-h00033: host-33 nic0 - r0-leaf-5 swp1", "108 more to move", "cost: +736,768 USD", "gpus: 256 -> 512", "leaf added"):
        assert words in said
    assert run(["diff", "old.json", "new.json", "--all"]) == 0
    everything = capsys.readouterr().out
    assert everything.count("  move ") == 128
    assert " more " not in everything.split("parts, with spares")[0]


def test_a_sheet_is_imported(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Our own sheet leads back to our own plan."""
    assert run(["build", "fabric.yaml", "-o", "out", "--only", "cabling"]) == 0
    capsys.readouterr()
    assert run(["import", "out/cabling/cables.csv", "fabric.yaml", "-o", "taken.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["imported"] == {"cables": 512, "labels_not_kept": 0, "broken": []}
    assert (plan / "taken.json").read_bytes() == (plan / "old.json").read_bytes()


def test_phases_in_words_and_json(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column for each phase, and the cables of one as a list."""
    (plan / "phased.yaml").write_text(INVENTORY + "phases:\n  - {name: half, spines: 1}\n", encoding="utf-8")
    assert run(["phases", "phased.yaml"]) == 0
    assert "oversubscription by then" in capsys.readouterr().out
    assert run(["phases", "phased.yaml", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(phase["name"], phase["cables"], phase["oversubscription_by_then"]) for phase in document["phases"]] == [("half", 384, "2:1"), ("rest", 128, "1:1")]
    assert run(["phases", "phased.yaml", "--cables", "rest"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 129
    assert run(["phases", "phased.yaml", "--cables", "none"]) == 2
