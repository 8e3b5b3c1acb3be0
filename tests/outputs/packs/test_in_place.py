"""Included templates are compiled in place, and write what they write when included at run time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment, FileSystemLoader, UndefinedError

from fabricgen.outputs.packs.code_cache import CodeCache
from fabricgen.outputs.packs.in_place import section_texts
from fabricgen.outputs.packs.sandbox import Sandbox
from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

INCLUDES = {
    "in a loop": '{% for x in [1, 2] %}{% include "part.j2" %}{% endfor %}',
    "after a variable": '{% set y = "outer" %}{% include "own.j2" %}{{ y }}',
    "in a scope": '{% with x = "inner" %}{% include "part.j2" %}{% endwith %}',
    "in a macro": '{% macro m(x) %}{% include "part.j2" %}{% endmacro %}{{ m(3) }}{{ m(4) }}',
    "in sections": '{% include "deep.j2" %}',
    "with a macro": '{% include "macro.j2" %}',
    "of itself": '{% set n = 3 %}{% include "again.j2" %}',
}
SECTIONS = {
    "part.j2": "[{{ x }} {{ switch }}]\n",
    "own.j2": '{% set y = "section" ~ x %}{{ y }};',
    "deep.j2": 'deep {% include "part.j2" %}{% include "own.j2" %}',
    "macro.j2": "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) ~ x ~ '%' }}{{ 2 * ('%' ~ x) }}",
    "again.j2": '{{ n }}{% if n > 1 %}{% with n = n - 1 %}{% include "again.j2" %}{% endwith %}'
    """{% include 'part.j2' %}{% endif %}""",
}


def _sandbox(folder: Path, **texts: str) -> Sandbox:
    """Return an environment of a new run, with the sections and other templates."""
    for name, text in (SECTIONS | {f"{name}.j2": text for name, text in texts.items()}).items():
        (folder / name).write_text(text, encoding="utf-8")
    made = Sandbox(FileSystemLoader(folder))
    made.codes = CodeCache(folder / "codes")
    return made


def _render(sandbox: Sandbox) -> str:
    return sandbox.get_template("whole.j2").render(x="x", switch="leaf")


@pytest.mark.parametrize("text", INCLUDES.values(), ids=INCLUDES)
def test_the_text_is_that_of_an_include_at_run_time(text: str, tmp_path: Path) -> None:
    """Variables, loops, macros and a template that includes itself."""
    sandbox = _sandbox(tmp_path, whole=text)
    later = Environment(loader=sandbox.loader, trim_blocks=True, keep_trailing_newline=True)  # noqa: S701 - no HTML
    expected = later.get_template("whole.j2").render(x="x", switch="leaf")
    assert _render(sandbox) == expected


def test_kept_code_is_compiled_again_after_a_section_changed(tmp_path: Path) -> None:
    """The code of a template holds that of sections of its sections."""
    whole = '{% include "deep.j2" %}'
    assert _render(_sandbox(tmp_path, whole=whole)) == "deep [x leaf]\nsectionx;"
    assert _render(_sandbox(tmp_path, whole=whole, own="other")) == "deep [x leaf]\nother"


def test_an_error_has_the_line_of_its_include(tmp_path: Path) -> None:
    """The file of the error is that of the including template."""
    sandbox = _sandbox(tmp_path, whole='one\n{% include "wrong.j2" %}', wrong="a\nb\n{{ typo }}\n")
    with pytest.raises(UndefinedError) as error:
        _render(sandbox)
    place = error.traceback[-1]
    assert (place.path, place.lineno + 1) == (tmp_path / "whole.j2", 2)


def test_shipped_includes_are_compiled_in_place() -> None:
    """Each is by a name in double quotes, of a template that exists."""
    home = ROOT / "templates"
    for path in home.rglob("*.j2"):
        text = path.read_text(encoding="utf-8")
        found = section_texts(text, lambda name: (home / name).read_text(encoding="utf-8"))
        assert bool(found) == bool(re.search(r"\{%-?\s*include", text)), path
        assert not re.search(r"\{%[+-]?\s*(extends|block|import|from)\b", text), path
