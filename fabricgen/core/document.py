"""Typed values that print as JSON documents.

Owns `Document`, the base of what commands return. Code reads its fields; only what prints or saves
a document asks for its keys.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Document:
    """Base of a dataclass whose fields are the keys of a JSON document, in their order.

    A trailing underscore of a field's name is not part of the key.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Move(Document):
    ...     OPTIONAL = frozenset({"note"})
    ...     from_: str
    ...     ports: tuple[int, ...]
    ...     note: str | None = None
    >>> Move("r0-leaf-1", (1, 2)).document()
    {'from': 'r0-leaf-1', 'ports': [1, 2]}
    """

    __slots__ = ()
    OPTIONAL: ClassVar[frozenset[str]] = frozenset()
    """Fields that have no key while they are None."""

    def document(self) -> dict[str, Any]:
        """Return the keys and their plain values."""
        return dict(self._items())

    def _items(self) -> Iterator[tuple[str, Any]]:
        """Yield each key with its plain value."""
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if value is not None or field.name not in self.OPTIONAL:
                yield field.name.removesuffix("_"), plain(value)


def flat(document: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return a document as one row: the keys of a nested document follow its own, after `_`.

    >>> flat({"gpus": 64, "switches": {"leaf": 8, "total": 8}, "unpriced": ["a"]})
    {'gpus': 64, 'switches_leaf': 8, 'switches_total': 8, 'unpriced': ['a']}
    """
    row: dict[str, Any] = {}
    for key, value in document.items():
        row |= flat(value, f"{before}{key}_") if isinstance(value, dict) else {before + key: value}
    return row


def plain(value: Any) -> Any:  # noqa: ANN401 - any value that JSON can hold
    """Return a value with each document in it as its keys, and each tuple as a list."""
    if isinstance(value, Document):
        return value.document()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value
