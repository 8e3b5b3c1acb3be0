"""Port layout: downlinks in low cages, uplinks in high ones, one split per cage, limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.core.terms import Role
from fabricgen.planning.port_layout import Port, PortLayout
from tests.fabrics import CATALOG, plan_of


def port_layout(model: str, down: str, up: str | None = None, nos: str = "frr") -> PortLayout:
    """Return the front of a catalog model with these splits."""
    switch = CATALOG.switch(model)
    assert switch is not None
    low, high = switch.breakout(down), switch.breakout(up or down)
    assert low is not None
    assert high is not None
    return PortLayout(Role.LEAF, switch, nos, low, high)


def seats(ports: list[Port]) -> list[tuple[int, int]]:
    """Return cage and position of each port."""
    return [(port.cage, port.sub) for port in ports]


def test_downlinks_in_low_and_uplinks_in_high_cages() -> None:
    """On a switch at full width, 32 cages face each way."""
    ports = port_layout("sn5600", "2x400G").ports(64, 64)
    assert seats(ports[:3]) == [(1, 0), (1, 1), (2, 0)]
    assert ports[63] == (32, 1, ports[0].breakout)
    assert seats(ports[64:])[0] == (33, 0)
    assert seats(ports)[-1] == (64, 1)


def test_uplinks_end_at_the_last_cage() -> None:
    """Idle ports are between the two sides."""
    box = port_layout("sn5600", "2x400G")
    used = box.ports(3, 5)
    assert seats(used) == [(1, 0), (1, 1), (2, 0), (62, 1), (63, 0), (63, 1), (64, 0), (64, 1)]
    idle = box.idle(used)
    assert seats(idle)[0] == (2, 1)
    assert seats(idle)[-1] == (62, 0)
    assert len(idle) == 128 - 8


def test_both_sides_share_a_cage_that_is_split_alike() -> None:
    """65 ports down and 63 up share cage 33, because both sides have one speed."""
    box = port_layout("sn5600", "2x400G")
    ports = box.ports(65, 63)
    assert box.fits(65, 63)
    assert not box.fits(65, 64)
    assert len(set(seats(ports))) == 128
    assert seats(ports)[64:66] == [(33, 0), (33, 1)]


def test_spare_ports_stay_free() -> None:
    """Of 128 ports with 4 spares, 124 carry links; with two splits the spares take cages."""
    whole = port_layout("sn5600", "2x400G")
    box = replace(whole, spare=4)
    assert (box.radix, box.usable) == (128, 124)
    assert box.fits(62, 62)
    assert not box.fits(62, 63)
    mixed = replace(port_layout("sn5600", "2x400G", "1x800G"), spare=4)
    assert mixed.fits(60, 32)
    assert not mixed.fits(61, 32)


@pytest.mark.parametrize(("spare", "leaves"), [(0, 1), (4, 3)])
def test_a_block_is_sized_without_spare_ports(spare: int, leaves: int) -> None:
    """128 endpoints fill one SN5600, and take two tiers where each leaf keeps four ports free."""
    switches = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
    keys = {"gpus": 1024, "hb_domain": {"gpus": 8}, "switches": switches}
    plan = plan_of(**keys, spare_ports={"leaf": spare})
    assert plan.sizing.leaf == leaves
    down, up = plan.sizing.leaf_down, plan.sizing.leaf_up
    idle = plan.fabric.port_layouts[Role.LEAF].idle(plan.ports[Role.LEAF])
    assert len(idle) == 128 - down - up >= spare


def test_cages_of_two_speeds_are_never_shared() -> None:
    """400G down use split cages, 800G up whole ones.

    64 and 32 fill the switch, and one more uplink costs a cage of two.
    """
    box = port_layout("ds5000", "2x400G", "1x800G")
    assert box.radix == 128
    assert box.fits(64, 32)
    assert not box.fits(65, 32)
    assert box.fits(62, 33)
    assert not box.fits(63, 33)
    ports = box.ports(64, 32)
    assert [port.cage for port in ports[64:]] == list(range(33, 65))
    assert {port.breakout.name for port in ports[:64]} == {"2x400G"}
    assert {port.breakout.name for port in ports[64:]} == {"1x800G"}


def test_few_uplinks_of_another_speed_take_the_highest_cages() -> None:
    """16 uplinks use cages 49 to 64 from the first on.

    The cages between stay split like the down side.
    """
    box = port_layout("ds5000", "2x400G", "1x800G")
    used = box.ports(3, 16)
    assert [port.cage for port in used[3:]] == list(range(49, 65))
    idle = box.idle(used)
    assert seats(idle)[:2] == [(2, 1), (3, 0)]
    assert {port.breakout.name for port in idle} == {"2x400G"}


def test_a_split_uplink_side_starts_at_its_lowest_cage() -> None:
    """Three uplinks on 2x400G above 800G downlinks: cages 63 and 64, and the last port is idle."""
    box = port_layout("sn5600", "1x800G", "2x400G")
    used = box.ports(2, 3)
    assert seats(used) == [(1, 0), (2, 0), (63, 0), (63, 1), (64, 0)]
    assert (64, 1) in seats(box.idle(used))


def test_cage_groups_of_the_nokia() -> None:
    """On the 7220 IXR-H5-64 only cages 1 to 32 split in four.

    They hold 128 ports, and 800G uplinks use cages above.
    """
    box = port_layout("7220-ixr-h5-64", "4x200G", "1x800G")
    assert box.radix == 128
    assert box.fits(128, 32)
    assert not box.fits(129, 32)
    assert not box.fits(128, 33)
    assert box.fits(124, 33)
    assert not box.fits(1, 65)
    ports = box.ports(128, 32)
    assert {port.cage for port in ports[:128]} == set(range(1, 33))
    assert {port.cage for port in ports[128:]} == set(range(33, 65))


def test_downlinks_and_uplinks_in_cages_of_their_own() -> None:
    """An SN2201 has 48 downlinks of 1G beside 4 uplinks of 100G; neither takes from the other."""
    box = port_layout("sn2201", "1x1G", "1x100G")
    assert box.radix == 48
    assert box.fits(48, 4)
    assert not box.fits(49, 1)
    assert not box.fits(1, 5)
    used = box.ports(48, 2)
    assert seats(used)[46:] == [(47, 0), (48, 0), (51, 0), (52, 0)]
    assert [(port.cage, port.breakout.name) for port in box.idle(used)] == [
        (49, "1x100G"),
        (50, "1x100G"),
    ]
    above = port_layout("sn2201", "1x100G", "1x1G")
    assert above.fits(4, 48)
    assert {port.cage for port in above.ports(4, 48)} == set(range(1, 53))


def test_both_sides_in_four_on_the_nokia_stay_below_cage_33() -> None:
    """Uplinks that are split like downlinks end at cage 32, and the cages above stay whole."""
    box = port_layout("7220-ixr-h5-64", "4x200G")
    used = box.ports(64, 64)
    assert max(port.cage for port in used) == 32
    assert not box.fits(65, 64)
    idle = box.idle(used)
    assert [(port.cage, port.breakout.name) for port in idle] == [
        (cage, "1x800G") for cage in range(33, 65)
    ]


@pytest.mark.parametrize(("down", "up"), [(0, 0), (1, 0), (0, 1), (7, 9), (64, 32), (128, 0)])
def test_used_and_idle_ports_are_the_whole_switch(down: int, up: int) -> None:
    """Every cage is split one way, and each of its ports is either in use or idle."""
    box = port_layout("ds5000", "2x400G", "1x800G")
    used = box.ports(down, up)
    idle = box.idle(used)
    assert len(used) == down + up
    assert set(seats(used)).isdisjoint(seats(idle))
    every = [*used, *idle]
    assert {port.cage for port in every} == set(range(1, 65))
    assert len({(port.cage, port.breakout.name) for port in every}) == 64
    assert len(every) == sum(
        breakout.count for breakout in {port.cage: port.breakout for port in every}.values()
    )


@pytest.mark.parametrize(
    ("nos", "names"),
    [
        ("frr", ["swp1s0", "swp1s1", "swp64"]),
        ("hedgehog", ["E1/1/1", "E1/1/2", "E1/64"]),
        ("sonic", ["Ethernet0", "Ethernet4", "Ethernet504"]),
    ],
)
def test_ports_have_the_names_of_the_nos(nos: str, names: list[str]) -> None:
    """One port, three names."""
    box = port_layout("ds5000", "2x400G", "1x800G", nos)
    assert [box.interface(port) for port in box.ports(2, 1)] == names


def test_links_take_the_cages_of_their_zone_from_the_first() -> None:
    """Without a zone of their own, they have the rest, and uplinks its last cages."""
    plain = port_layout("sn5600", "2x400G", "1x800G")
    both = replace(plain, down_zone=frozenset({2, 4}), up_zone=frozenset({1, 3, 5}))
    assert seats(both.ports(3, 2)) == [(2, 0), (2, 1), (4, 0), (1, 0), (3, 0)]
    assert both.radix == 4
    assert both.fits(4, 3)
    assert not both.fits(5, 0)
    assert not both.fits(0, 4)
    assert {port.cage: port.breakout.name for port in both.idle([])}[3] == "1x800G"
    up = replace(plain, up_zone=frozenset({1, 3}))
    assert seats(up.ports(3, 1)) == [(2, 0), (2, 1), (4, 0), (1, 0)]
    down = replace(plain, down_zone=frozenset({63, 64}))
    assert seats(down.ports(1, 2)) == [(63, 0), (61, 0), (62, 0)]


def test_a_network_has_zones_too() -> None:
    """Its links between leaves follow its uplinks; other speeds take the last cages of the rest."""
    leaf = {"model": "ds5000", "breakout": "4x200G", "zones": {"up": "26,28,30-32"}}
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        radix=64,
        networks={"inband": {"switches": {"leaf": leaf}, "peer_links": 2}},
        devices=[
            {"name": "box-{n}", "count": 1, "ports": {"inband": {"count": 2, "speed": "100G"}}}
        ],
    )
    ports = plan.networks["inband"].ports[Role.LEAF]
    assert seats(ports) == [(1 + at // 4, at % 4) for at in range(8)] + [(64, 0), (26, 0), (26, 1)]
