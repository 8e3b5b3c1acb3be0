"""Filters that write a quantity of a plan in the units and the steps of a NOS.

A template itself computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ms_to_s(milliseconds: int) -> str:
    """Return milliseconds as seconds, with as many decimals as needed.

    >>> ms_to_s(200), ms_to_s(3000)
    ('0.2', '3')
    """
    return f"{milliseconds / 1000:g}"


def ms_to_us(milliseconds: int) -> int:
    """Return milliseconds as microseconds."""
    return milliseconds * 1000


def periods(milliseconds: int, period_ms: int) -> int:
    """Return the number of periods in a time, rounded up; both in milliseconds.

    >>> periods(200, 100), periods(250, 100)
    (2, 3)
    """
    return -(-milliseconds // period_ms)


def percent_to_share(percent: int) -> str:
    """Return a percentage as a share of one.

    >>> percent_to_share(100), percent_to_share(5)
    ('1', '0.05')
    """
    return f"{percent / 100:g}"


def at_most(number: int, most: int) -> int:
    """Return a number, or the maximum of a NOS if the number is larger."""
    return min(number, most)


def step_up(number: int, steps: Sequence[int] | str) -> int:
    """Return the smallest of some rising steps that is at least a number, or the last.

    Steps may be a text, as a fact of a NOS is.

    >>> step_up(65, (64, 128)), step_up(200, (64, 128)), step_up(7, "5 40")
    (128, 128, 40)
    """
    rising = [*map(int, steps.split())] if isinstance(steps, str) else steps
    return next((step for step in rising if step >= number), rising[-1])
