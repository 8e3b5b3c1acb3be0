"""The group of the bill: its documents, whole and divided, and its workbook.

Owns their tasks. A table of thousands of racks is long to write and nobody's to read, so it is
written on request only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.bom.breakdown.breakdown import by_phase, by_rack, by_role
from fabricgen.bom.breakdown.build import division_view, loads_view
from fabricgen.bom.breakdown.savings import savings_view
from fabricgen.bom.tables import bom_view, comparison_view
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, adopt, reserve, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.breakdown.breakdown import RackContents
    from fabricgen.bom.breakdown.view import DivisionView, LoadsView
    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written

MOST_RACKS = 2_000
"""Above this many racks what concerns single ones is written on request only: by-rack.csv, their rows in loads.csv, and their sheets."""

DIVISIONS = ("by-role", "by-rack", "by-phase")


def bill(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the bill of materials."""
    racks, lengths = with_racks(sources), sources.plan.lengths
    for pack in sources.packs.group("bom"):
        for output in pack.outputs:
            if output.each != "by-rack" or racks:
                yield BillDocument(output.path, pack.name, output.template, output.each)
            elif lengths is None:
                sources.skipped.append(
                    "by-rack.csv: no racks are known, for the inventory leaves them open (`site: unknown`)"
                )
            else:
                sources.skipped.append(
                    f"by-rack.csv: {len(lengths.room.names):,} racks are more than {MOST_RACKS:,}; `--only racks` writes it all the same"
                )
    yield BillBook("bom/bom.xlsx")


def with_racks(sources: BuildContext) -> bool:
    """Say whether the bill is divided by rack: where racks are known, and they are few or it was asked for."""
    lengths = sources.plan.lengths
    return lengths is not None and (
        len(lengths.room.names) <= MOST_RACKS or "racks" in sources.named
    )


def racks_in(sources: BuildContext) -> dict[str, RackContents]:
    """Return what stands in each rack; empty where the bill is not divided by rack."""
    return sources.racks if with_racks(sources) else {}


def division(sources: BuildContext, by: str) -> DivisionView:
    """Divide the bill by role, rack or phase."""
    plan, bom = sources.plan, sources.bom
    if by == "by-rack":
        portions = by_rack(bom, racks_in(sources))
    elif by == "by-phase":
        phases = (
            {stage.name: stage.parts for stage in sources.stages}
            if plan.spec.phases
            else {"all": {line.part: line.quantity for line in bom.lines}}
        )
        portions = by_phase(bom, phases)
    else:
        portions = by_role(bom)
    return division_view(plan.spec.name, by.removeprefix("by-"), portions, bom)


def loads(sources: BuildContext) -> LoadsView:
    """Say what racks, roles and the whole fabric ask of the room."""
    return loads_view(sources.plan, sources.bom, racks_in(sources))


@dataclass(frozen=True)
class BillDocument(OneFile):
    """One document of the bill; `view` names what its template sees."""

    pack: str
    template: str
    view: str

    def prepare(self, sources: BuildContext) -> None:
        """Make what several documents see."""
        if self.view in ("comparison", "savings"):
            _ = sources.comparison
        elif self.view in ("by-rack", "loads"):
            _ = racks_in(sources)
        elif self.view == "by-phase":
            _ = sources.bom, sources.stages if sources.plan.spec.phases else ()
        else:
            _ = sources.bom

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render the document."""
        yield write_text(
            root, self.path, [sources.packs.render(self.pack, self.template, **self._seen(sources))]
        )

    def _seen(self, sources: BuildContext) -> dict[str, Any]:
        """Make what the template sees, under the name by which it does."""
        if self.view in DIVISIONS:
            return {"division": division(sources, self.view)}
        if self.view == "loads":
            return {"loads": loads(sources)}
        if self.view == "bom":
            return {"bom": bom_view(sources.bom, sources.plan)}
        return (
            {"savings": savings_view(sources.comparison)}
            if self.view == "savings"
            else {"comparison": comparison_view(sources.comparison)}
        )


@dataclass(frozen=True)
class BillBook(OneFile):
    """The workbook of the bill, its divisions, the comparison and the savings."""

    def prepare(self, sources: BuildContext) -> None:
        """Make the bill, the racks and the comparison."""
        _ = (
            sources.bom,
            sources.comparison,
            racks_in(sources),
            sources.stages if sources.plan.spec.phases else (),
        )

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write the workbook."""
        from fabricgen.outputs.workbook.bom import write_bom

        shown = [by for by in DIVISIONS if by != "by-rack" or with_racks(sources)]
        write_bom(
            reserve(root, self.path), bom_view(sources.bom, sources.plan), comparison_view(sources.comparison),
            [division(sources, by) for by in shown], loads(sources), savings_view(sources.comparison),
        )  # fmt: skip
        yield adopt(root, self.path)
