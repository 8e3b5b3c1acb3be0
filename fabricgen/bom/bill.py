"""Parts, prices, power and spares: what must be bought.

Owns the one list of parts that every total comes from: a module is counted as it is sold (a
twin-port module serves two links), while `transceivers` in a summary counts link ends, as the
rail-only paper does. A part without a price is listed as unpriced, never as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from fabricgen.bom.counts import item_name
from fabricgen.bom.patch_counts import CORDS, PANELS, TRUNKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.bom.pricing import Terms
    from fabricgen.catalog.models.prices import PriceBook, Quote
    from fabricgen.planning.price_book import Offer

PartClass = Literal[
    "switches", "transceivers", "cables", "nics", "devices", "cords", "hosts", "racks"
]
CLASSES: tuple[PartClass, ...] = (
    "switches",
    "transceivers",
    "cables",
    "nics",
    "devices",
    "cords",
    "hosts",
    "racks",
)
NETWORK_CLASSES = frozenset(CLASSES[:3])
"""The classes that every design is compared by: one without parts costs nothing. Of the others, a
bill without parts leaves them to the site."""
DEVICES = "devices"
"""The class and the purpose of devices that are neither hosts nor switches; a bill of all networks
has them."""
RACKS = "racks"
"""The purpose of racks, and their place in a bill by role."""
BESIDE = frozenset({DEVICES, "hosts"})
"""The classes of boxes that are no part of a network: sums of power are without them."""


@dataclass(frozen=True, kw_only=True)
class BillLine:
    """One part to buy; of cables, one part of one length.

    `unit_power_w` is the typical power of one, `unit_power_max_w` the maximum; powers and prices
    are None where they are unknown. `purposes` list what it is for, with a count each: a role, a
    kind of link, or GPUs. `spares` follow the policy, filled up to whole packs. `list_price` is the
    offer's, in its currency; `unit_price` is the price paid.
    """

    part_class: PartClass
    part: str
    length_m: str = ""
    """Length of a cable in metres; empty for other parts, and where no lengths are planned."""
    part_number: str
    description: str
    purposes: tuple[tuple[str, int], ...]
    quantity: int
    spares: int = 0
    list_price: Decimal | None = None
    unit_power_w: Fraction | None
    unit_power_max_w: Fraction | None
    unit_price: Decimal | None = None
    discount_pct: Decimal = Decimal(0)
    pack: int = 1
    rates: tuple[Decimal | None, ...] = ()
    """The prices of a part like this one by the rates of each price book, in their order."""
    offer: Offer | None = None
    """Where the price is from; its quote has the terms of a supplier."""

    @property
    def item(self) -> str:
        """The name of what is ordered: the part, and for a cable its length."""
        return item_name(self.part, self.length_m)

    @property
    def order(self) -> int:
        """The number to order: the quantity and its spares, in whole packs."""
        return self.quantity + self.spares

    @property
    def quote(self) -> Quote | None:
        """The quote that the price is from."""
        return self.offer.quote if self.offer else None

    @property
    def purpose(self) -> str:
        """The purposes as text, like `64 leaf, 32 spine`."""
        return ", ".join(f"{count} {name}" for name, count in self.purposes)

    @property
    def total(self) -> Decimal | None:
        """Price of the order."""
        return None if self.unit_price is None else self.unit_price * self.order

    @property
    def power_w(self) -> Fraction | None:
        """Power of the quantity; spares are not powered."""
        return None if self.unit_power_w is None else self.unit_power_w * self.quantity

    @property
    def power_max_w(self) -> Fraction | None:
        """Maximum power of the quantity."""
        return None if self.unit_power_max_w is None else self.unit_power_max_w * self.quantity


@dataclass(frozen=True)
class Bom:
    """Every part of a fabric, priced by one book; `book.currency` is the currency of payment."""

    lines: tuple[BillLine, ...]
    book: PriceBook
    terms: Terms

    def cost(self, part_class: PartClass | None = None) -> Decimal | None:
        """Return the price of a class of parts, or of all; None where no part of it has a price.

        A class without a part costs nothing.
        """
        totals = [line.total for line in self.lines if part_class in (None, line.part_class)]
        priced = [total for total in totals if total is not None]
        return sum(priced, Decimal(0)) if priced or not totals else None

    def has(self, part_class: PartClass) -> bool:
        """Return whether the fabric has a part of a class."""
        return any(line.part_class == part_class for line in self.lines)

    @cached_property
    def unpriced_lines(self) -> tuple[BillLine, ...]:
        """The lines without a price in the book."""
        return tuple(line for line in self.lines if line.unit_price is None)

    def is_partial(self, part_class: PartClass | None = None) -> bool:
        """Return whether the price of a class of parts, or of all, lacks that of some part."""
        return any(part_class in (None, line.part_class) for line in self.unpriced_lines)

    @cached_property
    def unpriced(self) -> list[str]:
        """The parts without a price in the book, or the items of a part with a few prices."""
        return self.unpriced_of(line.item for line in self.unpriced_lines)

    def unpriced_of(self, items: Iterable[str]) -> list[str]:
        """Return those of some items that have no price, by part where no length of it has one."""
        priced = {line.part for line in self.lines if line.unit_price is not None}
        missing = {line.item: line.part for line in self.unpriced_lines}
        names = (
            item if missing[item] in priced else missing[item] for item in items if item in missing
        )
        return list(dict.fromkeys(names))

    @cached_property
    def unknown_power(self) -> list[str]:
        """The parts of the network whose power is not published."""
        unknown = (line.part for line in self._network_lines if line.unit_power_w is None)
        return list(dict.fromkeys(unknown))

    @property
    def power_w(self) -> float | None:
        """Typical power of the installed fabric, without hosts and devices.

        None where a part's is unknown.
        """
        known = [line.power_w for line in self._network_lines]
        return (
            None
            if None in known
            else float(sum((power for power in known if power is not None), Fraction(0)))
        )

    @property
    def _network_lines(self) -> list[BillLine]:
        """The parts of networks: neither hosts nor storage and management nodes are."""
        return [line for line in self.lines if line.part_class not in BESIDE]


def role_of(purpose: str) -> str:
    """Return the role that a purpose belongs to: parts of hosts to hosts, a cable to its lower end.

    Trunks belong to the panels, and patch cords to the leaf that they are in front of.

    >>> [role_of(purpose) for purpose in ("GPUs", "leaf", "leaf-spine", "spine-core", "peer")]
    ['host', 'leaf', 'leaf', 'spine', 'leaf']

    A purpose in a network beside the compute fabric has its name in parentheses.

    >>> [role_of(purpose) for purpose in ("leaf-spine (storage)", "trunks (storage)")]
    ['leaf', 'panels']
    >>> role_of("patch cords")
    'leaf'
    """
    own = purpose.partition(" (")[0]
    role = own.partition("-")[0]
    named = {"GPUs": "host", "direct": "host", TRUNKS: PANELS, CORDS: "leaf", "peer": "leaf"}
    return named.get(own, role)
