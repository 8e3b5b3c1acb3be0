"""Short forms of long tables: a column as values and steps between them, a part as gzip.

Owns both encodings; `tables` and its neighbours make the rows. Neighbouring rows differ by little,
so that steps are mostly 0 and 1, which gzip compresses well.
"""

from __future__ import annotations

import gzip
import io
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fabricgen.core.compact_json import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterable


class ValueColumn:
    """A column as it grows: its different values in order of appearance, and each row's value."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._values = _Numbers()
        self._codes: list[int] = []

    def extend(self, cells: Iterable[str]) -> None:
        """Add rows."""
        self._codes.extend(map(self._values.__getitem__, cells))

    def document(self) -> dict[str, Any]:
        """Return `ValueColumn` of the model: the values, and each row's step from the last.

        >>> column = ValueColumn()
        >>> column.extend(["leaf", "leaf", "spine", "leaf"])
        >>> column.document()
        {'values': ['leaf', 'spine'], 'steps': [0, 0, 1, -1]}
        """
        return {
            "values": list(self._values),
            "steps": [code - before for before, code in pairwise([0, *self._codes])],
        }


class _Numbers(dict[str, int]):
    """Numbers values in order of appearance, from 0, when they are looked up."""

    def __missing__(self, value: str) -> int:
        """Give a new value the next number."""
        self[value] = number = len(self)
        return number


def packed(value: object, *, level: int = 6) -> bytes:
    """Return a value as gzip of JSON, at a level of gzip's; equal values make equal bytes.

    >>> gzip.decompress(packed({"a": [1]}))
    b'{"a":[1]}'
    """
    stream = io.BytesIO()
    with gzip.GzipFile(
        "", "wb", level, stream, mtime=0
    ) as file:  # gzip.compress writes the system into the header, in some versions
        file.write(compact_json(value).encode())
    return stream.getvalue()
