"""Array types, and the distinct values of a column with a row per link.

`np.unique` alone imports masked arrays and hashes integers, which takes some fifty times as long as
sorting them; its variants that count do not.
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


_T = TypeVar("_T", bound="np.integer[Any]")


def distinct(values: NDArray[_T]) -> NDArray[_T]:
    """Return each value once, in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    return np.unique_counts(values).values


def distinct_columns(values: IntArray) -> IntArray:
    """Return each column of a table once, in ascending order.

    >>> distinct_columns(np.array([[3, 1, 3], [0, 5, 0]])).tolist()
    [[1, 3], [5, 0]]
    """
    found: IntArray = np.unique(values, axis=1, return_counts=True)[0]
    return found
