"""Uplinks of access switches on spines of the compute fabric: where they are, and their VRF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.terms import Role
from fabricgen.outputs.dcim.bonds import Bonds
from fabricgen.outputs.dcim.cluster_interfaces import ClusterInterfaces
from fabricgen.views.factory import Views
from tests.fabrics import cables_of, plan_of, refusal_codes

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView

SPINES: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"per_switch": 4, "tiers": 2},
    "nic": {"speed": "400G"},
    "switches": {
        "leaf": {"model": "ds5000", "breakout": "2x400G"},
        "spine": {"model": "ds5000", "breakout": "1x800G", "minimum": 4},
    },
}
"""Two leaves below four spines with service cages."""

OOB: dict[str, Any] = {
    "switches": {"leaf": {"model": "s3248t-on"}},
    "speed": "1G",
    "leaves": 4,
    "uplink": {"network": "compute", "speed": "10G"},
}


def managed(base: dict[str, Any] = SPINES, **keys: Any) -> Plan:  # noqa: ANN401 - keys of a network
    """Plan a fabric with four out-of-band switches; `keys` are those of their network."""
    return plan_of(**base, networks={"oob": OOB | keys})


def ends(plan: Plan) -> list[str]:
    """List both ends of the uplinks."""
    cables = cables_of(plan.networks["uplinks"])
    return sorted(
        f"{each.a_device} {each.a_interface} {each.b_device} {each.b_port}" for each in cables
    )


def test_uplinks_are_on_as_many_spines() -> None:
    """Each pair of spines has two of the four switches, in its service cages; two need one pair."""
    assert {end.split()[2] for end in ends(managed(leaves=2))} == {"spine-1", "spine-2"}
    assert ends(managed()) == [
        f"oob-{n} swp{cage} spine-{spine} {65 + (n - 1) % 2}"
        for n in range(1, 5)
        for cage, spine in zip((51, 52), ((1, 2) if n < 3 else (3, 4)), strict=True)
    ]


def test_uplinks_are_on_leaves_without_spines() -> None:
    """Rails of one leaf each have none; the first two leaves have the uplinks."""
    base = SPINES | {"design": "rail-only", "rails": {"per_switch": 4}}
    assert {end.split()[2] for end in ends(managed(base, leaves=2))} == {"leaf-1", "leaf-2"}


def test_every_law_holds() -> None:
    """Also where an uplink is at the speed of other cages."""
    assert check(managed()).ok
    fast = OOB["switches"] | {"leaf": {"model": "sn2201"}}
    plan = managed(switches=fast, uplink={"network": "compute", "speed": "100G"})
    assert {end.split()[-1] for end in ends(plan)} <= {
        f"{cage}/{sub}" for cage in range(64) for sub in range(1, 9)
    }
    assert check(plan).ok


def test_spines_have_the_uplinks_in_a_vrf() -> None:
    """No route of compute is in it, and each port has an address of a pool of its own."""
    spine = next(Views(managed()).switches(0, (Role.SPINE,)))
    compute, uplinks = spine.instances
    assert (uplinks.vrf, uplinks.fabric_ports) == ("uplinks", [])
    assert [(each.interface, each.peer_device, each.address) for each in uplinks.own_ports] == [
        ("swp65", "oob-1", "10.252.0.0/31"),
        ("swp66", "oob-2", "10.252.0.2/31"),
    ]
    assert not {each.interface for each in compute.own_ports} & {"swp65", "swp66"}


def test_netbox_has_the_service_cages_in_use() -> None:
    """Both ends are interfaces of their speed; idle service cages are not listed."""
    plan = managed()
    rows = [*ClusterInterfaces([Views(each) for each in plan.cluster], Bonds(plan, {})).rows()]
    found = {
        (row.device, row.name): row.speed_kbps
        for row in rows
        if row.description.startswith("uplinks")
    }
    assert found["spine-1", "swp65"] == 10_000_000
    assert found["oob-1", "swp51"] == 10_000_000
    assert len(found) == 2 * len(ends(plan))


def no_vrf(spine: SwitchView) -> None:
    """Take the VRF away."""
    spine.instances.pop()


def in_compute(spine: SwitchView) -> None:
    """Route an uplink in the table of compute."""
    spine.instances[0].host_ports.append(spine.instances[-1].host_ports.pop())


@pytest.mark.parametrize("fault", [no_vrf, in_compute])
def test_the_law_of_routes_sees_the_vrf_of_spines(fault: Callable[[SwitchView], None]) -> None:
    """An uplink beside the routes of compute breaks it."""
    plan = managed()
    views = Views(plan, kept=True)
    fault(next(views.switches(0, (Role.SPINE,))))
    codes = [each.law.code for each in check(plan, views).judgements if each.ok is False]
    assert codes == ["routes-apart"]


@pytest.mark.parametrize(
    ("base", "keys", "code"),
    [
        (SPINES, {"leaves": 12}, "no-free-ports"),
        (SPINES, {"uplink": {"network": "compute", "speed": "40G"}}, "no-uplink-speed"),
        (SPINES | {"addressing": {"host_links": "unnumbered"}}, {}, "bad-convergence"),
        (
            SPINES | {"switches": {"leaf": {"generic": {"radix": 64}}}},
            {},
            "no-uplink-speed",
        ),
    ],
)
def test_what_has_no_ports_is_refused(
    base: dict[str, Any], keys: dict[str, Any], code: str
) -> None:
    """Two service cages of four spines have eight uplinks, and other spines have none."""
    assert refusal_codes(**base, networks={"oob": OOB | keys}) == [code]
