"""Checks configurations statement by statement, for a NOS without a parser outside its boxes.

A grammar is text: each statement as its vendor documents it, under a line `# source`. An indented
line continues the line above it; where the NOS has modes, both are statements. A word in angle
brackets is a placeholder:

- `<n>` and `<n:1-64>` a number, `<ip>`, `<address>` with a length, `<prefix>` without host bits,
  `<mac>` in groups of two octets, `<text>` in quotes, `<word>` anything
- `<on|off>` one of these, `<rest>` the rest of the line, which a vendor's model verifies
- `<def:kind>` and `<use:kind>` a name that is defined or used there; a kind that starts with a dot
  is known within the VRF of the statement only
- any other, like `<port>`, one of the names that the caller lists; `<port,>` takes several, joined
  by commas, and so does `<n,>`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    Names = Mapping[str, Collection[str]]

_TOKEN = re.compile(r'"[^"]*"|\S+')


@dataclass
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    places: dict[str, _Node] = field(default_factory=dict)
    statement: str = ""
    """The statement of the grammar that ends here."""


@dataclass
class Found:
    """One recognised line of a configuration."""

    line: str
    statement: str
    values: list[tuple[str, str]]
    """The values of its placeholders."""


def paths(text: str) -> Iterator[tuple[str, list[str], bool]]:
    """Yield each line with the words of its enclosing lines.

    The flag is whether it encloses others.
    """
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith(("#", "!"))
    ]
    above: list[tuple[int, list[str]]] = []
    depths = [len(line) - len(line.lstrip()) for line in lines]
    for line, depth, following in zip(lines, depths, [*depths[1:], 0], strict=True):
        above = [(outer, words) for outer, words in above if outer < depth]
        words = _TOKEN.findall(line)
        yield (
            line,
            [word for _, outer in above for word in outer] + words,
            following > depth,
        )
        above.append((depth, words))


class Grammar:
    """The statements that a vendor documents."""

    def __init__(self, text: str, *, modes: bool = False) -> None:
        """Read a grammar. With `modes`, a line that encloses others is a statement itself."""
        assert text.lstrip().startswith("# "), "a statement without a source"
        self._root = _Node()
        self.statements: set[str] = set()
        for _, words, outer in paths(text):
            if modes or not outer:
                node = self._root
                for word in words:
                    node = (node.places if word[0] == "<" else node.words).setdefault(word, _Node())
                node.statement = " ".join(words)
                self.statements.add(node.statement)

    def read(self, text: str, names: Names) -> Iterator[Found | str]:
        """Recognise each line, or yield the line that matches no statement."""
        for line, words, _ in paths(text):
            found = _walk(self._root, words, [], names)
            yield line if found is None else Found(line, found[0].statement, found[1])

    def fits(self, words: list[str], names: Names) -> bool:
        """Return whether a line, with its enclosing lines, is a statement."""
        return _walk(self._root, words, [], names) is not None

    def findings(self, text: str, names: Names) -> list[str]:
        """List the errors.

        They are lines that match no statement, names used and not defined or the reverse, and
        repeated lines.
        """
        wrong: list[str] = []
        defined: set[tuple[str, ...]] = set()
        used: set[tuple[str, ...]] = set()
        seen: set[tuple[str, ...]] = set()
        for (line, words, _), found in zip(paths(text), self.read(text, names), strict=True):
            if isinstance(found, str):
                wrong.append(f"no statement: {line.strip()}")
                continue
            if tuple(words) in seen:
                wrong.append(f"twice: {' '.join(words)}")
            seen.add(tuple(words))
            scope = [value for place, value in found.values if place.endswith(":vrf")]
            for place, value in found.values:
                word, _, kind = place.partition(":")
                if word in ("def", "use"):
                    (defined if word == "def" else used).add(
                        (kind, value, *(scope if kind.startswith(".") else ()))
                    )
        given = {(kind, name) for kind in names for name in names[kind]}
        wrong += [
            f"used, not defined: {' '.join(name)}"
            for name in sorted(used - defined)
            if name[:2] not in given
        ]
        return wrong + [
            f"defined, not used: {' '.join(name)}"
            for name in sorted(defined - used)
            if name[:2] not in given
        ]


def _walk(
    node: _Node, words: list[str], values: list[tuple[str, str]], names: Names
) -> tuple[_Node, list[tuple[str, str]]] | None:
    """Match the words; a literal word is tried before a placeholder."""
    if not words:
        return (node, values) if node.statement else None
    word, rest = words[0], words[1:]
    if word in node.words and (found := _walk(node.words[word], rest, values, names)):
        return found
    for place, inner in node.places.items():
        kind = place[1:-1]
        if kind == "rest":
            return inner, [*values, (kind, " ".join(words))]
        if _fits(word, kind, names) and (
            found := _walk(inner, rest, [*values, (kind, word)], names)
        ):
            return found
    return None


def _fits(word: str, kind: str, names: Names) -> bool:
    """Return whether a word matches a placeholder."""
    if kind.endswith(","):
        return all(_fits(one, kind[:-1], names) for one in word.split(","))
    if "|" in kind:
        return word in kind.split("|")
    if kind.startswith(("def:", "use:")):
        return re.fullmatch(r"[\w.-]+", word) is not None
    if kind.startswith("n:"):
        low, high = map(int, kind[2:].split("-"))
        return word.isdigit() and low <= int(word) <= high
    return bool(_KINDS[kind](word)) if kind in _KINDS else word in names[kind]


def _reads(word: str, shape: Callable[[str], object]) -> bool:
    try:
        shape(word)
    except ValueError:
        return False
    return True


_KINDS: dict[str, Callable[[str], object]] = {
    "n": str.isdigit,
    "word": lambda _: True,
    "text": re.compile(r'"[^"]+"').fullmatch,
    "ip": lambda word: _reads(word, ip_address),
    "address": lambda word: "/" in word and _reads(word, ip_interface),
    "mac": re.compile(r"([0-9a-f]{4}\.){2}[0-9a-f]{4}").fullmatch,
    "prefix": lambda word: "/" in word and _reads(word, ip_network),
}


def misspelt(grammar: Grammar, text: str, names: Names) -> Iterator[list[str]]:
    """Yield lines with one word misspelt.

    Each literal word of each statement in use is misspelt once.
    """
    seen: set[str] = set()
    for (_, words, _), found in zip(paths(text), grammar.read(text, names), strict=True):
        assert isinstance(found, Found), found
        if found.statement not in seen:
            seen.add(found.statement)
            for index, place in enumerate(found.statement.split(" ")):
                if place[0] != "<":
                    yield [*words[:index], f"{words[index]}x", *words[index + 1 :]]


def assert_exhausted(grammar: Grammar, texts: Iterable[tuple[str, Names]]) -> None:
    """Assert that the texts use every statement of the grammar.

    Each of its words, misspelt by a letter, must be found.
    """
    used: set[str] = set()
    for text, names in texts:
        fresh = {
            found.statement for found in grammar.read(text, names) if isinstance(found, Found)
        } - used
        used |= fresh
        if fresh:
            assert [
                words for words in misspelt(grammar, text, names) if grammar.fits(words, names)
            ] == []
    assert used == grammar.statements
