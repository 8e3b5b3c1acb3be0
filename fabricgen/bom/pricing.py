"""What a part costs: the book's price, less a discount, in the currency of payment.

Owns `Terms`; `planning.price_book` finds the price. One given in the inventory is paid as it is,
without discount, unless it states another currency; a rate of exchange is stated, never looked
up.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from fabricgen.core.diagnostics import Refusal
    from fabricgen.inventory.purchasing import Prices
    from fabricgen.planning.price_book import Offer, PriceList

CENT = Decimal("0.01")


class Terms(NamedTuple):
    """How a price becomes a price paid; `book_currency` is the currency that is exchanged."""

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

    def paid(self, offer: Offer, part_class: str, part: str) -> Decimal:
        """Return what one part costs.

        Where a discount or a rate changes its price it is rounded to cents, half up, so that totals
        are sums of what is shown.
        """
        off = self.discount_pct(part_class, part)
        exchange = self.asked.exchange
        rate = exchange.rate if exchange and offer.currency != self.currency else Decimal(1)
        return (
            offer.price
            if off == 0 and rate == 1
            else (offer.price * (100 - off) / 100 * rate).quantize(CENT, ROUND_HALF_UP)
        )


def terms_of(prices: PriceList) -> Terms:
    """Return the terms of an inventory.

    Raises Refusal `same-currency` for a rate between a currency and itself, and `no-exchange-rate`
    for prices of a currency without one.
    """
    exchange, foreign, first = prices.asked.exchange, prices.foreign, prices.books[0]
    if exchange and not foreign:
        because = (
            f"the prices of `{first.name}` are in {first.currency}",
            f"at the rate {exchange.rate} they would be paid in {exchange.currency}",
        )
        hint = "leave `exchange` out, or name the currency that you pay in"
        raise refuse(
            "same-currency",
            f"{first.currency} are exchanged for {first.currency}",
            path=("prices", "exchange"),
            because=because,
            hint=hint,
        )
    if len(foreign) > (1 if exchange else 0):
        raise _no_rate(prices)
    return Terms(prices.asked, foreign[0] if foreign else prices.currency)


def _no_rate(prices: PriceList) -> Refusal:
    """Return the refusal of prices of several currencies without a rate for all of them."""
    exchange, foreign = prices.asked.exchange, prices.foreign
    because = [f"the prices of `{book.name}` are in {book.currency}" for book in prices.books]
    because += [
        f"`prices.parts.{part}` is in {own.currency}" for part, own in prices.asked.stated.items()
    ]
    if exchange:
        because.append(f"`exchange` has the rate of one currency for {exchange.currency}")
        hint = f"give prices in {foreign[0]} and {exchange.currency} alone"
    else:
        hint = (
            f"state the rate: `prices.exchange: {{currency: {prices.currency}, rate: <price of 1"
            f" {foreign[0]}>, date: <its day>}}`"
        )
    return refuse(
        "no-exchange-rate",
        f"prices are in {' and '.join([prices.currency, *foreign])}, without a rate between them",
        path=("prices", "exchange") if exchange else ("prices",),
        because=tuple(because),
        hint=hint,
    )
