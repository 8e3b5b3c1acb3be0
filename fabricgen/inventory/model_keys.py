"""Paths of keys in the models of an inventory and in a document.

`keys` describes every key for printing, from the JSON Schema.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.fields import OnDemand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo

    from fabricgen.core.diagnostics import Path


KNOWN = 1 << 10
"""Paths whose keys are kept: an inventory has some 700."""


def value_at(values: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 - any value of a YAML file
    """Return the value at a path that the document has."""
    for part in path:
        values = values[part]
    return values


def known_path(values: object, location: Sequence[str | int]) -> Path:
    """Drop the parts of pydantic's location that are not in the document, like union branches."""
    path: list[str | int] = []
    node: Any = values
    for part in location:
        known = (
            part in node
            if isinstance(node, dict)
            else isinstance(node, list) and isinstance(part, int) and part < len(node)
        )
        if known:
            node = node[part]
            path.append(part)
    return tuple(path)


@lru_cache(maxsize=KNOWN)
def fields(path: Path) -> Mapping[str, FieldInfo]:
    """Return the keys that the inventory has below a path; all entries of a list have the same.

    So have those of a mapping by names, which has no keys of its own.

    >>> list(fields(("rails",)))
    ['count', 'planes', 'per_switch', 'grouping', 'medium', 'topology', 'tiers']
    """
    model: type[BaseModel] | None = FabricSpec
    named = False
    for part in path:
        if isinstance(part, int) or named:
            named = False
            continue
        known = model.model_fields.get(part) if model else None
        named = known is not None and get_origin(known.annotation) is dict
        model = next(_models(known.annotation), None) if known else None
    return model.model_fields if model and not named else {}


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Yield the models in an annotation."""
    if isinstance(annotation, OnDemand):
        annotation = annotation.section(None)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def key_paths(key: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every path that ends in a key, a mapping's own keys before those below it."""
    known = fields(above)
    if key in known:
        yield (*above, key)
    for other in known:
        yield from key_paths(key, (*above, other))
