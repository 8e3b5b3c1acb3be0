"""The finding for a template that cannot be rendered: where, what, and the nearest known name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, suggest
from fabricgen.outputs.packs.limits import LimitError
from fabricgen.outputs.packs.sandbox import FILTERS, OWN_FILTERS, TESTS, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection

_UNKNOWN = re.compile(r"No (filter|test) named '(.+)'\.|'(.+)' is undefined")
"""Jinja's messages for an unknown filter, test or variable."""


def bad_template(
    name: str, error: Exception, variables: Collection[str], *, shown: bool
) -> Finding:
    """Return the finding for a template's error; `shown` if a template of this name is shipped."""
    if isinstance(error, LimitError):
        hint = "loop over what the view holds, once, and build nothing that is not written"
        return Finding("template-budget", f"{name} {error}", hint=hint)
    line = f":{number}" if (number := getattr(error, "lineno", None)) else ""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    otherwise = (
        "compare with the template of the same name that ships with fabricgen" if shown else ""
    )
    hint = _nearest(error, message, variables) or otherwise
    return Finding("bad-template", f"{name}{line}: {message}", hint=hint)


def _nearest(error: Exception, message: str, variables: Collection[str]) -> str:
    """Return a hint with the name that was probably meant; empty if none was unknown."""
    if isinstance(error, UnknownNameError):
        return _listed(error.name, "attributes", error.known) if error.known else ""
    if (unknown := _UNKNOWN.fullmatch(message)) is None:
        return ""
    kind, word, variable = unknown.groups()
    if variable:
        return _listed(variable, "variables", variables)
    return _listed(
        word,
        f"{kind}s",
        (
            (*FILTERS, *OWN_FILTERS)
            if kind == "filter"
            else [test for test in TESTS if test.isalpha()]
        ),
    )


def _listed(word: str, what: str, known: Collection[str]) -> str:
    """Return a hint with a similar name, or with the list of names."""
    return suggest(word, known, f"{what}: {', '.join(sorted(known))}")
