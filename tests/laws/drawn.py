"""The inventories drawn by hypothesis, once for every test of a process.

Each design has as many in each number of tiers, and as many are refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hypothesis import Phase, given, settings

from fabricgen.core.diagnostics import Refusal
from tests.fabrics import plan_of
from tests.laws.drawing import DESIGNS, Inventory, inventories

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

DRAWS, EACH = 800, 10
"""The number of drawn inventories, and how many are kept of each design and number of tiers."""

TIERS = (0, 1, 2, 3)
"""Numbers of tiers; 0 is a refused inventory."""


def planned_or_refused(inventory: Inventory) -> Plan | None:
    """Plan an inventory; None where it is refused with readable findings."""
    try:
        return plan_of(**inventory)
    except Refusal as refusal:
        findings = refusal.findings
    assert findings
    assert all(
        finding.code and finding.fact and finding.path and finding.hint for finding in findings
    ), findings
    return None


@cache
def draws() -> tuple[Inventory, ...]:
    """Draw many inventories, including refused ones."""
    found: list[Inventory] = []

    @settings(max_examples=DRAWS, phases=[Phase.generate])
    @given(inventories())
    def draw(inventory: Inventory) -> None:
        found.append(inventory)

    draw()
    return tuple(found)


@cache
def draw_of(number: int) -> tuple[Inventory, Plan | None]:
    """Return a draw with its plan."""
    return draws()[number], planned_or_refused(draws()[number])


def every_draw() -> list[tuple[Inventory, Plan | None]]:
    """Return every draw with its plan."""
    return [draw_of(number) for number in range(len(draws()))]


@cache
def drawn() -> tuple[tuple[Inventory, Plan | None], ...]:
    """Pick the first ten draws of each design in each number of tiers, and plan no further.

    The first dozen holds one of each.
    """
    cells: dict[tuple[str, int], list[tuple[Inventory, Plan | None]]] = {
        (design, tiers): [] for design in DESIGNS for tiers in TIERS
    }
    for inventory, plan in map(draw_of, range(len(draws()))):
        cells[inventory["design"], plan.sizing.tiers if plan else 0].append((inventory, plan))
        if min(map(len, cells.values())) == EACH:
            break
    return tuple(
        cells[design, tiers][number]
        for number in range(EACH)
        for design in DESIGNS
        for tiers in TIERS
    )


def drawn_plans(count: int | None = None) -> list[Plan]:
    """Return the plans among the first `count` draws, or among all picked ones."""
    return [plan for _, plan in drawn()[:count] if plan]


def other_plans() -> list[Plan]:
    """Return the plans of all draws that were not picked."""
    picked = {id(plan) for plan in drawn_plans()}
    return [plan for _, plan in every_draw() if plan and id(plan) not in picked]
