"""The divisors of a number: rails of an HB domain, rails of a leaf, groups of a model."""

from math import isqrt


def divisors(number: int) -> list[int]:
    """List the divisors of a number, in ascending order.

    >>> divisors(72)
    [1, 2, 3, 4, 6, 8, 9, 12, 18, 24, 36, 72]
    """
    small = [size for size in range(1, isqrt(number) + 1) if number % size == 0]
    return sorted({*small, *(number // size for size in small)})
