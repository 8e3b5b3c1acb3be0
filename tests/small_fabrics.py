"""Two small fabrics that the tests of tables and workbooks share, and their cables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.catalog.catalog import Catalog
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.planning.plan import Plan, make_plan
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from fabricgen.views.cables.view import CableView

GENERIC: dict[str, Any] = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 4}}},
}
SUPERPOD: dict[str, Any] = {
    "name": "pod", "design": "rail-optimized", "gpus": 256, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}}, "prices": {"book": "street-2026-09"}, "spares": {"transceivers": {"percent": 2, "minimum": 2}},
}  # fmt: skip
FORMULA = "=cmd|' /C calc'!A0"
"""What a spreadsheet would run, if a cell began with it."""


def plan_of(catalog: Catalog | None = None, **keys: object) -> Plan:
    """Plan the generic fabric with some of its keys replaced."""
    return make_plan(FabricSpec.model_validate(GENERIC | keys), catalog or Catalog())


def cables_of(plan: Plan) -> list[CableView]:
    """Return the cables of every segment."""
    views = Views(plan)
    return [cable for segment in range(plan.mapping.segments) for cable in views.cables(segment)]
