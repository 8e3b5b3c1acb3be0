"""The cost of ownership as finished texts: tables, and sentences on what decides.

Owns how `cost` and the report show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.bom.breakdown.view import bounded
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.ownership import BreakEven, DesignCost, OwnershipCost


@dataclass(frozen=True)
class OwnershipTables(Document):
    """The cost of ownership of a cluster; the first row of a table is its header."""

    terms: str
    """Currency, price book, years, price of energy and PUE."""
    costs: list[list[str]]
    """Capital, support, energy and total; a column for each design."""
    changes: list[list[str]]
    """The totals after changes of prices, and what rail-only saves of the other designs."""
    decides: list[str]
    """At which prices rail-only is cheaper than another design, in a sentence each."""
    missing: list[str]
    """What no sum contains, in a sentence each."""


def ownership_tables(found: OwnershipCost) -> OwnershipTables:
    """Lay out a cost of ownership."""
    designs = [each.design for each in found.designs]
    saved = [f"less than {design}" for design in found.savings]
    return OwnershipTables(
        _terms(found),
        [["", *designs], *_costs(found)],
        [["total if prices change", *designs, *saved], *_changes(found)],
        [_decides(each, found.savings[each.against].bound) for each in found.break_even],
        [f"not included: {each}" for each in found.missing],
    )


def _terms(found: OwnershipCost) -> str:
    """Describe the terms."""
    terms = found.terms
    years = "" if terms.years is None else f", {terms.years} years"
    price = "" if terms.kwh_price is None else f", {found.currency} {terms.kwh_price:g} a kWh"
    pue = "" if terms.pue is None else f", PUE {terms.pue:g}"
    return f"{found.currency}, prices {found.book}{years}{price}{pue}"


def _costs(found: OwnershipCost) -> Iterator[list[str]]:
    """Yield the rows of costs."""
    designs = found.designs
    for name in designs[0].capital:
        if name != "total":
            yield [f"  {name}", *(_whole(each.capital.get(name)) for each in designs)]
    capital = [_priced(each, _whole(each.capital["total"])) for each in designs]
    yield ["capital", *capital]
    yield ["support", *(_whole(each.support) for each in designs)]
    yield ["energy", *(_powered(each, _whole(each.energy)) for each in designs)]
    yield ["total", *(_bounded(each, _whole(each.total)) for each in designs)]
    yield ["  per GPU", *(_bounded(each, _cents(each.total_per_gpu)) for each in designs)]
    per_gbps = [_bounded(each, _cents(each.total_per_gbps)) for each in designs]
    yield ["  per Gbps of NIC ports", *per_gbps]
    yield ["power, W", *(_powered(each, _whole(each.power_w)) for each in designs)]
    yield ["energy, kWh", *(_powered(each, _whole(each.energy_kwh)) for each in designs)]


def _bounded(design: DesignCost, sum_text: str) -> str:
    """Qualify a sum that unpriced parts, or the energy of parts, would increase."""
    partial = design.unpriced or (design.energy is not None and design.unknown_power)
    return f"at least {sum_text}" if partial and sum_text != "-" else sum_text


def _priced(design: DesignCost, sum_text: str) -> str:
    """Qualify a sum that unpriced parts would increase."""
    return f"at least {sum_text}" if design.unpriced and sum_text != "-" else sum_text


def _powered(design: DesignCost, sum_text: str) -> str:
    """Qualify a sum that the power of parts would increase."""
    return f"at least {sum_text}" if design.unknown_power and sum_text != "-" else sum_text


def _changes(found: OwnershipCost) -> Iterator[list[str]]:
    """Yield the rows of changed prices, the unchanged ones first."""
    saved = [_saved(saving.total_pct, saving.bound) for saving in found.savings.values()]
    unchanged = [_bounded(each, _whole(each.total)) for each in found.designs]
    yield ["unchanged", *unchanged, *saved]
    for change in found.sensitivity:
        savings = [
            _saved(pct, found.savings[design].bound) for design, pct in change.savings_pct.items()
        ]
        totals = [_bounded(each, _whole(change.totals[each.design])) for each in found.designs]
        yield [f"{change.group} {change.change_pct:+} %", *totals, *savings]


def _cents(value: float | None) -> str:
    """Format a price of one; a dash where it is not known."""
    return "-" if value is None else f"{value:,.2f}"


def _whole(value: float | None) -> str:
    """Format a figure without decimals; a dash where it is not known."""
    return "-" if value is None else f"{round(value):,}"


def _saved(pct: float | None, bound: str) -> str:
    """Format a saving, qualified where a part has no price."""
    if pct is None:
        return "-"
    return bounded(f"{pct:g} %", bound)


def _decides(found: BreakEven, bound: str) -> str:
    """Describe at which prices rail-only is cheaper than another design."""
    against, group = found.against, found.group
    unpriced = "" if bound == "exact" else ", by the parts with a price"
    if found.price_pct is None:
        result = {
            "always": f"rail-only is cheaper than {against}",
            "never": f"{against} is cheaper than rail-only",
        }.get(found.rail_only_is_cheaper, f"rail-only costs as much as {against}")
        return f"{result} at every price of {group}{unpriced}"
    prices = ", ".join(f"{part} {_cents(price)}" for part, price in found.prices.items())
    return (
        f"rail-only is cheaper than {against} {found.rail_only_is_cheaper} {found.price_pct:g} % of"
        f" the price of {group}{f' ({prices})' if prices else ''}{unpriced}"
    )
