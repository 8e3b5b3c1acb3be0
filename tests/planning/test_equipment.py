"""The places of the switches of networks and of `devices`, among those of the compute fabric."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.checks.racks import racks
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.devices import AttachedPorts
from fabricgen.views.factory import Views
from tests.fabrics import cables_of, plan_of, refusal_codes
from tests.mutations.breaking import moved

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room

CLUSTER: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "networks": {
        "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "uplink": {}},
    },
    "devices": [
        {
            "name": "mgmt-{n}",
            "count": 2,
            "model": "management-node",
            "ports": {"inband": 2},
        },
        {"name": "pdu-{n}", "count": 7, "model": "ap8886", "ports": {"oob": 1}},
    ],
}


@pytest.fixture(scope="module")
def cluster() -> Plan:
    """Plan a small cluster in a generated room."""
    return plan_of(**CLUSTER)


def room_of(plan: Plan) -> Room:
    """Return the room of a plan that has one."""
    assert plan.lengths
    return plan.lengths.room


def places(plan: Plan) -> dict[str, tuple[str, int]]:
    """Return the rack and the rack unit of each device of a cluster."""
    room = room_of(plan)
    return {
        room.device(device): (room.names[rack], int(room.positions.rack_unit[device]))
        for device, rack in enumerate(room.positions.rack.tolist())
        if rack >= 0
    }


def test_every_cable_of_a_network_has_its_racks(cluster: Plan) -> None:
    """Its ends are where the one room has its devices, and it is as long as that takes."""
    where, seen = places(cluster), 0
    for network in cluster.networks.values():
        for cable in cables_of(network):
            assert (cable.a_rack, int(cable.a_unit)) == where[cable.a_device]
            assert (cable.b_rack, int(cable.b_unit)) == where[cable.b_device]
            assert 0 < float(cable.length_m) < 30
            seen += 1
    assert seen == sum(network.cables for network in cluster.networks.values())


def test_no_rack_unit_holds_two_devices(cluster: Plan) -> None:
    """Not even of two networks; every rack unit is counted by hand here."""
    room, taken = room_of(cluster), Counter[tuple[int, int]]()
    for device, rack in enumerate(room.positions.rack.tolist()):
        low = int(room.positions.rack_unit[device])
        taken.update((rack, unit) for unit in range(low, low + int(room.rack_units[device])))
    assert set(taken.values()) == {1}
    assert check(cluster).ok


def test_switches_of_networks_are_beside_those_of_compute(cluster: Plan) -> None:
    """All are in the racks of switches, and devices after them."""
    where = places(cluster)
    hosts = {where[host][0] for host in cluster.hosts}
    others = [name for name in where if not name.startswith(("host-", "pdu-"))]
    assert {where[name][0] for name in others} == {where["r0-leaf-1"][0]}
    assert where["r0-leaf-1"][0] not in hosts
    assert min(where[name][1] for name in others) == where["mgmt-2"][1]


def test_pdus_are_beside_the_units_of_every_rack(cluster: Plan) -> None:
    """Each rack has two, and the next go to the racks that draw most."""
    where = places(cluster)
    pdus = [where[f"pdu-{number}"] for number in range(1, 8)]
    assert {unit for _, unit in pdus} == {0}
    loads = Counter(rack for rack, _ in pdus)
    assert set(loads) == {rack for rack, _ in where.values()}
    assert sorted(loads.values()) == [2, 2, 3]
    assert loads[where["host-1"][0]] == 3


def test_a_leaf_of_a_network_is_near_its_hosts() -> None:
    """A host is on a leaf in its own row more often than if all leaves were in one row."""
    plan = plan_of(**CLUSTER | {"gpus": 4096, "design": "rail-optimized"})
    room, rows = room_of(plan), cables_of(plan.networks["oob"])
    racks_of_row = {name: places[1] for name, places in zip(room.names, room.places, strict=True)}
    on_hosts = [cable for cable in rows if cable.a_device.startswith("host-")]
    near = sum(racks_of_row[each.a_rack] == racks_of_row[each.b_rack] for each in on_hosts)
    rows_of_room = len(set(racks_of_row.values()))
    assert near > 2 * len(on_hosts) / rows_of_room


def test_a_described_room_wants_the_size_of_devices() -> None:
    """The catalog or `footprint` states it."""
    site = {"rack": {"units": 48}}
    unknown = [{"name": "nfs-{n}", "count": 2, "ports": {"inband": 2}}]
    with pytest.raises(Refusal) as refused:
        plan_of(**CLUSTER | {"site": site, "devices": unknown})
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("unknown-footprint", ("devices", 0, "footprint"))
    stated = [unknown[0] | {"footprint": {"units": 4}}]
    room = room_of(plan_of(**CLUSTER | {"site": site, "devices": stated}))
    assert room.shares.of["nfs-{n}"].rack_units == 4


def test_a_table_of_positions_places_the_whole_cluster(tmp_path: Path, cluster: Plan) -> None:
    """It has a line for each device that takes rack units; PDUs may be left out."""
    from fabricgen.catalog.catalog import Catalog  # noqa: PLC0415 - with a base of its own

    table = tmp_path / "positions.csv"
    rows = [
        f"{name},{rack[0]},{int(rack[1:3])},{int(rack[4:])},{unit}"
        for name, (rack, unit) in places(cluster).items()
        if unit
    ]
    table.write_text("\n".join(["device,hall,row,rack,unit", *rows]), encoding="utf-8")
    keys = CLUSTER | {"site": {"positions": "positions.csv"}}
    plan = plan_of(Catalog(base=tmp_path), **keys)
    assert places(plan) == places(cluster)
    table.write_text("\n".join(["device,hall,row,rack,unit", *rows[:-1]]), encoding="utf-8")
    with pytest.raises(Refusal, match="`mgmt-2` has no line"):
        plan_of(Catalog(base=tmp_path), **keys)


def test_measured_lengths_may_be_of_a_cable_of_a_network() -> None:
    """Each network knows its own labels, and a label that none has is refused."""
    plan = plan_of(**CLUSTER | {"site": {"measured_m": {"oob-h00001": 17}}})
    rows = {cable.cable: cable for cable in Views(plan.networks["oob"], kept=True).cables(0)}
    assert rows["oob-h00001"].length_m == "20"
    for label in ("oob-h99999", "h99999"):
        site = {"measured_m": {label: 17}}
        assert refusal_codes(**CLUSTER | {"site": site}) == ["unknown-cable"]


@pytest.mark.parametrize(
    ("device", "place", "words"),
    [
        ("oob-1", "r0-leaf-1", "are both in rack unit"),
        ("mgmt-1", "host-1", "are both in rack unit"),
        ("inband-leaf-1", None, "inband-leaf-1 is in no rack"),
        ("pdu-1", None, "pdu-1 is in no rack"),
    ],
)
def test_the_law_of_racks_is_of_all_devices(
    cluster: Plan, device: str, place: str | None, words: str
) -> None:
    """A device of a network on an occupied unit or in no rack violates it."""
    room, columns = room_of(cluster), room_of(cluster).positions
    number = {room.device(each): each for each in range(len(columns.rack))}
    seat = (
        {key: int(getattr(columns, key)[number[place]]) for key in ("rack", "rack_unit")}
        if place
        else {"rack": -1}
    )
    evidence = evidence_of(cluster, Views(cluster, kept=True))
    verdict = racks(moved(evidence, number[device], **seat))
    assert any(words in each.fact for found in verdict.violations for each in found.first)


def test_devices_have_the_management_ports_of_their_model() -> None:
    """One that a peer takes is left out, and so are those that the inventory leaves out."""
    ufm = {"count": 2, "model": "ufm-appliance"}
    groups: list[dict[str, Any]] = [
        {"name": "pair-{n}", "ports": {}, "peer_links": 1} | ufm,
        {"name": "alone-{n}", "ports": {}} | ufm,
        {"name": "stated-{n}", "ports": {"oob": 1}} | ufm,
        {"name": "without-{n}", "ports": {"oob": 0, "inband": 2}} | ufm,
        {"name": "box-{n}", "count": 2, "model": "box", "ports": {"inband": 2}},
    ]
    plan = plan_of(**CLUSTER | {"devices": groups})
    assert check(plan).ok
    rules = plan.networks["oob"].fabric.network
    assert rules
    ports = {group.kind: len(group.interfaces) for group in rules.attached.groups}
    own = {kind: count for kind, count in ports.items() if kind.endswith("-{n}") and count}
    assert own == {"pair-{n}": 1, "alone-{n}": 2, "stated-{n}": 1}
    networks = {"oob": CLUSTER["networks"]["inband"] | {"kind": "clos"}}
    plan = plan_of(**CLUSTER | {"networks": networks, "devices": groups[1:2]})
    assert [view.a_device for view in cables_of(plan.networks["oob"])].count("alone-1") == 0


def test_a_saved_plan_keeps_what_is_left_out() -> None:
    """Its inventory is read with the same ports, stated or not."""
    groups = [CLUSTER["devices"][0], CLUSTER["devices"][0] | {"name": "b-{n}", "ports": {"oob": 0}}]
    spec = plan_of(**CLUSTER | {"devices": groups}).spec
    again = type(spec).model_validate(spec.model_dump(mode="json", exclude_none=True))
    assert [group.ports.oob for group in again.devices] == [None, AttachedPorts(count=0)]
