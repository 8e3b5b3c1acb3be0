"""Systems that are known not to set up unnumbered BGP with each other are named."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.build.interoperation import interoperation_notes
from fabricgen.build.unwritten import unwritten
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.managed import LEAVES

TWO_TIERS = {"gpus": 16, "hb_domain": {"gpus": 4}, "rails": {"tiers": 2}}


def notes(leaf: str, spine: str, **addressing: Any) -> list[str]:  # noqa: ANN401 - keys of an inventory
    """Return the notes on leaves and spines that run two systems."""
    plan = plan_of(
        **TWO_TIERS,
        switches={"leaf": LEAVES[leaf], "spine": LEAVES[spine]},
        nos={"leaf": leaf, "spine": spine},
        addressing={"mtu": 9000} | addressing,
    )
    return interoperation_notes(build_context(plan, Packs()))


@pytest.mark.parametrize(
    ("leaf", "spine", "source"),
    [
        ("junos", "sonic", "FRRouting/frr#6433"),
        ("nvue", "junos", "FRRouting/frr#6433"),
        ("frr", "eos", "FRRouting/frr#16572"),
        ("nxos", "nvue", "ironcore-dev/network-operator#581"),
    ],
)
def test_a_pair_with_a_known_fault_is_named(leaf: str, spine: str, source: str) -> None:
    """Whichever of the two is below, with the source of the fault."""
    (note,) = notes(leaf, spine)
    assert note.startswith(f"unnumbered BGP between leaf switches of {leaf} and spine switches of")
    assert source in note


@pytest.mark.parametrize("nos", ["frr", "junos", "srlinux"])
def test_one_system_has_no_such_note(nos: str) -> None:
    """Switches of one system are not compared with each other."""
    assert notes(nos, nos) == []


def test_direct_rails_have_no_switches() -> None:
    """Nor do they have notes on them."""
    plan = plan_of(
        gpus=16,
        hb_domain={"gpus": 4},
        rails={"medium": "direct", "topology": {"kind": "ring"}},
        nic={"speed": "400G", "split": "4x100G"},
        radix=8,
    )
    context = build_context(plan, Packs())
    assert interoperation_notes(context) == []
    assert list(unwritten(context)) == []


def test_hosts_that_run_frr_are_an_end_as_well() -> None:
    """Where their links are unnumbered."""
    (note,) = notes("junos", "junos", host_links="unnumbered")
    assert note.startswith("unnumbered BGP between leaf switches of junos and hosts")
    assert notes("junos", "junos", host_links="numbered") == []
