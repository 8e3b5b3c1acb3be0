"""Notes on the prices of an inventory: those that nothing takes, that ended, and their currency.

Owns what is printed beside a plan. A price book of the catalog has prices of many parts, so only
the user's own books and `prices.parts` are compared with the bill.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.bom.cluster_bill import bill_of
from fabricgen.catalog.models.optics import Cable
from fabricgen.core.diagnostics import nearest
from fabricgen.planning.price_book import PRICED, is_file_name, price_list

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.inventory.purchasing import Prices
    from fabricgen.planning.plan import Plan


def price_notes(plan: Plan, today: dt.date | None = None) -> Iterator[str]:
    """Yield the notes on the prices of a plan; quotes end where `today` is given."""
    asked = plan.spec.prices
    if not asked.parts and not any(map(is_file_name, asked.books)):
        return
    bom, prices = bill_of(plan), price_list(plan.spec, plan.catalog)
    for name, book in zip(asked.books, prices.books, strict=False):
        if is_file_name(name):
            yield from _without_use(name, book, bom, plan.catalog)
    if idle := sorted(asked.parts.keys() - {line.part for line in bom.lines}):
        yield f"`prices.parts` has prices that nothing in this plan takes: {', '.join(idle)}"
    yield from _currencies(asked)
    for line in bom.lines if today else ():
        end = line.quote and line.quote.valid_until
        if end and today and end < today:
            yield f"the quote of {line.item} ended on {end}"


def _currencies(asked: Prices) -> Iterator[str]:
    """Yield in which currency the inventory's own prices are, where another one is exchanged."""
    exchange = asked.exchange
    if exchange is None:
        return
    if same := sorted(asked.parts.keys() - asked.stated.keys()):
        yield (
            f"`prices.parts` of {', '.join(same)} are {exchange.currency}, the currency of payment,"
            " and not exchanged: `{price, currency}` states another"
        )
    for part, own in asked.stated.items():
        if own.currency != exchange.currency:
            yield (
                f"`prices.parts.{part}` is in {own.currency}, and paid in {exchange.currency} at"
                f" {exchange.rate.normalize():f}"
            )


def _without_use(name: str, book: PriceBook, bom: Bom, catalog: Catalog) -> Iterator[str]:
    """Yield the prices of a user's book that the catalog, or the bill, has no part for."""
    rows: list[tuple[str, float | None]] = [(part, None) for part in book.parts]
    rows += [(quote.part, quote.length_m) for quote in book.quotes]
    taken = {line.part_number.lower() for line in bom.lines} | {line.part for line in bom.lines}
    lengths = {(line.part, float(line.length_m)) for line in bom.lines if line.length_m}
    idle = [
        (part, length)
        for part, length in dict.fromkeys(rows)
        if part.lower() not in taken
        or (length is not None and (part.lower(), length) not in lengths)
    ]
    if not idle:
        return
    known = {model for kind in PRICED for model in catalog.names(kind)}
    numbers = _numbers(catalog)
    unknown = [
        part
        for part in dict.fromkeys(part for part, _ in idle)
        if part.lower() not in known
        and not part.startswith(("trunk-", "generic-"))
        and part.lower() not in numbers
    ]
    for part in unknown:
        near = nearest(part, {line.part for line in bom.lines}) or nearest(part, known)
        hint = f": did you mean `{near}`?" if near else ""
        yield f"`{name}` has a price of `{part}`, which is no part of the catalog{hint}"
    spare = [
        part if length is None else f"{part} of {length:g} m"
        for part, length in idle
        if part not in unknown
    ]
    if spare:
        yield f"`{name}` has prices that nothing in this plan takes: {', '.join(spare)}"


def _numbers(catalog: Catalog) -> frozenset[str]:
    """Return the order numbers that the catalog states, in lower case."""
    parts = chain(catalog.transceivers(), catalog.cables(), catalog.switches(), catalog.nics())
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Cable):
            found.update(filter(None, (part.order_number(f"{each:g}") for each in part.lengths_m)))
        number = getattr(part, "opn", None) or getattr(part, "part_number", None)
        found.add(number or "")
    return frozenset(number.lower() for number in found)
