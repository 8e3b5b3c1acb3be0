"""What `model` may be asked, and where its answer goes: options in two bundles."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fabricgen.cli.output_file import OUTPUT_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.workload.collectives import Collective

T = TypeVar("T")
PLOTS = {"iteration_s": "iteration, s", "relative_pct": "speed against the ideal, %"}
"""What the chart of a sweep may show, and the words of its axis."""
TRAFFIC_PLOTS = ("matrix", "shares")
"""What the chart of traffic may show."""


@dataclass(frozen=True)
class Question:
    """What is asked of the equations, as it was typed."""

    llms: tuple[str, ...]
    batch: str | None
    group: str
    accelerator: str | None
    sweep: str | None


@dataclass(frozen=True)
class Output:
    """Where the answer goes beside the terminal, and what stands beside it."""

    published: Path | None
    csv_file: Path | None
    svg_file: Path | None
    plot: str | None
    traffic: str | None
    collective: Collective
    idle_file: Path | None
    all_to_all: bool
    failed: tuple[str, ...]


def _bundled(
    name: str, kind: Callable[..., object], *options: Callable[..., Any]
) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Add options that a command receives as one argument."""

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        @functools.wraps(function)
        def wrapped(**given: Any) -> T:  # noqa: ANN401 - whatever else the command takes
            names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
            return function(**{name: kind(**{one: given.pop(one) for one in names}), **given})

        return functools.reduce(lambda inner, option: option(inner), reversed(options), wrapped)

    return decorate


question_options = _bundled(
    "question",
    Question,
    click.option(
        "--llm",
        "llms",
        multiple=True,
        required=True,
        metavar="NAME",
        help="gpt3, opt-175b, palm-540b or a .yaml; NAME@512seq sets its batch.",
    ),
    click.option(
        "--batch-tokens",
        "batch",
        metavar="N",
        help="Tokens of a batch, like 32M, or 512seq in sequences.",
    ),
    click.option(
        "--mp-group",
        "group",
        default="continuous",
        metavar="SIZE",
        help="Model-parallel group: continuous (default), divisor (of K), or GPUs.",
    ),
    click.option(
        "--accelerator",
        metavar="MODEL",
        help="The GPU, where the host does not name it or you want another.",
    ),
    click.option(
        "--sweep",
        metavar="WHAT=LOW..HIGH",
        help="Vary hb-domain, batch, gpus or nic-speed, doubling; or WHAT=A,B,C.",
    ),
)
output_options = _bundled(
    "output",
    Output,
    click.option(
        "--published",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Figures that somebody printed, to stand beside ours.",
    ),
    click.option("--csv", "csv_file", type=OUTPUT_FILE, help="Write the rows."),
    click.option("--svg", "svg_file", type=OUTPUT_FILE, help="Write the chart."),
    click.option(
        "--plot",
        type=click.Choice([*PLOTS, *TRAFFIC_PLOTS]),
        help="What the chart shows: the first two of a sweep, the others of --traffic.",
    ),
    click.option(
        "--traffic",
        type=click.Choice(["own", "any-to-any"]),
        help="Show the traffic matrix and the links instead, or those of a fat-tree.",
    ),
    click.option(
        "--collective",
        type=click.Choice(["direct", "ring"]),
        default="direct",
        help="Members of a group send to all others, or to the next.",
    ),
    click.option(
        "--idle-links",
        "idle_file",
        type=OUTPUT_FILE,
        help="With --traffic, write the links that carry nothing.",
    ),
    click.option(
        "--all-to-all",
        is_flag=True,
        help="Show instead what relays cost an all-to-all, as a mixture of experts sends it.",
    ),
    click.option(
        "--fail",
        "failed",
        multiple=True,
        metavar="X",
        help="With --all-to-all, what fails, as `impact` takes it; may be repeated.",
    ),
)
