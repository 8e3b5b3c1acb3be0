"""What is bought beside and for how much: spares, prices, discounts and the currency."""

from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field

from fabricgen.inventory.fields import CURRENCY, Count, Day, Part, Percent, Price, decimal_of


class SparePolicy(Part):
    """Spares of one part class: a percentage, rounded up, and never fewer than a minimum, once for the inventory, which is one site."""

    percent: Annotated[
        float, Field(strict=True, ge=0, le=100, allow_inf_nan=False, examples=[2])
    ] = 0
    """Per cent of the installed quantity."""
    minimum: Annotated[int, Field(strict=True, ge=0, examples=[1])] = 0
    """At least this many of each part."""
    pack: Annotated[Count | None, Field(le=100_000, examples=[10])] = None
    """Parts of a pack, where they are sold in packs: what is bought is rounded up to whole ones. Default: what the price book says, else 1."""


class Spares(Part):
    """Spare parts to buy along, by part class."""

    switches: Annotated[SparePolicy, Field(examples=[{"minimum": 1}])] = (
        SparePolicy.model_construct()
    )
    """Spare switches."""
    transceivers: Annotated[SparePolicy, Field(examples=[{"percent": 2}])] = (
        SparePolicy.model_construct()
    )
    """Spare modules."""
    cables: Annotated[SparePolicy, Field(examples=[{"percent": 5}])] = SparePolicy.model_construct()
    """Spare cables."""
    nics: Annotated[SparePolicy, Field(examples=[{"minimum": 2}])] = SparePolicy.model_construct()
    """Spare NICs, where the bill of materials counts NICs."""


class Discount(Part):
    """Per cent off the prices of the book; what a class says replaces `all`. Prices that the inventory gives are paid as they are."""

    all: Annotated[Percent, Field(examples=[10])] = Decimal(0)
    """Off every part of the book."""
    switches: Annotated[Percent | None, Field(examples=[25])] = None
    """Off switches."""
    transceivers: Annotated[Percent | None, Field(examples=[40])] = None
    """Off transceivers."""
    cables: Annotated[Percent | None, Field(examples=[15])] = None
    """Off cables."""
    nics: Annotated[Percent | None, Field(examples=[5])] = None
    """Off NICs."""


class Exchange(Part):
    """The currency that is paid in, at a rate that is stated; no rate is ever looked up."""

    currency: Annotated[str, Field(strict=True, pattern=f"^{CURRENCY}$", examples=["EUR"])]
    """What is paid in, by its ISO code."""
    rate: Annotated[
        Decimal,
        Field(gt=0, le=1_000_000, allow_inf_nan=False, examples=[0.92]),
        BeforeValidator(decimal_of),
    ]
    """How much of it one segment of the book's currency costs."""
    date: Annotated[Day, Field(examples=["2026-09-22"])]
    """The day of the rate; it stands beside every sum."""


class Prices(Part):
    """A price book, with prices of single parts that win over it."""

    book: Annotated[str | None, Field(strict=True, examples=["paper-v5", "./our-prices.yaml"])] = (
        None
    )
    """A book of the catalog, or the path of a file (ending in .yaml)."""
    parts: Annotated[dict[str, Price], Field(examples=[{"sn5600": 50000}])] = {}
    """Price of one part by its model, in the currency of the book."""
    discount: Annotated[Discount, Field(examples=[{"all": 10, "switches": 25}])] = (
        Discount.model_construct()
    )
    """Per cent off the prices of the book."""
    exchange: Annotated[
        Exchange | None, Field(examples=[{"currency": "EUR", "rate": 0.92, "date": "2026-09-22"}])
    ] = None
    """Another currency to pay in. Default: that of the book."""
