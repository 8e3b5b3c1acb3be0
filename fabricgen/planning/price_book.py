"""The prices of an inventory: its own, then those of its price books in their order.

A book is one of the catalog or a file. Owns which price a part has, and in which currency.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.catalog.catalog import CSV, YAML
from fabricgen.core.diagnostics import nearest, refuse
from fabricgen.inventory.purchasing import OwnPrice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.prices import PriceBook, Quote
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.purchasing import Prices

    Wanted = tuple[str, str, str, tuple[Decimal | None, ...]]
    """A part, its length, its order number, and the rates of each book for parts like it."""

DEFAULT_BOOK = "paper-v5"

PRICED = (
    "switches",
    "transceivers",
    "cables",
    "nics",
    "panels",
    "cassettes",
    "devices",
    "power-cords",
    "hosts",
)
"""Kinds of the catalog whose models are in a bill; trunks are listed by name and fibre count."""


class Offer(NamedTuple):
    """The price of a part in a currency: of a quote, of a book, or of the inventory itself."""

    price: Decimal
    currency: str
    book: PriceBook | None = None
    """None for a price of the inventory."""
    quote: Quote | None = None


class PriceList(NamedTuple):
    """The inventory's own prices, then those of its books in their order."""

    asked: Prices
    books: tuple[PriceBook, ...]
    book: PriceBook
    """The book, or one with the names and the terms of several."""
    currency: str
    """The currency of payment: that of the exchange, else that of the first book."""
    foreign: tuple[str, ...]
    """The other currencies of books and prices, each once."""

    def rate_of(self, currency: str) -> Decimal:
        """Return the rate at which a price of a currency is paid."""
        exchange = self.asked.exchange
        return exchange.rate if exchange and currency != self.currency else Decimal(1)

    def offers(self, parts: Iterable[Wanted]) -> list[Offer | None]:
        """Return the price of each part; None where it has none."""
        return [self.offer(*wanted) for wanted in parts]

    def offer(
        self,
        part: str,
        length_m: str = "",
        number: str = "",
        rates: tuple[Decimal | None, ...] = (),
    ) -> Offer | None:
        """Return the price of a part, or of a cable of a length, or of its order number.

        `rates` are those of each book for a part like this one, in the order of the books. None
        where the part has no price.
        """
        own = self.asked.parts.get(part)
        if isinstance(own, OwnPrice):
            return Offer(own.price, own.currency)
        if own is not None:
            return Offer(own, self.currency)
        for place, book in enumerate(self.books):
            quote = book.quote(part, length_m, number)
            rate = rates[place] if rates else None
            price = quote.price if quote else book.parts.get(part, rate)
            if price is not None:
                return Offer(price, book.currency, book, quote)
        return None


def price_list(spec: FabricSpec, catalog: Catalog) -> PriceList:
    """Return the prices of an inventory. Raises Refusal `unknown-price-book`."""
    asked = spec.prices
    names = asked.book or DEFAULT_BOOK
    every = (names,) if isinstance(names, str) else names
    books = tuple([_book(name, catalog) for name in every])
    currencies = [book.currency for book in books]
    paid = asked.exchange.currency if asked.exchange else currencies[0]
    if asked.parts:
        currencies += [own.currency for own in asked.stated.values()]
    foreign = tuple(dict.fromkeys(each for each in currencies if each != paid))
    return PriceList(asked, books, _together(books), paid, foreign)


def _together(books: tuple[PriceBook, ...]) -> PriceBook:
    """Return a book, or one with the names and the terms of several."""
    first, *others = books
    if not others:
        return first
    return first.model_copy(
        update={
            "name": ", then ".join(book.name for book in books),
            "description": " Then: ".join(book.description for book in books),
            "date": None,
            "quotes": tuple(quote for book in books[::-1] for quote in book.quotes),
            "support_pct_per_year": {
                part: share
                for book in books[::-1]
                for part, share in book.support_pct_per_year.items()
            },
        }
    )


def _book(name: str, catalog: Catalog) -> PriceBook:
    """Return a price book. Raises Refusal `unknown-price-book`."""
    book = catalog.price_book(name)
    if book is None:
        near = nearest(name, catalog.names("prices"))
        is_path = is_file_name(name)
        known = (
            "a path is relative to the inventory; "
            if is_path
            else f"did you mean `{near}`? "
            if near
            else ""
        )
        listed = ", ".join(catalog.names("prices"))
        hint = f"{known}books: {listed}, or the path of a .yaml or .csv file"
        raise refuse(
            "unknown-price-book",
            f"there is no price book {'file ' if is_path else ''}`{name}`",
            path=("prices", "book"),
            hint=hint,
        )
    return book


def is_file_name(book: str) -> bool:
    """Return whether the name of a price book is the path of a file."""
    return book.endswith((*YAML, CSV))
