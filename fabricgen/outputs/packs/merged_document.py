"""A fragment of JSON or YAML merged into a document.

Owns the rules: mappings are merged key by key, `null` removes a key, a list receives the entries
that it lacks, and any other value is replaced. Entries of a list that have the same value of an
identifying key are merged.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.files import FileError, parse_json
from fabricgen.inventory.overrides import plain_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Value = Any
"""A value of JSON or YAML."""


class MergeError(Exception):
    """A fragment that does not fit its document; the text is a sentence without a full stop."""


class Merge(NamedTuple):
    """How a fragment is merged."""

    keys: Sequence[str] = ()
    """The keys that identify an entry of a list, in the order in which they are tried."""
    replaces: bool = True
    """Whether values of the fragment replace those of the document."""

    def merged(self, document: Value, fragment: Value, pointer: str = "") -> Value:
        """Return the document with the fragment. Raises MergeError for two kinds of value.

        >>> Merge().merged({"a": 1, "b": [1], "c": {"d": 2}}, {"a": None, "b": [3], "c": {"d": 4}})
        {'b': [1, 3], 'c': {'d': 4}}
        """
        kinds = _kind(document), _kind(fragment)
        if kinds[0] != kinds[1]:
            raise MergeError(
                f"`{pointer or '/'}` is {kinds[0]} in the document, and {kinds[1]} in the override"
            )
        if isinstance(document, dict):
            return self._mapping(document, fragment, pointer)
        if isinstance(document, list):
            return self._list(document, fragment, pointer)
        return fragment if self.replaces else document

    def _mapping(
        self, document: dict[str, Value], fragment: dict[str, Value], pointer: str
    ) -> dict[str, Value]:
        """Merge two mappings."""
        found = dict(document)
        for key, value in fragment.items():
            if value is None:
                if self.replaces:
                    found.pop(key, None)
            elif found.get(key) is None:
                found[key] = _without_nulls(value)
            else:
                found[key] = self.merged(found[key], value, f"{pointer}/{escaped(key)}")
        return found

    def _list(self, document: list[Value], fragment: list[Value], pointer: str) -> list[Value]:
        """Merge two lists."""
        found = list(document)
        for entry in fragment:
            same = next((n for n, old in enumerate(found) if self._are_one(old, entry)), None)
            if same is not None:
                found[same] = self.merged(found[same], entry, f"{pointer}/{same}")
            elif entry not in found:
                found.append(_without_nulls(entry))
        return found

    def _are_one(self, old: Value, new: Value) -> bool:
        """Return whether two entries of a list have the same value of an identifying key."""
        if not (isinstance(old, dict) and isinstance(new, dict)):
            return False
        key = next((key for key in self.keys if key in old and key in new), None)
        return key is not None and bool(old[key] == new[key])

    def below(self, document: Value, pointer: str, fragment: Value) -> Value:
        """Return the document with the fragment merged below a JSON pointer (RFC 6901).

        Missing mappings are created. Raises MergeError where the pointer leads nowhere.

        >>> Merge().below({"a": {"b": 1}}, "/a/c", {"d": 2})
        {'a': {'b': 1, 'c': {'d': 2}}}
        """
        return self._at(document, [*tokens(pointer)], fragment, "")

    def _at(self, document: Value, path: list[str], fragment: Value, pointer: str) -> Value:
        """Merge below the rest of a pointer."""
        if not path:
            return self.merged(document, fragment, pointer)
        token, rest = path[0], path[1:]
        here = f"{pointer}/{escaped(token)}"
        if isinstance(document, dict):
            if document.get(token) is None:
                return {**document, token: _nested(rest, fragment)}
            return {**document, token: self._at(document[token], rest, fragment, here)}
        number = self._entry(document, token) if isinstance(document, list) else None
        if number is None:
            raise MergeError(f"`{here}` is not in the document")
        below = self._at(document[number], rest, fragment, here)
        return [*document[:number], below, *document[number + 1 :]]

    def _entry(self, entries: list[Value], token: str) -> int | None:
        """Return the number of an entry by its identifying key, or by its number from 0."""
        for number, entry in enumerate(entries):
            own = next((key for key in self.keys if isinstance(entry, dict) and key in entry), None)
            if own is not None and str(entry[own]) == token:
                return number
        return int(token) if token.isdigit() and int(token) < len(entries) else None


def tokens(pointer: str) -> Iterator[str]:
    """Yield the keys of a JSON pointer.

    >>> [*tokens("/LOOPBACK_INTERFACE/Loopback0|10.0.0.1~132")]
    ['LOOPBACK_INTERFACE', 'Loopback0|10.0.0.1/32']
    """
    for part in pointer.split("/")[1:]:
        yield part.replace("~1", "/").replace("~0", "~")


def escaped(key: str) -> str:
    """Return a key as a JSON pointer has it."""
    return str(key).replace("~", "~0").replace("/", "~1")


def _nested(path: list[str], fragment: Value) -> Value:
    """Return a fragment below the keys of a path."""
    for token in reversed(path):
        fragment = {token: fragment}
    return _without_nulls(fragment)


def _without_nulls(value: Value) -> Value:
    """Return a value without the keys that a fragment removes."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return value


def _kind(value: Value) -> str:
    """Return what kind of value is merged: only equal kinds can be."""
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else "a single value"


def parse_document(text: str, form: str) -> Value:
    """Return the value of a JSON or YAML text. Raises FileError or Refusal for bad syntax."""
    if form == "json":
        return parse_json(text)
    from fabricgen.core.yaml_tree import read_tree  # noqa: PLC0415 - only documents of YAML need its parser

    return read_tree(text, "")[0]


def parse_fragment(text: str, form: str) -> Value:
    """Return the value of a fragment of JSON or YAML. Raises FileError where it cannot be merged.

    >>> parse_fragment("a: [1]", "yaml")
    {'a': [1]}
    """
    try:
        return plain_value(parse_document(text, form))
    except Refusal as refusal:
        raise FileError(f"is not YAML: {refusal.findings[0].fact}") from None
    except ValueError as error:  # too deep for a merge, or a number that JSON lacks
        raise FileError(str(error)) from None


def document_text(value: Value, form: str) -> str:
    """Return a document as text."""
    if form == "json":
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    from fabricgen.core.yaml_tree import dump  # noqa: PLC0415 - as above

    return dump(value)
