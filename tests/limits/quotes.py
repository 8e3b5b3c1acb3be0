"""Expressions of templates between quotes of the template's own text.

A quote ends with its line. What a file holds behind an include, a macro or a loop is read in the
order of the text, which is that of the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import nodes

from fabricgen.outputs.packs.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIGNS = re.compile(r"[\"'\n]|\{[a-z]\w*(?:\.[a-z]\w*)*\}")
"""Quotes, ends of lines, and places of attributes, which the filter `each` fills."""

ESCAPES = frozenset({"e", "escape"})
"""Filters after which a text has no syntax between quotes; the others put quotes around it."""

NUMBERS = frozenset({
    "int", "length", "count", "ms_to_s", "ms_to_us", "periods", "percent_to_share", "at_most",
    "step_up",
})  # fmt: skip
"""Filters that return a number."""

ENVIRONMENT = Sandbox()


class Quoted(NamedTuple):
    """A value between quotes: its line and its expression."""

    line: int
    expression: str


def quoted(path: Path) -> Iterator[Quoted]:
    """Yield the values between quotes of a template."""
    quote, parts, begin = "", [""], 0
    for line, kind, value in ENVIRONMENT.lex(path.read_text(encoding="utf-8")):
        match kind:
            case "variable_begin":
                parts, begin = [], line
            case "variable_end" if quote:
                yield Quoted(begin, "".join(parts).strip())
            case "data":
                for sign in SIGNS.findall(value):
                    if len(sign) == 1:
                        quote = _after(quote, sign)
                    elif quote:
                        yield Quoted(line, f"row.{sign[1:-1]}")
            case _:
                parts.append(value)


def _after(quote: str, sign: str) -> str:
    """Return the quote that is open after a quote or the end of a line; empty for none."""
    if sign in ("\n", quote):
        return ""
    return quote or sign


def sources(expression: str) -> Iterator[str]:
    """Yield the names of the values that an expression may write without a filter.

    An attribute has the name of its owner before a dot; an item is named by its container.
    """
    (output,) = ENVIRONMENT.parse(f"{{{{ {expression} }}}}").body
    assert isinstance(output, nodes.Output)
    for node in output.nodes:
        yield from _sources(node)


def _sources(node: nodes.Node | None) -> Iterator[str]:
    match node:
        case nodes.Const(value=value):
            if re.search(r"[\"'\\<&\n]", str(value)):
                yield repr(value)
        case nodes.Getattr(node=nodes.Name(name=owner) | nodes.Getattr(attr=owner), attr=name):
            yield f"{owner}.{name}"
        case nodes.Getattr(attr=name):
            yield f".{name}"
        case nodes.Name(name=name):
            yield name
        case _:
            for part in _parts(node):
                yield from _sources(part)


def _parts(node: nodes.Node | None) -> list[nodes.Node | None]:
    """Return the parts of an expression that may be written. Raises TypeError for unknown ones."""
    match node:
        case None | nodes.TemplateData() | nodes.Compare() | nodes.Not():
            return []
        case nodes.Filter(name=name) if name in ESCAPES | NUMBERS:
            return []
        case nodes.CondExpr():
            return [node.expr1, node.expr2]
        case nodes.And() | nodes.Or() | nodes.Add():
            return [node.left, node.right]
        case nodes.Concat():
            return [*node.nodes]
        case nodes.Call():
            return [node.node, *node.args]
        case nodes.Filter() | nodes.Getitem():
            return [node.node]
    raise TypeError(type(node).__name__)
