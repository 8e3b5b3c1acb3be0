"""The environment of packs. Templates may use what is listed, and known escapes are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jinja2 import UndefinedError

from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.sandbox import FILTERS, GLOBALS, METHODS, OWN_FILTERS, Sandbox
from tests import ROOT
from tests.fabrics import generic, plan_of
from tests.nos.switch_files import render_switches

if TYPE_CHECKING:
    from pathlib import Path


def _render(folder: Path, text: str) -> str:
    (folder / "own").mkdir(parents=True, exist_ok=True)
    (folder / "own" / "own.j2").write_text(text, encoding="utf-8")
    switch = render_switches(plan_of(nos="frr", **generic(64, gpus=64)))[0].switch
    return Packs([folder]).render("own", "own.j2", switch=switch)


def test_a_view_reads_the_same_every_time(tmp_path: Path) -> None:
    """The first read goes through the sandbox, later ones are direct."""
    text = (
        "{% for port in switch.ports[:3] %}{{ port.interface }}{{ loop.index }} {% "
        "endfor %}{{ switch.name }} {{ switch.name }}"
    )
    assert _render(tmp_path, text) == "swp11 swp22 swp33 r0-leaf-1 r0-leaf-1"


def test_adjacent_texts_are_joined(tmp_path: Path) -> None:
    """Percent signs are texts, in a template and in a macro, and an error has its own line."""
    macro = "{% macro share(of) %}50% %s of {{ of }}{% endmacro %}"
    text = f"{macro}{{{{ share(switch.tier) }}}} 100%\n%d {{{{ switch.name }}}}"
    assert _render(tmp_path, text) == "50% %s of 1 100%\n%d r0-leaf-1"
    compiled = Sandbox().from_string(
        "a {{ 1 + x }} b {{ x }}\n{{ x }}{% if x %} c {{ x }}{% endif %}"
    )
    pieces = [*compiled.root_render_func(compiled.new_context({"x": 1}))]
    assert pieces == ["a 2 b 1\n1", " c 1"]
    with pytest.raises(UndefinedError) as error:
        Sandbox().from_string("a\n{{ x }} b\n{{ y }} c").render(x=1)
    assert error.traceback[-1].lineno == "a\n{{ x }} b\n".count("\n")  # counted from 0


def test_a_line_with_several_attributes_takes_each_view_by_its_own_type(tmp_path: Path) -> None:
    """Views of two types alternate in one line, and a value without the attributes is refused."""
    line = "{{ each.rail }}/{{ each.facts | length }} "
    text = "{% for each in [switch, switch.ports[0]] * 2 %}" + line + "{% endfor %}"
    assert _render(tmp_path, text) == "0/0 0/0 0/0 0/0 "
    hidden = text.replace("switch.ports[0]", '"text"')
    with pytest.raises(Refusal, match="rail"):
        _render(tmp_path / "other", hidden)


ATTACKS = (
    "{{ switch.__class__ }}",
    "{{ switch.name }}{{ switch.__class__.__mro__ }}",
    '{{ "{0.__class__}".format(switch) }}',
    '{{ ("{0.name}".format(switch), "{0.__class__}".format(switch)) }}',
    '{{ "{x.__class__}".format_map({"x": switch}) }}',
    '{{ "{0[__class__]}".format(switch) }}',
    "{{ switch.ports.clear() }}",
    "{{ switch.ports.append(1) }}",
    "{{ switch.ports.sort() }}",
    "{{ switch.nmae }}",
    "{% for port in switch.ports %}{{ loop.__init__ }}{% endfor %}",
    "{% for port in switch.ports %}{{ loop._iterable }}{% endfor %}",
    '{{ switch.roce.parse_raw("x", proto="pickle", allow_pickle=True) }}',
    '{{ switch.roce.parse_file("/etc/passwd") }}',
    "{{ switch.roce.model_copy() }}",
    "{{ switch.roce.of(switch.roce) }}",
    '{{ switch["__class__"] }}',
    '{{ switch["__init__"]["__globals__"] }}',
    '{{ switch | attr("__class__") }}',
    '{{ [switch] | map(attribute="__class__") | join }}',
    '{{ [switch] | map(attribute="roce.__class__") | join }}',
    '{{ [switch] | map("attr", "__class__") | join }}',
    '{{ [switch] | selectattr("__class__") | list }}',
    '{{ [switch, switch] | sort(attribute="__class__") }}',
    '{{ "%s" | format(switch) }}',
    "{{ switch | pprint }}",
    "{{ lipsum.__globals__ }}",
    "{{ lipsum() }}",
    '{{ cycler("a", "b") }}',
    '{{ joiner(",") }}',
    "{{ namespace(a=1) }}",
    "{{ dict(a=1) }}",
    "{{ self.__init__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ range.__self__ }}",
    "{{ ().__class__.__base__.__subclasses__() }}",
    "{{ (1).real }}",
    '{{ "a".encode("utf-8") }}',
    '{{ "a".join(["b"]) }}',
    "{% macro m() %}{% endmacro %}{{ m._func }}",
    "{% macro m() %}{% endmacro %}{{ m.__init__ }}",
    "{% block b %}{{ super() }}{% endblock %}",
    '{% include "/etc/passwd" %}',
    '{% include "../secret" %}',
    '{% include "own/../../secret" %}',
    '{% import "../secret" as x %}',
    '{% from "own/lib.j2" import _environment %}',
    '{% import "own/lib.j2" as lib %}{{ lib._body_stream }}',
    '{% import "own/lib.j2" as lib %}{{ lib.__class__ }}',
    '{% extends "../secret" %}',
)
"""Templates that read inner attributes, change their arguments, or read other files."""


@pytest.mark.parametrize("text", ATTACKS)
def test_every_known_escape_is_refused(text: str, tmp_path: Path) -> None:
    """They read inner attributes, change values or open files outside of the packs.

    They are refused also after the same view was read.
    """
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    with pytest.raises(Refusal) as caught:
        _render(tmp_path / "templates", "{{ switch.name }}{{ switch.ports }}" + text)
    assert [finding.code for finding in caught.value.findings] == ["bad-template"]
    assert caught.value.findings[0].fact.startswith("own/own.j2")


def test_the_page_lists_what_is_allowed() -> None:
    """`explain` lists every filter and method."""
    page = (ROOT / "fabricgen" / "cli" / "pages" / "bad-template.md").read_text(encoding="utf-8")
    names = {*FILTERS, *OWN_FILTERS, *GLOBALS, *METHODS[str], *METHODS[dict]}
    assert {name for name in names if f"`{name}`" not in page} == set()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{ switch.name.upper() }}", "R0-LEAF-1"),
        ('{{ "{:>8}".format(switch.plane) }}', "       0"),
        (
            (
                '{{ {"a": 1}.a }}{% for key, value in {"b": 2}.items() %}{{ key }}{{ value '
                "}}{% endfor %}"
            ),
            "1b2",
        ),
        (
            (
                "{% for port in switch.ports[:2] %}{{ loop.cycle('x', 'y') }}{{ loop.index "
                "}}{% endfor %}"
            ),
            "x1y2",
        ),
        ("{% for n in range(3) %}{{ n }}{% endfor %}", "012"),
        ('{{ [("a", 1), ("b", 2)] | lines("100% {}: {}") }}', "100% a: 1\n100% b: 2"),
        ('{{ switch.ports[:3] | map(attribute="interface") | join(" ") }}', "swp1 swp2 swp3"),
        (
            (
                "{{ switch.nos_version | default('none', true) }}"
                "{{ switch.nothing | default('none') }}{{ switch.nothing is defined }}"
            ),
            "nonenoneFalse",
        ),
        ('{% import "own/lib.j2" as lib %}{{ lib.shout("a") }}', "A!"),
        ('{% from "own/lib.j2" import shout %}{{ shout("a") }}', "A!"),
    ],
)
def test_what_layout_needs_is_accepted(text: str, result: str, tmp_path: Path) -> None:
    """Texts, loops, ranges, mappings and macros are available to a user's packs."""
    if "lib" in text:
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "lib.j2").write_text(
            "{% macro shout(word) %}{{ word | upper }}!{% endmacro %}", encoding="utf-8"
        )
    assert _render(tmp_path, text).replace("lib", "") == result


@pytest.mark.parametrize(
    ("text", "fact", "hint"),
    [
        ("{{ switch.nmae }}", "has no attribute 'nmae'", "did you mean `name`?"),
        ("{{ switch.roce.pripority }}", "has no attribute 'pripority'", "did you mean `priority`?"),
        (
            "{{ switch.roce.zzz }}",
            "has no attribute 'zzz'",
            "attributes: classes, cnp_dscp, cnp_priority, dscp,",
        ),
        (
            "{{ switch.name.rsplit() }}",
            "`rsplit` of a `str` is not for templates",
            "did you mean `split`?",
        ),
        ("{{ swich.name }}", "'swich' is undefined", "did you mean `switch`?"),
        ("{{ namespace() }}", "'namespace' is undefined", "variables: range, switch"),
        ("{{ switch.name | uper }}", ":1: No filter named 'uper'.", "did you mean `upper`?"),
        (
            '{{ [switch.name] | map("tojson") | join }}',
            "No filter named 'tojson'.",
            "did you mean `json`?",
        ),
        ("{{ switch.name is definde }}", ":1: No test named 'definde'.", "did you mean `defined`?"),
        ("{{ (1)[0] }}", "int object has no element 0", ""),
        ("{{ (1)[0:] }}", "'int' object is not subscriptable", ""),
        ("{{ 1 // 0 }}", "integer division or modulo by zero", ""),
    ],
)
def test_a_refusal_names_the_nearest(text: str, fact: str, hint: str, tmp_path: Path) -> None:
    """An unknown name is refused with the nearest known one.

    A shipped template is named only where it exists.
    """
    with pytest.raises(Refusal) as caught:
        _render(tmp_path, text)
    (finding,) = caught.value.findings
    assert finding.fact.startswith("own/own.j2")
    assert fact in finding.fact
    assert finding.hint.startswith(hint)
    assert bool(finding.hint) is bool(hint)
