"""What templates see of cables: one cable, and runs of them with the columns of a sheet."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import refuse, suggest
from fabricgen.core.template_api import for_templates
from fabricgen.views.cables.cable_list import cells, column_of
from fabricgen.views.cables.labels import Labelling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabricgen.views.cables.labels import Label


@dataclass(slots=True)
class CableView:
    """One cable, or one link on a cable: the lower end is `a`, the upper end `b`.

    Racks, rack units and lengths are empty where the inventory asks for none.

    A list of cables has one row for each: where the links of a cable differ in a column, it has the
    value of each link, with a space between them. A list of links has a row for each link, all of a
    cable with the same `piece`. A link that takes several cables has a row for each in both.
    """

    cable: str
    """The cable's name, which stays with it when the fabric grows; it is on both labels."""
    rail: str
    """Rail, from 0; empty where the link carries several."""
    plane: int
    """Plane of the link, from 0."""
    tier: int
    """Tier of the upper end: 1 leaf, 2 spine, 3 core."""
    a_device: str
    """Host or switch at the lower end."""
    a_interface: str
    """What the system of that device calls the port."""
    a_port: str
    """What is printed beside the port: the chassis's own label, or cage/position."""
    b_device: str
    """Switch at the upper end."""
    b_interface: str
    """What the system of that device calls the port."""
    b_port: str
    """What is printed beside the port: cage/position."""
    speed: str
    """Speed of a link of the cable."""
    a_rack: str
    """Rack of the lower end."""
    a_unit: str
    """Lowest rack unit of that device, from 1."""
    b_rack: str
    """Rack of the upper end."""
    b_unit: str
    """Lowest rack unit of that device, from 1."""
    length_m: str
    """Length to buy, in metres: a stock length."""
    medium: str
    """What the cable is made of: mmf and smf are fibres."""
    part: str
    """Part of the cable, as the bill names it."""
    a_transceiver: str
    """Module at the lower end, as the bill names it."""
    b_transceiver: str
    """Module at the upper end, as the bill names it."""
    piece: str
    """Where a cable carries several links, as a splitter or twin copper does: the cage that it
    fills at one end; the same for each of its links."""
    connector: int
    """Which connector of its modules the cable takes, from 1, where a link takes several cables;
    else 0."""
    label_ends: str
    """The ends whose label the row is: AB, or of a link that shares its cable A, B or none; an end
    that links share bears the label of the first of them."""
    piece_rail: str
    """Rail of the cable, from 0; empty where the cable, or its link, carries several."""

    @property
    def counts(self) -> bool:
        """Whether the row is the first link of its cable."""
        return self.label_ends == "AB"


CABLE_COLUMNS = tuple(column.name for column in fields(CableView))
SEPARATOR = " "
"""What separates the values of several links in one cell."""
ON_REQUEST = ("connector", "label_ends", "piece_rail")
"""Columns that a sheet has only if they are asked for."""


class Join(NamedTuple):
    """A column that is looked up: the text for the value of the column `key`, or `otherwise`."""

    key: str
    texts: Mapping[Any, str]
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class CableSheet:
    """What a sheet of cables shows: its columns, its rows, and how labels are written.

    `joins` has the columns that are not attributes of a cable.
    """

    columns: tuple[str, ...] = tuple(column for column in CABLE_COLUMNS if column not in ON_REQUEST)
    joins: Mapping[str, Join] = field(default_factory=dict)
    both_ways: bool = False
    """Whether each cable has a second row, from its other end."""
    labelling: Labelling = field(default_factory=Labelling)

    @property
    def rows(self) -> int:
        """Rows of a cable."""
        return 2 if self.both_ways else 1


@dataclass(slots=True)
class Chunk:
    """A run of cables or links: a table that is too long for memory is rendered chunk by chunk.

    `first` and `last` mark the first chunk and the last.
    """

    fabric: str
    rows: Sequence[CableView]
    first: bool
    last: bool
    sheet: CableSheet = CableSheet()

    @property
    @for_templates
    def columns(self) -> tuple[str, ...]:
        """The columns that were asked for."""
        return self.sheet.columns

    @for_templates
    def table(self) -> Iterator[tuple[str | int, ...]]:
        """Read the columns that were asked for.

        With `both_ways`, each cable has a second row with its ends exchanged.
        """
        if not self.sheet.both_ways:
            return self.select(self.columns)
        turned = [opposite(column) for column in self.columns]
        return chain.from_iterable(
            zip(self._cells(self.columns, "a-b"), self._cells(turned, "b-a"), strict=True)
        )

    @for_templates
    def labels(self) -> list[Label]:
        """Write the labels, two for each cable."""
        return self.sheet.labelling.labels(self.rows)

    @for_templates
    def label_lines(self) -> str:
        """Write the same labels as lines of a CSV, with the fields of `Label`."""
        return self.sheet.labelling.lines(self.rows)

    @for_templates
    def select(self, columns: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
        """Read these columns of every row, four times as fast as a template that names each.

        Raises Refusal `bad-template`.
        """
        for column in columns:
            if (
                column not in CABLE_COLUMNS
                and column not in self.sheet.joins
                and column != DIRECTION
            ):
                known = [*CABLE_COLUMNS, DIRECTION, *self.sheet.joins]
                raise refuse(
                    "bad-template",
                    f"a cable has no column `{column}`",
                    hint=suggest(column, known, f"columns: {', '.join(known)}"),
                )
        return self._cells(columns, "a-b")

    def _cells(self, columns: Sequence[str], direction: str) -> Iterator[tuple[str | int, ...]]:
        """Read columns that there are; `direction` is the text of that column."""
        if len(columns) > 1 and all(column in CABLE_COLUMNS for column in columns):
            return cells(self.rows, columns)
        return zip(*(self._column(column, direction) for column in columns), strict=True)

    def _column(self, column: str, direction: str) -> Iterator[str | int]:
        """Read one column."""
        if column in CABLE_COLUMNS:
            return column_of(self.rows, column)
        if column == DIRECTION:
            return repeat(direction, len(self.rows))
        key, texts, otherwise = self.sheet.joins[column]
        if not texts:
            return repeat(otherwise, len(self.rows))
        if not any(column_of(self.rows, "piece")):
            return (texts.get(value, otherwise) for value in column_of(self.rows, key))
        return (_looked_up(value, texts, otherwise) for value in column_of(self.rows, key))


def _looked_up(value: str | int, texts: Mapping[Any, str], otherwise: str) -> str:
    """Return the text of each value of a cell, once where they agree.

    >>> _looked_up("0 1", {"0": "blue", "1": "orange"}, "")
    'blue orange'
    """
    if not isinstance(value, str):
        return texts.get(value, otherwise)
    found = [texts.get(each, otherwise) for each in value.split(SEPARATOR)]
    return SEPARATOR.join(found) if len({*found}) > 1 else found[0]


DIRECTION = "direction"
"""The column that distinguishes the two rows of a cable."""


def opposite(column: str) -> str:
    """Name the same column of the other end.

    >>> opposite("a_rack"), opposite("b_rack"), opposite("rail")
    ('b_rack', 'a_rack', 'rail')
    """
    return {"a_": "b_", "b_": "a_"}.get(column[:2], column[:2]) + column[2:]


def turned(cable: CableView) -> CableView:
    """Return a cable as it is seen from its other end."""
    swapped = {
        column: getattr(cable, opposite(column))
        for column in CABLE_COLUMNS
        if opposite(column) != column
    }
    return replace(cable, **swapped)


def first_cables(cables: Iterable[CableView]) -> list[CableView]:
    """Return one cable of each link: of a link with several cables the first."""
    return [cable for cable in cables if cable.connector <= 1]


def link_label(cable: CableView) -> str:
    """Return the label of a cable's link, which has no letter for one of several cables."""
    return cable.cable[:-1] if cable.connector else cable.cable
