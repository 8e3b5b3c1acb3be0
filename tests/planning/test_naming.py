"""Names: defaults, padding, patterns of the user, and hostile patterns."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.core.terms import Role
from fabricgen.views.factory import Views
from tests.fabrics import plan_of, refusal_codes

DGX = {"gpus": 8}


def names(**keys: Any) -> list[str]:  # noqa: ANN401 - keys of an inventory
    """Return the name of every switch of a fabric."""
    return list(plan_of(**{"gpus": 1024, "hb_domain": DGX, "radix": 64, **keys}).switches())


def test_default_names() -> None:
    """Rails count from 0, devices from 1."""
    assert names()[:6] == [
        "r0-leaf-1",
        "r0-leaf-2",
        "r0-leaf-3",
        "r0-leaf-4",
        "r0-spine-1",
        "r0-spine-2",
    ]
    assert names()[-1] == "r7-spine-2"


def test_names_with_planes() -> None:
    """The plane follows the rail."""
    assert names(rails={"planes": 2})[6] == "r0p1-leaf-1"
    assert names(design="fat-tree", rails={"planes": 2})[0] == "p0-leaf-01"


def test_names_where_a_block_spans_rails() -> None:
    """The name of a switch that serves all rails has no rail."""
    found = names(design="rail-optimized")
    assert (found[0], found[-1]) == ("leaf-01", "spine-16")


def test_names_of_shared_leaves() -> None:
    """A leaf box of two rails has its own number in the whole fabric.

    Spines belong to a rail again.
    """
    found = names(rails={"per_switch": 2, "tiers": 2})
    assert found[:9] == [
        "leaf-01",
        "leaf-02",
        "leaf-03",
        "leaf-04",
        "leaf-05",
        "leaf-06",
        "leaf-07",
        "leaf-08",
        "r0-spine-1",
    ]
    assert len(set(found)) == len(found)


def test_padding_follows_the_reserve() -> None:
    """Numbers are padded to the width of the largest of the reserve. So growth renames nothing."""
    small = plan_of(gpus=64, reserve={"gpus": 8192}, hb_domain=DGX, radix=64)
    assert next(small.switches()) == "r0-leaf-01"
    assert small.hosts[0] == "host-0001"
    assert len(small.hosts) == 8


def test_patterns_of_the_user() -> None:
    """Every field may be in a pattern, padded as asked or unpadded."""
    patterns = {
        "leaf": "l{n:04}-rail{rail}",
        "spine": "s{rail}-{n}",
        "host": "rack{domain}-tray{host:02}",
    }
    plan = plan_of(
        gpus=144,
        hb_domain={"gpus": 72, "hosts": 18},
        radix=64,
        naming=patterns,
        rails={"tiers": 2, "count": 4},
    )
    assert list(plan.switches())[:2] == ["l0001-rail0", "l0002-rail0"]
    assert "s3-1" in plan.switches()
    assert (plan.hosts[0], plan.hosts[17], plan.hosts[18]) == (
        "rack0-tray01",
        "rack0-tray18",
        "rack1-tray01",
    )


@pytest.mark.parametrize(
    "pattern",
    [
        *("{n.__class__}", "{n.__class__.__mro__}", "{rail.real}", "{n[0]}", "{n!r}"),
        *("{n:>9999999}", "{n:{n}}", "{n:099}", "{n:00}", "{n:%s}", "{n:02x}"),
        *("{}", "{0}", "{N}", "{fabric}", "{host}", "{ n }", "{self}", "{__builtins__}"),
        *("leaf-{", "leaf-}"),
    ],
)  # fmt: skip
def test_hostile_patterns_are_refused(pattern: str) -> None:
    """A pattern reaches the plain fields of a switch and no attributes of them."""
    assert refusal_codes(gpus=64, hb_domain=DGX, radix=64, naming={"leaf": pattern}) == [
        "bad-name-pattern"
    ]


@pytest.mark.parametrize(
    "pattern", ["{rail}", "{plane}", "{domain.bit_length}", "{host:1000}", "{n:>9999999}", "host-{"]
)
@pytest.mark.parametrize("exclude", [[], ["host-1"]])
def test_hosts_have_other_fields(pattern: str, exclude: list[str]) -> None:
    """A host is on all rails, so its name has none; names of excluded hosts are not made before."""
    keys = {"naming": {"host": pattern}, "exclude": exclude}
    assert refusal_codes(gpus=64, hb_domain=DGX, radix=64, **keys) == ["bad-name-pattern"]


def test_every_bad_pattern_is_reported() -> None:
    """Findings of one phase are reported together."""
    bad = {"leaf": "{x}", "spine": "{", "host": "{rail}"}
    assert refusal_codes(gpus=64, hb_domain=DGX, radix=64, naming=bad) == ["bad-name-pattern"] * 3


@pytest.mark.parametrize(
    "pattern",
    [
        "{{n}}",
        "Leaf-{rail}-{n}",
        "-{rail}-{n}",
        "{rail}-{n}-",
        "r{rail} {n}",
        "../{rail}-{n}",
        "r{rail}_{n}",
        "l" * 61 + "{rail}-{n}",
    ],
)
def test_names_that_dns_cannot_hold(pattern: str) -> None:
    """At most 63 of a-z, 0-9 and hyphen; a name cannot contain a path."""
    assert (
        refusal_codes(gpus=64, hb_domain=DGX, radix=64, naming={"leaf": pattern})[0]
        == "illegal-name"
    )


@pytest.mark.parametrize(
    "naming",
    [
        {"leaf": "leaf-{n}"},
        {"leaf": "same"},
        {"host": "host-{host}"},
        {"leaf": "x{rail}-{n}", "spine": "x{rail}-{n}"},
        {"host": "r{n:01}-leaf-1"},
    ],
)
def test_duplicate_names(naming: dict[str, str]) -> None:
    """Names are unique among switches, among hosts, and over both."""
    assert refusal_codes(gpus=1024, hb_domain=DGX, radix=64, naming=naming) == ["name-twice"]


def test_host_ports_follow_the_chassis() -> None:
    """Each twin cage of a DGX H100 has two rails.

    Its printed name differs from those of Linux and InfiniBand.
    """
    ethernet = plan_of(
        gpus=64, hb_domain=DGX, host={"model": "dgx-h100"}, switches={"leaf": {"model": "sn5600"}}
    )
    infiniband = plan_of(
        gpus=64, hb_domain=DGX, host={"model": "dgx-h100"}, switches={"leaf": {"model": "qm9700"}}
    )
    labels = [ethernet.naming.label(gpu, 0) for gpu in range(8)]
    assert labels == [
        "OSFP4P2",
        "OSFP3P2",
        "OSFP3P1",
        "OSFP4P1",
        "OSFP1P2",
        "OSFP2P2",
        "OSFP2P1",
        "OSFP1P1",
    ]
    cages = {
        cage: {gpu for gpu, label in enumerate(labels) if label.startswith(cage)}
        for cage in ("OSFP1", "OSFP2", "OSFP3", "OSFP4")
    }
    assert cages == {"OSFP1": {4, 7}, "OSFP2": {5, 6}, "OSFP3": {1, 2}, "OSFP4": {0, 3}}
    assert (ethernet.naming.interface(0, 0), infiniband.naming.interface(0, 0)) == (
        "enp24s0np0",
        "ibp24s0",
    )
    first = Views(ethernet).cables(5)[0]
    assert (first.rail, first.a_device, first.a_interface, first.a_port) == (
        "5",
        "host-1",
        "enp192s0np0",
        "OSFP2P2",
    )


def test_host_ports_without_a_chassis() -> None:
    """Where no host model is given, ports are called by GPU and plane."""
    plan = plan_of(gpus=64, hb_domain=DGX, radix=64)
    assert (plan.naming.interface(3, 0), plan.naming.label(3, 0)) == ("nic3", "nic3")
    assert (
        plan_of(gpus=64, hb_domain=DGX, radix=64, rails={"planes": 2}).naming.interface(3, 1)
        == "nic3p1"
    )


def test_switches_of_a_unit_are_listed_leaves_first() -> None:
    """The order is shared leaves, then each block's spines and cores."""
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=16, rails={"per_switch": 2})
    roles = [(box.role, box.block) for box in plan.naming.boxes]
    assert roles[0] == (Role.LEAF, -1)
    assert roles == sorted(
        roles, key=lambda item: (max(item[1], 0) if item[0] is not Role.LEAF else -1, item[0].tier)
    )
