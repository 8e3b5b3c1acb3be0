"""How templates become Python code: attributes of views are read without a call.

Owns the one place where the code differs from Jinja's: `x.name` is read at once where the sandbox
has allowed `name` for the type of `x` before, and through the sandbox otherwise.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from jinja2.compiler import CodeGenerator

if TYPE_CHECKING:
    from jinja2 import nodes


class Compiler(CodeGenerator):
    """Jinja's code generator, with attributes read in place."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of Jinja
        """Begin without any attribute."""
        super().__init__(*arguments, **options)
        self._attributes: set[str] = set()

    def visit_Getattr(self, node: nodes.Getattr, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write `x.name`: the value is kept in `seen`, which nothing else comes between."""
        if not (node.attr.isascii() and node.attr.isidentifier()) or iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self._attributes.add(node.attr)
        self.write("(seen." + node.attr + " if type(seen := (")
        self.visit(node.node, frame)
        self.write(f")) in with_{node.attr} else environment.getattr(seen, {node.attr!r}))")

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write a template, and behind it the types that have each attribute, as the environment knows them."""
        super().visit_Template(node, frame)
        for name in sorted(self._attributes):
            self.writeline(f"with_{name} = environment.types_with({name!r})")
