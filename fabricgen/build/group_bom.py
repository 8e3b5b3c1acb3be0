"""The group of the bill: its documents, whole and divided, and its workbook.

Owns their tasks, and whether the bill is divided by rack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.breakdown import by_phase, by_rack, by_role
from fabricgen.bom.breakdown.build import division_view, loads_view
from fabricgen.bom.breakdown.savings import savings_view
from fabricgen.bom.comparison_table import comparison_view
from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, adopt, reserve, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.breakdown import RackContents
    from fabricgen.bom.breakdown.view import DivisionView, LoadsView
    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written

DIVISIONS = ("by-role", "by-rack", "by-phase")


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the bill of materials."""
    skipped = _without_racks(context)
    for pack in wanted_packs(context, "bom"):
        for output in pack.outputs:
            if output.each == "by-rack" and skipped:
                yield skipped
            else:
                yield BillDocument(output.path, pack.name, output.template, output.each)
    if context.selection.wants("bom"):
        yield BillBook("bom/bom.xlsx")


@per_build
def phased(context: BuildContext) -> tuple[Bom, dict[str, dict[str, int]]]:
    """Return the bill that phases divide, and the parts that each buys; without phases, one of all.

    Phases by GPUs may go beyond the plan, so their bill is that of the recommended way.
    """
    plan, bom = context.plan, context.bill
    if not plan.spec.phases:
        return bom, {"all": {line.item: line.quantity for line in bom.lines}}
    from fabricgen.lifecycle.change.growth_ways import ways_to_grow
    from fabricgen.lifecycle.change.phase_sizes import by_gpus
    from fabricgen.lifecycle.change.phases import phase_in

    if by_gpus(plan.spec):
        way = ways_to_grow(plan.spec, plan.catalog).recommended
        return way.bom, {phase.name: phase.parts for phase in way.phases}
    return bom, {stage.name: stage.parts for stage in phase_in(plan)}


def racks_in(context: BuildContext) -> dict[str, RackContents]:
    """Return the parts in each rack; empty where the bill is not divided by rack."""
    return {} if _without_racks(context) else context.cluster_racks


def _without_racks(context: BuildContext) -> Skipped | None:
    """Return why the bill is not divided by rack; None where it is."""
    lengths = context.plan.lengths
    if lengths is None:
        return Skipped(
            "by-rack.csv: no racks are known, for the inventory leaves them open (`site: unknown`)"
        )
    return context.selection.over("racks", len(lengths.room.names))


@per_build
def divisions(context: BuildContext) -> dict[str, DivisionView]:
    """Divide the bill by role, by rack where racks are known, and by phase."""
    name, bom = context.plan.spec.name, context.bill
    bought, phases = phased(context)
    divided = {"by-role": (by_role(bom), bom)}
    if not _without_racks(context):
        divided["by-rack"] = by_rack(bom, racks_in(context)), bom
    divided["by-phase"] = by_phase(bought, phases), bought
    return {
        by: division_view(name, by.removeprefix("by-"), portions, whole)
        for by, (portions, whole) in divided.items()
    }


@per_build
def loads(context: BuildContext) -> LoadsView:
    """Return what racks, roles and the whole fabric take of power, weight and space."""
    return loads_view(context.plan, context.bill, racks_in(context))


@dataclass(frozen=True)
class BillDocument(OneFile):
    """One document of the bill; `view` names what its template sees."""

    pack: str
    template: str
    view: str

    def prepare(self, context: BuildContext) -> None:
        """Make what several documents see."""
        if self.view in ("comparison", "savings"):
            _ = context.comparison
        elif self.view == "loads":
            loads(context)
        elif self.view in DIVISIONS:
            divisions(context)
        else:
            _ = context.bill

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the document."""
        text = context.packs.render(self.pack, self.template, **self._seen(context))
        yield write_text(root, self.path, text, mark=context.sheet_options.csv_mark)

    def _seen(self, context: BuildContext) -> dict[str, Any]:
        """Return what the template sees, under the name by which it does."""
        if self.view in DIVISIONS:
            return {"division": divisions(context)[self.view]}
        if self.view == "loads":
            return {"loads": loads(context)}
        if self.view == "bom":
            return {"bom": bom_view(context.bill, context.plan)}
        if self.view == "savings":
            return {"savings": savings_view(context.comparison)}
        return {"comparison": comparison_view(context.comparison)}


@dataclass(frozen=True)
class BillBook(OneFile):
    """The workbook of the bill, its divisions, the comparison and the savings."""

    def prepare(self, context: BuildContext) -> None:
        """Make the bill, its divisions and the comparison, and import the writer."""
        import fabricgen.outputs.workbook.bom  # noqa: F401 - once for all workers

        _ = context.bill, context.comparison, divisions(context), loads(context)

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write the workbook."""
        from fabricgen.outputs.workbook.bom import write_bom

        write_bom(
            reserve(root, self.path),
            bom_view(context.bill, context.plan),
            comparison_view(context.comparison),
            [*divisions(context).values()],
            loads(context),
            savings_view(context.comparison),
        )
        yield adopt(root, self.path)
