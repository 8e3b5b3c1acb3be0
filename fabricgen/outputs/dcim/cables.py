"""The cables of a plan as a data-centre database holds them: one object for each piece.

Owns which rows of the cable list are one piece, how its ends are paired, and NetBox's names of
media. `view` defines the shapes.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.colours import HUES
from fabricgen.outputs.dcim.view import EndView, PieceView, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.factory import Views

MEDIA = {"mmf": "mmf", "smf": "smf", "dac": "dac-passive", "acc": "dac-active", "aoc": "aoc"}
"""Cable types of NetBox (CableTypeChoices)."""

TWISTED_PAIRS = ("cat5e", "cat6")
"""The same of twisted pairs, whose parts have these names."""

PROFILES = {2: "trunk-2c1p", 4: "trunk-4c1p"}
"""Cable profiles of NetBox 4.5 (CableProfileChoices) that pair ends in order.

The first end at A belongs to the first at B, the second to the second, and so on.
"""


class PieceViews:
    """Makes the pieces of one plan; `views` are those of its cables."""

    def __init__(self, plan: Plan, views: Views) -> None:
        """Keep both; nothing is made before it is needed."""
        self.plan, self.views = plan, views

    @cached_property
    def straight_count(self) -> int:
        """The number of links whose cables are not shared."""
        several = [number for number, joint in enumerate(self.plan.candidates) if joint.shared > 1]
        if not several:
            return self.plan.links
        return sum(
            int(np.count_nonzero(~np.isin(self.plan.candidate[segment], several)))
            for segment in range(self.plan.mapping.segments)
        )

    def straight(self) -> Iterator[PieceView]:
        """Yield cables from port to port; a link of two cables is one row with both labels."""
        for segment in range(self.plan.mapping.segments):
            single = (cable for cable in self.views.cables(segment) if not cable.piece)
            for _, several in groupby(
                single, key=lambda cable: (cable.a_device, cable.a_interface)
            ):
                cables = [*several]
                yield _piece(cables, cables[:1], tag_of(self.plan))

    def shared(self) -> list[PieceView]:
        """List the pieces that several links share, in the order of their first legs."""
        found: dict[str, list[CableView]] = {}
        for segment in range(
            self.plan.mapping.segments if self.straight_count < self.plan.links else 0
        ):
            for cable in self.views.cables(segment):
                if cable.piece:
                    found.setdefault(cable.piece, []).append(cable)
        return [_piece(legs, legs, tag_of(self.plan)) for legs in found.values()]


def _piece(rows: Sequence[CableView], legs: Sequence[CableView], tag: str) -> PieceView:
    """Make the view of one piece.

    It has the labels of all its rows, and the ends of its legs.
    """
    cable, label, color = (
        rows[0],
        " ".join(row.cable for row in rows),
        _color([row.rail for row in rows]),
    )
    a, b = (
        [EndView(leg.a_device, leg.a_interface) for leg in legs],
        [EndView(leg.b_device, leg.b_interface) for leg in legs],
    )
    profile = PROFILES.get(len(legs), "")
    return PieceView(
        label=label,
        type=_type_of(cable),
        color=color,
        length_m=cable.length_m,
        part=cable.part,
        profile=profile,
        a=a,
        b=b,
        tag=tag,
    )


def _type_of(cable: CableView) -> str:
    """Return NetBox's type of a cable; "" where it has none."""
    return MEDIA.get(cable.medium, cable.part if cable.part in TWISTED_PAIRS else "")


def _color(rails: list[str]) -> str:
    """Return the colour of the rail that all legs are on, as six digits."""
    rail = rails[0] if len({*rails}) == 1 else ""
    return HUES[int(rail) % len(HUES)].fill[1:].lower() if rail else ""
