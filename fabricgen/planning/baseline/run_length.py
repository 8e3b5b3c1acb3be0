"""The run-length form of columns of integers in a plan file, which is short for regular columns.

Owns the form and its bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import Int32Array


MOST = 2**31
"""Columns hold 32 bits."""

LONGEST = 2**26
"""The most rows of a column; a million GPUs have a million."""


def read_count(value: Any, most: int = MOST) -> int:  # noqa: ANN401 - any value of a plan file
    """Return a value that is a count below `most`. Raises ValueError where it is not one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < most:
        raise ValueError(f"{value!r} is no count")
    return value


def encode_runs(column: Int32Array) -> list[list[int]]:
    """Return the runs of a column of integers, each as [first, step, count].

    >>> encode_runs(np.array([4, 5, 6, 9, 9, 2], dtype=np.int32))
    [[4, 1, 3], [9, 0, 2], [2, 0, 1]]
    """
    found: list[list[int]] = []
    for value in column.tolist():
        first, step, count = found[-1] if found else (0, 0, 0)
        if count == 1:
            found[-1] = [first, value - first, 2]
        elif count > 1 and value == first + step * count:
            found[-1][2] += 1
        else:
            found.append([value, 0, 1])
    return found


def decode_runs(written: Iterable[Any]) -> Int32Array:
    """Return the column of some runs. Raises ValueError where a number is out of bounds.

    >>> decode_runs([[4, 1, 3], [9, 0, 2]]).tolist()
    [4, 5, 6, 9, 9]
    """
    pieces = [np.zeros(0, dtype=np.int64)]
    total = 0
    for first, step, length in written:
        total += read_count(length)
        if (
            not -MOST <= first + step * length < MOST
            or not -MOST <= first < MOST
            or total > LONGEST
        ):
            raise ValueError("a run is beyond all ports")
        pieces.append(first + step * np.arange(length, dtype=np.int64))
    return np.concatenate(pieces).astype(np.int32)
