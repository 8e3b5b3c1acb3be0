"""An environment that marks what it writes, so that each line of a file is traced to its template.

Its templates write the same text, with marks in it that name the template and the line of each
piece, and where an included template ends. A macro, a captured block and a block with a filter are
marked as the line that prints their result. `line_origins` reads the marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from fabricgen.outputs.packs.bounded import BoundedCompiler, BoundedSandbox
from fabricgen.outputs.packs.code_cache import CodeCache

if TYPE_CHECKING:
    from jinja2 import BaseLoader

    from fabricgen.outputs.packs.limits import Limits


class MarkingCompiler(BoundedCompiler):
    """Code that writes a mark before each piece of text."""

    def visit_Output(self, node: nodes.Output, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write the pieces of an output, each line with its mark."""
        if frame.buffer is None:
            node = nodes.Output([*self._marked(node)], lineno=node.lineno)
        super().visit_Output(node, frame)

    def _marked(self, node: nodes.Output) -> list[nodes.Expr]:
        """Return the pieces of an output, each after its mark; a text is cut into its lines."""
        pieces: list[nodes.Expr] = []
        for child in node.nodes:
            for number, piece in enumerate(_lines(child), start=child.lineno):
                mark = f"\0@{self.name}:{number}\0"
                pieces += [nodes.TemplateData(mark, lineno=number), piece]
        return pieces

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write what a filter makes of a block, with the mark of the filter."""
        if frame.buffer is None:
            mark = f"\0@{self.name}:{node.lineno}\0"
            self.writeline(f"yield {mark!r}")
        super().visit_FilterBlock(node, frame)

    def visit_Include(self, node: nodes.Include, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write an included template between two marks."""
        name = node.template.value if isinstance(node.template, nodes.Const) else ""
        for mark in (f"\0+{name}\0", None, "\0-\0"):
            if mark is None:
                super().visit_Include(node, frame)
            elif frame.buffer is None:
                self.writeline(f"yield {mark!r}")


def _lines(piece: nodes.Expr) -> list[nodes.Expr]:
    """Return the lines of a piece of an output that is text of the template, or the piece."""
    if not isinstance(piece, nodes.TemplateData):
        return [piece]
    lines = piece.data.splitlines(keepends=True)
    return [nodes.TemplateData(line, lineno=piece.lineno) for line in lines]


class MarkingSandbox(BoundedSandbox):
    """The sandbox whose templates mark what they write."""

    code_generator_class = MarkingCompiler

    def __init__(self, loader: BaseLoader | None, limits: Limits) -> None:
        """Create the environment."""
        super().__init__(loader, limits)
        self.codes = CodeCache(kind="marking")
