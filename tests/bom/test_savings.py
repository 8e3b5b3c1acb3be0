"""The report on the savings of the rail-only design: figures, sentences and exclusions."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.breakdown.savings import savings_view
from fabricgen.bom.breakdown.view import bounded, grouped
from fabricgen.bom.comparison import Comparison, compare
from fabricgen.bom.comparison_table import comparison_view
from fabricgen.bom.priced_bill import make_bom
from fabricgen.cli.compare import comparison_text
from fabricgen.core.terms import Design
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import CATALOG, CLUSTER, plan_of, spec_of

if TYPE_CHECKING:
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.view import SavingsView, SavingView

PAPER: dict[str, Any] = {"name": "paper", "gpus": 32768, "hb_domain": {"gpus": 256}, "radix": 64}
SPLIT = {"speed": "400G", "split": "4x100G"}
TORUS: dict[str, Any] = {"medium": "direct", "topology": {"kind": "torus-2d", "dimensions": [4, 4]}}
DGX: dict[str, Any] = {
    "name": "pod",
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "prices": {
        "book": "street-2026-09",
        "exchange": {"currency": "EUR", "rate": 0.92, "date": "2026-09-22"},
    },
}


def compared(**keys: Any) -> Comparison:  # noqa: ANN401 - keys of an inventory
    """Compare the designs of an inventory."""
    return compare(spec_of(**keys), CATALOG)


def rows_of(view: SavingsView) -> dict[str, SavingView]:
    """Return the rows by figure."""
    return {row.figure: row for row in view.rows}


def test_each_amount_is_the_difference_of_two_totals() -> None:
    """For every known figure, against both designs; percentages are those of `compare`."""
    comparison = compared(**PAPER)
    view = savings_view(comparison)
    for row in view.rows:
        ours, *theirs = (Decimal(value) for value in row.values)
        assert [Decimal(saved) for saved in row.saved] == [other - ours for other in theirs], (
            row.figure
        )
    against = {design: comparison.savings_against(Design(design)) for design in view.baselines}
    for name, key in (
        ("cost", "cost_pct"),
        ("typical power", "power_pct"),
        ("switches", "switches_pct"),
    ):
        assert [float(pct) for pct in rows_of(view)[name].saved_pct] == [
            getattr(against[design], key) for design in view.baselines
        ]
    assert against["fat-tree"] == comparison.savings
    assert comparison.document()["savings_against"] == {
        design: savings.document() for design, savings in against.items()
    }


def test_the_headline_is_the_papers() -> None:
    """Row 1 of the rail-only paper: 40 % of the switches and 38 % of the cost."""
    _, headline = savings_view(compared(**PAPER)).headline
    assert headline == (
        "Against the fat-tree design, rail-only takes 1,024 fewer switches (40 %), "
        "1,572,864 W less power (37.5 %), and USD 58,523,648 less in cost of priced parts (38.3 %);"
        " "
        "no price, excluded from the cost: generic-fibre (65,536 as rail-only, 98,304 as fat-tree)."
    )


def test_what_costs_more_is_reported_as_more() -> None:
    """Small rails on large switches.

    Rail-only takes a switch per rail, the fat-tree one for all.
    """
    view = savings_view(compared(gpus=64, hb_domain={"gpus": 8}, radix=64))
    assert view.headline[1].startswith(
        "Against the fat-tree design, rail-only takes 7 more switches (700 %), "
    )
    assert "more in cost" in view.headline[1]
    row = rows_of(view)["switches"]
    assert (row.saved[1], row.saved_pct[1]) == ("-7", "-700")


def test_the_report_names_what_it_leaves_out() -> None:
    """Unpriced parts, unpublished figures, NICs that no bill counts, and labor.

    Prices have their book, date and rate.
    """
    view = savings_view(compared(**DGX))
    left_out, counted = "\n".join(view.left_out), "\n".join(view.counted)
    assert (
        "No price, excluded from the cost: mfp7e10 (256 as rail-only, 512 as rail-optimized, "
        "512 as fat-tree)."
    ) in left_out
    assert "Hosts, NICs and GPUs" in left_out
    assert "Labor" in left_out
    assert "`street-2026-09` of 2026-09-22" in counted
    assert "Paid in EUR at 0.92 for 1 USD, the rate of 2026-09-22" in counted
    assert "cost of cables" not in rows_of(view)
    with_nics = savings_view(compared(**DGX | {"nic": {"model": "connectx-7"}}))
    assert "Hosts and GPUs" in "\n".join(with_nics.left_out)


def unpriced(bom: Bom, *parts: str) -> Bom:
    """Return a bill in which some parts have no price."""
    lines = (replace(line, unit_price=None) if line.part in parts else line for line in bom.lines)
    return replace(bom, lines=tuple(lines))


@pytest.mark.parametrize(
    ("ours", "theirs", "bound", "words"),
    [
        ((), (), "exact", "less in cost ("),
        ((), ("mfp7e10",), "at least", "and at least EUR"),
        (("mfp7e10",), (), "at most", "and at most EUR"),
        (("mfp7e10",), ("mfp7e10",), "of priced parts", "less in cost of priced parts ("),
    ],
)
def test_unpriced_parts_bound_a_saving(
    ours: tuple[str, ...], theirs: tuple[str, ...], bound: str, words: str
) -> None:
    """Unpriced parts of the other design make it larger, those of rail-only smaller.

    Where both have some, the saving is of priced parts. The headline names them, and the page, the
    table and `compare` say the same. Savings in other figures are exact.
    """
    prices = DGX["prices"] | {"parts": {"mfp7e10": 60}}
    (first, bom), *others = compared(**DGX | {"prices": prices}).built
    rest = ((plan, unpriced(other, *theirs)) for plan, other in others)
    comparison = Comparison(((first, unpriced(bom, *ours)), *rest), refused=())
    view = savings_view(comparison)
    row, savings = rows_of(view)["cost"], comparison.savings
    assert (savings.cost_bound, row.bounds[1]) == (bound, bound)
    assert words in view.headline[1]
    assert all(part in view.headline[1] for part in (*ours, *theirs))
    assert row.shown[-1] == bounded(f"{grouped(row.saved[1])} ({row.saved_pct[1]} %)", bound)
    assert bounded(f"{savings.cost_pct} %", savings.cost_bound) in comparison_text(comparison)
    assert row.value_bounds == [
        "at least" if parts else "exact" for parts in (ours, theirs, theirs)
    ]
    assert [cell.startswith("at least ") for cell in row.shown[1:4]] == [
        bool(parts) for parts in (ours, theirs, theirs)
    ]
    costs = next(line for line in comparison_text(comparison).splitlines() if "cost, " in line)
    assert costs.count(">= ") == bool(ours) + 2 * bool(theirs)
    figure = next(
        figure for figure in comparison_view(comparison).figures if figure.figure == "cost"
    )
    assert (bound in figure.note) == (bound != "exact")
    assert rows_of(view)["switches"].bounds == ["exact", "exact"]


def test_an_additional_cost_is_bounded_from_the_other_side() -> None:
    """Rail-only costs more: unpriced parts of the other design make that less."""
    (first, bom), *others = compared(gpus=64, hb_domain={"gpus": 8}, radix=64).built
    fibre = tuple(line for line in bom.lines if line.part != "generic-fibre")
    view = savings_view(Comparison(((first, replace(bom, lines=fibre)), *others), ()))
    assert "and at most USD" in view.headline[1]
    assert "more in cost (" in view.headline[1]


def test_a_class_without_parts_costs_nothing() -> None:
    """Direct rails have no switches, which is known; a class of unpriced parts is not."""
    view = savings_view(compared(gpus=128, hb_domain={"gpus": 8}, radix=64, nic=SPLIT, rails=TORUS))
    assert rows_of(view)["cost of switches"].values[0] == "0"
    assert "cost of cables" not in rows_of(view)
    assert "Rail-only: no switches." in view.compared


def test_equal_tiers_explain_that_nothing_is_saved() -> None:
    """A rail that takes the tiers of the whole cluster takes its switches, and texts state it."""
    reason = "ail-only saves no switches here: a rail takes 2 tiers, as many as the whole cluster"
    equal = compared(gpus=128, hb_domain={"gpus": 8}, radix=16, rails={"count": 2})
    assert savings_view(equal).headline[-1].startswith(f"R{reason}")
    assert f"\nr{reason}" in comparison_text(equal)
    fewer = compared(**PAPER)
    assert len(savings_view(fewer).headline) == 2
    assert reason not in comparison_text(fewer)


def test_a_design_that_cannot_be_built_has_no_savings() -> None:
    """The report has the reason, and leaves its figures empty."""
    comparison = compared(gpus=1024, hb_domain={"gpus": 8}, radix=8)
    assert [design for design, _ in comparison.refused] == ["rail-optimized", "fat-tree"]
    view, finding = savings_view(comparison), comparison.refused[1][1]
    assert view.headline[1] == (
        "Against the fat-tree design there is no comparison: fat-tree cannot be built "
        f"here, because {finding.fact}."
    )
    row = rows_of(view)["switches"]
    assert (row.values[1:], row.saved, row.saved_pct) == (["", ""], ["", ""], ["", ""])
    assert row.shown[2:] == ["not known"] * 4


def test_the_sentences_name_the_networks_that_are_not_compared() -> None:
    """Networks beside the compute fabric are in no figure, and a sentence states that."""
    view = savings_view(compared(**CLUSTER))
    (named,) = (sentence for sentence in view.compared if "not counted" in sentence)
    assert named.endswith("storage, inband, oob.")
    assert not any("With these networks" in sentence for sentence in view.compared)
    plan = plan_of(**CLUSTER)
    known = compare(plan.spec, plan.catalog, (plan, make_bom(plan)))
    (text,) = (text for text in savings_view(known).compared if "With these networks" in text)
    plans = [plan, *plan.networks.values()]
    assert f" and {sum(each.cables for each in plans):,} cables" in text
    assert not any(
        "not counted" in sentence for sentence in savings_view(compared(**PAPER)).compared
    )


def test_designs_are_compared_in_one_room() -> None:
    """All of them choose parts by the same lengths.

    Where a room suits one design only, the others have parts of an assumed reach, and the report
    names them.
    """
    printed = [
        savings_view(compared(**DGX | {"site": site})).compared
        for site in ({}, {"media": {"leaf_spine": ["aoc"]}})
    ]
    found = [[text for text in texts if text.startswith("The room")] for texts in printed]
    assert found[0] == []
    assert len(found[1]) == 1
    assert "suits the rail-only design" in found[1][0]
    rooms = [
        plan.lengths.room
        for plan, _ in compared(**DGX | {"site": {"rows": 3, "rack": {"units": 48}}}).built
        if plan.lengths
    ]
    assert [(room.generated, room.shares.rack.rack_units, room.site.rows) for room in rooms] == [
        (False, 48, 3),
        (False, 48, None),
        (False, 48, None),
    ]


@pytest.mark.parametrize("keys", [PAPER, DGX], ids=["paper", "superpod"])
def test_the_page_and_the_table_agree(keys: dict[str, Any]) -> None:
    """Every row of the table is a row of the page, with as many cells as its head.

    Every sentence is in both; the table has no marks of Markdown.
    """
    view, packs = savings_view(compared(**keys)), Packs()
    page, table = (
        packs.render("bom", f"savings.{ending}.j2", savings=view) for ending in ("md", "csv")
    )
    titles, *rows = csv.reader(io.StringIO(table), strict=True)
    assert {len(row) for row in rows} == {len(titles)}
    figures = [row for row in rows if row[0] == "figure"]
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert len(lines) == len(figures) + 2
    assert {line.count("|") for line in lines} == {len(view.designs) + len(view.baselines) + 2}
    sentences = page.replace("`", "").splitlines()
    for row in rows:
        assert row[0] == "figure" or f"- {row[-1]}" in sentences
    assert page.startswith(f"# What {keys['name']} saves as a rail-only fabric\n")
    assert "\n\n\n" not in page
