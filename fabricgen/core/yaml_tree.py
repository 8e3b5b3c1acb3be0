"""The tree of a YAML text: parsed, and copied as plain values with their places.

`yaml_faults` describes texts that the parser rejects. These two modules alone use ruamel.yaml.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fabricgen.core.diagnostics import Finding, Path, Place, Refusal
from fabricgen.core.yaml_faults import ANCHOR_CONTEXT, FAULTS, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES = 200_000
"""Far above the size of a hand-written inventory; more values are a mistake or an attack."""

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
    yaml = parser()
    reader = _PlainValues(name, yaml)
    try:
        tree = yaml.compose(text)
        values = reader.plain(tree, (), ()) if tree else None
    except FAULTS as error:
        fault = fault_of(error, text)
        raise Refusal(
            [
                Finding(
                    "yaml-syntax",
                    fault.fact,
                    because=fault.because,
                    hint=fault.hint,
                    place=Place(name, fault.line, fault.column),
                )
            ]
        ) from None
    if reader.findings:
        raise Refusal(reader.findings)
    return values, reader.places, reader.keys


def parser() -> YAML:
    """Return a parser of YAML 1.2 that refuses what ruamel only warns about."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _Composer
    return yaml


class _Composer(Composer):
    """Refuses what ruamel accepts with a warning: a repeated anchor, another YAML version."""

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
        node: Node = super().compose_node(parent, index)
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
        self._read = 0

    def plain(self, node: Node, path: Path, above: tuple[Node, ...]) -> Any:
        """Copy one node; `above` holds its ancestors, because an anchor may contain itself."""
        self._count(node)
        if any(node is other for other in above):
            self._refuse(
                "yaml-syntax",
                "an anchor contains itself",
                node,
                "write the value out instead of repeating it with an anchor",
            )
            return None
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
                key: self._child(value, (*path, key), (*above, node), own)
                for key, (value, own) in self._pairs(node, path).items()
            }
        if isinstance(node, SequenceNode):
            return [
                self._child(value, (*path, index), (*above, node), self._place(value))
                for index, value in enumerate(node.value)
            ]
        return self._scalar(node)

    def _child(self, node: Node, path: Path, above: tuple[Node, ...], own: Place) -> Any:
        """Record the place of one child and copy it."""
        empty = isinstance(node, ScalarNode) and not node.value and node.style is None
        self.places[path] = own if empty or not isinstance(node, ScalarNode) else self._place(node)
        self.keys[path] = own
        return self.plain(node, path, above)

    def _pairs(self, node: MappingNode, path: Path) -> dict[str, tuple[Node, Place]]:
        """Return the values of a mapping and the places of their keys.

        A key of the mapping itself takes precedence over one that is merged in with `<<`.
        """
        self._count(node)
        pairs: dict[str, tuple[Node, Place]] = {}
        merged: dict[str, tuple[Node, Place]] = {}
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                for other in _merged(value):
                    merged |= (
                        {
                            word: pair
                            for word, pair in self._pairs(other, path).items()
                            if word not in merged
                        }
                        if other is not node
                        else {}
                    )
            elif not isinstance(key, ScalarNode) or not key.value or _has_surrogate(key.value):
                self._refuse(
                    "yaml-syntax",
                    "this key is not a word",
                    key,
                    "write `key: value`",
                )
            elif key.value in pairs:
                first = pairs[key.value][1]
                known = any(finding.place == self._place(key) for finding in self.findings)
                because = (f"`{key.value}` is already in line {first.line}",)
                fact = f"the key `{key.value}` is given twice"
                if not known:
                    self.findings.append(
                        Finding("duplicate-key", fact, (), because, _TWICE, self._place(key))
                    )
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

    def _count(self, node: Node) -> None:
        """Refuse a text whose anchors expand into more values than an inventory can hold."""
        self._read += 1
        if self._read > MAX_VALUES:
            hint = "write the values out instead of repeating them with anchors"
            raise Refusal(
                [
                    Finding(
                        "yaml-too-large",
                        f"{self._name} unfolds into more than {MAX_VALUES} values",
                        place=self._place(node),
                        hint=hint,
                    )
                ]
            )

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
