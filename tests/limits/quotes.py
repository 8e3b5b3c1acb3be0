"""Expressions of templates that stand between quotes of the template's own text.

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
    """A value between quotes: the line, the quote and the expression."""

    line: int
    quote: str
    expression: str


def quoted(path: Path) -> Iterator[Quoted]:
    """Yield the values between quotes of a template."""
    quote, parts, begin = "", [], 0
    for line, token, value in ENVIRONMENT.lex(path.read_text(encoding="utf-8")):
        if token == "variable_begin":
            parts, begin = [], line
        elif token == "variable_end":
            if quote:
                yield Quoted(begin, quote, "".join(parts).strip())
        elif token == "data":
            for found in SIGNS.findall(value):
                if len(found) > 1:
                    if quote:
                        yield Quoted(line, quote, f"row.{found[1:-1]}")
                elif found == "\n":
                    quote = ""
                elif quote in ("", found):
                    quote = "" if quote else found
        else:
            parts.append(value)


def sources(expression: str) -> Iterator[str]:
    """Yield the names of the values that an expression may write without a filter.

    An attribute stands for itself, whatever it is of; an item for what it is of.
    """
    (output,) = ENVIRONMENT.parse(f"{{{{ {expression} }}}}").body
    assert isinstance(output, nodes.Output)
    for node in output.nodes:
        yield from _sources(node)


def _sources(node: nodes.Node | None) -> Iterator[str]:
    match node:
        case None | nodes.TemplateData() | nodes.Compare() | nodes.Not():
            return
        case nodes.Const(value=value):
            if re.search(r"[\"'\\<&\n]", str(value)):
                yield repr(value)
        case nodes.CondExpr():
            yield from _sources(node.expr1)
            yield from _sources(node.expr2)
        case nodes.And() | nodes.Or() | nodes.Add():
            yield from _sources(node.left)
            yield from _sources(node.right)
        case nodes.Concat():
            for each in node.nodes:
                yield from _sources(each)
        case nodes.Filter(name=name) if name in ESCAPES | NUMBERS:
            return
        case nodes.Filter():
            yield from _sources(node.node)
        case nodes.Getattr(node=nodes.Name(name=owner) | nodes.Getattr(attr=owner), attr=name):
            yield f"{owner}.{name}"
        case nodes.Getattr(attr=name):
            yield f".{name}"
        case nodes.Call():
            yield from _sources(node.node)
            for each in node.args:
                yield from _sources(each)
        case nodes.Getitem():
            yield from _sources(node.node)
        case nodes.Name(name=name):
            yield name
        case _:
            yield type(node).__name__
