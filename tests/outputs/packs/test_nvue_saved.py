"""The types of startup.yaml are those of files that NVUE saved, and that NVIDIA published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.nos.model_variants import VARIANTS, variant_files, variant_plan
from tests.nos.nvue_saved import NAMED
from tests.nos.switch_files import render_switches
from tests.outputs import libyaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Kinds = dict[tuple[str, ...], set[str]]


def _kinds(node: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each path of a document with the type of its value, or of its keys where they vary."""
    yield path, type(node).__name__
    if isinstance(node, list):
        for item in node:
            yield from _kinds(item, path)
    elif isinstance(node, dict):
        for key, value in node.items():
            varies = (path and path[-1] in NAMED) or re.fullmatch(
                r"[\d./x]+|[\da-f]*:[\da-f:]*/\d+", str(key)
            )
            name = f"<{type(key).__name__}>" if varies else str(key)
            yield from _kinds(value, (*path, name))


def _saved(text: str) -> Kinds:
    """Load a file as NVUE does, by YAML 1.1, where a bare `on` is true."""
    found: Kinds = {}
    for path, kind in _kinds(libyaml.document(text)):
        found.setdefault(path, set()).add(kind)
    return found


@pytest.fixture(scope="module")
def corpus(oracles: Path) -> Kinds:
    """Return the types in all saved files, by path."""
    found: Kinds = {}
    for file in sorted((oracles / "nvue").glob("*/*.yaml")):
        for path, kinds in _saved(file.read_text(encoding="utf-8")).items():
            found.setdefault(path, set()).update(kinds)
    return found


@pytest.mark.parametrize("name", VARIANTS)
def test_values_have_the_types_of_saved_files(name: str, corpus: Kinds) -> None:
    """The saved files are of 5.13, so a path with words of a later release is not among them."""
    before = variant_plan(name, "nvue", nos={"leaf": "nvue", "versions": {"nvue": "5.13"}})
    for files in (render_switches(before), variant_files(name, "nvue")):
        ours = _saved(files[0].files["startup.yaml"])
        compared = ours.keys() & corpus.keys()
        assert ("header", "rev-id") in compared
        assert ("set", "qos", "roce", "mode") in compared
        assert {path: ours[path] for path in compared if not ours[path] <= corpus[path]} == {}


def test_roce_is_enabled_in_the_words_of_the_release(corpus: Kinds) -> None:
    """Each saved file with RoCE states it beside the mode; the word changed in 5.15."""
    before = variant_plan("one tier", "nvue", nos={"leaf": "nvue", "versions": {"nvue": "5.13"}})
    roce = ("set", "qos", "roce")
    assert (*roce, "enable") in corpus
    assert (*roce, "enable") in _saved(render_switches(before)[0].files["startup.yaml"])
    new = _saved(variant_files("one tier", "nvue")[0].files["startup.yaml"])
    assert (*roce, "state") in new
