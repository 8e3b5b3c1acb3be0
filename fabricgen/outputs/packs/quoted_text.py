"""Quoting for CSV, JSON, DOT and Markdown, and protection from formulas in spreadsheets.

`unmarked` is for texts that are Markdown elsewhere.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from fabricgen.core.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Iterable


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a cell for a formula."""


def csv_cell(value: object) -> str:
    """Return one cell of a CSV: quoted if necessary, and never a formula.

    >>> print(csv_cell("=1+1"), csv_cell("2 m, blue"))
    '=1+1 "2 m, blue"
    """
    text = "" if value is None else str(value)
    if text.startswith(FORMULA_STARTS) and not _is_number(text):
        text = f"'{text}"
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_rows(rows: Iterable[tuple[object, ...]]) -> str:
    """Return rows of a CSV that have one length, without the last line's end.

    Each cell is as `csv_cell` returns it, only faster if none needs quoting.

    >>> print(csv_rows([("a", 1), ("=b", "c,d")]))
    a,1
    '=b,"c,d"
    >>> csv_rows([("a", None)])
    'a,'
    """
    cells = [*rows]
    form = ",".join(["%s"] * len(cells[0])) if cells else ""
    lines = [form % row for row in cells]
    text = "\n".join(lines)
    if _is_plain(text, form.count(",") * len(cells), len(cells) - 1):
        return text
    return "\n".join(
        line if _is_plain(line, len(row) - 1, 0) else ",".join(map(csv_cell, row))
        for line, row in zip(lines, cells, strict=True)
    )


def lines(rows: Iterable[tuple[object, ...]], form: str) -> str:
    """Return a line for each row, with its cells in the places `{}` of a form.

    >>> print(lines([("10.0.0.0/31", 1), ("10.0.0.2/31", 2)], "route {} metric {}"))
    route 10.0.0.0/31 metric 1
    route 10.0.0.2/31 metric 2
    """
    if isinstance(rows, Columns):
        return rows.lines(form)
    return "\n".join(map(form.replace("%", "%%").replace("{}", "%s").__mod__, rows))


def _is_plain(text: str, commas: int, breaks: int) -> bool:
    """Return whether a text has this many commas and line breaks, and needs no quoting."""
    counted = text.count(",") == commas and text.count("\n") == breaks
    return counted and not text.startswith("-") and not any(sign in text for sign in UNSAFE)


UNSAFE = ("=", "+", "@", '"', "\t", "\r", ",-", "\n-", "None")
"""What may have to be quoted, begin a formula or be an empty cell; the usual names have none."""


def _is_number(text: str) -> bool:
    """Return whether a cell is a plain number, which may be negative."""
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


_JSON = json.JSONEncoder(ensure_ascii=False)  # `json.dumps` makes an encoder for each value


def json_text(value: object) -> str:
    """Return a value as JSON; the template puts no quotes around it."""
    return _JSON.encode(value)


def quoted(value: object) -> str:
    """Return a double-quoted string for DOT, with its quotes and backslashes escaped."""
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{text}"'


def shell(value: object) -> str:
    """Return a word of a POSIX shell in single quotes, which keep every other character.

    >>> print(shell("it's"))
    'it'"'"'s'
    """
    return "'" + str(value).replace("'", "'\"'\"'") + "'"


_CODE = re.compile(r"`([^`\n]+)`")


def unmarked(text: str) -> str:
    """Return a text without the marks of code, for documents that would show them.

    >>> print(unmarked("describe your room under `site`"))
    describe your room under site
    """
    return _CODE.sub(r"\1", text)


_MARKUP = re.compile(r"&(?=#?\w+;)|<|\||\]\(")
_ESCAPES = {"&": "&amp;", "<": "&lt;", "|": "\\|", "](": "]\\("}


def markdown(value: object) -> str:
    r"""Return a text for Markdown, with HTML, links and the borders of cells escaped.

    >>> print(markdown("R&D <b>|</b> &copy; [x](y)"))
    R&D &lt;b>\|&lt;/b> &amp;copy; [x]\(y)
    """
    return _MARKUP.sub(lambda found: _ESCAPES[found[0]], str(value))
