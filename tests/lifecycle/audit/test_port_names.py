"""Port names: what is printed beside a port, names that no port has, and placeholders."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.lifecycle.audit.audit import Audit, audit
from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
from tests.fabrics import cables_of, plan_of

NAMED: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "rails": {"tiers": 2},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "nos": "sonic",
}
"""A fabric whose hosts have published NIC names."""

UNNAMED = NAMED | {"host": {"model": "dgx-b300"}, "switches": {"leaf": {"model": "sn5600"}}}
"""One whose NIC names are placeholders."""

PLAN, PLACEHOLDERS = plan_of(**NAMED), plan_of(**UNNAMED)
ROWS = cables_of(PLAN)
LEAF = "r0-leaf-1"


def audited(records: list[NeighborRecord], plan: Any = PLAN) -> Audit:  # noqa: ANN401 - a plan
    """Audit records; every device that has one reported."""
    return audit(plan, NeighborRecords(records, {record.device for record in records}))


def of_leaf(plan: Any, change: Any = lambda *ends: ends) -> list[NeighborRecord]:  # noqa: ANN401 - a plan and a function
    """Return what the first leaf sees at its hosts, with changed names of both ports."""
    found = []
    for row in cables_of(plan):
        if row.b_device == LEAF:
            port, peer, peer_port = change(row.b_interface, row.a_device, row.a_interface)
            found.append(NeighborRecord(LEAF, port, peer, (peer_port,)))
    return found


def test_the_print_beside_a_port_is_a_name_of_it() -> None:
    """A list walked with the ports as on labels and pull sheets is the plan's own."""
    walked = [NeighborRecord(row.b_device, row.b_port, row.a_device, (row.a_port,)) for row in ROWS]
    assert {"1/1", "OSFP4P2"} <= {name for row in ROWS for name in (row.a_port, row.b_port)}
    result = audited(walked)
    assert (result.ok, len(result.matched)) == (True, PLAN.links)


def test_a_name_comes_before_a_print() -> None:
    """A description that equals the print of another port does not replace the port ID."""
    first = next(row for row in ROWS if row.b_device == LEAF)
    other = next(row for row in ROWS if row.b_device == LEAF and row.b_port != first.b_port)
    record = NeighborRecord(
        first.a_device, first.a_interface, LEAF, (other.b_port, first.b_interface)
    )
    assert len(audited([record]).matched) == 1


def test_a_port_that_the_switch_does_not_have_is_a_finding() -> None:
    """Its cable is not called missing, and the planned port of the neighbour is proposed."""
    records = of_leaf(PLAN, lambda *ends: (ends[0].replace("Ethernet0", "Ethernet1000"), *ends[1:]))
    result = audited(records)
    (finding,) = result.findings
    assert (finding.code, finding.fact) == (
        "unknown-port",
        "r0-leaf-1 has no port `Ethernet1000` in the plan",
    )
    assert finding.hint.startswith("did you mean `Ethernet0` by `Ethernet1000`? ")
    assert finding.cables == ["r0-h00001"]
    assert finding.found == ["r0-leaf-1 Ethernet1000 -- host-1 enp24s0np0"]
    assert (result.missing, result.moves, len(result.matched)) == (0, 0, len(records) - 1)


def test_a_whole_list_of_unknown_names_is_one_finding() -> None:
    """No cable is missing: the records say that both devices of each are connected."""
    result = audited(of_leaf(PLAN, lambda *ends: (f"Eth{ends[0][8:]}/x", *ends[1:])))
    (finding,) = result.findings
    assert (
        finding.fact == "r0-leaf-1 has no port `Eth0/x`, `Eth4/x`, `Eth8/x` and 5 more in the plan"
    )
    assert (result.missing, result.moves, len(finding.cables)) == (0, 0, 8)


def test_an_unknown_port_of_the_neighbour_is_a_finding() -> None:
    """A NIC of a known host that the fabric does not use, for instance."""
    result = audited(of_leaf(PLAN, lambda *ends: (*ends[:2], ends[2].replace("enp24", "enp25"))))
    assert {finding.code for finding in result.findings} == {"unknown-port"}
    assert len(result.findings) == 8
    assert result.findings[0].found == ["host-1 enp25s0np0 -- r0-leaf-1 Ethernet0"]
    assert (result.missing, result.extra, result.moves) == (0, 0, 0)


def test_an_unplanned_port_to_an_unplanned_device_is_no_finding() -> None:
    """A management port reports as well."""
    records = [*of_leaf(PLAN), NeighborRecord(LEAF, "eth0", "oob-switch", ("swp9",))]
    assert audited(records).ok


def test_links_of_placeholders_cannot_be_judged() -> None:
    """They are one finding, with the key that names the NICs; nothing is missing."""
    records = of_leaf(PLACEHOLDERS, lambda *ends: (*ends[:2], "enp24s0np0"))
    result = audited(records, PLACEHOLDERS)
    (finding,) = result.findings
    assert (finding.code, len(finding.cables), result.moves) == ("unjudged", 8, 0)
    assert finding.because == (
        "the catalog has no interface names of dgx-b300",
        "the records name `enp24s0np0`",
    )
    assert "`host: {nics: [" in finding.hint
    assert not result.ok


def test_names_of_nics_in_the_inventory_are_judged() -> None:
    """With `host.nics` every link is judged, by the interface or by the RDMA device."""
    names = [f"ens{at}np0" for at in range(8)]
    given = plan_of(
        **UNNAMED | {"host": {"model": "dgx-b300", "nics": names, "rdma": [*"abcdefgh"]}}
    )
    assert len(audited(of_leaf(given), given).matched) == 8
    rdma = of_leaf(given, lambda *ends: (*ends[:2], "a"))
    assert len(audited(rdma, given).matched) == 8
    crossed = of_leaf(given, lambda *ends: (*ends[:2], "ens1np0"))[:1]
    assert [finding.code for finding in audited(crossed, given).findings] == ["rail-crossed"]


@pytest.mark.parametrize("near", [True, False])
def test_a_wrong_host_is_found_in_spite_of_placeholders(*, near: bool) -> None:
    """The host's name is enough to see that the cable is not where it belongs."""
    record = (
        NeighborRecord(LEAF, "Ethernet0", "host-2", ("enp24s0np0",))
        if near
        else NeighborRecord("host-2", "enp24s0np0", LEAF, ("Ethernet0",))
    )
    facts = {finding.code: finding.fact for finding in audited([record], PLACEHOLDERS).findings}
    assert facts["stranger"] == (
        "r0-leaf-1 Ethernet0 sees host-2 enp24s0np0, where host-1 nic0p0 belongs"
    )


def test_placeholders_that_are_reported_as_they_are_can_be_judged() -> None:
    """A lab names its interfaces as the plan does."""
    assert len(audited(of_leaf(PLACEHOLDERS), PLACEHOLDERS).matched) == 8
