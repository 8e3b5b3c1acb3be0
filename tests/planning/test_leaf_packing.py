"""Leaves that belong to scalable units, and rails that share a leaf at equal distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.terms import LinkKind
from fabricgen.planning.leaf_packing import LeafPacking
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

RACKS = {
    "hb_domain": {"gpus": 72, "hosts": 18},
    "rails": {"count": 4},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}


def leaves_of_domains(plan: Plan) -> dict[int, set[int]]:
    """Return the HB domains at each leaf of the first block."""
    segment = plan.segment
    rows = (segment.kind == LinkKind.HOST) & (segment.block == 0)
    found: dict[int, set[int]] = {}
    domains = segment.lower[rows] // plan.fabric.domain_gpus
    for leaf, domain in zip(segment.upper[rows].tolist(), domains.tolist(), strict=True):
        found.setdefault(leaf, set()).add(domain)
    return found


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized", "fat-tree"])
def test_no_leaf_serves_two_units(design: str) -> None:
    """Five HB domains a unit: the last unit has two of them, and every law holds."""
    unit = {"scalable_unit": {"domains": 5}}
    plan = plan_of(gpus=864, design=design, **RACKS, **unit)
    units = [{domain // 5 for domain in served} for served in leaves_of_domains(plan).values()]
    assert {len(each) for each in units} == {1}
    assert set().union(*units) == {0, 1, 2}
    assert check(plan).ok


def test_an_hb_domain_stays_on_one_leaf_of_a_rail() -> None:
    """A leaf of 32 downlinks holds one HB domain of 18 GPUs on a rail, and without units two."""
    united = plan_of(gpus=1152, **RACKS, scalable_unit={"domains": 8, "uplinks": "used"})
    filled = plan_of(gpus=1152, **RACKS)
    assert {len(served) for served in leaves_of_domains(united).values()} == {1}
    assert {len(served) for served in leaves_of_domains(filled).values()} == {2, 3}
    assert (united.sizing.leaf_down, united.sizing.leaf_up) == (18, 18)


def test_a_unit_is_a_pod() -> None:
    """Eight leaves with 18 uplinks each need 144 downlinks: six spines of 24, by three links."""
    racks = RACKS | {"rails": {"count": 4, "tiers": 3}}
    unit = {"domains": 8, "uplinks": "used"}
    sizing = plan_of(gpus=1152, **racks, scalable_unit=unit).sizing
    assert (sizing.pods, sizing.pod_leaves, sizing.pod_spines) == (2, 8, 6)
    assert (sizing.spine_down, sizing.spine_up) == (24, 24)


def test_packed_leaves_may_limit_uplinks() -> None:
    """With `leaf: packed` leaves are filled as without units; the number of uplinks is kept."""
    plan = plan_of(gpus=1152, **RACKS, scalable_unit={"domains": 8, "leaf": "packed"})
    assert plan.sizing == plan_of(gpus=1152, **RACKS).sizing
    more = {"domains": 8, "uplinks": 20}
    sizing = plan_of(gpus=1152, **RACKS, scalable_unit=more).sizing
    assert (sizing.leaf_down, sizing.leaf_up) == (18, 20)


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized"])
def test_strided_rails(design: str) -> None:
    """Rails 0 and 4 share the first leaf of NVIDIA's enterprise designs, 1 and 5 the second."""
    rails = {"count": 8, "per_switch": 2, "grouping": "strided", "tiers": 2}
    switches = {"leaf": {"generic": {"radix": 16}}}
    plan = plan_of(design=design, gpus=64, hb_domain={"gpus": 8}, rails=rails, switches=switches)
    served: dict[tuple[int, int], set[int]] = {}
    for segment in range(plan.mapping.segments):
        rows = plan.segment.kind == LinkKind.HOST
        columns = plan.segment.lower[rows], plan.segment.block[rows], plan.segment.upper[rows]
        for lower, block, leaf in zip(*(column.tolist() for column in columns), strict=True):
            gpu = plan.mapping.lower_gpu(segment, lower, block)
            served.setdefault((segment, leaf), set()).add(gpu % 8)
    assert {tuple(sorted(rails)) for rails in served.values()} == {(0, 4), (1, 5), (2, 6), (3, 7)}
    assert check(plan).ok


def test_the_leaf_of_a_group() -> None:
    """The two directions of the arithmetic agree, for units of every size."""
    for unit in range(1, 12):
        packing = LeafPacking(groups=30, group=3, unit_groups=unit)
        leaf, place = packing.leaf_of(np.arange(30), 10)
        at = leaf.astype(np.int32), place.astype(np.int32)
        assert packing.group_at(*at, 10).tolist() == list(range(30))
        assert place.max() < packing.together(10) == -(-unit // -(-unit // 3))
        assert packing.leaves(10) == leaf.max() + 1
