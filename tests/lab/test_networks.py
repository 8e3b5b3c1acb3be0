"""Networks beside the compute fabric in a lab: their generated configurations boot and hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.lab.network_plan import ports_text
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from tests.lab.conftest import Machine

LEAVES = {"switches": {"leaf": {"generic": {"radix": 8}}}}
CLUSTER: dict[str, Any] = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "design": "rail-optimized",
    "switches": {"leaf": {"generic": {"radix": 16}}},
    "nos": "frr",
    "networks": {"storage": LEAVES, "inband": LEAVES},
    "devices": [
        {"name": "target-{n}", "count": 2, "ports": {"storage": 2}},
        {"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2}},
    ],
}
"""Eight hosts with a port on each of two leaves in both networks, which have spines."""


def test_the_ports_of_a_network_are_named() -> None:
    """A reader of the trials learns which device and port a GPU of the lab is."""
    plan = plan_of(**CLUSTER)
    text = ports_text(plan.networks["storage"])
    assert "d0-g0 is storage0 of host-1" in text
    assert text.endswith("d9-g0 is storage0 of target-2, d9-g1 is storage1 of target-2")
    assert ports_text(plan) == ""


@pytest.mark.slow
@pytest.mark.parametrize("network", ["storage", "inband"])
def test_every_device_is_reached_also_without_a_switch(machine: Machine, network: str) -> None:
    """Hosts and devices reach each other over the network, with every single part of it dead.

    Where the leaf of one port is dead, packets leave the device over the other member of the bond.
    """
    keys = machine.write(**CLUSTER)
    words = ("--network", network, "--hb-domains", "4", "--failures", "single", "--json")
    done = machine.run("lab", "run", keys, *words)
    assert (done.returncode, done.stderr) == (0, "")
    output = json.loads(done.stdout)
    assert output["ok"]
    figures = {trial["code"]: trial["figure"] for trial in output["trials"]}
    assert figures["paths"].startswith("56 of 56 packets")
    assert "by relay now" in figures["survival"]
    assert machine.left() == []
