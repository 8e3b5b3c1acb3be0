"""Options that name an output, and `--force`; no input of the command is overwritten.

Owns how the inputs of a command are found: the files that its arguments and the inventory name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import SharedOption
from fabricgen.cli.streams import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORCE, INVENTORIES = "fabricgen.force", "fabricgen.inventories"
"""Keys of click's context for --force and for the inventories that were read."""

PLAN_MARK = r'\{\s*"format": "fabricgen-plan/'
CHART_MARK = r'<svg [^>]* font-family="sans-serif" font-size="13">\n<title>'
"""How saved plans and charts begin, as regular expressions."""


class OutputPath(click.Path):
    """The type of an option that names an output rather than an input."""


OUTPUT_FILE = OutputPath(dir_okay=False, path_type=Path)


def _keep_force(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - as click has it
    """Store --force for `forced`."""
    context.meta[FORCE] = value


force_option = click.option(
    "--force",
    cls=SharedOption,
    is_flag=True,
    expose_value=False,
    callback=_keep_force,
    help="Replace files that fabricgen did not write, but never one that this command reads.",
)


def forced() -> bool:
    """Return whether --force was given."""
    return bool(click.get_current_context().meta.get(FORCE))


def note_inventory(values: object, home: Path) -> None:
    """Store an inventory that the command reads; its paths are relative to `home`."""
    context = click.get_current_context(silent=True)
    if context:
        context.meta.setdefault(INVENTORIES, []).append((values, home))


def inputs() -> list[Path]:
    """Return all existing files that arguments and inventories name, and directories of arguments.

    An inventory names no directory: a word of it may be called like one, such as its own name.
    """
    context = click.get_current_context()
    given = [
        context.params.get(option.name or "")
        for option in context.command.params
        if not isinstance(option.type, OutputPath)
    ]
    typed = {word for value in given for word in _words(value)}
    named = [
        path
        for values, home in context.meta.get(INVENTORIES, ())
        for path in (home / text for text in _words(values))
        if os.path.isfile(path)  # noqa: PTH113 - pathlib raises for long names
    ]
    stdin = [Path("/dev/stdin")] if "-" in typed else []
    return [
        path
        for path in (*map(Path, sorted(typed)), *named, *stdin)
        if path.name and os.path.exists(path)  # noqa: PTH110 - pathlib raises for long names
    ]


def save(path: Path, text: str | Iterable[str], *, mark: str = "") -> None:
    """Write a file that an option names, as `write_file` does. Raises Refusal."""
    from fabricgen.build.write.single_file import write_file

    write_file(path, text, mark=mark, inputs=inputs(), force=forced())
    WRITTEN.append(path)


def check(path: Path, *, mark: str = "") -> None:
    """Refuse a file that `save` would not write, before the work is done. Raises Refusal."""
    from fabricgen.build.write.single_file import check_file

    check_file(path, mark=mark, inputs=inputs(), force=forced())


def save_table(path: Path, lines: Iterable[str]) -> None:
    """Write a CSV from its lines; one with the same header is replaced. Raises Refusal."""
    import re

    rest = iter(lines)
    header = next(rest)
    save(path, _chained(header, rest), mark=re.escape(header))


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    """Yield all lines, the header first."""
    yield first
    yield from rest


def _words(value: Any) -> Iterator[str]:  # noqa: ANN401 - values of a command line or YAML
    """Yield every text in a value; of `@FILE` the name of the file."""
    if isinstance(value, str | Path):
        yield str(value).removeprefix("@")
    elif isinstance(value, dict):
        yield from (word for each in value.values() for word in _words(each))
    elif isinstance(value, list | tuple):
        yield from (word for each in value for word in _words(each))
