"""The bill has the power cords that `power-cords.csv` lists, but for those of boxes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.breakdown import by_rack, by_role, racks_of
from fabricgen.bom.breakdown.cluster_racks import cluster_racks
from fabricgen.bom.cluster_bill import bill_of, cluster_bom
from fabricgen.bom.summary import cost
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.power_cords import plan_power
from tests.fabrics import plan_of, small_plan
from tests.mutations.power import POWERED, power

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Plan a cluster with PDUs: hosts with their cords, known inlets, and an unknown one."""
    return plan_of(**POWERED)


def test_bought_and_supplied_cords_are_those_of_the_racks(plan: Plan) -> None:
    """Each model has as many cords on the bill and in boxes as inlets of it are plugged in."""
    text = Packs().render("bom", "bom.csv.j2", bom=bom_view(cluster_bom(plan), plan))
    counted = Counter[str]()
    for row in csv.DictReader(io.StringIO(text)):
        if row["class"] == "cords" and row["row"] in ("part", "count"):
            counted[row["part"]] += int(row["quantity"])
    inlets = Counter(plan.catalog.power_cord(cord.inlet).model for cord in power().cords)
    assert counted == inlets
    assert set(counted) == {"c13-c14", "c19-c20", "power-cord"}


def test_cords_in_the_boxes_of_hosts_are_not_bought(plan: Plan) -> None:
    """A DGX H100 comes with its six; the terms of the bill state it, and the unknown inlets."""
    view = bom_view(cluster_bom(plan), plan)
    assert [(each.part, each.purpose, each.quantity) for each in view.supplied] == [
        ("c19-c20", "host", "48")
    ]
    assert not any(part.part == "c19-c20" for part in view.parts)
    said = " ".join(view.terms)
    assert "48 power cords c19-c20 of host" in said
    assert "does not know the inlets of sn2201" in said


def test_cords_of_racks_and_of_roles_are_those_of_the_bill(plan: Plan) -> None:
    """Each is in the rack of its device."""
    bom = cluster_bom(plan)
    racks = cluster_racks(plan, racks_of(plan))
    bought = {line.item: line.quantity for line in bom.lines if line.part_class == "cords"}
    for divided in (by_rack(bom, racks), by_role(bom)):
        found = Counter[str]()
        for line in divided:
            if line.line.part_class == "cords":
                assert line.place != "no rack"
                found[line.line.item] += line.quantity
        assert found == bought


def test_spare_cords_and_their_prices() -> None:
    """They follow `spares` and `prices` of the class."""
    prices = {"c13-c14": 5, "power-cord": 8, "ap8886": 900}
    plan = plan_of(**POWERED, spares={"cords": {"minimum": 1}}, prices={"parts": prices})
    lines = [line for line in bill_of(plan).lines if line.part_class == "cords"]
    assert {line.spares for line in lines} == {1}
    assert cost(bill_of(plan)).devices == 8 * 900
    assert cost(bill_of(plan)).cords == sum(prices[line.part] * line.order for line in lines)


def test_a_bill_without_known_pdus_has_no_cords() -> None:
    """A compute fabric alone has none, and neither has a generated room."""
    room = {key: value for key, value in POWERED.items() if key != "site"}
    for plan in (small_plan(), plan_of(**room)):
        assert plan_power(plan) is None
        assert not any(line.part_class == "cords" for line in bill_of(plan).lines)
