"""The figures of a fabric in the equations: GPUs, HB domains, bandwidths, compute and memory.

Owns the origin of each figure: the inventory, its host, or an accelerator of the catalog. Where the
inventory names no host, the figures are those of the rail-only paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse, suggest
from fabricgen.planning.coordinates import DomainCoordinates

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Accelerator
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.resolve import ResolvedFabric

PAPER = "gh200-paper"
"""The accelerator of a fabric that names no host (Wang et al., arXiv 2307.12169)."""

BYTES_S = 10**9 / 8
"""Bytes per second of a Gbps."""


@dataclass(frozen=True)
class Machine:
    """N GPUs in HB domains of K, with B_F and B_S in bytes/s per GPU and direction, C in FLOP/s.

    B_F is the bandwidth inside an HB domain, B_S that across.
    """

    gpus: int
    domain_gpus: int
    hb_bytes_s: float
    nic_bytes_s: float
    flops: float
    origins: dict[str, str] = field(default_factory=dict)
    """The origins of B_F, B_S, C and M in words."""
    memory_bytes: float | None = None
    """M, the memory of a GPU; None where the catalog has no figure."""

    @cached_property
    def coordinates(self) -> DomainCoordinates:
        """The HB domain and the rank of each GPU."""
        return DomainCoordinates(self.gpus, self.domain_gpus)


def machine_of(fabric: ResolvedFabric, catalog: Catalog, accelerator: str | None = None) -> Machine:
    """Return the figures of a fabric; `accelerator` replaces that of the host.

    Raises Refusal `unknown-model`, or `model-lacks-figure` where a figure is unknown.
    """
    gpu, why = _accelerator(fabric, catalog, accelerator)
    hb_gbps, hb_origin = _hb_gbps(fabric, gpu, why)
    ports = (
        f"{fabric.planes} x {fabric.speed_gbps}G" if fabric.planes > 1 else f"{fabric.speed_gbps}G"
    )
    origins = {
        "B_F": hb_origin,
        "B_S": f"{ports} of each GPU",
        "C": f"accelerator `{gpu.model}`, {gpu.precision}, {why}",
        "M": f"accelerator `{gpu.model}`",
    }
    nic = fabric.planes * fabric.speed_gbps * BYTES_S
    return Machine(
        fabric.gpus,
        fabric.domain_gpus,
        hb_gbps * BYTES_S,
        nic,
        gpu.tflops * 1e12,
        origins,
        gpu.memory_gb and gpu.memory_gb * 1e9,
    )


def _accelerator(
    fabric: ResolvedFabric, catalog: Catalog, asked: str | None
) -> tuple[Accelerator, str]:
    """Return the accelerator, and why it was chosen."""
    host = fabric.host
    name, why = (
        (asked, "as requested")
        if asked
        else (
            (host.accelerator, f"of host `{host.model}`")
            if host
            else (PAPER, "as the inventory names no host")
        )
    )
    if name is None:
        because = ("its catalog file has no `accelerator`",)
        raise refuse(
            "model-lacks-figure",
            f"the accelerator of host `{host and host.model}` is unknown",
            because=because,
            hint=_OFFER,
        )
    found = catalog.accelerator(name)
    if found is None:
        hint = suggest(
            name,
            catalog.names("accelerators"),
            "`fabricgen catalog list accelerators` shows what there is",
        )
        raise refuse("unknown-model", f"the catalog has no accelerator `{name}`", hint=hint)
    return found, why


_OFFER = (
    "name one: `--accelerator h100-sxm`; `fabricgen catalog list accelerators` shows what there is"
)


def _hb_gbps(fabric: ResolvedFabric, gpu: Accelerator, why: str) -> tuple[int, str]:
    """Return the HB bandwidth of a GPU in Gbps, one direction, and its origin.

    That is the inventory, else its host, else the accelerator.
    """
    host, stated = fabric.host, fabric.spec.hb_domain.bandwidth
    if stated:
        return stated, "`hb_domain.bandwidth` of the inventory"
    if host and host.hb_bandwidth_gbps:
        return host.hb_bandwidth_gbps, f"host `{host.model}`"
    if gpu.hb_bandwidth_gbps and (host is None or host.scale_up):
        return gpu.hb_bandwidth_gbps, f"accelerator `{gpu.model}`, {why}"
    who = f"host `{host.model}`" if host else f"accelerator `{gpu.model}`"
    because = (f"{who} has no scale-up interconnect of a known bandwidth",)
    hint = "state it, per GPU and direction: `--set hb_domain.bandwidth=3.6Tbps`"
    raise refuse(
        "model-lacks-figure", "the HB bandwidth of a GPU is not known", because=because, hint=hint
    )


def find_llm(catalog: Catalog, name: str) -> Workload:
    """Return a language model by its name or its file.

    Raises Refusal `unknown-llm`, or `bad-catalog-file` for a file that does not fit.
    """
    found = catalog.workload(name)
    if found is None:
        if name.endswith((".yaml", ".yml")):
            raise refuse(
                "unknown-llm",
                f"there is no file `{name}`",
                hint=(
                    "give the path of a model's file, or a name: `fabricgen catalog list workloads`"
                ),
            )
        hint = suggest(
            name,
            catalog.names("workloads"),
            "`fabricgen catalog list workloads` shows what there is; a file of yours ends in .yaml",
        )
        raise refuse("unknown-llm", f"there is no language model `{name}`", hint=hint)
    return found
