"""The types of arrays, the distinct values of a column of millions of links, and distinct pairs of two columns.

`np.unique` alone imports masked arrays and puts integers through a hash table, which takes some
fifty times as long as sorting them, also where it counts.
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
