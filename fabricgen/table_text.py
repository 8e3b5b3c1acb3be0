"""The text of a table that the inventory names: a CSV file beside it, read whole.

Owns how large such a file may be and how many findings of one are shown. What its columns are is for who reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.diagnostics import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.diagnostics import Finding

MOST_BYTES = 2**26
"""A table of a million ports or two million devices; a larger file is something else."""

SHOWN = 10
"""Findings of one table that are shown; who mends those learns of the rest."""


def table_text(path: Path, example: str, bad: Callable[[str, str], Finding]) -> str:
    """Read a table. Raises the Refusal of what `bad` makes of a fault and a hint where it cannot be read; `example` is a line of it."""
    fault, hint = "", "a path is relative to the inventory"
    try:
        if not path.is_file():
            fault = "there is no such file"
        elif path.stat().st_size > MOST_BYTES:
            fault, hint = f"the file is larger than {MOST_BYTES} bytes", f"a line is like `{example}`"
        else:
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        fault, hint = f"it is not UTF-8 text: byte {error.start}", "save the table as CSV in UTF-8"
    except OSError as error:
        fault = f"it cannot be read: {error.strerror}"
    raise Refusal([bad(fault, hint)])
