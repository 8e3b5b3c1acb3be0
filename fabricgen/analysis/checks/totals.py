"""The law of totals: outputs that count the same thing have the same number.

A *link* joins two ports, a *cable* is one piece, a *transceiver* is a link end in a module, and a
*module* is a purchasable part. Each is counted on the wiring, and compared with `plan --json`, the
bill and its breakdowns, the rows of the lists of cables and of links, and the labels.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.analysis.checks.part_counts import connectors_of, cords_of, parts_of
from fabricgen.analysis.checks.scope import READ_LINKS
from fabricgen.bom.counts import item_name
from fabricgen.bom.patch_counts import CORDS, PANELS
from fabricgen.views.cables.cable_rows import CableRows, link_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.bom.bill import BillLine
    from fabricgen.views.cables.view import CableView


class Total(NamedTuple):
    """The number of something, according to one output."""

    output: str
    what: str
    number: int


def counts_agree(evidence: Evidence) -> Verdict:
    """Verify that the totals of every output are those of the wiring.

    The rows of long lists are not read for it.
    """
    counted = _counted(evidence)
    whole = len(evidence.wiring.kind) <= READ_LINKS
    totals = [*_of_plan(evidence), *_of_bill(evidence)]
    if whole:
        rows = _rows(evidence)
        counted |= Counter(item_name(row.part, row.length_m) for row in rows)
        totals += [*_of_list(evidence, rows), *_by_length(evidence)]
    wrong = [total for total in totals if total.number != counted.get(total.what, 0)]
    figure = f"{len(totals)} totals agree: " + ", ".join(
        f"{counted[what]:,} {what}" for what in ("links", "cables", "transceivers", "modules")
    )
    differences = violations(
        wrong,
        lambda total: Violation(
            f"{total.output} counts {total.number:,} {total.what}",
            (f"the wiring has {counted.get(total.what, 0):,}",),
        ),
    )
    return Verdict(figure, (differences,))


def _counted(evidence: Evidence) -> dict[str, int]:
    """Count all on the wiring."""
    counts, candidates = parts_of(evidence), evidence.candidates
    taken = np.bincount(evidence.candidate, minlength=len(candidates)).tolist()
    return {
        "links": len(evidence.wiring.kind),
        "rows": sum(count * parts.cables for count, parts in zip(taken, candidates, strict=True)),
        "cables": sum(counts.get(model, 0) for model in _cable_models(evidence))
        - cords_of(evidence).total(),
        "transceivers": sum(
            count * len(parts.modules) for count, parts in zip(taken, candidates, strict=True)
        ),
        "modules": sum(
            counts.get(model, 0)
            for model in {module.model for parts in candidates for module in parts.modules.values()}
        ),
        "labels": connectors_of(evidence),
    }


def _cable_models(evidence: Evidence) -> set[str]:
    """Return the models of cables, with jumpers and trunks; panels are none."""
    models = {parts.cable.model for parts in evidence.candidates}
    if evidence.channels is not None:
        models.update(trunk.item for trunk in evidence.channels.trunks)
        for parts in evidence.channels.parts:
            models.update((parts.lower.model, parts.upper.model))
    return models


def _of_plan(evidence: Evidence) -> Iterator[Total]:
    """Read the totals of `plan --json`, from which comparisons and savings are made."""
    summary, links = evidence.summary, evidence.summary.links
    yield Total("`plan --json`", "links", links.total)
    yield Total("`plan --json`, by kind,", "links", sum(links.by_kind().values()))
    yield Total("`plan --json`", "cables", summary.cables.total)
    yield Total("`plan --json`", "transceivers", summary.transceivers)


def _of_bill(evidence: Evidence) -> Iterator[Total]:
    """Read the totals of the bill, and of the bill by role and by rack."""
    classes = {"cables": "cables", "modules": "transceivers"}
    for what, part_class in classes.items():
        lines = _lines(evidence, part_class)
        yield Total("the bill", what, sum(line.quantity for line in lines))
        yield Total(
            "the bill by role", what, sum(count for line in lines for _, count in line.purposes)
        )
    if evidence.lengths:
        held = Counter[str]()
        for parts in evidence.racks().values():
            held.update(parts)
        for what, part_class in classes.items():
            yield Total(
                "the bill by rack",
                what,
                sum(held[line.item] for line in _billed(evidence, part_class))
                - (cords_of(evidence).total() if what == "cables" else 0),
            )


def _billed(evidence: Evidence, part_class: str) -> list[BillLine]:
    """Return the lines of a class on the bill, without panels, which are counted apart."""
    return [
        line
        for line in evidence.bom.lines
        if line.part_class == part_class and PANELS not in dict(line.purposes)
    ]


def _lines(evidence: Evidence, part_class: str) -> list[BillLine]:
    """Return the same without the patch cords of panels, which no list of links has."""
    own = ((line, dict(line.purposes)) for line in _billed(evidence, part_class))
    return [
        replace(
            line,
            quantity=line.quantity - purposes.get(CORDS, 0),
            purposes=tuple(each for each in line.purposes if each[0] != CORDS),
        )
        for line, purposes in own
        if {*purposes} != {CORDS}
    ]


def _by_length(evidence: Evidence) -> Iterator[Total]:
    """Read the cables of each length from the bill; `cables.csv` has a row for each."""
    for line in _lines(evidence, "cables"):
        yield Total("the bill", line.item, line.quantity)


def _rows(evidence: Evidence) -> list[CableView]:
    """Return the rows of cables.csv."""
    links = len(evidence.wiring.kind) // evidence.plan.mapping.segments
    sheet = CableRows(evidence)
    return [
        row
        for segment in range(evidence.plan.mapping.segments)
        for row in sheet.rows(segment, 0, links)
    ]


def _of_list(evidence: Evidence, rows: list[CableView]) -> Iterator[Total]:
    """Count the rows, pieces and labels of the lists of cables and of links."""
    links = len(evidence.wiring.kind) // evidence.plan.mapping.segments
    views = list(
        chain.from_iterable(
            evidence.cables(segment, 0, links) for segment in range(evidence.plan.mapping.segments)
        )
    )
    first = [view for view in views if view.connector <= 1]
    yield Total("the list of links", "links", len(first))
    yield Total("the list of links", "rows", len(views))
    yield Total("cables.csv", "cables", len(rows))
    panels = {panel.name for panel in evidence.channels.panels} if evidence.channels else set()
    yield Total(
        "cables.csv",
        "links",
        sum(link_count(row) for row in rows if row.connector <= 1 and row.a_device not in panels),
    )
    # a link through panels is one row of links, and two jumpers
    more = len(evidence.channels.row) + len(evidence.channels.trunks) if evidence.channels else 0
    pieces = sum(not view.piece for view in views) + len({view.piece for view in views} - {""})
    yield Total("the list of links, by `piece`,", "cables", pieces + more)
    yield Total(
        "the list of links, by the first of each cable,",
        "cables",
        sum(view.counts for view in views) + more,
    )
    yield Total(
        "the list of links",
        "transceivers",
        sum(bool(view.a_transceiver) + bool(view.b_transceiver) for view in first),
    )
    labelled: Iterable[CableView] = views
    if evidence.channels is not None:
        sheet = CableRows(evidence)
        labelled = chain.from_iterable(
            sheet.labelled(segment, 0, links) for segment in range(evidence.plan.mapping.segments)
        )
    yield Total("labels.csv", "labels", sum(len(view.label_ends) for view in labelled))
