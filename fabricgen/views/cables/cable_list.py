"""Cables as columns, for lists that are too long for an object per row.

Owns `CableList`, and `cells`, by which sheets and labels read cables in either form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Row = TypeVar("Row")


class CableList(Sequence[Row]):
    """A run of cables as columns; their views are made when the first one is read."""

    def __init__(
        self,
        columns: Mapping[str, Iterable[Any]],
        length: int,
        make: Callable[[Mapping[str, Iterable[Any]]], list[Row]],
    ) -> None:
        """Keep the columns, of which some may repeat a value forever, and what makes the views."""
        self._columns, self._length, self._make = columns, length, make

    @cached_property
    def _rows(self) -> list[Row]:
        """The views."""
        return self._make(self._columns)

    def __len__(self) -> int:
        """Count the cables."""
        return self._length

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...

    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        """Return a view, or some."""
        return self._rows[at]

    def __iter__(self) -> Iterator[Row]:
        """Yield the views."""
        return iter(self._rows)

    def cells(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield these columns of every cable, without a view."""
        return islice(zip(*(self._columns[name] for name in names), strict=False), self._length)

    def column(self, name: str) -> Iterator[Any]:
        """Yield a column, without a view."""
        return islice(self._columns[name], self._length)


def cells(cables: Iterable[object], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some attributes of every cable, of which there are two or more."""
    if isinstance(cables, CableList):
        return cables.cells(names)
    return map(attrgetter(*names), cables)


def column_of(cables: Iterable[object], name: str) -> Iterator[Any]:
    """Yield an attribute of every cable."""
    return cables.column(name) if isinstance(cables, CableList) else map(attrgetter(name), cables)
