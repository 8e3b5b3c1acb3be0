"""`compare`: the designs or the rails of a cluster side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_models
from fabricgen.cli.design_sweep import csv_option, rows_of, save_rows, show_rows, sweep_option
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import force_option
from fabricgen.cli.printing import (
    echo,
    grouped,
    print_advice,
    print_result,
    sum_of_prices,
    table,
    today,
    totals_text,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.comparison import Comparison

SWEPT = {
    "x": "value",
    "design": "design",
    "tiers": "tiers",
    "switches_total": "switches",
    "cables_total": "cables",
    "transceivers": "transceivers",
    "power_w": "power, W",
    "cost_total": "cost",
    "cost_currency": "currency",
}
"""The columns of a sweep that the table has, with their titles."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen compare fabric.yaml --prices street-2026-09",
        "fabricgen compare fabric.yaml --sweep gpus=256..4096 --csv sizes.csv",
        "fabricgen compare fabric.yaml --rails sn5600 --rails s320 --llm gpt3",
    ),
)
@fabric_arguments
@click.option(
    "--rails",
    multiple=True,
    shell_complete=complete_models("switches"),
    metavar="MODEL",
    help="Compare rail-only on this leaf instead, or on `direct` cables; may be repeated.",
)
@click.option(
    "--top",
    metavar="DOWN:UP",
    help="With --rails: add a tier that joins the rails of packet switches, oversubscribed.",
)
@click.option(
    "--llm",
    shell_complete=complete_models("workloads", or_file=True),
    metavar="NAME",
    help="With --rails: language model whose iteration is timed.",
)
@sweep_option
@csv_option
@force_option
@json_option
def compare(
    asked: FabricArguments,
    rails: tuple[str, ...],
    top: str | None,
    llm: str | None,
    sweep: str | None,
    csv_file: Path | None,
    *,
    as_json: bool,
) -> None:
    """Compare the three designs of one cluster side by side.

    Savings are those of rail-only relative to the fat-tree, the any-to-any baseline. Where other
    rails make the first design cheaper, the line to write and its figures follow. With --rails,
    compare rails of packet switches, of optical circuit switches, of panels and of cables alone.
    """
    if rails and (sweep or csv_file):
        raise click.UsageError("--sweep and --csv go without --rails")
    if rails:
        _compare_rails(asked, rails, top, llm, as_json=as_json)
        return
    if top or llm:
        raise click.UsageError("--top and --llm go with --rails")
    if sweep:
        rows = rows_of(asked, sweep, lambda own: own.compare()[0].rows())
        save_rows(csv_file, rows)
        show_rows(rows, SWEPT, "cost_unpriced", as_json=as_json)
        return
    from fabricgen.analysis.search.cheaper import AdvisedComparison, cheaper_mappings
    from fabricgen.bom.price_notes import price_notes
    from fabricgen.planning.notices import advice

    comparison, inventory = asked.compare(with_totals=True)
    save_rows(csv_file, comparison.rows())
    with inventory.locate_findings():
        cheaper = cheaper_mappings(*comparison.built[0])
        advised = AdvisedComparison(comparison, cheaper) if cheaper else None
        if as_json:
            print_result(advised or comparison)
            return
        echo(comparison_text(comparison) + (f"\n\n{advised}" if advised else ""))
        first = comparison.built[0][0]
        print_advice([*advice(first), *price_notes(first, today())])


def _compare_rails(
    asked: FabricArguments,
    rails: tuple[str, ...],
    top: str | None,
    llm: str | None,
    *,
    as_json: bool,
) -> None:
    """Compare one cluster on rails of several media."""
    from fabricgen.analysis.search.side_by_side import side_by_side
    from fabricgen.analysis.workload.machine import find_llm
    from fabricgen.cli.rails import rails_text
    from fabricgen.core.terms import parse_ratio

    try:
        ratio = parse_ratio(top) if top else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--top'") from None
    inventory, catalog = asked.read()
    with inventory.locate_findings():
        model = find_llm(catalog, llm) if llm else None
        compared = side_by_side(inventory.spec, catalog, rails, ratio, model)
    if as_json:
        print_result(compared)
    else:
        echo(rails_text(compared))


def comparison_text(comparison: Comparison) -> str:
    """Lay out designs as columns, and what rail-only saves against the fat-tree as the last."""
    from fabricgen.bom.comparison import COMPARED, equal_tiers, unpriced_parts

    summaries = comparison.summaries
    first, cost = summaries[0], summaries[0].cost
    rows = _compared(comparison)
    title = (
        f"{first.name}: {grouped(first.gpus)} GPUs in {grouped(first.hb_domains)} HB domains,"
        f" prices {cost.book}"
    )
    refused = [
        f"{design} cannot be built: {finding.fact} [{finding.code}]"
        for design, finding in comparison.refused
    ]
    alike = equal_tiers(comparison)
    parts = ", ".join(unpriced_parts(comparison, COMPARED))
    unpriced = [f"no price, excluded from totals: {parts}"] if parts else []
    unknown = dict.fromkeys(part for _, bom in comparison.built for part in bom.unknown_power)
    unpriced += [f"typical power not published: {', '.join(unknown)}"] if unknown else []
    networks = ", ".join(comparison.networks)
    others = [f"not compared, the same in each design: {networks}"] if networks else []
    if comparison.totals:
        others.append(f"in all, as planned: {totals_text(comparison.totals, cost.currency)}")
    return "\n".join(
        [
            title,
            "",
            table(rows, right=range(1, len(rows[0]))),
            *([""] if refused or unpriced or others or alike else []),
            *refused,
            *unpriced,
            *others,
            *([alike] if alike else []),
        ]
    )


def _compared(comparison: Comparison) -> list[list[str]]:
    """Return the rows of the table, the header first."""
    from fabricgen.bom import figures
    from fabricgen.bom.breakdown.view import bounded
    from fabricgen.core.terms import Design

    summaries = comparison.summaries
    shown = {
        "tiers": figures.TIERS,
        "leaf switches": figures.LEAVES,
        "spine switches": figures.SPINES,
        "core switches": figures.CORES,
        "switches": figures.SWITCHES,
        "cables": figures.CABLES,
        "transceivers": figures.TRANSCEIVERS,
        "power, W": figures.POWER,
        f"cost, {summaries[0].cost.currency}": figures.COST,
    }
    rows = [["", *(summary.design for summary in summaries), "rail-only saves"]]
    for name, figure in shown.items():
        saved = figure.saving(comparison.savings)
        values = (
            sum_of_prices(figure.value(summary, bom), partial=bom.is_partial())
            if figure is figures.COST
            else grouped(figure.value(summary, bom))
            for summary, (_, bom) in zip(summaries, comparison.built, strict=True)
        )
        bound = figure.bound(comparison, Design.FAT_TREE)
        text = "" if saved is None else bounded(f"{saved} %", bound)
        rows.append([name, *values, text])
    worst = [summary.worst_permutation_pct for summary in summaries]
    if any(each is not None for each in worst):
        cells = ("100" if each is None else f"{each:g}" for each in worst)
        rows.append(["worst permutation, %", *cells, ""])
    return rows
