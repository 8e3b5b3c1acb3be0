"""The bill of a whole cluster has its hosts and racks; that of a compute fabric has neither."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.breakdown import by_rack, by_role, racks_of
from fabricgen.bom.breakdown.build import loads_view
from fabricgen.bom.breakdown.cluster_racks import cluster_racks
from fabricgen.bom.cluster_bill import bill_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import cost, summarize
from tests.fabrics import plan_of, small_plan
from tests.mutations.power import POWERED

if TYPE_CHECKING:
    from fabricgen.bom.bill import Bom
    from fabricgen.planning.plan import Plan

PRICES = {"dgx-h100": 300_000, "generic-rack-42u": 2_500}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Plan eight hosts in a known room, with an out-of-band network and PDUs."""
    return plan_of(**POWERED)


def _housed(bom: Bom) -> dict[str, tuple[str, int, int]]:
    """Return the lines of hosts and racks: class, quantity and spares by part."""
    return {
        line.part: (line.part_class, line.quantity, line.spares)
        for line in bom.lines
        if line.part_class in ("hosts", "racks")
    }


def test_hosts_and_racks_are_those_of_the_room(plan: Plan) -> None:
    """A rack counts once, however much is in it; neither has spares."""
    assert plan.lengths
    racks = len(set(plan.lengths.room.positions.rack.tolist()))
    assert _housed(bill_of(plan)) == {
        "dgx-h100": ("hosts", len(plan.hosts), 0),
        "generic-rack-42u": ("racks", racks, 0),
    }


def test_a_rack_is_named_by_its_size() -> None:
    """What it carries is described as the inventory states it."""
    rack = {"units": 48, "power_w": 45_000, "weight_kg": 1_360, "pitch_mm": 800}
    lines = bill_of(plan_of(**POWERED | {"devices": [], "site": {"rack": rack}})).lines
    (line,) = (line for line in lines if line.part_class == "racks")
    assert line.part == "generic-rack-48u"
    assert line.description == "rack of 48 units for a pitch of 800 mm, for 45,000 W and 1,360 kg"


def test_a_bill_without_networks_has_neither() -> None:
    """Neither has one with devices on leaves of compute; that of a generated room has no racks."""
    generated = plan_of(**{key: value for key, value in POWERED.items() if key != "site"})
    assert [*_housed(bill_of(generated))] == ["dgx-h100"]
    node = {"name": "node-{n}", "count": 2, "model": "storage-node", "ports": {"compute": 2}}
    compute = {key: value for key, value in POWERED.items() if key != "networks"}
    for plan in (small_plan(), plan_of(**compute | {"devices": [node]})):
        assert not _housed(bill_of(plan))


def test_divisions_have_each_in_its_place(plan: Plan) -> None:
    """Each host is in its rack, and each rack is at its own place."""
    bom = bill_of(plan)
    places: dict[str, set[str]] = {}
    for divided in (by_rack(bom, cluster_racks(plan, racks_of(plan))), by_role(bom)):
        found = Counter[str]()
        for portion in divided:
            if portion.line.part in PRICES:
                found[portion.line.part] += portion.quantity
                places.setdefault(portion.line.part, set()).add(portion.place)
        assert found == {part: quantity for part, (_, quantity, _) in _housed(bom).items()}
    assert plan.lengths
    assert places["generic-rack-42u"] == {*plan.lengths.room.names, "racks"}
    assert "no rack" not in places["dgx-h100"]


def test_prices_of_hosts_are_in_the_totals_of_the_cluster_alone(plan: Plan) -> None:
    """A discount of the class applies to a book only; compute has its figures unchanged."""
    priced = plan_of(**POWERED, prices={"parts": PRICES, "discount": {"hosts": 5}})
    whole, racks = cost(bill_of(priced)), _housed(bill_of(plan))["generic-rack-42u"][1]
    assert (whole.hosts, whole.racks) == (8 * 300_000, racks * 2_500)
    before = bill_of(plan)
    added = Decimal(8 * 300_000 + racks * 2_500)
    assert bill_of(priced).cost() == (before.cost() or 0) + added
    assert {"dgx-h100", "generic-rack-42u"} == {*before.unpriced} - {*bill_of(priced).unpriced}
    assert make_bom(priced).cost() == make_bom(plan).cost()
    summary = summarize(priced, make_bom(priced))
    assert summary.totals
    assert summary.totals.cost == float(bill_of(priced).cost() or 0)


def test_sums_of_power_count_no_host_twice(plan: Plan) -> None:
    """The total of the bill is that of networks, and `all_` adds the most power of each host."""
    bom = bill_of(plan)
    sums = {each.part: each for each in bom_view(bom, plan).sums}
    assert bom.power_w
    assert float(sums["all parts"].power_w) == bom.power_w
    assert sums["all hosts"].power_w == sums["all hosts"].power_max_w == ""
    view = loads_view(plan, bom, cluster_racks(plan, racks_of(plan)))
    (total,) = (row for row in view.rows if row.row == "total")
    assert float(total.power_w) == bom.power_w
    hosts = [row for row in view.rows if (row.row, row.place) == ("role", "host")]
    modules = sum(
        line.unit_power_max_w * count
        for line in bom.lines
        for purpose, count in line.purposes
        if purpose == "host" and line.part_class == "transceivers" and line.unit_power_max_w
    )
    assert [float(row.all_power_max_w) for row in hosts] == [8 * 10_200 + float(modules)]
