"""YAML text to plain values with a line and column for every key.

Owns everything that touches ruamel.yaml. It knows syntax and places, and nothing of what an inventory means.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq, TaggedScalar
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from fabricgen.diagnostics import Finding, Path, Place, Refusal

if TYPE_CHECKING:
    import pathlib

MAX_BYTES, MAX_VALUES = 8 * 2**20, 200_000
"""An inventory is written by a person; a larger text, or one that unfolds into more values, is a mistake or an attack."""


@dataclass(frozen=True, slots=True)
class Document:
    """Plain values (dict, list, str, int, float, bool, None) and, for every path into them, the place of its value and of its key."""

    name: str
    values: Any
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)

    def locate(self, path: Path) -> Place:
        """Return the place of `path`, or of its nearest parent that stands in the text; union tags are skipped."""
        known: Path = ()
        for part in path:
            known = (*known, part) if (*known, part) in self.places else known
        return self.places.get(known, Place(self.name, 1, 1))

    def locate_key(self, path: Path) -> Place:
        """Return the place of the key that ends `path`, or of the path itself where it is no mapping's key."""
        return self.keys.get(path) or self.locate(path)


def read_document(text: str, name: str) -> Document:
    """Parse YAML 1.2 keeping places.

    Raises Refusal for a syntax error, a duplicate key, an anchor cycle, a text that is too large, or a top level that is no mapping.
    """
    if len(text) > MAX_BYTES:
        raise Refusal([Finding("yaml-too-large", f"{name} has {len(text)} characters", because=(f"at most {MAX_BYTES} are read",))])
    tree = _parse(text, name)
    if not isinstance(tree, CommentedMap):
        found = "nothing" if tree is None else "a list" if isinstance(tree, CommentedSeq) else "a single value"
        hint = "start with `name: my-fabric`, or let `fabricgen init` write an inventory"
        raise Refusal([Finding("not-a-mapping", f"an inventory is a mapping of keys, and {name} holds {found}", place=Place(name, 1, 1), hint=hint)])
    copy = _Copy(name)
    return Document(name, copy.plain(tree, (), frozenset()), copy.places, copy.keys)


def load_facts(path: pathlib.Path) -> dict[str, Any]:
    """Parse a catalog or price file with the fast parser; no places are kept.

    Raises Refusal where the file is no YAML mapping.
    """
    try:
        values = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise Refusal([Finding("bad-catalog-file", f"{path.name} is not readable YAML: {first}", place=Place(str(path)))]) from error
    if not isinstance(values, dict):
        raise Refusal([Finding("bad-catalog-file", f"{path.name} is not a mapping of keys", place=Place(str(path)))])
    return values


def write_yaml(values: dict[str, Any]) -> str:
    """Print plain values as block YAML with keys in the given order."""
    stream = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.dump(values, stream)
    return stream.getvalue()


def read_scalar(text: str) -> Any:
    """Parse the value of a `--set key=value` as YAML would read it.

    Raises ValueError where it is not YAML.
    """
    try:
        return YAML(typ="safe").load(text) if text.strip() else None
    except YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from error


def _parse(text: str, name: str) -> Any:
    """Run ruamel's round-trip parser, which keeps line and column, and turn its errors into findings."""
    try:
        return YAML().load(text)
    except DuplicateKeyError as error:
        mark = error.problem_mark
        fact = _first_sentence(error.problem or "duplicate key").replace('"', "`")
        finding = Finding("duplicate-key", fact, place=Place(name, mark.line + 1, mark.column + 1), hint="keep one of the two")
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        because = (_first_sentence(error.context),) if error.context else ()
        finding = Finding("yaml-syntax", _first_sentence(error.problem or str(error)), place=place, because=because, hint=_SYNTAX_HINT)
    except (YAMLError, ValueError, RecursionError) as error:
        finding = Finding("yaml-syntax", _first_sentence(str(error)) or type(error).__name__, place=Place(name, 1, 1), hint=_SYNTAX_HINT)
    raise Refusal([finding])


_SYNTAX_HINT = "check the indentation and the quotes of this line and the one above"


def _first_sentence(text: str) -> str:
    """Return the first line of a parser's message; the rest is advice to programmers."""
    return text.strip().splitlines()[0].strip() if text.strip() else ""


class _Copy:
    """A copy of ruamel's nodes as plain values, noting where each stood: a scalar's place is its value, a collection's its key."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[Path, Place] = {(): Place(name, 1, 1)}
        self.keys: dict[Path, Place] = {}

    def plain(self, node: Any, path: Path, above: frozenset[int]) -> Any:
        """Copy one node; `above` holds the nodes it stands in, for an anchor may contain itself."""
        if id(node) in above or len(self.places) > MAX_VALUES:
            hint = "write the value out instead of repeating it with an anchor"
            raise Refusal([Finding("yaml-syntax", f"the anchors expand to more than {MAX_VALUES} values", place=self.places.get(path), hint=hint)])
        if isinstance(node, CommentedMap):
            return {_scalar(key): self._child(node, key, (*path, _scalar(key)), above | {id(node)}) for key in node}
        if isinstance(node, CommentedSeq):
            return [self._child(node, index, (*path, index), above | {id(node)}) for index in range(len(node))]
        if isinstance(node, TaggedScalar):
            raise Refusal([Finding("yaml-syntax", f"the tag {node.tag.value} is not read", place=self.places.get(path), hint="write the plain value")])
        return _scalar(node)

    def _child(self, parent: Any, key: Any, path: Path, above: frozenset[int]) -> Any:
        """Note the place of one child and copy it."""
        marks, value = (parent.lc.data or {}).get(key), parent[key]
        if marks:
            own, *rest = (Place(self.name, line + 1, column + 1) for line, column in zip(marks[::2], marks[1::2], strict=True))
            self.places[path] = rest[0] if rest and not isinstance(value, CommentedMap | CommentedSeq) else own
            self.keys[path] = own
        return self.plain(value, path, above)


def _scalar(value: Any) -> Any:
    """Return a builtin for ruamel's annotated scalars; they subclass the builtin they stand for."""
    for builtin in (bool, int, float, str):
        if isinstance(value, builtin):
            return builtin(value)
    return value
