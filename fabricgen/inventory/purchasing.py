"""Spares, prices, discounts and the currency."""

from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fabricgen.inventory.fields import (
    CURRENCY,
    Count,
    Day,
    InventoryModel,
    Percent,
    Price,
    decimal_of,
)


class SparePolicy(InventoryModel):
    """Spares of each part of a class: a percentage, rounded up, with a minimum, for the whole site.

    Cables of each length have their own.
    """

    percent: Annotated[
        float, Field(strict=True, ge=0, le=100, allow_inf_nan=False, examples=[2])
    ] = 0
    """Percentage of the installed quantity."""
    minimum: Annotated[int, Field(strict=True, ge=0, examples=[1])] = 0
    """Minimum number of spares of each part, and of each length of a cable."""
    pack: Annotated[Count | None, Field(le=100_000, examples=[10])] = None
    """Number of parts in a sales pack; ordered quantities are rounded up to whole packs. Default:
    that of the price book, else 1."""


NO_SPARES = SparePolicy.model_construct()


class Spares(InventoryModel):
    """Spare parts to buy, by part class."""

    switches: Annotated[SparePolicy, Field(examples=[{"minimum": 1}])] = (
        SparePolicy.model_construct()
    )
    """Spare switches."""
    transceivers: Annotated[SparePolicy, Field(examples=[{"percent": 2}])] = (
        SparePolicy.model_construct()
    )
    """Spare transceivers."""
    cables: Annotated[SparePolicy, Field(examples=[{"percent": 5}])] = SparePolicy.model_construct()
    """Spare cables."""
    nics: Annotated[SparePolicy, Field(examples=[{"minimum": 2}])] = SparePolicy.model_construct()
    """Spare NICs, where the bill of materials counts NICs (see `nic.model`)."""
    devices: Annotated[SparePolicy, Field(examples=[{"minimum": 1}])] = (
        SparePolicy.model_construct()
    )
    """Spare devices, such as management nodes; the bill has those of `devices` with a `model`."""
    cords: Annotated[SparePolicy | None, Field(examples=[{"percent": 5}])] = None
    """Spare power cords; the bill has those of racks with PDUs. Default: none."""


class Discount(InventoryModel):
    """Percentage off the prices of the book; that of a class replaces `all`.

    Prices given under `prices.parts` are net.
    """

    all: Annotated[Percent, Field(examples=[10])] = Decimal(0)
    """Percentage off every part of the book."""
    switches: Annotated[Percent | None, Field(examples=[25])] = None
    """Percentage off switches; default: `all`."""
    transceivers: Annotated[Percent | None, Field(examples=[40])] = None
    """Percentage off transceivers; default: `all`."""
    cables: Annotated[Percent | None, Field(examples=[15])] = None
    """Percentage off cables; default: `all`."""
    nics: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage off NICs; default: `all`."""
    devices: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage off devices; default: `all`."""
    cords: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage off power cords; default: `all`."""
    hosts: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage off hosts, which the bill of a cluster has; default: `all`."""
    racks: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage off racks, which the bill of a cluster in a known room has; default: `all`."""


class Exchange(InventoryModel):
    """The currency to pay in, at a given rate; rates are never looked up."""

    currency: Annotated[str, Field(strict=True, pattern=f"^{CURRENCY}$", examples=["EUR"])]
    """The currency to pay in, by its ISO 4217 code."""
    rate: Annotated[
        Decimal,
        Field(gt=0, le=1_000_000, allow_inf_nan=False, examples=[0.92]),
        BeforeValidator(decimal_of),
    ]
    """Price of one unit of the other currency of the books and prices in this currency."""
    date: Annotated[Day, Field(examples=["2026-09-22"])]
    """The date of the rate, shown beside every sum."""


class Preferences(InventoryModel):
    """The choice between modules and cables that fit a link and have one medium.

    Named parts come first, then vendors, then the price. Without a preference the reach decides,
    then your own catalog directories, proof, and power.
    """

    part: Annotated[str | tuple[str, ...], Field(examples=["mma4z00-ns", ["aa-osfp"]])] = ()
    """A module or cable of the catalog, or a list in the order of preference."""
    vendor: Annotated[str | tuple[str, ...], Field(examples=["NVIDIA"])] = ()
    """A vendor as catalog files name it, or a list in the order of preference."""
    cheapest: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether the part with the lowest price in the price book is taken; an unpriced part comes
    last, and a cable counts with the lowest price of any length."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The preferred parts, in their order."""
        return (self.part,) if isinstance(self.part, str) else self.part

    @property
    def vendors(self) -> tuple[str, ...]:
        """The preferred vendors, in their order."""
        return (self.vendor,) if isinstance(self.vendor, str) else self.vendor


class OwnPrice(InventoryModel):
    """A net price with its currency."""

    price: Annotated[Price, Field(examples=[50000])]
    """Price of one part."""
    currency: Annotated[str, Field(strict=True, pattern=f"^{CURRENCY}$", examples=["USD"])]
    """The currency of the price, by its ISO 4217 code."""


def _form_of(value: object) -> str:
    """Return which form a price has: a number, or a number with its currency."""
    return "own" if isinstance(value, dict | OwnPrice) else "price"


NetPrice = Annotated[
    Annotated[Price, Tag("price")] | Annotated[OwnPrice, Tag("own")], Discriminator(_form_of)
]
"""A net price in the currency of payment, or in its own."""


class Prices(InventoryModel):
    """A price book or several, and prices of single parts that take precedence over them."""

    book: Annotated[
        str | Annotated[tuple[str, ...], Field(min_length=1)] | None,
        Field(examples=["paper-v5", "./our-prices.yaml", ["./quote.csv", "street-2026-09"]]),
    ] = None
    """The name of a price book in the catalog, or the path of a file that ends in .yaml or .csv; or
    a list of them, of which the first with a price of a part is taken."""
    parts: Annotated[
        dict[str, NetPrice],
        Field(examples=[{"sn5600": 50000}, {"sn5600": {"price": 50000, "currency": "USD"}}]),
    ] = {}
    """Net price of a part by its model: in the currency that it states, else in the currency of
    payment, which is that of `exchange`, or that of the first book."""
    discount: Annotated[Discount, Field(examples=[{"all": 10, "switches": 25}])] = (
        Discount.model_construct()
    )
    """Percentage off the prices of the book."""
    exchange: Annotated[
        Exchange | None, Field(examples=[{"currency": "EUR", "rate": 0.92, "date": "2026-09-22"}])
    ] = None
    """Another currency to pay in. Default: the currency of the book."""
    prefer: Annotated[Preferences, Field(examples=[{"vendor": "NVIDIA", "cheapest": True}])] = (
        Preferences.model_construct()
    )
    """The choice between parts that fit a link."""

    @property
    def books(self) -> tuple[str, ...]:
        """The price books, in their order; none where the default is taken."""
        return (self.book,) if isinstance(self.book, str) else self.book or ()

    @property
    def stated(self) -> dict[str, OwnPrice]:
        """The prices of parts that state their currency."""
        return {part: own for part, own in self.parts.items() if isinstance(own, OwnPrice)}


class SupportRates(InventoryModel):
    """What support costs a year, as a percentage of the price paid for the installed parts.

    A percentage of a part in the price book takes precedence.
    """

    switches: Annotated[Percent | None, Field(examples=[8])] = None
    """Percentage of switches a year."""
    transceivers: Annotated[Percent | None, Field(examples=[3])] = None
    """Percentage of transceivers a year."""
    cables: Annotated[Percent | None, Field(examples=[2])] = None
    """Percentage of cables a year."""
    nics: Annotated[Percent | None, Field(examples=[5])] = None
    """Percentage of NICs a year."""


class Ownership(InventoryModel):
    """The terms of the cost of ownership; what is not given is left out of it."""

    years: Annotated[Count | None, Field(le=30, examples=[4])] = None
    """Years of operation; `--years` takes precedence."""
    kwh_price: Annotated[Price | None, Field(examples=[0.12])] = None
    """Price of a kilowatt-hour in the currency of payment; `--kwh` takes precedence."""
    pue: Annotated[
        Decimal | None,
        Field(ge=1, le=10, allow_inf_nan=False, examples=[1.3]),
        BeforeValidator(decimal_of),
    ] = None
    """Power usage effectiveness: power of the data center divided by that of its equipment; `--pue`
    takes precedence."""
    support_pct: Annotated[SupportRates, Field(examples=[{"switches": 8}])] = (
        SupportRates.model_construct()
    )
    """Support a year, by part class, as a percentage of the price paid."""
