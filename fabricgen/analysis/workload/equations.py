"""The time of one training iteration, part by part.

Owns the equations. They are *derived*, from the prose of Wang et al. (arXiv 2307.12169, sections
2.2 and 3.2 to 3.4) and the standard costs of collectives, because the paper's own could not be
read; what they reproduce of its figures is in `examples/paper`. No constant is bent.

N GPUs in HB domains of K; a model-parallel group of N_M; B_F and B_S bytes/s per GPU and direction
inside and across HB domains; C FLOP/s per GPU; l layers of hidden size h, so P = 12 l h^2
parameters; b tokens and w bytes per element; p pipeline stages, each of whole HB domains.

    compute    6 P b / (N C)
    MP         8 l w b h (N_M - 1) / (N B_F)        four AllReduces per layer, in the HB domain
    DP across  2 P w (1/(p K) - 1/N) / B_S             data-parallel stage 1, along the rail
    DP within  2 P w (1/N_M - 1/K) / (p B_F)           data-parallel stage 2, inside the HB domain
    pipeline   2 p b h w / (N B_S), where p > 1     activations on, gradients back, along the rail
    bubble     (p - 1)/m (compute + MP), m = b p N_M / (s N) sequences of s tokens in each pipeline
    experts    S (N/p - K)/(N/p - 1) / B_S, of a mixture of experts; `experts` has S and its limits
    ideal      the same with B_S = B_F: one flat AllReduce, the case K = N

In n = N_M the sum is A n + B/n and a constant, so its least is at N_M* = sqrt(B/A); without a
pipeline that is sqrt(3 h N / b), which depends on neither K, B_F nor B_S. It is clamped to N_W..K:

    N_W        P w / (p M)                          GPUs that hold a stage's weights, rounded up

M is the memory of a GPU; where it is unknown, N_W is 1. Gradients, optimizer states and activations
take memory too, so N_W is a lower bound.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.analysis.workload.experts import expert_bytes, expert_s
from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors

if TYPE_CHECKING:
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload

Group = int | Literal["continuous", "divisor"]
"""How large a model-parallel group is.

It is given, or the best real number as in the paper, or the best divisor of K, which can be built.
"""


class Times(NamedTuple):
    """The parts of one iteration in seconds, the model-parallel group, and the ideal time."""

    n_m: float
    compute_s: float
    mp_s: float
    dp_across_s: float
    dp_within_s: float
    pipeline_s: float
    bubble_s: float
    experts_s: float
    ideal_s: float

    @property
    def iteration_s(self) -> float:
        """The whole iteration; no parts overlap."""
        return sum(self[1:8])

    @property
    def relative(self) -> float:
        """The speed relative to the ideal, at most 1."""
        return self.ideal_s / self.iteration_s


def parameters(llm: Workload) -> int:
    """Return P = 12 l h^2, which leaves out embeddings.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> parameters(Catalog().workload("gpt3"))
    173946175488
    """
    return 12 * llm.layers * llm.hidden**2


def weights(llm: Workload) -> float:
    """Return the bytes of the weights: P parameters of w bytes.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> weights(Catalog().workload("gpt3")) / 1e9
    695.784701952
    """
    return parameters(llm) * llm.bytes_per_element


def least_group(llm: Workload, machine: Machine) -> int | None:
    """Return N_W, the GPUs that hold the weights of a pipeline stage; None if memory is unknown.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> from fabricgen.analysis.workload.machine import Machine
    >>> h100 = Machine(512, 8, 450e9, 50e9, 989.4e12, memory_bytes=80e9)
    >>> least_group(Catalog().workload("gpt3"), h100)
    9
    """
    if machine.memory_bytes is None:
        return None
    return ceil(weights(llm) / (llm.pipeline_stages * machine.memory_bytes))


def sequence_count(llm: Workload, machine: Machine, n_m: float) -> int:
    """Return m, the sequences that pass each pipeline in an iteration, rounded up."""
    return max(ceil(llm.batch_tokens / llm.sequence / replicas(llm, machine, n_m)), 1)


def replicas(llm: Workload, machine: Machine, n_m: float) -> float:
    """Return how many copies of the model train side by side."""
    return machine.gpus / (llm.pipeline_stages * n_m)


class Volume(NamedTuple):
    """The bytes that one GPU sends in an iteration, by class.

    Classes are model parallel, data parallel across and within HB domains, and pipeline.
    """

    mp: float
    dp_across: float
    dp_within: float
    pipeline: float


def volume(llm: Workload, machine: Machine, n_m: float) -> Volume:
    """Return what one GPU sends in an iteration."""
    total, p = 2 * parameters(llm) * llm.bytes_per_element, llm.pipeline_stages
    activations = llm.batch_tokens * llm.hidden * llm.bytes_per_element / machine.gpus
    return Volume(
        mp=8 * llm.layers * activations * (n_m - 1),
        dp_across=total * (1 / (p * machine.domain_gpus) - 1 / machine.gpus),
        dp_within=total * (1 / n_m - 1 / machine.domain_gpus) / p,
        pipeline=2 * p * activations if p > 1 else 0.0,
    )


def times(llm: Workload, machine: Machine, n_m: float) -> Times:
    """Return the parts of an iteration for a model-parallel group of `n_m`, integer or not."""
    sent, p = volume(llm, machine, n_m), llm.pipeline_stages
    compute = 6 * parameters(llm) * llm.batch_tokens / (machine.gpus * machine.flops)
    mp, within = sent.mp / machine.hb_bytes_s, sent.dp_within / machine.hb_bytes_s
    bubble = (
        (p - 1) * (compute + mp) * replicas(llm, machine, n_m) * llm.sequence / llm.batch_tokens
    )
    across, pipeline = (sent.dp_across / machine.nic_bytes_s, sent.pipeline / machine.nic_bytes_s)
    ideal = compute + bubble + (sum(sent) + expert_bytes(llm, machine)) / machine.hb_bytes_s
    return Times(
        n_m=n_m,
        compute_s=compute,
        mp_s=mp,
        dp_across_s=across,
        dp_within_s=within,
        pipeline_s=pipeline,
        bubble_s=bubble,
        experts_s=expert_s(llm, machine),
        ideal_s=ideal,
    )


def iterate(llm: Workload, machine: Machine, group: Group = "continuous") -> Times:
    """Return the parts of an iteration with the requested model-parallel group.

    Raises Refusal `mp-group-impossible` or `pipeline-does-not-divide`.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> from fabricgen.analysis.workload.machine import Machine
    >>> gpt3, gh200 = Catalog().workload("gpt3"), Machine(16384, 256, 960e9, 50e9, 989.4e12)
    >>> found = iterate(gpt3, gh200)
    >>> round(found.n_m, 2), round(found.iteration_s, 3), round(found.relative, 3)
    (4.34, 2.752, 0.963)
    >>> iterate(gpt3, gh200, "divisor").n_m
    4
    """
    _check_pipeline(llm, machine)
    if group == "continuous":
        return times(llm, machine, best_group(llm, machine))
    if group == "divisor":
        sizes = divisors(machine.domain_gpus)
        least = least_group(llm, machine) or 1
        holding = [size for size in sizes if size >= least] or sizes[-1:]
        return min(
            (times(llm, machine, size) for size in holding), key=lambda found: found.iteration_s
        )
    if machine.domain_gpus % group:
        fact = (
            f"a model-parallel group of {group} cannot be built in HB domains of"
            f" {machine.domain_gpus}"
        )
        rest = machine.domain_gpus % group
        because = (
            (
                f"{machine.domain_gpus} = {machine.domain_gpus // group} x {group} + {rest}, and a"
                " group stays inside its HB domain"
            ),
        )
        near = max(size for size in divisors(machine.domain_gpus) if size <= group)
        raise refuse(
            "mp-group-impossible",
            fact,
            because=because,
            hint=f"use `--mp-group {near}`, or let `--mp-group divisor` choose",
        )
    return times(llm, machine, group)


def best_group(llm: Workload, machine: Machine) -> float:
    """Return N_M*, not rounded, between N_W and K; K where N_W is larger."""
    p, ratio = llm.pipeline_stages, machine.hb_bytes_s
    rising = (
        8
        * llm.layers
        * llm.bytes_per_element
        * llm.batch_tokens
        * llm.hidden
        / (machine.gpus * ratio)
    )
    falling = 2 * parameters(llm) * llm.bytes_per_element / (p * ratio)
    compute = 6 * parameters(llm) * llm.batch_tokens / (machine.gpus * machine.flops)
    falling += (p - 1) * (compute - rising) * machine.gpus * llm.sequence / (llm.batch_tokens * p)
    least = least_group(llm, machine) or 1
    return min(max(sqrt(max(falling, 0) / rising), float(least)), float(machine.domain_gpus))


def _check_pipeline(llm: Workload, machine: Machine) -> None:
    """Refuse pipeline stages that are not whole HB domains."""
    p, domains = llm.pipeline_stages, machine.coordinates.domains
    if domains % p:
        because = (
            f"{domains} = {domains // p} x {p} + {domains % p}, and a stage takes whole HB domains",
        )
        near = max(stages for stages in divisors(domains) if stages <= p)
        hint = f"write `pipeline_stages: {near}` into the file of the model"
        raise refuse(
            "pipeline-does-not-divide",
            f"{domains} HB domains cannot be divided among {p} pipeline stages",
            because=because,
            hint=hint,
        )
