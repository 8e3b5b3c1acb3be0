"""From the links of a fabric to the rows of its cable list, one for each cable.

Owns `CableRows`, and the number of links of a row. A cable that carries several links has one
row; where its links differ in a column, the cell has the value of each, in the order of links, with
a space between them. A link that runs through panels has a row for each of its jumpers, and trunks
follow all other cables.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.views.cables.patched import PatchedCables
from fabricgen.views.cables.view import SEPARATOR, CableView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan

OWN = ("cable", "piece", "connector", "label_ends", "piece_rail")
"""The columns that a cable has from its first link."""

JOINED = tuple(column.name for column in fields(CableView) if column.name not in OWN)


class LinkList(Protocol):
    """The links of a plan, a row for each."""

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def cables(self) -> Callable[[int, int, int], Sequence[CableView]]:
        """What returns the links of a segment, from one to another."""


class CableRows:
    """Makes the rows of the cables of one plan, by runs of links."""

    def __init__(self, views: LinkList) -> None:
        """Sort the links of the plan by the piece of cable that carries them."""
        self._views, self._pieces = views, views.plan.pieces
        channels = views.plan.channels
        self._patched = PatchedCables(views.plan, channels) if channels else None
        if self._pieces:
            number = self._pieces.number.ravel()
            self._links = np.argsort(number, kind="stable")
            self._numbers = number[self._links]

    def rows(self, segment: int, start: int, stop: int) -> Sequence[CableView]:
        """Return the cables whose first link is in a run of links of a segment, in their order."""
        links = self.labelled(segment, start, stop)
        if self._pieces is None:
            return links
        first = self._pieces.first[segment, start:stop]
        numbers = self._pieces.number[segment, start:stop][first]
        found: dict[str, list[CableView]] = {}
        for other, low, high in self._runs(distinct(numbers[numbers >= 0])):
            inside = other == segment and start <= low and high <= stop
            for link in links if inside else self._views.cables(other, low, high):
                found.setdefault(link.piece, []).append(link)
        return [_joined(found[link.piece]) if link.piece else link for link in links if link.counts]

    def labelled(self, segment: int, start: int, stop: int) -> Sequence[CableView]:
        """Return a run of links with the ends that they label: jumpers instead of patched links."""
        links = self._views.cables(segment, start, stop)
        if self._patched is None:
            return links
        plan = self._views.plan
        last = (segment, stop) == (plan.mapping.segments - 1, len(plan.segment.kind))
        trunks = self._patched.trunks() if last else []
        return [*self._patched.cables(links, segment, start), *trunks]

    def _runs(self, numbers: IntArray) -> Iterator[tuple[int, int, int]]:
        """Yield a run of links in each segment that contains all links of some pieces there."""
        places = self._links[np.isin(self._numbers, numbers)]
        segments, rows = np.divmod(places, len(self._views.plan.segment.kind))
        for segment in distinct(segments).tolist():
            own = rows[segments == segment]
            yield segment, int(own.min()), int(own.max()) + 1


def _joined(links: Sequence[CableView]) -> CableView:
    """Return the row of a cable: that of its first link, with what differs joined."""
    values = {column: [str(value) for value in map(attrgetter(column), links)] for column in JOINED}
    differing: dict[str, Any] = {  # a column of numbers has a text where they differ
        column: SEPARATOR.join(texts) for column, texts in values.items() if len({*texts}) > 1
    }
    return replace(links[0], label_ends="AB", **differing)


def link_count(row: CableView) -> int:
    """Return the number of links of a row of the cable list.

    They differ in the interface at the near end of their cable.
    """
    if not row.piece:
        return 1
    return max(len(text.split(SEPARATOR)) for text in (row.a_interface, row.b_interface))
