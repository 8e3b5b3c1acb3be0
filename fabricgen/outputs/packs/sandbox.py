"""The environment that templates run in: what a template may use is listed, the rest is refused.

Owns the lists for Python's and Jinja's own values; `template_api` owns those of views.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

from jinja2 import StrictUndefined, TemplateNotFound, UndefinedError
from jinja2.environment import TemplateModule
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import SandboxedEnvironment

from fabricgen.core.template_api import template_names
from fabricgen.outputs.packs.checksum import md5_line
from fabricgen.outputs.packs.code_cache import CodeCache
from fabricgen.outputs.packs.compiler import Compiler
from fabricgen.outputs.packs.each_row import each, runs
from fabricgen.outputs.packs.in_place import InPlace, section_texts
from fabricgen.outputs.packs.quantities import (
    at_most,
    ms_to_s,
    ms_to_us,
    percent_to_share,
    periods,
    step_up,
)
from fabricgen.outputs.packs.quoted_text import (
    csv_cell,
    csv_rows,
    json_text,
    lines,
    markdown,
    quoted,
    shell,
    unmarked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from types import CodeType

    from jinja2 import BaseLoader, Template

METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset({
        "capitalize", "endswith", "format", "isdigit", "lower", "lstrip", "removeprefix",
        "removesuffix", "rstrip", "split", "startswith", "strip", "title", "upper",
    }),
    dict: frozenset({"get", "items", "keys", "values"}),
    LoopContext: frozenset({
        "changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length",
        "nextitem", "previtem", "revindex", "revindex0",
    }),
}  # fmt: skip
"""Attributes of values that are not views; lists and tuples have no attribute for templates."""

OWN_FILTERS = {
    "csv": csv_cell,
    "each": each,
    "runs": runs,
    "rows": csv_rows,
    "lines": lines,
    "json": json_text,
    "quoted": quoted,
    "shell": shell,
    "markdown": markdown,
    "unmarked": unmarked,
    "md5_line": md5_line,
    "ms_to_s": ms_to_s,
    "ms_to_us": ms_to_us,
    "periods": periods,
    "percent_to_share": percent_to_share,
    "at_most": at_most,
    "step_up": step_up,
}
FILTERS = (
    "capitalize", "count", "d", "default", "e", "escape", "first", "indent", "int", "join", "last",
    "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "safe", "select",
    "selectattr", "sort", "string", "trim", "unique", "upper",
)  # fmt: skip
"""Jinja's filters that templates may use."""
TESTS = (
    "!=", "<", "<=", "==", ">", ">=", "boolean", "defined", "divisibleby", "eq", "equalto", "even",
    "false", "float", "ge", "gt", "in", "integer", "iterable", "le", "lessthan", "lower", "lt",
    "mapping", "ne", "none", "number", "odd", "sequence", "string", "true", "undefined", "upper",
)  # fmt: skip
"""Jinja's tests that templates may use."""
GLOBALS = ("range",)
"""Jinja's functions that templates may use."""


class UnknownNameError(UndefinedError):
    """A name that a value does not have or templates may not use; `known` are allowed names."""

    def __init__(
        self, message: str | None = None, name: str = "", known: frozenset[str] = frozenset()
    ) -> None:
        """Keep what a hint needs."""
        super().__init__(message)
        self.name, self.known = name, known


class Sandbox(SandboxedEnvironment):
    """Jinja's environment with attributes, filters, tests and functions by list.

    The decisions are cached: views are read millions of times, always by the same few names.
    """

    code_generator_class = Compiler
    in_place = True
    """Whether includes are compiled in place."""

    def __init__(self, loader: BaseLoader | None = None) -> None:
        """Create it. An undefined name is an error: a typo must not leave an empty line."""
        super().__init__(
            loader=loader,
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,  # looking whether a file has changed costs more than an include
        )
        self.filters = {name: self.filters[name] for name in FILTERS} | OWN_FILTERS
        self.tests = {name: self.tests[name] for name in TESTS}
        self.globals = {name: self.globals[name] for name in GLOBALS}
        self._allowed: dict[tuple[str, ...], set[type]] = {}
        self._loaded: dict[str, Template] = {}
        self.codes = CodeCache()

    def compile(
        self,
        source: Any,  # noqa: ANN401 - the signature is that of Jinja
        name: str | None = None,
        filename: str | None = None,
        raw: bool = False,  # noqa: FBT001, FBT002 - the signature is that of Jinja
        defer_init: bool = False,  # noqa: FBT001, FBT002 - the signature is that of Jinja
    ) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Compile a template with its sections, or load its code from an earlier run."""
        plain: Callable[..., Any] = super().compile
        if not isinstance(source, str) or name is None or filename is None or raw or defer_init:
            return plain(source, name, filename, raw, defer_init)
        texts = section_texts(source, self._section) if self.in_place else {}

        def compiled() -> CodeType:
            tree = InPlace(texts, self.parse).visit(self.parse(source, name, filename))
            code: CodeType = plain(tree, name, filename)
            return code

        whole = "\0".join([source, *texts, *texts.values()])
        return self.codes.code(whole, name, filename, compiled)

    def _section(self, name: str) -> str | None:
        """Return the text of a template that another includes; None if there is none."""
        try:
            return self.loader.get_source(self, name)[0] if self.loader else None
        except TemplateNotFound:
            return None

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template as one mapping, which every rendering copies."""
        return {**self.globals, **(d or {})}

    def run(self, render: Callable[[], str]) -> str:
        """Render a template; a shipped one has no limits."""
        return render()

    def _compile(self, source: str, filename: str) -> CodeType:
        """Compile a template's Python; a warning of Python's there is an error when it runs."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return super()._compile(source, filename)

    def types_with(self, *attributes: str) -> set[type]:
        """Return the types with allowed attributes so far; compiled templates look them up."""
        if attributes not in self._allowed:
            every = [self.types_with(each) for each in attributes] if len(attributes) > 1 else []
            self._allowed[attributes] = set.intersection(*every) if every else set()
        return self._allowed[attributes]

    def get_template(
        self,
        name: str | Template,
        parent: str | None = None,
        globals: Any = None,  # noqa: A002, ANN401 - the signature is that of Jinja
    ) -> Template:
        """Load a template once, although an include requests it each time."""
        if not isinstance(name, str) or parent is None or globals:
            return super().get_template(name, parent, globals)
        if name not in self._loaded:
            self._loaded[name] = super().get_template(name, parent)
        return self._loaded[name]

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Read an attribute that is listed."""
        if type(obj) is dict and attribute in obj and attribute not in METHODS[dict]:
            return obj[attribute]  # a word or a term of the pack, which every line may have
        if type(obj) in self.types_with(attribute):
            return getattr(obj, attribute)
        return self._judged(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Read an item of a text, a list or a mapping, or an attribute that is listed."""
        if isinstance(obj, str | list | tuple | Sequence | Mapping):
            try:
                return obj[argument]
            except (TypeError, LookupError):
                pass
        return (
            self.getattr(obj, argument)
            if isinstance(argument, str)
            else self.undefined(obj=obj, name=argument)
        )

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401, ARG002 - the signature is that of Jinja
        """Return whether an attribute is listed."""
        return attr in names_of(obj)

    def _judged(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - as with getattr
        """Read an attribute for the first time."""
        known = names_of(obj)
        if attribute in known:
            value = getattr(obj, attribute)
            if (
                checked := self.wrap_str_format(value)
            ) is not None:  # its fields read attributes, too
                return checked
            if not isinstance(obj, TemplateModule):  # what those have differs from one to another
                self._allow(type(obj), attribute)
            return value
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        return self._unknown(obj, attribute, known)

    def _allow(self, kind: type, attribute: str) -> None:
        """Keep that the values of a type have an attribute, alone and with others."""
        self.types_with(attribute).add(kind)
        for attributes, kinds in self._allowed.items():
            if attribute in attributes and all(kind in self._allowed[each,] for each in attributes):
                kinds.add(kind)

    def _unknown(self, obj: Any, attribute: str, known: frozenset[str]) -> Undefined:  # noqa: ANN401 - as with getattr
        """Return an undefined value that is refused when it is used."""
        if isinstance(obj, Undefined):
            _fail(obj)
        exists = isinstance(attribute, str) and hasattr(type(obj), attribute)
        fact = f"`{attribute}` of a `{type(obj).__name__}` is not for templates" if exists else None
        return self.undefined(
            fact,
            obj=obj,
            name=attribute,
            exc=cast("Any", partial(UnknownNameError, name=attribute, known=known)),
        )


def names_of(obj: object) -> frozenset[str]:
    """Return the attributes of a value that a template may use."""
    if isinstance(obj, TemplateModule):  # what `import` gives: the macros of a template
        return frozenset(name for name in vars(obj) if not name.startswith("_"))
    return _names_of_type(type(obj))


def _listed_names(kind: type) -> frozenset[str]:
    """Return the attributes of the values of a type: those of a view, or listed methods."""
    return template_names(kind) or next(
        (names for shape, names in METHODS.items() if issubclass(kind, shape)), frozenset()
    )


_names_of_type: Callable[[type], frozenset[str]] = cache(_listed_names)


def _fail(undefined: Undefined) -> NoReturn:
    """Raise the error of an undefined name, whatever is done with it."""
    raise UndefinedError(str(undefined))
