"""One cluster on rails of several media, side by side: packet switches, light, and cables alone.

Each is planned from the same inventory with another leaf. A small any-to-any network on top of the
rails is a rail-optimized fabric whose leaves are oversubscribed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.circuits.times import circuit_times
from fabricgen.analysis.search.part_counts import endpoints
from fabricgen.analysis.search.score import carried_share, times_of
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.analysis.workload.direct_rails import direct_times, over_direct_rails
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.bom.comparison import over_packets
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.document import Document
from fabricgen.core.terms import Design, ratio_text
from fabricgen.inventory.sizing import SwitchChoice, Switches
from fabricgen.planning.circuit_conflicts import medium_of
from fabricgen.planning.plan import make_plan
from fabricgen.planning.switch_choice import unknown_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.sizing import Spare
    from fabricgen.planning.plan import Plan

DIRECT = "direct"
"""What `--rails` calls rails of cables alone."""


@dataclass(frozen=True, kw_only=True)
class RailFigures(Document):
    """The figures of a cluster on rails of one medium; None where one is not known.

    `refused` has the reason where it cannot be built.
    """

    rails: str
    medium: str
    refused: str | None = None
    switches: int | None = None
    cables: int | None = None
    transceivers: int | None = None
    cost: float | None = None
    unpriced: tuple[str, ...] = ()
    power_w: float | None = None
    unknown_power: tuple[str, ...] = ()
    iteration_s: float | None = None
    not_timed: str | None = None
    bandwidth_lost_pct: float | None = None
    gpus_cut_off: int | None = None
    any_to_any: bool = False
    """Whether switches join GPUs of two rails."""


@dataclass(frozen=True)
class RailComparison(Document):
    """One cluster on rails of several media."""

    name: str
    gpus: int
    currency: str
    book: str
    rails: tuple[RailFigures, ...]


def side_by_side(
    spec: FabricSpec,
    catalog: Catalog,
    models: Iterable[str],
    top: Fraction | None = None,
    llm: Workload | None = None,
) -> RailComparison:
    """Plan a cluster on rails of each model.

    With `top`, packet switches are planned a second time, with a tier that joins the rails at that
    oversubscription. Raises Refusal `unknown-model`.
    """
    rows: list[RailFigures] = []
    book = ("", "")
    for words, wanted in _variants(spec.without_networks(), catalog, [*models], top):
        try:
            plan = make_plan(wanted, catalog)
        except Refusal as refusal:
            fact = refusal.findings[0].fact
            rows.append(RailFigures(rails=words, medium=wanted.rails.medium, refused=fact))
            continue
        rows.append(_figures(words, plan, llm))
        bom = make_bom(plan)
        book = bom.book.currency, bom.book.name
    return RailComparison(spec.name, spec.gpus, *book, tuple(rows))


def _variants(
    spec: FabricSpec, catalog: Catalog, models: list[str], top: Fraction | None
) -> Iterator[tuple[str, FabricSpec]]:
    """Yield the inventory with each leaf, and the words for it."""
    packet: Switches | None = None
    for name in models:
        if name == DIRECT:
            yield name, _on(spec, DIRECT, packet or spec.switches)
            continue
        model = catalog.switch(name)
        if model is None:
            raise Refusal([unknown_model("switches", name, (), catalog)])
        switches, medium = Switches(leaf=SwitchChoice(model=name)), medium_of(model)
        yield name, _on(spec, medium, switches)
        if medium == "packet":
            packet = packet or switches
            if top is not None:
                wide = {
                    "design": Design.RAIL_OPTIMIZED,
                    "oversubscription": top,
                    "spare": _without_leaves(spec),
                }
                words = f"{name}, any-to-any {ratio_text(top)}"
                yield words, _on(spec, medium, switches).model_copy(update=wide)


def _on(spec: FabricSpec, medium: str, switches: Switches) -> FabricSpec:
    """Return the inventory as rail-only on other boxes."""
    own = spec if medium == DIRECT else over_packets(spec)
    changes = {"medium": medium, "tiers": "auto", "per_switch": 1, "grouping": "adjacent"}
    spare = _without_leaves(spec) if medium == DIRECT else spec.spare
    return own.model_copy(
        update={
            "design": Design.RAIL_ONLY,
            "rails": own.rails.model_copy(update=changes),
            "switches": switches,
            "spare": spare,
            "site": None,
            "leaf_ports": spec.leaf_rule,
        }
    )


def _without_leaves(spec: FabricSpec) -> Spare:
    """Return the spares of an inventory without leaves of a rail."""
    return spec.spare.model_copy(update={"leaves_per_rail": 0})


def _figures(words: str, plan: Plan, llm: Workload | None) -> RailFigures:
    """Return the figures of a plan."""
    bom = make_bom(plan)
    summary = summarize(plan, bom)
    cables_alone = plan.spec.rails.medium == DIRECT
    lost = None if cables_alone else worst(plan)
    iteration, reason = _iteration(plan, llm)
    return RailFigures(
        rails=words,
        medium=plan.spec.rails.medium,
        switches=summary.switches.total,
        cables=plan.cables,
        transceivers=summary.transceivers,
        cost=summary.cost.total,
        unpriced=tuple(bom.unpriced),
        power_w=summary.power_w,
        unknown_power=tuple(bom.unknown_power),
        iteration_s=iteration,
        not_timed=reason,
        bandwidth_lost_pct=lost.bandwidth_lost_pct if lost else None,
        gpus_cut_off=lost.gpus_cut_off if lost else None,
        any_to_any=plan.mapping.spans_rails,
    )


def _iteration(plan: Plan, llm: Workload | None) -> tuple[float | None, str | None]:
    """Return the time of an iteration, or why it is not known."""
    if llm is None:
        return None, None
    try:
        if plan.mapping.topology:
            machine = machine_of(plan.fabric, plan.catalog)
            direct = over_direct_rails(machine, plan, llm.pipeline_stages)
            return direct_times(direct, plan, llm).iteration_s, None
        share = carried_share(plan, endpoints(plan))
        times = times_of(plan.fabric, share, plan.catalog, llm, None)
        if times and plan.fabric.has_circuits:
            machine = machine_of(plan.fabric, plan.catalog)
            times = circuit_times(plan, llm, machine, times)
    except Refusal as refusal:
        return None, refusal.findings[0].fact
    return (times.iteration_s if times else None), None
