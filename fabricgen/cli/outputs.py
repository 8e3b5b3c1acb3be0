"""The table of outputs with their readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.cli.printing import echo, print_result
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.build.listing import OutputRow


@dataclass(frozen=True)
class OutputList(Document):
    """Outputs with their readers: `build --list-outputs --json`."""

    outputs: Sequence[OutputRow]

    def document(self) -> dict[str, Any]:
        """Return the outputs with the pack, the group, the path and the reader of each."""
        return {"outputs": [row._asdict() for row in self.outputs]}


def print_outputs(rows: Sequence[OutputRow], *, as_json: bool) -> None:
    """Print outputs as a table, or as JSON."""
    if as_json:
        print_result(OutputList(rows))
        return
    shown = [
        ("PACK", "PATH", "READ BY"),
        *((row.pack or "-", row.path, row.reader) for row in rows),
    ]
    widths = [max(len(row[column]) for row in shown) for column in range(2)]
    for pack, path, reader in shown:
        echo(f"{pack:<{widths[0]}}  {path:<{widths[1]}}  {reader}")
