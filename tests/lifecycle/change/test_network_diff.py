"""The networks beside the compute fabric are compared cable by cable, with their devices."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.cli.diff import diff_text
from fabricgen.lifecycle.change.diff import diff
from tests.fabrics import plan_of
from tests.lifecycle.change.replay import Technician, wired

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.diff import Diff

CLUSTER: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 128,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "networks": {
        "storage": {"switches": {"leaf": {"generic": {"radix": 16, "speed": "400G"}}}},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
    },
    "devices": [
        {"name": "target-{n}", "count": 4, "ports": {"storage": 2}},
        {"name": "pdu-{n}", "count": 6, "ports": {"oob": 1}},
    ],
}
"""16 hosts and 4 targets on storage, and everything that has a management port on `oob`."""

CHANGES: dict[str, dict[str, Any]] = {
    "more hosts": {"gpus": 256},
    "fewer PDUs": {"devices": [*CLUSTER["devices"][:1], CLUSTER["devices"][1] | {"count": 4}]},
    "no storage": {"networks": {"oob": CLUSTER["networks"]["oob"]}, "devices": ()},
}


@cache
def found(name: str) -> Diff:
    """Return the diff of the cluster and a changed one, or the other way round with a `-`."""
    old, new = plan_of(**CLUSTER), plan_of(**CLUSTER | CHANGES[name.removeprefix("-")])
    return diff(new, old) if name.startswith("-") else diff(old, new)


@pytest.mark.parametrize("name", [*CHANGES, *(f"-{each}" for each in CHANGES)])
def test_the_steps_of_each_network_lead_to_the_new_plan(name: str) -> None:
    """Also where only one of the two plans has the network."""
    change = found(name)
    assert change.networks.keys() == {*change.old.networks, *change.new.networks}
    for network, steps in change.networks.items():
        old, new = (
            wired(plan.networks[network]) if network in plan.networks else {}
            for plan in (change.old, change.new)
        )
        technician = Technician(old)
        for step in steps.steps:
            technician.follow(step)
        assert technician.cables.keys() == new.keys()
        assert steps.kept + steps.moved + steps.removed == len(old)
        assert steps.kept + steps.moved + steps.added == len(new)


def test_devices_are_added_moved_and_removed() -> None:
    """PDUs that go are removed, and a network of one plan alone is added or removed whole."""
    states = {device.name: device.state for device in found("fewer PDUs").networks["oob"].devices}
    assert states == {"pdu-5": "removed", "pdu-6": "removed"}
    storage = found("no storage").networks["storage"].devices
    assert {device.state for device in storage} == {"removed"}
    assert {device.name for device in storage} >= {"storage-leaf-1", "host-01", "target-4"}
    more = {each.name: each.state for each in found("more hosts").networks["storage"].devices}
    assert {more["host-17"], more["target-1"]} == {"added", "moved"}


def test_the_cost_of_the_cluster_is_beside_that_of_compute() -> None:
    """It has the parts of all networks; both are in the JSON and in the text."""
    change = found("more hosts")
    before, after = (cluster_bom(plan).cost() or 0 for plan in (change.old, change.new))
    assert change.cluster_cost_delta == pytest.approx(float(after - before))
    document = change.document()
    assert document["networks"]["oob"]["added"] == change.networks["oob"].added > 0
    assert document["cluster_cost_delta"] > document["cost_delta"]
    assert "with all networks: USD +" in diff_text(change, 5)


def test_a_cluster_equals_itself() -> None:
    """Nothing differs; and a compute fabric has no keys of networks."""
    plan = plan_of(**CLUSTER)
    same = diff(plan, plan_of(**CLUSTER))
    assert not same.differs
    assert all(
        network.kept == len(wired(plan.networks[name])) for name, network in same.networks.items()
    )
    alone = plan_of(**CLUSTER | {"networks": {}, "devices": ()})
    assert not {"networks", "cluster_cost_delta"} & diff(alone, alone).document().keys()


def test_a_network_alone_makes_two_fabrics_differ() -> None:
    """A cable of a network that moves is a difference, though compute is the same."""
    change = found("fewer PDUs")
    assert not change.steps
    assert change.networks["oob"].differs
    assert change.differs
