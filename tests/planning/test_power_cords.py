"""The outlets of power cords, and the feeds of racks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.checks.cluster_evidence import cluster_evidence
from fabricgen.analysis.checks.cluster_laws import judge_cluster
from fabricgen.planning.power_cords import PowerPlan, plan_power
from tests.fabrics import plan_of
from tests.mutations.power import POWERED, power

if TYPE_CHECKING:
    from fabricgen.planning.power_cords import Cord


def ends(planned: PowerPlan, device: str) -> list[Cord]:
    """Return the cords of a device."""
    return [cord for cord in planned.cords if cord.device == device]


def test_the_cords_of_a_host_are_on_its_feeds_in_turn() -> None:
    """Six cords with C20 are in the C19 outlets of three PDUs, two each."""
    planned = power()
    cords = ends(planned, "host-2")
    assert [cord.number for cord in cords] == [1, 2, 3, 4, 5, 6]
    assert {cord.socket for cord in cords} == {"C19"}
    assert Counter(planned.pdus[cord.pdu].feed for cord in cords) == {0: 2, 1: 2, 2: 2}


def test_every_outlet_has_one_cord() -> None:
    """A switch takes C13, also where its inlet is unknown; every cord stays in its rack."""
    planned = power()
    outlets = Counter((cord.pdu, cord.socket, cord.outlet) for cord in planned.cords)
    assert set(outlets.values()) == {1}
    assert all(planned.pdus[cord.pdu].rack == cord.rack for cord in planned.cords)
    assert {cord.socket for cord in ends(planned, "oob-1")} == {"C13"}
    assert len(ends(planned, "r0-leaf-1")) == 2
    assert planned.watts[ends(planned, "host-1")[0].rack] == 4 * 10_200


def test_a_generated_room_has_no_cords() -> None:
    """Its racks are an assumption, so the law is not judged there."""
    plan = plan_of(**{key: value for key, value in POWERED.items() if key != "site"})
    assert plan_power(plan) is None
    (figure,) = (
        each.figure
        for each in judge_cluster(cluster_evidence(plan)).judgements
        if each.law.code == "power-feeds"
    )
    assert figure == "the racks of `site` have no PDUs with known outlets and power"


def test_a_rack_without_enough_outlets_is_found() -> None:
    """Seven PDUs for two racks of hosts and one of switches do not carry the second one."""
    devices = [
        group | {"count": 7} if "pdu" in group["name"] else group for group in POWERED["devices"]
    ]
    plan = plan_of(**POWERED | {"devices": devices})
    result = judge_cluster(cluster_evidence(plan))
    assert result.broken == ["power-feeds"]
    assert all("without feed A its PDUs carry 22,000 W" in each.fact for each in result.findings)


@pytest.mark.parametrize("pdus", [0, 1])
def test_a_rack_may_have_too_few_pdus(pdus: int) -> None:
    """A rack with one PDU, or none, has nothing when its feed fails."""
    planned = power()
    rack = planned.pdus[0].rack
    kept = [pdu for pdu in planned.pdus if pdu.rack != rack]
    own = [pdu for pdu in planned.pdus if pdu.rack == rack][:pdus]
    evidence = replace(
        cluster_evidence(plan_of(**POWERED)),
        power=replace(planned, pdus=(*own, *kept), cords=(), watts={rack: 100}),
    )
    (finding,) = judge_cluster(evidence).findings
    words = "has no PDU" if not pdus else "without feed A its PDUs carry 0 W"
    assert words in finding.fact
