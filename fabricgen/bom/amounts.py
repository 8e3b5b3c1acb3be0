"""Amounts of money and other exact numbers as the texts of tables."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


def money_text(value: Decimal | None) -> str:
    """Format an amount exactly: whole, or with at least two decimals.

    >>> money_text(Decimal("1388")), money_text(Decimal("0.5")), money_text(None)
    ('1388', '0.50', '')
    """
    if value is None:
        return ""
    places = -int(value.normalize().as_tuple().exponent)
    return f"{value:.{max(places, 2) if places > 0 else 0}f}"


def decimal_text(value: Fraction | None) -> str:
    """Format a number without needless decimals; watts come from decimal texts, so they end.

    >>> from fractions import Fraction
    >>> decimal_text(Fraction(17, 2)), decimal_text(Fraction(8)), decimal_text(None)
    ('8.5', '8', '')
    """
    return (
        "" if value is None else f"{(Decimal(value.numerator) / value.denominator).normalize():f}"
    )
