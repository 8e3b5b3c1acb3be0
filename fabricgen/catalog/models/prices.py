"""The catalog model of price books."""

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from fabricgen.catalog.models.base import (
    Facts,
    Index,
    Many,
    Metres,
    Percent,
    Price,
    Sourced,
    Text,
)

if TYPE_CHECKING:
    from decimal import Decimal


class Quote(Facts):
    """The price of a part, or of one length of a cable, with the terms of its supplier.

    `part` is a model of the catalog, or its order number, which may state a length.
    """

    part: Text
    length_m: Metres | None = None
    price: Price
    supplier: Text | None = None
    item_number: Text | None = None
    valid_until: dt.date | None = None
    lead_time_days: Index | None = None
    support_pct_per_year: Percent | None = None


class PriceBook(Sourced):
    """Prices of one origin and date.

    Two rates are for 400G and scale linearly with bandwidth; that of a port of an optical circuit
    switch holds for any speed, as it passes light. Parts are priced by model, and
    `quotes` have prices by length and the terms of suppliers. A quote for a length comes before one
    for the part, and that before a price in `parts`.
    """

    name: Text
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    date: dt.date | None = None
    switch_port_400g: Price | None = None
    transceiver_400g: Price | None = None
    circuit_port: Price | None = None
    parts: dict[str, Price] = {}
    support_pct_per_year: dict[str, Percent] = {}  # of the price of a part
    packs: dict[str, Many] = {}  # parts in one sales pack; the price is per part
    quotes: tuple[Quote, ...] = ()

    @model_validator(mode="after")
    def _one_quote_each(self) -> Self:
        """Refuse two quotes for the same part and length."""
        known: set[tuple[str, float | None]] = set()
        for quote in self.quotes:
            if (quote.part, quote.length_m) in known:
                length = "" if quote.length_m is None else f" of {quote.length_m:g} m"
                raise ValueError(f"quotes: {quote.part}{length} has two")
            known.add((quote.part, quote.length_m))
        return self

    def quote(self, part: str, length_m: str = "", number: str = "") -> Quote | None:
        """Return the quote for a part, or for a cable of a length, or for its order number."""
        length = float(length_m) if length_m else None
        wanted: list[tuple[str, float | None]] = [(part, length), (part, None)]
        if number:
            wanted.insert(0, (number.lower(), None))
        found = {(each.part.lower(), each.length_m): each for each in self.quotes}
        return next((found[key] for key in wanted if key in found), None)

    def price(self, part: str, length_m: str = "", number: str = "") -> "Decimal | None":
        """Return the price of a part, or of a cable of a length, or of its order number.

        >>> facts = {"name": "quote", "description": "-", "source": "-", "currency": "EUR"}
        >>> quote = {"part": "mfp7e10", "length_m": 30, "price": 95}
        >>> book = PriceBook(**facts, parts={"mfp7e10": 60}, quotes=[quote])
        >>> book.price("mfp7e10", "30"), book.price("mfp7e10", "10")
        (Decimal('95'), Decimal('60'))
        """
        quote = self.quote(part, length_m, number)
        return quote.price if quote else self.parts.get(part)

    def support_pct(self, part: str, length_m: str = "", number: str = "") -> "Decimal | None":
        """Return the support of a part in a year, in per cent of its price; None if not stated."""
        quote = self.quote(part, length_m, number)
        own = quote.support_pct_per_year if quote else None
        return self.support_pct_per_year.get(part) if own is None else own

    def switch_port(self, speed_gbps: int) -> "Decimal | None":
        """Return the price of one switch port of a speed by the book's rate.

        >>> facts = {"name": "paper-v5", "description": "-", "source": "-", "currency": "USD"}
        >>> PriceBook(**facts, switch_port_400g=694).switch_port(800)
        Decimal('1388')
        """
        return None if self.switch_port_400g is None else self.switch_port_400g * speed_gbps / 400

    def circuit_switch(self, ports: int) -> "Decimal | None":
        """Return the price of an optical circuit switch by the book's rate for its ports."""
        return None if self.circuit_port is None else self.circuit_port * ports

    def transceiver(self, speed_gbps: int) -> "Decimal | None":
        """Return the price of the transceiver of one link end of a speed by the book's rate."""
        return None if self.transceiver_400g is None else self.transceiver_400g * speed_gbps / 400
