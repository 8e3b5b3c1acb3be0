"""The figures of the first section: the fabric in finished text.

Owns which figures there are and the notes below each. `bom.summary`, `bom.loads` and the bill count
them; an unknown figure is a text that states it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.bom.amounts import money_text
from fabricgen.bom.breakdown.view import grouped
from fabricgen.bom.figures import module_count
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.report.direct import graph_figures, graph_title
from fabricgen.outputs.report.faceplates import face_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.planning.plan import Plan

UNKNOWN = "not known"


class KeyFigure(NamedTuple):
    """One figure: `KeyFigure` of the model."""

    key: str
    label: str
    value: str
    note: str = ""


def headline(plan: Plan, summary: PlanSummary) -> str:
    """Return one sentence that describes the fabric.

    >>> from fabricgen.api import plan_inventory
    >>> from fabricgen.bom.priced_bill import make_bom
    >>> from fabricgen.bom.summary import summarize
    >>> leaf = {"generic": {"radix": 8}}
    >>> sizes = {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}}
    >>> plan = plan_inventory(sizes)
    >>> headline(plan, summarize(plan, make_bom(plan))).partition(": ")[0]
    'A rail-only fabric for 64 GPUs in 8 HB domains of 8'
    """
    fabric = plan.fabric
    rails = f"{counted(summary.rails, 'rail')}" + (
        f" on {summary.planes} planes" if summary.planes > 1 else ""
    )
    domains = f"{counted(summary.hb_domains, 'HB domain')} of {fabric.domain_gpus:,}"
    cables = counted(summary.cables.total, "cable")
    built = f"{_shape(summary)}, {cables}"
    gpus = counted(fabric.gpus, "GPU")
    return f"A {fabric.design} fabric for {gpus} in {domains}: {rails}, {built}."


def _shape(summary: PlanSummary) -> str:
    """Return the switches and their tiers, or the graph of direct rails."""
    if summary.topology:
        return f"no switches, each rail a {graph_title(summary.topology)}"
    tiers = ("one tier", "two tiers", "three tiers")[summary.tiers - 1]
    return f"{counted(summary.switches.total, 'switch', 'switches')} in {tiers}"


def figures(plan: Plan, bom: Bom, summary: PlanSummary) -> list[KeyFigure]:
    """Return the figures of a plan, with its bill and its `plan --json`."""
    return [*_size(plan, summary), *_parts(plan, bom, summary), *_room(summary)]


def _size(plan: Plan, summary: PlanSummary) -> Iterator[KeyFigure]:
    """Yield the figures of size and shape."""
    fabric, block = plan.fabric, summary.per_block
    reserved = (
        f"room is kept for {fabric.planned_gpus:,}" if fabric.planned_gpus > fabric.gpus else ""
    )
    yield KeyFigure("gpus", "GPUs", f"{fabric.gpus:,}", reserved)
    yield KeyFigure(
        "hb_domains",
        "HB domains",
        f"{summary.hb_domains:,}",
        f"of {fabric.domain_gpus:,} GPUs, {counted(fabric.domain_hosts, 'host')} each",
    )
    planes = f"on {summary.planes} planes" if summary.planes > 1 else "on one plane"
    yield KeyFigure("rails", "rails", f"{summary.rails:,}", planes)
    if summary.topology:
        yield from (KeyFigure(*each) for each in graph_figures(summary, summary.topology))
        return
    widths = {
        Role.LEAF: (block.leaf, block.leaf_down),
        Role.SPINE: (block.spine, block.spine_down),
        Role.CORE: (block.core, block.core_down),
    }
    split = "; ".join(
        f"{counted(count, role, role)}, {down:,} down"
        for role, (count, down) in widths.items()
        if count
    )
    yield KeyFigure(
        "tiers",
        "tiers",
        str(summary.tiers),
        f"{counted(summary.blocks, 'block')} of {block.endpoints:,} endpoints: {split}",
    )
    yield KeyFigure(
        "oversubscription",
        "oversubscription",
        summary.ratio,
        "downlinks to uplinks of a leaf",
    )


def _parts(plan: Plan, bom: Bom, summary: PlanSummary) -> Iterator[KeyFigure]:
    """Yield the figures of what is bought."""
    switches = summary.switches
    roles = ", ".join(f"{count:,} {role}" for role, count in switches.by_role().items())
    yield KeyFigure("switches", "switches", f"{switches.total:,}", roles or "hosts forward")
    yield KeyFigure(
        "cables",
        "cables",
        f"{summary.cables.total:,}",
        f"pieces without spares: {_media(plan, bom)}",
    )
    longest = summary.longest_cable_m
    where = (
        "in a generated room; describe yours under `site`"
        if summary.room == "generated"
        else "in the room of `site`"
    )
    yield KeyFigure(
        "longest_cable",
        "longest cable",
        UNKNOWN if longest is None else f"{longest:g} m",
        "no lengths are planned" if longest is None else where,
    )
    yield KeyFigure(
        "transceivers",
        "transceiver modules",
        f"{module_count(bom):,}",
        f"pieces without spares; {summary.transceivers:,} counted one per link end with a module",
    )
    if plan.roles:
        total = sum(len(face_ports(plan, role)) * plan.switch_count(role) for role in plan.roles)
        used = 2 * plan.links - plan.link_count(LinkKind.HOST)
        yield KeyFigure(
            "spare_ports",
            "spare ports",
            f"{total - used:,}",
            f"{total:,} ports of switches, {used:,} in use",
        )
    cost = summary.cost
    missing = f"; no price for {', '.join(cost.unpriced)}" if cost.unpriced else ""
    paid = money_text(bom.cost())
    value = f"{cost.currency} {grouped(paid)}" if paid else UNKNOWN
    yield KeyFigure("cost", "cost", value, f"by {cost.book}{missing}")


def _media(plan: Plan, bom: Bom) -> str:
    """Count pieces of cable by medium."""
    media = {cable.model: cable.medium for cable in plan.catalog.cables()}
    counts: dict[str, int] = {}
    for line in bom.lines:
        if line.part_class == "cables":
            medium = media.get(line.part) or line.purposes[0][0]
            counts[medium] = counts.get(medium, 0) + line.quantity
    return ", ".join(f"{count:,} {medium}" for medium, count in counts.items())


def _room(summary: PlanSummary) -> Iterator[KeyFigure]:
    """Yield the figures of the room, without hosts."""
    most = summary.power_max_w
    at_most = "" if most is None else f", and {_text(most, 'W')} at most"
    notes = {
        "power_w": f"typical, without hosts{at_most}",
        "rack_units": "of switches",
        "weight_kg": "of switches",
    }
    for key, label, value, unit in (
        ("power_w", "power", summary.power_w, "W"),
        ("rack_units", "rack units", summary.rack_units, ""),
        ("weight_kg", "weight", summary.weight_kg, "kg"),
    ):
        if summary.topology and notes[key] == "of switches":
            continue
        unknown = summary.unknown.get(key)
        note = f"not published for {', '.join(unknown)}" if unknown else notes[key]
        yield KeyFigure(key, label, _text(value, unit), note)


def _text(value: float | None, unit: str) -> str:
    """Format an amount."""
    return UNKNOWN if value is None else f"{value:,.10g} {unit}".strip()
