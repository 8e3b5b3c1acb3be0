"""Secrets of random inventories: each canary that leaves its file is a find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core.yaml_text import write_yaml
from tests.build.canary import leaks
from tests.fuzz.program import Case, runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUILD = ("build", "f.yaml", "-o", "out", "--only", "configs")


def search_secrets(
    drawn: tuple[dict[str, Any], dict[str, str]], _: Path
) -> Iterator[tuple[Case, str]]:
    """Render the files of one draw, and yield the places where a canary may not be."""
    inventory, values = drawn
    runs["secrets"] += 1
    text = write_yaml({"name": "canary", **inventory})
    yield from ((Case(BUILD, {"f.yaml": text}), place) for place in leaks(inventory, values))
