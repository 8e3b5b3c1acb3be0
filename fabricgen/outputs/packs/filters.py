"""The filters of `sandbox`, each within the limits of a rendering."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from jinja2 import pass_environment, pass_eval_context
from jinja2.filters import FILTERS as JINJAS

from fabricgen.outputs.packs.each_row import each, length_of
from fabricgen.outputs.packs.quoted_text import lines
from fabricgen.outputs.packs.sandbox import FILTERS, OWN_FILTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2.nodes import EvalContext

    from fabricgen.outputs.packs.limits import LimitCheck
    from fabricgen.outputs.packs.sandbox import Sandbox

    Filter = Callable[..., Any]

_APART = frozenset(
    {
        "first",
        "join",
        "last",
        "list",
        "map",
        "max",
        "min",
        "reject",
        "rejectattr",
        "select",
        "selectattr",
        "sort",
        "unique",
    }
)
"""Filters that treat a text as a list of characters."""

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""The characters at which Python splits lines."""


def filters_within(bounds: LimitCheck) -> dict[str, Filter]:
    """Return every filter by its name."""
    found: dict[str, Filter] = {name: JINJAS[name] for name in FILTERS} | OWN_FILTERS
    join, indent, integer = (found[name] for name in ("join", "indent", "int"))

    @pass_eval_context
    def join_within(
        context: EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None
    ) -> Any:  # noqa: ANN401 - a text or Markup
        items = [*value]
        bounds.fits(len(items) * len(str(d)))
        return join(context, items, d, attribute)

    def indent_within(
        s: str,
        width: int | str = 4,
        first: bool = False,  # noqa: FBT001, FBT002 - as in Jinja
        blank: bool = False,  # noqa: FBT001, FBT002 - as in Jinja
    ) -> Any:  # noqa: ANN401 - as in Jinja
        lines, blanks = (
            2 + sum(map(s.count, _BREAKS)),
            len(width) if isinstance(width, str) else width,
        )
        bounds.padded(blanks)
        bounds.fits(len(s) + lines * (blanks + 1))
        return indent(s, width, first, blank)

    def int_within(value: object, default: int = 0, base: int = 10) -> Any:  # noqa: ANN401 - as in Jinja
        return (
            default
            if isinstance(value, str) and len(value) > bounds.limits.bits
            else integer(value, default, base)
        )

    def lines_within(rows: Iterable[tuple[object, ...]], form: str) -> str:
        held = [*rows]
        bounds.fits(len(held) * len(form))
        return lines(held, form)

    @pass_environment
    def each_within(
        environment: Sandbox, text: str, rows: Iterable[Any], between: str = "", last: str = ""
    ) -> str:
        held = [*rows]
        bounds.fits(length_of(environment, text, held, between))
        return each(environment, text, held, between, last)

    found |= {
        "each": each_within,
        "join": join_within,
        "indent": indent_within,
        "int": int_within,
        "lines": lines_within,
    }
    return {name: _within(bounds, made, apart=name in _APART) for name, made in found.items()}


def _within(bounds: LimitCheck, made: Filter, *, apart: bool) -> Filter:
    """Return a filter whose arguments and results are checked against the limits."""

    @wraps(made)  # with the mark by which Jinja passes a filter its environment
    def within(*values: Any, **options: Any) -> Any:  # noqa: ANN401 - a filter takes and returns any value
        for value in values if apart else ():
            bounds.short(value)
        return bounds.filtered(made(*values, **options))

    return within
