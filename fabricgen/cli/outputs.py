"""The table of outputs with their readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.cli.printing import echo, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.build.listing import OutputRow


def print_outputs(rows: Sequence[OutputRow], *, as_json: bool) -> None:
    """Print outputs as a table, or as JSON: `{outputs: [{pack, group, path, reader}]}`."""
    if as_json:
        print_json({"outputs": [row._asdict() for row in rows]})
        return
    shown = [
        ("PACK", "PATH", "READ BY"),
        *((row.pack or "-", row.path, row.reader) for row in rows),
    ]
    widths = [max(len(row[column]) for row in shown) for column in range(2)]
    for pack, path, reader in shown:
        echo(f"{pack:<{widths[0]}}  {path:<{widths[1]}}  {reader}")
