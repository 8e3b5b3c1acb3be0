"""The cost of ownership: capital, support and energy by hand, and the prices that decide."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.comparison import compare
from fabricgen.bom.ownership import cost_of_ownership
from fabricgen.bom.ownership_tables import ownership_tables
from fabricgen.cli import run
from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.report.report import Report
from tests.fabrics import CATALOG, plan_of, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.ownership import BreakEven, DesignCost, OwnershipCost

QUOTE: dict[str, float] = {
    "sn5600": 51200,
    "mma4z00-ns": 598,
    "mma4z00-ns-flt": 948,
    "mfp7e10": 80,
}
HALL: dict[str, Any] = {
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "prices": {"book": "street-2026-09", "parts": QUOTE},
}
TERMS: dict[str, Any] = {
    "years": 4,
    "kwh_price": 0.12,
    "pue": 1.3,
    "support_pct": {"switches": 8},
}


def owned(**keys: Any) -> OwnershipCost:  # noqa: ANN401 - keys of an inventory
    """Return the cost of ownership of an inventory."""
    return cost_of_ownership(compare(spec_of(**keys), CATALOG))


def of_design(found: OwnershipCost, design: str) -> DesignCost:
    """Return the cost of a design."""
    return next(each for each in found.designs if each.design == design)


def even(found: OwnershipCost, against: str, group: str) -> BreakEven:
    """Return where the prices of a group break even."""
    return next(each for each in found.break_even if (each.against, each.group) == (against, group))


def test_capital_support_and_energy_by_hand() -> None:
    """Eight switches of 51,200 and 22.88 kW: 8 % a year, and 35,040 hours at a PUE of 1.3."""
    found = owned(**HALL, ownership=TERMS)
    ours = of_design(found, "rail-only")
    assert ours.capital["switches"] == 8 * 51200
    assert ours.capital["total"] == 1_283_072
    assert (ours.support_per_year, ours.support) == (32_768, 131_072)
    assert ours.power_w == 22_880
    assert ours.energy_kwh == round(22.88 * 4 * 8760 * 1.3, 2)
    assert ours.energy == 125_067.57
    assert ours.total == 1_539_211.57
    assert ours.total_per_gpu == 1503.14
    assert ours.total_per_gbps == 3.76
    assert found.nic_gbps == 1024 * 400
    assert ours.without_support == ["mma4z00-ns-flt", "mma4z00-ns", "mfp7e10"]


def test_prices_change_by_a_fifth() -> None:
    """Support follows the price of switches; energy and optics stay as they are."""
    found = owned(**HALL, ownership=TERMS)
    changes = {(each.group, each.change_pct): each for each in found.sensitivity}
    switches = 409_600 + 131_072
    assert changes["switches", -20].totals["rail-only"] == round(1_539_211.57 - switches / 5, 2)
    assert changes["switches", 20].totals["rail-only"] == round(1_539_211.57 + switches / 5, 2)
    optics = 1_283_072 - 409_600
    assert changes["optics", 20].totals["rail-only"] == round(1_539_211.57 + optics / 5, 2)
    assert changes["optics", 20].savings_pct["fat-tree"] is not None


def test_the_price_of_a_switch_at_which_two_designs_cost_the_same() -> None:
    """Eight switches against six and 256 links between them: 2 p = 256 (598 + 80)."""
    decides = even(owned(**HALL | {"gpus": 256}), "fat-tree", "switches")
    assert decides.prices == {"sn5600": 256 * 678 / 2}
    assert decides.price_pct == 169.5
    assert decides.rail_only_is_cheaper == "below"


@pytest.mark.parametrize("group", ["switches", "optics"])
def test_at_the_price_that_breaks_even_the_totals_are_equal(group: str) -> None:
    """Planned again with those prices, support and energy included."""
    hall = HALL | {"gpus": 256, "ownership": TERMS}
    decides = even(owned(**hall), "fat-tree", group)
    assert decides.prices
    prices = {"book": "street-2026-09", "parts": QUOTE | decides.prices}
    found = owned(**hall | {"prices": prices})
    ours, theirs = (of_design(found, design).total for design in ("rail-only", "fat-tree"))
    assert ours is not None
    assert theirs == pytest.approx(ours, abs=2)


def test_designs_with_fewer_of_everything_never_break_even() -> None:
    """Rail-only is cheaper at every price; equal fabrics cost the same at every price."""
    found = owned(**HALL, ownership=TERMS)
    assert {each.rail_only_is_cheaper for each in found.break_even} == {"always"}
    same = owned(**HALL | {"gpus": 2048})
    assert {each.rail_only_is_cheaper for each in same.break_even} == {"same"}


def test_what_is_not_stated_is_left_out_and_named() -> None:
    """No term has a default: capital alone, and a sentence for each missing term."""
    found = owned(**HALL)
    ours = of_design(found, "rail-only")
    assert (ours.support, ours.energy, ours.energy_kwh) == (None, None, None)
    assert ours.total == ours.capital["total"]
    assert [text.partition(" (")[0] for text in found.missing[:3]] == [
        "support and energy",
        "energy",
        "support",
    ]
    no_pue = owned(**HALL, ownership={"years": 1, "kwh_price": 0.1})
    assert of_design(no_pue, "rail-only").energy_kwh == 22.88 * 8760
    assert any("no PUE" in text for text in no_pue.missing)


def test_unpriced_parts_bound_the_savings() -> None:
    """A cable without a price is named, and the saving is not called exact."""
    quote = {part: price for part, price in QUOTE.items() if part != "mfp7e10"}
    found = owned(**HALL | {"prices": {"book": "street-2026-09", "parts": quote}})
    assert of_design(found, "rail-only").unpriced == ["mfp7e10"]
    assert found.savings["fat-tree"].bound == "of priced parts"
    assert any(text.startswith("mfp7e10 (no price)") for text in found.missing)
    rows = {row[0]: row[1:] for row in ownership_tables(found).costs}
    assert all(cell.startswith("at least ") for cell in (*rows["capital"], *rows["total"]))
    (_, unchanged, *_) = ownership_tables(found).changes
    assert all(cell.endswith(" % of priced parts") for cell in unchanged[-2:])


def test_the_percentage_of_a_price_book_takes_precedence() -> None:
    """A part's own percentage is used where the book has one."""
    comparison = compare(spec_of(**HALL, ownership=TERMS), CATALOG)
    rates = {"sn5600": Decimal(5), "mma4z00-ns": Decimal(1)}
    built = tuple(
        (plan, replace(bom, book=bom.book.model_copy(update={"support_pct_per_year": rates})))
        for plan, bom in comparison.built
    )
    ours = of_design(cost_of_ownership(replace(comparison, built=built)), "rail-only")
    assert ours.support_per_year == 23_541.76  # 20,480 and 3,061.76


def test_the_options_take_precedence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of three terms are overridden, and the text has every design and what is left out."""
    monkeypatch.chdir(tmp_path)
    inventory = inventory_text(spec_of(**HALL, ownership=TERMS))
    (tmp_path / "hall.yaml").write_text(inventory, encoding="utf-8")
    assert run(["cost", "hall.yaml", "--years", "2", "--pue", "1.5"]) == 0
    shown = capsys.readouterr().out
    assert "2 years, USD 0.12 a kWh, PUE 1.5" in shown
    assert "rail-only is cheaper than fat-tree at every price of switches" in shown
    assert "support of mma4z00-ns-flt, mma4z00-ns, mfp7e10 (no percentage)" in shown
    assert run(["cost", "hall.yaml", "--pue", "0.9"]) == 2


def test_the_report_has_the_cost_where_the_inventory_has_terms() -> None:
    """The tables and sentences that `cost` prints, ready for the page."""
    page, found = Report.of(plan_of(**HALL, ownership=TERMS)).page, owned(**HALL, ownership=TERMS)
    shown = page["ownership"]
    assert shown == ownership_tables(found).document()
    assert ["total", "1,539,212"] in [row[:2] for row in shown["costs"]]
    assert shown["terms"] == "USD, prices street-2026-09, 4 years, USD 0.12 a kWh, PUE 1.3"
    (cost,) = (answer["sentences"] for answer in page["decision"] if answer["key"] == "cost")
    assert any("Over 4 years" in each and "USD 1,539,212 in all" in each for each in cost)
    assert Report.of(plan_of(**HALL)).page["ownership"] is None
