"""Coordinates of GPUs: one arithmetic for a GPU and for arrays, and there and back again."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.planning.coordinates import Coordinates

FABRICS = [
    Coordinates(8, 8, planned_gpus=8, domain_hosts=1, rails=8, planes=1),
    Coordinates(24, 8, planned_gpus=48, domain_hosts=1, rails=4, planes=2),
    Coordinates(72, 36, planned_gpus=144, domain_hosts=9, rails=4, planes=1),
]
ONE = ("domain", "rank", "rail", "rail_slot", "rail_index", "host", "host_slot", "nic_gpu")


@pytest.mark.parametrize("fabric", FABRICS)
@pytest.mark.parametrize("method", [*ONE, "nic_plane", "domain_of_host"])
def test_an_array_is_computed_as_each_number_is(fabric: Coordinates, method: str) -> None:
    """A method gives for int32 arrays what it gives for each number, as int32 again."""
    every = np.arange(fabric.gpus, dtype=np.int32)
    found = getattr(fabric, method)(every)
    assert found.dtype == np.int32
    assert found.tolist() == [getattr(fabric, method)(gpu) for gpu in range(fabric.gpus)]


@pytest.mark.parametrize("fabric", FABRICS)
def test_coordinates_lead_back_to_the_gpu(fabric: Coordinates) -> None:
    """Domain and rank, domain, rail and place, and host and place name a GPU each."""
    gpu = np.arange(fabric.gpus, dtype=np.int32)
    domain, host = fabric.domain(gpu), fabric.host(gpu)
    for found in (
        fabric.gpu(domain, fabric.rank(gpu)),
        fabric.rail_gpu(domain, fabric.rail(gpu), fabric.rail_slot(gpu)),
        fabric.host_gpu(host, fabric.host_slot(gpu)),
        fabric.on_rail(gpu, fabric.rail(gpu), fabric.ranks_per_rail),
    ):
        assert np.array_equal(found, gpu)
    assert np.array_equal(fabric.domain_of_host(host), domain)
    nic = fabric.nic(gpu, gpu % fabric.planes)
    assert np.array_equal(fabric.nic_gpu(nic), gpu)
    assert np.array_equal(fabric.nic_plane(nic), gpu % fabric.planes)


@pytest.mark.parametrize("fabric", FABRICS)
def test_ranges_hold_what_is_in_them(fabric: Coordinates) -> None:
    """The ranges of domains and hosts are the GPUs and hosts that are there."""
    for domain in range(fabric.domains):
        gpus = [gpu for gpu in range(fabric.gpus) if fabric.domain(gpu) == domain]
        assert [*fabric.domain_range(domain)] == gpus
        assert [*fabric.domain_host_range(domain)] == sorted({*map(fabric.host, gpus)})
    for host in range(fabric.hosts):
        gpus = [gpu for gpu in range(fabric.gpus) if fabric.host(gpu) == host]
        assert [*fabric.host_range(host)] == gpus


def test_the_ranks_of_a_rail_take_turns() -> None:
    """`on_rail` goes round the GPUs of a rail in a domain, from the place of the GPU itself."""
    fabric = FABRICS[1]
    assert [fabric.on_rail(13, 3, turn) for turn in range(3)] == [15, 11, 15]
