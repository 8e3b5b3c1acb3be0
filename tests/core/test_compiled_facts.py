"""The compiled facts are complete, equal to their YAML, and used only for unchanged files."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from fabricgen.core import yaml_text
from fabricgen.core.compiled_facts import FILE, compile_line, find
from fabricgen.core.yaml_text import load_facts, parse_facts
from tests.compiled import document, sources

if TYPE_CHECKING:
    from pathlib import Path


def test_the_compiled_facts_are_those_of_the_files() -> None:
    """The file in the repository is what `make catalog` writes."""
    assert FILE.read_text(encoding="utf-8") == document(), "run `make catalog`"


def test_a_compiled_file_has_the_values_of_its_yaml() -> None:
    """Numbers as keys, and dates, keep their types."""
    paths = sources()
    assert len(paths) > 50
    for path in paths:
        data = path.read_bytes()
        assert repr(find(data)) == repr(parse_facts(path, data)), path


def test_a_shipped_file_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled file is read without the YAML parser."""
    monkeypatch.setattr(yaml_text, "parse_facts", None)
    for path in sources():
        assert load_facts(path)


def test_an_edited_file_is_parsed(tmp_path: Path) -> None:
    """A file that differs by one byte is parsed again, in whatever directory it is."""
    path = tmp_path / "sn5600.yaml"
    data = next(path for path in sources() if path.name == "sn5600.yaml").read_bytes()
    path.write_bytes(data.replace(b"rack_units: ", b"rack_units: 1"))
    changed = load_facts(path)
    assert changed == parse_facts(path, path.read_bytes())
    assert changed != find(data)


def test_no_two_readers_share_values() -> None:
    """A reader that changes its values does not change those of the next reader."""
    data = sources()[0].read_bytes()
    first, second = find(data), find(data)
    assert first is not None
    assert first == second
    first.clear()
    assert second == find(data)


def test_a_value_without_a_form_is_refused_when_compiling() -> None:
    """A date with time or a set in a catalog file ends `make catalog` with an error.

    It never changes type silently.
    """
    for value in (dt.datetime(2026, 9, 22, tzinfo=dt.UTC), {1}):
        with pytest.raises(TypeError):
            compile_line("a.yaml", b"", {"key": value})
