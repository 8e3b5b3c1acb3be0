"""Findings, tables, JSON and progress on a terminal; colour on terminals without NO_COLOR only."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

import click

from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import printable, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fabricgen.bom.summary import Totals
    from fabricgen.core.diagnostics import Finding
    from fabricgen.core.document import Document

_UNPRINTED = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)
"""Characters that JSON allows in a text and that a terminal interprets or hides."""

PATIENCE_S = 2.0
"""Seconds before a progress bar is shown."""


def colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colour (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def echo(text: str = "", *, err: bool = False, nl: bool = True, cleaned: bool = False) -> None:
    """Print a text on stdout, or on stderr.

    Names come from untrusted input, so control characters are escaped. A `cleaned` text,
    which may be coloured, is printed as it is.
    """
    click.echo(text if cleaned else printable(text, keep="\n\t"), err=err, nl=nl, color=cleaned)


def print_findings(findings: Iterable[Finding], *, as_json: bool, more: int = 0) -> None:
    """Print findings on stderr, and with --json as one document on stdout.

    `more` findings are not among them.
    """
    findings = list(findings)
    colour = colours(sys.stderr)
    echo(
        "\n\n".join(text_of(finding, colour=colour) for finding in findings),
        err=True,
        cleaned=colour,
    )
    if more:
        echo(f"\nand {counted(more, 'more finding')}", err=True)
    if as_json:
        print_document({"more": more} if more else {}, findings)


def print_advice(sentences: Iterable[str]) -> None:
    """Print notes on stderr."""
    for sentence in sentences:
        echo(f"note: {sentence}", err=True)


def today() -> dt.date:
    """Return the date, which decides on notes alone: no file depends on it."""
    return dt.datetime.now(dt.UTC).date()


def print_result(result: Document, findings: Iterable[Finding] = ()) -> None:
    """Print the result of a command and what it found as one JSON document."""
    print_document(result.document(), findings)


def print_document(document: dict[str, Any], findings: Iterable[Finding] = ()) -> None:
    """Print one JSON document with the keys of every command first: `ok` and `findings`."""
    found = [finding.document() for finding in findings]
    print_json({"ok": not found, "findings": found} | document)


def print_json(document: object) -> None:
    """Print one JSON document."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    click.echo(_UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def table(rows: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """Lay out rows in columns, those in `right` flush right. The first row is the header."""
    numbers = set(right)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def grouped(number: float | None) -> str:
    """Format a number with thousands separators; a dash where it is unknown.

    >>> grouped(94306304)
    '94,306,304'
    """
    return (
        "-"
        if number is None
        else f"{number:,}"
        if isinstance(number, int)
        else f"{number:,.2f}".rstrip("0").rstrip(".")
    )


def sum_of_prices(amount: float | None, *, partial: bool) -> str:
    """Format a sum of prices; one that leaves parts without a price out is a lower bound.

    >>> sum_of_prices(25472, partial=True), sum_of_prices(None, partial=True)
    ('>= 25,472', '-')
    """
    return f"{'>= ' if partial and amount is not None else ''}{money(amount)}"


def money(amount: float | None) -> str:
    """Format an amount: whole, or with two decimals; a dash where it is unknown.

    >>> money(628936.5), money(94306304), money(None)
    ('628,936.50', '94,306,304', '-')
    """
    whole = amount is None or amount == round(amount)
    return grouped(amount) if whole else f"{amount:,.2f}"


def totals_text(totals: Totals, currency: str) -> str:
    """Describe the compute fabric and all networks together."""
    cost = "no prices" if totals.cost is None else f"{currency} {money(totals.cost)}"
    cost += f"; no price for {', '.join(totals.unpriced)}" if totals.unpriced else ""
    switches = counted(totals.switches, "switch", "switches")
    return f"{switches}, {grouped(totals.cables)} cables, {cost}"


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function of (part, done, total) that draws a bar on stderr after two seconds.

    It is silent where stderr is no terminal.
    """
    started, drawn, width = time.monotonic(), 0, 30
    shown = sys.stderr.isatty()

    def advance(part: str, done: int, total: int) -> None:
        nonlocal drawn
        if not shown or time.monotonic() - started < PATIENCE_S:
            return
        filled = width * done // max(total, 1)
        line = f"{label} {part} [{'#' * filled}{'.' * (width - filled)}] {done:,} of {total:,}"
        click.echo("\r" + line.ljust(drawn), nl=False, err=True)
        drawn = len(line)

    try:
        yield advance
    finally:
        if drawn:
            click.echo("\r" + " " * drawn + "\r", nl=False, err=True)
