"""Small fabrics of real switch models, for the packs whose interface names are those of a real box."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.pack_plans import CATALOG, Rendered, planned, rendered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from tests.pack_plans import Inventory

SYSTEMS = {"nvue": "sn5600", "junos": "qfx5240", "nxos": "n9364e-sg2"}
"""A switch model for each system."""

SHARED = {"gpus": 96, "hb_domain": {"gpus": 4}, "rails": {"per_switch": 2, "tiers": 2}}
UNNUMBERED = {"addressing": {"host_links": "unnumbered"}}

VARIANTS: dict[str, Inventory] = {
    "one tier": {"gpus": 32, "hb_domain": {"gpus": 4}},
    "two tiers": {"gpus": 264, "hb_domain": {"gpus": 2}},
    "two planes": {"gpus": 48, "hb_domain": {"gpus": 2}, "rails": {"tiers": 2, "planes": 2}},
    "shared boxes": {"gpus": 32, "hb_domain": {"gpus": 4}, "rails": {"per_switch": 2}},
    "shared boxes below spines": SHARED,
    "unnumbered hosts": {"gpus": 48, "hb_domain": {"gpus": 2}, "rails": {"tiers": 2}, **UNNUMBERED},
    "unnumbered hosts on shared boxes": {**SHARED, **UNNUMBERED},
    "fat-tree": {"gpus": 192, "hb_domain": {"gpus": 2}, "design": "fat-tree"},
    "other numbers": {
        "gpus": 48,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "addressing": {
            "host_pool": "172.16.0.0/16",
            "loopback_pool": "192.168.0.0/20",
            "asn_base": 64512,
            "mtu": 4200,
            "bfd": False,
        },
        "roce": {
            "dscp": 24,
            "priority": 4,
            "cnp_dscp": 46,
            "cnp_priority": 7,
            "ecn_minimum_bytes": 1000,
            "ecn_maximum_bytes": 2000,
        },
    },
}


def plan_of(name: str, nos: str) -> Plan:
    """Plan a variant for a system, on the switch model that runs it."""
    return planned(
        {**VARIANTS[name], "switches": {"leaf": {"model": SYSTEMS[nos], "breakout": "2x400G"}}}, nos
    )


@cache
def shown(name: str, nos: str) -> list[Rendered]:
    """Render a variant once for all tests; they read the texts, and change none."""
    return rendered(plan_of(name, nos))


def in_each_breakout(nos: str, *models: str) -> Iterator[Rendered]:
    """Render one leaf of each model in each breakout that its cages have."""
    for model in models:
        described = CATALOG.switch(model)
        assert described is not None
        for breakout in described.breakouts:
            leaf = {"model": model, "breakout": breakout.name}
            yield rendered(
                planned({"gpus": 32, "hb_domain": {"gpus": 4}, "switches": {"leaf": leaf}}, nos)
            )[0]


def planned_as(name: str, nos: str, chosen: dict[str, object]) -> Plan:
    """Plan a variant with a whole block `nos`, on the switch model that runs that system."""
    return planned(
        {
            **VARIANTS[name],
            "nos": chosen,
            "switches": {"leaf": {"model": SYSTEMS[nos], "breakout": "2x400G"}},
        },
        nos,
    )


def names(one: Rendered) -> dict[str, set[str]]:
    """Return the names that a box has: its ports, and its cages that are split."""
    switch = one.switch
    return {
        "port": {port.interface for port in switch.ports}
        | {port.interface for port in switch.idle_ports},
        "cage": {cage.whole for cage in switch.cages if cage.split},
    }


def edited(text: str, good: str, bad: str) -> str:
    """Exchange the first occurrence of a text that must be there."""
    assert good in text
    return text.replace(good, bad, 1)
