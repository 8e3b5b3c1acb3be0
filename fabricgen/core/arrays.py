"""The distinct values of a column of millions of links, and the distinct pairs of two columns.

Owns two calls and the reason for them: `np.unique` alone imports masked arrays, and puts integers
through a hash table, which takes some fifty times as long as to sort them, as it does where it
also counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.planning.clos import Whole

_T = TypeVar("_T", bound="np.integer[Any]")


def distinct(values: NDArray[_T]) -> NDArray[_T]:
    """Return each value once, in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    return np.unique_counts(values).values


def distinct_columns(values: Whole) -> Whole:
    """Return each column of a table once, in ascending order.

    >>> distinct_columns(np.array([[3, 1, 3], [0, 5, 0]])).tolist()
    [[1, 3], [5, 0]]
    """
    found: Whole = np.unique(values, axis=1, return_counts=True)[0]
    return found
