"""What a build starts from, and what the tasks of several groups read.

Owns `BuildContext`, and `per_build`, by which a group keeps values of its own for its tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from fabricgen.analysis.checks.laws import judge, judge_networks
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.build.selection import BuildScope, GroupSelection, SheetOptions, lacks_switches
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.rendered_texts import RenderedTexts
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.law import CheckResult
    from fabricgen.analysis.forwarding.tables import ForwardingTables
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.breakdown import RackContents
    from fabricgen.bom.comparison import Comparison
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.power_cords import PowerPlan

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class BuildContext:
    """The plan of one build, its packs, and what is wanted.

    With a `scope`, only the files and tables of its switches and GPUs are written; documents are of
    the whole fabric, and topologies are left out. The properties are made when they are first read,
    because most builds need a few of them, and once, because each takes seconds of a large fabric:
    worker processes inherit what was made before they were forked.
    """

    plan: Plan
    packs: Packs
    selection: GroupSelection = field(default_factory=GroupSelection)
    scope: BuildScope | None = None
    """What the files of switches, hosts and GPUs are limited to; None for the whole fabric."""
    sheet_options: SheetOptions = field(default_factory=SheetOptions)
    texts: RenderedTexts = field(default_factory=RenderedTexts, repr=False)
    """The texts of files that other files contain."""
    made: dict[Callable[[BuildContext], Any], Any] = field(default_factory=dict, repr=False)
    """What functions marked `per_build` returned."""

    @property
    def groups(self) -> list[str]:
        """The selected groups that fit the fabric.

        Those of `management` are written only if the inventory has it, and those of packet switches
        only if leaves are packet switches.
        """
        managed = self.plan.management is not None
        return [
            name
            for name in self.selection.groups
            if (managed or not GROUPS[name].managed) and not lacks_switches(self.plan, name)
        ]

    @cached_property
    def networks(self) -> dict[str, BuildContext]:
        """The contexts of the networks beside the compute fabric; within a scope, those it has."""
        scopes = self.scope.networks if self.scope else dict.fromkeys(self.plan.networks)
        return {
            name: BuildContext(
                plan,
                self.packs,
                self.selection,
                scope=scopes[name],
                sheet_options=self.sheet_options,
            )
            for name, plan in self.plan.networks.items()
            if name in scopes
        }

    @property
    def each(self) -> list[BuildContext]:
        """The contexts whose cables one list has: this one, and those of the networks."""
        return [self, *self.networks.values()]

    @cached_property
    def views(self) -> Views:
        """The views of the plan."""
        return Views(self.plan, kept=True)

    @cached_property
    def bom(self) -> Bom:
        """The bill of the compute fabric."""
        return make_bom(self.plan)

    @cached_property
    def bill(self) -> Bom:
        """The bill of the compute fabric and all networks."""
        if not self.plan.networks:
            return self.bom
        from fabricgen.bom.cluster_bill import cluster_bom

        return cluster_bom(self.plan)

    @cached_property
    def comparison(self) -> Comparison:
        """The three designs of this cluster, each as a new fabric."""
        from fabricgen.bom.comparison import compare

        known = None if self.plan.mapping.baseline else (self.plan, self.bom)
        return compare(self.plan.spec, self.plan.catalog, known)

    @cached_property
    def racks(self) -> dict[str, RackContents]:
        """The parts of each rack."""
        from fabricgen.bom.breakdown.breakdown import racks_of

        return racks_of(self.plan)

    @cached_property
    def cluster_racks(self) -> dict[str, RackContents]:
        """The parts of each rack, with those of all networks."""
        from fabricgen.bom.breakdown.cluster_racks import cluster_racks

        return cluster_racks(self.plan, self.racks)

    @cached_property
    def check_report(self) -> CheckResult:
        """The verdict of each law on the plan."""
        evidence = evidence_of(self.plan, self.views, self.bom)
        result = judge(
            replace(evidence, racks=lambda: {name: rack.parts for name, rack in self.racks.items()})
        )
        views = {name: own.views for name, own in self.networks.items()}
        return judge_networks(result, self.plan, lambda _: self.power, views)

    @cached_property
    def power(self) -> PowerPlan | None:
        """The PDUs and the power cords of all devices; None where no PDU is known."""
        from fabricgen.planning.power_cords import plan_power

        return plan_power(self.plan)

    @cached_property
    def tables(self) -> ForwardingTables:
        """The forwarding tables of the plan."""
        from fabricgen.analysis.forwarding.tables import ForwardingTables

        return ForwardingTables(self.plan, self.views)


def per_build(make: Callable[[BuildContext], T]) -> Callable[[BuildContext], T]:
    """Make what a function returns once for each build, because the tasks of a group share it."""

    @wraps(make)
    def made(context: BuildContext) -> T:
        if made not in context.made:
            context.made[made] = make(context)
        found: T = context.made[made]
        return found

    return made
