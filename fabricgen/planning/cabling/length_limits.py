"""Links that no candidate serves: too long, or parting between the cages of one cable.

Owns these refusals, and the facts of the notice in a generated room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.planning.cabling.assignment import has_unassignable
from fabricgen.planning.cabling.stock_lengths import metres, millimetres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.cabling.assignment import CandidateSet
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.cabling.link_classes import LinkClass


def check_lengths(lengths: Lengths, given: CandidateSet) -> None:
    """Refuse links that no candidate serves.

    Raises Refusal with a finding for each kind of link: `link-too-long`, or `no-part-for-link`.
    """
    hint = (
        "bring the two ends closer together, with more hosts in a rack or shorter rows, or plan"
        " without lengths: `site: unknown`"
    )
    findings = [
        Finding("link-too-long", fact, ("site",), tuple(because), hint)
        for fact, *because in too_long(lengths)
    ]
    findings += [
        _unpaired(given, each)
        for each in given.classes
        if has_unassignable(given, lengths.candidate, each)
    ]
    if findings:
        raise Refusal(findings)


def too_long(lengths: Lengths) -> Iterator[tuple[str, ...]]:
    """Yield a finding for each kind of link with a cable longer than its parts reach."""
    for kind, found in lengths.longest.items():
        reach = lengths.candidates[found.candidate].reach_m
        if reach and found.stock_mm > millimetres(reach[0]):
            fact = (
                f"{kind.key.replace('_', '-')} links are up to {metres(found.stock_mm)} m long,"
                f" and {reach[1]} reaches {metres(millimetres(reach[0]))} m"
            )
            measured = (f"`site.measured_m` gives {metres(found.run_mm)} m as measured",)
            steps = lengths.runs.steps(found.lower, found.upper, found.run_mm)
            because = measured if found.measured else steps
            yield (fact, *because, f"the next stock length is {metres(found.stock_mm)} m")


def _unpaired(given: CandidateSet, each: LinkClass) -> Finding:
    """Return a finding: no candidate serves links that part between the cages of a cable."""
    last, kind = given.candidates[given.numbers(each)[-1]], each.kind
    name = kind.key.replace("_", "-")
    because = (
        (
            f"{last.cable.model} is one piece: the {last.shared} links of a cage at one end"
            " must all come out in one cage at the other"
        ),
        (
            f"{name} links of one cage go to several others, and `site.media` leaves nothing"
            " else that is long enough"
        ),
    )
    return Finding(
        "no-part-for-link",
        f"nothing that `site.media` allows serves all {name} links",
        ("site", "media"),
        because,
        f"allow another medium, such as `site.media.{kind.key}: [{last.medium}, mmf]`",
    )
