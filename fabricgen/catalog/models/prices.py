"""The catalog model of price books."""

import datetime as dt
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fabricgen.catalog.models.base import Count, Percent, Price, Sourced, Text

if TYPE_CHECKING:
    from decimal import Decimal


class PriceBook(Sourced):
    """Prices of one origin and date.

    The two rates are for 400G and scale linearly with bandwidth; parts are priced by model.
    """

    name: Text
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    date: dt.date | None = None
    switch_port_400g: Price | None = None
    transceiver_400g: Price | None = None
    parts: dict[str, Price] = {}
    support_pct_per_year: dict[str, Percent] = {}  # of the price of a part
    packs: dict[str, Count] = {}  # parts in one sales pack; the price is per part

    def switch_port(self, speed_gbps: int) -> "Decimal | None":
        """Return the price of one switch port of a speed by the book's rate.

        >>> facts = {"name": "paper-v5", "description": "-", "source": "-", "currency": "USD"}
        >>> PriceBook(**facts, switch_port_400g=694).switch_port(800)
        Decimal('1388')
        """
        return None if self.switch_port_400g is None else self.switch_port_400g * speed_gbps / 400

    def transceiver(self, speed_gbps: int) -> "Decimal | None":
        """Return the price of the transceiver of one link end of a speed by the book's rate."""
        return None if self.transceiver_400g is None else self.transceiver_400g * speed_gbps / 400
