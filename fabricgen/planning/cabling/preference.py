"""The choice between parts that fit, where a medium leaves several.

Owns the rule. What the inventory prefers comes first: parts, then vendors, then the lowest price.
Then the least reach; then a part of the user's own catalog directories before a shipped one,
because users add what they buy; then the part whose facts are better proven; then the one of lower
power. Names decide only between parts that are equal in all of this. Prices decide only where the
inventory asks for the cheapest: otherwise a price book must not change a fabric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.inventory.purchasing import Preferences
    from fabricgen.planning.price_book import PriceList

QUALITIES = "ABC"
"""How well facts are proven, the best first."""

RULE = (
    "of parts that fit and reach alike, your own catalog directories come first, then better proven"
    " facts, then less power"
)


class Rank(NamedTuple):
    """The sort key of parts of one medium and one reach; smaller comes first."""

    directory: int
    quality: int
    power_w: float


class Stated(NamedTuple):
    """The sort key of what an inventory prefers, of one part or several; smaller comes first."""

    parts: int
    vendors: int
    unpriced: int
    price: float


@dataclass(frozen=True, eq=False)
class PartPrices:
    """The prices of parts, before any length is known."""

    prices: PriceList

    def of(self, part: Transceiver | Cable) -> float | None:
        """Return the price of a part as it is paid, of a cable the lowest of any length.

        None where it has none.
        """
        books, bandwidth = (
            self.prices.books,
            0 if hasattr(part, "legs") else part.ports * part.port_gbps,
        )
        rates = tuple(book.transceiver(bandwidth) if bandwidth else None for book in books)
        found = self.prices.offer(part.model, number=part.opn or "", rates=rates)
        if found:
            return float(found.price * self.prices.rate_of(found.currency))
        quoted = [
            quote.price * self.prices.rate_of(book.currency)
            for book in books
            for quote in book.quotes
            if quote.part.lower() == part.model
        ]
        return float(min(quoted)) if quoted else None


class Preference(NamedTuple):
    """What parts are chosen by: an inventory's preferences, and facts of the catalog.

    `prices` are None where they decide nothing.
    """

    catalog: Catalog
    asked: Preferences
    prices: PartPrices | None = None

    def admits(self, parts: Iterable[Transceiver | Cable | None]) -> bool:
        """Return whether all parts may be taken: some are only where the inventory prefers them."""
        parts_asked, vendors = self.asked.parts, self.asked.vendors
        return all(
            not getattr(part, "on_request", False)
            or _place(part.model, parts_asked) < len(parts_asked)
            or _place(part.vendor, vendors) < len(vendors)
            for part in parts
            if part
        )

    def stated(self, parts: Iterable[tuple[Transceiver | Cable, float]]) -> Stated:
        """Rank parts by what the inventory prefers, each with how many of it a link takes."""
        counted = list(parts)
        prices = [(self.prices.of(part), count) for part, count in counted] if self.prices else []
        return Stated(
            sum(_place(part.model, self.asked.parts) for part, _ in counted),
            sum(_place(part.vendor, self.asked.vendors) for part, _ in counted),
            sum(price is None for price, _ in prices),
            sum(price * count for price, count in prices if price is not None),
        )

    def rank(self, part: Transceiver | Cable) -> Rank:
        """Rank a part by its facts; unpublished power comes last."""
        kind = "cables" if hasattr(part, "legs") else "transceivers"
        return Rank(
            self.catalog.directory(kind, part.model),
            QUALITIES.index(part.quality),
            math.inf if part.power_w is None else part.power_w,
        )


def _place(name: str, preferred: tuple[str, ...]) -> int:
    """Return the place of a name in a list of preferred ones; others come last.

    >>> [_place(name, ("FS", "NVIDIA")) for name in ("nvidia", "FS", "Luma")]
    [1, 0, 2]
    """
    lowered = [each.lower() for each in preferred]
    return lowered.index(name.lower()) if name.lower() in lowered else len(lowered)
