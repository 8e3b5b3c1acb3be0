"""A cut sheet becomes the plan that it describes, whatever the names of its columns.

Lines that do not fit are refused one by one.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.laws import check
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from fabricgen.lifecycle.change.import_cut_sheet import import_cut_sheet
from fabricgen.lifecycle.change.lower_bound import fewest_moves
from tests.fabrics import CATALOG, cables_of, plan_of, spec_of
from tests.laws.drawing import Inventory, inventories
from tests.laws.drawn import planned_or_refused
from tests.lifecycle.change.replay import wired

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan

    Write = Callable[..., Path]

BASE: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 4}, "radix": 8}
HEADER = ("a_device", "a_interface", "b_device", "b_interface")
Cable = tuple[str, str, str, str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a cut sheet."""

    def sheet(rows: list[Cable], header: tuple[str, ...] = HEADER) -> Path:
        path = tmp_path / "sheet.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
        return path

    return sheet


def rows_of(plan: Plan) -> list[Cable]:
    """Return the rows of a plan's own cut sheet."""
    return [
        (view.a_device, view.a_interface, view.b_device, view.b_interface)
        for view in cables_of(plan)
    ]


def exchanged(rows: list[Cable]) -> list[Cable]:
    """Exchange two hosts, and two uplinks of each first leaf, in every rail alike."""
    hosts, ports = {"host-01": "host-06", "host-06": "host-01"}, {"swp5": "swp8", "swp8": "swp5"}
    found = []
    for a, interface, b, port in rows:
        first = a.endswith("leaf-1")
        found.append(
            (hosts.get(a, a), ports.get(interface, interface) if first else interface, b, port)
        )
    return found


def refusal(plan: Plan, path: Path) -> list[tuple[int | None, str]]:
    """Return the lines and the facts of a refusal."""
    with pytest.raises(Refusal) as refused:
        import_cut_sheet(plan, read_cut_sheet(path))
    assert all(finding.hint for finding in refused.value.findings)
    return [
        (finding.place.line if finding.place else None, finding.fact)
        for finding in refused.value.findings
    ]


def test_our_own_sheet_is_our_own_plan(write: Write) -> None:
    """A sheet of the rule's own cabling needs no kept plan, in any order of lines."""
    plan = plan_of(**BASE)
    taken = import_cut_sheet(plan, read_cut_sheet(write(rows_of(plan)[::-1])))
    assert taken.mapping.baseline is None
    assert taken.digest() == plan.digest()


def test_another_cabling_is_imported(write: Write) -> None:
    """The plan has exactly the cables of the sheet.

    It satisfies every law, and grows with the fewest moves.
    """
    plan = plan_of(**BASE)
    rows = exchanged(rows_of(plan))
    taken = import_cut_sheet(plan, read_cut_sheet(write(rows)))
    assert (
        wired(taken).keys()
        == {frozenset({f"{a} {port}", f"{b} {other}"}) for a, port, b, other in rows}
        != wired(plan).keys()
    )
    assert check(taken).broken == []
    new = grow(taken, spec_of(**BASE | {"gpus": 128}), CATALOG)
    assert diff(taken, new).moved == fewest_moves(taken, new)
    assert check(new).broken == []


def test_any_plan_is_imported_from_its_sheet(tmp_path: Path) -> None:
    """For any inventory the written sheet gives the plan back."""
    seen = 0

    @settings(max_examples=40)
    @given(inventories(), st.randoms(use_true_random=False))
    def hold(inventory: Inventory, random: Any) -> None:  # noqa: ANN401 - a type of hypothesis
        nonlocal seen
        plan = planned_or_refused(inventory)
        if plan and plan.cables < 3000:
            rows = rows_of(plan)
            random.shuffle(rows)
            path = tmp_path / "sheet.csv"
            path.write_text("\n".join(",".join(row) for row in [HEADER, *rows]), encoding="utf-8")
            assert wired(import_cut_sheet(plan, read_cut_sheet(path))).keys() == wired(plan).keys()
            seen += 1

    hold()
    assert seen >= 15


@pytest.mark.parametrize(
    "header",
    [
        ("Source Device", "Source Port", "Destination Device", "Destination Port"),
        ("from", "from_port", "to", "to_port"),
        ("Local Host", "Local Interface", "Remote Host", "Remote Interface"),
        ("device_a", "port_a", "device_z", "port_z"),
    ],
)
def test_columns_may_have_other_names(write: Write, header: tuple[str, ...]) -> None:
    """A side and a word, in either order; capital letters are ignored."""
    plan = plan_of(**BASE)
    rows = [(a.upper(), port, b, other.upper()) for a, port, b, other in rows_of(plan)]
    assert import_cut_sheet(plan, read_cut_sheet(write(rows, header))).digest() == plan.digest()


def changed(rows: list[Cable], at: int, **cells: str) -> list[Cable]:
    """Change cells of one row."""
    row = dict(zip(HEADER, rows[at], strict=True)) | cells
    return [
        *rows[:at],
        (row["a_device"], row["a_interface"], row["b_device"], row["b_interface"]),
        *rows[at + 1 :],
    ]


@pytest.mark.parametrize(
    ("cells", "output"),
    [
        ({"a_device": "no-device"}, "this inventory has no device `no-device`"),
        ({"a_interface": "nic9"}, "hosts have no interface `nic9`"),
        ({"b_interface": "swp99"}, "does not use `swp99`"),
        ({"b_device": "r1-leaf-1"}, "is no cable of this inventory"),
        ({"b_device": "host-02", "b_interface": "nic0"}, "is no cable of this inventory"),
        ({"b_interface": "swp2"}, "two cables cannot share a port"),
        ({"b_interface": "swp5"}, "is no cable of this inventory"),
    ],
)
def test_a_line_that_does_not_fit_is_named(
    write: Write, cells: dict[str, str], output: str
) -> None:
    """With its place; the first line of data is line 2."""
    plan = plan_of(**BASE)
    found = refusal(plan, write(changed(rows_of(plan), 0, **cells)))
    assert any(output in fact for _, fact in found), found
    assert found[0][0] in (2, 3)


def test_a_missing_line_is_named(write: Write) -> None:
    """By the port without a cable."""
    plan = plan_of(**BASE)
    assert refusal(plan, write(rows_of(plan)[1:])) == [(1, "no line has a cable at host-01 nic0")]


def test_rails_that_differ_are_named(write: Write) -> None:
    """Two hosts exchanged in one rail only are not a plan. The first port that differs is named."""
    plan = plan_of(**BASE)
    rows = rows_of(plan)
    one, other = (
        next(at for at, row in enumerate(rows) if row[:2] == (host, "nic1"))
        for host in ("host-01", "host-02")
    )
    rows = changed(changed(rows, one, a_device="host-02"), other, a_device="host-01")
    found = refusal(plan, write(rows))
    assert found == [(one + 2, "segment 2 is cabled differently from the first, at r1-leaf-1 swp1")]


def test_a_pod_is_not_crossed(write: Write) -> None:
    """In three tiers a leaf is linked to the spines of its own pod only."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 4}, radix=8, design="fat-tree", rails={"tiers": 3})
    rows = rows_of(plan)
    first = next(at for at, row in enumerate(rows) if "leaf" in row[0])
    last = next(at for at in range(len(rows) - 1, 0, -1) if "leaf" in rows[at][0])
    ends = rows[first][2:], rows[last][2:]
    rows = changed(
        changed(rows, first, b_device=ends[1][0], b_interface=ends[1][1]),
        last,
        b_device=ends[0][0],
        b_interface=ends[0][1],
    )
    assert [line for line, _ in refusal(plan, write(rows))] == [first + 2, last + 2]
