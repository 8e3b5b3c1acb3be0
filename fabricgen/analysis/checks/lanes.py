"""The law of lanes: both ends of a link and its parts have the same lanes.

A port of a speed is so many lanes of an equal share. `ports` owns the law that each port exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.checks.end_cages import end_cages
from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.catalog.models.base import ANY_LANES
from fabricgen.core.arrays import distinct
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.lanes import Lanes


def lanes_agree(evidence: Evidence) -> Verdict:
    """Ports at both ends of a link, its modules and its cable have the same lanes."""
    used = [evidence.candidates[number] for number in distinct(evidence.candidate).tolist()]
    faults = [fault for parts in used for fault in _link_faults(evidence, parts)]
    shown = dict.fromkeys(
        f"{parts.kind.key.replace('_', '-')}: {_text(_lanes(evidence, parts), parts.speed_gbps)}"
        for parts in used
    )
    return Verdict("; ".join(shown), (violations(faults, lambda violation: violation),))


def _lanes(evidence: Evidence, parts: LinkParts) -> Lanes:
    """Return the lanes of a link on its fibre or copper, by the cages and parts of both ends."""
    speed, cable = parts.speed_gbps, parts.cable
    found = ANY_LANES
    for cage, module in zip(end_cages(evidence, parts), (parts.lower, parts.upper), strict=True):
        found &= module.fibre_lanes(cage.lanes, speed) if module else cage.lanes
    if cable.lanes and cable.speed_gbps:
        found &= {cable.lanes * speed // cable.speed_gbps}
    return found


def _link_faults(evidence: Evidence, parts: LinkParts) -> Iterator[Violation]:
    """Yield the links whose ends or parts have no lanes in common."""
    if _lanes(evidence, parts):
        return
    speed, names = parts.speed_gbps, []
    for cage, module in zip(end_cages(evidence, parts), (parts.lower, parts.upper), strict=True):
        names.append(f"a link in {cage.name} has {_text(cage.lanes, speed)}")
        if module:
            own = module.fibre_lanes(cage.lanes, speed)
            names.append(f"{module.model} makes {_text(own, speed)} of them")
    if parts.cable.lanes:
        names.append(f"{parts.cable.model} has {parts.cable.lanes} lanes a link")
    kind = parts.kind.key.replace("_", "-")
    yield Violation(f"the ends of {kind} links have no lanes in common", tuple(names))


def _text(lanes: Lanes, speed_gbps: int) -> str:
    """Format lanes, like `4 x 100G`."""
    if lanes == ANY_LANES:
        return f"{speed_text(speed_gbps)} on unknown lanes"
    shown = " or ".join(f"{many} x {speed_gbps / many:g}G" for many in sorted(lanes))
    return shown or "no lanes"
