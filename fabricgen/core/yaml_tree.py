"""The tree of a YAML text: parsed, copied as plain values, and refused in words of our own where it is no YAML.

Owns everything that touches ruamel.yaml.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from fabricgen.core import files
from fabricgen.core.diagnostics import Finding, Path, Place, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES = 200_000
"""An inventory is written by a person; a text that unfolds into more values is a mistake or an attack."""

_TAG = "tag:yaml.org,2002:"
_TEXTS = frozenset({f"{_TAG}str", f"{_TAG}timestamp"})
_SCALARS = frozenset({f"{_TAG}{name}" for name in ("int", "float", "bool", "null")})
_COLLECTIONS = frozenset({f"{_TAG}map", f"{_TAG}seq"})


def dump(values: dict[str, Any]) -> str:
    """Print plain values as block YAML with keys in the given order."""
    stream = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.dump(values, stream)
    return stream.getvalue()


def read_tree(text: str, name: str) -> tuple[Any, dict[Path, Place], dict[Path, Place]]:
    """Return the values of a text, and the places of its values and of its keys. Raises Refusal with every finding."""
    yaml = parser()
    reader = _Reader(name, yaml)
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


FAULTS = (
    YAMLError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What ruamel raises for a text that is not YAML; a tag that does not fit its value ends in any of the built-in ones."""


def parser() -> YAML:
    """Return a parser of YAML 1.2 that refuses what ruamel would only warn of."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _Composer
    return yaml


class _Composer(Composer):
    """Refuses two things that ruamel takes with a warning: an anchor that is defined twice, and another version of YAML."""

    def compose_document(self) -> Node:
        """Compose the document. Raises ComposerError for a `%YAML` line that asks for another version."""
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
            raise ComposerError(_ANCHOR, first.start_mark, problem, event.start_mark)
        node: Node = super().compose_node(parent, index)
        return node


class _Reader:
    """A copy of YAML nodes as plain values, noting where each stood: a scalar's place is its value, a collection's its key."""

    def __init__(self, name: str, yaml: YAML) -> None:
        self.findings: list[Finding] = []
        self.places: dict[Path, Place] = {(): Place(name, 1, 1)}
        self.keys: dict[Path, Place] = {}
        self._name = name
        self._yaml = yaml
        self._read = 0

    def plain(self, node: Node, path: Path, above: tuple[Node, ...]) -> Any:
        """Copy one node; `above` holds the nodes that it stands in, for an anchor may contain itself."""
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
        """Note the place of one child and copy it."""
        empty = isinstance(node, ScalarNode) and not node.value and node.style is None
        self.places[path] = own if empty or not isinstance(node, ScalarNode) else self._place(node)
        self.keys[path] = own
        return self.plain(node, path, above)

    def _pairs(self, node: MappingNode, path: Path) -> dict[str, tuple[Node, Place]]:
        """Return a mapping's values and the places of their keys; what is merged in with `<<` gives way to what stands here."""
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
            elif not isinstance(key, ScalarNode) or not key.value or _unspeakable(key.value):
                self._refuse(
                    "yaml-syntax",
                    "a key is a word, and this one is none",
                    key,
                    "write `key: value`",
                )
            elif key.value in pairs:
                first = pairs[key.value][1]
                known = any(finding.place == self._place(key) for finding in self.findings)
                because = (f"`{key.value}` stands already in line {first.line}",)
                self.findings += (
                    []
                    if known
                    else [
                        Finding(
                            "duplicate-key",
                            f"the key `{key.value}` stands twice",
                            (),
                            because,
                            _TWICE,
                            self._place(key),
                        )
                    ]
                )
            else:
                pairs[key.value] = (value, self._place(key))
        return {**pairs, **{word: pair for word, pair in merged.items() if word not in pairs}}

    def _scalar(self, node: Node) -> Any:
        """Read a scalar as YAML 1.2 does; a date is the text that was typed."""
        if node.tag in _SCALARS:
            try:
                return self._yaml.constructor.construct_object(node)
            except (ValueError, LookupError):
                shown = (
                    node.value
                    if len(node.value) <= LONGEST_SHOWN
                    else f"{node.value[:LONGEST_SHOWN]}…"
                )
                self._refuse(
                    "yaml-syntax",
                    f"`{shown}` is not a value that can be read",
                    node,
                    "write a smaller number, or a text in quotes",
                )
                return None
        if _unspeakable(node.value):
            self._refuse(
                "yaml-syntax",
                "this text holds half of a surrogate pair, which is no character",
                node,
                "write the character itself",
            )
            return None
        return str(node.value)

    def _count(self, node: Node) -> None:
        """Stop where anchors unfold into more than any inventory holds."""
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
        """Note one finding."""
        self.findings.append(Finding(code, fact, hint=hint, place=self._place(node)))

    def _place(self, node: Node) -> Place:
        """Return where a node starts."""
        return Place(self._name, node.start_mark.line + 1, node.start_mark.column + 1)


LONGEST_SHOWN = 40
"""Characters of a value that a finding repeats."""

_TWICE = "keep one of the two"


def _merged(node: Node) -> Iterator[MappingNode]:
    """List the mappings that a merge key names."""
    for other in node.value if isinstance(node, SequenceNode) else [node]:
        if isinstance(other, MappingNode):
            yield other


def _unspeakable(text: str) -> bool:
    """Say whether a text holds half a surrogate pair, which no file can."""
    return any("\ud800" <= char <= "\udfff" for char in text)


class _Fault(NamedTuple):
    """What is wrong with a text that is not YAML, and where."""

    fact: str
    line: int | None
    column: int | None
    because: tuple[str, ...] = ()
    hint: str = ""


class _Saying(NamedTuple):
    """What to say for a parser's message that contains `said`; `opening` points to where the construct starts, not to where it broke."""

    said: str
    fact: str
    hint: str
    opening: bool = False


_SAYINGS = (
    _Saying(
        "found character '\\t'", "a tab stands where YAML takes spaces only", "indent with spaces"
    ),
    _Saying("that cannot start any token", "", "put the value into quotes"),
    _Saying(
        "mapping values are not allowed here",
        "this colon ends no key",
        "quote a value that holds `: `, mend the indentation, or look for a colon that is missing in the line above",
    ),
    _Saying(
        "could not find expected ':'",
        "this line is no `key: value`",
        "write a colon and a space after the key",
        opening=True,
    ),
    _Saying(
        "found unexpected end of stream",
        "a quote that is opened here is never closed",
        "close the quote",
        opening=True,
    ),
    _Saying(
        "did not find expected <document start>",
        "this line is indented differently from the first",
        "start every top-level key in the same column",
    ),
    _Saying(
        "expected '<document start>'",
        "this line is indented differently from the first",
        "start every top-level key in the same column",
    ),
    _Saying(
        "expected <block end>",
        "this line is indented differently from those that it belongs to",
        "indent the keys of a mapping alike",
    ),
    _Saying(
        "but found another document",
        "an inventory is one document, and a second one starts here",
        "remove the `---` and what follows it",
    ),
    _Saying("expected ',' or ", "", "close the brackets, or put a comma between two entries"),
    _Saying("found undefined alias", "", "quote a text that starts with `*`"),
    _Saying("is defined twice", "", "give the second one another name"),
    _Saying("asks for YAML", "", "remove the `%YAML` line: the text is read as YAML 1.2"),
)
_SYNTAX_HINT = "check the indentation and the quotes of this line and the one above"
_CONTEXT = re.compile(r"while (?:parsing|scanning|constructing) (an? .+)")
_ANCHOR = "while reading anchors"


def fault_of(error: Exception, text: str) -> _Fault:
    """Turn what the parser raised into words and a place."""
    if isinstance(error, RecursionError):
        return _Fault(
            "the brackets nest too deeply", None, None, hint="an inventory has five levels at most"
        )
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        return _Fault(
            f"the character U+{error.character:04X} is not allowed",
            line,
            column,
            hint="remove it, or write it as an escape in double quotes",
        )
    if isinstance(error, ValueError) and (place := files.long_number(text)):
        fact = f"a number has more than {files.digits_limit()} digits"
        return _Fault(fact, *place, hint="write a smaller number, or a text in quotes")
    problem = (
        getattr(error, "problem", None) or str(error).split("\n", 1)[0] or type(error).__name__
    )
    saying = next(
        (saying for saying in _SAYINGS if saying.said in problem), _Saying("", "", _SYNTAX_HINT)
    )
    problem_mark, context_mark = (
        getattr(error, name, None) for name in ("problem_mark", "context_mark")
    )
    mark = (saying.opening and context_mark) or problem_mark or context_mark
    inside = _CONTEXT.fullmatch((getattr(error, "context", None) or "").strip())
    because = (
        (f"it stands in {inside[1]} that starts in line {context_mark.line + 1}",)
        if inside and context_mark and not saying.fact
        else ()
    )
    if context_mark and getattr(error, "context", None) == _ANCHOR:
        because = (f"it is defined in line {context_mark.line + 1} already",)
    return _Fault(
        saying.fact or problem.strip(),
        mark and mark.line + 1,
        mark and mark.column + 1,
        because,
        saying.hint,
    )
