"""A price book as a CSV: a quote on each line, as a supplier sends it.

Owns the columns and the findings of bad lines. `models.prices` has the meaning of each column.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabricgen.catalog.models.prices import PriceBook, Quote
from fabricgen.catalog.parse import demand
from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, nearest
from fabricgen.core.files import FileError, csv_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COLUMNS = ("currency", *Quote.model_fields)
REQUIRED = ("part", "price", "currency")
NUMBERS = ("length_m", "price", "support_pct_per_year")
READ: dict[str, Callable[[str], float]] = {"length_m": float, "lead_time_days": int}
"""How cells are read that must be numbers before they are verified."""


def read_price_csv(path: Path) -> PriceBook:
    """Read a price book. Raises Refusal `bad-price-book` with the first findings."""
    rows = csv_rows(
        table_text(path, lambda fault, hint: _bad(path, fault, place=Place(str(path)), hint=hint))
    )
    try:
        lines = [(line, [cell.strip() for cell in cells]) for line, cells in rows if any(cells)]
    except FileError as error:
        raise Refusal(
            [_bad(path, f"line {error.line} {error.fact}", error.line, hint=CELLS_HINT)]
        ) from None
    header = [cell.lower().replace(" ", "_") for cell in lines[0][1]] if lines else []
    found = [*_header_findings(path, header)]
    if found:
        raise Refusal(found)
    quotes: list[Quote] = []
    currencies: dict[str, int] = {}
    first: dict[tuple[str, float | None], int] = {}
    for line, cells in lines[1:]:
        if len(found) >= SHOWN:
            break
        values = {title: cell for title, cell in zip(header, cells, strict=False) if cell}
        currency = values.pop("currency", "")
        found += _currency_findings(path, line, currency, currencies)
        quote = _quote(path, line, {key: values[key] for key in values if key in COLUMNS})
        if isinstance(quote, list):
            found += quote
            continue
        other = first.setdefault((quote.part.lower(), quote.length_m), line)
        if other != line:
            length = "" if quote.length_m is None else f" of {quote.length_m:g} m"
            found.append(_bad(path, f"{quote.part}{length} has a price in line {other} too", line))
        quotes.append(quote)
    if not quotes and not found:
        found = [_bad(path, "has no price", 1, hint="write a line for each part below the header")]
    if found:
        raise Refusal(found[:SHOWN])
    return PriceBook.model_validate(
        {
            "name": path.stem,
            "description": f"Prices of {path.name}.",
            "source": path.name,
            "currency": next(iter(currencies)),
            "quotes": quotes,
        }
    )


def _header_findings(path: Path, header: list[str]) -> Iterator[Finding]:
    """Yield the faults of the header: a column that is missing, or that has a wrong name.

    Columns that resemble none are the supplier's own, and are not read.
    """
    absent = [column for column in COLUMNS if column not in header]
    meant = {nearest(title, absent): title for title in header if title and title not in COLUMNS}
    for column in absent:
        if column in meant:
            fact = f"`{meant[column]}` is not a column of prices"
            yield _bad(path, fact, 1, hint=f"call it `{column}`")
        elif column in REQUIRED:
            columns = f"the columns are {', '.join(COLUMNS)}; part, price and currency are required"
            yield _bad(path, f"the column `{column}` is missing", 1, hint=columns)


def _currency_findings(
    path: Path, line: int, currency: str, known: dict[str, int]
) -> Iterator[Finding]:
    """Yield the fault of a currency; the first one is that of the book."""
    if not (len(currency) == 3 and currency.isascii() and currency.isupper()):  # noqa: PLR2004 - ISO 4217
        fact = f"the currency `{currency}` is no code" if currency else "there is no currency"
        yield _bad(path, fact, line, hint="write its three letters, such as EUR")
    elif currency not in known:
        known[currency] = line
        if len(known) > 1:
            other, first = next(iter(known.items()))
            fact = f"the price is in {currency}, and that of line {first} in {other}"
            hint = "give all prices of a book in one currency; `prices.exchange` converts them"
            yield _bad(path, fact, line, hint=hint)


def _quote(path: Path, line: int, values: dict[str, str]) -> Quote | list[Finding]:
    """Return the quote of a line, or what is wrong with it."""
    cells: dict[str, object] = {**values}
    for column, read in READ.items():
        if column in values:
            with suppress(ValueError):
                cells[column] = read(values[column])
    try:
        return Quote.model_validate(cells)
    except ValidationError as fault:
        return [
            _line_finding(path, line, values, dict(error))
            for error in fault.errors(include_url=False)
        ]


def _line_finding(
    path: Path, line: int, values: dict[str, str], error: dict[str, object]
) -> Finding:
    """Return the finding of a cell."""
    column = str(error["loc"][0])  # type: ignore[index]  # of a field of Quote
    if error["type"] == "missing":
        return _bad(path, f"there is no {column}", line)
    context: Any = error.get("ctx", {})
    asked = demand(str(error["type"]), context, str(error["msg"]))
    hint = "write it like 1234.50" if column in NUMBERS else ""
    fact = f"`{column}` is `{values[column]}`"
    return _bad(path, fact, line, because=(f"it must be {asked}",), hint=hint)


def _bad(
    path: Path,
    fact: str,
    line: int | None = None,
    *,
    because: tuple[str, ...] = (),
    hint: str = "",
    place: Place | None = None,
) -> Finding:
    """Return a finding about a line of the file, or about all of it."""
    where = place or Place(str(path), line, 1 if line else None)
    return Finding("bad-price-book", f"{path.name}: {fact}", (), because, hint, where)
