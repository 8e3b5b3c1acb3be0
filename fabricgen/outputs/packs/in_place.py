"""Included templates compiled in place: the code of a template holds that of its sections.

An include at run time costs a context and a generator, more than most sections write. Only includes
by a name in double quotes are compiled in place, which shipped templates use throughout.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_INCLUDE = re.compile(r'\{%[+-]?\s*include\s+"([^"]+)"\s*[+-]?%\}')


def section_texts(text: str, read: Callable[[str], str | None]) -> dict[str, str]:
    """Return the text of each template that a template includes, directly or not, by name.

    `read` returns the text of a template, or None.
    """
    found: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in _INCLUDE.findall(waiting.pop()):
            if name not in found and (section := read(name)) is not None:
                found[name] = section
                waiting.append(section)
    return found


class InPlace(NodeTransformer):
    """The replacement of includes by the nodes of their templates.

    An error in a section has the line of its include. A template that includes itself does so at
    run time.
    """

    def __init__(
        self, texts: Mapping[str, str], parse: Callable[[str, str], nodes.Template]
    ) -> None:
        """Keep the texts of sections by name; `parse` takes a text and a name."""
        self._texts, self._parse = texts, parse
        self._open: list[str] = []

    def visit_Include(self, node: nodes.Include) -> nodes.Node:  # noqa: N802 - the name is that of Jinja
        """Return the section as a scope of its own, whose variables end with it."""
        name = node.template.value if isinstance(node.template, nodes.Const) else ""
        plain = node.with_context and not node.ignore_missing
        if not plain or name not in self._texts or name in self._open:
            return node
        self._open.append(name)
        tree = self.visit(self._parse(self._texts[name], name))
        self._open.pop()
        for each in tree.find_all(nodes.Node):
            each.lineno = node.lineno
        return nodes.Scope(tree.body, lineno=node.lineno)
