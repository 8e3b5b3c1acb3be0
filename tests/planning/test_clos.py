"""One block: the split of its switches' ports, its number of switches, and its links."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.block_links import leaf_spine, spine_core
from fabricgen.planning.clos import (
    Sizing,
    SizingContext,
    Width,
    Widths,
    size,
    spread_over,
    too_large,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.planning.block_links import TierLinks

WORDS = SizingContext("a block", "switches", ("gpus",))
RADICES = (36, 40, 48, 64, 128, 144, 512)


def simple(radix: int) -> Callable[[int, int], bool]:
    """Return the switch whose ports may all face either way."""
    return lambda down, up: down + up <= radix


def widths_of(
    leaf: int, spine: int | None = None, core: int | None = None, ratio: Fraction | int = 1
) -> Widths:
    """Split switches of these radices, all at one speed."""
    spine, core = spine or leaf, core or spine or leaf
    equal = (400, 400)
    return Widths(
        leaf,
        width(simple(leaf), leaf, equal, Fraction(ratio)),
        spine,
        width(simple(spine), spine, equal, Fraction(1)),
        core,
    )


def block(endpoints: int, widths: Widths, tiers: int | None = None, *, even: bool = True) -> Sizing:
    """Size a block whose leaves are filled in order. Raises Refusal where none is large enough."""

    def leaves_of(down: int) -> int:
        return -(-endpoints // down)

    sizing = size(leaves_of, widths, tiers, even=even)
    if sizing is None:
        raise too_large(leaves_of, widths, tiers, even=even, words=WORDS)
    return sizing


def pairs(joints: TierLinks) -> Counter[tuple[int, int]]:
    """Count the links between each lower and upper switch."""
    return Counter(zip(joints.lower.tolist(), joints.upper.tolist(), strict=True))


@pytest.mark.parametrize(
    ("radix", "ratio", "expected"),
    [
        (64, "1", (32, 32)),
        (64, "3", (48, 16)),
        (64, "2", (42, 21)),
        (64, "3/2", (38, 26)),
        (64, "1/2", (21, 42)),
        (63, "1", (31, 31)),
        (3, "1", (1, 1)),
        (1, "1", (0, 0)),
        (64, "100000", (63, 1)),
    ],
)
def test_width_of_one_speed(radix: int, ratio: str, expected: tuple[int, int]) -> None:
    """Down is floor(radix*o/(1+o)) and up ceil(down/o), the rule that vendors' tables follow."""
    share = Fraction(ratio)
    found = width(simple(radix), radix, (400, 400), share)
    assert found == expected
    assert found == (
        int(radix * share / (1 + share)),
        -(-int(radix * share / (1 + share)) // share),
    )


def test_width_of_two_speeds() -> None:
    """Uplinks of twice the speed are half as many.

    64 x 400G down use 32 cages, and 32 x 800G up the other 32.
    """

    def cages(down: int, up: int) -> bool:
        return -(-down // 2) + up <= 64

    assert width(cages, 128, (400, 800), Fraction(1)) == (64, 32)
    assert width(cages, 128, (400, 800), Fraction(3)) == (96, 16)


def test_width_of_shared_boxes() -> None:
    """Two blocks on a switch get half of it each, and the remainder is idle."""
    assert width(simple(64), 64, (400, 400), Fraction(1), shares=2) == (16, 16)
    assert width(simple(10), 10, (400, 400), Fraction(1), shares=3) == (1, 1)


def test_divisor_rule() -> None:
    """Spines divide the uplinks of a leaf.

    24 leaves of a DGX H100 SuperPOD of three scalable units take 16 spines, where 12 would do.
    """
    assert spread_over(24 * 32, 32, 64, even=True) == 16
    assert spread_over(24 * 32, 32, 64, even=False) == 12
    assert [spread_over(su * 8 * 32, 32, 64, even=True) for su in (1, 2, 3, 4, 5, 8)] == [
        4,
        8,
        16,
        16,
        32,
        32,
    ]
    assert spread_over(65 * 32, 32, 64, even=True) is None
    assert spread_over(65 * 32, 32, 64, even=False) is None


def test_minimal_spread_is_round_robin() -> None:
    """With `minimal` 12 spines take 32 uplinks of 24 leaves.

    A pair has two or three links, and every spine's ports count from 0.
    """
    sizing = block(24 * 32, widths_of(64), even=False)
    joints = leaf_spine(sizing)
    assert (sizing.leaf, sizing.spine, sizing.spine_down) == (24, 12, 64)
    assert set(pairs(joints).values()) == {2, 3}
    assert len(pairs(joints)) == 24 * 12
    for spine in range(12):
        assert sorted(joints.upper_port[joints.upper == spine].tolist()) == list(range(64))


def test_fewest_tiers() -> None:
    """One switch while the block fits it, then two tiers, then three.

    A request fixes the number.
    """
    widths = widths_of(8)
    assert [block(endpoints, widths).tiers for endpoints in (1, 8, 9, 32, 33, 128)] == [
        1,
        1,
        2,
        2,
        3,
        3,
    ]
    assert [block(8, widths, tiers).tiers for tiers in (1, 2, 3)] == [1, 2, 3]
    assert block(8, widths, 2) == Sizing(
        tiers=2,
        slots=8,
        leaf=2,
        spine=1,
        core=0,
        leaf_down=4,
        leaf_up=4,
        spine_down=8,
        spine_up=0,
        core_down=0,
        pods=1,
        pod_leaves=2,
    )


@pytest.mark.parametrize("radix", RADICES)
def test_limits(radix: int) -> None:
    """Two tiers hold k^2/2 endpoints, three k^3/4, and no more."""
    widths = widths_of(radix)
    assert block(radix**2 // 2, widths).tiers == 2
    assert block(radix**2 // 2 + 1, widths).tiers == 3
    assert block(radix**3 // 4, widths).tiers == 3
    with pytest.raises(Refusal) as refused:
        block(radix**3 // 4 + 1, widths)
    (finding,) = refused.value.findings
    assert finding.code == "block-too-large"
    assert any(str(radix**3 // 4) in reason for reason in finding.because)


def test_every_leaf_is_wired_for_its_full_width() -> None:
    """A block of 33 endpoints on 32-port halves has two leaves, 64 positions and 64 uplinks."""
    sizing = block(33, widths_of(64), 2)
    assert (sizing.leaf, sizing.slots, len(leaf_spine(sizing).lower)) == (2, 64, 64)


def test_runs_in_leaf_order() -> None:
    """A leaf's uplinks go to the spines in equal runs, and a spine's ports are in leaf order."""
    joints = leaf_spine(block(16, widths_of(8)))
    assert joints.lower.tolist() == [leaf for leaf in range(4) for _ in range(4)]
    assert joints.lower_port.tolist() == [0, 1, 2, 3] * 4
    assert joints.upper.tolist() == [0, 0, 1, 1] * 4
    assert joints.upper_port.tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7]


@pytest.mark.parametrize(("radix", "endpoints"), [(8, 40), (8, 128), (64, 4096), (6, 50)])
def test_core_groups(radix: int, endpoints: int) -> None:
    """In three tiers each leaf meets each spine of its pod once.

    Spine `i` of every pod meets the cores of group `i` only.
    """
    sizing = block(endpoints, widths_of(radix), 3)
    below, above = leaf_spine(sizing), spine_core(sizing)
    assert set(pairs(below).values()) == {1}
    assert np.array_equal(below.lower // sizing.pod_leaves, below.upper // sizing.pod_spines)
    assert np.array_equal(above.lower % sizing.pod_spines, above.upper // sizing.group_cores)
    assert len(set(pairs(above).values())) == 1
    assert len(pairs(above)) == sizing.spine * sizing.group_cores
    ends = list(zip(above.upper.tolist(), above.upper_port.tolist(), strict=True))
    assert len(set(ends)) == len(ends)
    assert int(above.upper_port.max()) < sizing.core_down <= radix


def test_published_three_tiers() -> None:
    """4,096 endpoints on 64-port switches are 128 leaves, 128 spines and 64 cores.

    Pods have 32 leaves.
    """
    sizing = block(4096, widths_of(64))
    assert (sizing.leaf, sizing.spine, sizing.core) == (128, 128, 64)
    assert (sizing.pods, sizing.pod_leaves, sizing.pod_spines, sizing.group_cores) == (4, 32, 32, 2)


def test_the_last_pod_has_the_leaves_it_needs() -> None:
    """One endpoint beyond a pod adds one leaf and all spines of a pod, with all their uplinks."""
    one, two = (block(endpoints, widths_of(8), 3) for endpoints in (16, 17))
    assert [(sizing.leaf, sizing.spine, sizing.pods, sizing.slots) for sizing in (one, two)] == [
        (4, 4, 1, 16),
        (5, 8, 2, 20),
    ]
    assert [list(two.leaves_of_pod(pod)) for pod in range(2)] == [[0, 1, 2, 3], [4]]
    below, above = leaf_spine(two), spine_core(two)
    assert [(leaf, spine) for leaf, spine in pairs(below) if leaf == 4] == [
        (4, 4),
        (4, 5),
        (4, 6),
        (4, 7),
    ]
    assert set(Counter(below.upper[below.lower < 4].tolist()).values()) == {4}
    assert set(Counter(above.lower.tolist()).values()) == {two.spine_up}


@pytest.mark.parametrize(("radix", "endpoints"), [(4, 9), (6, 19), (8, 33), (8, 50), (12, 80)])
@pytest.mark.parametrize("even", [True, False])
def test_every_two_leaves_are_connected_with_any_last_pod(
    radix: int,
    endpoints: int,
    even: bool,  # noqa: FBT001 - a parametrized flag
) -> None:
    """Two leaves of one pod have a spine in common, and two of different pods a core."""
    sizing = block(endpoints, widths_of(radix), 3, even=even)
    spines: dict[int, set[int]] = {}
    cores: dict[int, set[int]] = {}
    for found, joints in ((spines, leaf_spine(sizing)), (cores, spine_core(sizing))):
        for low, high in pairs(joints):
            found.setdefault(low, set()).add(high)
    above = {leaf: set().union(*(cores[spine] for spine in met)) for leaf, met in spines.items()}
    assert len(spines) == sizing.leaf < sizing.pods * sizing.pod_leaves
    for one, other in combinations(range(sizing.leaf), 2):
        same = one // sizing.pod_leaves == other // sizing.pod_leaves
        assert spines[one] & spines[other] if same else above[one] & above[other]


def test_a_column_by_pod() -> None:
    """Rows that the last pod lacks are 0, in columns of one number per leaf and of several."""
    sizing = block(17, widths_of(8), 3)
    assert sizing.by_pod(np.arange(1, 6)).tolist() == [[1, 2, 3, 4], [5, 0, 0, 0]]
    assert sizing.by_pod(np.ones((5, 2), dtype=bool)).sum(axis=1).tolist() == [[4, 4], [1, 1]]
    assert block(16, widths_of(8), 3).by_pod(np.arange(4)).tolist() == [[0, 1, 2, 3]]


def test_other_switches_above() -> None:
    """The radix of the spine limits the number of leaves of two tiers."""
    assert block(32, widths_of(8, 4)).tiers == 3
    assert block(8, widths_of(8, 4), 2).spine == 2
    assert block(64, widths_of(8, 16)).tiers == 2


@pytest.mark.parametrize(("tiers", "word"), [(1, "one tier"), (2, "two tiers"), (3, "three tiers")])
def test_a_refusal_has_its_arithmetic(tiers: int, word: str) -> None:
    """A block that does not fit is refused with reasons and a remedy."""
    with pytest.raises(Refusal) as refused:
        block(10_000, widths_of(8), tiers)
    (finding,) = refused.value.findings
    assert word in finding.fact
    assert finding.path == ("rails", "tiers")
    assert finding.because
    assert finding.hint


def test_switches_too_small_to_split() -> None:
    """A switch of one port cannot be a leaf, and is refused without a division by zero."""
    assert widths_of(1).leaf == Width(0, 0)
    for tiers in (None, 2, 3):
        with pytest.raises(Refusal):
            block(2, widths_of(1), tiers)
