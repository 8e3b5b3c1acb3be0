"""Neighbours that give a name without a port, or a port without a name, are matched by it.

Port IDs that are MAC addresses: sonic-net/sonic-buildimage issues 1457 and 11255; names without
ports: napalm-automation/napalm-eos issue 178.
"""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.lifecycle.audit.audit import Audit, audit
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, neighbor_record
from tests.fabrics import plan_of

KEYS: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "7060x6-64pe", "breakout": "2x400G"}},
    "nos": "eos",
    "addressing": {"mtu": 9214},
}
PLAN = plan_of(**KEYS)
FAT = plan_of(**KEYS | {"design": "fat-tree", "nos": "eos"})
MAC = "946d.ae00.0001"
Line = tuple[str, str, str, str]


def audited(*lines: Line, plan: Any = PLAN) -> Audit:  # noqa: ANN401 - a plan
    """Audit records of device, port, neighbour and its port."""
    records = [neighbor_record(device, port, peer, [word]) for device, port, peer, word in lines]
    return audit(plan, NeighborRecords(records, {record.device for record in records}))


def test_swapped_hosts_are_found_by_their_names() -> None:
    """Two moves; the host that is where it belongs is no finding, and counted in a note."""
    result = audited(
        ("r0-leaf-1", "Ethernet1/1", "host-2", MAC),
        ("r0-leaf-1", "Ethernet1/5", "host-1", MAC),
        ("r0-leaf-1", "Ethernet2/1", "host-3", MAC),
    )
    (finding,) = result.findings
    assert (finding.code, result.moves, result.wrong) == ("breakout-reversed", 2, 2)
    assert not any("install" in step for step in finding.fix)
    assert [note for note in result.notes() if "neighbour" in note] == [
        "ports whose neighbour is the planned device, which does not name its port: 1"
    ]


def test_swapped_hosts_in_two_cages() -> None:
    """They are in each other's ports, as with the names of the ports."""
    result = audited(
        ("r0-leaf-1", "Ethernet1/1", "host-3", ""), ("r0-leaf-1", "Ethernet2/1", "host-1", "-")
    )
    assert [finding.code for finding in result.findings] == ["swapped"]
    assert result.moves == 2


def test_hosts_that_name_only_the_leaf() -> None:
    """A host whose leaf sends a MAC; two NICs that name each other's leaf are a crossed rail."""
    right = audited(("host-1", "enp24s0np0", "r0-leaf-1", MAC))
    assert (right.ok, right.missing) == (True, 0)
    crossed = audited(
        ("host-1", "enp24s0np0", "r1-leaf-1", MAC), ("host-1", "enp64s0np0", "r0-leaf-1", MAC)
    )
    (finding,) = crossed.findings
    assert (finding.code, finding.level, crossed.moves) == ("rail-crossed", "critical", 2)


def test_both_ends_name_each_other() -> None:
    """Where one cable joins two devices, their names alone prove it."""
    result = audited(
        ("r0-leaf-1", "Ethernet1/1", "host-1", MAC), ("host-1", "enp24s0np0", "r0-leaf-1", MAC)
    )
    assert (result.ok, len(result.matched)) == (True, 1)
    assert not [note for note in result.notes() if "neighbour" in note or "one of two" in note]


def test_exchanged_hosts_of_many_cables() -> None:
    """Each NIC is taken for the one of the same name in the other host."""
    ports = [
        (place.device, place.interface, other.device)
        for place, other in _links(FAT)
        if other.device in ("host-1", "host-2")
    ]
    other = {"host-1": "host-2", "host-2": "host-1"}
    result = audited(*((leaf, port, other[host], MAC) for leaf, port, host in ports), plan=FAT)
    (finding,) = result.findings
    assert (finding.code, result.moves, result.extra) == ("exchanged", 16, 0)


def _links(plan: Any) -> list[Any]:  # noqa: ANN401 - a plan
    """Return the upper and the lower port of every link."""
    places = audited(("host-1", "enp24s0np0", "", ""), plan=plan).places
    return [(places.places[high], places.places[low]) for low, high in places.links()]


@pytest.mark.parametrize(
    ("word", "kinds", "note"),
    [
        ("enp24s0np0", [], "ports whose neighbour names the planned port, and not its device: 1"),
        ("enp64s0np0", ["rail-crossed"], ""),
        (MAC, [], "ports whose neighbour gives neither a name nor a port of the plan: 1"),
        ("eth7", [], "ports whose neighbour gives neither a name nor a port of the plan: 1"),
    ],
)
def test_a_port_without_a_name(word: str, kinds: list[str], note: str) -> None:
    """It is matched as far as it goes, and no stranger."""
    result = audited(("r0-leaf-1", "Ethernet1/1", "", word))
    assert [finding.code for finding in result.findings] == kinds
    assert note in [*result.notes(), ""]


@pytest.mark.parametrize("name", ["localhost", "ubuntu", "localhost.localdomain", "switch-a1b2c3"])
def test_a_name_of_an_image_is_none(name: str) -> None:
    """The link is not judged, and the other port that it names is nothing to unplug."""
    result = audited(("r0-leaf-1", "Ethernet1/1", name, "eth0"))
    (finding,) = result.findings
    assert (finding.code, result.moves, finding.cables) == ("unjudged", 0, ["r0-h00001"])


def test_the_index_of_an_interface_is_no_port() -> None:
    """Some systems send the number of SNMP as the port's ID."""
    result = audited(("r0-leaf-1", "Ethernet1/1", "host-1", "541"))
    assert (result.ok, result.moves) == (True, 0)


def test_lldpad_names_the_interface_in_its_description() -> None:
    """`Interface   N as NAME`, behind a MAC; a crossed rail is found by it."""
    records = [
        neighbor_record("r0-leaf-1", port, host, [MAC, f"Interface   3 as {nic}"])
        for port, host, nic in (
            ("Ethernet1/1", "host-1", "enp24s0np0"),
            ("Ethernet1/5", "host-2", "enp64s0np0"),
            ("Ethernet2/1", "host-3", "enp24s0np0"),
        )
    ]
    result = audit(PLAN, NeighborRecords(records, {"r0-leaf-1"}))
    (finding,) = result.findings
    assert (finding.code, finding.level, len(result.matched)) == ("rail-crossed", "critical", 2)
    assert "belongs in host-2 enp24s0np0" in finding.fact
