"""`model`: the time of a training iteration, sweeps, charts, and the traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.all_to_all import print_all_to_all
from fabricgen.cli.command import Command
from fabricgen.cli.model_options import (
    PLOTS,
    TRAFFIC_PLOTS,
    ModelArguments,
    Output,
    output_options,
    question_options,
)
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import CHART_MARK, force_option, save, save_table
from fabricgen.cli.printing import echo, print_json, table

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.analysis.workload.equations import Group
    from fabricgen.analysis.workload.published import Compared, PublishedFigures
    from fabricgen.analysis.workload.sweep import Point, Sweep
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.planning.plan import Plan

COLUMNS = {
    "compute_s": "compute",
    "mp_s": "MP",
    "dp_across_s": "DP across",
    "dp_within_s": "DP within",
    "pipeline_s": "pipeline",
    "bubble_s": "bubble",
}


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
    asked: FabricArguments, question: ModelArguments, output: Output, *, as_json: bool
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
    rows = [_row(point, swept) for point in points]
    compared = _compare(printed, rows)
    if output.csv_file:
        save_table(output.csv_file, csv_text(rows).splitlines(keepends=True))
        echo(f"wrote {output.csv_file}", err=True)
    if output.svg_file:
        _write_chart(
            output.svg_file,
            _chart(points, rows, swept, output.plot or next(iter(PLOTS)), (printed, compared)),
        )
    if as_json:
        print_json(_document(points, rows, compared, group, plan))
    elif swept or len(points) > 1:
        echo(_table(rows, swept, compared))
    else:
        echo(_text(points[0], group, plan, compared))


def _check(question: ModelArguments, output: Output) -> None:
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
    if output.plot and (output.plot in TRAFFIC_PLOTS) != bool(output.traffic):
        raise click.UsageError(
            f"--plot {output.plot} goes "
            f"{'with' if output.plot in TRAFFIC_PLOTS else 'without'} --traffic"
        )


def _traffic(
    plan: Plan,
    points: list[Point],
    output: Output,
    printed: PublishedFigures | None,
    *,
    as_json: bool,
) -> None:
    """Show the traffic of one iteration."""
    from fabricgen.analysis.workload.charts import shares_of
    from fabricgen.analysis.workload.heatmap import heat_map
    from fabricgen.analysis.workload.svg_charts import bar_chart
    from fabricgen.cli.traffic import document_of, links_of, print_traffic, write_idle, write_pairs

    (point,) = points
    links = links_of(plan, point, output.collective, any_to_any=output.traffic == "any-to-any")
    document = document_of(links)
    compared = _compare(printed, [{**_row(point, None), "traffic": document}])
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
            bar_chart(shares_of(document, title), words)
            if shares
            else heat_map(links.groups, title, words),
        )
    if output.idle_file:
        write_idle(output.idle_file, links)
    print_traffic(links, plan.spec.name, document, compared, as_json=as_json)


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
    from fabricgen.analysis.workload.equations import iterate
    from fabricgen.analysis.workload.machine import find_llm, machine_of
    from fabricgen.analysis.workload.sweep import Point, parse_tokens, run

    name, at, own = written.rpartition("@")
    batch = own if at else question.batch
    llm = find_llm(plan.catalog, name if at else written)
    machine = machine_of(plan.fabric, plan.catalog, question.accelerator)
    try:
        if batch:
            llm = llm.model_copy(update={"batch_tokens": parse_tokens(batch, llm.sequence)})
    except ValueError as error:
        raise click.BadParameter(
            str(error), param_hint=f"'--llm {written}'" if at else "'--batch-tokens'"
        ) from None
    if sweep is None:
        return [Point(llm, machine, 0, iterate(llm, machine, group))]
    try:
        return run(sweep, llm, machine, group)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sweep'") from None


def _printed(catalog: Catalog, path: Path | None) -> PublishedFigures | None:
    """Read published figures."""
    from fabricgen.analysis.workload.published import PublishedFigures

    return catalog.read(path, PublishedFigures) if path else None


def _compare(printed: PublishedFigures | None, rows: list[dict[str, Any]]) -> list[Compared]:
    """Compare published figures with the computed ones."""
    from fabricgen.analysis.workload.published import compare

    return compare(printed.figures, rows) if printed else []


def _row(point: Point, sweep: Sweep | None) -> dict[str, Any]:
    """Return a point as a row."""
    from fabricgen.analysis.workload.sweep import row

    return {**({"sweep": sweep.what, "x": point.x} if sweep else {}), **row(point)}


def _document(
    points: list[Point],
    rows: list[dict[str, Any]],
    compared: list[Compared],
    group: Group,
    plan: Plan,
) -> dict[str, Any]:
    """Return the JSON document: one iteration, or rows."""
    from fabricgen.analysis.workload.text import document

    shown = {"published": [each.document() for each in compared]} if compared else {}
    if len(points) == 1 and "sweep" not in rows[0]:
        return {"name": plan.spec.name, **rows[0], **document(points[0], group, plan), **shown}
    return {
        "name": plan.spec.name,
        "rows": rows,
        "notes": document(points[0], group, plan)["notes"][:1],
        **shown,
    }


def _text(point: Point, group: Group, plan: Plan, compared: list[Compared]) -> str:
    """Lay out one iteration: its parts, the symbols, the notes."""
    from fabricgen.analysis.workload.text import equations, notes, symbols

    found, llm = point.times, point.llm
    head = (
        f"{llm.name} on {plan.spec.name}: an iteration of {llm.batch_tokens:,} tokens takes "
        f"{found.iteration_s:.4g} s, "
        f"{100 * found.relative:.1f} % of the speed of an ideal network"
    )
    whole = found.iteration_s
    parts = [
        [words, f"{getattr(found, key):.4f}", f"{100 * getattr(found, key) / whole:.1f}", how]
        for key, words, how in equations(point)
    ]
    sums = [
        ["iteration", f"{whole:.4f}", "100.0", "the sum, without overlap"],
        [
            "ideal",
            f"{found.ideal_s:.4f}",
            f"{100 * found.ideal_s / whole:.1f}",
            "B_S = B_F: one HB domain of N",
        ],
    ]
    named = [
        [symbol.name, symbol.value, f"{symbol.what}: {symbol.origin}"]
        for symbol in symbols(point, group)
    ]
    lines = [*(f"note: {note}" for note in notes(point, plan)), *(each.words for each in compared)]
    return "\n\n".join(
        [
            head,
            table([["part", "s", "%", ""], *parts, *sums], right=(1, 2)),
            table([["symbol", "value", ""], *named], right=(1,)),
            "\n".join(lines),
        ]
    )


def _table(rows: list[dict[str, Any]], sweep: Sweep | None, compared: list[Compared]) -> str:
    """Lay out rows."""
    from fabricgen.analysis.workload.sweep import UNITS
    from fabricgen.analysis.workload.text import DERIVED

    shown = [key for key in COLUMNS if any(row[key] for row in rows)]
    words = [
        "iteration, s",
        *(COLUMNS[key] for key in shown),
        "ideal",
        "N_M",
        "relative, %",
    ]
    heads = ["model", UNITS[sweep.what] if sweep else "batch, tokens", *words]
    lines = []
    for row in rows:
        x = row["x"] if sweep else row["batch_tokens"]
        cells = [row["iteration_s"], *(row[key] for key in shown), row["ideal_s"]]
        lines.append(
            [
                row["llm"],
                f"{x:,}",
                *(f"{cell:.4f}" for cell in cells),
                f"{row['n_m']:.4g}",
                f"{100 * row['relative']:.1f}",
            ]
        )
    notes = [*(each.words for each in compared), f"note: {DERIVED}"]
    return f"{table([heads, *lines], right=range(1, len(heads)))}\n\n" + "\n".join(notes)


def csv_text(rows: list[dict[str, Any]]) -> str:
    """Write rows as CSV, with every digit."""
    keys = [key for key in rows[0] if not isinstance(rows[0][key], dict)]
    return "\n".join(
        [",".join(keys), *(",".join(str(row[key]) for key in keys) for row in rows), ""]
    )


def _chart(
    points: list[Point],
    rows: list[dict[str, Any]],
    sweep: Sweep | None,
    plot: str,
    against: tuple[PublishedFigures | None, list[Compared]],
) -> str:
    """Draw a sweep as lines, and single iterations as bars next to the ideal."""
    from fabricgen.analysis.workload.charts import bars_of, lines_of
    from fabricgen.analysis.workload.svg_charts import bar_chart, line_chart

    printed, compared = against
    notes = [each.words for each in compared]
    title = printed.description if printed else ""
    if sweep:
        return line_chart(lines_of(rows, sweep, plot, PLOTS[plot], title, compared), notes)
    return bar_chart(bars_of(points, title, compared), notes)


def _write_chart(path: Path, text: str) -> None:
    """Write a chart and print its name."""
    save(path, text, mark=CHART_MARK)
    echo(f"wrote {path}", err=True)
