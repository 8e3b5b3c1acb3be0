"""The impact of a failed switch or cable, measured once for all that are alike.

Owns the list of impacts, and the index in it of every box and every link of a segment.
`analysis.impact.equivalence` groups parts that are alike.
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

    from fabricgen.analysis.impact.measure import Impact
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan


MOST_CLASSES = 512
"""Classes of parts above which cables are not measured: each cable of an expander is one."""


class Losses(NamedTuple):
    """`impacts` of the model, the worst first, and the index of each box and link of a segment.

    Indices are texts; empty where a box is not installed.
    """

    impacts: list[dict[str, Any]]
    boxes: list[str]
    links: list[str]


def losses(plan: Plan, *, cables: bool) -> Losses:
    """Measure one of each class of switches, and with `cables` one of each class of cables.

    Without cables, or where these are too many, the text of every link is empty.
    """
    parts = Parts(plan)
    alike = parts.of_segment(links=cables)
    if len(alike.examples) > MOST_CLASSES:
        alike = parts.of_segment(links=False)
    found = [measured(plan, name) for name in alike.examples]
    texts = [impact_of(each) for each in found]
    impacts = [
        texts[at]
        for at in sorted(range(len(texts)), key=lambda at: severity(found[at]))
        if texts.index(texts[at]) == at
    ]
    places = [str(impacts.index(impact)) for impact in texts]
    return Losses(impacts, _texts(alike.boxes, places), _texts(alike.links, places))


def measured(plan: Plan, name: str) -> Impact:
    """Measure the failure of one part, named as `--fail` takes it, without the load of relays."""
    return measure(plan, [name], find_failures(plan, [name]), relays=False)


def impact_of(impact: Impact) -> dict[str, Any]:
    """Return `Impact` of the model: text that holds for all parts that lose the same."""
    return {
        "sentence": sentence_of_alike(impact),
        "figures": [list(figure) for figure in figures_of_alike(impact)],
    }


def _texts(numbers: Int32Array, texts: Sequence[str]) -> list[str]:
    """Return a text for each number, empty for -1."""
    padded = [*texts, ""]
    return [padded[number] for number in numbers.tolist()]
