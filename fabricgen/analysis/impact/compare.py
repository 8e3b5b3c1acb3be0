"""The same failure in another design of the same inventory.

Owns which part corresponds to which. A leaf corresponds to the leaf of the same first GPU on the
same plane, a spine or core to the first of its role, a cable between switches to the first uplink
of the switch that corresponds to its lower end, a cable between hosts to the NIC port there. What
has a name in every design (GPU, NIC, host, HB domain, plane, rail) corresponds to itself, and
nothing to a rack.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.measure import impact
from fabricgen.analysis.impact.network_loss import NetworkFailures
from fabricgen.analysis.impact.replacement import Replacement, replacements
from fabricgen.analysis.impact.surviving import SurvivingFabric
from fabricgen.bom.comparison import plan_as
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.document import Document, plain
from fabricgen.core.terms import Design, LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.impact.measure import Impact
    from fabricgen.analysis.impact.network_loss import NetworkLoss
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class Counterpart(Document):
    """The impact of the corresponding failure in another design, or why there is none."""

    design: str
    impact: Impact | None
    missing: str = ""

    def document(self) -> dict[str, Any]:
        """Return `compared` of `impact --json`."""
        figures = self.impact.document() if self.impact else {"missing": self.missing}
        return {"design": self.design} | figures


@dataclass(frozen=True)
class ComparedImpact(Document):
    """What a failure takes, beside its counterpart in another design: `impact --fail --json`."""

    impact: Impact
    compared: Counterpart | None
    networks: tuple[NetworkLoss, ...] | None = None
    """What the networks lose; None where all that failed is of the compute fabric."""
    replacements: tuple[Replacement, ...] = ()
    """What replaces the failed parts among the spares of the inventory; empty without `spare`."""

    def document(self) -> dict[str, Any]:
        """Return the figures of the failure, of its counterpart, and of the networks."""
        compared = {"compared": self.compared.document()} if self.compared else {}
        networks = {} if self.networks is None else {"networks": plain(self.networks)}
        replaced = {"replacements": plain(self.replacements)} if self.replacements else {}
        return self.impact.document() | compared | networks | replaced


def cluster_impact(plan: Plan, names: Sequence[str], *, compared: bool) -> ComparedImpact:
    """Return what is lost when parts of compute or of its networks fail, and the counterpart.

    Raises Refusal for a name that the plan does not have.
    """
    own, lost = NetworkFailures(plan).split(names)
    found = replace(impact(plan, own), failed=list(names))
    counterpart = compare(plan, own) if compared and own else None
    return ComparedImpact(found, counterpart, lost, replacements(plan, own))


def compare(plan: Plan, names: Sequence[str]) -> Counterpart:
    """Return the impact of the corresponding failures in another design.

    It is the rail-optimized design, or rail-only where the plan is not.
    """
    design = Design.RAIL_OPTIMIZED if plan.fabric.design is Design.RAIL_ONLY else Design.RAIL_ONLY
    try:
        other = plan_as(plan.spec, design, plan.catalog)
    except Refusal as refusal:
        finding = refusal.findings[0]
        why = f"it cannot be built: {finding.fact} [{finding.code}]"
        return Counterpart(design.value, None, why)
    found = [(name, corresponding(plan, other, name)) for name in names]
    lacking = [name for name, answer in found if answer is None]
    if lacking:
        return Counterpart(design.value, None, f"it has nothing like {', '.join(lacking)}")
    return Counterpart(design.value, impact(other, [answer for _, answer in found if answer]))


def corresponding(plan: Plan, other: Plan, name: str) -> str | None:
    """Return the name of the part of another design that corresponds to a part of the plan.

    It is None if there is no such part.
    """
    failures = find_failures(plan, [name])
    kind = name.partition(":")[0]
    if kind == "switch":
        ((segment, box),) = failures.switches
        answer = _switch(plan, other, (segment, max(plan.naming.boxes[box].block, 0), box))
        return answer and f"switch:{other.naming.switches(answer[0])[answer[2]]}"
    if kind != "link":
        return name if kind != "rack" else None
    if failures.ports:
        ((gpu, plane),) = failures.ports
        living = SurvivingFabric(Reach(other))
        segment, block = living.reach.home(gpu, plane)
        return _label(other, segment, block, LinkKind.HOST, ("slot", living.reach.slot(gpu)))
    ((segment, row),) = failures.links
    if plan.mapping.topology:
        return f"nic:{_lower_gpu(plan, segment, row)}"
    answer = _switch(
        plan, other, (segment, int(plan.segment.block[row]), int(plan.segment.lower[row]))
    )
    link = LinkKind(plan.segment.kind[row])
    return (
        _label(other, *answer[:2], link, ("lower", answer[2]))
        if answer and link in other.kinds
        else None
    )


def _lower_gpu(plan: Plan, segment: int, row: int) -> str:
    """Name the NIC port at the lower end of a direct link."""
    links, mapping = plan.segment, plan.mapping
    gpu = mapping.lower_gpu(segment, int(links.lower[row]), int(links.block[row]))
    return f"{plan.fabric.coordinates.name(gpu)}/{mapping.plane(segment)}"


def _switch(plan: Plan, other: Plan, place: tuple[int, int, int]) -> tuple[int, int, int] | None:
    """Return the segment, block and box that correspond to those of a switch."""
    segment, block, box = place
    role, plane = plan.naming.boxes[box].role, plan.mapping.plane(segment)
    if role not in other.roles:
        return None
    if role is not Role.LEAF:
        first = other.sizing.leaf + (other.sizing.spine if role is Role.CORE else 0)
        return next(
            (each, 0, first)
            for each in range(other.mapping.segments)
            if other.mapping.plane(each) == plane
        )
    mine, theirs = SurvivingFabric(Reach(plan)), SurvivingFabric(Reach(other))
    scope = plan.mapping.first_rail(segment, block)
    served = np.flatnonzero((mine.scope == scope) & (mine.leaf == box))
    gpu = int(served[0]) if len(served) else 0
    return *theirs.reach.home(gpu, plane), int(theirs.leaf[gpu])


def _label(
    plan: Plan, segment: int, block: int, kind: LinkKind, where: tuple[str, int]
) -> str | None:
    """Return the label of a block's first cable of a kind with a value in a column."""
    columns, (column, value) = plan.segment, where
    rows = np.flatnonzero(
        (columns.kind == kind) & (columns.block == block) & (getattr(columns, column) == value)
    )
    letter = "a" if plan.link_parts[kind].cables > 1 else ""
    return (
        f"link:{plan.label(kind, segment, block)}"
        f"{int(columns.number[rows[0]]):0{plan.label_width}}{letter}"
        if len(rows)
        else None
    )
