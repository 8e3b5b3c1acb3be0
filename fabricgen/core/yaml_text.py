"""YAML text as plain values, with the line and column of every key.

Knows files, texts and places, not what an inventory means. `yaml_tree` parses; it is imported only
when a text must be parsed, because compiled facts need no parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from fabricgen.core import compiled_facts, files
from fabricgen.core.diagnostics import Finding, Path, Place, Refusal

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

MAX_BYTES = 2**20
"""Far above the size of a hand-written inventory; a larger text is a mistake or an attack."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """Plain values and, for every path into them, the place of its value and of its key."""

    name: str
    values: Any
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)

    def locate(self, path: Path) -> Place:
        """Return the place of `path`, or of its nearest parent in the text, without union tags."""
        known: Path = ()
        for part in path:
            known = (*known, part) if (*known, part) in self.places else known
        return self.places.get(known, Place(self.name, 1, 1))

    def locate_key(self, path: Path) -> Place:
        """Return the place of the key that ends `path`; for a list entry, that of its value."""
        return self.keys.get(path) or self.locate(path)

    def positions(self) -> Callable[[Place | None], tuple[bool, int, int]]:
        """Return what sorts places in the order of the text, then of the command line."""
        typed = {
            place: number for number, place in enumerate(self.places.values()) if place.line is None
        }

        def position(place: Place | None) -> tuple[bool, int, int]:
            if place is None or place.line is None:
                return (True, typed.get(place, -1) if place else -1, 0)
            return (False, place.line, place.column or 0)

        return position


def decode(data: bytes, name: str, most: int = MAX_BYTES) -> str:
    """Return the text of a file. Raises Refusal where it exceeds `most` bytes or is not UTF-8."""
    if len(data) > most:
        hint = "give the path of an inventory: one of a million GPUs has thirty lines"
        raise Refusal(
            [
                Finding(
                    "yaml-too-large",
                    f"{name} is larger than {most} bytes",
                    place=Place(name),
                    hint=hint,
                )
            ]
        )
    try:
        return files.decode(data)
    except files.FileError as error:
        place = Place(name, error.line, error.column)
        hint = "save the inventory as UTF-8"
        raise Refusal(
            [Finding("not-text", f"{name} {error.fact}", place=place, hint=hint)]
        ) from None


def read_document(text: str, name: str) -> YamlDocument:
    """Parse YAML 1.2 and keep the places.

    Raises Refusal for a syntax error, duplicate keys, tags, anchors that expand without end, or a
    top level other than a mapping.
    """
    from fabricgen.core.yaml_tree import read_tree

    values, places, keys = read_tree(text, name)
    if not isinstance(values, dict):
        found = "nothing" if values is None else _kind(values)
        hint = "start with `name: my-fabric`, or let `fabricgen init` write an inventory"
        raise Refusal(
            [
                Finding(
                    "not-a-mapping",
                    f"an inventory is a mapping of keys, and {name} holds {found}",
                    place=Place(name, 1, 1),
                    hint=hint,
                )
            ]
        )
    return YamlDocument(name, values, places, keys)


def _kind(value: Any) -> str:
    """Return what a value that is not a mapping is called."""
    return "a list" if isinstance(value, list) else "a single value"


def load_facts(path: pathlib.Path, code: str = "bad-catalog-file") -> dict[str, Any]:
    """Return the values of a catalog, price or pack file, without places.

    Raises Refusal with `code` where the file is not a YAML mapping.
    """
    try:
        data = files.read_bytes(path, MAX_BYTES)
    except files.FileError as error:
        raise Refusal(
            [Finding(code, f"{path.name} {error.fact}", place=Place(str(path)))]
        ) from None
    known = compiled_facts.find(data)
    return parse_facts(path, data, code) if known is None else known


def parse_facts(path: pathlib.Path, data: bytes, code: str = "bad-catalog-file") -> dict[str, Any]:
    """Parse the bytes of a catalog, price or pack file, whether or not it was compiled.

    Raises Refusal with `code` where they are not a YAML mapping.
    """
    try:
        text = files.decode(data)
    except files.FileError as error:
        place = Place(str(path), error.line, error.column)
        raise Refusal(
            [Finding(code, f"{path.name} {error.fact}", hint=error.hint, place=place)]
        ) from None
    from fabricgen.core.yaml_faults import FAULTS, fault_of
    from fabricgen.core.yaml_tree import TooManyValuesError, read_facts

    try:
        values = read_facts(text)
    except FAULTS as error:
        fault = fault_of(error, text)
        place = Place(str(path), fault.line, fault.column)
        what = path.name if isinstance(error, TooManyValuesError) else f"{path.name} is not YAML:"
        raise Refusal(
            [
                Finding(
                    code,
                    f"{what} {fault.fact}",
                    because=fault.because,
                    hint=fault.hint,
                    place=place,
                )
            ]
        ) from None
    if not isinstance(values, dict):
        raise Refusal(
            [Finding(code, f"{path.name} is not a mapping of keys", place=Place(str(path)))]
        )
    if bad := control_text(values):
        hint = "write the text without escapes like `\\x1b`"
        raise Refusal(
            [
                Finding(
                    code,
                    f"{path.name} has control characters in `{bad}`",
                    hint=hint,
                    place=Place(str(path)),
                )
            ]
        )
    return values


def control_text(value: Any) -> str | None:
    """Return the first text or key with a control character other than a line end or a tab."""
    if isinstance(value, str):
        return value if _CONTROL.search(value) else None
    below = (
        chain.from_iterable(value.items())
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else ()
    )
    return next((text for each in below if (text := control_text(each)) is not None), None)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def write_yaml(values: dict[str, Any]) -> str:
    """Return plain values as block YAML with keys in the given order."""
    from fabricgen.core.yaml_tree import dump

    return dump(values)


def read_scalar(text: str) -> Any:
    """Parse the value of `--set key=value` as YAML does.

    Raises ValueError where it is not YAML.

    >>> read_scalar("{model: sn5600}")
    {'model': 'sn5600'}
    """
    from fabricgen.core.yaml_tree import read_tree

    try:
        return read_tree(text, "")[0]
    except Refusal as refusal:
        raise ValueError(refusal.findings[0].fact) from None
