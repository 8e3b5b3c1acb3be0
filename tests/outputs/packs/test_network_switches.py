"""The switches of the networks beside compute, read back from their files, for each NOS."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.management import KEY_EXAMPLE
from tests.fabrics import plan_of, refusal_codes
from tests.nos import eos, frr, junos, nvue, nxos, sonic, srlinux
from tests.nos.fabric import fabric, findings
from tests.nos.model_variants import LARGEST_OF_EOS, MODELS
from tests.nos.switch_files import render_switches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.planning.plan import Plan
    from tests.nos.frr import Box
    from tests.nos.switch_files import SwitchFiles

READERS: dict[str, Callable[[Mapping[str, str]], Box]] = {
    "eos": lambda files: eos.read(files["startup-config.cfg"]),
    "frr": lambda files: frr.read(files["frr.conf"], files["interfaces"]),
    "junos": lambda files: junos.read(files["junos.set"]),
    "nvue": lambda files: nvue.read(files["commands.txt"]),
    "nxos": lambda files: nxos.read(files["nxos.cfg"]),
    "sonic": lambda files: sonic.read(files["config_db.json"], files["frr.conf"]),
    "srlinux": lambda files: srlinux.read(files["config.json"]),
}
LOSSLESS = {
    "eos": "service-profile ROCE",
    "frr": "dcb pfc set",
    "junos": "congestion-notification-profile",
    "nvue": "roce mode lossless",
    "nxos": "pause pfc-cos",
    "sonic": "PORT_QOS_MAP",
    "srlinux": "pfc-mapping-profile",
}
"""What the files of a switch have where it has the lossless class."""


def cluster(nos: str, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a fabric with a storage and an in-band network, all of one model and NOS."""
    leaf = {"leaf": {"model": MODELS[nos], "breakout": "2x400G"}}
    # a tenth of the ports alone is filled, so that spines join several pairs of leaves
    own = {"switches": leaf, "nos": nos, "uplinks": 8, "fill": 10}
    inventory: dict[str, Any] = {
        "gpus": 128,
        "hb_domain": {"gpus": 4},
        "design": "rail-optimized",
        "nos": nos,
        "switches": leaf,
        "addressing": LARGEST_OF_EOS,
        "networks": {"storage": own, "inband": own},
    }
    return plan_of(**inventory | keys)


@cache
def switches(nos: str) -> dict[str, list[SwitchFiles]]:
    """Render the switches of each network."""
    plan = cluster(nos)
    plans = {COMPUTE: plan, **plan.networks}
    return {name: render_switches(each) for name, each in plans.items()}


@cache
def boxes(nos: str) -> dict[str, list[Box]]:
    """Read them back."""
    return {
        name: [READERS[nos](one.files) for one in found] for name, found in switches(nos).items()
    }


@pytest.mark.parametrize("nos", READERS)
def test_all_networks_are_one_consistent_set_of_configurations(nos: str) -> None:
    """Names, addresses and cables occur once over all networks, and both ends agree."""
    found = boxes(nos)
    every = [box for own in found.values() for box in own]
    assert findings(fabric(every)) == []
    assert len({box.name for box in every}) == len(every)


@pytest.mark.parametrize("nos", READERS)
def test_no_network_has_a_route_to_another(nos: str) -> None:
    """No session joins two networks, and no filter passes an address of another network."""
    found = boxes(nos)
    of_box = {box.name: name for name, own in found.items() for box in own}
    every = fabric([box for own in found.values() for box in own])
    assert {frozenset(of_box[name] for name, _ in link) for link in every.between()} <= {
        frozenset([name]) for name in found
    }
    addresses = {
        name: {
            address
            for box in own
            for address in (
                *box.loopbacks.values(),
                *(port.address for port in box.ports.values() if port.address),
            )
        }
        for name, own in found.items()
    }
    passed = {
        name: {
            permit.network
            for box in own
            for instance in box.instances.values()
            for permits in instance.filters.values()
            for permit in permits
        }
        for name, own in found.items()
    }
    for one, other in product(found, repeat=2):
        inside = [
            prefix for prefix in passed[one] if any(at.ip in prefix for at in addresses[other])
        ]
        assert bool(inside) == (one == other)


@pytest.mark.parametrize("nos", READERS)
def test_storage_is_lossless_and_inband_is_not(nos: str) -> None:
    """RoCE may cross the storage network; the in-band network has no class for it."""
    for name, found in switches(nos).items():
        texts = [text for one in found for text in one.files.values() if LOSSLESS[nos] in text]
        assert bool(texts) == (name != "inband")


MANAGED = {
    "pool": "10.90.0.0/24",
    "ntp": ["10.90.0.123"],
    "users": [{"name": "ops", "key": KEY_EXAMPLE}],
}


def test_the_switches_of_all_networks_have_management_addresses_of_one_pool() -> None:
    """Each network has a part of it, so that no address changes when another one grows."""
    pinned = MANAGED | {"addresses": {"storage-leaf-2": "10.90.0.250"}}
    plan = cluster("nvue", management=pinned)
    found = {
        name: [
            one.switch.management.address for one in render_switches(each) if one.switch.management
        ]
        for name, each in {COMPUTE: plan, **plan.networks}.items()
    }
    every = [address for own in found.values() for address in own]
    assert len(set(every)) == len(every)
    assert found[COMPUTE][0] == "10.90.0.2"
    assert found["storage"][:3] == ["10.90.0.128", "10.90.0.250", "10.90.0.130"]
    assert found["inband"][0] == "10.90.0.160"


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("storage", "host_pool", "10.0.0.0/16"),
        ("inband", "loopback_pool", "10.192.0.0/20"),
    ],
)
def test_networks_with_one_pool_are_refused(name: str, key: str, value: str) -> None:
    """No address may be in two networks."""
    leaf = {"leaf": {"generic": {"radix": 64}}}
    networks: dict[str, dict[str, Any]] = {
        "storage": {"switches": leaf, "addressing": {}},
        "inband": {"switches": leaf, "addressing": {}},
    }
    networks[name]["addressing"] = {key: value}
    keys = {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": leaf}
    assert refusal_codes(**keys, networks=networks) == ["pools-overlap"]
