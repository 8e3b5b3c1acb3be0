"""An iteration in words: its parts with their equations, and every symbol with its origin.

Owns the explanations and the notes on what the model leaves out; numbers come from `equations`, and
the command owns the layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.workload.equations import least_group, parameters, replicas, weights
from fabricgen.analysis.workload.experts import expert_bytes
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from fabricgen.analysis.workload.equations import Group
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.analysis.workload.sweep import Point
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.plan import Plan

DERIVED = (
    "the equations are derived from the prose of arXiv 2307.12169 and are not the paper's own;"
    " `fabricgen explain model` lists what they reproduce"
)


@dataclass(frozen=True)
class Symbol(Document):
    """A symbol of the equations: its value as text, what it is, and where it comes from."""

    name: str
    value: str
    what: str
    origin: str


def equations(point: Point) -> list[tuple[str, str, str]]:
    """Return the key of each part, its name and its equation; of a pipeline if there is one."""
    stages = [
        ("pipeline_s", "pipeline", "2 p b h w / (N B_S)"),
        ("bubble_s", "bubble", "(p - 1)/m (compute + MP), m = b p N_M / (s N)"),
    ]
    p = "p " if point.llm.pipeline_stages > 1 else ""
    return [
        ("compute_s", "compute", "6 P b / (N C)"),
        ("mp_s", "MP", "8 l w b h (N_M - 1) / (N B_F)"),
        ("dp_across_s", "DP across", f"2 P w (1/{f'({p}K)' if p else 'K'} - 1/N) / B_S"),
        ("dp_within_s", "DP within", f"2 P w (1/N_M - 1/K) / {f'({p}B_F)' if p else 'B_F'}"),
        *(stages if p else []),
        *_experts(point),
    ]


def _experts(point: Point) -> list[tuple[str, str, str]]:
    """Return the part of a mixture of experts, where there is one."""
    share = "(N/p - K)/(N/p - 1)" if point.llm.pipeline_stages > 1 else "(N - K)/(N - 1)"
    return [("experts_s", "experts", f"S {share} / B_S")] if point.llm.moe else []


def symbols(point: Point, group: Group) -> list[Symbol]:
    """Return every symbol of the equations."""
    llm, machine, found = point.llm, point.machine, point.times
    file, inventory, p = f"model `{llm.name}`", "the inventory", llm.pipeline_stages
    stages = (
        [
            Symbol("p", f"{p:,}", "pipeline stages", file),
            Symbol("s", f"{llm.sequence:,}", "tokens of a sequence", file),
        ]
        if p > 1
        else []
    )
    return [
        Symbol("N", f"{machine.gpus:,}", "GPUs", inventory),
        Symbol("K", f"{machine.domain_gpus:,}", "GPUs of an HB domain", inventory),
        Symbol("N_M", f"{found.n_m:.4g}", "GPUs of a model-parallel group", _origin(point, group)),
        Symbol(
            "B_F",
            f"{machine.hb_bytes_s / 1e9:,.4g} GB/s",
            "inside an HB domain, per GPU and direction",
            machine.origins.get("B_F", ""),
        ),
        Symbol(
            "B_S",
            f"{machine.nic_bytes_s / 1e9:,.4g} GB/s",
            "across HB domains, per GPU and direction",
            machine.origins.get("B_S", ""),
        ),
        Symbol(
            "C",
            f"{machine.flops / 1e12:,.4g} TFLOP/s",
            "compute of a GPU, without sparsity",
            machine.origins.get("C", ""),
        ),
        Symbol("l", f"{llm.layers:,}", "layers", file),
        Symbol("h", f"{llm.hidden:,}", "hidden size", file),
        Symbol("P", f"{parameters(llm) / 1e9:,.4g}e9", "parameters", "12 l h^2"),
        Symbol(
            "b",
            f"{llm.batch_tokens:,}",
            "tokens of a batch, over all GPUs",
            f"{file}, or as requested",
        ),
        Symbol("w", f"{llm.bytes_per_element:g}", "bytes of an element", file),
        *_memory(machine),
        *stages,
        *_expert_bytes(llm, machine),
    ]


def _expert_bytes(llm: Workload, machine: Machine) -> list[Symbol]:
    """Return the symbol of the bytes to experts, where a model has some."""
    value, what = f"{expert_bytes(llm, machine) / 1e9:,.4g} GB", "bytes of a GPU to experts"
    return [Symbol("S", value, what, "4 of each layer with experts")] if llm.moe else []


def _memory(machine: Machine) -> list[Symbol]:
    """Return the symbol of a GPU's memory, where it is known."""
    if machine.memory_bytes is None:
        return []
    value = f"{machine.memory_bytes / 1e9:,.4g} GB"
    return [Symbol("M", value, "memory of a GPU", machine.origins.get("M", ""))]


def _origin(point: Point, group: Group) -> str:
    """Return the origin of the model-parallel group."""
    if group == "divisor":
        return "the best divisor of K"
    if group == "continuous":
        base = "sqrt(3 h N / b)" if point.llm.pipeline_stages == 1 else "the best"
        least = least_group(point.llm, point.machine) or 1
        if least > 1 and point.times.n_m == least:
            return f"N_M* = {base}, at least the {least:,} GPUs that hold the weights"
        if least > point.machine.domain_gpus:
            return f"K, as the {least:,} GPUs that hold the weights are more"
        clamped = point.times.n_m in (1, point.machine.domain_gpus)
        return f"N_M* = {base}, {'clamped to 1..K' if clamped else 'not rounded'}"
    return "--mp-group"


def notes(point: Point, plan: Plan) -> list[str]:
    """Return notes on what the model leaves out here, and on figures that are uncertain."""
    found, spec = [DERIVED, *_weights(point)], plan.spec
    if spec.oversubscription != 1:
        found.append(
            "the fabric is oversubscribed, and the model is not: it computes with the full speed of"
            " every NIC"
        )
    if point.llm.moe:
        found.append(
            "compute, MP and DP are those of one expert in each layer; `--all-to-all` computes the"
            " relays of the traffic to experts, also after failures"
        )
    if plan.fabric.has_circuits:
        found.append(
            "DP across, pipeline and experts include the time in which circuits change; `circuits"
            " --llm` lists how often they do"
        )
    if plan.mapping.topology and point.llm.moe:
        found.append("experts take the time of the busiest cable, over relays")
    copies = replicas(point.llm, point.machine, point.times.n_m)
    if point.llm.batch_tokens / point.llm.sequence < copies:
        sequences = point.llm.batch_tokens / point.llm.sequence
        found.append(
            f"{sequences:,.0f} sequences are fewer than the {copies:,.0f} copies of the model: some"
            " would have none, which the equations do not include"
        )
    return found


def _weights(point: Point) -> list[str]:
    """Return a note where the model-parallel group does not hold the weights, or may not."""
    llm, machine, group = point.llm, point.machine, point.times.n_m
    size, stages = weights(llm) / 1e9, llm.pipeline_stages
    taken = f"the weights of {llm.name} take {size:,.4g} GB, {llm.bytes_per_element:g} bytes each"
    if machine.memory_bytes is None:
        return [f"{taken}; whether a group holds them is unknown, because the memory of a GPU is"]
    least = least_group(llm, machine) or 1
    if least <= group:
        return []
    groups = (
        f"{stages:,} groups of {group:.4g} GPUs hold" if stages > 1 else f"{group:.4g} GPUs hold"
    )
    held = group * stages * machine.memory_bytes / 1e9
    hint = (
        f"use `--mp-group` of at least {least:,}"
        if least <= machine.domain_gpus
        else "set `pipeline_stages` in the file of the model"
    )
    return [f"{taken}, and {groups} {held:,.4g} GB: this group cannot train it; {hint}"]
