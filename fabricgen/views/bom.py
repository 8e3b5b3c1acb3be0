"""What templates see of the bill, and of the same cluster in each design."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabricgen.core.template_api import for_templates


@dataclass(slots=True, kw_only=True)
class PartView:
    """One row of the bill of materials; an unknown value is empty, never 0."""

    row: str
    """What the row is: part, subtotal of a class, or total."""
    part_class: str
    part: str
    length_m: str = ""
    """Length of a cable in metres; a line is a part of one length."""
    part_number: str
    """Order number; empty where the catalog states none for the part or the length."""
    description: str
    purpose: str
    """What it is for: a count for each place, like `64 leaf, 32 spine`."""
    quantity: str
    spares: str
    order: str = ""
    """What is bought: quantity and spares, in whole packs."""
    unit_price: str
    price_book: str
    """The book of the unit price, or `inventory` where the inventory gives it."""
    price_date: str
    currency: str
    total: str
    """Price of the order: order x unit price."""
    power_w: str
    """Typical power of the quantity; spares are not powered."""
    pack: str = ""
    """How many are sold together; quantity and spares make whole packs."""
    list_price: str = ""
    """The price of the book, in its own currency, before any discount."""
    list_currency: str = ""
    discount_pct: str = ""
    power_max_w: str = ""
    """The most power that the quantity may take."""
    supplier: str = ""
    """Who quoted the price; this and what follows are empty where the price book has no quote."""
    item_number: str = ""
    """What the supplier calls the part."""
    valid_until: str = ""
    lead_time_days: str = ""
    support_pct_per_year: str = ""
    """Support for a year, in per cent of the price."""


@dataclass(slots=True)
class SuppliedView:
    """Power cords that come with their devices, so that none is bought."""

    part: str
    model: str
    """The model of the devices."""
    purpose: str
    quantity: str


@dataclass(slots=True, kw_only=True)
class BomView:
    """The bill of materials. The description of a sum lists the parts that it omits."""

    fabric: str
    design: str
    currency: str
    price_book: str
    parts: list[PartView]
    sums: list[PartView]
    """A row for each class of parts, and the total."""
    unpriced: list[PartView]
    """The parts without a price, which no sum contains."""
    link_ends: str
    """Transceivers counted one per link end with a module, as in the rail-only paper."""
    modules: str
    """Transceivers as they are sold and counted in `parts`: a twin-port module serves two links."""
    terms: list[str] = field(default_factory=list)
    """Discount, exchange and spares, in a sentence each."""
    supplied: list[SuppliedView] = field(default_factory=list)
    """The power cords in the boxes of devices."""

    @property
    @for_templates
    def rows(self) -> list[PartView]:
        """The parts, then the sums."""
        return [*self.parts, *self.sums]


@dataclass(slots=True)
class FigureView:
    """One figure of the compared designs."""

    figure: str
    unit: str
    values: list[str]
    """In the order of `ComparisonView.designs`; empty where unknown, with the reason in `note`."""
    saving_pct: str
    """The saving of rail-only against the fat-tree."""
    note: str
    missing: str = ""
    """The part of `note` about what the figures of the feasible designs omit."""
    bound: str = "exact"
    """Whether the saving is exact, `at least` or `at most` that, or `of priced parts`."""


@dataclass(slots=True)
class ComparisonView:
    """The same cluster in each design."""

    fabric: str
    designs: list[str]
    figures: list[FigureView]
