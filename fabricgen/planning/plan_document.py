"""What a plan file holds: enough to make the same plan again, and to see whether it is the same.

Owns `fabricgen-plan/1`. Reading one belongs to `inventory.load`; what it keeps of another plan, to
`baseline`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabricgen import __version__
from fabricgen.core.terms import Design
from fabricgen.planning.addressing import address_text
from fabricgen.planning.baseline.baseline import Baseline, Slices
from fabricgen.planning.kept_addresses import passed_over
from fabricgen.planning.override_texts import override_texts

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def plan_document(plan: Plan, summary: dict[str, Any]) -> dict[str, Any]:
    """Return what a plan file holds.

    The summary, the inventory with every default, a digest of the wiring, and the baseline.
    """
    baseline = _kept(plan)
    return {
        "format": "fabricgen-plan/1",
        "version": __version__,
        **summary,
        "wiring_sha256": plan.digest(),
        "inventory": _inventory(plan),
        **({"kept": baseline.document()} if baseline else {}),
    }


def _inventory(plan: Plan) -> dict[str, Any]:
    """Return the inventory, with the texts of overrides instead of the files that have them."""
    inventory = plan.spec.model_dump(mode="json", exclude_none=True)
    inventory.pop("leaf_ports", None)
    if (kept := kept_leaf_ports(plan)) != "widest":
        inventory["leaf_ports"] = kept
        if (
            plan.fabric.design is Design.RAIL_OPTIMIZED and ":" in kept
        ):  # `auto` depends on the ports of a leaf
            inventory["rails"]["per_switch"] = plan.mapping.per_switch
    for own in override_texts(plan):
        entry = inventory["overrides"][own.number]
        entry.pop("file", None)
        entry["text"] = own.text
    if asked := plan.spec.management:
        skipped = asked.skip if asked.skip is not None else map(address_text, passed_over(plan))
        inventory["management"].pop("skip", None)
        if listed := [*map(str, skipped)]:
            inventory["management"]["skip"] = listed
    return inventory


def kept_leaf_ports(plan: Plan) -> str:
    """Return the `leaf_ports` with which a plan that grows keeps its leaves."""
    spec, sizing = plan.spec, plan.sizing
    if spec.leaf_ports == "widest" or not spec.oversubscribed:
        return "widest"
    ruled = spec.oversubscription > 1 and sizing.tiers > 1
    return f"{sizing.leaf_down}:{sizing.leaf_up}" if ruled else spec.leaf_ports


def _kept(plan: Plan) -> Baseline | None:
    """Return the baseline of a plan file, which holds a table of positions as well.

    The table beside the inventory may change after the plan was saved.
    """
    baseline, site = plan.mapping.baseline, plan.spec.site
    if not (site and site.positions and plan.lengths):
        return baseline
    slices = Slices(plan.addresses.hosts.size, plan.addresses.loopbacks.size)
    baseline = baseline or Baseline(stages=plan.mapping.stages, digits={}, slices=slices)
    return replace(baseline, positions=plan.lengths.room.positions, table=site.positions)
