"""Templates see plain values only.

These are views with declared fields, texts, numbers, and lists of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jinja2 import BaseLoader, UndefinedError

from fabricgen.api import plan_inventory
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.template_api import template_names
from fabricgen.outputs.dcim.view import DcimRackView, TableView
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.sandbox import Sandbox, names_of
from fabricgen.views.cables.cable_list import CableList
from tests.fabrics import build_job

SPECIMENS: dict[str, dict[str, Any]] = import_module("docs.seen").SPECIMENS
"""The fabrics that the documentation builds, one for each way in which views may differ."""

SCALARS = (str, int, float, bool, type(None))
METHODS = {
    "Chunk": {"label_lines", "labels", "select", "table"},
    "TableView": {"select"},
}
"""The methods of views that templates may call; no other call is possible."""


class Keeping(Packs):
    """Packs that keep the arguments of each template, and render nothing."""

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__()
        self.given: list[object] = []
        self.each: set[str] = set()

    def render(self, pack: str, template: str, **view: Any) -> str:  # noqa: ANN401 - as in Packs
        """Keep the arguments of a template."""
        found = self.pack(pack)
        self.each |= (
            {output.each for output in found.outputs if output.template == template}
            if found
            else set()
        )
        self.given += view.values()
        return ""


@cache
def _seen() -> Keeping:
    """Build every output of the documentation's specimens."""
    packs = Keeping()
    with TemporaryDirectory() as folder:
        for name, keys in SPECIMENS.items():
            job = build_job(
                plan_inventory({"name": "specimen", **keys}), packs, named=frozenset(GROUPS)
            )
            for number, task in enumerate(job.tasks):
                for _ in task.write(job.context, Path(folder) / name / str(number)):
                    pass
    return packs


@cache
def _reached() -> dict[type, object]:
    """Visit every value that templates reach, and return one value of each type."""
    waiting: list[object] = [*_seen().given]
    met, found = set[int](), dict[type, object]()
    while waiting:
        value = waiting.pop()
        found.setdefault(type(value), value)
        if isinstance(value, SCALARS) or id(value) in met:
            continue
        met.add(id(value))
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif template_names(type(value)):
            waiting += [
                member
                for name in template_names(type(value))
                if not callable(member := getattr(value, name))
            ]
        elif isinstance(value, list | tuple | CableList):
            waiting += value
    return found


def test_every_view_is_visited() -> None:
    """The visit starts at the object of each output of each shipped pack."""
    packs = Packs()
    outputs = [
        output for name in packs.names() if (pack := packs.pack(name)) for output in pack.outputs
    ]
    assert len(outputs) > 50
    assert {output.each for output in outputs} == _seen().each


def test_templates_reach_plain_values_only() -> None:
    """Exact built-in types and views: no class, module, path, enumeration or model of pydantic."""
    odd = [
        shape
        for shape in _reached()
        if shape not in (*SCALARS, list, tuple, dict, CableList) and not template_names(shape)
    ]
    assert odd == []


def test_templates_call_only_listed_methods() -> None:
    """Of all that a template may read of a view, these methods alone can be called."""
    found = {
        shape.__name__: {name for name in template_names(shape) if callable(getattr(value, name))}
        for shape, value in _reached().items()
    }
    assert {name: methods for name, methods in found.items() if methods} == METHODS


@pytest.mark.parametrize(
    "shape", ["SwitchView", "Chunk", "Label", "RoceView", "str", "list", "dict", "int"]
)
def test_attributes_that_are_not_listed_are_refused(shape: str) -> None:
    """Every other attribute that Python gives a value is refused by its name."""
    (value,) = (value for known, value in _reached().items() if known.__name__ == shape)
    sandbox, refused = Sandbox(BaseLoader()), {*dir(value)} - names_of(value)
    assert "__class__" in refused
    for name in refused:
        with pytest.raises(UndefinedError, match=name):
            str(sandbox.getattr(value, name))


@pytest.mark.parametrize("column", ["__class__", "name.__class__", "peer.name", "nmae"])
def test_columns_of_a_table_are_names_of_its_rows(column: str) -> None:
    """A table reads by name only the attributes that a template may read."""
    table = TableView([DcimRackView("a", "b", 1)])
    assert [*table.select(["name", "hall", "=x"])] == [("a", "b", "x")]
    with pytest.raises(Refusal) as caught:
        list(table.select(["name", column]))
    assert [finding.code for finding in caught.value.findings] == ["bad-template"]
