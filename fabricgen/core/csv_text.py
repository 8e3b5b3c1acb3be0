"""The text of a table that the inventory names: a CSV file beside it, read whole.

Owns how large such a file may be and how many findings of one are shown. What its columns are is
for who reads it.
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
"""A table of a million ports or two million devices; a larger file is something else."""

SHOWN = 10
"""Findings of one table that are shown; who mends those learns of the rest."""

CELLS_HINT = "quote a cell that holds a comma or a quote"


def table_text(path: Path, bad: Callable[[str, str], Finding]) -> str:
    """Read a table. Raises the Refusal of what `bad` makes of a fault and a hint where it cannot be read."""
    try:
        return read_text(path, MOST_BYTES)
    except FileError as error:
        missing = isinstance(error, OpenError) and error.missing
        fault = "there is no such file" if missing else f"the file {error.fact}"
        raise Refusal([bad(fault, error.hint or "a path is relative to the inventory")]) from None
