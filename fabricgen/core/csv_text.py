"""The text of a CSV file that an inventory names by a path relative to itself.

Owns the size limit of such a file and how many of its findings are shown. Columns belong to the
reader of each table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.files import FileError, OpenError, read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.core.diagnostics import Finding

MOST_BYTES = 2**26
"""Enough for a million ports or two million devices; a larger file is refused."""

SHOWN = 10
"""Findings of one table that are shown; the rest appear once these are fixed."""

CELLS_HINT = "quote a cell that holds a comma or a quote"


def table_text(path: Path, bad: Callable[[str, str], Finding]) -> str:
    """Return the text of a table. Raises the Refusal that `bad` makes of a fault and a hint."""
    try:
        return read_text(path, MOST_BYTES)
    except FileError as error:
        missing = isinstance(error, OpenError) and error.missing
        fault = "there is no such file" if missing else f"the file {error.fact}"
        raise Refusal([bad(fault, error.hint or "a path is relative to the inventory")]) from None
