"""Counts of things in words, which every text writes alike."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Format a count of things; the plural takes an `s` unless it is given.

    >>> counted(1, "switch", "switches"), counted(4096, "GPU"), counted(0, "leaf", "leaves")
    ('1 switch', '4,096 GPUs', '0 leaves')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
