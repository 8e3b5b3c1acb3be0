"""How templates become Python code: views' attributes are read without a call, outputs are joined.

Owns the two differences from Jinja's code. `x.name` is read directly if the sandbox has allowed
`name` for the type of `x` before, and through the sandbox otherwise. The text between two
statements of a template is formatted at once; Jinja yields each piece of it. Where it has several
attributes of a variable, their types are compared once, directly before it.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, optimizeconst

if TYPE_CHECKING:
    from jinja2.compiler import Frame


class Compiler(CodeGenerator):
    """Jinja's code generator, with attributes read in place and outputs joined."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of Jinja
        """Start without any attribute."""
        super().__init__(*arguments, **options)
        self._attributes: set[str] = set()
        self._groups: dict[tuple[str, ...], int] = {}
        self._compared: set[str] = set()

    def visit_Getattr(self, node: nodes.Getattr, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write `x.name`; `seen` holds the value, and nothing else is evaluated in between."""
        if not _is_plain(node.attr):
            super().visit_Getattr(node, frame)
            return
        if (variable := _variable(node, frame)) in self._compared:
            self.write(f"({variable}.{node.attr} if all_{variable} else environment.getattr(")
            self.visit(node.node, frame)
            self.write(f", {node.attr!r}))")
            return
        self._attributes.add(node.attr)
        self.write("(seen." + node.attr + " if type(seen := (")
        self.visit(node.node, frame)
        self.write(f")) in with_{node.attr} else environment.getattr(seen, {node.attr!r}))")

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - as with Jinja
        """Write `a ~ b` as one form, without a call."""
        if frame.eval_ctx.autoescape or frame.eval_ctx.volatile:
            super().visit_Concat(node, frame)
            return
        self.write(f"({'%s' * len(node.nodes)!r} % (")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Output(self, node: nodes.Output, frame: Any) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write adjacent texts and expressions as one: `yield "vlan %s mtu %s" % (x, y)`.

        Each expression has a line of its own, so that an error is one of its line in the template.
        """
        form, values = self._form(node, frame)
        escapes = frame.eval_ctx.autoescape or frame.eval_ctx.volatile
        if not values or form == ["%s"] or frame.require_output_check or escapes:
            super().visit_Output(node, frame)
            return
        self._compare(values, frame)
        self.writeline(f"{frame.buffer}.append(" if frame.buffer is not None else "yield (", node)
        self.write(f"{''.join(form)!r} % (")
        self.indent()
        for value in values:
            self.newline(value)
            self.visit(value, frame)
            self.write(",")
        self.outdent()
        self.writeline("))")
        self._compared.clear()

    def _compare(self, values: list[nodes.Expr], frame: Frame) -> None:
        """Write whether each variable has a type with all attributes that some expressions read.

        An expression cannot assign a variable, so its type is the same in all of them.
        """
        read: dict[str, set[str]] = {}
        for value in values:
            own = [value] if isinstance(value, nodes.Getattr) else []
            for each in (*own, *value.find_all(nodes.Getattr)):
                if (variable := _variable(each, frame)) and _is_plain(each.attr):
                    read.setdefault(variable, set()).add(each.attr)
        for variable, names in read.items():
            if len(names) > 1:
                number = self._groups.setdefault((*sorted(names),), len(self._groups))
                self.writeline(f"all_{variable} = type({variable}) in with_{number}")
                self._compared.add(variable)

    def _form(self, node: nodes.Output, frame: Any) -> tuple[list[str], list[nodes.Expr]]:  # noqa: ANN401 - as with Jinja
        """Return the pieces of an output, `%s` for each non-constant one, and their expressions."""
        form, values, finalize = [], [], self._make_finalize()
        for child in node.nodes:
            if isinstance(child, nodes.CondExpr) and child.expr2 is None:
                child.expr2 = nodes.Const("")  # prints as much as the object that Jinja creates
            try:
                form.append(self._output_child_to_const(child, frame, finalize).replace("%", "%%"))
            except Exception:  # noqa: BLE001 - as with Jinja: it is not constant, or its error is one of the rendering
                form.append("%s")
                values.append(child)
        return form, values

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: ANN401, N802 - as with Jinja
        """Write a template, with tables of the types that have attributes.

        They are those of the environment.
        """
        super().visit_Template(node, frame)
        for name in sorted(self._attributes):
            self.writeline(f"with_{name} = environment.types_with({name!r})")
        for names, number in self._groups.items():
            self.writeline(f"with_{number} = environment.types_with(*{names!r})")


def _is_plain(attribute: str) -> bool:
    """Return whether Python has a name for an attribute."""
    return attribute.isascii() and attribute.isidentifier() and not iskeyword(attribute)


def _variable(node: nodes.Getattr, frame: Frame) -> str:
    """Return the Python variable whose attribute is read; empty for that of another expression."""
    return frame.symbols.ref(node.node.name) if isinstance(node.node, nodes.Name) else ""
