"""The mapping of NIC ports to endpoints: rails, stripes, shared boxes, planes, refusals."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.designs import map_design
from tests.fabrics import plan_of, refusal_codes, request_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

DGX = {"gpus": 8}
NOKIA = {
    "leaf": {"model": "7220-ixr-h5-64", "breakout": "4x200G"},
    "spine": {"model": "7220-ixr-h5-64", "breakout": "1x800G"},
}


def leaves(plan: Plan, block: int | None = None) -> dict[int, list[int]]:
    """Return the GPUs on each leaf of the first segment or of one block, in port order."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    segment = plan.segment
    for kind, own, gpu, leaf, port in zip(
        *(
            column.tolist()
            for column in (
                segment.kind,
                segment.block,
                segment.lower,
                segment.upper,
                segment.upper_port,
            )
        ),
        strict=True,
    ):
        if kind == LinkKind.HOST and block in (None, own):
            found[leaf].append((port, gpu + (plan.mapping.rail(0, own) or 0)))
    return {leaf: [gpu for _, gpu in sorted(ports)] for leaf, ports in found.items()}


def test_rail_only_is_a_block_per_rail_in_order_of_domains() -> None:
    """Rail 3 of eight holds GPU 3 of every domain; a leaf takes them in order."""
    plan = plan_of(gpus=512, hb_domain=DGX, radix=16)
    assert (plan.mapping.segments, plan.mapping.segment_blocks) == (8, 1)
    assert [plan.mapping.rail(segment) for segment in range(8)] == list(range(8))
    assert leaves(plan)[0] == [domain * 8 for domain in range(8)]
    assert leaves(plan)[7] == [domain * 8 for domain in range(56, 64)]


def test_planes_are_units_of_their_own() -> None:
    """Units go by rail, then plane; each plane has every GPU of the rail."""
    plan = plan_of(gpus=64, hb_domain=DGX, radix=16, rails={"planes": 2})
    assert plan.mapping.segments == 16
    assert [(plan.mapping.rail(segment), plan.mapping.plane(segment)) for segment in range(4)] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]


def test_nvl72_on_four_rails() -> None:
    """A rack of 72 has 18 endpoints on each rail, in the order of its trays.

    The rail is the position in the tray.
    """
    plan = plan_of(
        gpus=288,
        hb_domain={"gpus": 72, "hosts": 18},
        host={"model": "gb200-nvl72"},
        rails={"count": 4},
        switches={"leaf": {"model": "sn5600"}},
    )
    assert (plan.mapping.segments, plan.sizing.tiers, plan.link_count(LinkKind.HOST)) == (4, 1, 288)
    on_leaf = leaves(plan)[0]
    assert on_leaf == [gpu for gpu in range(288) if gpu % 72 % 4 == 0]
    assert on_leaf[17:19] == [68, 72]


def test_rails_that_share_a_box_alternate() -> None:
    """With two rails per switch a twin cage has GPU 0 and GPU 1 of one host.

    The uplinks of the two rails alternate as well.
    """
    plan = plan_of(
        gpus=512,
        hb_domain=DGX,
        switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        rails={"per_switch": 2, "tiers": 2},
    )
    assert (plan.mapping.segments, plan.mapping.segment_blocks, plan.sizing.leaf_down) == (4, 2, 32)
    assert leaves(plan)[0][:4] == [0, 1, 8, 9]
    segment = plan.segment
    uplinks = (segment.kind == LinkKind.LEAF_SPINE) & (segment.lower == 0)
    ports = [plan.ports[Role.LEAF][port] for port in segment.lower_port[uplinks]]
    assert {
        (block, port.sub)
        for block, port in zip(segment.block[uplinks].tolist(), ports, strict=True)
    } == {(0, 0), (1, 1)}


def test_rails_that_share_a_box_have_separate_spines() -> None:
    """The rails share a box, separated by its configuration, and each has its own spines."""
    plan = plan_of(gpus=512, hb_domain=DGX, radix=16, rails={"per_switch": 2})
    segment = plan.segment
    rows = segment.kind == LinkKind.LEAF_SPINE
    spines = {
        block: set(segment.upper[rows & (segment.block == block)].tolist()) for block in (0, 1)
    }
    assert spines[0].isdisjoint(spines[1])
    assert plan.switch_count(Role.SPINE) == 8 * plan.sizing.spine


@pytest.mark.parametrize(("gpus", "expected"), [(128, 8), (256, 4), (512, 2), (1024, 1), (2048, 1)])
def test_auto_packs_as_many_rails_as_fit(gpus: int, expected: int) -> None:
    """`auto` takes the largest divisor of the rails whose endpoints fit one box together."""
    assert (
        plan_of(
            gpus=gpus, hb_domain=DGX, radix=128, rails={"per_switch": "auto"}
        ).mapping.per_switch
        == expected
    )


def test_the_paper_needs_two_rails_per_switch() -> None:
    """32,768 GPUs in domains of 256 on 256-port switches: rails of 128, two to a box."""
    plan = plan_of(gpus=32768, hb_domain={"gpus": 256}, radix=256, rails={"per_switch": "auto"})
    assert (plan.mapping.per_switch, plan.switch_count(Role.LEAF)) == (2, 128)


def test_stripes() -> None:
    """Rail-optimized: eight leaves serve the 32 domains of a stripe, a rail each.

    The next stripe has its own leaves.
    """
    plan = plan_of(design="rail-optimized", gpus=520, hb_domain=DGX, radix=64)
    on_leaf = leaves(plan)
    assert on_leaf[0] == [domain * 8 for domain in range(32)]
    assert on_leaf[7] == [domain * 8 + 7 for domain in range(32)]
    assert on_leaf[8] == [domain * 8 for domain in range(32, 64)]
    assert on_leaf[16] == [512]
    assert plan.sizing.leaf == 24


def test_stripes_of_several_rails() -> None:
    """Four leaves of two rails each: a cage carries the two rails of one domain."""
    plan = plan_of(
        design="rail-optimized",
        gpus=256,
        hb_domain=DGX,
        radix=128,
        rails={"per_switch": "auto", "tiers": 2},
    )
    assert plan.mapping.per_switch == 2
    assert {leaf: gpus[:4] for leaf, gpus in leaves(plan).items()} == {
        0: [0, 1, 8, 9],
        1: [2, 3, 10, 11],
        2: [4, 5, 12, 13],
        3: [6, 7, 14, 15],
    }


def test_a_stripe_of_a_domain_with_several_gpus_per_rail() -> None:
    """A domain of 72 on four rails has 18 GPUs on a leaf.

    A leaf of 32 downlinks takes one domain and leaves 14 ports idle.
    """
    plan = plan_of(
        design="rail-optimized", gpus=144, hb_domain={"gpus": 72}, rails={"count": 4}, radix=64
    )
    on_leaf = leaves(plan)
    assert len(on_leaf) == 8
    assert on_leaf[1] == [rank for rank in range(72) if rank % 4 == 1]
    assert on_leaf[5] == [72 + rank for rank in range(72) if rank % 4 == 1]


def test_a_fat_tree_takes_hosts_in_order() -> None:
    """A leaf of a fat-tree serves whole hosts, whatever the ranks of their GPUs."""
    plan = plan_of(design="fat-tree", gpus=64, hb_domain=DGX, radix=16)
    assert leaves(plan)[1] == list(range(8, 16))


@pytest.mark.parametrize("design", ["rail-optimized", "fat-tree"])
def test_one_box_has_no_stripes(design: str) -> None:
    """That holds also where a leaf has as many downlinks as ports that can be split so."""
    for switches, gpus in ((NOKIA, 128), ({"leaf": {"generic": {"radix": 128}}}, 128)):
        plan = plan_of(
            design=design, gpus=gpus, hb_domain=DGX, nic={"speed": "200G"}, switches=switches
        )
        assert (plan.sizing.tiers, plan.switch_count(Role.LEAF)) == (1, 1)


def test_a_stripe_that_is_too_wide() -> None:
    """A leaf that is too small for one domain's GPUs of its rails is refused.

    That holds in any number of tiers, without a division by zero.
    """
    wide = {"design": "rail-optimized", "hb_domain": {"gpus": 4}, "radix": 4}
    assert refusal_codes(gpus=8, rails={"count": 1}, **wide) == ["stripe-too-wide"]
    assert refusal_codes(gpus=4, rails={"count": 1, "tiers": 2}, **wide) == ["stripe-too-wide"]
    assert plan_of(gpus=4, rails={"count": 1}, **wide).sizing.tiers == 1
    assert refusal_codes(
        gpus=64, design="rail-optimized", hb_domain=DGX, radix=8, rails={"per_switch": 8}
    ) == ["stripe-too-wide"]


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"rails": {"count": 3}}, "rails-do-not-divide"),
        ({"rails": {"per_switch": 3}}, "rails-do-not-divide"),
        ({"design": "fat-tree", "rails": {"per_switch": 2}}, "per-switch-without-rails"),
        ({"rails": {"tiers": 1}, "gpus": 1024}, "block-too-large"),
        ({"gpus": 9}, "gpus-not-whole-domains"),
    ],
)
def test_refusals(keys: dict[str, object], code: str) -> None:
    """Impossible mappings are refused, each by its code."""
    assert refusal_codes(**{"gpus": 64, "hb_domain": DGX, "radix": 16, **keys}) == [code]


def hint_of(**keys: Any) -> str:  # noqa: ANN401 - keys of an inventory
    """Return the hint with which an inventory is refused as too large; empty where it is sized."""
    try:
        map_design(request_of(**keys))
    except Refusal as refusal:
        (finding,) = refusal.findings
        return finding.hint or "" if finding.code == "block-too-large" else ""
    return ""


def test_the_numbers_in_a_hint_are_the_nearest_that_work() -> None:
    """`rails.count` is the fewest more rails that can be sized, `rails.per_switch` the most."""
    applied = Counter[str]()
    for radix, gpus, tiers, count, shared in product(
        (4, 8), (96, 384), (1, 2, 3), (4, 12), (1, 2, 4)
    ):
        rails = {"tiers": tiers, "count": count, "per_switch": shared}
        keys = {"gpus": gpus, "hb_domain": {"gpus": 24}, "radix": radix}
        for key, value in re.findall(r"`rails\.(\w+): (\d+)`", hint_of(**keys, rails=rails)):
            number = int(value)
            assert plan_of(**keys, rails={**rails, key: number})
            nearer = {
                "count": [n for n in divisors(24) if count < n < number and n % shared == 0],
                "per_switch": [n for n in divisors(count) if number < n < shared],
            }
            for other in nearer.get(key, ()):
                assert hint_of(**keys, rails={**rails, key: other})
            applied[key] += 1
    assert all(applied[key] > 5 for key in ("count", "tiers"))
    assert applied["per_switch"]


def test_the_hint_of_a_fabric_in_one_tier() -> None:
    """NVL72 on four rails does not fit one tier; nine rails fill one SN5600 each."""
    nvl72 = {"gpus": 1152, "hb_domain": {"gpus": 72}, "host": {"model": "gb200-nvl72"}}
    leaf = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
    hint = hint_of(**nvl72, switches=leaf, rails={"count": 4, "tiers": 1})
    assert hint.startswith("use `rails.count: 9` (128 endpoints each), or allow `rails.tiers: 2`")


def test_no_leaf_is_planned_without_a_gpu() -> None:
    """2,050 endpoints take 65 leaves of 32.

    The third pod has one leaf, and all of its 32 spines.
    """
    plan = plan_of(gpus=16_400, hb_domain={"gpus": 8}, radix=64)
    sizing = plan.sizing
    assert (sizing.leaf, sizing.spine, sizing.core, sizing.pods, sizing.slots) == (
        65,
        96,
        64,
        3,
        65 * 32,
    )
    assert plan.link_count(LinkKind.LEAF_SPINE) == 8 * 65 * 32
    assert np.count_nonzero(plan.mapping.pattern() >= 0) == 2050


def test_vacant_positions() -> None:
    """The pattern marks a position beyond the last endpoint with -1.

    Growth inside a reserve fills it.
    """
    plan = plan_of(gpus=64, reserve={"gpus": 128}, hb_domain=DGX, radix=16)
    pattern = plan.mapping.pattern()
    assert pattern.tolist() == [domain * 8 for domain in range(16)]
    assert np.count_nonzero(plan.segment.kind == LinkKind.HOST) == 8
    assert plan_of(
        gpus=72, hb_domain=DGX, radix=16, rails={"tiers": 2}
    ).mapping.pattern().tolist() == [*range(0, 72, 8), *[-1] * 7]
