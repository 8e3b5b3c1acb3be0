"""`diff`, `plan --from`, `import` and `phases` as a user runs them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fabricgen.cli import run

INVENTORY = (
    "name: grow\ngpus: 256\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 16}}}\n"
)


@pytest.fixture
def plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Write a small plan into an empty directory, and change to it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    assert run(["plan", "fabric.yaml", "-o", "old.json"]) == 0
    capsys.readouterr()
    return tmp_path


def test_a_plan_grows_from_a_file(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figure is beside its bound; the plan file builds to the same plan file."""
    assert run(["plan", "--from", "old.json", "--set", "gpus=512", "-o", "new.json"]) == 0
    output = capsys.readouterr()
    assert ("128 cables move (the minimum is 128); 512 added, 384 kept") in output.out
    assert output.err == "\nsaved plan to new.json\n"
    assert run(["build", "new.json", "-o", "out", "--only", "cabling"]) == 0
    assert (plan / "out" / "plan.json").read_bytes() == (plan / "new.json").read_bytes()


def test_growth_in_json(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The counts are those of `diff --json`, and an inventory may take the place of a plan."""
    assert (plan / "old.json").exists()
    assert (
        run(["plan", "--from", "fabric.yaml", "--set", "gpus=512", "--json", "-o", "new.json"]) == 0
    )
    growth = json.loads(capsys.readouterr().out)["growth"]
    assert run(["diff", "old.json", "new.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {key: growth[key] for key in ("moved", "added", "removed", "kept")} == {
        key: document[key] for key in ("moved", "added", "removed", "kept")
    }
    assert growth["moved_at_least"] == growth["moved"] == 128
    assert len(document["steps"]) == 640


def test_diff_in_words(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Steps, parts, cost, settings and devices, each once; `--all` prints everything."""
    assert (
        run(["plan", "--from", "old.json", "--set", "gpus=512", "-o", str(plan / "new.json")]) == 0
    )
    capsys.readouterr()
    assert run(["diff", "old.json", "new.json"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("grow -> grow: 128 cables moved, 512 added, 0 removed, 384 kept\n")
    for words in (
        "pull r0-h00033: host-33 nic0 - r0-leaf-5 swp1",
        "108 more to move",
        "cost: USD +736,768",
        "gpus: 256 -> 512",
        "leaf added",
    ):
        assert words in output
    assert run(["diff", "old.json", "new.json", "--all"]) == 0
    everything = capsys.readouterr().out
    assert everything.count("  move ") == 128
    assert " more " not in everything.split("parts, with spares")[0]


def test_a_sheet_is_imported(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A written sheet is imported as the same plan."""
    assert run(["build", "fabric.yaml", "-o", "out", "--only", "cabling"]) == 0
    capsys.readouterr()
    assert (
        run(["import", "out/cabling/cables.csv", "fabric.yaml", "-o", "taken.json", "--json"]) == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["imported"] == {"cables": 512, "labels_not_kept": 0, "broken": []}
    assert (plan / "taken.json").read_bytes() == (plan / "old.json").read_bytes()


def test_phases_in_words_and_json(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column for each phase, and the cables of one as a list."""
    (plan / "phased.yaml").write_text(
        INVENTORY + "phases:\n  - {name: half, spines: 1}\n", encoding="utf-8"
    )
    assert run(["phases", "phased.yaml"]) == 0
    assert "oversubscription by then" in capsys.readouterr().out
    assert run(["phases", "phased.yaml", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [
        (phase["name"], phase["cables"], phase["oversubscription_by_then"])
        for phase in document["phases"]
    ] == [("half", 384, "2:1"), ("rest", 128, "1:1")]
    assert run(["phases", "phased.yaml", "--cables", "rest"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 129
    assert run(["phases", "phased.yaml", "--cables", "none"]) == 2


def test_phases_by_parts_note_that_networks_are_in_none(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the text, the document and the cables; there is no note without networks."""
    phases = "phases:\n  - {name: half, spines: 1}\n"
    leaf = "{leaf: {model: sn2201}}"
    networks = f"networks: {{oob: {{switches: {leaf}, speed: 1G}}}}\n"
    (plan / "alone.yaml").write_text(INVENTORY + phases, encoding="utf-8")
    (plan / "cluster.yaml").write_text(INVENTORY + phases + networks, encoding="utf-8")
    for words in ([], ["--json"], ["--cables", "half"]):
        assert run(["phases", "cluster.yaml", *words]) == 0
        printed = capsys.readouterr()
        assert "note: phases by planes, rails and spines are of the compute fabric" in printed.err
        assert "note: " not in printed.out
    assert run(["phases", "alone.yaml"]) == 0
    assert "compute fabric alone" not in capsys.readouterr().err


def table_of(plan: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of a table of all positions, as the rule places them."""
    assert run(["build", plan, "-o", "placed", "--only", "cabling"]) == 0
    capsys.readouterr()
    with Path("placed/cabling/cables.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    seats = {
        row[f"{end}_device"]: (row[f"{end}_rack"], row[f"{end}_unit"])
        for row in rows
        for end in "ab"
    }
    return [
        "device,hall,row,rack,unit",
        *(
            f"{name},{rack[0]},{int(rack[1:3])},{int(rack[4:])},{segment}"
            for name, (rack, segment) in seats.items()
        ),
    ]


@pytest.mark.usefixtures("plan")
def test_a_plan_file_has_all_positions(capsys: pytest.CaptureFixture[str]) -> None:
    """The table of positions may be missing, and another table that is named is read.

    A plan without its positions is refused.
    """
    lines = table_of("fabric.yaml", capsys)
    Path("where.csv").write_text("\n".join([lines[0], *lines[:0:-1]]), encoding="utf-8")
    Path("placed.yaml").write_text(INVENTORY + SITE, encoding="utf-8")
    assert run(["plan", "placed.yaml", "-o", "kept.json"]) == 0
    assert run(["build", "placed.yaml", "-o", "before", "--only", "cabling"]) == 0
    Path("where.csv").unlink()
    assert run(["build", "kept.json", "-o", "after", "--only", "cabling"]) == 0
    for name in ("plan.json", "cabling/cables.csv"):
        assert Path("before", name).read_bytes() == Path("after", name).read_bytes()
    assert run(["diff", "kept.json", "after/plan.json"]) == 0
    capsys.readouterr()
    assert run(["plan", "kept.json", "--set", "site.positions=other.csv"]) == 2
    assert "other.csv: there is no such file" in capsys.readouterr().err
    kept = json.loads(Path("kept.json").read_text(encoding="utf-8"))
    for standing in (
        {"rack": [[-1, 0, 80]]},
        {"rack": [[0, 0, 1]], "unit": [[1, 0, 1]]},
        {"rack": [[99, 0, 80]]},
        {"hall": [[5000, 0, 1]]},
        {"row_racks": True},
    ):
        broken = kept | {"kept": kept["kept"] | {"standing": kept["kept"]["standing"] | standing}}
        Path("broken.json").write_text(json.dumps(broken), encoding="utf-8")
        assert run(["plan", "broken.json"]) == 2
        assert "error[bad-plan-file]" in capsys.readouterr().err


SITE = (
    "site: {positions: where.csv, footprints: {host: {units: 8}, leaf: {units: 1}, "
    "spine: {units: 1}}}\n"
)
