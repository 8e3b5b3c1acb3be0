"""The decision at the top of a report has the amounts of the bill, and bounds what has no price."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabricgen.api import plan_inventory
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.lifecycle.change.growth_ways import ways_to_grow
from fabricgen.outputs.report.decision import decision, editions
from fabricgen.outputs.report.key_figures import figures
from tests.fabrics import CATALOG, plan_of

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8}
BOXES: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}


def answers(**keys: Any) -> dict[str, str]:  # noqa: ANN401 - keys of an inventory
    """Return the decision on a fabric, the sentences of each answer joined."""
    plan = plan_of(**keys)
    found = decision(plan, cluster_bom(plan), compare(plan.spec, CATALOG, (plan, make_bom(plan))))
    return {answer.key: " ".join(answer.sentences) for answer in found}


def test_the_decision_has_the_amounts_of_the_bill() -> None:
    """What is bought with its spares, the total, its share per GPU, and the savings."""
    keys = {**SMALL, "spares": {"switches": {"minimum": 1}}}
    plan = plan_of(**keys)
    bom, told = make_bom(plan), answers(**keys)
    total = bom.cost()
    assert total is not None
    ordered = sum(
        line.quantity + line.spares for line in bom.lines if line.part_class == "switches"
    )
    assert f"{ordered} switches" in told["buy"]
    assert bom.power_w
    assert f"draws {bom.power_w / 1000:,.1f} kW" in told["cost"]
    assert "of which 1 are spares" in told["buy"]
    assert f"USD {total:,.0f}, which is USD {total / 32:,.0f} per GPU" in told["cost"]
    assert "Against the fat-tree design, rail-only takes" in told["savings"]
    assert f"{plan.cables} cables" in told["buy"]


def test_devices_with_a_model_are_bought() -> None:
    """They are in the bill; `devices` on leaves of compute are no network."""
    node, router = (
        {"name": f"{name}-{{n}}", "count": 2, "ports": {"compute": 2}, **model}
        for name, model in (("node", {"model": "storage-node"}), ("router", {}))
    )
    own = BOXES | {"design": "rail-optimized", "nic": {"speed": "400G"}}
    told = answers(**own, devices=[node])["buy"]
    assert "2 devices" in told
    assert "Beside it" not in told
    assert "Hosts, GPUs, racks, power" in told
    bare = answers(**own, devices=[node, router])["buy"]
    assert "GPUs, devices without a model in the catalog, racks" in bare


def test_key_figures_are_without_spares() -> None:
    """The decision counts what is ordered, the figures what is installed, and both state it."""
    keys = {**SMALL, "spares": {"cables": {"minimum": 3}, "transceivers": {"minimum": 3}}}
    plan = plan_of(**keys)
    bom = make_bom(plan)
    shown = {each.key: each for each in figures(plan, bom, summarize(plan, bom))}
    assert shown["cables"].value == f"{plan.cables:,}"
    ordered = sum(line.order for line in bom.lines if line.part_class == "cables")
    assert ordered > plan.cables
    assert f"{ordered} cables, of which" in answers(**keys)["buy"]
    assert all("without spares" in shown[key].note for key in ("cables", "transceivers"))


def test_a_total_without_some_prices_is_a_lower_bound() -> None:
    """The parts are named with their numbers; with every price the total is exact."""
    assert answers(**BOXES, prices="street-2026-09")["cost"].startswith("At least USD")
    assert "No price, excluded from every total: 64 mfp7e10" in answers(**BOXES)["cost"]
    prices = {"book": "paper-v5", "parts": {"mfp7e10": 100}}
    assert answers(**BOXES, prices=prices)["cost"].startswith("USD")
    no_book = {"book": "street-2026-09"}
    assert answers(**SMALL, prices=no_book)["cost"].startswith("Not known: no part has a price")


def test_each_design_states_its_limits() -> None:
    """Rail-only has no path between rails; the others reach everything.

    The largest failure and the oversubscription have their figures.
    """
    assert "No network path between GPUs of different rails" in answers(**SMALL)["limits"]
    for design in ("rail-optimized", "fat-tree"):
        assert "Nothing in reach" in answers(**SMALL, design=design)["limits"]
    assert "25 % of the network's bandwidth" in answers(**BOXES, rails={"count": 4})["limits"]
    narrow = answers(**{**SMALL, "gpus": 64}, oversubscription="3:1")
    assert "3:1 oversubscription" in narrow["limits"]


def test_dates_are_those_of_the_inventory() -> None:
    """Phases with their costs, the size that is numbered, and no date of today."""
    phases = [{"name": "first", "rails": 2}, {"name": "second"}]
    told = answers(**SMALL, phases=phases, reserve={"gpus": 64})["dates"]
    costs = [int(cost.replace(",", "")) for cost in re.findall(r"USD ([\d,]+), without", told)]
    assert len(costs) == 2
    assert sum(costs) == make_bom(plan_of(**SMALL, reserve={"gpus": 64})).cost()
    assert "numbered for 64 GPUs, so that 32 can be added" in told
    assert "In one phase" in answers(**SMALL)["dates"]


def test_lead_times_are_those_of_the_quotes(tmp_path: Path) -> None:
    """The longest one with its part, the parts without, and the first quote that ends."""
    book = tmp_path / "quote.yaml"
    book.write_text(
        "name: quote\ndescription: ours\ncurrency: EUR\nsource: own\nquotes:\n"
        "  - {part: sn5600, price: 50000, lead_time_days: 84, valid_until: 2026-12-31}\n"
        "  - {part: mfp7e10, price: 100, lead_time_days: 14, valid_until: 2026-11-30}\n",
        encoding="utf-8",
    )
    plan = plan_inventory({"name": "quoted", **BOXES, "prices": str(book)})
    bom = make_bom(plan)
    found = decision(plan, bom, compare(plan.spec, plan.catalog, (plan, bom)))
    told = {answer.key: " ".join(answer.sentences) for answer in found}
    assert "The longest lead time is 84 days, of sn5600" in told["dates"]
    assert "No lead time is stated for" in told["dates"]
    assert "mfp7e10" not in told["dates"]
    assert "The first of its quotes ends on 2026-11-30" in told["prices"]
    assert "states no lead times" in answers(**BOXES)["dates"]


def test_phases_by_gpus_are_those_of_the_recommended_way() -> None:
    """Each phase has its cost, and the sum is that of all."""
    keys = {**SMALL, "phases": [{"gpus": 16}, {"gpus": 32}]}
    told = answers(**keys)["dates"]
    costs = [int(cost.replace(",", "")) for cost in re.findall(r"USD ([\d,]+), without", told)]
    way = ways_to_grow(plan_of(**keys).spec, CATALOG).recommended
    assert costs == [phase.cost for phase in way.phases]


def test_a_cheaper_mapping_is_part_of_the_decision() -> None:
    """It has the line to write; a plan without one has no such answer."""
    half_empty = answers(**BOXES)
    assert "rails.per_switch" in half_empty["cheaper"]
    assert "cheaper" not in answers(**BOXES, rails={"per_switch": "auto"})


def test_a_report_has_the_date_of_its_prices_only() -> None:
    """An undated book has none."""
    for book, text in (("street-2026-09", "street-2026-09 of 2026-09-22"), ("paper-v5", "undated")):
        plan = plan_of(**BOXES, prices=book)
        assert editions(plan, make_bom(plan))[1].endswith(text)
        assert book in answers(**BOXES, prices=book)["prices"]
