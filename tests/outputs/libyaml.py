"""YAML as programs that are not ours read it: by libyaml, which takes a twentieth of the time of a parser in Python.

It reads YAML 1.1, as Kubernetes does: an unquoted `on` would be a boolean, and a test that compares
would see it.
"""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types


class _Strict(yaml.CSafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """A loader to which a key twice is an error, which to libyaml is none."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - as the loader is called
        """Read a mapping; its keys differ."""
        keys = [key.value for key, _ in node.value]
        assert len(set(keys)) == len(keys), node.start_mark
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def document(text: str) -> dict[str, Any]:
    """Read a text of one document; a key twice is an error."""
    (read,) = documents(text)
    return read


def documents(text: str) -> list[dict[str, Any]]:
    """Read a text of several documents."""
    return list(yaml.load_all(text, Loader=_Strict))
