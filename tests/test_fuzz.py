"""The finds of the random search, run again, and tests that the search detects faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import pytest

from tests.fuzz.documents import inputs
from tests.fuzz.extremes import CLUSTER, SMALL_CLUSTER, counts
from tests.fuzz.neighbors import FABRICS, Losses, search_neighbors
from tests.fuzz.outputs import count_faults
from tests.fuzz.program import Case, Ended, execute, faults, read_case, replay
from tests.fuzz.yaml_forms import readers

FOUND = sorted((Path(__file__).parent / "fuzz" / "found").glob("*.json"))
SECONDS = {"fabrics-0f82d820c2"}
"""Finds that once took more than ten seconds, and still take some."""

ADDED = 10
"""Readers of YAML that the other campaign does not have."""

INVENTORY = "name: small\ngpus: 16\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 8}}}\n"
PLAN = Case(("plan", "f.yaml", "--json"), {"f.yaml": INVENTORY})


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in SECONDS))
        for path in FOUND
    ],
)
def test_earlier_finds_stay_fixed(path: Path, tmp_path: Path) -> None:
    """Each case that once broke a promise keeps all of them."""
    case = read_case(path.read_text(encoding="utf-8"))
    assert list(replay(case, tmp_path)) == []


def test_each_reader_starts_from_a_valid_file(tmp_path: Path) -> None:
    """The search corrupts files, and no file is refused before it is corrupted."""
    refused = []
    for number, given in enumerate((*inputs(), *readers()[-ADDED:])):
        home = tmp_path / str(number)
        home.mkdir()
        ended = execute(Case(given.arguments, {**given.files, given.name: given.text}), home)
        refused += [(given.arguments, ended.err)] if ended.code > 1 or "error[" in ended.err else []
    assert refused == []


@pytest.mark.parametrize("text", [CLUSTER, SMALL_CLUSTER])
def test_extreme_facts_are_those_of_a_valid_cluster(text: str, tmp_path: Path) -> None:
    """Its parts are planned before one of their facts is made extreme."""
    assert execute(Case(("plan", "f.yaml"), {"f.yaml": text}), tmp_path).code == 0


def test_every_integer_of_the_inventory_is_drawn() -> None:
    """They are found in lists, mappings and alternatives of the schema."""
    paths = {count.path for count in counts()}
    assert {
        ("gpus",),
        ("devices", 0, "count"),
        ("networks", "storage", "leaves"),
        ("phases", 0, "gpus"),
        ("rails", "per_switch"),
    } <= paths


@pytest.mark.parametrize("form", ["lldp", "ibnetdiscover"])
def test_neighbors_with_names_are_as_planned(form: str, tmp_path: Path) -> None:
    """No fault is found before names are lost."""
    for number, fabric in enumerate(FABRICS):
        home = tmp_path / str(number)
        home.mkdir()
        assert list(search_neighbors(Losses(fabric, form, 0.0, 0), home)) == []


def test_a_good_run_breaks_no_promise(tmp_path: Path) -> None:
    """A plan is made, and its document is parsed."""
    ended = execute(PLAN, tmp_path)
    assert (ended.code, list(faults(PLAN, ended))) == (0, [])


def test_a_fault_of_the_program_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An uncaught exception is a fault, named by its place."""

    def broken(*_: object) -> NoReturn:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("fabricgen.build.load_plan.make_plan", broken)
    (fault,) = faults(PLAN, execute(PLAN, tmp_path))
    assert fault.startswith("exit code 3: fabricgen/")
    assert fault.endswith("ZeroDivisionError: a mistake")


GOOD = '{"ok": true, "findings": []}'
"""The least document of a command."""


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        (Ended(0, GOOD, "UserWarning: x", 0, 0), "a warning of a library"),
        (Ended(0, GOOD, "\x1b[31m", 0, 0), "a control character on the terminal"),
        (
            Ended(0, GOOD + "{}", "", 0, 0),
            "stdout is not one JSON document: Extra data: line 1 column 29 (char 28)",
        ),
        (Ended(1, GOOD, "", 0, 0), "`ok` and `findings` do not agree with exit code 1"),
        (Ended(0, "[]", "", 0, 0), "the JSON document is not an object"),
        (Ended(0, GOOD, "", 11, 0), "11 CPU seconds"),
        (Ended(0, GOOD, "", 0, 501), "501 MiB"),
        (Ended(2, "", "", 0, 0), "it failed without a word"),
    ],
)
def test_each_broken_promise_is_detected(ended: Ended, fault: str) -> None:
    """Each is detected where it alone is broken."""
    assert list(faults(PLAN, ended)) == [fault]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Build cables and bill of a small fabric."""
    ended = execute(
        Case(("build", "f.yaml", "-o", "out", "--only", "cabling,bom"), PLAN.files), tmp_path
    )
    assert ended.code == 0, ended.err
    return tmp_path / "out"


def test_counts_that_disagree_are_detected(built: Path, tmp_path: Path) -> None:
    """A missing cable in the sheet and another total in the plan are both named."""
    summary = json.loads(execute(PLAN, tmp_path).out)
    assert list(count_faults(built, summary)) == []
    sheet = built / "cabling/cables.csv"
    sheet.write_text(
        "".join(sheet.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8"
    )
    summary["switches"]["total"] += 1
    found = list(count_faults(built, summary))
    assert found[0] == "the manifest is wrong about cabling/cables.csv"
    assert "cables join 15 pairs of ports, and the plan has 16 links" in found
    assert any(fault.startswith("the bill has 8 of class switch") for fault in found)
