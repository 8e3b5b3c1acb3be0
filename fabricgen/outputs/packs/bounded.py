"""The environment for a user's templates: that of `sandbox`, with limits.

Shipped templates are known to terminate, and run without limits. Here the code of an expression and
every filter check the values they make against `limits`, and a timer runs while a template is
rendered.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from jinja2.compiler import optimizeconst
from jinja2.sandbox import SandboxedFormatter

from fabricgen.outputs.packs.code_cache import CodeCache
from fabricgen.outputs.packs.compiler import Compiler
from fabricgen.outputs.packs.filters import filters_within
from fabricgen.outputs.packs.limits import LimitCheck, Limits
from fabricgen.outputs.packs.sandbox import Sandbox
from fabricgen.outputs.packs.timer import timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import BaseLoader, nodes
    from jinja2.compiler import Frame
    from jinja2.runtime import Context


class BoundedCompiler(Compiler):
    """Code in which `~` and lists check the limits; operators and filters do so themselves."""

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - the name is that of Jinja
        """Write `a ~ b`."""
        escaped = "markup_join" if frame.eval_ctx.autoescape else "str_join"
        join = (
            "(markup_join if context.eval_ctx.autoescape else str_join)"
            if frame.eval_ctx.volatile
            else escaped
        )
        self.write(f"{join}(environment.bounds.parts((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")))")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802 - the name is that of Jinja
        """Write `[a, b]`."""
        self._held(super().visit_List, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802 - the name is that of Jinja
        """Write `(a, b)`; the targets of a loop are written alike, but are no value."""
        if node.ctx == "load":
            self._held(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802 - the name is that of Jinja
        """Write `{a: b}`."""
        self._held(super().visit_Dict, node, frame)

    def _held(self, visit: Any, node: Any, frame: Frame) -> None:  # noqa: ANN401 - a method for a kind of node, and that
        """Write a list or mapping that is counted when it is made."""
        self.write("environment.bounds.held(")
        visit(node, frame)
        self.write(")")


class BoundedFormatter(SandboxedFormatter):
    """A formatter within the limits."""

    _env: BoundedSandbox
    _length = 0

    def format_field(self, value: Any, format_spec: str) -> Any:  # noqa: ANN401 - the signature is that of Python
        """Write one field."""
        for width in re.findall(r"\d+", format_spec):
            self._env.bounds.padded(int(width))
        text = super().format_field(value, format_spec)
        self._length += len(text)
        self._env.bounds.fits(self._length)
        return text


class BoundedSandbox(Sandbox):
    """The sandbox with limits."""

    code_generator_class = BoundedCompiler
    in_place = False  # what an included template writes is counted where it is included
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, loader: BaseLoader | None, limits: Limits) -> None:
        """Create the environment."""
        super().__init__(loader)
        self.bounds = LimitCheck(limits)
        self.filters = filters_within(self.bounds)
        self.globals = {"range": self.bounds.numbers}
        self.concat = self.bounds.written  # type: ignore[method-assign]  # Jinja takes it from the instance
        self.codes = CodeCache(kind="bounded")

    def run(self, render: Callable[[], str]) -> str:
        """Render a template. Raises LimitError if it takes too long or too much memory."""
        return timed(self.bounds.limits, render)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Compute a result within the limits."""
        self.bounds.operands(operator, left, right)
        return self.bounds.result(super().call_binop(context, operator, left, right))

    def wrap_str_format(self, value: Any) -> Callable[..., Any] | None:  # noqa: ANN401 - the signature is that of Jinja
        """Return a formatting method within the limits; None for a value that is not text."""
        text = getattr(value, "__self__", None)
        if not isinstance(text, str):
            return None
        self.bounds.short(text)
        return partial(self._format, text) if value.__name__ == "format" else value

    def _format(self, text: str, *values: Any, **named: Any) -> str:  # noqa: ANN401 - any values
        """Format a text."""
        return type(text)(BoundedFormatter(self).vformat(text, values, named))
