"""`search`: the cheapest designs of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_models
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, check, force_option, save
from fabricgen.cli.printing import (
    echo,
    grouped,
    print_advice,
    print_result,
    sum_of_prices,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.analysis.search.result import SearchResult, SearchRow
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
    "--all", "every", is_flag=True, help="List every fabric that no other dominates, in any column."
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
    every: bool,
    as_json: bool,
) -> None:
    """Find the cheapest feasible designs.

    Combines switches and how their cages are split, rails, rails per switch, planes, tiers,
    oversubscription, spread, HB domains and the three designs, and compares cost, power, switches,
    iteration time (or bandwidth) and the worst single failure. `search` in the inventory sets the
    choices and the limits.

    At most ten fabrics are listed, none of them worse than another in every figure: those that no
    cheaper one equals in iteration time, and those that are worth their cost, because beside each
    cheaper one some figure is better by at least the factor by which the cost is higher.
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
        found = find(spec, catalog, workload, accelerator, every=every)
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
        print_advice(notes(spec))


LACKING = "without a price"
"""The heading of the parts that a row has no price of."""

UNRANKED = "not ranked by cost, which is at least what is printed, as parts have no price:"
"""The line above the rows whose cost is not known."""


def search_text(answer: SearchResult) -> str:
    """Lay out the rows as text."""
    title = (
        f"{answer.name}: {grouped(answer.gpus)} GPUs, prices "
        f"{answer.book}{f', {answer.llm}' if answer.llm else ''}"
    )
    columns = _columns(answer)
    lines = [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]
    numbers = [*columns][[*columns].index("tiers") :]
    right = [at for at, head in enumerate(columns) if head in numbers and head != LACKING]
    rows = table(lines, right=right).split("\n")
    ranked = 1 + sum(row.cost_is_known for row in answer.designs)
    apart = ["", UNRANKED] if ranked < len(rows) else []
    return "\n".join([title, "", *rows[:ranked], *apart, *rows[ranked:], "", *_words(answer)])


def _columns(answer: SearchResult) -> dict[str, list[str]]:
    """Return the columns of the table by their headings, the first without one.

    HB domains, spreads and iteration times have a column only if they differ or are known.
    """
    rows = answer.designs
    columns = {
        "": [f"{row.pick}{'*' * row.cheapest}" for row in rows],
        "design": [row.design for row in rows],
        "switch": [row.switch for row in rows],
        "breakout": [row.breakout for row in rows],
        "HB domain": [f"{row.host or ''} {row.hb_domain_gpus}".strip() for row in rows],
        "spread": [_spread(row) for row in rows],
        "unit uplinks": [row.unit_uplinks or "-" for row in rows],
        "tiers": [str(row.tiers) for row in rows],
        "planes": [str(row.planes) for row in rows],
        "rails": ["-" if row.rails_per_box is None else str(row.rails) for row in rows],
        "rails/box": [str(row.rails_per_box or "-") for row in rows],
        "oversub.": [row.oversubscription for row in rows],
        "switches": [grouped(row.switches.total) for row in rows],
        "cables": [grouped(row.cables) for row in rows],
        f"cost, {answer.currency}": [_cost(row) for row in rows],
        "power, W": [grouped(row.power_w) for row in rows],
        "iteration, s": [f"{row.iteration_s or 0:.4f}" for row in rows],
        "Gbps/GPU": [grouped(row.across_gbps) for row in rows],
        "lost, %": [f"{row.worst.bandwidth_lost_pct:.3g}" for row in rows],
        "cut off": [grouped(row.worst.gpus_cut_off) for row in rows],
        LACKING: [", ".join(row.unpriced) for row in rows],
    }
    left_out = {
        "HB domain": len(set(columns["HB domain"])) == 1,
        "spread": set(columns["spread"]) == {"even"},
        "unit uplinks": set(columns["unit uplinks"]) == {"-"},
        "iteration, s": answer.llm is None,
        LACKING: not any(columns[LACKING]),
    }
    return {head: cells for head, cells in columns.items() if not left_out.get(head)}


def _spread(row: SearchRow) -> str:
    """Format a spread, with what the worst permutation of leaves gets."""
    worst = row.worst_permutation_pct
    return row.spread if worst is None else f"{row.spread} {worst:g} %"


def _cost(row: SearchRow) -> str:
    """Format a cost."""
    return sum_of_prices(row.cost, partial=not row.cost_is_known)


def _words(answer: SearchResult) -> Iterator[str]:
    """Yield the notes on the table."""
    beyond = ", ".join(f"{grouped(number)} beyond {key}" for key, number in answer.beyond.items())
    refused = ", ".join(f"{grouped(number)} {code}" for code, number in answer.refused.items())
    yield (
        f"{grouped(answer.tried)} combinations: {grouped(answer.feasible)} fabrics compared, "
        f"{len(answer.designs)} shown, none of them worse than another in every figure"
    )
    if answer.more:
        yield f"--all lists {answer.more} more"
    yield (
        f"left out: {grouped(answer.same)} "
        f"duplicates{f'; {beyond}' if beyond else ''}{f'; refused: {refused}' if refused else ''}"
    )
    star = "* cheapest; " if any(row.cheapest for row in answer.designs) else ""
    yield (
        f"{star}Gbps/GPU between HB domains; lost and cut off: bandwidth and GPUs of the fabric "
        "lost with the worst single switch"
    )
    if any(row.worst_permutation_pct is not None for row in answer.designs):
        yield "spread minimal: the share of its bandwidth that the worst permutation of leaves gets"
    for row in answer.designs:
        if row.alike:
            more = len(row.alike) - SHOWN_ALIKE
            yield (
                f"equal to row {row.pick} in every figure: "
                f"{'; '.join(row.alike[:SHOWN_ALIKE])}{f'; and {more} more' if more > 0 else ''}"
            )
    unknown = dict.fromkeys(part for row in answer.designs for part in row.power_unknown)
    if unknown:
        yield (f"typical power not published, and not compared by it: {', '.join(unknown)}")


def notes(spec: FabricSpec) -> Iterator[str]:
    """Yield what the search ignores of the inventory."""
    if spec.site and spec.site.lengths != "unknown":
        yield (
            "the described room is ignored: parts are chosen by an assumed reach, and the result "
            "has no `site`"
        )
    if spec.cabling:
        yield (
            "`cabling` is ignored: every link is counted as one direct cable, without panels, "
            "trunks and second jumpers"
        )
    if spec.reserve:
        gpus = grouped(spec.reserve.gpus)
        yield f"all {gpus} GPUs of the reserve are counted, as if they were installed"
    if spec.phases:
        yield "`phases` are of one design: they are left out, and what is written has none"


def _write(path: Path, spec: FabricSpec) -> None:
    """Write an inventory."""
    from fabricgen.inventory.load import inventory_text

    save(path, inventory_text(spec))
    echo(f"wrote {path}; next: fabricgen build {path} -o out", err=True)
