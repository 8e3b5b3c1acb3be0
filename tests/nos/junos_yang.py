"""Converts set commands into XML, which yanglint validates against Juniper's YANG models.

The models lead: each word of a command is looked up among the children of the node above it, and
the kind of that child decides what the following words are. Two things are not in the models, as
Juniper publishes them without their extensions: lists and leaves that the CLI does not name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.nos.junos import words_of
from tests.nos.yang import Statement, element, importing, leaf, statements

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ROOT = "http://yang.juniper.net/junos/conf/root"
NAMELESS = {
    "interfaces": "interface",
    "routing-instances": "instance",
    "as-path": "path",
    "host": "contents",
    "input": "filter-name",
    "prefix-list": "prefix-list-item",
    "autonomous-system": "as-number",
    "esi": "identifier",
    "ieee-802.3ad": "bundle",
    "route-distinguisher": "rd-type",
    "vlans": "vlan",
    "vrf-target": "community",
    "vtep-source-interface": "interface-name",
}
"""The child whose name the CLI leaves out, by the node above it."""
ALIASES = {"802.3ad": "ieee-802.3ad"}
"""The name in the models of a word that no name in YANG may begin like."""


@dataclass
class Node:
    """A node of a configuration, with its children in the order of the commands."""

    leaves: str = ""
    """Its keys or its value, as XML."""
    namespace: str = ""
    children: dict[tuple[str, ...], Node] = field(default_factory=dict)
    """By the name of a child, and its keys or values."""

    def xml(self) -> str:
        """Return the content of the node as XML."""
        return self.leaves + "".join(
            element(name, inner.xml(), inner.namespace)
            for (name, *_), inner in self.children.items()
        )


class Module:
    """A module of Juniper's models; its groupings are read when they are used."""

    def __init__(self, path: Path) -> None:
        """Find the groupings."""
        self.path = path
        text = path.read_text(encoding="utf-8")
        (self.namespace,) = re.findall(r'^   namespace "(.+)";$', text, re.MULTILINE)
        blocks = re.findall(r"^   (\S+) (\S+) \{\n(.*?)^   \}$", text, re.MULTILINE | re.DOTALL)
        self._groupings = {name: body for word, name, body in blocks if word == "grouping"}
        (top,) = (body for _, name, body in blocks if name == "/jc:configuration")
        self._read: dict[str, Statement] = {}
        self._known: dict[int, dict[str, Statement]] = {}
        self._top = Statement("augment", body=statements(top))
        self.top = self.children(self._top)

    def children(self, above: Statement) -> dict[str, Statement]:
        """Return the data nodes below a statement, by name, cached: most commands share theirs."""
        key = id(above)  # the module keeps every statement
        if key not in self._known:
            self._known[key] = self._children(above)
        return self._known[key]

    def _children(self, above: Statement) -> dict[str, Statement]:
        found: dict[str, Statement] = {}
        for inner in above.body:
            if inner.word in ("container", "list", "leaf", "leaf-list"):
                found[inner.argument] = inner
            elif inner.word in ("choice", "case"):
                found |= self.children(inner)
            elif inner.word == "uses":
                found |= self.children(self._grouping(inner.argument))
        return found

    def _grouping(self, name: str) -> Statement:
        if name not in self._read:
            self._read[name] = Statement("grouping", body=statements(self._groupings[name]))
        return self._read[name]


@cache
def modules(home: Path) -> dict[str, Module]:
    """Return the module of each section of the configuration, by its first word."""
    found = (
        Module(path) for path in sorted(home.glob("junos-conf-*.yang")) if "-root@" not in path.name
    )
    return {name: one for one in found for name in one.top}


def prepare(models: Path, folder: Path) -> Path:
    """Copy the models with the escape that is not YANG corrected, and without groups.

    Configuration groups repeat the whole model, and no file has any.
    """
    home = folder / "junos-yang"
    shutil.copytree(models, home)
    for path in home.glob("junos-conf-*.yang"):
        text = path.read_text(encoding="utf-8").replace(r'"\*"', '"[*]"')
        groups = r"^   augment /jc:configuration/jc:groups \{\n.*?^   \}\n"
        path.chmod(0o644)
        path.write_text(re.sub(groups, "", text, flags=re.MULTILINE | re.DOTALL), encoding="utf-8")
    return home


def to_xml(text: str, home: Path) -> tuple[str, list[list[str]]]:
    """Convert set commands; return the XML, and the commands that the models do not have."""
    root, unknown = Node(), list[list[str]]()
    for words in words_of(text):
        if not _add(root, words, modules(home)):
            unknown.append(words)
    return f'<configuration xmlns="{ROOT}">{root.xml()}</configuration>', unknown


def _add(root: Node, words: list[str], known: dict[str, Module]) -> bool:
    """Add a command to a configuration. Return whether the models have it."""
    module = known.get(words[0])
    if module is None:
        return False
    shape, children, namespace = Statement("configuration"), module.top, module.namespace
    path: list[tuple[str, tuple[str, ...], Node]] = []
    while words:
        word, *rest = words
        name = ALIASES.get(word, word)
        if name not in children:
            name, rest = NAMELESS.get(shape.argument, ""), words
        if name not in children:
            return False
        shape = children[name]
        keys, leaves, words = _values(shape, rest)
        path.append((name, keys, Node(leaves, "" if path else namespace)))
        children = module.children(shape)
    node = root
    for name, keys, made in path:
        node = node.children.setdefault((name, *keys), made)
    return True


def _values(shape: Statement, words: list[str]) -> tuple[tuple[str, ...], str, list[str]]:
    """Read the keys of a list or the value of a leaf.

    Return them, their XML and the words that follow.
    """
    if shape.word == "list":
        keys = {}
        names = shape.value("key").split()
        for name in names:
            if len(names) > 1 and words[:1] == [name]:
                words = words[1:]
            keys[name], words = (words[0], words[1:]) if words else ("", [])
        return tuple(keys.values()), "".join(leaf(*pair) for pair in keys.items()), words
    empty = shape.word == "container" or [one.argument for one in shape.of("type")] == ["empty"]
    if empty or not words:
        return (), "", words
    value, *words = words
    return (value,) if shape.word == "leaf-list" else (), escape(value), words


def validate(program: str, home: Path, texts: Iterable[str], folder: Path) -> list[str]:
    """Validate configurations in XML with yanglint, and return its errors.

    It reads the models of the sections in use, once for all texts. With each module in its command
    it compiles those before it again, so there are two: one that imports all, which `-ii` takes for
    modules of their own, and any of these, with which it compiles them.
    """
    files: list[Path] = []
    used: set[Path] = set()
    for number, text in enumerate(texts):
        files.append(folder / f"{number}.xml")
        files[-1].write_text(text, encoding="utf-8")
        used |= {one.path for one in modules(home).values() if f'"{one.namespace}"' in text}
    models = sorted(used)
    every = importing([path.name.partition("@")[0] for path in models], folder)
    done = subprocess.run(
        [program, "-ii", "-p", home, "-t", "config", "-f", "xml", every, *models[:1], *files],
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in done.stderr.splitlines() if line.startswith("libyang err")]
