"""The size of one block, a folded Clos with an ordered list of endpoints.

Owns the number of tiers and switches, and the ports of each. It depends on widths only, not on
rails, planes or vendors. `block_links` joins the ports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from fabricgen.core.diagnostics import Path, Refusal

    LeavesOf = Callable[[int], int]

_Scalar = TypeVar("_Scalar", bound=np.generic)

TIERS = (1, 2, 3)


class Width(NamedTuple):
    """Ports of one switch towards the tier below and the tier above."""

    down: int
    up: int


class LeafRule(NamedTuple):
    """What else than the widest leaf is tried, where uplinks are oversubscribed.

    A leaf that a lower ratio allows may divide better over the spines. A higher ratio tries all
    that a lower one does, so that it never takes more switches.
    """

    most: int
    """The downlinks of the widest leaf."""
    group: int
    """Endpoints that stay on one leaf."""
    leaves: LeavesOf
    """The leaves that the endpoints need with so many downlinks on each."""
    needed: Callable[[int], int]
    """The fewest uplinks of a leaf with so many downlinks."""
    fits: Callable[[int, int], bool]
    """Whether a leaf has ports for so many downlinks and uplinks."""
    pod_leaves: Callable[[int], int]
    """As `Widths.pod_leaves`, with so many downlinks on a leaf."""
    uplinks: int = 0
    """The uplinks that an inventory gives to every leaf; 0 for any number."""
    blocks: int = 1
    """The blocks that share a leaf, each with spines of its own."""

    def allows(self, leaf: Width) -> bool:
        """Return whether a leaf holds a group of endpoints, and has ports and uplinks enough."""
        enough = self.group <= leaf.down and self.needed(leaf.down) <= leaf.up
        return enough and self.fits(*leaf)


class Widths(NamedTuple):
    """The ports of each role's switches for a block.

    `single`, `spine_radix` and `core_radix` count all ports of a switch; the others are split into
    downlinks and uplinks.
    """

    single: int
    leaf: Width
    spine_radix: int
    spine: Width
    core_radix: int
    pod_leaves: int = 0
    """Leaves of a scalable unit, a pod of three tiers; 0 for as many as a spine reaches."""
    lone_leaves: int | None = 1
    """Leaves that may do without spines; None for any number."""
    least_spines: int = 1
    """The fewest spines of a pod."""
    least_cores: int = 1
    """The fewest cores of a core group."""
    leaf_uplinks: tuple[int, ...] = ()
    """Uplinks of each leaf in use; empty where all have those of `leaf`."""
    used_only: bool = False
    """Whether a spine has only the uplinks that its downlinks in use need."""
    rule: LeafRule | None = None
    """The leaves that are tried beside `leaf`; None for no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """The size of one block: the number of switches, and the ports in use on each.

    `pods` is 1 below three tiers. With three, each pod but the last has `pod_leaves` leaves; the
    last has the rest, with as many spines as any other. `slots` counts the endpoint positions on
    the leaves.
    """

    tiers: Literal[0, 1, 2, 3]
    """0 where links join endpoints, without switches."""
    slots: int
    leaf: int
    spine: int
    core: int
    leaf_down: int
    leaf_up: int
    spine_down: int
    spine_up: int
    core_down: int
    pods: int
    pod_leaves: int
    leaf_uplinks: tuple[int, ...] = field(default=(), repr=False)
    """Uplinks of each leaf; empty where each has `leaf_up`, the most that one has. The digest of
    the wiring has them as links."""
    chosen: tuple[tuple[int, int], ...] = field(default=(), repr=False, compare=False)
    """The stripes and the uplinks of each group of leaves, where leaves with fewer ports in use
    than the widest take fewer switches; else empty."""

    @property
    def pod_spines(self) -> int:
        """Spines of one pod."""
        return self.spine // self.pods

    @property
    def group_cores(self) -> int:
        """Cores of one core group: those that spine `i` of every pod is joined to."""
        return self.core // self.pod_spines if self.core else 0

    def leaves_of_pod(self, pod: int) -> range:
        """Return the leaves of a pod.

        >>> sizing = Sizing(
        ...     tiers=3, slots=6, leaf=3, spine=4, core=4, pods=2,
        ...     leaf_down=2, leaf_up=2, spine_down=2, spine_up=2, core_down=2, pod_leaves=2,
        ... )
        >>> [sizing.leaves_of_pod(pod) for pod in range(2)]
        [range(0, 2), range(2, 3)]
        """
        return range(pod * self.pod_leaves, min((pod + 1) * self.pod_leaves, self.leaf))

    def by_pod(self, column: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """Group a column with a row for each leaf by pod; rows that the last pod lacks are 0.

        Shape (leaves, ...) becomes (pods, leaves of a pod, ...).
        """
        rows = self.pods * self.pod_leaves
        missing = np.zeros((rows - len(column), *column.shape[1:]), column.dtype)
        whole = np.concatenate([column, missing]) if len(missing) else column
        return whole.reshape(self.pods, self.pod_leaves, *column.shape[1:])


class SizingContext(NamedTuple):
    """The words of a refusal: the block, its switches, the key at fault, and other remedies."""

    subject: str
    boxes: str
    path: Path
    remedies: tuple[str, ...] = ()


def width(
    fits: Callable[[int, int], bool],
    radix: int,
    speeds: tuple[int, int],
    ratio: Fraction,
    shares: int = 1,
) -> Width:
    """Divide the ports of a switch, or of each of its `shares` equal parts, into down and up.

    Return the widest `down` whose bandwidth over `ratio` still fits into ports upwards. `speeds`
    are those of a down port and an up port in Gbps. Where they are equal this is down =
    floor(radix*o/(1+o)), up = ceil(down/o), the rule of vendors' tables.
    """

    def up_for(down: int) -> int:
        return uplinks_of(down, speeds, ratio)

    low, high = 0, radix // shares
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if fits(middle * shares, up_for(middle) * shares) else (low, middle - 1)
        )
    return Width(low, up_for(low))


def uplinks_of(down: int, speeds: tuple[int, int], ratio: Fraction) -> int:
    """Return the uplinks that carry what `down` ports carry, over `ratio`; speeds as in `width`."""
    low, high = speeds
    return -(-down * low * ratio.denominator // (high * ratio.numerator))


def spread_over(ports: int, uplinks: int, radix: int, *, even: bool, least: int = 1) -> int | None:
    """Return the fewest switches of `radix` ports that have `ports` in all; None where none do.

    There are `least` of them or more.

    With `even` the number also divides the `uplinks` of one lower switch, so that every pair has
    equally many links.
    """
    fewest = max(-(-ports // radix), least)
    if not even:
        return fewest if fewest <= uplinks else None
    return next((count for count in range(fewest, uplinks + 1) if uplinks % count == 0), None)


def size(leaves_of: LeavesOf, widths: Widths, tiers: int | None, *, even: bool) -> Sizing | None:
    """Size one block with the fewest tiers, or with exactly `tiers`; None if that is too small.

    `leaves_of(down)` returns the leaves that the endpoints need with `down` on each.
    """
    sizings = (_sized(leaves_of, widths, each, even=even) for each in ([tiers] if tiers else TIERS))
    return next((sizing for sizing in sizings if sizing), None)


def _sized(leaves_of: LeavesOf, widths: Widths, tiers: int, *, even: bool) -> Sizing | None:
    """Size one block with so many tiers, with the leaves of its rule that take fewest switches."""
    if tiers == 1:
        return _one_tier(leaves_of, widths)
    attempt = _two_tiers if tiers == 2 else _three_tiers  # noqa: PLR2004 - the second tier
    best, rule = attempt(leaves_of, widths, even=even), widths.rule
    if rule is None:
        return best
    for down in range(rule.most, rule.group - 1, -1):
        leaves = rule.leaves(down)
        if best and leaves + rule.blocks >= _boxes(best, rule.blocks):
            break
        spines = -(-leaves * rule.needed(down) // widths.spine_radix)
        if best and leaves + rule.blocks * spines >= _boxes(best, rule.blocks):
            continue  # full spines would not be fewer
        own = widths._replace(pod_leaves=rule.pod_leaves(down))
        fewer = max(down - 1, rule.group)
        if fewer < down and (rule.leaves(fewer), rule.pod_leaves(fewer)) == (
            leaves,
            own.pod_leaves,
        ):
            continue  # as many leaves are enough with fewer downlinks
        for up in _uplinks(rule, own, down, tiers, even=even):
            if rule.fits(down, up):
                other = attempt(leaves_of, own._replace(leaf=Width(down, up)), even=even)
                if other and (not best or _boxes(other, rule.blocks) < _boxes(best, rule.blocks)):
                    best = replace(other, chosen=((leaves, up),))
    return best


def _boxes(sizing: Sizing, blocks: int) -> int:
    """Return the switches of the blocks that share leaves."""
    return sizing.leaf + blocks * (sizing.spine + sizing.core)


def _uplinks(rule: LeafRule, widths: Widths, down: int, tiers: int, *, even: bool) -> Iterator[int]:
    """Yield the uplinks of a leaf that may take the fewest switches above, fewest spines first.

    They are those that are needed, rounded up so that the spines divide them.
    """
    needed, least = rule.needed(down), widths.least_spines
    if rule.uplinks:
        yield from [rule.uplinks] if rule.uplinks >= needed else []
    elif tiers == 2 and not even:  # noqa: PLR2004 - the second tier
        yield max(needed, least)
    else:
        ports, leaves = widths.spine_radix, rule.leaves(down)
        if tiers == 3:  # noqa: PLR2004 - a pod
            ports, leaves = widths.spine.down, widths.pod_leaves or widths.spine.down
        for spines in {
            max(-(-needed // links), least): 0 for links in range(ports // leaves, 0, -1)
        }:
            links = -(-needed // spines)
            # spines that have uplinks for the downlinks in use alone may need rounder numbers
            most = ports // leaves if widths.used_only else links
            yield from range(links * spines, most * spines + 1, spines)


def too_large(
    leaves_of: LeavesOf, widths: Widths, tiers: int | None, *, even: bool, words: SizingContext
) -> Refusal:
    """Return the refusal `block-too-large` of a block that `size` cannot size."""
    largest = tiers or 3
    tiers_text = ("one tier", "two tiers", "three tiers")[largest - 1]
    fact = f"{tiers_text} of {words.boxes} cannot hold {words.subject}"
    higher = [
        f"allow `rails.tiers: {more}`"
        for more in range(largest + 1, 4)
        if size(leaves_of, widths, more, even=even)
    ]
    hint = ", or ".join([*words.remedies, *higher[:1], "choose switches of a larger radix"])
    return refuse(
        "block-too-large",
        fact,
        path=("rails", "tiers") if tiers else words.path,
        because=_capacity(leaves_of, widths, largest),
        hint=hint,
    )


def _one_tier(leaves_of: LeavesOf, widths: Widths) -> Sizing | None:
    """Size a block of one switch, or of several that no spine joins."""
    leaves = leaves_of(widths.single) if widths.single else 0
    if not leaves or (widths.lone_leaves and leaves > widths.lone_leaves):
        return None
    return Sizing(
        tiers=1,
        slots=leaves * widths.single,
        leaf=leaves,
        spine=0,
        core=0,
        leaf_down=widths.single,
        leaf_up=0,
        spine_down=0,
        spine_up=0,
        core_down=0,
        pods=1,
        pod_leaves=leaves,
    )


def _two_tiers(leaves_of: LeavesOf, widths: Widths, *, even: bool) -> Sizing | None:
    """Size a block in which every leaf is joined to every spine."""
    down, up = widths.leaf
    if not down:
        return None
    leaves, uplinks = leaves_of(down), widths.leaf_uplinks or (up,)
    links = sum(widths.leaf_uplinks) or leaves * up
    spines = spread_over(
        links, math.gcd(*uplinks), widths.spine_radix, even=even, least=widths.least_spines
    )
    if spines is None:
        return None
    return Sizing(
        tiers=2,
        slots=leaves * down,
        leaf=leaves,
        spine=spines,
        core=0,
        leaf_down=down,
        leaf_up=up,
        spine_down=-(-links // spines),
        spine_up=0,
        core_down=0,
        pods=1,
        pod_leaves=leaves,
        leaf_uplinks=widths.leaf_uplinks,
    )


def _three_tiers(leaves_of: LeavesOf, widths: Widths, *, even: bool) -> Sizing | None:
    """Size a block of pods, where spine `i` of every pod is joined to core group `i`.

    A pod has as many leaves as a spine reaches, or those of a scalable unit, and the fewest spines
    that divide a leaf's uplinks. The last pod has the leaves that the endpoints need, and all of
    its spines.
    """
    (down, up), (spine_down, spine_up) = widths.leaf, widths.spine
    if not down or not spine_down or widths.leaf_uplinks:
        return None
    leaves, pod_leaves = leaves_of(down), widths.pod_leaves or spine_down
    pod_spines = spread_over(pod_leaves * up, up, spine_down, even=True, least=widths.least_spines)
    if pod_spines is None:
        return None
    pods, wired = -(-leaves // pod_leaves), pod_leaves * up // pod_spines
    if widths.used_only:
        spine_up = -(-wired * spine_up // spine_down)
    cores = spread_over(
        pods * spine_up, spine_up, widths.core_radix, even=even, least=widths.least_cores
    )
    if cores is None:
        return None
    core_down = -(-pods * spine_up // cores)
    return Sizing(
        tiers=3,
        slots=leaves * down,
        leaf=leaves,
        spine=pods * pod_spines,
        core=cores * pod_spines,
        leaf_down=down,
        leaf_up=up,
        spine_down=wired,
        spine_up=spine_up,
        core_down=core_down,
        pods=pods,
        pod_leaves=pod_leaves,
    )


def _capacity(leaves_of: LeavesOf, widths: Widths, tiers: int) -> Iterable[str]:
    """Yield the arithmetic of how many endpoints a block of so many tiers holds."""
    down, up = widths.leaf
    if tiers == 1 or not down:
        if not down or tiers > 1:
            return [_NO_UPLINKS]
        one = f"one tier is one switch, which has {widths.single} ports for it"
        return [one, *([_NO_PAIR] if leaves_of(widths.single) == 2 else [])]  # noqa: PLR2004 - a pair
    leaves = leaves_of(down)
    first = (
        f"a leaf gives {down} of its {widths.single} ports to endpoints and {up} to uplinks,"
        f" so {leaves} leaves are needed"
    )
    if tiers == 2:  # noqa: PLR2004 - the second tier
        return [
            first,
            (
                f"a spine reaches {widths.spine_radix} leaves,"
                f" so two tiers hold {widths.spine_radix} x {down} = {widths.spine_radix * down}"
            ),
        ]
    if not widths.spine.down:
        return [first, _NO_UPLINKS]
    pod, pods, reach = widths.spine.down * down, -(-leaves // widths.spine.down), widths.core_radix
    return [
        first,
        (
            f"a spine reaches the {widths.spine.down} leaves of its pod,"
            f" so a pod holds {widths.spine.down} x {down} = {pod}, and {pods} pods are needed"
        ),
        f"a core reaches {reach} pods, so three tiers hold {reach} x {pod} = {reach * pod}",
    ]


_NO_PAIR = "two leaves that cables join, without a spine, are not planned"
_NO_UPLINKS = "a switch with so few ports has none left for uplinks"
