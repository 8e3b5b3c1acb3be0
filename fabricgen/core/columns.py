"""Rows of a table as columns: for tables that are too long for an object per row.

Tables of many devices share columns, and differ in few cells that all of their rows have. The text
of what they share is made once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FEW = 16
"""Rows that are formatted one by one."""

SHARED = 64
"""Texts of shared columns that are kept: of the planes of one HB domain and their neighbors."""


@dataclass(slots=True, eq=False)
class Columns:
    """A run of rows; each column is a tuple with a cell for each row, or one cell of all rows.

    >>> table = Columns((("10.0.0.0/31", "10.0.0.2/31"), "eth0", (1, 2)), 0, 2)
    >>> list(table)
    [('10.0.0.0/31', 'eth0', 1), ('10.0.0.2/31', 'eth0', 2)]
    >>> print(table.lines("route {} dev {} metric {}"))
    route 10.0.0.0/31 dev eth0 metric 1
    route 10.0.0.2/31 dev eth0 metric 2
    >>> print(Columns((("a", "b%"), "50%"), 0, 2).lines("{} 100% {}"))
    a 100% 50%
    b% 100% 50%
    """

    cells: tuple[object, ...]
    start: int
    stop: int

    def __len__(self) -> int:
        """Count the rows."""
        return self.stop - self.start

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        """Yield the rows."""
        cells = (cell if isinstance(cell, tuple) else repeat(cell) for cell in self.cells)
        return islice(zip(*cells, strict=False), self.start, self.stop)

    def lines(self, form: str) -> str:
        """Return a line for each row, with its cells in the places `{}` of a form."""
        if len(self) <= FEW:  # their texts are made sooner than found
            return "\n".join(map(_percent_form(form).__mod__, self))
        words = _words(form)
        varied = [at for at, cell in enumerate(self.cells) if isinstance(cell, tuple)]
        if not varied:
            return "\n".join([_filled(words, self.cells)] * len(self))
        first, last = varied[0], varied[-1] + 1
        before = _filled(words[: first + 1], self.cells[:first])
        after = _filled(words[last:], self.cells[last:])
        places = ["%s" if isinstance(cell, tuple) else _escaped(cell) for cell in self.cells]
        inner = _filled(["", *map(_escaped, words[first + 1 : last]), ""], places[first:last])
        texts = _texts(inner, tuple(self.cells[at] for at in varied))
        return before + f"{after}\n{before}".join(texts[self.start : self.stop]) + after


@lru_cache(maxsize=SHARED)
def _percent_form(form: str) -> str:
    """Return a form with places `{}` as one of `%`."""
    return _escaped(form).replace("{}", "%s")


@lru_cache(maxsize=SHARED)
def _words(form: str) -> list[str]:
    """Return the text between the places `{}` of a form."""
    return form.split("{}")


def _filled(words: Sequence[str], cells: Sequence[object]) -> str:
    """Return words with a cell after each but the last."""
    return "".join([f"{word}{cell}" for word, cell in zip(words, cells, strict=False)]) + words[-1]


def _escaped(text: object) -> str:
    """Return a text as a form of `%` writes it."""
    return str(text).replace("%", "%%")


@lru_cache(maxsize=SHARED)
def _texts(form: str, columns: tuple[tuple[object, ...], ...]) -> list[str]:
    """Return the text of each row of some columns."""
    return [*map(form.__mod__, zip(*columns, strict=True))]
