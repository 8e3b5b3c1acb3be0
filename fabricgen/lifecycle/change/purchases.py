"""What a phase buys beyond the parts that earlier phases bought, and what it costs.

Owns how the lengths of cables are compared. In a described room an installed cable keeps its
length, so a phase buys what is missing of each length. A generated room is another one for each
size, so there the installed cables count as they are, whatever lengths the larger room would have.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from fabricgen.bom.counts import part_of

if TYPE_CHECKING:
    from fabricgen.bom.bill import Bom
    from fabricgen.planning.plan import Plan


def items_bought(plan: Plan, bom: Bom, owned: Counter[str]) -> Counter[str]:
    """Return the items of a plan's bill to buy beside those that are owned, without spares."""
    installed = installed_items(bom)
    bought = installed - owned
    if has_fixed_lengths(plan):
        return bought
    wanted = _by_part(installed) - _by_part(owned)
    shortest_first = sorted(bom.lines, key=lambda line: Decimal(line.length_m or 0))
    for line in shortest_first:  # a longer cable fits in place of a shorter one
        excess = _by_part(bought)[line.part] - wanted[line.part]
        bought[line.item] -= min(max(excess, 0), bought[line.item])
    return +bought


def items_left_over(plan: Plan, bom: Bom, owned: Counter[str]) -> Counter[str]:
    """Return what is owned beyond a plan's bill: items, or parts in a generated room."""
    installed = installed_items(bom)
    if has_fixed_lengths(plan):
        return owned - installed
    return _by_part(owned) - _by_part(installed)


def has_fixed_lengths(plan: Plan) -> bool:
    """Return whether installed cables have the same lengths in a larger plan."""
    return plan.lengths is None or not plan.lengths.room.generated


def installed_items(bom: Bom) -> Counter[str]:
    """Count the items of a bill, without spares."""
    counts: Counter[str] = Counter()
    for line in bom.lines:
        counts[line.item] += line.quantity
    return counts


def _by_part(items: Counter[str]) -> Counter[str]:
    """Count items by part, whatever their length."""
    counts: Counter[str] = Counter()
    for item, count in items.items():
        counts[part_of(item)] += count
    return counts


def priced_items(bom: Bom, items: Counter[str]) -> tuple[Decimal | None, tuple[str, ...]]:
    """Return the cost of some items of a bill, and those without a price.

    The cost is None where none has one.
    """
    prices = {line.item: line.unit_price for line in bom.lines}
    priced = [price * count for item, count in items.items() if (price := prices[item]) is not None]
    return sum(priced, Decimal(0)) if priced else None, tuple(bom.unpriced_of(items))
