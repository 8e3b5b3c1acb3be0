"""The contents of a lab of direct rails: GPUs with the links of their NIC ports, and HB domains.

A GPU is a namespace that runs its part of its host's frr.conf, so that the rails of a host meet in
its HB domain only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.direct_gpus import link_interface
from fabricgen.core.diagnostics import refuse
from fabricgen.lab.direct.frr_part import as_router, part_of_gpu
from fabricgen.lab.topology import LabLayout, Wire
from fabricgen.planning.addressing import address_text
from fabricgen.views.direct_links import DirectLinks
from fabricgen.views.link_ends import cable_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class DirectLayout(LabLayout):
    """Some direct rails of a plan, with all their GPUs."""

    @cached_property
    def boxes(self) -> list[int]:
        """No boxes."""
        return []

    @property
    def numbered(self) -> bool:
        """Whether hosts need no BGP: those of direct rails do."""
        return False

    @property
    def host_packs(self) -> frozenset[str]:
        """The packs whose files the hosts of the lab need."""
        return frozenset({"direct-frr"})

    @cached_property
    def links(self) -> DirectLinks:
        """The links of each NIC port."""
        return DirectLinks(self.plan)

    def frr_part(self, text: str, node: str) -> str:
        """Return the part of a host's frr.conf that a GPU runs."""
        gpu, address = self.number(node), self.plan.addresses.direct_gpu
        addresses = [address(gpu, plane) for plane in range(self.plan.fabric.planes)]
        part = part_of_gpu(text, self._interfaces(gpu), addresses)
        if self.plan.fabric.coordinates.ranks_per_rail == 1:
            return part
        number = self.plan.addresses.as_numbers.of_host(gpu)
        return as_router(part, number, address_text(gpu + 1))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each GPU by its name."""
        return {name: gpu for gpu, name in self.gpus.items()}

    def number(self, name: str) -> int:
        """Return the number of a GPU."""
        return self._numbers[name]

    def same_domain(self, one: str, other: str) -> bool:
        """Return whether two GPUs share an HB domain."""
        domain = self.plan.fabric.coordinates.domain
        return domain(self.number(one)) == domain(self.number(other))

    def same_rail(self, one: str, other: str) -> bool:
        """Return whether two GPUs share a rail."""
        rail = self.plan.fabric.coordinates.rail
        return rail(self.number(one)) == rail(self.number(other))

    def _interfaces(self, gpu: int) -> dict[str, str]:
        """Return the interfaces of a GPU's links: the lab's names by those of the host."""
        slot, name = self.plan.fabric.coordinates.host_slot(gpu), self.plan.naming.interface
        return {
            name(slot, plane, link.port): link_interface(plane, link.port)
            for plane in range(self.plan.fabric.planes)
            for link in self.links.of(gpu, plane)
        }

    def _cables(self) -> Iterator[Wire]:
        """Yield the cables, each from its lower end."""
        for gpu, name in self.gpus.items():
            for plane in range(self.plan.fabric.planes):
                for link in self.links.of(gpu, plane):
                    if not link.upper:
                        yield Wire(
                            cable_label(self.plan, link.segment, link.row),
                            name,
                            link_interface(plane, link.port),
                            self.gpus[link.peer],
                            link_interface(plane, link.peer_port),
                            address_text(link.address),
                            address_text(link.peer_address),
                        )


MOST_GPUS = 256
"""GPUs of a lab: each runs FRR, and every pair is tried."""


def lay_out(plan: Plan, rails: int | None) -> DirectLayout:
    """Choose what is booted: the first rails, with all their GPUs. Raises Refusal."""
    coordinates = plan.fabric.coordinates
    booted = range(min(rails or coordinates.rails, coordinates.rails))
    if len(booted) * coordinates.rail_gpus > MOST_GPUS:
        raise refuse(
            "lab-too-large",
            f"a lab of direct rails has at most {MOST_GPUS} GPUs",
            because=(f"{len(booted)} rails have {coordinates.rail_gpus} GPUs each",),
            hint="`--rails 1` boots the first rail"
            if coordinates.rail_gpus <= MOST_GPUS < len(booted) * coordinates.rail_gpus
            else "plan fewer GPUs: `--set gpus=128`",
        )
    return DirectLayout(plan, frozenset(booted), tuple(range(coordinates.domains)))
