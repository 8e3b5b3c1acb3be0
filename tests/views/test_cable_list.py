"""Cables as columns give what their views have."""

from __future__ import annotations

from jinja2 import BaseLoader

from fabricgen.outputs.packs.sandbox import Sandbox
from fabricgen.views.cables.cable_list import CableList, cells
from fabricgen.views.cables.view import CABLE_COLUMNS, CableSheet, Chunk, Join
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

SMALL = {"gpus": 16, "hb_domain": {"gpus": 8}, "radix": 8}


def test_columns_are_those_of_the_views() -> None:
    """Of each cable, in order, also where a column has one value for all of them."""
    cables = Views(plan_of(**SMALL)).cables(0)
    assert isinstance(cables, CableList)
    assert len(cables) == 2
    assert [*cells(cables, CABLE_COLUMNS)] == [*cells([*cables], CABLE_COLUMNS)]
    assert [*cells(cables, ("piece", "plane"))] == [("", 0)] * 2


def test_a_column_that_is_looked_up_makes_no_view() -> None:
    """A table with the name of the network or the hall takes no object for each cable."""
    cables = Views(plan_of(**SMALL)).cables(0)
    joins = {"network": Join("cable", {}, "compute"), "a_hall": Join("plane", {0: "north"})}
    sheet = CableSheet(("plane", "network", "a_hall"), joins)
    chunk = Chunk("small", cables, first=True, last=True, sheet=sheet)
    assert [*chunk.table()] == [(0, "compute", "north")] * 2
    assert "_rows" not in vars(cables)


def test_templates_read_views_by_position() -> None:
    """As they do of a list."""
    cables = Views(plan_of(**SMALL)).cables(0)
    template = Sandbox(BaseLoader()).from_string("{{ rows[1].cable }} {{ rows | length }}")
    assert template.render(rows=cables) == f"{cables[1].cable} 2"
