"""The published tables as cells: their figures, and the rules by which ours may differ.

Owns the reading of the data files beside it, and the list of differences, DIFFERENCES.md, that
follows from them. It counts nothing: `counting` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.core.yaml_text import load_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
FILES = ("nvidia", "ocp", "kits", "juniper", "accelerators", "cluster", "paper", "photonic", "clos")
DIFFERENCES = HERE / "DIFFERENCES.md"


@dataclass(frozen=True)
class Table:
    """One published table: its address, its rows by column, and the cells that differ.

    `fabric` holds inventory keys that all rows share.
    """

    id: str
    source: str
    quality: str
    columns: list[str]
    rows: list[list[Any]]
    inputs: list[str]
    fabric: dict[str, Any]
    differs: list[dict[str, Any]]
    skip_null: bool = False

    def row(self, index: int) -> dict[str, Any]:
        """Return a row by column."""
        return dict(zip(self.columns, self.rows[index], strict=True))

    def cells(self) -> Iterator[Cell]:
        """Return every cell that is not an input.

        An empty one is a published zero, unless the table skips empty cells.
        """
        for index in range(len(self.rows)):
            for column, printed in self.row(index).items():
                if column not in self.inputs and not (self.skip_null and printed is None):
                    yield Cell(self, index, column, 0 if printed is None else printed)

    def difference(self, index: int, column: str) -> dict[str, Any]:
        """Return how the cell differs; empty where it must be equal."""
        fitting = (
            entry
            for entry in self.differs
            if entry["column"] == column and index in entry.get("rows", range(len(self.rows)))
        )
        return next(fitting, {})


@dataclass(frozen=True)
class Cell:
    """One published figure."""

    table: Table
    index: int
    column: str
    printed: Any

    @property
    def name(self) -> str:
        """The place of the cell: the table, the row's inputs and the column."""
        row = self.table.row(self.index)
        return (
            f"{self.table.id}[{' '.join(str(row[key]) for key in self.table.inputs)}].{self.column}"
        )

    @property
    def difference(self) -> dict[str, Any]:
        """How our figure differs; empty where it must be equal."""
        return self.table.difference(self.index, self.column)

    def expected(self) -> Any:  # noqa: ANN401 - a count, a per cent or a name
        """Return the count of this project, by the published figure and the stated difference."""
        return self.difference["ours"] if self.difference else self.printed


@cache
def tables() -> tuple[Table, ...]:
    """Read every table, in the order of the files."""
    return tuple(
        Table(name, **{"fabric": {}, "differs": [], **facts})
        for file in FILES
        for name, facts in load_facts(HERE / f"{file}.yaml").items()
    )


def table(name: str) -> Table:
    """Return one published table."""
    return next(each for each in tables() if each.id == name)


def cells() -> list[Cell]:
    """List every cell of every table."""
    return [cell for table in tables() for cell in table.cells()]


def left_out() -> list[dict[str, str]]:
    """List the figures that no plan can reproduce."""
    return list(load_facts(HERE / "not_compared.yaml")["figures"])


def differences() -> str:
    """Write DIFFERENCES.md: each difference with its source, its reason and its cells."""
    lines = [
        "# Where a published figure is not ours",
        "",
        (
            "Made by `python -m tests.published` from the tables beside this file, and "
            "compared with them by a test."
        ),
        "Every other printed figure in these tables is reproduced exactly.",
    ]
    for table in tables():
        for entry in table.differs:
            own = [cell for cell in table.cells() if cell.difference is entry]
            lines += [
                "",
                f"## {table.id}, {entry['column']}",
                "",
                f"Source: {table.source.rstrip('.')}.",
                "",
                entry["why"],
                "",
                "| cell | printed | ours |",
                "|---|---|---|",
            ]
            lines += [f"| {cell.name} | {cell.printed} | {cell.expected()} |" for cell in own]
    lines += ["", "## Not compared", ""]
    lines += [
        f"- {figure['figure']} ({figure['source']}). {figure['why']}" for figure in left_out()
    ]
    return "\n".join(lines) + "\n"
