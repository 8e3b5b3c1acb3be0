"""`plan`: the figures of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OUTPUT_FILE, PLAN_MARK, force_option, save
from fabricgen.cli.printing import (
    echo,
    grouped,
    money,
    print_advice,
    print_result,
    today,
    totals_text,
)
from fabricgen.core.count_text import counted
from fabricgen.core.terms import PEERS, UPLINKS, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabricgen.analysis.search.cheaper import CheaperMapping
    from fabricgen.bom.summary import (
        BlockSummary,
        CostSummary,
        NetworkSummary,
        PlanSummary,
        TopologySummary,
    )
    from fabricgen.lifecycle.change.growth import GrownPlan, Growth
    from fabricgen.planning.plan import Plan


COUNTED = "one per link end with a module; the bill counts modules"
"""How the summary counts transceivers."""


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
    help="Saved plan to grow, with its cables, names and numbers; --set without FABRIC.",
)
def plan(asked: FabricArguments, output: Path | None, older: str | None, *, as_json: bool) -> None:
    """Size and wire a fabric, and print its figures."""
    from fabricgen.analysis.search.cheaper import AdvisedPlan, cheaper_mappings
    from fabricgen.bom.price_notes import price_notes
    from fabricgen.bom.priced_bill import make_bom
    from fabricgen.bom.summary import summarize
    from fabricgen.planning.notices import advice

    before, (planned, inventory) = (
        (asked.older(older).plan()[0], asked.grown(older)) if older else (None, asked.plan())
    )
    with inventory.locate_findings():
        bom = make_bom(planned)
        summary = summarize(planned, bom)
        cheaper = [] if before else cheaper_mappings(planned, bom)
        grown = _grown(summary, before, planned) if before else None
    if output:
        from fabricgen.build.write.manifest import json_document
        from fabricgen.planning.plan_document import plan_document

        save(output, json_document(plan_document(planned, summary.document())), mark=PLAN_MARK)
    if as_json:
        print_result(grown or (AdvisedPlan(summary, cheaper) if cheaper else summary))
        return
    echo(summary_text(summary, grown.growth if grown else None, cheaper))
    changed = grown.growth.changed if grown else ()
    print_advice([*advice(planned), *price_notes(planned, today()), *changed])
    if output:
        echo(f"\nsaved plan to {output}", err=True)


def _grown(summary: PlanSummary, before: Plan, after: Plan) -> GrownPlan:
    """Return the summary of a plan with what became of the cables of the earlier one."""
    from fabricgen.lifecycle.change.growth import GrownPlan, growth

    return GrownPlan(summary, growth(before, after))


def summary_text(
    summary: PlanSummary, growth: Growth | None = None, cheaper: Iterable[CheaperMapping] = ()
) -> str:
    """Lay out a summary as text."""
    block, links, switches = summary.per_block, summary.links, summary.switches
    roles = ", ".join(f"{grouped(count)} {role}" for role, count in switches.by_role().items())
    kinds = ", ".join(
        f"{grouped(count)} {kind.key.replace('_', '-')}" for kind, count in links.by_kind().items()
    )
    tiers = f"{summary.tiers} {'tier' if summary.tiers == 1 else 'tiers'}"
    planes = f" on {summary.planes} planes" if summary.planes > 1 else ""
    direct = summary.topology
    ports = _graph(direct) if direct else _widths(block)
    facts = [
        (
            "design",
            f"{summary.design}, direct"
            if direct
            else f"{summary.design}, {tiers}, oversubscription {summary.ratio}",
        ),
        ("GPUs", f"{grouped(summary.gpus)} in {grouped(summary.hb_domains)} HB domains"),
        ("rails", f"{summary.rails}{planes}"),
        (
            "blocks",
            f"{grouped(summary.blocks)} of {grouped(block.endpoints)} endpoints: {ports}",
        ),
        ("switches", f"{grouped(switches.total)} ({roles})" if roles else "none"),
        ("links", f"{grouped(links.total)} ({kinds})"),
        ("cables", grouped(summary.cables.total) + _longest(summary)),
        (
            "transceivers",
            f"{grouped(summary.transceivers)} ({COUNTED})",
        ),
        ("cost", _cost(summary.cost)),
        ("power", _power(summary)),
        *([("room", _room(summary))] if roles else []),
        *((name, _network(name, each)) for name, each in (summary.networks or {}).items()),
        *(
            [("in all", totals_text(summary.totals, summary.cost.currency))]
            if summary.totals
            else []
        ),
        *([("growth", _moves(growth))] if growth else []),
        *_network_moves(growth),
        *(("cheaper", str(each)) for each in cheaper),
    ]
    return f"{summary.name}\n" + "\n".join(f"  {name:<13} {text}" for name, text in facts)


def _network(name: str, network: NetworkSummary) -> str:
    """Describe a network beside the compute fabric."""
    counts = network.switches
    cables = f"{counted(network.links, 'link')}, {counted(network.cables.total, 'cable')}"
    if name == PEERS:
        return f"between paired devices, {cables}"
    if not counts.total:
        return f"on {'switches' if name == UPLINKS else 'leaves'} of the compute fabric, {cables}"
    roles = ", ".join(f"{grouped(count)} {role}" for role, count in counts.by_role().items())
    return f"{counted(counts.total, 'switch', 'switches')} ({roles}), {cables}"


def _network_moves(growth: Growth | None) -> Iterator[tuple[str, str]]:
    """Yield what happens to the cables of each network."""
    for name, each in (growth.networks or {}).items() if growth else ():
        gone = f", {grouped(each['removed'])} removed" if each["removed"] else ""
        come = f"{grouped(each['added'])} added{gone}, {grouped(each['kept'])} kept"
        yield f"{name} moves", f"{grouped(each['moved'])} cables; {come}"


def _moves(growth: Growth) -> str:
    """Describe how many cables move, and how many must."""
    gone = f", {grouped(growth.removed)} removed" if growth.removed else ""
    return (
        f"{grouped(growth.moved)} cables move (the minimum is {grouped(growth.moved_at_least)});"
        f" {grouped(growth.added)} added{gone}, {grouped(growth.kept)} kept"
    )


def _longest(summary: PlanSummary) -> str:
    """Describe the longest cable, and the room that its length was computed in."""
    where = (
        "assumed room; describe yours under `site`"
        if summary.room == "generated"
        else "room of `site`"
    )
    return f", at most {summary.longest_cable_m:g} m ({where})" if summary.room else ""


def _graph(topology: TopologySummary) -> str:
    """Describe the graph of a direct rail, and the ports that it takes."""
    shape = " x ".join(map(str, topology.dimensions))
    many = f" over {topology.parallel} links each" if topology.parallel > 1 else ""
    idle = f", {topology.idle} of {topology.links} links idle" if topology.idle else ""
    return (
        f"{topology.kind}{f' {shape}' if shape else ''}, {topology.degree} neighbours{many} at"
        f" {speed_text(topology.link_gbps)}{idle}"
    )


def _widths(block: BlockSummary) -> str:
    """Describe the switches of a block and how their ports are divided."""
    parts = [f"{block.leaf} leaf ({block.leaf_down} down, {block.leaf_up} up)"]
    if block.spine:
        up = f", {block.spine_up} up" if block.spine_up else ""
        parts.append(f"{block.spine} spine ({block.spine_down} down{up})")
    if block.core:
        parts.append(f"{block.core} core ({block.core_down} down)")
    return ", ".join(parts)


def _power(summary: PlanSummary) -> str:
    """Describe the power of the fabric and its heat."""
    most = summary.power_max_w
    at_most = "" if most is None else f", {grouped(most)} W at most"
    if summary.power_w is None or summary.heat_btu_h is None:
        unknown = ", ".join(summary.unknown.get("power_w", ()))
        return f"typical power of {unknown} not published{at_most}, without hosts"
    heat = grouped(round(summary.heat_btu_h))
    return f"{grouped(summary.power_w)} W typical{at_most}, without hosts; {heat} BTU/h"


def _room(summary: PlanSummary) -> str:
    """Describe the rack units and the weight of the switches."""
    known = [
        "" if summary.rack_units is None else f"{grouped(summary.rack_units)} rack units",
        "" if summary.weight_kg is None else f"{grouped(round(summary.weight_kg))} kg",
    ]
    shown = " and ".join(text for text in known if text)
    return f"{shown} of switches" if shown else "not published for every switch"


def _cost(cost: CostSummary) -> str:
    """Describe a cost: its book, discounts, exchange rate, and the parts without a price."""
    text = f"{cost.currency} {money(cost.total)} by {cost.book}"
    if cost.discount_pct:
        off = ", ".join(f"{pct:g} % on {name}" for name, pct in cost.discount_pct.items())
        text += f", less {off}"
    if paid := cost.exchange:
        text += f", at {paid.rate:g} {cost.currency} for 1 {paid.from_} of {paid.date}"
    return text + (f"; no price for {', '.join(cost.unpriced)}" if cost.unpriced else "")
