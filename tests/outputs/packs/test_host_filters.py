"""A host may announce its own address and no other, on every NOS.

The addresses that ports accept are read from the files of switches, and those that hosts announce
from the files of hosts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

import pytest

from fabricgen.views.hosts.build import Hosts
from tests.fabrics import plan_of
from tests.nos import eos, frr, junos, nvue, nxos, sonic, srlinux
from tests.nos.fabric import Fabric, announced_addresses, fabric, findings
from tests.nos.switch_files import PACKS, render_switches

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from tests.nos.fabric import Seat
    from tests.nos.frr import Box
    from tests.nos.switch_files import SwitchFiles

MODELS = {
    "eos": "7060x6-64pe",
    "frr": "generic",
    "junos": "qfx5240",
    "nvue": "sn5600",
    "nxos": "n9364e-sg2",
    "sonic": "sn5600",
    "srlinux": "7220-ixr-h5-64",
}
"""A switch model for each NOS."""


def _read(one: SwitchFiles) -> Box:
    """Read the files of a switch with the reader of its NOS."""
    files = one.files
    match one.switch.nos:
        case "frr":
            return frr.read(files["frr.conf"], files["interfaces"])
        case "sonic":
            return sonic.read(files["config_db.json"], files["frr.conf"])
        case "eos":
            return eos.read(files["startup-config.cfg"])
        case "junos":
            return junos.read(files["junos.set"])
        case "nvue":
            return nvue.read(files["commands.txt"])
        case "nxos":
            return nxos.read(files["nxos.cfg"])
        case _:
            return srlinux.read(files["config.json"])


@cache
def planned(nos: str, *, shared: bool = False) -> Plan:
    """Plan unnumbered hosts of two rails, each on its own switches or on shared ones."""
    real = {"model": MODELS[nos], "breakout": "2x400G"}
    return plan_of(
        gpus=16,
        hb_domain={"gpus": 2},
        rails={"per_switch": 2 if shared else 1},
        addressing={"host_links": "unnumbered"},
        switches={"leaf": real if nos != "frr" else {"generic": {"radix": 16}}},
        nos=nos,
    )


@cache
def built(nos: str, *, shared: bool = False) -> Fabric:
    """Read the switches of the plan back."""
    return fabric([_read(one) for one in render_switches(planned(nos, shared=shared))])


def announced(plan: Plan) -> dict[Seat, IPv4Network]:
    """Return the address that FRR of each host announces, by leaf and port."""
    found = {}
    for host in Hosts(plan).views(range(len(plan.hosts))):
        text = PACKS.render("host-frr", "frr.conf.j2", host=host)
        ends = dict(re.findall(r"^interface (\S+)\n description (\S+) ", text, re.MULTILINE))
        own = dict(re.findall(r"prefix-list (\S+)-own seq 10 permit (\S+)", text))
        for nic, prefix in own.items():
            leaf, port = ends[nic].split(":", 1)
            assert f" neighbor {nic} prefix-list {nic}-own out" in text
            found[leaf, port] = IPv4Network(prefix)
    return found


def test_every_nos_has_a_model() -> None:
    """The packs of switches are those below."""
    packs = (PACKS.pack(name) for name in PACKS.names())
    assert {pack.nos for pack in packs if pack and pack.configures_fabric} == set(MODELS)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("nos", MODELS)
def test_a_port_accepts_the_address_of_its_host_alone(nos: str, *, shared: bool) -> None:
    """The address of its host is accepted, and that of any other host is refused."""
    accepted = dict(announced_addresses(built(nos, shared=shared)))
    assert accepted == announced(planned(nos, shared=shared))
    assert len(accepted) == len(set(accepted.values())) == 16


@pytest.mark.parametrize("nos", MODELS)
def test_a_filter_of_the_rail_is_found(nos: str) -> None:
    """A port that accepts every address of the rail, or that of a neighbour, is named."""
    good = built(nos)
    box = next(box for box in good.boxes.values() if "-leaf-" in box.name)
    instance = box.instances[""]
    first, second = list(instance.neighbours)[:2]
    for other in (instance.filters["HOSTS out"], instance.filters[f"{second} in"]):
        filters = {**instance.filters, f"{first} in": other}
        broken = replace(box, instances={"": replace(instance, filters=filters)})
        assert any(first in found for found in findings(Fabric({**good.boxes, box.name: broken})))
    assert findings(good) == []
