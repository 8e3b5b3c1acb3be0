"""YAML parsed by libyaml, as other programs do.

It takes a twentieth of the time of a parser in Python.

It reads YAML 1.1, as Kubernetes does: an unquoted `on` would be a boolean, and a comparison would
fail.
"""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types


class _Unique:
    """A part of a loader that refuses duplicate keys, which libyaml accepts."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the signature of the loader
        """Read a mapping and refuse duplicate keys."""
        keys = [key.value for key, _ in node.value]
        assert len(set(keys)) == len(keys), node.start_mark
        made: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]  # of the loader
        return made


class _Strict(_Unique, yaml.CSafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """A loader of values."""


class _Texts(_Unique, yaml.CBaseLoader):  # type: ignore[misc]  # PyYAML has no types
    """A loader that leaves every scalar a text."""


def document(text: str) -> dict[str, Any]:
    """Read a text of one document; a duplicate key is an error."""
    (read,) = documents(text)
    return read


def texts(text: str) -> Any:  # noqa: ANN401 - any nesting of texts
    """Read a text of one document whose scalars stay texts; a duplicate key is an error."""
    return yaml.load(text, Loader=_Texts)  # noqa: S506 - a base loader makes texts alone


def documents(text: str) -> list[dict[str, Any]]:
    """Read a text of several documents."""
    return list(yaml.load_all(text, Loader=_Strict))
