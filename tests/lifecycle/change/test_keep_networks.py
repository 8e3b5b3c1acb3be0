"""Networks keep their cables when the cluster grows: devices their ports, and switches theirs."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.cli.plan import summary_text
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import DEVICES
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from fabricgen.lifecycle.change.growth import growth
from fabricgen.planning.baseline.baseline import read_baseline
from fabricgen.planning.baseline.kept_bonds import KeptBonds, read_kept_bonds
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.factory import Views
from fabricgen.views.hosts.network_ports import network_ports
from tests.fabrics import CATALOG, IN_COMPUTE, ZONED, plan_of, spec_of
from tests.lifecycle.change.replay import wired
from tests.lifecycle.change.test_network_diff import CLUSTER
from tests.published.tables import tables

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

SUPERPOD = next(table for table in tables() if table.id == "dgx-h100-superpod").fabric
"""Four units with storage, in-band and out-of-band, whose storage has leaves of two kinds."""

TARGETS = SUPERPOD | {
    "devices": [
        device | ({"count": 40} if device["name"] == "target-{n}" else {})
        for device in SUPERPOD["devices"]
    ]
}
UNITS = SUPERPOD | {
    "reserve": {"gpus": 2000},
    "devices": [each for each in SUPERPOD["devices"] if "compute" not in each["ports"]],
}
"""The same with a reserve, without devices on leaves of compute, of which all ports are taken."""
PLACED = CLUSTER | {
    "site": {"rack": {"units": 48}},
    "networks": CLUSTER["networks"]
    | {"storage": {"switches": {"leaf": {"model": "sn5600"}}, "speed": "400G"}},
    "devices": (),
}
ALTERNATING = CLUSTER | {
    "networks": {
        name: network | {"distribution": "alternating"}
        for name, network in CLUSTER["networks"].items()
    }
}
CONSOLES = CLUSTER | {
    "networks": CLUSTER["networks"] | {"console": {"switches": {"leaf": {"model": "cm8148"}}}}
}
ON_COMPUTE: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 128,
    "hb_domain": {"gpus": 8},
    "rails": {"tiers": 2, "per_switch": 4},
    "nic": {"speed": "400G"},
    "switches": {"leaf": ZONED, "spine": {"model": "ds5000", "breakout": "1x800G", "minimum": 2}},
    "networks": {
        "storage": IN_COMPUTE | {"cages": "17-25,27,29,31,33,35,37"},
        "oob": {
            "switches": {"leaf": {"model": "s3248t-on"}},
            "speed": "1G",
            "uplink": {"network": "compute", "speed": "10G", "ports": 2},
        },
        "console": {"switches": {"leaf": {"model": "cm8148"}}},
    },
    "devices": [
        {"name": "target-{n}", "count": 4, "ports": {"storage": 2, "oob": 1}},
        {"name": "ufm-{n}", "count": 2, "ports": {"oob": 1}, "peer_links": 1},
    ],
}
"""Storage and uplinks on switches of compute, a pair of devices, and console servers."""
GROUPS = [{**ON_COMPUTE["devices"][0], "count": 7}, {**ON_COMPUTE["devices"][1], "count": 4}]
STEPS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the same": (CLUSTER, CLUSTER),
    "one host": (CLUSTER, CLUSTER | {"gpus": 136}),
    "a leaf more of management": (CLUSTER, CLUSTER | {"gpus": 256}),
    "15 hosts more": (SUPERPOD, SUPERPOD | {"gpus": 1136}),
    "twice as many": (SUPERPOD, SUPERPOD | {"gpus": 2000}),
    "more targets": (SUPERPOD, TARGETS),
    "in a room": (PLACED, PLACED | {"gpus": 256}),
    "with devices that alternate": (ALTERNATING, ALTERNATING | {"gpus": 128}),
    "more consoles": (CONSOLES, CONSOLES | {"gpus": 256}),
    "on compute switches": (ON_COMPUTE, ON_COMPUTE | {"gpus": 256, "devices": GROUPS}),
    "in a reserve": (UNITS, UNITS | {"gpus": 2000}),
    "in a reserve of three tiers": (
        CLUSTER | {"reserve": {"gpus": 512}},
        CLUSTER | {"reserve": {"gpus": 512}, "gpus": 512},
    ),
}


@cache
def grown(name: str) -> tuple[Plan, Plan]:
    """Return a plan and the larger one that it grows to."""
    old, new = STEPS[name]
    before = plan_of(**old)
    return before, grow(before, spec_of(**new), CATALOG)


@pytest.mark.parametrize("name", STEPS)
def test_no_device_moves(name: str) -> None:
    """Each device port, and each management port, stays on its leaf port, by names.

    A host may take the positions of single devices on leaves of compute.
    """
    old, new = grown(name)
    for network, before in old.networks.items():
        if network == DEVICES:
            continue
        switches = {*before.naming.switches(0)} if before.naming.boxes else set()
        kept = wired(new.networks[network]).keys()
        moved = [
            ends
            for ends in wired(before)
            if ends not in kept
            and (not switches or len({end.partition(" ")[0] for end in ends} & switches) == 1)
        ]
        assert moved == []


@pytest.mark.parametrize("name", STEPS)
def test_no_device_changes_its_addresses_or_labels(name: str) -> None:
    """Also where the fullest leaf gains ports, and in a second growth."""
    old, new = grown(name)
    more = grow(
        new, new.spec.model_copy(update={"gpus": new.spec.gpus + 64, "reserve": None}), CATALOG
    )
    for before, after in ((old, new), (new, more)):
        known = {(port.device, port.interface): port for port in network_ports(after)}
        for port in network_ports(before):
            kept = known[port.device, port.interface]
            assert (kept.address, kept.cable) == (port.address, port.cable)
    assert len({port.cable for port in network_ports(more)}) == len([*network_ports(more)])


@pytest.mark.parametrize("name", STEPS)
def test_every_law_holds(name: str) -> None:
    """The grown networks are sound; the law of the rule follows the kept ports."""
    result = check(grown(name)[1])
    assert result.ok, result.findings


@pytest.mark.parametrize(("name", "moved"), [("15 hosts more", 0), ("more targets", 0)])
def test_no_cable_moves_while_the_spines_are_enough(name: str, moved: int) -> None:
    """New leaves are numbered behind all older ones, so that uplinks stay as well.

    Devices on leaves of compute give way to a host that takes their positions.
    """
    found = diff(*grown(name)).networks
    assert [found[network].moved for network in ("storage", "inband", "oob")] == [moved] * 3
    assert found["devices"].moved == (4 if name == "15 hosts more" else 0)


@pytest.mark.parametrize("name", ["in a reserve", "in a reserve of three tiers"])
def test_no_cable_moves_in_a_reserve(name: str) -> None:
    """Spines and cores are those of the end from the first day; leaves come with their hosts."""
    old, new = grown(name)
    found = growth(old, new)
    assert found.networks
    assert [found.moved, *(each["moved"] for each in found.networks.values())] == [0] * (
        1 + len(new.networks)
    )
    first, last = (plan.networks["storage"].sizing for plan in (old, new))
    assert first.leaf < last.leaf
    assert (first.tiers, first.pod_spines) == (last.tiers, last.pod_spines)


def test_moves_are_fewer_than_planned_anew() -> None:
    """Twice as many spines take half of the uplinks; only these move."""
    old, new = grown("twice as many")
    anew = diff(old, plan_of(**STEPS["twice as many"][1])).networks
    kept = diff(old, new).networks
    assert [kept[name].moved for name in ("inband", "oob")] == [0, 0]
    assert kept["storage"].moved <= 240 < anew["storage"].moved
    assert anew["inband"].moved > 100
    assert anew["oob"].moved > 300


def test_moves_are_counted_by_network() -> None:
    """In the JSON and in the text of `plan --from`; a compute fabric has no such key."""
    old, new = grown("15 hosts more")
    found = growth(old, new)
    assert found.networks
    assert found.networks["oob"] == {"moved": 0, "added": 39, "removed": 0, "kept": 315}
    text = summary_text(summarize(new, make_bom(new)), found)
    assert "oob moves" in text
    assert "0 cables; 39 added, 315 kept" in text
    alone = plan_of(**CLUSTER | {"networks": {}, "devices": ()})
    assert "networks" not in growth(alone, alone).document()


def test_a_network_that_follows_the_rule_keeps_nothing() -> None:
    """A plan that does not grow has no baseline, as before."""
    assert grown("the same")[1].mapping.baseline is None


@pytest.mark.parametrize(
    "name", ["15 hosts more", "more targets", "in a room", "more consoles", "on compute switches"]
)
def test_a_plan_file_has_the_kept_networks(name: str) -> None:
    """The plan that is read from it has the same cables and places."""
    _, new = grown(name)
    document = json.loads(json.dumps(plan_document(new, {})))
    read = make_plan(new.spec, new.catalog, read_baseline(document["kept"]))
    found = diff(new, read)
    assert not found.differs
    assert not any(network.places for network in found.networks.values())


def test_growth_in_two_steps_keeps_both() -> None:
    """A second growth starts from the kept ports of the first."""
    _, first = grown("15 hosts more")
    second = grow(first, spec_of(**SUPERPOD | {"gpus": 1600}), CATALOG)
    found = diff(first, second).networks
    assert [found[name].moved for name in ("inband", "oob")] == [0, 0]
    assert check(second).ok


def test_positions_are_kept_in_a_room() -> None:
    """Neither hosts nor switches of any network change their rack units."""
    found = diff(*grown("in a room"))
    assert found.measured
    assert not found.places
    assert not any(network.places for network in found.networks.values())


def test_a_file_with_negative_ports_is_refused() -> None:
    """A plan file may be edited."""
    kept = KeptBonds((0,), (0, 0), (0, 1))
    assert read_kept_bonds(kept.document()) == kept
    with pytest.raises(ValueError, match="below zero"):
        read_kept_bonds(kept._replace(place=(0, -1)).document())
    document = plan_document(grown("15 hosts more")[1], {})["kept"]
    document["networks"]["oob"]["bonds"]["place"] = "none"
    with pytest.raises(Refusal):
        read_baseline(document)


def test_new_devices_fill_the_cages_of_their_splitter_cables() -> None:
    """A target more has two cables of two far ends each, on two leaves, and older ones stay."""
    old, new = grown("more targets")
    pieces = [
        {
            cable.piece: cable.a_device
            for cable in Views(plan.networks["storage"]).cables(0)
            if cable.part == "mfa7u10"
        }
        for plan in (old, new)
    ]
    assert [len(own) for own in pieces] == [24 * 2 + 4, 40 * 2 + 4]
    assert pieces[0].items() <= pieces[1].items()
    devices = Counter(device for device in pieces[1].values() if device.startswith("target"))
    assert set(devices.values()) == {2}
