"""What `build --explain-templates` prints: the origins of the lines of a switch's files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.cli.printing import echo, print_result, table
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.template_origins import FileOrigins, OriginRun


@dataclass(frozen=True)
class TemplateOrigins(Document):
    """The origins of the files of a switch: `build --explain-templates --json`."""

    files: list[FileOrigins]


def print_origins(files: list[FileOrigins], *, as_json: bool) -> None:
    """Print the origins of files."""
    if as_json:
        print_result(TemplateOrigins(files))
        return
    for file in files:
        echo(f"{file.path}, before fragments are merged" if file.merged else file.path)
        echo(table([*_rows(file)]))


def _rows(file: FileOrigins) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file and their origins, then what was merged into it."""
    for run in file.runs:
        yield f"  {_span(run.first, run.last)}", _origin(run)
    for origin, place in file.merged:
        yield f"  {place}", f"{origin}, merged into the document"


def _origin(run: OriginRun) -> str:
    """Return the origin of a run of lines, with the lines there."""
    if not run.first_there:
        return run.origin
    return f"{run.origin}:{_span(run.first_there, run.last_there)}"


def _span(first: int, last: int) -> str:
    """Return the numbers of consecutive lines.

    >>> _span(3, 3), _span(3, 5)
    ('3', '3-5')
    """
    return str(first) if first == last else f"{first}-{last}"
