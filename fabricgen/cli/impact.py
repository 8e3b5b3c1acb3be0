"""`impact`: what is lost when something fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_json, table

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

KINDS = (
    "leaf", "spine", "core", "switch", "host-cable", "leaf-spine-cable", "spine-core-cable", "cable", "nic", "gpu", "hb", "plane", "rail",
)  # fmt: skip
"""What `--each` ranks; a test holds it against `alike.KINDS`."""

COMPARED_GPUS = 65536
"""Larger fabrics are compared with another design on request only."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen impact fabric.yaml --fail switch:r0-leaf-1",
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

    A failed PART is switch:NAME, link:CABLE-LABEL, nic:GPU[/PLANE], gpu:GPU, hb:DOMAIN, plane:N or
    rail:N. The output compares it with the same failure in the rail-optimized design of the
    inventory, or in rail-only where the inventory is not.
    """
    from fabricgen.analysis.impact.compare import compare as compare_with
    from fabricgen.analysis.impact.measure import impact as measure

    if bool(failed) == bool(each):
        raise click.UsageError("name failed parts with --fail, or a kind of part with --each")
    if each and compare:
        raise click.UsageError("--compare goes with --fail")
    plan, inventory = asked.plan()
    if each:
        _print_ranking(plan, each, as_json=as_json)
        return
    with inventory.placing():
        document = measure(plan, failed)
        if compare or (compare is None and plan.fabric.gpus <= COMPARED_GPUS):
            document["compared"] = compare_with(plan, failed)
    if as_json:
        print_json(document)
    else:
        echo(_text(plan, document))


def _text(plan: Plan, document: dict[str, Any]) -> str:
    """Lay out one failure: a sentence, the figures, and who relays."""
    from fabricgen.analysis.impact.text import sentence

    parts = [sentence(document), _figures(plan, document), *_relays(document)]
    missing = document.get("compared", {}).get("missing")
    return "\n\n".join(
        [*parts, *([f"{document['compared']['design']}: {missing}"] if missing else [])]
    )


def _figures(plan: Plan, document: dict[str, Any]) -> str:
    """Lay out the figures, of both designs where there are two."""
    from fabricgen.analysis.impact.text import FIGURES, figure_text

    shown = [(plan.fabric.design.value, document)]
    other = document.get("compared")
    if other and "missing" not in other:
        shown.append((other["design"], other))
    heads = [
        ["", *(design for design, _ in shown)],
        ["failed", *(", ".join(each["failed"]) for _, each in shown)],
    ]
    rows = [
        [
            f"{name}{', %' if unit else ''}",
            *(figure_text(each[key], unit) for _, each in shown),
        ]
        for name, key, unit in FIGURES
    ]
    rails = ["rails affected", *(grouped(len(each["rails_affected"])) for _, each in shown)]
    relays = [
        "load of the busiest relay, pairs",
        *(grouped(each["relay_load"]["max"]) for _, each in shown),
    ]
    return table([*heads, *rows[:4], rails, *rows[4:], relays], right=range(1, len(shown) + 1))


def _relays(document: dict[str, Any]) -> list[str]:
    """Say who relays the newly relayed pairs, and what that means for the busiest."""
    from fabricgen.analysis.impact.text import gpus_text, percent_text

    load = document["relay_load"]
    if not load["relays"]:
        return []
    sampled = " (from a sample of the sources)" if load["sampled"] else ""
    spread = f"{gpus_text(load['relays'])} relay{'s' * (load['relays'] == 1)} for them, {grouped(load['mean'])} pairs each on average{sampled}"
    share = f"{percent_text(load['busiest_pct_of_own'])} % of the pairs that it has of its own"
    return [f"{spread}; the busiest, {load['busiest']}, carries {grouped(load['max'])}, {share}."]


def _print_ranking(plan: Plan, kind: str, *, as_json: bool) -> None:
    """Print every part of a kind, those that lose the same in one row."""
    from fabricgen.analysis.impact.ranking import rank
    from fabricgen.analysis.impact.text import FIGURES, figure_text

    rows = rank(plan, kind)
    if not rows:
        raise click.UsageError(f"this fabric has no {kind}")
    if as_json:
        print_json({"each": kind, "rows": rows})
        return
    heads = (
        "part",
        "alike",
        "cut off",
        "degraded",
        "lost, %",
        "fabric, %",
        "need relay",
        "pairs lost",
        "bisection, %",
    )
    keys = [
        (key, unit)
        for _, key, unit in FIGURES
        if key not in ("hb_pairs_over_network", "reachable_pairs_pct")
    ]
    echo(
        table(
            [
                heads,
                *(
                    (
                        row["parts"][0],
                        grouped(row["count"]),
                        *(figure_text(row[key], unit) for key, unit in keys),
                    )
                    for row in rows
                ),
            ],
            right=range(1, 9),
        )
    )
