"""Mutations of the power of racks, each of which breaks the law of its feeds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.planning.power_cords import PowerPlan, plan_power
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence

POWERED: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "site": {"rack": {"max_switches": 12}},
    "networks": {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
    "devices": [
        {"name": "mgmt-{n}", "count": 2, "model": "management-node", "ports": {}},
        {"name": "pdu-{n}", "count": 8, "model": "ap8886", "ports": {"oob": 1}},
    ],
}
"""Two racks of four hosts with three PDUs each, and one of switches with two."""


@cache
def power() -> PowerPlan:
    """Return the correct power of the racks."""
    found = plan_power(plan_of(**POWERED))
    assert found
    return found


def on_pdus(evidence: ClusterEvidence, **values: Any) -> ClusterEvidence:  # noqa: ANN401 - fields of a PDU
    """Change all PDUs."""
    pdus = tuple(pdu._replace(**values) for pdu in power().pdus)
    return replace(evidence, power=replace(power(), pdus=pdus))


def on_cord(evidence: ClusterEvidence, cord: int, **values: Any) -> ClusterEvidence:  # noqa: ANN401 - fields of a cord
    """Change one cord."""
    cords = [*power().cords]
    cords[cord] = cords[cord]._replace(**values)
    return replace(evidence, power=replace(power(), cords=tuple(cords)))


def on_one_feed(evidence: ClusterEvidence, device: str) -> ClusterEvidence:
    """Plug all cords of a device into free outlets of one PDU."""
    cords = [
        cord._replace(pdu=0, socket="C13", outlet=20 + cord.number)
        if cord.device == device
        else cord
        for cord in power().cords
    ]
    return replace(evidence, power=replace(power(), cords=tuple(cords)))
