"""Counts of things in words, which every text writes alike."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Format a count of things; the plural takes an `s` unless it is given.

    >>> counted(1, "switch", "switches"), counted(4096, "GPU"), counted(0, "leaf", "leaves")
    ('1 switch', '4,096 GPUs', '0 leaves')
    """
    return f"{number:,} {_noun(number, one, many)}"


def plain_count(number: int, one: str, many: str = "") -> str:
    """Format a count of things in a refusal, whose numbers are as in the inventory.

    >>> plain_count(4096, "GPU")
    '4096 GPUs'
    """
    return f"{number} {_noun(number, one, many)}"


def _noun(number: int, one: str, many: str) -> str:
    """Return the noun in singular or plural."""
    return one if number == 1 else many or f"{one}s"
