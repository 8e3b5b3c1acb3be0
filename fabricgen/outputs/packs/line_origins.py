"""Which template wrote each line of a file, by the marks that templates of `origin_marks` write."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile("\0([@+-])([^\0]*)\0")
"""A mark: `@template:line` before a piece, `+template` and `-` around an included template."""


class OriginLine(NamedTuple):
    """One line of a file, or several of one origin, with the line end."""

    text: str
    origin: str
    """The template, or the override."""
    number: int
    """The line there."""


class MarkedText(NamedTuple):
    """A text with the origin of each line, and where each included template ends."""

    lines: list[OriginLine]
    ends: dict[str, int]
    """The template by name -> the lines of the text up to its last end."""

    @property
    def text(self) -> str:
        """The text without origins."""
        return "".join(line.text for line in self.lines)


def read_marks(marked: str, template: str) -> MarkedText:
    r"""Return a text that templates marked, line by line.

    >>> marked = "\0@a.j2:1\0x \0@b.j2:7\0y\nz\n"
    >>> [line[1:] for line in read_marks(marked, "a.j2").lines]
    [('a.j2', 1), ('b.j2', 7)]
    """
    ends: dict[str, int] = {}
    included: list[str] = []
    piece, begun = (template, 1), OriginLine("", "", 0)
    text, *rest = _MARK.split(marked)
    lines = [OriginLine(line, *piece) for line in text.splitlines(keepends=True)]
    for kind, value, written in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        name, _, number = value.rpartition(":")
        if kind == "@" and number.isdigit():
            piece = (name, int(number))
        elif kind == "+":
            included.append(value)
        elif included:
            ends[included.pop()] = len(lines) + bool(begun.text)
        for line in written.splitlines(keepends=True):
            origin = begun[1:] if begun.text else piece
            begun = OriginLine(begun.text + line, *origin)
            if line.endswith("\n"):
                lines.append(begun)
                begun = OriginLine("", "", 0)
    return MarkedText([*lines, begun] if begun.text else lines, ends)
