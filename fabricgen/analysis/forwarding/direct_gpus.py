"""The addresses and routes of a GPU of direct rails that is a router of its own, as in a lab.

BGP gives it the routes of its own rail; here are those over its HB domain: to the other GPUs of the
domain, and to the other rails, each by the GPU of the domain that is on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.gpu_routes import (
    HB_DEVICE,
    HB_RANGES,
    GpuAddress,
    GpuView,
    hb_address,
)
from fabricgen.analysis.forwarding.relay_rules import ranks_by_rail
from fabricgen.core.columns import Columns
from fabricgen.planning.addressing import address_text
from fabricgen.views.direct_links import DirectLinks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan

LOOPBACK = "lo"
"""The interface of a GPU's own addresses."""


class DirectGpus:
    """Makes the views of the GPUs of one plan with direct rails."""

    def __init__(self, plan: Plan) -> None:
        """Find the links of its NIC ports."""
        self._plan, self._links = plan, DirectLinks(plan)

    def view(self, gpu: int) -> GpuView:
        """Return the addresses and the routes of a GPU."""
        plan, coordinates = self._plan, self._plan.fabric.coordinates
        rank = coordinates.rank(gpu)
        return GpuView(
            name=coordinates.name(gpu),
            fabric=plan.spec.name,
            host=plan.hosts[coordinates.host(gpu)],
            domain=coordinates.domain(gpu),
            rail=coordinates.rail(gpu),
            numbered=True,
            family=plan.addresses.family,
            addresses=[*self._addresses(gpu), self._hb(rank)],
            route_columns=[
                found
                for plane in range(plan.fabric.planes)
                for found in (*self._inside(gpu, plane), *self._to_rails(gpu, plane))
            ],
        )

    def _addresses(self, gpu: int) -> Iterator[GpuAddress]:
        """Yield the addresses of a GPU on each plane, and those of its links."""
        plan, mtu = self._plan, self._plan.spec.addressing.mtu
        for plane in range(plan.fabric.planes):
            own = f"{plan.addresses.direct_gpu(gpu, plane)}/{plan.addresses.hosts.bits}"
            yield GpuAddress(LOOPBACK, own, mtu)
            for link in self._links.of(gpu, plane):
                address = f"{address_text(link.address)}/{plan.addresses.host_length}"
                yield GpuAddress(link_interface(plane, link.port), address, mtu)

    def _hb(self, rank: int) -> GpuAddress:
        """Return the address of a rank in its HB domain."""
        bits = self._plan.addresses.hosts.bits
        text = f"{hb_address(rank, bits)}/{HB_RANGES[bits][1]}"
        return GpuAddress(HB_DEVICE, text, self._plan.spec.addressing.mtu)

    def _inside(self, gpu: int, plane: int) -> Iterator[Columns]:
        """Yield the routes to the other GPUs of the HB domain."""
        coordinates = self._plan.fabric.coordinates
        others = [each for each in coordinates.domain_range(coordinates.domain(gpu)) if each != gpu]
        prefixes = [self._plan.addresses.direct_gpu(each, plane) for each in others]
        return self._routes(gpu, plane, prefixes, [coordinates.rank(each) for each in others])

    def _to_rails(self, gpu: int, plane: int) -> Iterator[Columns]:
        """Yield the routes to the other rails, each over the GPU of the domain that is on it."""
        plan, coordinates = self._plan, self._plan.fabric.coordinates
        per_rail = coordinates.ranks_per_rail
        ranks = [
            rank
            for rank in ranks_by_rail(plan.fabric, gpu)[::per_rail]
            if coordinates.rail(rank) != coordinates.rail(gpu)
        ]
        blocks = (plan.mapping.home(rank, plane) for rank in ranks)
        slices = plan.addresses.loopbacks
        prefixes = [
            slices.prefix(segment * plan.mapping.segment_blocks + place)
            for segment, place in blocks
        ]
        return self._routes(gpu, plane, prefixes, ranks)

    def _routes(
        self, gpu: int, plane: int, prefixes: list[str], ranks: list[int]
    ) -> Iterator[Columns]:
        """Yield routes over GPUs of the HB domain, if there are any."""
        bits = self._plan.addresses.hosts.bits
        vias = tuple(hb_address(rank, bits) for rank in ranks)
        cells = tuple(prefixes), vias, HB_DEVICE, self._plan.addresses.direct_gpu(gpu, plane), 1
        if ranks:
            yield Columns(cells, 0, len(ranks))


def link_interface(plane: int, port: int) -> str:
    """Name the interface of a link of a GPU in a lab."""
    return f"nic{plane}s{port}"
