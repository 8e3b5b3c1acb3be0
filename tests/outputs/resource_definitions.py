"""Validates manifests against the resource definitions of Kubernetes operators.

The schema in a definition is OpenAPI's, which is JSON Schema for what is read here. Unknown keys
are errors, as they are for `kubectl apply --validate=strict`. Rules in CEL are not evaluated.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema

from tests.outputs import libyaml

if TYPE_CHECKING:
    from pathlib import Path

    from jsonschema.protocols import Validator

    Node = dict[str, Any]


def complaints(crds: Path, manifest: Node) -> list[str]:
    """List the errors of a manifest against the definition of its kind and version."""
    schema = _schemas(crds).get((manifest["apiVersion"], manifest["kind"]))
    assert schema is not None, f"no definition of {manifest['apiVersion']} {manifest['kind']}"
    return [error.message for error in schema.iter_errors(manifest)]


@cache
def _schemas(crds: Path) -> dict[tuple[str, str], Validator]:
    """Read the definitions, by version and kind."""
    return {
        (f"{spec['group']}/{version['name']}", spec["names"]["kind"]): jsonschema.Draft7Validator(
            _closed(version["schema"]["openAPIV3Schema"])
        )
        for path in sorted(crds.glob("*.yaml"))
        for document in libyaml.documents(path.read_text(encoding="utf-8"))
        for spec in [document["spec"]]
        for version in spec["versions"]
    }


def _closed(schema: Node) -> Node:
    """Forbid keys that a schema does not list; `metadata` is Kubernetes' own."""
    inner = {name: _closed(part) for name, part in schema.get("properties", {}).items()}
    items = {"items": _closed(schema["items"])} if "items" in schema else {}
    listed = {"properties": inner, "additionalProperties": False} if inner else {}
    if schema.get("x-kubernetes-int-or-string"):
        listed = {"type": ["integer", "string"]}
    return schema | listed | items
