"""`model`: the time of a training iteration, sweeps, charts, and the traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.all_to_all import print_all_to_all
from fabricgen.cli.command import Command
from fabricgen.cli.model_options import (
    PLOTS,
    TRAFFIC_PLOTS,
    ModelArguments,
    ModelOutputOptions,
    output_options,
    question_options,
)
from fabricgen.cli.model_result import csv_text, iteration_text, result_of, sweep_text
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import CHART_MARK, force_option, save, save_table
from fabricgen.cli.printing import echo, print_result
from fabricgen.core.diagnostics import refuse

OTHER_PICTURES = (".png", ".pdf", ".eps", ".ps")
"""Ends of the names of pictures that are made from SVG."""

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.analysis.workload.equations import Group, Times
    from fabricgen.analysis.workload.idle_links import Traffic
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.analysis.workload.published import Compared, PublishedFigures
    from fabricgen.analysis.workload.sweep import IterationRow, Point, Sweep
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.plan import Plan


@click.command(
    cls=Command,
    examples=(
        "fabricgen model fabric.yaml --llm opt-175b",
        "fabricgen model fabric.yaml --llm gpt3 --sweep nic-speed=100G..1600G --svg sweep.svg",
    ),
)
@fabric_arguments
@question_options
@output_options
@force_option
@json_option
def model(
    asked: FabricArguments, question: ModelArguments, output: ModelOutputOptions, *, as_json: bool
) -> None:
    """Estimate the time of a training iteration.

    Prints the parts of an iteration, the best model-parallel group, and the speed relative to an
    ideal network. Several --llm are compared side by side.
    """
    _check(question, output)
    whole = "divisor" if output.traffic and question.group == "continuous" else question.group
    group, swept = _read(whole, question.sweep)
    plan, inventory = asked.plan()
    with inventory.locate_findings():
        light = plan.fabric.has_circuits
        if (plan.mapping.topology or light) and (output.traffic or output.all_to_all):
            joined = "circuits" if light else "cables"
            raise refuse(
                "no-switches",
                "the traffic of links is computed for rails of packet switches",
                path=("rails", "medium"),
                because=(f"the GPUs of these rails are joined by {joined} alone",),
                hint="leave `--traffic` or `--all-to-all` out, or write `medium: packet`",
            )
        points = [
            point for llm in question.llms for point in _points(plan, llm, question, swept, group)
        ]
    if output.all_to_all:
        with inventory.locate_findings():
            print_all_to_all(plan, points[0], output.failed, as_json=as_json)
        return
    printed = _printed(plan.catalog, output.published)
    if output.traffic:
        _traffic(plan, points, output, printed, as_json=as_json)
        return
    rows = _rows(points, swept)
    compared = _compare(printed, rows)
    if output.csv_file:
        save_table(output.csv_file, csv_text(rows).splitlines(keepends=True))
        echo(f"wrote {output.csv_file}", err=True)
    if output.svg_file:
        _write_chart(
            output.svg_file,
            _chart(points, rows, swept, output, (printed, compared)),
        )
    if as_json:
        print_result(result_of(points, rows, compared, group, plan))
    elif swept or len(points) > 1:
        echo(sweep_text(rows, swept, compared))
    else:
        echo(iteration_text(points[0], group, plan, compared))


def _check(question: ModelArguments, output: ModelOutputOptions) -> None:
    """Raise UsageError for options that exclude each other."""
    other = "--traffic" if output.traffic else "--all-to-all" if output.all_to_all else ""
    if output.traffic and output.all_to_all:
        raise click.UsageError("give either --traffic or --all-to-all")
    if other and (question.sweep or len(question.llms) > 1):
        raise click.UsageError(f"{other} takes one --llm and no --sweep")
    if output.idle_file and not output.traffic:
        raise click.UsageError("--idle-links goes with --traffic")
    if output.failed and not output.all_to_all:
        raise click.UsageError("--fail goes with --all-to-all")
    if output.all_to_all and (output.csv_file or output.svg_file or output.published):
        raise click.UsageError("--all-to-all writes no file")
    _check_picture(output.svg_file)
    if output.plot and (output.plot in TRAFFIC_PLOTS) != bool(output.traffic):
        raise click.UsageError(
            f"--plot {output.plot} goes "
            f"{'with' if output.plot in TRAFFIC_PLOTS else 'without'} --traffic"
        )


def _check_picture(path: Path | None) -> None:
    """Raise BadParameter for a chart whose name ends like a picture of another format."""
    if path and path.suffix.lower() in OTHER_PICTURES:
        chart = path.with_suffix(".svg").name
        raise click.BadParameter(
            f"a chart is SVG: write {chart}, then convert it, for example with"
            f" `rsvg-convert -f {path.suffix[1:].lower()} -o {path.name} {chart}`",
            param_hint="'--svg'",
        )


def _traffic(
    plan: Plan,
    points: list[Point],
    output: ModelOutputOptions,
    printed: PublishedFigures | None,
    *,
    as_json: bool,
) -> None:
    """Show the traffic of one iteration."""
    from fabricgen.analysis.workload.charts import shares_of
    from fabricgen.analysis.workload.heatmap import heat_map
    from fabricgen.analysis.workload.idle_links import traffic_of
    from fabricgen.analysis.workload.svg_charts import bar_chart
    from fabricgen.cli.traffic import links_of, print_traffic, write_idle, write_pairs

    (point,) = points
    links = links_of(plan, point, output.collective, any_to_any=output.traffic == "any-to-any")
    traffic = traffic_of(links)
    compared = _compare(printed, _rows(points, None), traffic)
    if output.csv_file:
        write_pairs(output.csv_file, links.groups)
    if output.svg_file:
        title = (
            printed.description
            if printed
            else f"{point.llm.name} on {plan.spec.name}: traffic between GPUs"
        )
        words = [each.words for each in compared]
        shares = output.plot == "shares"
        _write_chart(
            output.svg_file,
            bar_chart(shares_of(traffic.shares, title), words, titled=output.titled)
            if shares
            else heat_map(links.groups, title, words, titled=output.titled),
        )
    if output.idle_file:
        write_idle(output.idle_file, links)
    print_traffic(links, plan.spec.name, traffic, compared, as_json=as_json)


def _read(mp_group: str, sweep: str | None) -> tuple[Group, Sweep | None]:
    """Parse --mp-group and --sweep. Raises BadParameter."""
    from fabricgen.analysis.workload.sweep import parse_sweep

    if mp_group not in ("continuous", "divisor") and not (mp_group.isdecimal() and int(mp_group)):
        raise click.BadParameter(
            "write continuous, divisor or a number of GPUs", param_hint="'--mp-group'"
        )
    group: Group = (
        int(mp_group)
        if mp_group.isdecimal()
        else "divisor"
        if mp_group == "divisor"
        else "continuous"
    )
    try:
        return group, parse_sweep(sweep) if sweep else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sweep'") from None


def _points(
    plan: Plan, written: str, question: ModelArguments, sweep: Sweep | None, group: Group
) -> list[Point]:
    """Compute one model, at one point or along a sweep. Raises BadParameter and Refusal."""
    from fabricgen.analysis.workload.machine import find_llm, machine_of
    from fabricgen.analysis.workload.sweep import Point, parse_tokens, run

    name, at, own = written.rpartition("@")
    batch = own if at else question.batch
    llm = find_llm(plan.catalog, name if at else written)
    machine = machine_of(plan.fabric, plan.catalog, question.accelerator)
    if plan.mapping.topology:
        from fabricgen.analysis.workload.direct_rails import over_direct_rails

        machine = over_direct_rails(machine, plan, llm.pipeline_stages)
    try:
        if batch:
            llm = llm.model_copy(update={"batch_tokens": parse_tokens(batch, llm.sequence)})
    except ValueError as error:
        raise click.BadParameter(
            str(error), param_hint=f"'--llm {written}'" if at else "'--batch-tokens'"
        ) from None
    if sweep is None:
        return [Point(llm, machine, 0, _times(plan, llm, machine, group))]
    if plan.fabric.has_circuits:
        raise click.UsageError("--sweep goes with packet switches: circuits change with the sizes")
    if plan.mapping.topology and llm.moe:
        raise click.UsageError("--sweep goes with packet switches: relays change with the sizes")
    try:
        return run(sweep, llm, machine, group)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sweep'") from None


def _times(plan: Plan, llm: Workload, machine: Machine, group: Group) -> Times:
    """Return the parts of an iteration on rails of any medium. Raises Refusal."""
    if plan.mapping.topology:
        from fabricgen.analysis.workload.direct_rails import direct_times

        return direct_times(machine, plan, llm, group)
    from fabricgen.analysis.workload.equations import iterate

    times = iterate(llm, machine, group)
    if not plan.fabric.has_circuits:
        return times
    from fabricgen.analysis.circuits.times import circuit_times

    return circuit_times(plan, llm, machine, times)


def _printed(catalog: Catalog, path: Path | None) -> PublishedFigures | None:
    """Read published figures."""
    from fabricgen.analysis.workload.published import PublishedFigures

    return catalog.read(path, PublishedFigures) if path else None


def _compare(
    printed: PublishedFigures | None, rows: list[IterationRow], traffic: Traffic | None = None
) -> list[Compared]:
    """Compare published figures with the computed ones."""
    from fabricgen.analysis.workload.published import compare

    return compare(printed.figures, rows, traffic) if printed else []


def _rows(points: list[Point], sweep: Sweep | None) -> list[IterationRow]:
    """Return the points as rows."""
    from fabricgen.analysis.workload.sweep import row_of

    return [row_of(point, sweep) for point in points]


def _chart(
    points: list[Point],
    rows: list[IterationRow],
    sweep: Sweep | None,
    output: ModelOutputOptions,
    against: tuple[PublishedFigures | None, list[Compared]],
) -> str:
    """Draw a sweep as lines, and single iterations as bars next to the ideal."""
    from fabricgen.analysis.workload.charts import bars_of, lines_of
    from fabricgen.analysis.workload.svg_charts import bar_chart, line_chart

    printed, compared = against
    notes = [each.words for each in compared]
    title = printed.description if printed else ""
    plot, titled = output.plot or next(iter(PLOTS)), output.titled
    if sweep:
        lines = lines_of(rows, sweep, plot, PLOTS[plot], title, compared)
        return line_chart(lines, notes, titled=titled)
    return bar_chart(bars_of(points, title, compared), notes, titled=titled)


def _write_chart(path: Path, text: str) -> None:
    """Write a chart and print its name."""
    save(path, text, mark=CHART_MARK)
    echo(f"wrote {path}", err=True)
