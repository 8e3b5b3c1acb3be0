"""Options that name an output, `--force`, and what else the command reads: nothing of that is overwritten.

Owns how a command's inputs are found: whatever an option or an argument names, and whatever file
the inventory names.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import SharedOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORCE, INVENTORIES = "fabricgen.force", "fabricgen.inventories"
"""Where click's context keeps whether --force was given, and the inventories that were read."""

PLAN_MARK = r'\{\s*"format": "fabricgen-plan/'
CHART_MARK = r'<svg [^>]* font-family="sans-serif" font-size="13">\n<title>'
"""How plans and charts of this program begin, as regular expressions."""


class OutputPath(click.Path):
    """The type of an option that names an output rather than an input."""


OUTPUT_FILE = OutputPath(dir_okay=False, path_type=Path)


def _keep_force(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - the signature is that of click
    """Keep --force where `forced` finds it."""
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
    """Keep an inventory that the command has read; paths in it start from `home`."""
    context = click.get_current_context(silent=True)
    if context:
        context.meta.setdefault(INVENTORIES, []).append((values, home))


def inputs() -> list[Path]:
    """Return every existing file or directory that the running command reads, as far as its arguments and inventories name it."""
    context = click.get_current_context()
    given = [
        context.params.get(option.name or "")
        for option in context.command.params
        if not isinstance(option.type, OutputPath)
    ]
    typed = {word for value in given for word in _words(value)}
    named = [
        home / text for values, home in context.meta.get(INVENTORIES, ()) for text in _words(values)
    ]
    stdin = [Path("/dev/stdin")] if "-" in typed else []
    return [
        path
        for path in (*map(Path, sorted(typed)), *named, *stdin)
        if path.name and os.path.exists(path)  # noqa: PTH110 - pathlib raises for a name that is too long
    ]


def save(path: Path, text: str | Iterable[str], *, mark: str = "") -> None:
    """Write a file that an option names, as `write_file` does. Raises Refusal."""
    from fabricgen.build.write.single_file import write_file

    write_file(path, text, mark=mark, inputs=inputs(), force=forced())


def check(path: Path, *, mark: str = "") -> None:
    """Refuse a file that `save` would not write, before the work is done. Raises Refusal."""
    from fabricgen.build.write.single_file import check_file

    check_file(path, mark=mark, inputs=inputs(), force=forced())


def save_table(path: Path, lines: Iterable[str]) -> None:
    """Write a CSV from its lines, the first of which is its header; one with the same header is replaced. Raises Refusal."""
    import re

    rest = iter(lines)
    header = next(rest)
    save(path, _chained(header, rest), mark=re.escape(header))


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    """Yield the lines again."""
    yield first
    yield from rest


def _words(value: Any) -> Iterator[str]:  # noqa: ANN401 - whatever a command line or an inventory holds
    """Yield every text in a value, and what stands behind the @ of a file that lists GPUs."""
    if isinstance(value, str | Path):
        yield str(value).removeprefix("@")
    elif isinstance(value, dict):
        yield from (word for each in value.values() for word in _words(each))
    elif isinstance(value, list | tuple):
        yield from (word for each in value for word in _words(each))
