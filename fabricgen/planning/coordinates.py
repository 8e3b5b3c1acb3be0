"""Where a GPU is: its HB domain, rank, rail and host, and its place on each; for one or many.

Owns this arithmetic. GPUs count from 0 over all HB domains, domain by domain and rank by rank; the
hosts of a domain hold consecutive ranks; the rail of a GPU is its rank modulo the number of rails.
Which block of which segment a rail is wired to is for `mapping`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import Int32Array, Int64Array, IntArray

Whole = TypeVar("Whole", int, "Int32Array", "Int64Array", "IntArray")
"""One integer, or an array of them."""


def gpu_name(domain: int, rank: int) -> str:
    """Return the name of the GPU with this rank in an HB domain; both count from 0.

    >>> gpu_name(0, 3)
    'd0-g3'
    """
    return f"d{domain}-g{rank}"


@dataclass(frozen=True)
class DomainCoordinates:
    """The HB domain and the rank of each GPU of a cluster.

    Methods take and return an integer or an array.
    """

    gpus: int
    """Installed GPUs."""
    domain_gpus: int
    """GPUs of an HB domain."""

    @cached_property
    def domains(self) -> int:
        """Installed HB domains."""
        return self.gpus // self.domain_gpus

    def domain(self, gpu: Whole) -> Whole:
        """Return the HB domain of a GPU."""
        return gpu // self.domain_gpus

    def rank(self, gpu: Whole) -> Whole:
        """Return the rank of a GPU: its place in its HB domain."""
        return gpu % self.domain_gpus

    def gpu(self, domain: Whole, rank: Whole) -> Whole:
        """Return the GPU of a rank of an HB domain."""
        return domain * self.domain_gpus + rank

    def domain_range(self, domain: int) -> range:
        """Return the GPUs of an HB domain."""
        return range(domain * self.domain_gpus, (domain + 1) * self.domain_gpus)

    def name(self, gpu: int) -> str:
        """Name a GPU, like d0-g3."""
        return gpu_name(*divmod(gpu, self.domain_gpus))

    def names(self, gpus: Iterable[int]) -> list[str]:
        """Name several GPUs."""
        return [gpu_name(*divmod(gpu, self.domain_gpus)) for gpu in gpus]


@dataclass(frozen=True)
class Coordinates(DomainCoordinates):
    """The coordinates of the GPUs of a fabric, also on its rails and hosts."""

    planned_gpus: int
    """GPUs that the fabric is sized for."""
    domain_hosts: int
    """Hosts of an HB domain."""
    rails: int
    planes: int

    @cached_property
    def host_gpus(self) -> int:
        """GPUs of a host."""
        return self.domain_gpus // self.domain_hosts

    @cached_property
    def ranks_per_rail(self) -> int:
        """GPUs of an HB domain that share a rail."""
        return self.domain_gpus // self.rails

    @cached_property
    def planned_domains(self) -> int:
        """HB domains that the fabric is sized for."""
        return self.planned_gpus // self.domain_gpus

    @cached_property
    def hosts(self) -> int:
        """Installed hosts."""
        return self.gpus // self.host_gpus

    @cached_property
    def planned_hosts(self) -> int:
        """Hosts that the fabric is sized for."""
        return self.planned_gpus // self.host_gpus

    @cached_property
    def rail_gpus(self) -> int:
        """Installed GPUs of a rail."""
        return self.gpus // self.rails

    @cached_property
    def planned_rail_gpus(self) -> int:
        """GPUs of a rail that the fabric is sized for."""
        return self.planned_gpus // self.rails

    def rail(self, gpu: Whole) -> Whole:
        """Return the rail of a GPU.

        >>> fabric = Coordinates(32, 16, planned_gpus=32, domain_hosts=2, rails=4, planes=1)
        >>> fabric.rail(23), fabric.rail_slot(23), fabric.host(23), fabric.name(23)
        (3, 1, 2, 'd1-g7')
        """
        return gpu % self.domain_gpus % self.rails

    def rail_slot(self, gpu: Whole) -> Whole:
        """Return the place of a GPU among those of its HB domain that share its rail."""
        return gpu % self.domain_gpus // self.rails

    def rail_index(self, gpu: Whole) -> Whole:
        """Return the place of a GPU among all those of its rail, HB domain by HB domain."""
        return gpu // self.rails

    def rail_gpu(self, domain: Whole, rail: Whole, rail_slot: Whole) -> Whole:
        """Return the GPU at a place of a rail in an HB domain."""
        return domain * self.domain_gpus + rail_slot * self.rails + rail

    def on_rail(self, gpu: Whole, rail: Whole, offset: int) -> Whole:
        """Return the GPU of the same HB domain on a rail, `offset` rail slots on, cyclically."""
        rail_slot = (self.rail_slot(gpu) + offset) % self.ranks_per_rail
        return self.rail_gpu(self.domain(gpu), rail, rail_slot)

    def host(self, gpu: Whole) -> Whole:
        """Return the host of a GPU, counted over all HB domains."""
        return gpu // self.host_gpus

    def host_slot(self, gpu: Whole) -> Whole:
        """Return the place of a GPU in its host."""
        return gpu % self.host_gpus

    def host_gpu(self, host: Whole, host_slot: Whole) -> Whole:
        """Return the GPU at a place of a host."""
        return host * self.host_gpus + host_slot

    def host_range(self, host: int) -> range:
        """Return the GPUs of a host."""
        return range(host * self.host_gpus, (host + 1) * self.host_gpus)

    def domain_of_host(self, host: Whole) -> Whole:
        """Return the HB domain of a host."""
        return host // self.domain_hosts

    def domain_slot(self, host: Whole) -> Whole:
        """Return the place of a host in its HB domain."""
        return host % self.domain_hosts

    def domain_host_range(self, domain: int) -> range:
        """Return the hosts of an HB domain."""
        return range(domain * self.domain_hosts, (domain + 1) * self.domain_hosts)

    def nic(self, gpu: Whole, plane: Whole) -> Whole:
        """Return the number of a NIC port: GPU by GPU, plane by plane."""
        return gpu * self.planes + plane

    def nic_gpu(self, nic: Whole) -> Whole:
        """Return the GPU of a NIC port."""
        return nic // self.planes

    def nic_plane(self, nic: Whole) -> Whole:
        """Return the plane of a NIC port."""
        return nic % self.planes
