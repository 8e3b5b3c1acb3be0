"""What a part costs: the book's price, less a discount, in the currency of payment.

Owns `Terms`; `planning.price_book` finds the book. A price given in the inventory is paid as it is,
without discount; a rate of exchange is stated, never looked up.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.purchasing import Prices

CENT = Decimal("0.01")


class Terms(NamedTuple):
    """How a price of a book becomes a price paid; `book_currency` is the currency of the book."""

    asked: Prices
    book_currency: str

    @property
    def currency(self) -> str:
        """The currency of payment."""
        return self.asked.exchange.currency if self.asked.exchange else self.book_currency

    def discount_pct(self, part_class: str, part: str) -> Decimal:
        """Return the discount of a part in per cent.

        Prices of the inventory have none; otherwise the discount of the class wins over the general
        one.
        """
        own: Decimal | None = getattr(self.asked.discount, part_class)
        return (
            Decimal(0)
            if part in self.asked.parts
            else self.asked.discount.all
            if own is None
            else own
        )

    def paid(self, price: Decimal, part_class: str, part: str) -> Decimal:
        """Return what one part costs.

        Where a discount or a rate changes its price it is rounded to cents, half up, so that totals
        are sums of what is shown.
        """
        off, rate = (
            self.discount_pct(part_class, part),
            self.asked.exchange.rate if self.asked.exchange else Decimal(1),
        )
        return (
            price
            if off == 0 and rate == 1
            else (price * (100 - off) / 100 * rate).quantize(CENT, ROUND_HALF_UP)
        )


def terms_of(spec: FabricSpec, book: PriceBook) -> Terms:
    """Return the terms of an inventory.

    Raises Refusal `same-currency` for a rate between a currency and itself.
    """
    exchange = spec.prices.exchange
    if exchange and exchange.currency == book.currency:
        because = (
            f"the prices of `{book.name}` are in {book.currency}",
            f"at the rate {exchange.rate} they would be paid in {exchange.currency}",
        )
        hint = "leave `exchange` out, or name the currency that you pay in"
        raise refuse(
            "same-currency",
            f"{book.currency} are exchanged for {book.currency}",
            path=("prices", "exchange"),
            because=because,
            hint=hint,
        )
    return Terms(spec.prices, book.currency)
