"""The values of `--set`, and their place in the inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Finding, Place, Refusal
from fabricgen.core.diagnostics import Path as KeyPath
from fabricgen.core.yaml_text import YamlDocument, read_scalar
from fabricgen.inventory.fabric import has_short_form, long_form
from fabricgen.inventory.model_keys import fields

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read_settings(texts: Sequence[str]) -> dict[KeyPath, tuple[str, Any]]:
    """Parse each `rails.count=4`. Raises Refusal `bad-set` with every invalid one."""
    settings: dict[KeyPath, tuple[str, Any]] = {}
    findings = []
    for text in texts:
        key, equals, value = text.partition("=")
        path, flag = tuple(part.strip() for part in key.split(".")), f"--set {text}"
        if not equals or not all(path):
            findings.append(
                Finding(
                    "bad-set",
                    f"`{text}` is not key=value",
                    place=Place(flag),
                    hint="write for example `--set rails.count=4`",
                )
            )
            continue
        try:
            settings[path] = (flag, read_scalar(value))
        except ValueError as error:
            hint = "quote the value twice, for YAML and for your shell: `--set 'key=\"value\"'`"
            findings.append(
                Finding("bad-set", f"`{value}` is not YAML: {error}", place=Place(flag), hint=hint)
            )
    if findings:
        raise Refusal(findings)
    return settings


def apply_settings(document: YamlDocument, settings: Mapping[KeyPath, tuple[str, Any]]) -> None:
    """Set keys of a document from the command line; null removes one, so that it has its default.

    The flag becomes the place of each key, and of parents that the document did not have.
    """
    for path, (flag, value) in settings.items():
        if value is None and _has_default(path):
            _remove(document.values, path)
        else:
            _parent(document, path, flag)[path[-1]] = value
        for table in (document.places, document.keys):
            for stale in [known for known in table if known[: len(path)] == path]:
                del table[stale]
            table[path] = Place(flag)


def _has_default(path: KeyPath) -> bool:
    """Return whether a key is one of the inventory that may be left out."""
    known = fields(path[:-1]).get(str(path[-1]))
    return known is not None and not known.is_required()


def _parent(document: YamlDocument, path: KeyPath, flag: str) -> dict[Any, Any]:
    """Return the mapping that holds a key; parents that the document lacks are made."""
    node: dict[Any, Any] = document.values
    for depth, part in enumerate(path[:-1], start=1):
        below = node.get(part)
        if not isinstance(below, dict):
            below = node[part] = (
                long_form(str(part), below)
                if isinstance(below, str) and has_short_form(path[:depth])
                else {}
            )
            document.places[path[:depth]] = document.keys[path[:depth]] = Place(flag)
        node = below
    return node


def _remove(values: dict[Any, Any], path: KeyPath) -> None:
    """Remove a key, if it is there."""
    node: Any = values
    for part in path[:-1]:
        node = node.get(part)
        if not isinstance(node, dict):
            return
    node.pop(path[-1], None)
