"""The sandbox that packs run in remembers what it has allowed; it must allow no more for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.diagnostics import Refusal
from fabricgen.packs import Packs
from tests.pack_plans import generic, planned, rendered

if TYPE_CHECKING:
    from pathlib import Path


def _render(folder: Path, text: str) -> str:
    (folder / "own").mkdir()
    (folder / "own" / "own.j2").write_text(text, encoding="utf-8")
    switch = rendered(planned(generic(64, gpus=64), "frr"))[0].switch
    return Packs([folder]).render("own", "own.j2", switch=switch)


def test_a_view_reads_the_same_every_time(tmp_path: Path) -> None:
    """The first look goes through the sandbox, the others past it."""
    text = "{% for port in switch.ports[:3] %}{{ port.interface }}{{ loop.index }} {% endfor %}{{ switch.name }} {{ switch.name }}"
    assert _render(tmp_path, text) == "swp11 swp22 swp33 r0-leaf-1 r0-leaf-1"


@pytest.mark.parametrize(
    "text",
    [
        "{{ switch.__class__ }}",
        "{{ switch.name }}{{ switch.__class__.__mro__ }}",
        '{{ "{0.__class__}".format(switch) }}',
        '{{ ("{0.name}".format(switch), "{0.__class__}".format(switch)) }}',
        "{{ switch.ports.clear() }}",
        "{{ switch.nmae }}",
        "{% for port in switch.ports %}{{ loop.__init__ }}{% endfor %}",
    ],
)
def test_what_was_forbidden_stays_forbidden(text: str, tmp_path: Path) -> None:
    """Inner workings, changes and names that a view does not have are refused, also after the same view was read."""
    with pytest.raises(Refusal) as caught:
        _render(tmp_path, "{{ switch.name }}{{ switch.ports }}" + text)
    assert [finding.code for finding in caught.value.findings] == ["bad-template"]
