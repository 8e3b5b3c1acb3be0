"""The texts of the overrides of an inventory, read from it and from the files that it names.

Owns the refusal of a file that cannot be used: an inventory of others must not read files outside
of its own directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.files import FileError, OpenError, read_text
from fabricgen.core.resources import link_leaves
from fabricgen.core.yaml_text import control_text
from fabricgen.inventory.overrides import MOST_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.overrides import OverrideMatch
    from fabricgen.planning.plan import Plan


class OverrideText(NamedTuple):
    """The text of one override."""

    number: int
    """The number of the override in the inventory, from 0."""
    match: OverrideMatch
    place: str
    text: str

    @property
    def origin(self) -> str:
        """What the override is called in files and messages."""
        return f"overrides.{self.number}"


def override_texts(plan: Plan) -> Iterator[OverrideText]:
    """Yield the text of every override that has one. Raises Refusal `bad-override`."""
    for number, override in enumerate(plan.spec.overrides):
        if override.text is not None:
            key, text = "text", override.text
        elif override.file is not None:
            key, text = "file", _file(plan, number, override.file)
        else:
            continue
        text = text.replace("\r\n", "\n")
        if control_text(text):
            fact = f"`overrides.{number}.{key}` has control characters"
            raise bad_override(number, key, fact, "write text with line ends and tabs only")
        yield OverrideText(number, override.match, override.place, text)


def _file(plan: Plan, number: int, name: str) -> str:
    """Return the text of a file of the inventory's directory. Raises Refusal `bad-override`."""
    path = plan.catalog.relative_path(name)
    if link_leaves(plan.catalog.relative_path(""), path):
        hint = "put the file itself into the directory of the inventory"
        raise bad_override(number, "file", f"`{name}` leads out of the inventory's directory", hint)
    try:
        return read_text(path, MOST_TEXT)
    except FileError as error:
        missing = isinstance(error, OpenError) and error.missing
        fact = f"there is no file `{name}`" if missing else f"`{name}` {error.fact}"
        hint = error.hint or "a path is relative to the inventory"
        raise bad_override(number, "file", fact, hint) from None


def bad_override(number: int, key: str, fact: str, hint: str) -> Refusal:
    """Return the refusal of one override."""
    return Refusal([Finding("bad-override", fact, ("overrides", number, key), hint=hint)])
