"""A bill with what its parts cost to support and to power.

Owns the sums of the cost of ownership, exact and by class of parts. Support is a percentage of the
price paid for installed parts; energy is the typical power of installed parts all year round.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.bom.bill import CLASSES

if TYPE_CHECKING:
    from fabricgen.bom.bill import BillLine, Bom, PartClass
    from fabricgen.inventory.purchasing import Ownership
    from fabricgen.planning.plan import Plan

HOURS_PER_YEAR = 8760
"""24 hours on each of 365 days."""

GROUPS: dict[str, tuple[PartClass, ...]] = {
    "switches": ("switches",),
    "optics": ("transceivers", "cables"),
}
"""Groups of parts whose prices are varied together; optics are all that a link consists of."""

Sums = dict["PartClass", Fraction]


@dataclass(frozen=True)
class OwnedBom:
    """A bill with the terms of its ownership; exact sums."""

    plan: Plan
    bom: Bom
    asked: Ownership

    @property
    def design(self) -> str:
        """The design."""
        return self.plan.fabric.design.value

    @property
    def capital(self) -> Sums:
        """The price of each class of parts, spares included."""
        return {name: Fraction(self.bom.cost(name) or 0) for name in CLASSES}

    @cached_property
    def support_per_year(self) -> Sums:
        """The support of each class of parts in a year."""
        sums: Sums = dict.fromkeys(CLASSES, Fraction())
        for line in self.bom.lines:
            rate = self.support_pct(line)
            if rate is not None and line.unit_price is not None:
                sums[line.part_class] += Fraction(line.unit_price * line.quantity) * rate / 100
        return sums

    def support_pct(self, line: BillLine) -> Fraction | None:
        """Return the support of a part in a year, in per cent of its price; None if not stated."""
        own = self.bom.book.support_pct(line.part, line.length_m, line.part_number)
        rate = getattr(self.asked.support_pct, line.part_class) if own is None else own
        return None if rate is None else Fraction(rate)

    @property
    def states_support(self) -> bool:
        """Whether any part has a percentage."""
        return any(self.support_pct(line) is not None for line in self.bom.lines)

    @property
    def power_w(self) -> Fraction:
        """The typical power of the installed parts, as far as it is published."""
        return sum(
            (line.power_w for line in self.bom.lines if line.power_w is not None), Fraction()
        )

    @property
    def energy_kwh(self) -> Fraction | None:
        """The energy over the years, at the meter of the data center where the PUE is known."""
        if self.asked.years is None:
            return None
        hours = self.asked.years * HOURS_PER_YEAR
        return self.power_w / 1000 * hours * Fraction(self.asked.pue or 1)

    @property
    def energy(self) -> Fraction | None:
        """The price of the energy."""
        price, kwh = self.asked.kwh_price, self.energy_kwh
        return None if price is None or kwh is None else kwh * Fraction(price)

    def of_group(self, group: str) -> Fraction:
        """Return what changes with the prices of a group: capital and support of its parts."""
        return sum(
            (
                self.capital[name] + (self.asked.years or 0) * self.support_per_year[name]
                for name in GROUPS[group]
            ),
            Fraction(),
        )

    @property
    def total(self) -> Fraction:
        """Capital, support and energy, as far as they are known."""
        support = (self.asked.years or 0) * sum(self.support_per_year.values(), Fraction())
        return sum(self.capital.values(), Fraction()) + support + (self.energy or 0)

    def changed(self, group: str, change_pct: int) -> Fraction:
        """Return the total after a change of the prices of a group."""
        return self.total + self.of_group(group) * change_pct / 100
