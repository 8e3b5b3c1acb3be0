"""The ways to grow a fabric to its last phase by GPUs: what each phase buys, and what it moves.

Owns `ways_to_grow`. Every phase is planned from the one before by `expand.grow`, so that installed
cables stay where that is possible; the ways differ in what they reserve, and when.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.bom.bill import Bom
from fabricgen.bom.cluster_bill import bill_of
from fabricgen.bom.counts import part_of
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.inventory.sizing import Reserve
from fabricgen.lifecycle.change.expand import grow, pinned
from fabricgen.lifecycle.change.growth import Growth, growth
from fabricgen.lifecycle.change.phase_sizes import gpu_sizes, with_rest
from fabricgen.lifecycle.change.purchases import (
    installed_items,
    items_bought,
    items_left_over,
    priced_items,
)
from fabricgen.planning.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.diagnostics import Finding
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.plan import Plan

WayName = Literal["reserve-now", "grow-later", "spines-later"]


class GrowthPhase(NamedTuple):
    """One phase of a way; `parts` are bought in it, without spares."""

    name: str
    before: Plan | None
    """The plan that is installed before it; None for the first phase of a new fabric."""
    plan: Plan
    bom: Bom
    parts: dict[str, int]
    cost: Decimal | None
    unpriced: tuple[str, ...]
    growth: Growth | None
    """What happens to the installed cables; None in the first phase of a new fabric."""

    @property
    def cables(self) -> int:
        """The cables that are bought."""
        models = {joint.cable.model for own in self.plan.cluster for joint in own.candidates}
        return sum(count for item, count in self.parts.items() if part_of(item) in models)


@dataclass(frozen=True)
class Way:
    """A way to the last phase, phase by phase."""

    name: WayName
    phases: tuple[GrowthPhase, ...]

    @property
    def moved(self) -> int:
        """The cables that move in all phases."""
        return sum(phase.growth.moved_in_all for phase in self.phases if phase.growth)

    @property
    def changed(self) -> list[str]:
        """The numbers of installed devices that change in any phase."""
        return [text for phase in self.phases if phase.growth for text in phase.growth.changed]

    @cached_property
    def left_over(self) -> dict[str, int]:
        """Parts that were bought and that the last phase does not use."""
        first, last = self.phases[0], self.phases[-1]
        owned = installed_items(bill_of(first.before)) if first.before else Counter[str]()
        bought = sum((Counter(phase.parts) for phase in self.phases), owned)
        return dict(items_left_over(last.plan, last.bom, bought))

    @property
    def bom(self) -> Bom:
        """The bill of the last phase, with a line for each part that is left over."""
        last = self.phases[-1].bom
        known = {line.item for line in last.lines}
        others = {
            line.item: replace(line, purposes=(), quantity=0, spares=0)
            for phase in self.phases
            for line in phase.bom.lines
            if line.item not in known
        }
        return Bom((*last.lines, *others.values()), last.book, last.terms)


@dataclass(frozen=True)
class Ways:
    """The ways that can be planned, and why the others cannot."""

    found: tuple[Way, ...]
    refused: tuple[tuple[WayName, Finding], ...]

    @cached_property
    def recommended(self) -> Way:
        """The way that moves the fewest cables, and of these the one that costs the least.

        Of ways with equal sums in the end, the one whose first phases are the cheapest.
        """
        return min(self.found, key=_order)


def _order(way: Way) -> tuple[int, Decimal, list[Decimal], list[int], int]:
    """Return the figures by which ways are ordered."""
    costs = list(accumulate(phase.cost or Decimal(0) for phase in way.phases))
    switches = [installed_switches(phase.plan) for phase in way.phases]
    return way.moved, costs[-1], costs, switches, len(way.changed)


def installed_switches(plan: Plan) -> int:
    """Count the installed switches of a plan and its networks."""
    return sum(own.switch_count(role) for own in plan.cluster for role in own.roles)


def ways_to_grow(spec: FabricSpec, catalog: Catalog, installed: Plan | None = None) -> Ways:
    """Plan the phases by GPUs of an inventory in each way, from what is installed.

    Raises Refusal `bad-phases`, or where the size of the last phase cannot be planned.
    """
    sizes = _to_come(gpu_sizes(spec), installed)
    steps = _Steps(spec, catalog, plan_of_end(spec, catalog))
    found: list[Way] = []
    refused: list[tuple[WayName, Finding]] = []
    for name, step in steps.by_way().items():
        try:
            found.append(_way(name, sizes, step, installed))
        except Refusal as refusal:
            refused.append((name, refusal.findings[0]))
    if not found:
        raise Refusal([finding for _, finding in refused[:1]])
    return Ways(tuple(found), tuple(refused))


def _to_come(sizes: list[tuple[str, int]], installed: Plan | None) -> list[tuple[str, int]]:
    """Return the phases beyond the installed GPUs. Raises Refusal `bad-phases` for none."""
    gpus = installed.fabric.gpus if installed else 0
    found = [(name, size) for name, size in sizes if size > gpus]
    if not found:
        raise refuse(
            "bad-phases",
            "no phase has more GPUs than are installed",
            path=("phases",),
            because=(f"{gpus} GPUs are installed, and {sizes[-1][1]} are in the last phase",),
            hint="add a phase with more GPUs",
        )
    return found


def plan_of_end(spec: FabricSpec, catalog: Catalog) -> Plan:
    """Plan the last phase, sized for the reserve where that is larger. Raises Refusal."""
    last = gpu_sizes(spec)[-1][1]
    reserved = max(last, spec.reserve.gpus) if spec.reserve else last
    return make_plan(_sized(spec, last, reserved), catalog)


def _sized(spec: FabricSpec, gpus: int, reserved: int | None = None) -> FabricSpec:
    """Return the inventory with other GPUs and another reserve, or none; its phases stay."""
    reserve = Reserve(gpus=reserved) if reserved else None
    phases = with_rest(spec)
    return spec.model_copy(update={"gpus": gpus, "reserve": reserve, "phases": phases})


class _Steps(NamedTuple):
    """How each way plans the next phase: from the plan before, or None, and the GPUs."""

    spec: FabricSpec
    catalog: Catalog
    end: Plan

    def by_way(self) -> dict[WayName, Callable[[Plan | None, int], Plan]]:
        """Return the step of each way, by its name."""
        return {
            "reserve-now": self.reserved,
            "grow-later": self.plain,
            "spines-later": self.spines_later,
        }

    def reserved(self, before: Plan | None, gpus: int) -> Plan:
        """Size and number a phase for the end."""
        return self._planned(before, _sized(self._pinned, gpus, self.end.fabric.planned_gpus))

    def plain(self, before: Plan | None, gpus: int) -> Plan:
        """Size a phase for itself."""
        return self._planned(before, _sized(self.spec, gpus))

    def spines_later(self, before: Plan | None, gpus: int) -> Plan:
        """Size a phase for itself while it can grow to the end without a move, else for the end.

        So a block that is one leaf has no spines, and one that is one pod no cores.
        """
        if before is None or before.spec.reserve is None:
            alone = self._planned(before, _sized(self._pinned, gpus))
            if self._grows_in_place(alone):
                return alone
        return self.reserved(before, gpus)

    @property
    def _pinned(self) -> FabricSpec:
        """The inventory with as many rails on a leaf as in the end, where it leaves that open."""
        return pinned(self.end, self.spec)

    def _planned(self, before: Plan | None, spec: FabricSpec) -> Plan:
        """Plan a phase, from the one before where there is one. Raises Refusal."""
        return grow(before, spec, self.catalog) if before else make_plan(spec, self.catalog)

    def _grows_in_place(self, plan: Plan) -> bool:
        """Return whether a plan can grow to the end without moving a cable."""
        try:
            return growth(plan, grow(plan, self.end.spec, self.catalog)).moved_in_all == 0
        except Refusal:
            return False


def _way(
    name: WayName,
    sizes: list[tuple[str, int]],
    step: Callable[[Plan | None, int], Plan],
    installed: Plan | None,
) -> Way:
    """Plan the phases of a way one after the other. Raises Refusal."""
    phases: list[GrowthPhase] = []
    owned = installed_items(bill_of(installed)) if installed else Counter[str]()
    before = installed
    for title, gpus in sizes:
        plan = step(before, gpus)
        bom = bill_of(plan)
        bought = items_bought(plan, bom, owned)
        owned += bought
        change = growth(before, plan) if before else None
        cost = priced_items(bom, bought)
        phases.append(GrowthPhase(title, before, plan, bom, dict(bought), *cost, change))
        before = plan
    return Way(name, tuple(phases))
