"""What a part costs: the book's price, less a discount, in the currency that is paid in.

Owns the finding of a price book, and `Terms`. A price that the inventory gives is what is paid, so
nothing comes off it; a rate of exchange is stated, never looked up. What is bought is counted in
`bom`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import nearest, refuse

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.purchasing import Prices

DEFAULT_BOOK = "paper-v5"
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Terms:
    """How a price of a book becomes what is paid; `book_currency` is what the book's prices are in."""

    asked: Prices
    book_currency: str

    @property
    def currency(self) -> str:
        """The currency that is paid in."""
        return self.asked.exchange.currency if self.asked.exchange else self.book_currency

    def discount_pct(self, part_class: str, part: str) -> Decimal:
        """Return the per cent that come off a part: none off a price of the inventory, else what its class says, else what all have."""
        own: Decimal | None = getattr(self.asked.discount, part_class)
        return (
            Decimal(0)
            if part in self.asked.parts
            else self.asked.discount.all
            if own is None
            else own
        )

    def paid(self, price: Decimal, part_class: str, part: str) -> Decimal:
        """Return what one part costs; where a discount or a rate changes its price, rounded to cents, a half up, so that totals are of what is shown."""
        off, rate = (
            self.discount_pct(part_class, part),
            self.asked.exchange.rate if self.asked.exchange else Decimal(1),
        )
        return (
            price
            if off == 0 and rate == 1
            else (price * (100 - off) / 100 * rate).quantize(CENT, ROUND_HALF_UP)
        )


def price_book(spec: FabricSpec, catalog: Catalog) -> PriceBook:
    """Find the book that the inventory names, with its own prices laid over. Raises Refusal `unknown-price-book`."""
    name = spec.prices.book or DEFAULT_BOOK
    book = catalog.price_book(name)
    if book is None:
        near = nearest(name, catalog.names("prices"))
        is_path = name.endswith((".yaml", ".yml"))
        known = (
            "a path is relative to the inventory; "
            if is_path
            else f"did you mean `{near}`? "
            if near
            else ""
        )
        hint = f"{known}books: {', '.join(catalog.names('prices'))}, or the path of a .yaml file"
        raise refuse(
            "unknown-price-book",
            f"there is no price book {'file ' if is_path else ''}`{name}`",
            path=("prices", "book"),
            hint=hint,
        )
    return book.model_copy(update={"parts": {**book.parts, **spec.prices.parts}})


def terms_of(spec: FabricSpec, book: PriceBook) -> Terms:
    """Return the terms of an inventory. Raises Refusal `same-currency` for a rate between a currency and itself."""
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
