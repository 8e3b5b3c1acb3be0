"""The contents of `fabricgen/core/compiled_facts.jsonl`, which `make catalog` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.compiled_facts import FILE, compile_line
from fabricgen.core.yaml_text import parse_facts
from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = (
    *(f"inventories/{kind}" for kind in ("catalog", "prices", "references", "workloads")),
    "templates",
)


def sources() -> list[Path]:
    """List the shipped files of facts."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.yaml"))]


def document() -> str:
    """Return the contents of the file: a line for each file of facts, by its path."""
    return "".join(f"{_line(path, path.read_bytes())}\n" for path in sources())


def _line(path: Path, data: bytes) -> str:
    """Compile one file."""
    return compile_line(path.relative_to(ROOT).as_posix(), data, parse_facts(path, data))


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
