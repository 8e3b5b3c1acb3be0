"""What is lost when a switch or a cable fails, measured once for all that are alike.

Owns the list of losses, and the place in it of every box and every link of a segment. Which parts are
alike is said by `impact.alike`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.equivalence import Parts
from fabricgen.analysis.impact.measure import measure
from fabricgen.analysis.impact.ranking import severity
from fabricgen.analysis.impact.text import figures_of_alike, sentence_of_alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan


class Losses(NamedTuple):
    """`impacts` of the model, the worst first, and for each box and each link of a segment its place among them as text; empty where a box is not installed."""

    impacts: list[dict[str, Any]]
    boxes: list[str]
    links: list[str]


def losses(plan: Plan, *, cables: bool) -> Losses:
    """Measure one of each class of switches, and of cables where they are wanted; without them every link has an empty text."""
    alike = Parts(plan).of_segment(links=cables)
    documents = [measured(plan, name) for name in alike.examples]
    told = [impact_of(document) for document in documents]
    impacts = [
        told[at]
        for at in sorted(range(len(told)), key=lambda at: severity(documents[at]))
        if told.index(told[at]) == at
    ]
    places = [str(impacts.index(impact)) for impact in told]
    return Losses(impacts, _texts(alike.boxes, places), _texts(alike.links, places))


def measured(plan: Plan, name: str) -> dict[str, Any]:
    """Measure the failure of one part, named as `--fail` takes it: the keys of `impact --json` without the load of relays."""
    return measure(plan, [name], find_failures(plan, [name]), relays=False)


def impact_of(document: dict[str, Any]) -> dict[str, Any]:
    """Tell what `impact` measured of one part in words that hold for all that are alike: `Impact` of the model."""
    return {
        "sentence": sentence_of_alike(document),
        "figures": [list(figure) for figure in figures_of_alike(document)],
    }


def _texts(numbers: Int32Array, texts: Sequence[str]) -> list[str]:
    """Return a text for each number; for -1 an empty one."""
    padded = [*texts, ""]
    return [padded[number] for number in numbers.tolist()]
