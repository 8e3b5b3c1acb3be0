"""`plan` and `compare`: the numbers of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, PLAN_MARK, force_option, save
from fabricgen.cli.printing import echo, grouped, print_advice, print_json, table

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.summary import Comparison
    from fabricgen.planning.plan import Plan


@click.command(
    cls=Command,
    examples=(
        "fabricgen plan fabric.yaml -o plan.json",
        "fabricgen plan --gpus 32768 --hb-domain 256 --radix 64",
        "fabricgen plan --from plan.json --set gpus=512 -o grown.json",
    ),
)
@fabric_arguments
@json_option
@click.option(
    "-o", "--output", type=OUTPUT_FILE, help="File to save the plan in; `build` accepts it."
)
@force_option
@click.option(
    "--from",
    "older",
    metavar="PLAN",
    type=click.Path(),
    help="Saved plan to grow: its cables, names and numbers are kept. Without FABRIC, give the new size with --set.",
)
def plan(asked: FabricArguments, output: Path | None, older: str | None, *, as_json: bool) -> None:
    """Size and wire a fabric, and print its figures."""
    from fabricgen.bom.bill import make_bom
    from fabricgen.bom.summary import summarize
    from fabricgen.planning.notices import advice

    before, (planned, inventory) = (
        (asked.older(older).plan()[0], asked.grown(older)) if older else (None, asked.plan())
    )
    with inventory.placing():
        summary = summarize(planned, make_bom(planned))
        if before:
            summary["growth"] = _growth(before, planned)
    if output:
        from fabricgen.build.write.manifest import json_document

        kept = {key: value for key, value in summary.items() if key != "growth"}
        save(output, json_document(planned.document(kept)), mark=PLAN_MARK)
    if as_json:
        print_json(summary)
        return
    echo(summary_text(summary))
    print_advice([*advice(planned), *summary.get("growth", {}).get("changed", ())])
    if output:
        echo(f"\nplan kept in {output}", err=True)


def summary_text(summary: dict[str, Any]) -> str:
    """Lay out a summary for a person."""
    block, links, cost = summary["per_block"], summary["links"], summary["cost"]
    tiers = [role for role in ("leaf", "spine", "core") if summary["switches"][role]]
    switches = ", ".join(f"{grouped(summary['switches'][role])} {role}" for role in tiers)
    kinds = ", ".join(
        f"{grouped(links[key])} {key.replace('_', '-')}"
        for key in ("host", "leaf_spine", "spine_core")
        if links[key]
    )
    facts = [
        (
            "design",
            f"{summary['design']}, {summary['tiers']} {'tier' if summary['tiers'] == 1 else 'tiers'}, oversubscription {summary['oversubscription']}",
        ),
        ("GPUs", f"{grouped(summary['gpus'])} in {grouped(summary['hb_domains'])} HB domains"),
        (
            "rails",
            f"{summary['rails']}"
            + (f" on {summary['planes']} planes" if summary["planes"] > 1 else ""),
        ),
        (
            "blocks",
            f"{grouped(summary['blocks'])} of {grouped(block['endpoints'])} endpoints: {_widths(block)}",
        ),
        ("switches", f"{grouped(summary['switches']['total'])} ({switches})"),
        ("links", f"{grouped(links['total'])} ({kinds})"),
        ("cables", grouped(summary["cables"]["total"]) + _longest(summary)),
        (
            "transceivers",
            f"{grouped(summary['transceivers'])} (one per link end; the bill counts modules)",
        ),
        ("cost", _cost(cost)),
        ("power", _power(summary)),
        ("room", _room(summary)),
    ]
    if growth := summary.get("growth"):
        facts.append(("growth", _moves(growth)))
    return f"{summary['name']}\n" + "\n".join(f"  {name:<13} {text}" for name, text in facts)


def _growth(before: Plan, after: Plan) -> dict[str, Any]:
    """Count what happens to cables when a plan grows, beside the fewest that have to move."""
    from fabricgen.lifecycle.change.diff import diff
    from fabricgen.lifecycle.change.lower_bound import fewest_moves
    from fabricgen.lifecycle.change.renumbering import outgrown

    found = diff(before, after)
    return {
        "moved": found.moved, "added": found.added, "removed": found.removed, "kept": found.kept,
        "moved_at_least": fewest_moves(before, after), "changed": list(outgrown(before, after)),
    }  # fmt: skip


def _moves(growth: dict[str, Any]) -> str:
    """Say how many cables move, and how many have to."""
    moves = f"{grouped(growth['moved'])} cables move, and {grouped(growth['moved_at_least'])} at least must, for every pair of switches to have its share"
    gone = f", {grouped(growth['removed'])} go" if growth["removed"] else ""
    return f"{moves}; {grouped(growth['added'])} come{gone}, {grouped(growth['kept'])} stay"


def _longest(summary: dict[str, Any]) -> str:
    """Describe the longest cable, and what it rests on."""
    where = (
        "in a generated room (yours: `site`)"
        if summary["room"] == "generated"
        else "in the room of `site`"
    )
    return f", up to {summary['longest_cable_m']:g} m long {where}" if summary["room"] else ""


def _widths(block: dict[str, int]) -> str:
    """Describe the switches of a block and how their ports are divided."""
    parts = [f"{block['leaf']} leaf ({block['leaf_down']} down, {block['leaf_up']} up)"]
    if block["spine"]:
        parts.append(
            f"{block['spine']} spine ({block['spine_down']} down"
            + (f", {block['spine_up']} up)" if block["spine_up"] else ")")
        )
    if block["core"]:
        parts.append(f"{block['core']} core ({block['core_down']} down)")
    return ", ".join(parts)


def _power(summary: dict[str, Any]) -> str:
    """Describe the power of the fabric and its heat."""
    if summary["power_w"] is None:
        return "not published for every part"
    most = (
        f", {grouped(summary['power_max_w'])} W at most"
        if summary["power_max_w"] is not None
        else ""
    )
    return f"{grouped(summary['power_w'])} W typical{most}, without hosts; {grouped(round(summary['heat_btu_h']))} BTU/h"


def _room(summary: dict[str, Any]) -> str:
    """Describe what the switches take of racks."""
    rack_units, weight = (summary[key] for key in ("rack_units", "weight_kg"))
    known = [
        f"{grouped(rack_units)} rack units" if rack_units is not None else "",
        f"{grouped(round(weight))} kg" if weight is not None else "",
    ]
    told = " and ".join(text for text in known if text)
    return f"{told} of switches" if told else "not published for every switch"


def _cost(cost: dict[str, Any]) -> str:
    """Describe a cost, its book, its discount and rate, and what it leaves out."""
    text = f"{cost['currency']} {grouped(cost['total'])} by {cost['book']}"
    if off := cost.get("discount_pct"):
        text += f", less {', '.join(f'{pct:g} % on {name}' for name, pct in off.items())}"
    if paid := cost.get("exchange"):
        text += f", at {paid['rate']:g} {cost['currency']} for 1 {paid['from']} of {paid['date']}"
    return text + (f"; without a price: {', '.join(cost['unpriced'])}" if cost["unpriced"] else "")


@click.command(cls=Command, examples=("fabricgen compare fabric.yaml --prices street-2026-09",))
@fabric_arguments
@json_option
def compare(asked: FabricArguments, *, as_json: bool) -> None:
    """Compare the three designs of one cluster side by side.

    Savings are those of rail-only relative to the fat-tree, the any-to-any baseline.
    """
    from fabricgen.bom.summary import compare as compare_designs
    from fabricgen.build.preconditions import check_buildable
    from fabricgen.planning.notices import advice

    inventory, catalog = asked.read()
    with inventory.placing():
        comparison = compare_designs(inventory.spec, catalog)
        for built, _ in comparison.built:
            if built.fabric.design is inventory.spec.design:
                check_buildable(built, asked.packs)
        document = comparison.document()
    if as_json:
        print_json(document)
    else:
        echo(comparison_text(comparison))
        print_advice(advice(comparison.built[0][0]))


def comparison_text(comparison: Comparison) -> str:
    """Lay out designs as columns, and what rail-only saves against the fat-tree as the last one."""
    from fabricgen.bom.summary import figure_at

    summaries, savings = comparison.summaries, comparison.savings
    rows = [["", *(summary["design"] for summary in summaries), "rail-only saves"]]
    figures: list[tuple[str, tuple[str, ...], str]] = [
        ("tiers", ("tiers",), ""),
        ("leaf switches", ("switches", "leaf"), ""),
        ("spine switches", ("switches", "spine"), ""),
        ("core switches", ("switches", "core"), ""),
        ("switches", ("switches", "total"), "switches_pct"),
        ("cables", ("cables", "total"), ""),
        ("transceivers", ("transceivers",), "transceivers_pct"),
        ("power, W", ("power_w",), "power_pct"),
        ("cost", ("cost", "total"), "cost_pct"),
    ]
    for name, path, key in figures:
        saved = savings.get(key)
        label = f"{name}, {summaries[0]['cost']['currency']}" if name == "cost" else name
        rows.append(
            [
                label,
                *(grouped(figure_at(summary, path)) for summary in summaries),
                f"{saved} %" if saved is not None else "",
            ]
        )
    first = summaries[0]
    title = f"{first['name']}: {grouped(first['gpus'])} GPUs in {grouped(first['hb_domains'])} HB domains, prices {first['cost']['book']}"
    refused = [
        f"{design} cannot be built: {finding.fact} [{finding.code}]"
        for design, finding in comparison.refused
    ]
    parts = dict.fromkeys(part for summary in summaries for part in summary["cost"]["unpriced"])
    unpriced = [f"without a price, and in no total: {', '.join(parts)}"] if parts else []
    return "\n".join(
        [
            title,
            "",
            table(rows, right=range(1, len(rows[0]))),
            *([""] if refused or unpriced else []),
            *refused,
            *unpriced,
        ]
    )
