"""`impact`: what is lost when something fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.options import Asked, fabric_arguments, json_option
from fabricgen.cli.printing import grouped, print_json, table

if TYPE_CHECKING:
    from fabricgen.planner import Plan

KINDS = (
    "leaf", "spine", "core", "switch", "host-cable", "leaf-spine-cable", "spine-core-cable", "cable", "nic", "gpu", "hb", "plane", "rail",
)  # fmt: skip
"""What `--each` ranks; a test holds it against `alike.KINDS`."""

COMPARED_GPUS = 65536
"""Larger fabrics are compared with another design on request only."""

Figure = tuple[str, str, str]
"""A figure's name, its key, and its unit."""

FIGURES: tuple[Figure, ...] = (
    ("GPUs cut off", "gpus_cut_off", ""),
    ("GPUs degraded", "gpus_degraded", ""),
    ("bandwidth lost, of each such GPU", "gpu_bandwidth_lost_pct", "%"),
    ("bandwidth lost, of the fabric", "fabric_bandwidth_lost_pct", "%"),
    ("pairs that newly need a relay", "pairs_needing_relay", ""),
    ("pairs over the network instead of HB", "hb_pairs_over_network", ""),
    ("pairs lost", "pairs_lost", ""),
    ("reachable pairs", "reachable_pairs_pct", "%"),
    ("bisection left", "bisection_left_pct", "%"),
)


@click.command()
@fabric_arguments
@click.option("--fail", "failed", multiple=True, metavar="X", help="What fails, like switch:r0-leaf-1, link:LABEL, nic:d0-g3; may be repeated.")
@click.option("--each", type=click.Choice(KINDS), help="Rank every part of a kind, the worst first.")
@click.option("--compare/--no-compare", default=None, help=f"Show another design beside it; up to {COMPARED_GPUS} GPUs by default.")
@json_option
def impact(asked: Asked, failed: tuple[str, ...], each: str | None, *, compare: bool | None, as_json: bool) -> None:
    """Show what a failure takes.

    X is switch:NAME, link:CABLE-LABEL, nic:GPU[/plane], gpu:GPU, hb:DOMAIN, plane:N or rail:N. Beside it stands the corresponding part of
    the rail-optimized design of the same inventory, or of rail-only where it is not.
    """
    from fabricgen.impact import impact as measure
    from fabricgen.impact.comparing import compare as compare_with

    if bool(failed) == bool(each):
        raise click.UsageError("name what fails with --fail, or a kind of part with --each")
    if each and compare:
        raise click.UsageError("--compare goes with --fail")
    plan, inventory = asked.plan()
    if each:
        _print_ranking(plan, each, as_json=as_json)
        return
    with inventory.placing():
        document = measure(plan, failed)
        if compare or (compare is None and plan.request.gpus <= COMPARED_GPUS):
            document["compared"] = compare_with(plan, failed)
    if as_json:
        print_json(document)
    else:
        click.echo(_text(plan, document))


def _text(plan: Plan, document: dict[str, Any]) -> str:
    """Lay out one failure: a sentence, the figures, and who relays."""
    parts = [sentence(document), _figures(plan, document), *_relays(document)]
    missing = document.get("compared", {}).get("missing")
    return "\n\n".join([*parts, *([f"{document['compared']['design']}: {missing}"] if missing else [])])


def sentence(document: dict[str, Any]) -> str:
    """Say in one sentence what a failure means."""
    down = f"{', '.join(document['failed'])} down"
    cut, degraded, rails = document["gpus_cut_off"], document["gpus_degraded"], document["rails_affected"]
    words = [f"{_gpus(cut)} cut off" if cut else "no GPU is cut off"]
    if degraded:
        where = f"on rail {rails[0]}" if len(rails) == 1 else f"on {len(rails)} rails"
        lose, their = ("loses", "its") if degraded == 1 else ("lose", "their")
        words.append(f"{_gpus(degraded)} {where} {lose} {_percent(document['gpu_bandwidth_lost_pct'])} % of {their} bandwidth")
    if newly := document["pairs_needing_relay"]:
        words.append(f"{grouped(newly)} pairs newly take a relay")
    words.append(f"{grouped(document['pairs_lost'])} pairs are lost" if document["pairs_lost"] else "every pair is still joined")
    return f"{down}: {'; '.join(words)}."


def _figures(plan: Plan, document: dict[str, Any]) -> str:
    """Lay out the figures, of both designs where there are two."""
    shown = [(plan.request.design.value, document)]
    other = document.get("compared")
    if other and "missing" not in other:
        shown.append((other["design"], other))
    heads = [["", *(design for design, _ in shown)], ["failed", *(", ".join(each["failed"]) for _, each in shown)]]
    rows = [[f"{name}{', %' if unit else ''}", *(_cell(each[key], unit) for _, each in shown)] for name, key, unit in FIGURES]
    rails = ["rails affected", *(grouped(len(each["rails_affected"])) for _, each in shown)]
    relays = ["load of the busiest relay, pairs", *(grouped(each["relay_load"]["max"]) for _, each in shown)]
    return table([*heads, *rows[:4], rails, *rows[4:], relays], right=range(1, len(shown) + 1))


def _relays(document: dict[str, Any]) -> list[str]:
    """Say who relays the newly relayed pairs, and what that means for the busiest."""
    load = document["relay_load"]
    if not load["relays"]:
        return []
    sampled = " (from a sample of the sources)" if load["sampled"] else ""
    spread = f"{_gpus(load['relays'])} relay{'s' * (load['relays'] == 1)} for them, {grouped(load['mean'])} pairs each on average{sampled}"
    share = f"{_percent(load['busiest_pct_of_own'])} % of the pairs that it has of its own"
    return [f"{spread}; the busiest, {load['busiest']}, carries {grouped(load['max'])}, {share}."]


def _print_ranking(plan: Plan, kind: str, *, as_json: bool) -> None:
    """Print every part of a kind, those that lose the same in one row."""
    from fabricgen.impact.ranking import rank

    rows = rank(plan, kind)
    if not rows:
        raise click.UsageError(f"this fabric has no {kind}")
    if as_json:
        print_json({"each": kind, "rows": rows})
        return
    heads = ("part", "alike", "cut off", "degraded", "lost, %", "fabric, %", "need relay", "pairs lost", "bisection, %")
    keys = [(key, unit) for _, key, unit in FIGURES if key not in ("hb_pairs_over_network", "reachable_pairs_pct")]
    click.echo(table([heads, *((row["parts"][0], grouped(row["count"]), *(_cell(row[key], unit) for key, unit in keys)) for row in rows)], right=range(1, 9)))


def _cell(value: float, unit: str) -> str:
    """Write a figure."""
    return _percent(value) if unit else grouped(value)


def _percent(value: float) -> str:
    """Write a percentage in three digits or more, and never as none or all of what it is not.

    >>> _percent(99.99999), _percent(12.5), _percent(0.0000004)
    ('> 99.99', '12.5', '< 0.01')
    """
    if 0 < value < 0.01:  # noqa: PLR2004 - the last digit that is written
        return "< 0.01"
    if 99.99 < value < 100:  # noqa: PLR2004 - as above
        return "> 99.99"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _gpus(count: int) -> str:
    """Count GPUs."""
    return f"{grouped(count)} GPU{'s' * (count != 1)}"
