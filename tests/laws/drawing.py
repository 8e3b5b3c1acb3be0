"""Inventories as hypothesis draws them: every design, one to three tiers, and every key that moves a link.

Most are sound and small; some are refused, and that is part of the law.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Inventory = dict[str, Any]

DESIGNS = ("rail-only", "rail-optimized", "fat-tree")
RATIOS = ("1:1", "2:1", "3:1", "3:2", "1:2")
RADICES = (4, 5, 6, 7, 8, 10, 12, 16, 24, 32)

# A leaf, the speed of its NICs, and spines that may stand above it; None is the leaf's own model.
BOXES: tuple[tuple[Inventory, str, tuple[Inventory | None, ...]], ...] = (
    ({"model": "sn5600", "breakout": "2x400G"}, "400G", (None, {"model": "sn5600", "breakout": "1x800G"}, {"model": "sn5400"})),
    ({"model": "ds5000", "breakout": "4x200G"}, "200G", ({"model": "ds5000", "breakout": "1x800G"}, {"model": "ds5000", "breakout": "2x400G"}, None)),
    ({"model": "7220-ixr-h5-64", "breakout": "4x200G"}, "200G", (None, {"model": "7220-ixr-h5-64", "breakout": "1x800G"})),
    ({"model": "7060dx5-64s", "breakout": "4x100G"}, "100G", ({"model": "7060dx5-64s", "breakout": "1x400G"}, None)),
    ({"model": "qm9700"}, "400G", (None, {"model": "qm8790"})),
    ({"model": "sn4700", "breakout": "2x200G"}, "200G", (None, {"model": "sn5600", "breakout": "2x400G"})),
)


def _divisors(number: int) -> list[int]:
    """List the divisors of a number."""
    return [part for part in range(1, number + 1) if number % part == 0]


@st.composite
def _switches(draw: st.DrawFn) -> tuple[Inventory, Inventory]:
    """Draw the switches and the NICs that fit them: small generic boxes more often than not, so that tiers are many."""
    if draw(st.integers(0, 2)):
        choices = {"leaf": {"generic": {"radix": draw(st.sampled_from(RADICES))}}}
        for role in ("spine", "core"):
            if draw(st.integers(0, 3)) == 0:
                choices[role] = {"generic": {"radix": draw(st.sampled_from(RADICES))}}
        return choices, {}
    leaf, speed, spines = draw(st.sampled_from(BOXES))
    spine = draw(st.sampled_from(spines))
    return {"leaf": leaf} | ({"spine": spine} if spine else {}), {"speed": speed}


@st.composite
def inventories(draw: st.DrawFn) -> Inventory:
    """Draw an inventory of at most a few hundred GPUs; where it reserves room, `gpus` is below it."""
    domain = draw(st.sampled_from((1, 2, 4, 6, 8, 8, 12, 18)))
    rails = draw(st.sampled_from(_divisors(domain)))
    planes = draw(st.sampled_from((1, 1, 1, 2)))
    switches, nic = draw(_switches())
    design = draw(st.sampled_from(DESIGNS))
    per_switch = draw(st.sampled_from([1, 1, "auto", *_divisors(rails)]))
    domains = draw(st.integers(1, 40))
    inventory: Inventory = {
        "name": "law",
        "design": design,
        "gpus": domain * domains,
        "hb_domain": {"gpus": domain, "hosts": draw(st.sampled_from(_divisors(domain)))},
        "nic": {**nic, "per_gpu": draw(st.sampled_from(_divisors(planes)))},
        "rails": {
            "count": rails,
            "planes": planes,
            "per_switch": 1 if design == "fat-tree" else per_switch,
            "tiers": draw(st.sampled_from(("auto", "auto", "auto", 1, 2, 3))),
        },
        "switches": switches,
        "oversubscription": draw(st.sampled_from(RATIOS)),
        "spread": draw(st.sampled_from(("even", "minimal"))),
        "addressing": {"host_links": draw(st.sampled_from(("numbered", "unnumbered")))},
    }
    if draw(st.booleans()):
        inventory["reserve"] = {"gpus": domain * draw(st.integers(domains, 60))}
    return inventory
