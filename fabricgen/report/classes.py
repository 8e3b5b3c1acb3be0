"""What is lost when a switch or a cable fails, measured once for all that are alike.

Owns the list of losses, and the place in it of every box and every link of a unit. Which parts are alike is said by `impact.alike`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.forwarding import find_failures
from fabricgen.impact import measure
from fabricgen.impact.alike import Parts
from fabricgen.impact.telling import figures_of_alike, sentence_of_alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.clos import Ints
    from fabricgen.planner import Plan


class Losses(NamedTuple):
    """`impacts` of the model, and for each box and each link of a unit its place among them as text; empty where a box is not installed."""

    impacts: list[dict[str, Any]]
    boxes: list[str]
    links: list[str]


def losses(plan: Plan, *, cables: bool) -> Losses:
    """Measure one of each class of switches, and of cables where they are wanted; without them every link has an empty text."""
    alike = Parts(plan).of_unit(links=cables)
    found: dict[str, int] = {}
    impacts: list[dict[str, Any]] = []
    places: list[str] = []
    for name in alike.examples:
        impact = impact_of(plan, name)
        at = found.setdefault(repr(impact), len(impacts))
        impacts += [impact] if at == len(impacts) else []
        places.append(str(at))
    return Losses(impacts, _texts(alike.boxes, places), _texts(alike.links, places))


def impact_of(plan: Plan, name: str) -> dict[str, Any]:
    """Measure one part, named as `--fail` takes it, in words that hold for all that are alike: `Impact` of the model."""
    document = measure(plan, [name], find_failures(plan, [name]), relays=False)
    return {"sentence": sentence_of_alike(document), "figures": [list(figure) for figure in figures_of_alike(document)]}


def _texts(numbers: Ints, texts: Sequence[str]) -> list[str]:
    """Return a text for each number; for -1 an empty one."""
    padded = [*texts, ""]
    return [padded[number] for number in numbers.tolist()]
