"""Array types, and the distinct values of a column with a row per link.

`np.unique` alone imports masked arrays and hashes integers, which takes some fifty times as long as
sorting them; its variants that count do not. Values in a narrow range are marked in a table, which
takes a fifth of the time of sorting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.integer[Any]]
    Int32Array = NDArray[np.int32]
    Int64Array = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]


DENSE = 8
"""Numbers in the range of values, for each value, up to which these are marked in a table."""

_T = TypeVar("_T", bound="np.integer[Any]")


def distinct(values: NDArray[_T]) -> NDArray[_T]:
    """Return each value once, in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, -1)
    if high - low > DENSE * values.size:
        return np.unique_counts(values).values
    found = np.zeros(high - low + 1, dtype=bool)
    found[np.subtract(values, low, dtype=np.int64)] = True
    marked: NDArray[_T] = np.flatnonzero(found).astype(values.dtype)
    marked += low
    return marked


def distinct_columns(values: IntArray) -> IntArray:
    """Return each column of a table once, in ascending order.

    >>> distinct_columns(np.array([[3, 1, 3], [0, 5, 0]])).tolist()
    [[1, 3], [5, 0]]
    """
    found: IntArray = np.unique(values, axis=1, return_counts=True)[0]
    return found
