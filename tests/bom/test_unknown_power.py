"""A maximum of power is never typical: not printed, summed, billed or compared as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.search.result import search_result
from fabricgen.analysis.search.search import search
from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.savings import savings_view
from fabricgen.bom.cluster_bill import bill_of
from fabricgen.bom.comparison import compare
from fabricgen.bom.loads import cluster_loads
from fabricgen.bom.ownership import cost_of_ownership
from fabricgen.bom.ownership_tables import ownership_tables
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.cli.plan import summary_text
from tests.fabrics import CATALOG, plan_of, spec_of

if TYPE_CHECKING:
    from fabricgen.bom.ownership import OwnershipCost

LEAF = {"model": "ais800-64o", "breakout": "2x400G"}
"""A switch of which only the maximum is published: 2,775 W."""

PW: dict[str, Any] = {
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "nic": {"speed": "400G"},
    "rails": {"per_switch": 1},
    "switches": {"leaf": LEAF},
    "site": "unknown",
}


def test_only_the_maximum_is_summed() -> None:
    """Typical power and its heat are unknown, with the model that lacks them."""
    plan = plan_of(**PW)
    bom = make_bom(plan)
    summary = summarize(plan, bom)
    assert (summary.power_w, summary.heat_btu_h, summary.power_max_w) == (None, None, 38_072)
    assert summary.unknown["power_w"] == ["ais800-64o"]
    text = summary_text(summary)
    assert "typical power of ais800-64o not published, 38,072 W at most, without hosts" in text
    (box,) = (line for line in bom.lines if line.part_class == "switches")
    assert box.power_w is None
    assert box.power_max_w == 22_200
    assert cluster_loads(plan, bill_of(plan)).boxes["leaf"].power_w is None


@pytest.mark.parametrize(
    ("model", "keys"),
    [
        ("q3400", {"nic": {"speed": "800G"}}),
        ("as4630-54te", {"nic": {"speed": "1G"}, "rails": {"count": 1}, "gpus": 32}),
    ],
)
def test_other_switches_of_the_catalog_are_alike(model: str, keys: dict[str, Any]) -> None:
    """Every switch of which the catalog has the maximum alone."""
    plan = plan_of(**PW | {"switches": {"leaf": {"model": model}}} | keys)
    assert summarize(plan, make_bom(plan)).power_w is None


def cost_of(**keys: Any) -> OwnershipCost:  # noqa: ANN401 - keys of an inventory
    """Return the cost of ownership of an inventory."""
    asked = {"years": 4, "kwh_price": 0.1}
    return cost_of_ownership(compare(spec_of(**PW | keys, ownership=asked), CATALOG))


def test_energy_of_unknown_power_is_a_lower_bound() -> None:
    """The maximum is not billed, and the sums are marked."""
    found = cost_of()
    (ours, *_) = found.designs
    assert (ours.power_w, ours.unknown_power) == (15_872, ["ais800-64o"])
    assert all(saving.bound != "exact" for saving in found.savings.values())
    rows = {row[0]: row[1] for row in ownership_tables(found).costs}
    assert rows["power, W"] == "at least 15,872"
    assert rows["energy"].startswith("at least ")
    assert rows["total"].startswith("at least ")
    prices = {"parts": {"mfp7e10": 60}}
    rows = {row[0]: row[1] for row in ownership_tables(cost_of(prices=prices)).costs}
    assert not rows["capital"].startswith("at least ")
    assert rows["total"].startswith("at least ")


def test_savings_have_no_typical_power_that_is_exact() -> None:
    """The row of typical power is left out, and the sentence names the model."""
    view = savings_view(compare(spec_of(**PW), CATALOG))
    figures = {row.figure for row in view.rows}
    assert "typical power" not in figures
    assert "most power" in figures
    assert any("typical power of ais800-64o is not published" in text for text in view.left_out)


def test_a_search_compares_no_maximum_with_a_typical_power() -> None:
    """Neither switch is left out for its watts, and none is ranked by prices that are missing."""
    offer = {
        "switches": ["sn5600", "ais800-64o"],
        "max_tiers": 1,
        "per_switch": [1],
        "designs": ["rail-only"],
    }
    found = search_result(search(spec_of(**PW, search=offer), CATALOG), None)
    assert [(row.switch, row.power_w) for row in found.designs] == [
        ("sn5600", 23_392),
        ("ais800-64o", None),
    ]
    assert found.designs[1].power_unknown == ["ais800-64o"]
    assert not any(row.cheapest or row.cost_is_known for row in found.designs)


def test_the_bill_has_no_typical_power() -> None:
    """Its cell is empty, as are the subtotal and the total."""
    plan = plan_of(**PW)
    view = bom_view(make_bom(plan), plan)
    (switch,) = (part for part in view.parts if part.part_class == "switches")
    assert (switch.power_w, switch.power_max_w) == ("", "22200")
    assert view.sums[-1].power_w == ""
    assert "power unknown: ais800-64o" in view.sums[-1].description
