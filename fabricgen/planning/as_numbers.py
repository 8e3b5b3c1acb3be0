"""The AS number of every switch, and of the hosts that speak BGP.

Owns their order and the refusals of numbers that run out, are reserved, or occur twice. Without
`addressing.asn`, the numbers count from `asn_base` without a gap, segment by segment: the leaves,
then for each block one for the spines of each pod and one for its cores (whether it has any or
not), and after all segments one for the hosts. A role of `addressing.asn` has numbers of its own;
the others keep theirs. On direct rails the hosts forward, and each has a number of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.core.terms import Role
from fabricgen.planning.naming import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.settings import AsNumberChoice, AsNumbersOfRoles
    from fabricgen.planning.baseline.expansion_stages import ExpansionStages
    from fabricgen.planning.mapping import Mapping

HIGHEST_ASN = 2**32 - 2
"""The last AS number that RFC 7300 allows."""
RESERVED = (
    (23456, 23456, "AS_TRANS, RFC 6793"),
    (64496, 64511, "documentation, RFC 5398"),
    (65535, 65535, "reserved, RFC 7300"),
    (65536, 65551, "documentation, RFC 5398"),
)
"""First and last number of ranges that no network may use, and why."""
PRIVATE = ((64512, 65534), (4200000000, HIGHEST_ASN))
"""First and last number of the ranges for private use (RFC 6996)."""
HOSTS = "hosts"
_NEEDS = {
    Role.LEAF: "one for each leaf",
    Role.SPINE: "one for the spines of each pod, or of each block of two tiers",
    Role.CORE: "one for the cores of each block",
}
_OWNERS = {
    "leaf": "leaf",
    "spine": "pod of spines",
    "core": "block of cores",
    HOSTS: "switch",
}


class _User(NamedTuple):
    """An AS number, the role that has it, and the block where that is a spine's or a core's."""

    number: int
    role: str
    block: tuple[int, int] | None = None

    def meets(self, other: _User) -> bool:
        """Return whether one path may hold both; spines and cores of other blocks never meet."""
        return None in (self.block, other.block) or self.block == other.block

    @property
    def what(self) -> str:
        """The user, as a refusal names it."""
        return f"a {_OWNERS[self.role]}" if self.role != HOSTS else "the hosts"


@dataclass(frozen=True)
class AsNumbers:
    """The AS numbers of one fabric."""

    mapping: Mapping

    def of(self, segment: int, box: Box) -> int:
        """Return the AS number of a switch of a segment."""
        own: AsNumberChoice | None = getattr(self._own, box.role.value)
        return (
            self._counted(segment, box) if own is None else _nth(own, self._ordinal(segment, box))
        )

    @property
    def hosts(self) -> int:
        """The AS number that all hosts share where their links are unnumbered."""
        if self._own.hosts is not None:
            return self._own.hosts
        _, leaves, uppers = self.runs[0]
        return self._base + self.mapping.segments * (leaves + self.mapping.segment_blocks * uppers)

    def of_host(self, host: int) -> int:
        """Return the AS number of a host of direct rails, each of which has its own."""
        return (self._own.hosts or self._base) + host

    @cached_property
    def runs(self) -> list[tuple[int, int, int]]:
        """For each stage, its first AS number, and how many its leaves and its blocks take.

        The first counts from `asn_base`; the others are those of a segment. A block takes one for
        the spines of each pod, and in the first stage one for its cores. The number of the hosts is
        the last one of the first stage.
        """
        found: list[tuple[int, int, int]] = []
        before = 0
        for old, new in self._stages.steps:
            first = not found
            leaves, uppers = new.leaf - old.leaf, new.pods - old.pods + first
            found.append((before, leaves, uppers))
            before += self.mapping.segments * (leaves + self.mapping.segment_blocks * uppers) + (
                first and self._hosts_speak
            )
        return found

    @cached_property
    def total(self) -> int:
        """The numbers that are counted from `asn_base`."""
        first, leaves, uppers = self.runs[-1]
        return (
            first
            + self.mapping.segments * (leaves + self.mapping.segment_blocks * uppers)
            + (self._hosts_speak and len(self.runs) == 1)
        )

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with the numbers."""
        given = {role: numbers for role, numbers in self._own if numbers is not None}
        if self.mapping.topology:
            yield from self._of_hosts()
            return
        last = self._base + self.total - 1
        if last > HIGHEST_ASN:
            yield _past_the_end(("addressing", "asn_base"), self._base, self.total)
        elif not given:
            yield from _reserved(self._base, last, ("addressing", "asn_base"))
        else:
            short = [*self._short(given)]
            yield from short or self._clashes(given)

    def _of_hosts(self) -> Iterator[Finding]:
        """Yield what is wrong with the numbers of the hosts of direct rails."""
        path: Path = ("addressing", "asn", HOSTS) if self._own.hosts else ("addressing", "asn_base")
        ((first, last),) = self.ranges
        if last > HIGHEST_ASN:
            yield _past_the_end(path, first, last - first + 1)
        else:
            yield from _reserved(first, last, path)

    def _short(self, given: dict[str, AsNumberChoice]) -> Iterator[Finding]:
        """Refuse the numbers of a role that are fewer than it needs."""
        counts = Counter(box.role for box in self._boxes())
        for role in (role for role in Role if role.value in given):
            numbers, needed = given[role.value], counts[role] * self.mapping.segments
            path: Path = ("addressing", "asn", role.value)
            if isinstance(numbers, int):
                if numbers + needed - 1 > HIGHEST_ASN:
                    yield _past_the_end(path, numbers, needed)
            elif len(numbers) < needed:
                because = (f"{_NEEDS[role]}: {needed} in all", f"the list has {len(numbers)}")
                hint = "add the missing numbers, or write only the first: it is counted up"
                yield Finding("too-few-asns", "the AS numbers run out", path, because, hint)

    def _clashes(self, given: dict[str, AsNumberChoice]) -> Iterator[Finding]:
        """Refuse numbers that are reserved or given twice; one finding of each kind."""
        users, earlier = self._users(), dict[int, list[_User]]()
        paths: dict[str, Path] = {
            role: ("addressing", "asn", role) if role in given else ("addressing", "asn_base")
            for role in _OWNERS
        }
        reserved = (_reserved(user.number, user.number, paths[user.role]) for user in users)
        yield from islice(chain.from_iterable(reserved), 1)
        for user in users:
            others = earlier.setdefault(user.number, [])
            if other := next((other for other in others if user.meets(other)), None):
                fact = f"AS {user.number} is given twice"
                because = (f"it would be that of {other.what} and of {user.what}",)
                role = user.role if user.role in given else other.role
                free = max(user.number for user in users if user.role != role) + 1
                hint = f"give every {_OWNERS[role]} a number of its own, like `{role}: {free}`"
                yield Finding("asn-twice", fact, paths[role], because, hint)
                return
            others.append(user)

    def _users(self) -> list[_User]:
        """List the AS numbers of the fabric with their users."""
        users = [
            _User(
                self.of(segment, box),
                box.role.value,
                None if box.role is Role.LEAF else (segment, box.block),
            )
            for segment in range(self.mapping.segments)
            for box in self._boxes()
        ]
        return [*users, _User(self.hosts, HOSTS)] if self._hosts_speak else users

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The first and the last number of each run of numbers."""
        if self.mapping.topology:
            hosts = self.mapping.fabric.coordinates.planned_hosts
            return [(self.of_host(0), self.of_host(hosts - 1))]
        if not any(numbers for _, numbers in self._own):
            return [(self._base, self._base + self.total - 1)]
        return [(number, number) for number in sorted({user.number for user in self._users()})]

    @property
    def public(self) -> int | None:
        """The first AS number outside of the private ranges; None where there is none."""
        numbers = chain.from_iterable(self.ranges)
        return next((number for number in numbers if not is_private(number)), None)

    def _boxes(self) -> Iterator[Box]:
        """Yield a switch of a segment for each of its AS numbers."""
        sizing = self.mapping.sizing
        yield from (Box(Role.LEAF, 0, index) for index in range(sizing.leaf))
        for block in range(self.mapping.segment_blocks):
            pods = range(sizing.pods if sizing.spine else 0)
            yield from (Box(Role.SPINE, block, pod * sizing.pod_spines) for pod in pods)
            yield from [Box(Role.CORE, block, 0)] if sizing.core else []

    def _ordinal(self, segment: int, box: Box) -> int:
        """Return the place of a switch's number among those of its role; expansions come last."""
        segments, blocks = self.mapping.segments, self.mapping.segment_blocks
        if box.role is Role.LEAF:
            return self._stages.across(box.index, segment, segments)
        group = segment * blocks + box.block
        if box.role is Role.CORE:
            return group
        pod = box.index // self.mapping.sizing.pod_spines
        old, new = self._stages.steps[self._stages.of_pod(pod)]
        return segments * blocks * old.pods + group * (new.pods - old.pods) + pod - old.pods

    def _counted(self, segment: int, box: Box) -> int:
        """Return the AS number of a switch as it is counted from `asn_base`."""
        leaf = box.role is Role.LEAF
        pod = 0 if leaf or box.role is Role.CORE else box.index // self.mapping.sizing.pod_spines
        stage = self._stages.of_leaf(box.index) if leaf else self._stages.of_pod(pod)
        (first, leaves, uppers), (old, new) = self.runs[stage], self._stages.steps[stage]
        start = self._base + first + segment * (leaves + self.mapping.segment_blocks * uppers)
        if leaf:
            return start + box.index - old.leaf
        return (
            start
            + leaves
            + box.block * uppers
            + (new.pods if box.role is Role.CORE else pod - old.pods)
        )

    @property
    def _own(self) -> AsNumbersOfRoles:
        """The roles whose numbers the inventory gives."""
        return self.mapping.fabric.spec.addressing.asn

    @property
    def _base(self) -> int:
        """The first number of the roles without numbers of their own."""
        return self.mapping.fabric.spec.addressing.asn_base

    @property
    def _hosts_speak(self) -> bool:
        """Whether hosts have an AS number."""
        return self.mapping.fabric.spec.addressing.host_links == "unnumbered"

    @property
    def _stages(self) -> ExpansionStages:
        """The stages in which the switches of a block were added."""
        return self.mapping.stages


def is_private(number: int) -> bool:
    """Return whether an AS number is for private use."""
    return any(first <= number <= last for first, last in PRIVATE)


def _nth(numbers: AsNumberChoice, place: int) -> int:
    """Return a number of a role by its place: of a list, or counted up from the first."""
    return numbers + place if isinstance(numbers, int) else numbers[place]


def _past_the_end(path: Path, first: int, needed: int) -> Finding:
    """Refuse numbers that are counted past the last one."""
    because = (
        f"{first} + {needed} - 1 = {first + needed - 1}",
        f"the highest AS number in use is {HIGHEST_ASN}",
    )
    hint = f"use `{path[-1]}: 4200000000`"
    return Finding("asn-out-of-range", "the AS numbers run out", path, because, hint)


def _reserved(first: int, last: int, path: Path) -> Iterator[Finding]:
    """Refuse numbers in a range that no network may use."""
    for low, high, reason in RESERVED:
        if first <= high and low <= last:
            number = max(first, low)
            because = (f"AS {number} is reserved: {reason}",)
            yield Finding(
                "asn-reserved",
                "an AS number would be one that no network may use",
                path,
                because,
                f"use numbers from {PRIVATE[0][0]} to {PRIVATE[0][1]}, or from {PRIVATE[1][0]}",
            )
            return
