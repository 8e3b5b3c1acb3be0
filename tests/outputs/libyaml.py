"""YAML parsed by libyaml, as other programs do.

It takes a twentieth of the time of a parser in Python.

It reads YAML 1.1, as Kubernetes does: an unquoted `on` would be a boolean, and a comparison would
fail.
"""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types


class _Strict(yaml.CSafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """A loader that refuses duplicate keys, which libyaml accepts."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the signature of the loader
        """Read a mapping and refuse duplicate keys."""
        keys = [key.value for key, _ in node.value]
        assert len(set(keys)) == len(keys), node.start_mark
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def document(text: str) -> dict[str, Any]:
    """Read a text of one document; a duplicate key is an error."""
    (read,) = documents(text)
    return read


def documents(text: str) -> list[dict[str, Any]]:
    """Read a text of several documents."""
    return list(yaml.load_all(text, Loader=_Strict))
