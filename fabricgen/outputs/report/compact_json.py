"""How long tables are written short: a column as its different values and the steps between them, and a part as gzip.

Owns both encodings; what is packed stands in `tables` and its neighbours. Rows that follow one
another differ by little, so that steps are mostly 0 and 1, and gzip makes next to nothing of them.
"""

from __future__ import annotations

import gzip
import io
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class Column:
    """A column as it grows: its different values in order of appearance, and which of them each row has."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._values = _Numbers()
        self._codes: list[int] = []

    def extend(self, cells: Iterable[str]) -> None:
        """Add rows."""
        self._codes.extend(map(self._values.__getitem__, cells))

    def document(self) -> dict[str, Any]:
        """Return `Column` of the model: the values, and for each row the step from the row before.

        >>> column = Column()
        >>> column.extend(["leaf", "leaf", "spine", "leaf"])
        >>> column.document()
        {'values': ['leaf', 'spine'], 'steps': [0, 0, 1, -1]}
        """
        return {
            "values": list(self._values),
            "steps": [code - before for before, code in pairwise([0, *self._codes])],
        }


class _Numbers(dict[str, int]):
    """Numbers values in order of appearance, from 0; looking one up gives it its number."""

    def __missing__(self, value: str) -> int:
        """Give a new value the next number."""
        self[value] = number = len(self)
        return number


def short_json(value: object) -> str:
    """Write JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def packed(value: object, *, level: int = 9) -> bytes:
    """Return a value as gzip of JSON, at a level of gzip's; the same value makes the same bytes at any time.

    >>> gzip.decompress(packed({"a": [1]}))
    b'{"a":[1]}'
    """
    stream = io.BytesIO()
    with gzip.GzipFile(
        "", "wb", level, stream, mtime=0
    ) as file:  # gzip.compress writes the system into the header, in some versions
        file.write(short_json(value).encode())
    return stream.getvalue()
