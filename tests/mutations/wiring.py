"""Mutations of the links between switches, and of their labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.mutations.breaking import (
    CORE,
    HOST,
    LOWER,
    UP,
    Mutation,
    dropped,
    rewired,
    rows,
    swapped,
    thinner,
)

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence


def _one_spine_each(evidence: Evidence) -> Evidence:
    """Leave leaf 0 the links to the first spine, and leaf 1 those to the second."""
    return dropped(
        evidence, [*rows(evidence, UP, lower=0, upper=3), *rows(evidence, UP, lower=1, upper=2)]
    )


def _prefix(evidence: Evidence, key: tuple[int, int, int], prefix: str) -> Evidence:
    """Change the prefix of the labels of a kind of cable."""
    return replace(evidence, prefixes={**evidence.prefixes, key: prefix})


MUTATIONS = (
    Mutation(
        "host cables of two rails exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, HOST, lower=0)[0], rows(e, HOST, lower=1)[0])),
        "rails-apart",
        "r0-h00001 (d0-g0 - r1-leaf-1 swp1) joins rail 0 and rail 1",
    ),
    Mutation(
        "uplinks of two rails exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, UP, segment=0)[0], rows(e, UP, segment=3)[0])),
        "rails-apart",
        "r0-leaf-1 swp5 - r3-spine-1 swp1) joins rail 0 and rail 3",
    ),
    Mutation(
        "cores of two rails exchanged",
        "pods",
        lambda e: swapped(e, (rows(e, CORE, segment=0)[0], rows(e, CORE, segment=1)[0])),
        "rails-apart",
        "r1-core-1",
    ),
    Mutation(
        "planes exchanged",
        "planes",
        lambda e: swapped(
            e, (rows(e, HOST, lower=0, lower_port=0)[0], rows(e, HOST, lower=0, lower_port=1)[0])
        ),
        "rails-apart",
        "d0-g0/0 - p1-leaf-1 swp1) joins plane 0 and plane 1",
    ),
    Mutation(
        "hosts in the VRFs of two rails exchanged",
        "one-box",
        lambda e: swapped(e, (rows(e, HOST, lower=0)[0], rows(e, HOST, lower=1)[0])),
        "rails-apart",
        "leaf-1 swp2) joins rail 0 and rail 1",
    ),
    Mutation(
        "uplinks of two VRFs exchanged",
        "shared",
        lambda e: swapped(
            e, (rows(e, UP, segment=0, block=0)[0], rows(e, UP, segment=0, block=1)[0]), *LOWER
        ),
        "rails-apart",
        "joins rail 1 on plane 0 and rail 0 on plane 0",
    ),
    Mutation(
        "a leaf without uplinks",
        "lab",
        lambda e: dropped(e, rows(e, UP, lower=0)),
        "all-pairs",
        "no path joins r0-leaf-1 and r0-leaf-2",
    ),
    Mutation(
        "leaves that go down to come up",
        "lab",
        _one_spine_each,
        "all-pairs",
        "they have no spine in common",
    ),
    Mutation(
        "a rail's leaf on a shared box without uplinks",
        "shared",
        lambda e: dropped(e, rows(e, UP, segment=0, block=1, lower=0)),
        "all-pairs",
        "p0-leaf-1 (rail 1 on plane 0)",
    ),
    Mutation(
        "a pod off the core",
        "pods",
        lambda e: dropped(e, [row for spine in (8, 9) for row in rows(e, CORE, lower=spine)]),
        "all-pairs",
        "no path joins r0-leaf-1 and r0-leaf-3: they have no core in common",
    ),
    Mutation(
        "a lost uplink",
        "lab",
        lambda e: dropped(e, rows(e, UP)[:1]),
        "links-even",
        "r0-leaf-1 and r0-spine-1 are joined by 1 link",
    ),
    Mutation(
        "uplinks of two leaves exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, UP, lower=0, upper=2)[0], rows(e, UP, lower=1, upper=3)[0])),
        "links-even",
        "r0-leaf-1 and r0-spine-1",
    ),
    Mutation(
        "a lost spine",
        "superpod",
        lambda e: dropped(e, rows(e, UP, upper=8)),
        "links-even",
        "leaf-1 is joined to 3 switches above instead of 4",
    ),
    Mutation(
        "uplinks of two spines exchanged",
        "thick",
        lambda e: swapped(e, (rows(e, CORE, lower=8)[0], rows(e, CORE, lower=9)[0])),
        "links-even",
        "r0-spine-1 is joined to 2 switches above instead of 1",
    ),
    Mutation(
        "a lost uplink among uneven ones",
        "minimal",
        lambda e: dropped(e, rows(e, UP, lower=0, upper=4)[:1]),
        "links-even",
        "leaf-1 has 2 uplinks",
    ),
    Mutation(
        "uneven by more than one",
        "minimal-wide",
        lambda e: swapped(e, (rows(e, UP, lower=0, upper=5)[0], rows(e, UP, lower=1, upper=4)[0])),
        "links-even",
        "leaf-1 and spine-1 are joined by 4 links",
    ),
    Mutation(
        "a number on two cables",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[1], number=1),
        "labels",
        "label r0-h00001 is on 2 cables",
    ),
    Mutation(
        "two rails with one label",
        "lab",
        lambda e: _prefix(e, (1, 0, 1), "r0-h"),
        "labels",
        "`r0-h`",
    ),
    Mutation(
        "a label that runs into its number",
        "lab",
        lambda e: _prefix(e, (1, 0, 1), "r1-h7"),
        "labels",
        "`r1-h7`",
    ),
    Mutation(
        "a number too long",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[0], number=10**6),
        "labels",
        "has the number 1000000",
    ),
    Mutation(
        "host cables of one rail exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST, segment=0)[3:5]),
        "wired-as-planned",
        "r0-h00004 (d3-g0 - r0-leaf-2 swp1)",
    ),
    Mutation(
        "host cables of one leaf exchanged",
        "superpod",
        lambda e: swapped(e, rows(e, HOST)[:2]),
        "wired-as-planned",
        "leads from d0-g0 to leaf-1 1/1/1",
    ),
    Mutation(
        "uplinks of one leaf exchanged",
        "lab",
        lambda e: swapped(e, rows(e, UP, lower=0)[:2]),
        "wired-as-planned",
        "r0-leaf-1 swp5 - r0-spine-1 swp2",
    ),
    Mutation(
        "pods exchanged at the core",
        "thick",
        lambda e: swapped(e, (rows(e, CORE, lower=8)[0], rows(e, CORE, lower=12)[0])),
        "wired-as-planned",
        "r0-core-1",
    ),
    Mutation(
        "cable numbers exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST)[:2], "number"),
        "wired-as-planned",
        "as cable 1 of its block",
    ),
    Mutation(
        "endpoint positions exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST)[:2], "slot"),
        "wired-as-planned",
        "r0-h00001",
    ),
    Mutation(
        "uplinks that no host needs",
        "reserve",
        lambda e: thinner(e, UP),
        "wired-as-planned",
        "r0-leaf-1 has 2 of its 4 uplinks",
    ),
)
