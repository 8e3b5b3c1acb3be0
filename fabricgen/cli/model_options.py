"""The options of `model`: the questions, and where the answers go."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fabricgen.cli.completion import complete_models
from fabricgen.cli.output_file import OUTPUT_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.workload.collectives import Collective

T = TypeVar("T")
PLOTS = {"iteration_s": "iteration, s", "relative_pct": "speed against the ideal, %"}
"""Quantity in the chart of a sweep -> the label of its axis."""
TRAFFIC_PLOTS = ("matrix", "shares")
"""Kinds of charts of traffic."""


@dataclass(frozen=True)
class ModelArguments:
    """The options about the equations, as typed."""

    llms: tuple[str, ...]
    batch: str | None
    group: str
    accelerator: str | None
    sweep: str | None


@dataclass(frozen=True, kw_only=True)
class ModelOutputOptions:
    """The options about files, charts and comparisons."""

    published: Path | None
    csv_file: Path | None
    svg_file: Path | None
    titled: bool
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
    ModelArguments,
    click.option(
        "--llm",
        "llms",
        shell_complete=complete_models("workloads", or_file=True),
        multiple=True,
        required=True,
        metavar="NAME",
        help=(
            "Language model of the catalog or a .yaml file; NAME@512seq sets its batch; may be "
            "repeated."
        ),
    ),
    click.option(
        "--batch-tokens",
        "batch",
        metavar="N",
        help="Tokens of a batch, such as 32M, or sequences, such as 512seq.",
    ),
    click.option(
        "--mp-group",
        "group",
        default="continuous",
        metavar="SIZE",
        help="Model-parallel group: continuous (default), divisor (of K), or a number of GPUs.",
    ),
    click.option(
        "--accelerator",
        shell_complete=complete_models("accelerators"),
        metavar="MODEL",
        help="GPU of the catalog; default: that of the host.",
    ),
    click.option(
        "--sweep",
        metavar="WHAT=LOW..HIGH",
        help="Vary hb-domain, batch, gpus or nic-speed in doubling steps; or WHAT=A,B,C.",
    ),
)
output_options = _bundled(
    "output",
    ModelOutputOptions,
    click.option(
        "--published",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Published figures to print next to the computed ones.",
    ),
    click.option("--csv", "csv_file", type=OUTPUT_FILE, help="File to write the rows to, as CSV."),
    click.option("--svg", "svg_file", type=OUTPUT_FILE, help="File to write the chart to, as SVG."),
    click.option(
        "--no-title",
        "titled",
        flag_value=False,
        default=True,
        help="With --svg: leave title and notes out, for a caption of your own.",
    ),
    click.option(
        "--plot",
        type=click.Choice([*PLOTS, *TRAFFIC_PLOTS]),
        help="Content of the chart: the first two with --sweep, the others with --traffic.",
    ),
    click.option(
        "--traffic",
        type=click.Choice(["own", "any-to-any"]),
        help="Print the traffic matrix and link loads instead, of this design or of a fat-tree.",
    ),
    click.option(
        "--collective",
        type=click.Choice(["direct", "ring"]),
        default="direct",
        help="Members of a group send to all others (direct), or to the next one (ring).",
    ),
    click.option(
        "--idle-links",
        "idle_file",
        type=OUTPUT_FILE,
        help="With --traffic: file to write the links without traffic to.",
    ),
    click.option(
        "--all-to-all",
        is_flag=True,
        help="Print the cost of relays for an all-to-all of a mixture of experts instead.",
    ),
    click.option(
        "--fail",
        "failed",
        multiple=True,
        metavar="PART",
        help="With --all-to-all: failed part, as in `impact`; may be repeated.",
    ),
)
