"""The laws of names and numbers: devices, cables, addresses and AS numbers are unique and legal.

Addresses are in their pools. Each public function is a law of `laws`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.arrays import distinct
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import address_text
from fabricgen.planning.as_numbers import HIGHEST_ASN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from ipaddress import IPv4Network, IPv6Network

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.addressing import Slice

LONGEST_NAME = 63
"""The longest host name of RFC 1123."""

_LEGAL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_PREFIX = re.compile(r"([a-z0-9]+-)?[a-z]+")


def names(evidence: Evidence) -> Verdict:
    """Every installed switch and every host has a unique name that is legal in DNS."""
    installed = np.flatnonzero(
        np.tile(evidence.plan.installed, evidence.plan.mapping.segments)
    ).tolist()
    switches = [evidence.switches[index] for index in installed]
    # on a network beside the compute fabric, a device has a row for each of its bonds
    each = dict.fromkeys(evidence.hosts) if evidence.plan.fabric.network else evidence.hosts
    hosts = [*each]
    given = [*switches, *hosts]
    illegal = [name for name in given if len(name) > LONGEST_NAME or not _LEGAL.fullmatch(name)]
    twice = (
        [(name, times) for name, times in Counter(given).items() if times > 1]
        if len(set(given)) < len(given)
        else []
    )
    return Verdict(
        f"{counted(len(switches), 'switch', 'switches')} and {counted(len(hosts), 'host')}, at most"
        f" {max(map(len, given))} characters",
        (
            violations(
                illegal,
                lambda name: Violation(
                    f"`{name}` cannot be a host name",
                    (f"a-z, 0-9 and hyphens inside, at most {LONGEST_NAME} characters",),
                ),
            ),
            violations(twice, lambda each: Violation(f"{each[1]} devices are called `{each[0]}`")),
        ),
    )


def labels(evidence: Evidence) -> Verdict:
    """Every cable has a unique label.

    The text before the number differs from block to block, and the number within each block.
    """
    wiring, plan = evidence.wiring, evidence.plan
    owners = Counter(evidence.prefixes.values())
    shared = [(prefix, times) for prefix, times in owners.items() if times > 1]
    odd = [prefix for prefix in owners if not _PREFIX.fullmatch(prefix)]
    most = 10**plan.label_width
    scope = (wiring.segment.astype(np.int64) * plan.mapping.segment_blocks + wiring.block) * (
        max(LinkKind) + 1
    ) + wiring.kind
    numbers = scope * most + wiring.number
    values, first, times = np.unique(numbers, return_index=True, return_counts=True)
    twice = first[times > 1]
    wide = np.flatnonzero((wiring.number < 1) | (wiring.number >= most))
    return Verdict(
        f"{counted(len(values), 'link')} under {counted(len(owners), 'prefix', 'prefixes')},"
        f" {plan.label_width} digits",
        (
            violations(
                shared,
                lambda each: Violation(
                    f"{each[1]} kinds of cable have labels that begin with `{each[0]}`"
                ),
            ),
            violations(
                odd,
                lambda prefix: Violation(
                    f"`{prefix}` does not end where the number of a label begins",
                    ("r1 and 11 would read as r11 and 1",),
                ),
            ),
            violations(
                twice,
                lambda row: Violation(
                    f"label {evidence.label(row)} is on"
                    f" {int(np.count_nonzero(numbers == numbers[row]))} cables",
                    (evidence.link(row),),
                ),
            ),
            violations(
                wide,
                lambda row: Violation(
                    f"{evidence.link(row)} has the number {wiring.number[row]}",
                    (f"numbers are 1 to {most - 1}",),
                ),
            ),
        ),
    )


def addresses(evidence: Evidence) -> Verdict:
    """Every address is used once, and is in its pool and in the slice of its block.

    So is every BGP router ID, where router IDs have a pool of their own.
    """
    given, plan = evidence.addresses, evidence.plan
    asked, planned, numbered = plan.spec.addressing, plan.addresses, plan.addresses.numbered
    pools = [
        _Pool("NIC port's address", asked.host_pool, planned.hosts, given.nic, given.nic_block),
        _Pool(
            "loopback",
            asked.loopback_pool,
            planned.loopbacks,
            given.loopback,
            given.loopback_block,
        ),
    ]
    own = asked.router_id_pool
    ids = (
        [_Pool("router ID", own, planned.router_ids, given.router_id, given.loopback_block)]
        if own
        else []
    )
    leaf_ends = [pools[0]._replace(column=given.nic - 1)] if numbered else []
    found = [*_twice([*pools, *leaf_ends]), *_twice(ids)]
    if numbered:
        link = planned.host_length
        found.append(
            violations(
                given.nic[given.nic % 2 == 0],
                lambda address: Violation(
                    f"{pools[0].text(address)} and its leaf port do not share a /{link}",
                    ("the host's end is the odd one",),
                ),
            )
        )
    for pool in [*pools, *ids]:
        found += _in_pool(evidence, pool)
    ends = f" with a /{planned.host_length} each" if numbered else ""
    ports = "ports of hosts and devices" if evidence.plan.device_leaves else ""
    router_ids = f", their router IDs in {own}" if own else ""
    figure = (
        f"{counted(len(given.nic), 'NIC port', ports)}{ends} in {asked.host_pool},"
        f" {counted(len(given.loopback), 'loopback')} in {asked.loopback_pool}{router_ids}"
    )
    return Verdict(figure, tuple(found))


class _Pool(NamedTuple):
    """A pool, its slices, and a column of its addresses with their blocks."""

    what: str
    pool: IPv4Network | IPv6Network
    cut: Slice
    column: IntArray
    block: IntArray

    def text(self, value: int) -> str:
        """Format an address of the column."""
        return address_text(self.cut.origin + int(value))


def _twice(pools: list[_Pool]) -> Iterator[Violations]:
    """Yield addresses that are used twice, within a pool or in several with one origin."""
    by_origin: dict[int, list[_Pool]] = {}
    for pool in pools:
        by_origin.setdefault(pool.cut.origin, []).append(pool)
    return map(_repeated, by_origin.values())


def _repeated(pools: list[_Pool]) -> Violations:
    """Return the addresses that pools of one origin have more than once."""
    values, times = np.unique(np.concatenate([pool.column for pool in pools]), return_counts=True)
    return violations(
        values[times > 1],
        lambda address: Violation(
            f"{pools[0].text(address)} is given {times[np.searchsorted(values, address)]} times"
        ),
    )


def _in_pool(evidence: Evidence, pool: _Pool) -> Iterator[Violations]:
    """Yield addresses outside their pool, and those outside their block's slice of it."""
    cut, column, block = pool.cut, pool.column, pool.block
    base, size = cut.base - cut.origin, cut.size
    last = min(base + pool.pool.num_addresses - 1, np.iinfo(np.int64).max)
    outside = (column < base) | (column > last)
    start = base + block * size
    stray = ~outside & ((column < start) | (column >= start + size))
    yield violations(
        np.flatnonzero(outside),
        lambda row: Violation(
            f"{pool.text(column[row])} is outside {pool.pool}",
            (f"it is a {pool.what} of {evidence.block(int(block[row]))}",),
        ),
    )
    yield violations(
        np.flatnonzero(stray),
        lambda row: Violation(
            f"{pool.text(column[row])} is outside the slice of {evidence.block(int(block[row]))}",
            (
                f"that is {pool.text(start[row])} to {pool.text(start[row] + size - 1)}",
                f"it is a {pool.what}",
            ),
        ),
    )


def as_numbers(evidence: Evidence) -> Verdict:
    """No two leaves share an AS number, nor do the two ends of a link.

    So each session is external.
    """
    asn, wiring = evidence.addresses.asn, evidence.wiring
    leaves = np.flatnonzero(evidence.tier == Role.LEAF.tier)
    values, times = np.unique(asn[leaves], return_counts=True)
    beyond = np.flatnonzero((asn < 1) | (asn > HIGHEST_ASN))
    rows = np.flatnonzero(~evidence.has_host)
    same = rows[asn[wiring.lower[rows]] == asn[wiring.upper[rows]]]

    def describe(each: int) -> Violation:
        return Violation(
            f"{_listed(evidence, leaves[asn[leaves] == values[each]])} share AS {values[each]}",
            (f"{times[each]} leaves have it",),
        )

    return Verdict(
        f"{len(distinct(asn)):,} AS numbers, {asn.min()} to {asn.max()}; {len(rows):,} external"
        " sessions",
        (
            violations(np.flatnonzero(times > 1), describe),
            violations(
                beyond,
                lambda switch: Violation(
                    f"{evidence.switch(switch)} has AS {asn[switch]}",
                    (f"AS numbers are 1 to {HIGHEST_ASN}",),
                ),
            ),
            violations(
                same,
                lambda row: Violation(
                    f"both ends of {evidence.link(row)} are in AS {asn[wiring.lower[row]]}"
                ),
            ),
        ),
    )


def _listed(evidence: Evidence, switches: Iterable[Any]) -> str:
    """Return the names of the first two of some switches."""
    return " and ".join(evidence.switch(int(switch)) for switch in list(switches)[:2])
