"""Mutations of the management of switches."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from tests.mutations.breaking import Mutation

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence

BASE = int(IPv4Network("10.200.0.0/24").network_address)


def with_address(evidence: Evidence, row: int, address: int) -> Evidence:
    """Give one switch another address."""
    found = evidence.management
    assert found
    switches = found.switches.copy()
    switches[row] = address
    return replace(evidence, management=found._replace(switches=switches))


def with_facts(evidence: Evidence, **facts: object) -> Evidence:
    """Replace facts that all switches share."""
    found = evidence.management
    assert found
    return replace(evidence, management=found._replace(**facts))  # type: ignore[arg-type]  # the fields of a mutation


MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "one address on two switches",
        "managed",
        lambda e: with_address(e, 1, BASE + 2),
        "reachable",
        "two switches have 10.200.0.2",
    ),
    Mutation(
        "the time server's address on a switch",
        "managed",
        lambda e: with_address(e, 2, BASE + 123),
        "reachable",
        "has 10.200.0.123",
    ),
    Mutation(
        "the time server's address on a PDU",
        "managed",
        lambda e: with_facts(e, devices={"pdu-1-oob0": BASE + 123}),
        "reachable",
        "pdu-1-oob0 has 10.200.0.123",
    ),
    Mutation(
        "the gateway's address on a switch",
        "managed",
        lambda e: with_address(e, 0, BASE + 1),
        "reachable",
        "r0-leaf-1 cannot be reached at 10.200.0.1",
    ),
    Mutation(
        "the address of the subnet on a switch",
        "managed",
        lambda e: with_address(e, 0, BASE),
        "reachable",
        "r0-leaf-1 cannot be reached at 10.200.0.0",
    ),
    Mutation(
        "the broadcast address on a switch",
        "managed",
        lambda e: with_address(e, 0, BASE + 255),
        "reachable",
        "r0-leaf-1 cannot be reached at 10.200.0.255",
    ),
    Mutation(
        "an address beyond the subnet",
        "managed",
        lambda e: with_address(e, 0, BASE + 256),
        "reachable",
        "the subnet is 10.200.0.0/24, its gateway 10.200.0.1",
    ),
    Mutation(
        "an address below the subnet",
        "managed",
        lambda e: with_address(e, 2, BASE - 1),
        "reachable",
        "cannot be reached at 10.199.255.255",
    ),
    Mutation(
        "the address of a switch on a PDU",
        "managed",
        lambda e: with_facts(e, devices={"pdu-1-oob0": BASE + 2}),
        "reachable",
        "two ports have 10.200.0.2",
    ),
    Mutation(
        "an address of a PDU beyond the subnet",
        "managed",
        lambda e: with_facts(e, devices={"pdu-1-oob0": BASE + 256}),
        "reachable",
        "pdu-1-oob0 cannot be reached at 10.200.1.0",
    ),
    Mutation(
        "a gateway in another subnet",
        "managed",
        lambda e: with_facts(e, gateway=BASE + 300),
        "reachable",
        "the gateway 10.200.1.44 is not in 10.200.0.0/24",
    ),
    Mutation(
        "a gateway that is the subnet",
        "managed",
        lambda e: with_facts(e, gateway=BASE),
        "reachable",
        "the gateway 10.200.0.0 is not in 10.200.0.0/24",
    ),
    Mutation(
        "no admin with a key",
        "managed",
        lambda e: with_facts(e, admins=()),
        "reachable",
        "no user of role `admin` has a key",
    ),
    Mutation(
        "no clock",
        "managed",
        lambda e: with_facts(e, clocks=()),
        "reachable",
        "no switch has a time server",
    ),
    Mutation(
        "managed from the addresses of the switches alone",
        "managed",
        lambda e: with_facts(e, allow=(IPv4Network("10.200.0.0/30"),)),
        "reachable",
        "`management.allow` has no address from which a switch could be managed",
    ),
    Mutation(
        "managed from the gateway alone",
        "managed",
        lambda e: with_facts(e, allow=(IPv4Network("10.200.0.1/32"),)),
        "reachable",
        "`management.allow` has no address from which a switch could be managed",
    ),
)
