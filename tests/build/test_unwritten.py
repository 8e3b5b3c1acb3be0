"""What configurations lack on purpose is listed, with the switches and the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.unwritten import unwritten
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.managed import LEAVES

if TYPE_CHECKING:
    from tests.fabrics import Inventory

WHOLE, SPLIT = ({"model": "sn5600", "breakout": own} for own in ("1x800G", "2x400G"))
EACH_LEAF = {
    "gpus": 64,
    "hb_domain": {"gpus": 4},
    "rails": {"tiers": 2},
    "addressing": {"mtu": 9000},
}


def reasons(nos: str, **keys: Any) -> list[str]:  # noqa: ANN401 - keys of an inventory
    """Return what the configurations of a fabric of two tiers lack."""
    wanted: Inventory = EACH_LEAF | {"nos": nos, "switches": {"leaf": LEAVES[nos]}} | keys
    return [own.reason for own in unwritten(build_context(plan_of(**wanted), Packs()))]


def adaptive(found: list[str]) -> list[str]:
    """Return those of adaptive routing, each from its switches to the reason."""
    return [own.partition(" on ")[2] for own in found if own.startswith("adaptive routing on ")]


def test_adaptive_routing_that_is_left_out_is_named() -> None:
    """Uplinks of 800G, VRFs of rails, and systems without it; 400G keeps it."""
    assert not adaptive(reasons("nvue", switches={"leaf": SPLIT}))
    (speed,) = adaptive(reasons("nvue", switches={"leaf": SPLIT, "spine": WHOLE}))
    assert speed.startswith(
        "the leaf switches (sn5600, nvue) and the spine switches (sn5600, nvue)"
    )
    assert "at 200G and 400G alone" in speed
    assert "`breakout: 2x400G`" in speed
    shared = {"tiers": 2, "per_switch": 2}
    for nos in ("nvue", "nxos"):
        (vrfs,) = adaptive(reasons(nos, rails=shared))
        assert "`rails.per_switch: 1` keeps it" in vrfs
        assert not adaptive(reasons(nos, rails={"tiers": 2}))
    assert not adaptive(reasons("eos", rails=shared))
    assert not adaptive(reasons("junos", rails=shared))
    for nos in ("sonic", "frr"):
        assert len(adaptive(reasons(nos))) == 1
    assert not adaptive(reasons("srlinux"))  # its switch has none
    assert not adaptive(
        reasons("nvue", rails={"tiers": 1}, switches={"leaf": WHOLE}, nic={"speed": "800G"})
    )


HOSTS = {"gpus": 16, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}}


def on_copper(found: list[str]) -> list[str]:
    """Return those of auto-negotiation."""
    return [own for own in found if own.startswith("auto-negotiation on copper on ")]


@pytest.mark.parametrize("nos", ["eos", "nvue", "sonic", "frr"])
def test_auto_negotiation_is_named_where_cables_are_copper(nos: str) -> None:
    """Both ends of a copper cable must agree, and no file sets it; optical links have none."""
    near = {"racks_per_row": 16}
    assert len(on_copper(reasons(nos, **HOSTS, site=near))) == 1
    fibre = {"host": ["mmf", "smf"], "leaf_spine": ["mmf", "smf"]}
    assert not on_copper(reasons(nos, **HOSTS, site=near | {"media": fibre}))


def test_every_pack_of_switches_declares_it() -> None:
    """Whatever switches its catalog will have."""
    packs = [pack for nos in LEAVES if (pack := Packs().pack(nos))]
    assert len(packs) == len(LEAVES)
    assert all(any("dac" in own.media for own in pack.left_out) for pack in packs)
