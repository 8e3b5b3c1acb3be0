"""The filters by which a template writes many rows of a view, such as ports, without a loop.

A loop evaluates its tests and reads its attributes for every row. `runs` cuts rows where the result
of the tests changes, so that each run is tested once; `each` writes the text of a run by columns.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Protocol

from jinja2 import UndefinedError, pass_environment
from jinja2.runtime import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLACE = re.compile(r"\{([a-z]\w*(?:\.[a-z]\w*)?)\}")

FORMS, TEXTS = 1024, 256
"""Forms that are kept, and texts of one column: the names of ports are those of many switches."""


class Rules(Protocol):
    """What the sandbox has of attributes; it imports this module."""

    def types_with(self, attribute: str) -> set[type]:
        """Return the types with an allowed attribute so far."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Read an attribute that is allowed."""


@pass_environment
def each(
    environment: Rules, text: str, rows: Iterable[Any], between: str = "", last: str = ""
) -> str:
    """Return a text once for each row, with the attributes of the row in places such as `{name}`.

    `{facts.lanes}` is an item of a mapping. Each text but the last ends with `between`, and that
    with `last`; the end of the text's last line stays behind them. Raises UndefinedError for an
    unknown attribute.
    """
    (form, names), held = _form(text.removesuffix("\n")), [*rows]
    if not held:
        return ""
    end = "\n" if text.endswith("\n") else ""
    columns = _columns(environment, held, names)
    if len({*names}) == 1:
        return _repeated(form, len(names), tuple(columns[0]), between + end) + last + end
    texts = map(form.__mod__, zip(*columns, strict=True)) if names else [form % ()] * len(held)
    return (between + end).join(texts) + last + end


def length_of(environment: Rules, text: str, rows: Sequence[Any], between: str) -> int:
    """Count the characters that `each` would write, or a few more."""
    _, names = _form(text)
    cells = chain.from_iterable(_columns(environment, rows, names))
    return len(rows) * (len(text) + len(between) + 1) + sum(map(len, map(str, cells)))


@pass_environment
def runs(environment: Rules, rows: Iterable[Any], first: str, *more: str) -> list[list[Any]]:
    """Cut rows into runs of neighbors that have the same attributes.

    Of `name?`, only whether the attribute is empty has to be the same. Raises UndefinedError for an
    unknown attribute.
    """
    names, held = (first, *more), [*rows]
    columns = _columns(environment, held, [name.removesuffix("?") for name in names])
    cells = (
        map(bool, column) if name.endswith("?") else column
        for name, column in zip(names, columns, strict=True)
    )
    keys = [*zip(*cells, strict=True)]
    if len({*keys}) == 1:
        return [held]
    return [
        [row for _, row in run] for _, run in groupby(zip(keys, held, strict=True), itemgetter(0))
    ]


@lru_cache(maxsize=FORMS)
def _form(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text as a form of `%`, and the names in its places."""
    words = _PLACE.split(text)
    return "%s".join(word.replace("%", "%%") for word in words[::2]), tuple(words[1::2])


@lru_cache(maxsize=TEXTS)
def _repeated(form: str, places: int, cells: tuple[object, ...], between: str) -> str:
    """Return a form once for each cell, which is in all of its places."""
    return between.join([form % ((cell,) * places) for cell in cells])


def _columns(environment: Rules, rows: Sequence[Any], names: Sequence[str]) -> list[Iterable[Any]]:
    """Return attributes of every row, after the sandbox has allowed them for the rows' types."""
    kinds = {*map(type, rows)}
    columns: list[Iterable[Any]] = []
    for name in names:
        attribute, _, item = name.partition(".")
        if not kinds <= environment.types_with(attribute):
            _judge(environment, rows, attribute)
        cells = map(attrgetter(attribute), rows)
        columns.append(_items(cells, item) if item else cells)
    return columns


def _judge(environment: Rules, rows: Sequence[Any], attribute: str) -> None:
    """Read an attribute of every row as a template does. Raises UndefinedError without it."""
    for row in rows:
        if isinstance(found := environment.getattr(row, attribute), Undefined):
            str(found)  # raises the error of the name


def _items(mappings: Iterable[Any], name: str) -> list[Any]:
    """Return an item of every mapping."""
    try:
        return [*map(itemgetter(name), mappings)]
    except LookupError:
        raise UndefinedError(f"`{name}` is missing in a row") from None
