"""Sweeps of `compare` and `cost`: one size varied, with a row for each value and design.

Owns the options and the rows. `analysis.workload.sweep` owns the syntax of values.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fabricgen.cli.output_file import OUTPUT_FILE, save_table
from fabricgen.cli.printing import echo, grouped, print_result, sum_of_prices, table
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabricgen.cli.options import FabricArguments


class Varied(NamedTuple):
    """A size that a sweep varies: its key and its sizing flag."""

    key: str
    flag: str


VARIED = {
    "gpus": Varied("gpus", "gpus"),
    "hb-domain": Varied("hb_domain.gpus", "hb_domain"),
    "nic-speed": Varied("nic.speed", "speed"),
}

SUMS = ("cost_total", "capital_total", "total")
"""The columns that are sums of prices."""

sweep_option = click.option(
    "--sweep",
    metavar="WHAT=LOW..HIGH",
    help="Vary gpus, hb-domain or nic-speed in doubling steps, or WHAT=A,B,C: a row a design.",
)
csv_option = click.option(
    "--csv", "csv_file", type=OUTPUT_FILE, help="File to write a row for each design to, as CSV."
)


@dataclass(frozen=True)
class DesignRows(Document):
    """The rows of a sweep: `--sweep --json`."""

    rows: list[dict[str, Any]]


def swept(asked: FabricArguments, text: str) -> Iterator[tuple[dict[str, Any], FabricArguments]]:
    """Yield the columns of each value, and the arguments with it. Raises BadParameter."""
    from fabricgen.analysis.workload.sweep import parse_sweep, values_of

    try:
        sweep = parse_sweep(text)
        values = values_of(sweep, 1)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sweep'") from None
    if sweep.what not in VARIED:
        known = ", ".join(VARIED)
        raise click.BadParameter(f"the designs vary with {known}", param_hint="'--sweep'")
    varied = VARIED[sweep.what]
    for value in values:
        written = f"{value}G" if varied.flag == "speed" else value
        own = (
            replace(asked, flags=asked.flags | {varied.flag: written})
            if asked.flags.get(varied.flag) is not None
            else replace(asked, sets=(*asked.sets, f"{varied.key}={written}"))
        )
        yield {"sweep": sweep.what, "x": value}, own


def show_rows(
    rows: list[dict[str, Any]], shown: Mapping[str, str], unpriced: str, *, as_json: bool
) -> None:
    """Print the rows of a sweep: the columns that `shown` titles, or all as JSON.

    A sum of a row with parts in its list `unpriced` is a lower bound.
    """
    if as_json:
        print_result(DesignRows(rows))
        return
    cells = [[_cell(row, key, unpriced) for key in shown] for row in rows]
    echo(table([[*shown.values()], *cells], right=[0, *range(2, len(shown))]))


def _cell(row: Mapping[str, Any], key: str, unpriced: str) -> str:
    """Return a value as the table has it."""
    value = row.get(key)
    if key in SUMS:
        return sum_of_prices(value, partial=bool(row[unpriced]))
    return grouped(value) if isinstance(value, int | float) else str(value or "-")


def save_rows(path: Path | None, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows as CSV; the columns are those of all rows, and a list is one text."""
    if path is None:
        return
    plain = [{key: _plain(value) for key, value in row.items()} for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*dict.fromkeys(chain(*plain))], lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain)
    save_table(path, text.getvalue().splitlines(keepends=True))
    echo(f"wrote {path}", err=True)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a row
    """Return a value as the CSV has it."""
    if isinstance(value, list):
        return " ".join(each if isinstance(each, str) else json.dumps(each) for each in value)
    return value


def rows_of(
    asked: FabricArguments,
    sweep: str,
    rows: Callable[[FabricArguments], list[dict[str, Any]]],
) -> list[dict[str, Any]]:
    """Return the rows of every value of a sweep. Raises Refusal for one that cannot be built."""
    return [columns | row for columns, own in swept(asked, sweep) for row in rows(own)]
