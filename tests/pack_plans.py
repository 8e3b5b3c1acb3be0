"""Small fabrics, one for each thing that a configuration can look different for, and the files that a pack writes for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.catalog.catalog import Catalog
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView

Inventory = dict[str, Any]

CATALOG, PACKS = Catalog(), Packs()

MOST = 8
"""Switches of one fabric that a vendor's parser sees; they are spread over it."""


@dataclass(frozen=True)
class Rendered:
    """What a pack writes for one switch, by the last part of the path, beside the view that it was written from."""

    switch: SwitchView
    files: dict[str, str]


def planned(inventory: Inventory, nos: str | dict[str, str]) -> Plan:
    """Plan an inventory for a NOS."""
    return make_plan(
        FabricSpec.model_validate({"name": "fabric", "nos": nos, **inventory}), CATALOG
    )


@cache
def _pack_of(nos: str) -> Pack:
    pack = PACKS.for_nos(nos)
    assert pack is not None
    return pack


def rendered(plan: Plan) -> list[Rendered]:
    """Render every file of every switch, each with the pack of its own NOS."""
    views, found = Views(plan), []
    for segment in range(plan.mapping.segments):
        for switch in views.switches(segment):
            pack = _pack_of(switch.nos)
            files = {
                output.path.split("/")[-1]: PACKS.render(pack.name, output.template, switch=switch)
                for output in pack.outputs
            }
            found.append(Rendered(switch, files))
    return found


def groups(plan: Plan) -> int:
    """Count the groups of routing instances that may reach each other: one for each plane, or for each rail on each plane."""
    return plan.fabric.planes * (1 if plan.mapping.spans_rails else plan.fabric.rails)


def sample(found: Sequence[Rendered], most: int) -> list[Rendered]:
    """Pick up to `most` switches at equal distances, the first and the last among them."""
    if len(found) <= most:
        return list(found)
    return [found[index * (len(found) - 1) // (most - 1)] for index in range(most)]


def generic(radix: int, **more: Any) -> Inventory:  # noqa: ANN401 - any key of an inventory
    """Return an inventory of one generic switch model, with 256 GPUs in HB domains of 4."""
    return {
        "gpus": 256,
        "hb_domain": {"gpus": 4},
        "switches": {"leaf": {"generic": {"radix": radix}}},
        **more,
    }


VARIANTS: dict[str, Inventory] = {
    "one tier": generic(64),
    "two tiers": generic(16),
    "three tiers": generic(8),
    "two planes": generic(16, rails={"planes": 2}),
    "shared boxes": generic(128, rails={"per_switch": 2}),
    "shared boxes below spines": generic(32, rails={"per_switch": 2}),
    "unnumbered hosts": generic(16, addressing={"host_links": "unnumbered"}),
    "unnumbered hosts on shared boxes": generic(
        32, rails={"per_switch": 2}, addressing={"host_links": "unnumbered"}
    ),
    "oversubscribed": generic(16, oversubscription="3:1"),
    "room to grow": generic(16, reserve={"gpus": 512}),
    "rail-optimized": generic(32, design="rail-optimized"),
    "fat-tree": generic(32, design="fat-tree"),
    "fat-tree of three tiers": generic(8, design="fat-tree", gpus=128),
    "four rails for eight GPUs": generic(16, hb_domain={"gpus": 8}, rails={"count": 4}),
    "other numbers": generic(
        16,
        addressing={
            "host_pool": "172.16.0.0/16",
            "loopback_pool": "192.168.0.0/20",
            "asn_base": 64512,
            "mtu": 4200,
            "bfd": False,
        },
        roce={
            "dscp": 24,
            "priority": 4,
            "cnp_dscp": 46,
            "cnp_priority": 7,
            "ecn_minimum_bytes": 1000,
            "ecn_maximum_bytes": 2000,
        },
    ),
    "two speeds": {
        "gpus": 320,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "switches": {
            "leaf": {"model": "sn5600", "breakout": "2x400G"},
            "spine": {"model": "sn5600", "breakout": "1x800G"},
        },
    },
    "a real host": {
        "gpus": 512,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
}
