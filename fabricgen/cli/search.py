"""`search`: the cheapest designs of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_models
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, check, force_option, save
from fabricgen.cli.printing import echo, grouped, print_advice, print_result, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.analysis.search.result import SearchResult, SearchRow
    from fabricgen.analysis.search.search import Found
    from fabricgen.inventory.fabric import FabricSpec

SHOWN_ALIKE = 3
"""Fabrics with equal figures that are listed by name."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen search fabric.yaml --llm gpt3 -o best.yaml",
        "fabricgen search fabric.yaml --set 'search={max_tiers: 1}'",
    ),
)
@fabric_arguments
@click.option(
    "--llm",
    shell_complete=complete_models("workloads", or_file=True),
    metavar="NAME",
    help="Language model whose iteration is timed; default: search.llm of the inventory.",
)
@click.option(
    "--accelerator",
    metavar="MODEL",
    shell_complete=complete_models("accelerators"),
    help="GPU of the catalog; default: that of the host.",
)
@click.option(
    "--pick", metavar="N", type=click.IntRange(1), help="Row that -o writes; default: the cheapest."
)
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    help="File to write the chosen row to, as an inventory.",
)
@force_option
@json_option
def search(
    asked: FabricArguments,
    llm: str | None,
    accelerator: str | None,
    pick: int | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Find the cheapest feasible designs.

    Combines switches, tiers, planes, rails per switch, oversubscription, HB domains and the three
    designs, and lists the fabrics that no other one beats in cost, power, switches, iteration time
    and worst single failure. `search` in the inventory sets the choices and the limits.
    """
    from fabricgen.analysis.search.result import search_result
    from fabricgen.analysis.search.search import search as find
    from fabricgen.analysis.workload.machine import find_llm
    from fabricgen.build.preconditions import check_inventory

    inventory, catalog = asked.read()
    spec = inventory.spec
    name = llm or (spec.search and spec.search.llm)
    if spec.search and spec.search.min_relative and not name:
        raise click.UsageError(
            "`search.min_relative` is the speed of a language model: name one by --llm, or "
            "as `search.llm`"
        )
    if pick and not output:
        raise click.UsageError("--pick selects the row that -o writes: give -o as well")
    if output:
        check(output)
    with inventory.locate_findings():
        check_inventory(spec, catalog, asked.packs)
        workload = find_llm(catalog, name) if name else None
        found = find(spec, catalog, workload, accelerator)
        if pick and pick > len(found.rows):
            raise click.BadParameter(f"there are {len(found.rows)} rows", param_hint="'--pick'")
        chosen = found.inventory(pick or 1, catalog) if output else None
    answer = search_result(found, workload)
    if output and chosen:  # what cannot be written is refused before anything is printed
        _write(output, chosen)
    if as_json:
        print_result(answer)
    else:
        echo(search_text(answer))
        print_advice(_notes(spec, found))


def search_text(answer: SearchResult) -> str:
    """Lay out the rows as text."""
    rows = answer.designs
    timed, domains = answer.llm, len({(row.host, row.hb_domain_gpus) for row in rows}) > 1
    heads = [
        "",
        "design",
        "switch",
        "breakout",
        *(["HB domain"] if domains else []),
        "tiers",
        "planes",
        "rails/box",
        "oversub.",
        "switches",
        "cables",
    ]
    heads += [
        f"cost, {answer.currency}",
        "power, W",
        *(["iteration, s"] if timed else []),
        "Gbps/GPU",
        "lost, %",
        "cut off",
    ]
    lines = [heads]
    for row in rows:
        cells = [
            f"{row.pick}{'*' * row.cheapest}",
            row.design,
            row.switch,
            row.breakout,
        ]
        cells += [f"{row.host or ''} {row.hb_domain_gpus}".strip()] if domains else []
        cells += [
            str(row.tiers),
            str(row.planes),
            str(row.rails_per_box or "-"),
            row.oversubscription,
        ]
        cells += [
            grouped(row.switches.total),
            grouped(row.cables),
            _cost(row),
            grouped(row.power_w),
        ]
        cells += [f"{row.iteration_s:.4f}"] if timed else []
        lines.append(
            [
                *cells,
                grouped(row.across_gbps),
                f"{row.worst.bandwidth_lost_pct:.3g}",
                grouped(row.worst.gpus_cut_off),
            ]
        )
    title = (
        f"{answer.name}: {grouped(answer.gpus)} GPUs, prices "
        f"{answer.book}{f', {timed}' if timed else ''}"
    )
    return "\n".join(
        [title, "", table(lines, right=range(4 + domains, len(heads))), "", *_words(answer)]
    )


def _cost(row: SearchRow) -> str:
    """Format a cost; with an unpriced part only a lower bound is known."""
    return (
        grouped(row.cost)
        if row.cost_is_known
        else "-"
        if row.cost is None
        else f"over {grouped(row.cost)}"
    )


def _words(answer: SearchResult) -> Iterator[str]:
    """Yield the notes on the table."""
    beyond = ", ".join(f"{number} beyond {key}" for key, number in answer.beyond.items())
    refused = ", ".join(f"{number} {code}" for code, number in answer.refused.items())
    yield (
        f"{answer.tried} combinations: {answer.feasible} fabrics compared, "
        f"{len(answer.designs)} shown, none of them worse than another in every figure"
    )
    yield (
        f"left out: {answer.same} "
        f"duplicates{f'; {beyond}' if beyond else ''}{f'; refused: {refused}' if refused else ''}"
    )
    yield (
        "* cheapest; Gbps/GPU between HB domains; lost and cut off: bandwidth and GPUs of the "
        "fabric lost with the worst single switch"
    )
    for row in answer.designs:
        if row.alike:
            more = len(row.alike) - SHOWN_ALIKE
            yield (
                f"equal to row {row.pick} in every figure: "
                f"{'; '.join(row.alike[:SHOWN_ALIKE])}{f'; and {more} more' if more > 0 else ''}"
            )
    unpriced = dict.fromkeys(part for row in answer.designs for part in row.unpriced)
    if unpriced:
        yield f"no price, excluded from totals: {', '.join(unpriced)}"
    unknown = dict.fromkeys(part for row in answer.designs for part in row.power_unknown)
    if unknown:
        yield f"unknown power, ranked as the highest: {', '.join(unknown)}"


def _notes(spec: FabricSpec, found: Found) -> Iterator[str]:
    """Yield what the search ignores of the inventory."""
    if spec.site and spec.site.lengths != "unknown":
        yield (
            "the described room is ignored: parts are chosen by an assumed reach, and the result "
            "has no `site`"
        )
    if spec.reserve:
        yield (
            f"all {grouped(found.rows[0][0].draft.fabric.gpus)} GPUs of the reserve are counted, "
            "as if they stood"
        )
    if spec.phases:
        yield "`phases` are of one design: they are left out, and what is written has none"


def _write(path: Path, spec: FabricSpec) -> None:
    """Write an inventory."""
    from fabricgen.inventory.load import inventory_text

    save(path, inventory_text(spec))
    echo(f"wrote {path}; next: fabricgen build {path} -o out", err=True)
