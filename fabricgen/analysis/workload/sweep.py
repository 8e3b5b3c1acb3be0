"""A sweep: one figure varied, with everything else unchanged.

The figure is the HB domain, the batch, the GPUs or the speed of a NIC. Owns the syntax of values
and the rows of a sweep. `LOW..HIGH` doubles from one to the other; `a,b,c` are the values
themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.machine import BYTES_S
from fabricgen.catalog.models.base import MOST_TOKENS
from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.document import Document
from fabricgen.core.terms import parse_speed

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.workload.equations import Group, Times
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload

UNITS = {
    "hb-domain": "GPUs per HB domain",
    "batch": "batch, tokens",
    "gpus": "GPUs",
    "nic-speed": "NIC bandwidth per GPU, Gbps",
}
"""What a sweep may vary, with the label of its axis."""

_TOKENS = re.compile(r"(\d+)(k|M|seq)?")
_TIMES = {None: 1, "k": 10**3, "M": 10**6}


class Sweep(NamedTuple):
    """What is varied, and its values as text."""

    what: str
    texts: tuple[str, ...]
    doubling: bool


class Point(NamedTuple):
    """One point of a sweep."""

    llm: Workload
    machine: Machine
    x: int
    times: Times


@dataclass(frozen=True)
class IterationRow(Document):
    """The figures of one iteration; a point of a sweep has `sweep` and `x`."""

    OPTIONAL = frozenset({"sweep", "x"})

    sweep: str | None
    x: int | None
    llm: str
    gpus: int
    hb_domain: int
    batch_tokens: int
    nic_gbps: float
    iteration_s: float
    compute_s: float
    mp_s: float
    dp_across_s: float
    dp_within_s: float
    pipeline_s: float
    bubble_s: float
    experts_s: float
    ideal_s: float
    n_m: float
    relative: float


def parse_tokens(text: str, sequence: int) -> int:
    """Read a batch in tokens, or in sequences of a length. Raises ValueError.

    >>> parse_tokens("32M", 2048), parse_tokens("512seq", 2048)
    (32000000, 1048576)
    """
    found = _TOKENS.fullmatch(text.strip())
    if not found or not int(found[1]):
        raise ValueError(
            "a batch is written in tokens, like 32000000 or 32M, or in sequences, like 512seq"
        )
    tokens = int(found[1]) * (sequence if found[2] == "seq" else _TIMES[found[2]])
    if tokens > MOST_TOKENS:
        raise ValueError(f"a batch has at most {MOST_TOKENS} tokens")
    return tokens


def parse_sweep(text: str) -> Sweep:
    """Read `hb-domain=8..1024`. Raises ValueError.

    >>> parse_sweep("batch=512seq,2M")
    Sweep(what='batch', texts=('512seq', '2M'), doubling=False)
    """
    what, _, values = text.partition("=")
    if what not in UNITS:
        raise ValueError(f"a sweep varies one of {', '.join(UNITS)}, like hb-domain=8..1024")
    doubling = ".." in values
    texts = tuple(part.strip() for part in values.split(".." if doubling else ","))
    ends = 2  # from one value to another
    if (doubling and len(texts) != ends) or not all(texts):
        raise ValueError(f"values are written like {what}=8..1024, or {what}=8,16,32")
    return Sweep(what, texts, doubling)


def values_of(sweep: Sweep, sequence: int) -> list[int]:
    """Read the values of a sweep."""
    readers: dict[str, Callable[[str], int]] = {
        "batch": lambda text: parse_tokens(text, sequence),
        "nic-speed": lambda text: parse_speed(_bare(text)),
    }
    read = readers.get(sweep.what, _count)
    ends = [read(text) for text in sweep.texts]
    if not sweep.doubling:
        return sorted(set(ends))
    low, high = ends
    if low > high or high > low << MOST_DOUBLINGS:
        raise ValueError(f"{sweep.texts[0]} is not below {sweep.texts[1]}, or too far")
    return [low << step for step in range(MOST_DOUBLINGS) if low << step < high] + [high]


MOST_DOUBLINGS = 40
"""The most doublings between two figures of the same kind in fabrics."""


def _count(text: str) -> int:
    """Read a number of GPUs."""
    if not text.isdecimal() or not int(text):
        raise ValueError(f"`{text}` is not a number of GPUs")
    return int(text)


def _bare(text: str) -> str:
    """Return `400` as `400G`."""
    return f"{text}G" if text.isdecimal() else text


def run(sweep: Sweep, llm: Workload, machine: Machine, group: Group) -> list[Point]:
    """Return the points of a sweep in order.

    Raises ValueError for a value that cannot be read, Refusal for one that cannot be built.
    """
    return [
        _point(sweep.what, value, llm, machine, group) for value in values_of(sweep, llm.sequence)
    ]


def _point(what: str, value: int, llm: Workload, machine: Machine, group: Group) -> Point:
    """Return the point of one value."""
    if what == "batch":
        llm = llm.model_copy(update={"batch_tokens": value})
    elif what == "nic-speed":
        machine = replace(machine, nic_bytes_s=value * BYTES_S)
    elif what == "gpus":
        machine = replace(machine, gpus=value)
    else:
        machine = replace(machine, domain_gpus=value)
    rest = machine.gpus - machine.coordinates.domains * machine.domain_gpus
    if rest:
        fact = f"{machine.gpus} GPUs are not whole HB domains of {machine.domain_gpus}"
        because = (
            f"{machine.gpus} = {machine.coordinates.domains} x {machine.domain_gpus} + {rest}",
        )
        hint = f"sweep values that fit, like `--sweep {what}={_fitting(what, machine)}`"
        raise refuse("gpus-not-whole-domains", fact, because=because, hint=hint)
    return Point(llm, machine, value, iterate(llm, machine, group))


def _fitting(what: str, machine: Machine) -> str:
    """Return a text of the values that are possible."""
    if what == "gpus":
        return f"{machine.domain_gpus}..{machine.domain_gpus * 64}"
    return ",".join(map(str, divisors(machine.gpus)[1:9]))


def row_of(point: Point, sweep: Sweep | None = None) -> IterationRow:
    """Return a point as a row."""
    found = point.times
    return IterationRow(
        sweep=sweep.what if sweep else None,
        x=point.x if sweep else None,
        llm=point.llm.name,
        gpus=point.machine.gpus,
        hb_domain=point.machine.domain_gpus,
        batch_tokens=point.llm.batch_tokens,
        nic_gbps=point.machine.nic_bytes_s / BYTES_S,
        iteration_s=found.iteration_s,
        compute_s=found.compute_s,
        mp_s=found.mp_s,
        dp_across_s=found.dp_across_s,
        dp_within_s=found.dp_within_s,
        pipeline_s=found.pipeline_s,
        bubble_s=found.bubble_s,
        experts_s=found.experts_s,
        ideal_s=found.ideal_s,
        n_m=found.n_m,
        relative=found.relative,
    )
