"""The shipped inventories, for `init --example`: ready fabrics and small ones with their story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fabricgen.core.diagnostics import suggest
from fabricgen.core.document import Document
from fabricgen.core.resources import shipped

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = ("examples", "inventories")


@dataclass(frozen=True)
class ExampleList(Document):
    """The shipped inventories with the first sentence of each: `init --list-examples --json`."""

    examples: dict[str, str]

    def document(self) -> dict[str, Any]:
        """Return a row for each."""
        return {
            "examples": [
                {"name": name, "description": text} for name, text in self.examples.items()
            ]
        }


def examples() -> dict[str, Path]:
    """Return the files of the shipped inventories by name."""
    found = (path for folder in FOLDERS for path in shipped(folder).glob("*.yaml"))
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}


def example_list() -> ExampleList:
    """Describe each shipped inventory by the first sentence of its comment."""
    return ExampleList({name: _first_sentence(path) for name, path in examples().items()})


def example_text(name: str, schema: str) -> str:
    """Return a shipped inventory that names its schema. Raises BadParameter."""
    known = examples()
    if name not in known:
        hint = suggest(name, known, "`fabricgen init --list-examples` lists them")
        raise click.BadParameter(
            f"no inventory `{name}` is shipped; {hint}", param_hint="'--example'"
        )
    return f"# yaml-language-server: $schema=./{schema}\n{known[name].read_text(encoding='utf-8')}"


def _first_sentence(path: Path) -> str:
    """Return the first sentence of the comment at the head of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = " ".join(line[2:] for line in lines if line.startswith("# "))
    return comment.partition(". ")[0].rstrip(".")
