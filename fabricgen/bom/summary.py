"""The figures of a plan under the keys that scripts rely on, and of its designs side by side.

Owns `plan --json` and `compare --json`. Other modules count; this one names the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.bom.bill import CLASSES, Bom, make_bom
from fabricgen.bom.loads import loads_of
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import Design, LinkKind, Role, ratio_text
from fabricgen.planning.plan import Plan, make_plan

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec

COMPARED = (Design.RAIL_ONLY, Design.RAIL_OPTIMIZED, Design.FAT_TREE)


def summarize(plan: Plan, bom: Bom) -> dict[str, Any]:
    """Return the summary of a plan, ready for JSON.

    A *cable* is a piece, as the bill counts it. A *transceiver* is one per link end that is in a
    module, none at copper; the bill counts modules.
    """
    fabric, sizing = plan.fabric, plan.sizing
    switches = {role.value: plan.switch_count(role) for role in Role}
    links = {kind.key: plan.link_count(kind) for kind in LinkKind}
    total = sum(links.values())
    blocks = plan.mapping.segments * plan.mapping.segment_blocks
    return {
        "name": plan.spec.name,
        "design": fabric.design.value,
        "gpus": fabric.gpus,
        "hb_domains": fabric.coordinates.domains,
        "rails": fabric.rails,
        "planes": fabric.planes,
        "tiers": sizing.tiers,
        "radix": fabric.port_layouts[Role.LEAF].radix,
        "switches": {**switches, "total": sum(switches.values())},
        "per_block": {
            "endpoints": links["host"] // blocks,
            **{
                key: getattr(sizing, key)
                for key in (
                    "leaf",
                    "spine",
                    "core",
                    "leaf_down",
                    "leaf_up",
                    "spine_down",
                    "spine_up",
                    "core_down",
                )
            },
        },
        "blocks": blocks,
        "links": {**links, "total": total},
        "cables": {"total": plan.cables},
        "longest_cable_m": _longest_m(plan),
        "room": plan.lengths and ("generated" if plan.lengths.room.generated else "site"),
        "transceivers": plan.module_ends,
        "cost": cost(bom),
        "power_w": number(bom.power_w),
        **_loads(plan, bom),
        "oversubscription": ratio_text(plan.spec.oversubscription),
    }


def _longest_m(plan: Plan) -> int | float | None:
    """Return the stock length of the longest cable in metres; None where no lengths are planned."""
    return (
        number(Decimal(max(longest.stock_mm for longest in plan.lengths.longest.values())) / 1000)
        if plan.lengths
        else None
    )


def _loads(plan: Plan, bom: Bom) -> dict[str, Any]:
    """Return the loads of the fabric without hosts; null where a part's fact is `unknown`."""
    load = loads_of(plan, bom).total
    heat = None if load.heat_btu_h is None else round(float(load.heat_btu_h), 1)
    known = {
        key: None if value is None else number(float(value))
        for key, value in zip(load._fields[1:-1], load[1:-1], strict=True)
    }
    return {
        "power_max_w": known["power_max_w"],
        "heat_btu_h": number(heat),
        "weight_kg": known["weight_kg"],
        "rack_units": known["rack_units"],
        "unknown": {key: list(names) for key, names in load.unknown.items()},
    }


def cost(bom: Bom) -> dict[str, Any]:
    """Return the cost of a bill by class of parts; a class without any price is null."""
    classes: dict[str, int | float | None] = {
        name: number(bom.cost(name))
        for name in CLASSES
        if name != "nics" or bom.cost(name) is not None
    }
    totals = {
        "currency": bom.book.currency,
        "book": bom.book.name,
        **classes,
        "total": number(bom.cost()),
        "unpriced": bom.unpriced,
    }
    exchange = bom.terms.asked.exchange
    paid = (
        {"from": bom.terms.book_currency, "rate": float(exchange.rate), "date": str(exchange.date)}
        if exchange
        else None
    )
    off = {line.part_class: float(line.discount_pct) for line in bom.lines if line.discount_pct}
    return totals | ({"discount_pct": off} if off else {}) | ({"exchange": paid} if paid else {})


def number(value: Decimal | float | None) -> int | float | None:
    """Return a plain number for JSON, an int where it is whole."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)


@dataclass(frozen=True)
class Comparison:
    """One cluster in each design that can hold it, and why the others cannot.

    Rail-only comes first, and the fat-tree last.
    """

    built: tuple[tuple[Plan, Bom], ...]
    refused: tuple[tuple[Design, Finding], ...]

    @cached_property
    def summaries(self) -> list[dict[str, Any]]:
        """The summaries of the designs that were built."""
        return [summarize(plan, bom) for plan, bom in self.built]

    @cached_property
    def savings(self) -> dict[str, float | None]:
        """The per cent that rail-only saves against the fat-tree, to one decimal, or None."""
        return self.savings_against(Design.FAT_TREE)

    def savings_against(self, design: Design) -> dict[str, float | None]:
        """Return what rail-only saves against a design, as `savings` does."""
        ours, baseline = self.summary_of(Design.RAIL_ONLY), self.summary_of(design)
        figures = {
            "cost_pct": ("cost", "total"),
            "power_pct": ("power_w",),
            "switches_pct": ("switches", "total"),
            "transceivers_pct": ("transceivers",),
        }
        return {
            key: saving_pct(figure_at(ours, path), figure_at(baseline, path))
            for key, path in figures.items()
        }

    def summary_of(self, design: Design) -> dict[str, Any]:
        """Return the summary of a design; empty where it could not be built."""
        return next((summary for summary in self.summaries if summary["design"] == design), {})

    def document(self) -> dict[str, Any]:
        """Return `compare --json`."""
        refused = [
            {"design": design.value, "code": finding.code, "fact": finding.fact}
            for design, finding in self.refused
        ]
        against = {design.value: self.savings_against(design) for design in COMPARED[1:]}
        return {
            "designs": self.summaries,
            "savings": self.savings,
            "savings_against": against,
            "refused": refused,
        }


def compare(
    spec: FabricSpec, catalog: Catalog, known: tuple[Plan, Bom] | None = None
) -> Comparison:
    """Plan the same cluster in each design, except the one that is `known`.

    Raises the Refusal of the design that was asked for where not one can be built.
    """
    built: list[tuple[Plan, Bom]] = []
    refused: list[tuple[Design, Finding]] = []
    asked: Refusal | None = None
    for design in COMPARED:
        if known and design is known[0].fabric.design:
            built.append(known)
            continue
        try:
            plan = plan_as(spec, design, catalog)
        except Refusal as refusal:
            refused.append((design, refusal.findings[0]))
            asked = refusal if design is spec.design else asked
        else:
            built.append((plan, make_bom(plan)))
    if asked and not built:
        raise asked
    return Comparison(tuple(built), tuple(refused))


def plan_as(spec: FabricSpec, design: Design, catalog: Catalog) -> Plan:
    """Plan the same cluster in a design. Raises Refusal where it cannot be built.

    In a described room the same rules place every design, so that all choose parts by the same
    lengths; a design that does not fit the room is planned in a generated one, with parts of an
    assumed reach.
    """
    wanted = as_design(spec, design)
    try:
        return make_plan(wanted, catalog)
    except Refusal:
        if design is spec.design or wanted.site is None:
            raise
    return make_plan(wanted.model_copy(update={"site": None}), catalog)


def as_design(spec: FabricSpec, design: Design) -> FabricSpec:
    """Return the inventory with another design.

    It takes as few tiers as it needs; a fat-tree has no rails, so none share a switch.

    Positions and measured lengths are of the design that was asked for; another one fills the same
    racks and as many rows as it takes.
    """
    if design is spec.design:
        return spec
    changes = {"tiers": "auto"} | ({"per_switch": 1} if design is Design.FAT_TREE else {})
    site = spec.site and spec.site.model_copy(
        update={"positions": None, "measured_m": {}, "halls": None, "rows": None}
    )
    return spec.model_copy(
        update={"design": design, "rails": spec.rails.model_copy(update=changes), "site": site}
    )


def figure_at(summary: dict[str, Any], path: tuple[str, ...]) -> int | float | None:
    """Follow a path into a summary; None where it ends early or at null.

    >>> figure_at({"switches": {"leaf": 4}}, ("switches", "leaf"))
    4
    """
    value: Any = summary
    for key in path:
        value = (value or {}).get(key)
    return value if isinstance(value, int | float) else None


def saving_pct(ours: float | None, baseline: float | None) -> float | None:
    """Return by how many per cent `ours` is below the baseline."""
    return round(100 * (1 - ours / baseline), 1) if baseline and ours is not None else None
