"""Mutations of names, addresses, AS numbers and racks."""

from __future__ import annotations

from tests.mutations.breaking import (
    Mutation,
    limited,
    moved,
    numbered,
    renamed,
    reserving,
)

MUTATIONS = (
    Mutation(
        "two switches of one name",
        "lab",
        lambda e: renamed(e, 1, "r0-leaf-1"),
        "names",
        "2 devices are called `r0-leaf-1`",
    ),
    Mutation(
        "a switch with a host's name", "lab", lambda e: renamed(e, 1, "host-3"), "names", "`host-3`"
    ),
    Mutation(
        "a name in capitals",
        "lab",
        lambda e: renamed(e, 0, "Leaf_1"),
        "names",
        "`Leaf_1` cannot be a host name",
    ),
    Mutation(
        "a name too long",
        "lab",
        lambda e: renamed(e, 0, "leaf-" * 13 + "1"),
        "names",
        "at most 63 characters",
    ),
    Mutation(
        "an address twice",
        "lab",
        lambda e: numbered(e, "nic", 1, int(e.addresses.nic[0])),
        "addresses",
        "10.0.0.1 is given 2 times",
    ),
    Mutation(
        "an address of another rail",
        "lab",
        lambda e: numbered(e, "nic", 0, int(e.addresses.nic[-1]) + 16),
        "addresses",
        "outside the slice of rail 0",
    ),
    Mutation(
        "an address outside the pool",
        "lab",
        lambda e: numbered(e, "nic", 0, (192 << 24) + 1),
        "addresses",
        "192.0.0.1 is outside 10.0.0.0/9",
    ),
    Mutation(
        "the leaf's end of a /31",
        "lab",
        lambda e: numbered(e, "nic", 63, int(e.addresses.nic[63]) + 1),
        "addresses",
        "do not share a /31",
    ),
    Mutation(
        "a loopback twice",
        "lab",
        lambda e: numbered(e, "loopback", 1, int(e.addresses.loopback[0])),
        "addresses",
        "10.128.0.1 is given 2 times",
    ),
    Mutation(
        "a loopback outside the pool",
        "lab",
        lambda e: numbered(e, "loopback", 0, (172 << 24) + 1),
        "addresses",
        "172.0.0.1 is outside 10.128.0.0/10",
    ),
    Mutation(
        "two leaves in one AS",
        "lab",
        lambda e: numbered(e, "asn", 1, int(e.addresses.asn[0])),
        "as-numbers",
        "r0-leaf-1 and r0-leaf-2 share AS 4200000000",
    ),
    Mutation(
        "a leaf in its spine's AS",
        "lab",
        lambda e: numbered(e, "asn", 0, int(e.addresses.asn[2])),
        "as-numbers",
        "both ends of cable r0-u00001",
    ),
    Mutation(
        "an AS number beyond the last",
        "lab",
        lambda e: numbered(e, "asn", 0, 2**32 - 1),
        "as-numbers",
        "r0-leaf-1 has AS 4294967295",
    ),
    Mutation(
        "two hosts in one place",
        "lab",
        lambda e: moved(e, 1, rack_unit=1),
        "racks",
        "host-1 and host-2 are both in rack unit 1 of rack A01-01",
    ),
    Mutation(
        "a switch among hosts",
        "lab",
        lambda e: moved(e, 8, rack=0, rack_unit=8),
        "racks",
        "host-1 and r0-leaf-1 are both in rack unit 8 of rack A01-01",
    ),
    Mutation(
        "a host above its rack",
        "lab",
        lambda e: moved(e, 0, rack_unit=40),
        "racks",
        "host-1 exceeds rack A01-01",
    ),
    Mutation(
        "a switch in no rack",
        "lab",
        lambda e: moved(e, 8, rack=-1),
        "racks",
        "r0-leaf-1 is in no rack",
    ),
    Mutation(
        "a rack that is fed less",
        "superpod",
        lambda e: limited(e, power_w=40_000),
        "racks",
        "rack A01-01 needs 40,800 W, and has 40,000 W",
    ),
    Mutation(
        "a rack that holds fewer switches",
        "superpod",
        lambda e: limited(e, switches=10),
        "racks",
        "rack A01-05 needs 12 switches, and has 10 switches",
    ),
    Mutation(
        "a host in units of a PDU",
        "lab",
        lambda e: reserving(e, 16),
        "racks",
        "host-2 is in reserved rack units of rack A01-01",
    ),
)
