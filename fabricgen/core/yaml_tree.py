"""The tree of a YAML text: parsed, and copied as plain values with their places.

`yaml_faults` describes texts that the parser rejects. These two modules alone use ruamel.yaml.
"""

from __future__ import annotations

import io
from itertools import chain
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fabricgen.core.diagnostics import Finding, Path, Place, Refusal
from fabricgen.core.yaml_faults import ANCHOR_CONTEXT, FAULTS, LONG_NUMBER, TOO_DEEP, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES = 20_000
"""Far above the size of a hand-written inventory; more keys and values, once anchors are unfolded,
are a mistake or an attack. Tables of ports and prices are CSV files."""

MAX_DEPTH = 100
"""Far above the levels of any file."""

LONGEST_NUMBER = 1_000
"""Characters of an integer that is written as 0b, 0o or 0x; decimals have the limit of Python."""

_BASES = ("0b", "0o", "0x")
_TAG = "tag:yaml.org,2002:"
_TEXTS = frozenset({f"{_TAG}str", f"{_TAG}timestamp"})
_SCALARS = frozenset({f"{_TAG}{name}" for name in ("int", "float", "bool", "null")})
_COLLECTIONS = frozenset({f"{_TAG}map", f"{_TAG}seq"})


def dump(values: dict[str, Any]) -> str:
    """Return plain values as block YAML with keys in the given order."""
    stream = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.dump(values, stream)
    return stream.getvalue()


def read_tree(text: str, name: str) -> tuple[Any, dict[Path, Place], dict[Path, Place]]:
    """Return the values of a text and the places of its values and of its keys.

    Raises Refusal with every finding.
    """
    try:
        yaml, tree = _tree_of(text)
        reader = _PlainValues(name, yaml)
        values = reader.plain(tree, ()) if tree else None
    except FAULTS as error:
        fault = fault_of(error, text)
        code = "yaml-too-large" if isinstance(error, TooManyValuesError) else "yaml-syntax"
        fact = f"{name} {fault.fact}".lstrip() if code == "yaml-too-large" else fault.fact
        place = Place(name, fault.line, fault.column)
        raise Refusal(
            [Finding(code, fact, because=fault.because, hint=fault.hint, place=place)]
        ) from None
    if reader.findings:
        raise Refusal(reader.findings)
    return values, reader.places, reader.keys


def read_facts(text: str) -> Any:
    """Return the values of a text, with numbers as keys and with dates. Raises one of FAULTS."""
    yaml, tree = _tree_of(text)
    return yaml.constructor.construct_document(tree) if tree else None


def _tree_of(text: str) -> tuple[YAML, Node | None]:
    """Parse YAML 1.2 within the limits; anchors are not unfolded yet. Raises one of FAULTS.

    It refuses what ruamel only warns about.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _Composer
    tree = yaml.compose(text)
    if tree:
        _verify_unfolded(tree)
    return yaml, tree


def _verify_number(node: ScalarNode) -> None:
    """Refuse long integers that are not decimal: Python parses, but does not print them."""
    based = node.value.lstrip("+-")[:2] in _BASES
    if based and node.tag == f"{_TAG}int" and len(node.value) > LONGEST_NUMBER:
        fact = f"{LONG_NUMBER} {LONGEST_NUMBER} characters"
        raise ComposerError(None, None, fact, node.start_mark)


def _verify_unfolded(tree: Node) -> None:
    """Verify that anchors neither contain themselves nor unfold into too many values.

    Raises ComposerError or TooManyValuesError.
    """
    waiting, read = [iter((tree,))], 0
    above = list[Node]()
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
            del above[-1:]
            continue
        read += 1
        if any(node is other for other in above):
            raise ComposerError(None, None, "an anchor contains itself", node.start_mark)
        if read > MAX_VALUES:
            raise TooManyValuesError(
                None, None, f"unfolds into more than {MAX_VALUES} values", node.start_mark
            )
        if isinstance(node, ScalarNode):
            _verify_number(node)
        else:
            above.append(node)
            pairs = isinstance(node, MappingNode)
            waiting.append(iter([*chain.from_iterable(node.value)] if pairs else node.value))


class TooManyValuesError(ComposerError):
    """A text has more keys and values than are read."""


class _Composer(Composer):
    """Refuses what ruamel accepts with a warning: a repeated anchor, another YAML version.

    It stops at the limits, because ruamel takes a tenth of a millisecond for each value.
    """

    read = level = 0

    def compose_document(self) -> Node:
        """Compose the document. Raises ComposerError for a `%YAML` line with another version."""
        start = self.parser.peek_event()
        if start.version not in (None, (1, 2)):
            version = ".".join(map(str, start.version))
            raise ComposerError(
                None, None, f"this document asks for YAML {version}", start.start_mark
            )
        node: Node = super().compose_document()
        return node

    def compose_node(self, parent: Node | None, index: Any) -> Node:
        """Compose one node. Raises ComposerError where it defines an anchor again."""
        event = self.parser.peek_event()
        first = None if isinstance(event, AliasEvent) else self.anchors.get(event.anchor)
        if first is not None:
            problem = f"the anchor `&{event.anchor}` is defined twice"
            raise ComposerError(ANCHOR_CONTEXT, first.start_mark, problem, event.start_mark)
        self.read += 1
        if self.read > MAX_VALUES:
            problem = f"has more than {MAX_VALUES} keys and values"
            raise TooManyValuesError(None, None, problem, event.start_mark)
        if self.level == MAX_DEPTH:
            raise ComposerError(None, None, TOO_DEEP, event.start_mark)
        self.level += 1
        node: Node = super().compose_node(parent, index)
        self.level -= 1
        return node


class _PlainValues:
    """Copies YAML nodes as plain values with their places.

    The place of a scalar is that of its value; the place of a collection is that of its key.
    """

    def __init__(self, name: str, yaml: YAML) -> None:
        self.findings: list[Finding] = []
        self.places: dict[Path, Place] = {(): Place(name, 1, 1)}
        self.keys: dict[Path, Place] = {}
        self._name = name
        self._yaml = yaml
        self._twice: set[Place] = set()

    def plain(self, node: Node, path: Path) -> Any:
        """Copy one node."""
        tag = str(node.tag)
        if tag not in _TEXTS | _SCALARS | _COLLECTIONS:
            self._refuse(
                "yaml-syntax",
                f"the tag `{tag.replace(_TAG, '!!')}` is not read",
                node,
                "write the plain value, without a tag",
            )
            return None
        if isinstance(node, MappingNode):
            return {
                key: self._child(value, (*path, key), own)
                for key, (value, own) in self._pairs(node, path).items()
            }
        if isinstance(node, SequenceNode):
            return [
                self._child(value, (*path, index), self._place(value))
                for index, value in enumerate(node.value)
            ]
        return self._scalar(node)

    def _child(self, node: Node, path: Path, own: Place) -> Any:
        """Record the place of one child and copy it."""
        empty = isinstance(node, ScalarNode) and not node.value and node.style is None
        self.places[path] = own if empty or not isinstance(node, ScalarNode) else self._place(node)
        self.keys[path] = own
        return self.plain(node, path)

    def _pairs(self, node: MappingNode, path: Path) -> dict[str, tuple[Node, Place]]:
        """Return the values of a mapping and the places of their keys.

        A key of the mapping itself takes precedence over one that is merged in with `<<`.
        """
        pairs: dict[str, tuple[Node, Place]] = {}
        merged: dict[str, tuple[Node, Place]] = {}
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                for other in _merged(value):
                    more = self._pairs(other, path)
                    merged |= {word: more[word] for word in more if word not in merged}
            elif not isinstance(key, ScalarNode) or not key.value or _has_surrogate(key.value):
                self._refuse(
                    "yaml-syntax",
                    "this key is not a word",
                    key,
                    "write `key: value`",
                )
            elif key.value in pairs:
                first = pairs[key.value][1]
                place = self._place(key)
                because = (f"`{key.value}` is already in line {first.line}",)
                fact = f"the key `{key.value}` is given twice"
                if place not in self._twice:  # an anchor repeats it
                    self._twice.add(place)
                    self.findings.append(Finding("duplicate-key", fact, (), because, _TWICE, place))
            else:
                pairs[key.value] = (value, self._place(key))
        return {**pairs, **{word: pair for word, pair in merged.items() if word not in pairs}}

    def _scalar(self, node: Node) -> Any:
        """Construct a scalar by the rules of YAML 1.2; a date stays text."""
        if node.tag in _SCALARS:
            try:
                return self._yaml.constructor.construct_object(node)
            except (ValueError, LookupError):
                long = len(node.value) > LONGEST_SHOWN
                shown = f"{node.value[:LONGEST_SHOWN]}…" if long else node.value
                self._refuse(
                    "yaml-syntax",
                    f"`{shown}` is not a value that can be read",
                    node,
                    "write a smaller number, or a text in quotes",
                )
                return None
        if _has_surrogate(node.value):
            self._refuse(
                "yaml-syntax",
                "this text holds half of a surrogate pair, which is no character",
                node,
                "write the character itself",
            )
            return None
        return str(node.value)

    def _refuse(self, code: str, fact: str, node: Node, hint: str) -> None:
        """Record one finding."""
        self.findings.append(Finding(code, fact, hint=hint, place=self._place(node)))

    def _place(self, node: Node) -> Place:
        """Return the place where a node starts."""
        return Place(self._name, node.start_mark.line + 1, node.start_mark.column + 1)


LONGEST_SHOWN = 40
"""Characters of a value that a finding repeats."""

_TWICE = "keep one of the two"


def _merged(node: Node) -> Iterator[MappingNode]:
    """Yield the mappings that a merge key names."""
    for other in node.value if isinstance(node, SequenceNode) else [node]:
        if isinstance(other, MappingNode):
            yield other


def _has_surrogate(text: str) -> bool:
    """Return whether a text holds half of a surrogate pair, which UTF-8 cannot represent."""
    return any("\ud800" <= char <= "\udfff" for char in text)
