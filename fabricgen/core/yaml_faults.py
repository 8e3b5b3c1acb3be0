"""Texts that are not YAML: the fact, the hint and the place for each error of the parser.

Owns the wording only; `yaml_tree` parses and raises the refusal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ruamel.yaml.error import YAMLError
from ruamel.yaml.reader import ReaderError

from fabricgen.core import files

FAULTS = (
    YAMLError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What ruamel raises for a text that is not YAML; a tag that does not fit its value can cause each
of the built-in ones."""


class YamlFault(NamedTuple):
    """What is wrong with a text that is not YAML, and where."""

    fact: str
    line: int | None
    column: int | None
    because: tuple[str, ...] = ()
    hint: str = ""


class _Rule(NamedTuple):
    """Fact and hint for parser messages that contain a phrase.

    `opening` places the fault where the construct starts instead of where parsing stopped.
    """

    contains: str
    fact: str
    hint: str
    opening: bool = False


LONG_NUMBER = "a number has more than"
TOO_DEEP = "the brackets nest too deeply"
_DEEP_HINT = "an inventory has five levels at most"
_RULES = (
    _Rule(
        "found character '\\t'", "a tab is used where YAML allows only spaces", "indent with spaces"
    ),
    _Rule("that cannot start any token", "", "put the value into quotes"),
    _Rule(
        "mapping values are not allowed here",
        "this colon does not end a key",
        "quote a value that holds `: `, fix the indentation, "
        "or look for a missing colon in the line above",
    ),
    _Rule(
        "could not find expected ':'",
        "this line is not a `key: value` pair",
        "write a colon and a space after the key",
        opening=True,
    ),
    _Rule(
        "found unexpected end of stream",
        "a quote that is opened here is never closed",
        "close the quote",
        opening=True,
    ),
    _Rule(
        "did not find expected <document start>",
        "this line is indented differently from the first",
        "start every top-level key in the same column",
    ),
    _Rule(
        "expected '<document start>'",
        "this line is indented differently from the first",
        "start every top-level key in the same column",
    ),
    _Rule(
        "expected <block end>",
        "this line is indented differently from those that it belongs to",
        "indent the keys of a mapping alike",
    ),
    _Rule(
        "but found another document",
        "an inventory is one document, and a second one starts here",
        "remove the `---` and what follows it",
    ),
    _Rule("expected ',' or ", "", "close the brackets, or put a comma between two entries"),
    _Rule("found undefined alias", "", "quote a text that starts with `*`"),
    _Rule(
        "an anchor contains itself",
        "",
        "write the value out instead of repeating it with an anchor",
    ),
    _Rule(
        "unfolds into more than",
        "",
        "write the values out instead of repeating them with anchors",
    ),
    _Rule(
        "keys and values", "", "shorten its lists, or give tables of ports or prices as CSV files"
    ),
    _Rule(TOO_DEEP, "", _DEEP_HINT),
    _Rule(LONG_NUMBER, "", "write a smaller number, or a text in quotes"),
    _Rule("is defined twice", "", "give the second one another name"),
    _Rule("asks for YAML", "", "remove the `%YAML` line: the text is read as YAML 1.2"),
)
_SYNTAX_HINT = "check the indentation and the quotes of this line and the one above"
_CONTEXT = re.compile(r"while (?:parsing|scanning|constructing) (an? .+)")
ANCHOR_CONTEXT = "while reading anchors"


def fault_of(error: Exception, text: str) -> YamlFault:
    """Return fact, hint and place for an error that the parser raised."""
    if isinstance(error, RecursionError):
        return YamlFault(TOO_DEEP, None, None, hint=_DEEP_HINT)
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        return YamlFault(
            f"the character U+{error.character:04X} is not allowed",
            line,
            column,
            hint="remove it, or write it as an escape in double quotes",
        )
    if isinstance(error, ValueError) and (place := files.long_number(text)):
        fact = f"a number has more than {files.digits_limit()} digits"
        return YamlFault(fact, *place, hint="write a smaller number, or a text in quotes")
    problem = (
        getattr(error, "problem", None) or str(error).split("\n", 1)[0] or type(error).__name__
    )
    rule = next((rule for rule in _RULES if rule.contains in problem), _Rule("", "", _SYNTAX_HINT))
    problem_mark, context_mark = (
        getattr(error, name, None) for name in ("problem_mark", "context_mark")
    )
    mark = (rule.opening and context_mark) or problem_mark or context_mark
    inside = _CONTEXT.fullmatch((getattr(error, "context", None) or "").strip())
    because = (
        (f"it is inside {inside[1]} that starts in line {context_mark.line + 1}",)
        if inside and context_mark and not rule.fact
        else ()
    )
    if context_mark and getattr(error, "context", None) == ANCHOR_CONTEXT:
        because = (f"it is defined in line {context_mark.line + 1} already",)
    return YamlFault(
        rule.fact or problem.strip(),
        mark and mark.line + 1,
        mark and mark.column + 1,
        because,
        rule.hint,
    )
