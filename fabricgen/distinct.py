"""The distinct values of a column of millions of links.

Owns one call and the reason for it: `np.unique` alone puts integers through a hash table, which takes some fifty times as long as to sort
them, as it does where it also counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.clos import Ints, Whole


def distinct(values: Whole | Ints) -> Whole:
    """Return each value once, in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    found: Whole = np.unique_counts(values).values
    return found
