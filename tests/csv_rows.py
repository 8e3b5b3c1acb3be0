"""CSV files, read as rows, and a text that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
import io

FORMULA = "=cmd|' /C calc'!A0"
"""A spreadsheet runs a cell that begins with `=`."""


def read_rows(text: str) -> list[dict[str, str]]:
    """Read a CSV by its header: rows have as many cells as it has, and lines end as on Unix."""
    assert "\r" not in text
    assert text.endswith("\n")
    titles, *rows = csv.reader(io.StringIO(text), strict=True)
    return [dict(zip(titles, row, strict=True)) for row in rows]
