"""Sweeps of `compare` and `cost`, and charts for papers."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

SIZES = ("--hb-domain", "8", "--radix", "64")


@pytest.mark.parametrize("command", ["compare", "cost"])
def test_a_sweep_has_a_row_for_each_value_and_design(
    command: str, tmp_path: Path, run_here: Run
) -> None:
    """The CSV has the rows of the JSON, whose figures are those of single runs."""
    path = tmp_path / "sizes.csv"
    words = (command, "--gpus", "64", *SIZES, "--sweep", "gpus=64,128")
    rows = json.loads(run_here(*words, "--json", "--csv", path).stdout)["rows"]
    assert [(row["x"], row["design"]) for row in rows] == [
        (gpus, design)
        for gpus in (64, 128)
        for design in ("rail-only", "rail-optimized", "fat-tree")
    ]
    with path.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [(row["sweep"], row["x"], row["design"]) for row in written] == [
        ("gpus", str(row["x"]), row["design"]) for row in rows
    ]
    alone = json.loads(run_here(command, "--gpus", "128", *SIZES, "--json").stdout)["designs"]
    total = {"compare": "cost_total", "cost": "total"}[command]
    nested = [each["cost"]["total"] if command == "compare" else each["total"] for each in alone]
    assert [row[total] for row in rows[3:]] == nested


def test_sums_of_a_sweep_with_unpriced_parts_are_lower_bounds(run_here: Run) -> None:
    """As in the table of one comparison."""
    printed = run_here("compare", "--gpus", "64", *SIZES, "--sweep", "gpus=64").stdout
    (row,) = (line for line in printed.splitlines() if "rail-only" in line)
    assert ">= " in row


def test_one_comparison_is_written_as_csv(tmp_path: Path, run_here: Run) -> None:
    """Without a sweep the rows are those of the designs."""
    path = tmp_path / "designs.csv"
    run_here("compare", "--gpus", "64", *SIZES, "--csv", path)
    with path.open(encoding="utf-8", newline="") as file:
        assert next(row["design"] for row in csv.DictReader(file)) == "rail-only"


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("--sweep", "batch=1M"), "the designs vary with gpus, hb-domain, nic-speed"),
        (("--sweep", "gpus=many"), "`many` is not a number of GPUs"),
        (("--rails", "sn5600", "--sweep", "gpus=64"), "--sweep and --csv go without --rails"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(
    words: tuple[str, ...], printed: str, run_here: Run
) -> None:
    """The message has what can be varied."""
    refused = run_here("compare", "--gpus", "64", *SIZES, *words)
    assert (refused.returncode, printed in refused.stderr) == (2, True)


def test_a_chart_without_title_has_axes_and_legend_alone(tmp_path: Path, run_here: Run) -> None:
    """A paper has a caption of its own."""
    words = ("model", "--gpus", "64", *SIZES, "--llm", "gpt3", "--accelerator", "h100-sxm")
    texts = []
    for name, more in (("a.svg", ()), ("b.svg", ("--no-title",))):
        run_here(*words, "--svg", tmp_path / name, *more)
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    titled, bare = (text.count('font-size="16"') for text in texts)
    assert (titled, bare) == (1, 0)
    assert texts[0].splitlines()[1] == texts[1].splitlines()[1]


def test_a_chart_of_another_format_names_the_conversion(tmp_path: Path, run_here: Run) -> None:
    """PDF and PNG are made from SVG by a program that the user has."""
    words = ("model", "--gpus", "64", *SIZES, "--llm", "gpt3")
    refused = run_here(*words, "--svg", tmp_path / "a.pdf")
    assert refused.returncode == 2
    assert "rsvg-convert -f pdf -o a.pdf a.svg" in refused.stderr
    assert not (tmp_path / "a.pdf").exists()
