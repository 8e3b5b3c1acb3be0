"""The cables of the networks beside the compute fabric are audited with those of compute."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.lifecycle.change.test_network_diff import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.lifecycle.audit.audit import Audit
    from fabricgen.planning.plan import Plan

End = tuple[str, str]


@cache
def planned() -> Plan:
    """Plan a cluster with storage and management."""
    return plan_of(**CLUSTER)


@cache
def cabling() -> dict[End, End]:
    """Return the far end of each port of all networks, as planned."""
    found: dict[End, End] = {}
    for plan in (planned(), *planned().networks.values()):
        for segment in range(plan.mapping.segments):
            for link in Views(plan).cables(segment):
                a, b = (link.a_device, link.a_interface), (link.b_device, link.b_interface)
                found[a], found[b] = b, a
    return found


@cache
def switches() -> frozenset[str]:
    """Return the switches of all networks."""
    plans = (planned(), *planned().networks.values())
    return frozenset(name for plan in plans for name in plan.switches())


def audited(changed: Mapping[End, End | None] | None = None) -> Audit:
    """Audit what all switches report, with some ports that see something else, or nothing.

    A switch calls its management port `eth0`. The management ports of others send nothing.
    """
    records = []
    for (device, port), far in (cabling() | dict(changed or {})).items():
        quiet = far and far[0].startswith("oob") and device not in switches()
        if far and device in switches() and not quiet:
            name = "eth0" if port == "mgmt" else port
            silent = device.startswith("oob") and far[0] not in switches()
            if not silent or (device, port) in (changed or {}):
                peer = "eth0" if far[1] == "mgmt" else far[1]
                records.append(NeighborRecord(device, name, far[0], (peer,)))
    return audit(planned(), NeighborRecords(records, set(switches())))


def _leaf_port(device: str, network: str) -> tuple[End, End]:
    """Return the first port of a device on a network, and that of the switch at its other end."""
    return next(
        (end, far)
        for end, far in cabling().items()
        if end[0] == device and far[0].startswith(network)
    )


def test_the_cabling_of_all_networks_is_as_planned() -> None:
    """Every link is matched, but those of BMCs and PDUs, which send nothing: they are silent."""
    found = audited()
    assert found.ok, [one.fact for one in found.findings]
    quiet = 16 + 6
    assert (len(found.matched), len(found.silent)) == (len(cabling()) // 2 - quiet, quiet)
    assert {label.partition("-")[0] for label in found.silent_cables} == {"oob"}


def test_a_missing_cable_of_a_network_is_named() -> None:
    """A leaf of storage sees nothing, and the target is seen elsewhere."""
    _, leaf = _leaf_port("target-1", "storage")
    found = audited({leaf: None})
    (finding,) = found.findings
    assert (finding.code, found.missing) == ("missing", 1)
    assert finding.cables[0].startswith("storage-h")


def test_swapped_cables_of_a_network_are_named() -> None:
    """Two targets on one leaf are in each other's ports."""
    (one, here), (other, there) = (_leaf_port(f"target-{n}", "storage") for n in (1, 2))
    found = audited({here: other, there: one})
    assert [(each.code, len(each.cables)) for each in found.findings] == [("swapped", 2)]


def test_a_cable_between_two_networks_is_critical() -> None:
    """A port of a compute host in a leaf of storage joins two networks."""
    nic, _ = _leaf_port("host-01", "leaf")
    _, leaf = _leaf_port("target-1", "storage")
    found = audited({leaf: nic, cabling()[nic]: None})
    (finding,) = (one for one in found.findings if one.level == "critical")
    assert finding.code == "network-crossed"
    assert finding.fact.endswith("it joins the networks compute and storage")
    assert found.failed == ["link:h00001", "link:storage-h00031"]


def test_an_unknown_port_is_named() -> None:
    """A leaf of storage has no such port, so its link is not called missing."""
    end, leaf = _leaf_port("target-1", "storage")
    (finding,) = audited({leaf: None, (leaf[0], "swp999"): end}).findings
    assert finding.code == "unknown-port"


def test_an_extra_cable_is_named() -> None:
    """A device that the plan does not have is on a port of another network."""
    _, leaf = _leaf_port("pdu-1", "oob")
    (finding,) = audited({leaf: ("visitor-1", "eth0")}).findings
    assert finding.code == "stranger"


def test_a_pdu_that_is_plugged_in_elsewhere_is_wrong() -> None:
    """It may send records, and then its cable is judged."""
    one, here = _leaf_port("pdu-1", "oob")
    other, there = _leaf_port("pdu-2", "oob")
    found = audited({here: other, there: one})
    assert found.wrong == 2


def test_the_names_of_ports_on_devices_are_not_judged() -> None:
    """A leaf that sees the right device by an unknown port is neither wrong nor a finding."""
    _, leaf = _leaf_port("target-1", "storage")
    found = audited({leaf: ("target-1", "enp65s0f0np0")})
    assert found.ok
    assert len(found.silent) == len(audited().silent) + 1
    (wrong,) = audited({leaf: ("target-2", "enp65s0f0np0")}).findings
    assert wrong.code == "stranger"


def test_networks_beside_rails_of_light_are_audited_without_the_rails() -> None:
    """Circuits hide the boxes: what hosts see through them is no finding, and no cable is silent.

    A switched pair of storage cables is still found.
    """
    storage = {"storage": {"switches": {"leaf": {"generic": {"radix": 16}}}}}
    light = {"rails": {"medium": "ocs"}, "switches": {"leaf": {"model": "s320"}}}
    plan = plan_of(
        gpus=64, hb_domain={"gpus": 8}, host={"model": "dgx-h100"}, networks=storage, **light
    )
    links = [*Views(plan.networks["storage"]).cables(0)]
    records = [
        NeighborRecord(link.b_device, link.b_interface, link.a_device, (link.a_interface,))
        for link in links
    ]
    ports = [link.a_interface for link in Views(plan).cables(0)[:1]]
    seen = [
        NeighborRecord(f"host-{host}", ports[0], f"host-{3 - host}", (ports[0],)) for host in (1, 2)
    ]
    reporters = {record.device for record in [*records, *seen]}
    found = audit(plan, NeighborRecords([*records, *seen], reporters))
    assert (len(found.matched), found.places.link_count) == (len(links), len(links))
    assert found.findings == []
    assert [note for note in found.notes() if "`fabricgen circuits FABRIC --list`" in note]
    first, second = records[:2]
    swapped = [first._replace(peer=second.peer, peer_interfaces=second.peer_interfaces)]
    swapped += [second._replace(peer=first.peer, peer_interfaces=first.peer_interfaces)]
    assert audit(plan, NeighborRecords([*swapped, *records[2:], *seen], reporters)).moves == 2
