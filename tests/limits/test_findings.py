"""Files with many faults: findings are counted and cut, and hints are searched for those shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabricgen.inventory.fields import KEY_EXAMPLE
from tests.limits.bounded import LAB, answers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

SMALL = "name: lab\ngpus: 64\nhb_domain: {gpus: 8}\nswitches: {leaf: {model: sn5600}}\n"
MIB = 2**20
WORDS = "".join(f"rial{number}: 1\n" for number in range(80_000))
COLUMNS = ",".join(f"devise{number}" for number in range(500_000))
LINES = "name,mac\n" + "".join(f"leaf{number},0\n" for number in range(60_000))
DEVICES = "- {nam: x, cout: 1}\n" * 3_000
TABLE = f"{SMALL}host: {{model: dgx-h100}}\nsite: {{positions: t.csv}}\n"
MACS = (
    f"{SMALL}management: {{pool: 10.240.0.0/16, gateway: 10.240.0.1, ntp: [10.240.0.2],"
    f" macs: t.csv, users: [{{name: ops, key: {KEY_EXAMPLE}}}]}}\n"
)
TEXTS = {
    "keys": (f"{SMALL}{WORDS}"[:MIB], ""),
    "twice": (SMALL + "gpus: 64\n" * 4_000, ""),
    "devices": (f"{SMALL}devices:\n{DEVICES}", ""),
    "columns": (TABLE, COLUMNS),
    "positions": (TABLE, "device,hall,row,rack,unit\n" + "a\n" * MIB),
    "lines": (MACS, LINES),
}
"""Name -> an inventory, and the table that it names."""


def test_many_faults_are_answered_within_the_limits(tmp_path: Path) -> None:
    """A mebibyte of unknown keys, wrong devices, columns or lines is refused."""
    commands = []
    for name, (text, table) in TEXTS.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "f.yaml").write_text(text, encoding="utf-8")
        (folder / "t.csv").write_text(table, encoding="utf-8")
        words = (
            ["build", "f.yaml", "-o", "out", "--only", "provision"]
            if name == "lines"
            else ["plan", "f.yaml"]
        )
        commands.append((folder, words))
    (tmp_path / "p.csv").write_text(
        "part,price,currency\n" + "a,b,c\n" * (MIB // 4), encoding="utf-8"
    )
    commands.append((tmp_path, ["plan", LAB, "--prices", "p.csv"]))
    own = tmp_path / "own" / "switches"
    own.mkdir(parents=True)
    (own / "own.yaml").write_text(WORDS[:110_000], encoding="utf-8")
    commands.append((tmp_path, ["catalog", "show", "own", "--catalog", "own"]))
    assert answers(commands) == [2] * len(commands)
    assert all(path.stat().st_size < MIB // 8 for path in tmp_path.rglob("errors.txt"))


def test_findings_beyond_those_shown_are_counted(tmp_path: Path, run_here: Run) -> None:
    """The first twenty in the order of the text have their hints; the text and JSON count all."""
    path = tmp_path / "f.yaml"
    path.write_text(SMALL + "".join(f"rial{number}: 1\n" for number in range(50)), encoding="utf-8")
    done = run_here("plan", path, "--json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert (len(found["findings"]), found["more"]) == (20, 30)
    assert [finding["place"]["line"] for finding in found["findings"]] == [*range(5, 25)]
    assert done.stderr.endswith("\n\nand 30 more findings\n")
