"""The first part of a report: everything that does not grow with the fabric.

Owns `Page` of the model, and the notes on what the report leaves out. `key_figures`, `bom` and the
other modules beside make its sections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen import __version__
from fabricgen.analysis.forwarding.relay_rules import KINDS, relay_order
from fabricgen.bom.ownership import cost_of_ownership
from fabricgen.bom.ownership_tables import ownership_tables
from fabricgen.bom.price_notes import price_notes
from fabricgen.bom.summary import summarize
from fabricgen.core.colours import HUES
from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.report.bom import bill, charts, refused
from fabricgen.outputs.report.decision import decision, editions
from fabricgen.outputs.report.drawings import network_names, stripe_names
from fabricgen.outputs.report.faceplates import faces
from fabricgen.outputs.report.iteration import iteration
from fabricgen.outputs.report.key_figures import figures, headline
from fabricgen.outputs.report.networks import networks
from fabricgen.outputs.report.tables import MOST_CABLES, shown_segments, shows_networks
from fabricgen.planning.notices import advice, room_guesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Comparison
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.outputs.drawings.build import Drawings
    from fabricgen.planning.plan import Plan

FORMAT = 1
"""The version of what the page reads."""


@dataclass(frozen=True)
class Paged:
    """The sources of a page."""

    plan: Plan
    bom: Bom
    bill: Bom
    """The bill of the compute fabric and all networks."""
    comparison: Comparison
    drawings: Drawings
    notes: tuple[str, ...] = ()


def page(paged: Paged) -> dict[str, Any]:
    """Return `Page` of the model."""
    plan, summary = paged.plan, summarize(paged.plan, paged.bom)
    owned = cost_of_ownership(paged.comparison) if plan.spec.ownership else None
    room = plan.lengths.room if plan.lengths else None
    return {
        "format": FORMAT,
        "fabric": plan.spec.name,
        "version": __version__,
        "design": plan.fabric.design.value,
        "headline": headline(plan, summary),
        "editions": editions(plan, paged.bill),
        "decision": [
            answer._asdict() for answer in decision(plan, paged.bill, paged.comparison, owned)
        ],
        "figures": [figure._asdict() for figure in figures(plan, paged.bom, summary)],
        "notes": [
            *paged.notes,
            *room_guesses(plan),
            *_unpriced(paged),
            *advice(plan),
            *price_notes(plan),
            *_left_out(paged),
        ],
        "charts": charts(paged.comparison),
        "refused": refused(paged.comparison),
        "bill": bill(paged.bill, plan),
        "inventory": inventory_text(plan.spec),
        "counts": _counts(plan, summary),
        "spans_rails": plan.mapping.spans_rails,
        "relays": _relays(plan),
        "tiers": plan.sizing.tiers,
        "colours": [hue._asdict() for hue in HUES],
        "faces": faces(plan),
        "rack_units": room.site.rack.units if room else 0,
        "drawings": {
            "rails": list(paged.drawings.rails),
            "stripes": stripe_names(paged.drawings),
            "networks": network_names(plan),
        },
        "networks": networks(plan, paged.bom, paged.bill),
        "iteration": iteration(plan),
        "ownership": owned and ownership_tables(owned).document(),
    }


def _relays(plan: Plan) -> dict[str, Any]:
    """Return `RelayOrder` of the model."""
    order = relay_order(plan.fabric, spans_rails=plan.mapping.spans_rails)
    return {"exits": order.exits, "landings": order.landings, "kinds": KINDS}


def _counts(plan: Plan, summary: PlanSummary) -> dict[str, int]:
    """Return `counts` of the model."""
    fabric = plan.fabric
    held = plan.cluster if shows_networks(plan) else [plan]
    return {
        "gpus": fabric.gpus,
        "domain_gpus": fabric.domain_gpus,
        "rails": fabric.rails,
        "planes": fabric.planes,
        "hosts": len(plan.hosts),
        "switches": summary.switches.total,
        "cables": sum(own.cables for own in held),
        "links": sum(own.links for own in held),
        "rows": sum(own.rows for own in held),
        "host_gpus": fabric.host_gpus,
    }


def _unpriced(paged: Paged) -> Iterator[str]:
    """Yield notes on parts without a price."""
    if paged.bill.unpriced:
        yield f"no price, excluded from totals: {', '.join(paged.bill.unpriced)}"


def _left_out(paged: Paged) -> Iterator[str]:
    """Yield notes on what the report is too small for."""
    plan, segments = paged.plan, shown_segments(paged.plan)
    if segments < plan.mapping.segments:
        shown = (
            f"those of the first {segments:,} of {plan.mapping.segments:,} units, which are alike"
            if segments
            else "none"
        )
        yield (
            f"of {plan.cables:,} cables this page holds {shown}, for it has room for"
            f" {MOST_CABLES:,}; all are in cabling/cables.csv"
        )
    if plan.networks and not shows_networks(plan):
        yield "the cables and devices of networks are not on this page; they are in cabling/"
    drawn, every = len(stripe_names(paged.drawings)), len(paged.drawings.stripes)
    if drawn < every:
        yield (
            f"the first {drawn:,} of {every:,} stripes are drawn, which are alike; `fabricgen build"
            " --only drawings` draws every one"
        )
