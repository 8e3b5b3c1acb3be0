"""The all-to-all of a mixture of experts: its bytes, and its time in an iteration.

Owns the equations; derived. Every GPU sends the same amount to each other GPU of its pipeline
stage: dispatch and combine, forward and backward. With S bytes of a GPU, and n = N/p GPUs of a
stage in D = n/K HB domains:

    across     S (n - K)/(n - 1) / B_S      over NICs; other media have a time of their own
    inside     S D (K - 1)/(n - 1) / B_F    in HB domains, where bytes for other rails go first
    experts    the larger one, as relays forward while NICs send
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload


def expert_bytes(llm: Workload, machine: Machine) -> float:
    """Return the bytes that a GPU sends to experts in an iteration; 0 without any, or alone."""
    if llm.moe is None or _stage_gpus(llm, machine) == 1:
        return 0.0
    return (
        4
        * (llm.layers // llm.moe.every)
        * llm.moe.top_k
        * llm.batch_tokens
        * llm.hidden
        * llm.bytes_per_element
        / machine.gpus
    )


def pair_bytes(llm: Workload, machine: Machine) -> float:
    """Return the bytes that a GPU sends to each other GPU of its pipeline stage."""
    sent = expert_bytes(llm, machine)
    return sent / (_stage_gpus(llm, machine) - 1) if sent else 0.0


def expert_s(llm: Workload, machine: Machine, across_s: float | None = None) -> float:
    """Return the time of all exchanges; `across_s` is that between HB domains, if not by B_S."""
    n, k = _stage_gpus(llm, machine), machine.domain_gpus
    each = pair_bytes(llm, machine)
    if across_s is None:
        across_s = each * (n - k) / machine.nic_bytes_s
    return max(across_s, each * (n / k) * (k - 1) / machine.hb_bytes_s)


def exchanges(llm: Workload, sequences: int) -> int:
    """Return how many all-to-alls follow each other in an iteration.

    Each layer of experts has four; in a pipeline they are repeated for each of its sequences.
    """
    if llm.moe is None:
        return 0
    layers = ceil(llm.layers // llm.moe.every / llm.pipeline_stages)
    return 4 * layers * (sequences if llm.pipeline_stages > 1 else 1)


def _stage_gpus(llm: Workload, machine: Machine) -> int:
    """Return the GPUs of a pipeline stage."""
    return machine.gpus // llm.pipeline_stages
