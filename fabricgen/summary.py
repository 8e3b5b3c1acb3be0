"""The numbers of a plan in the keys that scripts rely on, and of its designs side by side.

Owns `plan --json` and `compare --json`. Everything is counted elsewhere; this is where it gets its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.bom import CLASSES, Bom, make_bom
from fabricgen.diagnostics import Finding, Refusal
from fabricgen.planner import Plan, make_plan
from fabricgen.terms import Design, LinkKind, Role, ratio_text

if TYPE_CHECKING:
    from fabricgen.catalog import Catalog
    from fabricgen.spec import FabricSpec

COMPARED = (Design.RAIL_ONLY, Design.RAIL_OPTIMIZED, Design.FAT_TREE)


def summarize(plan: Plan, bom: Bom) -> dict[str, Any]:
    """Return the summary of a plan, ready for JSON. A *transceiver* here is one per link end; the bill counts modules."""
    request, sizing = plan.request, plan.sizing
    switches = {role.value: plan.switch_count(role) for role in Role}
    links = {kind.key: plan.link_count(kind) for kind in LinkKind}
    total = sum(links.values())
    blocks = plan.mapping.units * plan.mapping.unit_blocks
    return {
        "name": plan.spec.name,
        "design": request.design.value,
        "gpus": request.gpus,
        "hb_domains": request.gpus // request.domain_gpus,
        "rails": request.rails,
        "planes": request.planes,
        "tiers": sizing.tiers,
        "radix": request.fronts[Role.LEAF].radix,
        "switches": {**switches, "total": sum(switches.values())},
        "per_block": {
            "endpoints": links["host"] // blocks,
            **{key: getattr(sizing, key) for key in ("leaf", "spine", "core", "leaf_down", "leaf_up", "spine_down", "spine_up", "core_down")},
        },
        "blocks": blocks,
        "links": {**links, "total": total},
        "cables": {"total": plan.cables},
        "longest_cable_m": _longest_m(plan),
        "room": plan.lengths and ("generated" if plan.lengths.room.generated else "site"),
        "transceivers": 2 * total,
        "cost": cost(bom),
        "power_w": number(bom.power_w),
        "oversubscription": ratio_text(plan.spec.oversubscription),
    }


def _longest_m(plan: Plan) -> int | float | None:
    """Return the stock length of the longest cable in metres; None where no lengths are planned."""
    return number(Decimal(max(longest.stock_mm for longest in plan.lengths.longest.values())) / 1000) if plan.lengths else None


def cost(bom: Bom) -> dict[str, Any]:
    """Return the cost of a bill by class of parts; a class without any price is null."""
    classes: dict[str, int | float | None] = {name: number(bom.cost(name)) for name in CLASSES if name != "nics" or bom.cost(name) is not None}
    return {"currency": bom.book.currency, "book": bom.book.name, **classes, "total": number(bom.cost()), "unpriced": bom.unpriced}


def number(value: Decimal | float | None) -> int | float | None:
    """Return a plain number for JSON, an int where it is whole."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)


@dataclass(frozen=True)
class Comparison:
    """One cluster in every design that can hold it, rail-only first and the fat-tree last, and why the others cannot."""

    built: tuple[tuple[Plan, Bom], ...]
    refused: tuple[tuple[Design, Finding], ...]

    @cached_property
    def summaries(self) -> list[dict[str, Any]]:
        """The summaries of the designs that were built."""
        return [summarize(plan, bom) for plan, bom in self.built]

    @cached_property
    def savings(self) -> dict[str, float | None]:
        """What rail-only saves against the fat-tree, in per cent to one decimal; None where one of the two is not known."""
        by_design = {summary["design"]: summary for summary in self.summaries}
        ours, baseline = by_design.get(Design.RAIL_ONLY, {}), by_design.get(Design.FAT_TREE, {})
        figures = {"cost_pct": ("cost", "total"), "power_pct": ("power_w",), "switches_pct": ("switches", "total"), "transceivers_pct": ("transceivers",)}
        return {key: _saving(figure_at(ours, path), figure_at(baseline, path)) for key, path in figures.items()}

    def document(self) -> dict[str, Any]:
        """Return `compare --json`."""
        refused = [{"design": design.value, "code": finding.code, "fact": finding.fact} for design, finding in self.refused]
        return {"designs": self.summaries, "savings": self.savings, "refused": refused}


def compare(spec: FabricSpec, catalog: Catalog) -> Comparison:
    """Plan the same cluster in each design. Raises the Refusal of the design that was asked for where not one can be built."""
    built: list[tuple[Plan, Bom]] = []
    refused: list[tuple[Design, Finding]] = []
    asked: Refusal | None = None
    for design in COMPARED:
        try:
            plan = make_plan(as_design(spec, design), catalog)
        except Refusal as refusal:
            refused.append((design, refusal.findings[0]))
            asked = refusal if design is spec.design else asked
        else:
            built.append((plan, make_bom(plan)))
    if asked and not built:
        raise asked
    return Comparison(tuple(built), tuple(refused))


def as_design(spec: FabricSpec, design: Design) -> FabricSpec:
    """Return the inventory with another design: as few tiers as it needs, and for a fat-tree, which has no rails, none to share a switch.

    The room that is described belongs to the design that was asked for; another one stands in a generated room.
    """
    if design is spec.design:
        return spec
    changes = {"tiers": "auto"} | ({"per_switch": 1} if design is Design.FAT_TREE else {})
    return spec.model_copy(update={"design": design, "rails": spec.rails.model_copy(update=changes), "site": None})


def figure_at(summary: dict[str, Any], path: tuple[str, ...]) -> int | float | None:
    """Follow a path into a summary; None where it ends early, or in nothing.

    >>> figure_at({"switches": {"leaf": 4}}, ("switches", "leaf"))
    4
    """
    value: Any = summary
    for key in path:
        value = (value or {}).get(key)
    return value if isinstance(value, int | float) else None


def _saving(ours: float | None, baseline: float | None) -> float | None:
    """Return by how many per cent `ours` is below the baseline."""
    return round(100 * (1 - ours / baseline), 1) if baseline and ours is not None else None
