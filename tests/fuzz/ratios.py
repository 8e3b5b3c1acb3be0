"""Oversubscription from 1:1 to 8:1, with odd fractions, in compute and in each network.

Owns the campaign `ratios`: with as many tiers, a higher ratio takes no more switches than a lower
one, and every leaf keeps its ratio.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

from tests.fabrics import plan_of
from tests.fuzz.clusters import clusters
from tests.fuzz.fabrics import FILE, shapes
from tests.fuzz.program import Case, execute, faults
from tests.laws.drawing import inventories
from tests.laws.laws import a_leaf_is_not_oversubscribed_beyond_what_was_asked as keeps_its_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.laws.drawing import Inventory


class Ratios(NamedTuple):
    """An inventory, and the lower and the higher of two ratios."""

    inventory: Inventory
    low: Fraction
    high: Fraction


@st.composite
def ratios(draw: st.DrawFn) -> Ratios:
    """Draw two ratios, and a fabric or a cluster for them."""
    below = st.sampled_from((1, 1, 1, 2, 3, 4, 5, 7, 12))
    drawn = (Fraction(draw(st.integers(1, 96)), draw(below)) for _ in range(2))
    low, high = sorted(min(max(each, Fraction(1)), Fraction(8)) for each in drawn)
    inventory = draw(st.one_of(inventories(), inventories(), shapes(), clusters()))
    # what sets the uplinks by itself leaves nothing to the ratio
    inventory.pop("scalable_unit", None)
    for network in inventory.get("networks", {}).values():
        network.pop("uplinks", None)
    return Ratios(inventory, low, high)


def _with(inventory: Inventory, ratio: Fraction) -> Inventory:
    """Return the inventory with a ratio for compute and for each network that may have one."""
    asked = f"{ratio.numerator}:{ratio.denominator}"
    networks = {
        name: network
        if name == "console" or "converged_with" in network or name == "oob"
        else network | {"oversubscription": asked}
        for name, network in inventory.get("networks", {}).items()
    }
    return inventory | {"oversubscription": asked} | ({"networks": networks} if networks else {})


def search_ratios(drawn: Ratios, home: Path) -> Iterator[tuple[Case, str]]:
    """Plan both, and compare them."""
    figures: list[dict[str, tuple[int | None, int]]] = []
    for ratio in (drawn.low, drawn.high):
        inventory = _with(drawn.inventory, ratio)
        case = Case(("plan", FILE, "--json"), {FILE: json.dumps(inventory, indent=1)})
        ended = execute(case, home)
        yield from ((case, fault) for fault in faults(case, ended))
        if ended.code:
            return
        summary = json.loads(ended.out)
        networks = {"compute": summary, **summary.get("networks", {})}
        figures.append(
            {name: (own.get("tiers"), own["switches"]["total"]) for name, own in networks.items()}
        )
        plan = plan_of(**inventory)
        for name, own in {"compute": plan, **plan.networks}.items():
            try:
                keeps_its_ratio(own)
            except AssertionError:
                yield case, f"a leaf of {name} has a higher ratio than was asked"
    low, high = figures
    for name in low.keys() & high.keys():
        if low[name][0] == high[name][0] and low[name][1] < high[name][1]:
            few, more = low[name][1], high[name][1]
            yield case, f"{name}: {few} switches at {drawn.low}:1, {more} at {drawn.high}:1"
