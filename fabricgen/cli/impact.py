"""`impact`: the effect of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.analysis.impact.part_kinds import KINDS
from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_result, table
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from fabricgen.analysis.impact.compare import ComparedImpact
    from fabricgen.analysis.impact.relay_load import RelayLoad
    from fabricgen.planning.plan import Plan

COMPARED_GPUS = 65536
"""Larger fabrics are compared with another design on request only."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen impact fabric.yaml --fail switch:leaf-1",
        "fabricgen impact fabric.yaml --each leaf",
    ),
)
@fabric_arguments
@click.option(
    "--fail",
    "failed",
    multiple=True,
    metavar="PART",
    help="Failed part, such as switch:r0-leaf-1, link:LABEL, nic:d0-g3; may be repeated.",
)
@click.option(
    "--each",
    type=click.Choice(KINDS),
    help="Rank all parts of a kind by their effect, the worst first.",
)
@click.option(
    "--compare/--no-compare",
    default=None,
    help=f"Compare with the other design; default: up to {COMPARED_GPUS} GPUs.",
)
@json_option
def impact(
    asked: FabricArguments,
    failed: tuple[str, ...],
    each: str | None,
    *,
    compare: bool | None,
    as_json: bool,
) -> None:
    """Show the effect of one or more failures.

    A failed PART is a kind and a name: `fabricgen explain unknown-failure` lists the kinds. For a
    switch, a cable or a device of a network beside the compute fabric, it lists the devices cut
    off. The output compares it with the same failure in the rail-optimized design of the inventory,
    or in rail-only where the inventory is not.
    """
    from fabricgen.analysis.impact.compare import cluster_impact

    if bool(failed) == bool(each):
        raise click.UsageError("name failed parts with --fail, or a kind of part with --each")
    if each and compare:
        raise click.UsageError("--compare goes with --fail")
    plan, inventory = asked.plan()
    if each:
        with inventory.locate_findings():
            _print_ranking(plan, each, as_json=as_json)
        return
    with inventory.locate_findings():
        wanted = compare or (compare is None and plan.fabric.gpus <= COMPARED_GPUS)
        found = cluster_impact(plan, failed, compared=wanted)
    if as_json:
        print_result(found)
    else:
        echo(_text(plan, found))


def _text(plan: Plan, found: ComparedImpact) -> str:
    """Lay out one failure: a sentence, the figures, the GPUs that relay, and the networks."""
    from fabricgen.analysis.impact import network_loss
    from fabricgen.analysis.impact.replacement import leaves_text, replacement_text
    from fabricgen.analysis.impact.text import sentence

    networks = [network_loss.sentence(loss) for loss in found.networks or ()]
    parts = [sentence(found.impact), *networks]
    if found.networks is None or found.impact.gpus_degraded or found.impact.gpus_cut_off:
        parts += [_figures(plan, found), *_relays(found.impact.relay_load)]
    if (other := found.compared) and other.missing:
        parts.append(f"{other.design}: {other.missing}")
    parts += [replacement_text(found.replacements), leaves_text(plan)] if found.replacements else []
    return "\n\n".join(part for part in parts if part)


def _figures(plan: Plan, found: ComparedImpact) -> str:
    """Lay out the figures, of both designs where there are two."""
    from fabricgen.analysis.impact.text import FIGURES

    shown = {plan.fabric.design.value: found.impact}
    if found.compared and found.compared.impact:
        shown[found.compared.design] = found.compared.impact
    heads = [["", *shown], ["failed", *(", ".join(each.failed) for each in shown.values())]]
    rows = [
        [f"{figure.name}{', %' if figure.unit else ''}", *map(figure.text, shown.values())]
        for figure in FIGURES
    ]
    rails = ["rails affected", *(grouped(len(each.rails_affected)) for each in shown.values())]
    loads = [each.relay_load for each in shown.values() if each.relay_load]
    relays = ["load of the busiest relay, pairs", *(grouped(load.max) for load in loads)]
    last = [relays] if len(loads) == len(shown) else []
    return table([*heads, *rows[:4], rails, *rows[4:], *last], right=range(1, len(shown) + 1))


def _relays(load: RelayLoad | None) -> list[str]:
    """Describe the GPUs that relay the newly relayed pairs, and the load of the busiest."""
    from fabricgen.analysis.impact.text import percent_text

    if load is None or not load.relays:
        return []
    sampled = " (from a sample of the sources)" if load.sampled else ""
    text = (
        f"{counted(load.relays, 'GPU')} relay{'s' * (load.relays == 1)} for them,"
        f" {grouped(load.mean)} pairs each on average{sampled};"
        f" the busiest, {load.busiest}, carries {grouped(load.max)},"
        f" {percent_text(load.busiest_pct_of_own)} % of the number of its own pairs."
    )
    return [text]


def _print_ranking(plan: Plan, kind: str, *, as_json: bool) -> None:
    """Print all parts of a kind, those with equal effects in one row."""
    from fabricgen.analysis.impact.ranking import Ranking, rank
    from fabricgen.analysis.impact.text import FIGURES

    ranked = rank(plan, kind)
    if not ranked:
        raise click.UsageError(f"this fabric has no {kind}")
    if as_json:
        print_result(Ranking(kind, ranked))
        return
    heads = (
        "part",
        "equal",
        "cut off",
        "degraded",
        "lost, %",
        "fabric, %",
        "need relay",
        "pairs lost",
        "bisection, %",
    )
    shown = [figure for figure in FIGURES if figure.ranked]
    rows = [
        (row.parts[0], grouped(row.count), *(figure.text(row.impact) for figure in shown))
        for row in ranked
    ]
    echo(table([heads, *rows], right=range(1, len(heads))))
