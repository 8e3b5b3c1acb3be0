"""BGP over the uplinks between two networks whose leaves route."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_interface
from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.checks.cluster_evidence import cluster_evidence
from fabricgen.analysis.checks.laws import check
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.network_edges import accepted_prefixes
from fabricgen.views.hosts.network_ports import network_ports
from fabricgen.views.hosts.router_sessions import router_sessions
from tests.fabrics import plan_of
from tests.nos.statements import Grammar
from tests.nos.switch_files import ROUTING_FILES, render_switches
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.test_bonds import BOND_SWITCHES
from tests.outputs.packs.test_edges import ROUTERS, SESSIONS
from tests.outputs.packs.test_network_switches import READERS, cluster
from tests.outputs.packs.test_nxos import SOURCES, nxos_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.switch_files import SwitchFiles

KEY = "CANARY7fabric"


@cache
def joined(nos: str, *, bonds: bool = False) -> Plan:
    """Plan storage with uplinks into an in-band network that has routers of the site."""
    of_nos = cluster(nos).spec.networks
    assert of_nos.storage
    own = of_nos.storage.model_dump(mode="json", exclude_none=True)
    lacp = {"bonding": "lacp", **BOND_SWITCHES.get(nos, {})} if bonds else {}
    storage = own | lacp | {"uplink": {"network": "inband"}}
    devices = [ROUTERS, {"name": "target-{n}", "count": 2, "ports": {"storage": 2}}]
    return cluster(nos, networks={"storage": storage, "inband": own | lacp}, devices=devices)


@cache
def leaves(nos: str, *, bonds: bool = False) -> dict[str, list[SwitchFiles]]:
    """Render the leaves of both networks that have uplinks to each other."""
    return {
        name: [
            one
            for one in render_switches(network, secrets={"env:KEY": KEY})
            if any(port.uplink for port in one.switch.router_ports)
        ]
        for name, network in joined(nos, bonds=bonds).networks.items()
    }


@pytest.mark.parametrize("bonds", [False, True])
@pytest.mark.parametrize("nos", READERS)
def test_both_ends_of_an_uplink_have_a_session(nos: str, *, bonds: bool) -> None:
    """Each has the address and the AS number of the other, and accepts its devices alone."""
    found = leaves(nos, bonds=bonds)
    every = {one.switch.name: one for network in found.values() for one in network}
    ports = [
        (one, port) for one in every.values() for port in one.switch.router_ports if port.uplink
    ]
    storage = found["storage"]
    assert len(ports) == 4 * len(storage)
    pools = {"storage": "10.192.", "inband": "10.208."}
    for one, port in ports:
        text = one.files[ROUTING_FILES[nos]]
        far = every[port.peer_device]
        other = next(
            each for each in far.switch.router_ports if each.interface == port.peer_interface
        )
        assert other.peer_device == one.switch.name
        assert str(ip_interface(other.address).ip) == port.peer_address
        assert port.peer_asn == far.switch.asn
        assert str(far.switch.asn) in text[text.index(port.peer_address) :]
        (network,) = (name for name in pools if far.switch.name.startswith(name))
        (vrf,) = one.switch.vtep.vrfs if one.switch.vtep else one.switch.instances
        (prefix,) = (each.prefix for each in vrf.accepted if each.uplink)
        assert prefix.startswith(pools[network]) or bonds
        assert "UPLINKS" in text
        assert prefix in text


@pytest.mark.parametrize("nos", sorted(READERS.keys() - {"nxos"}))
def test_the_tools_accept_uplinks(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """On a leaf of either network, with and without bonds of LACP."""
    every = (leaves(nos, bonds=bonds) for bonds in (False, True))
    found = [one for networks in every for one, *_ in networks.values()]
    assert Verifiers(tool, oracles, tmp_path).complaints(found) == []


def test_cisco_documents_uplinks() -> None:
    """The grammar of NX-OS has each statement of both ends."""
    grammar = Grammar(SOURCES + SESSIONS, modes=True)
    for one, *_ in leaves("nxos").values():
        assert grammar.findings(one.files["nxos.cfg"], nxos_words(one)) == []


@pytest.mark.parametrize("bonds", [False, True])
def test_a_device_without_a_port_in_the_other_network_has_a_route_there(*, bonds: bool) -> None:
    """By its ports in storage; a host with ports in both has its default route by in-band."""
    plan = joined("frr", bonds=bonds)
    accepted = accepted_prefixes(plan.networks["storage"])["storage"]
    (inband,) = (own.prefix for own in accepted if own.uplink)
    ports = [port for port in network_ports(plan) if port.network == "storage"]
    found = {
        name: [
            [route.destination for route in port.routes] for port in ports if port.device == name
        ]
        for name in ("target-1", plan.hosts[0])
    }
    assert [inband in prefixes for prefixes in found["target-1"]] == [True, True]
    assert [inband in prefixes for prefixes in found[plan.hosts[0]]] == [False, False]


def test_growth_keeps_the_addresses_of_uplinks() -> None:
    """Also where devices come before the leaves on the network above."""
    leaf = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "peer_links": 2}
    networks = {"storage": leaf | {"uplink": {"network": "inband"}}, "inband": leaf}
    old, new = (
        plan_of(gpus=gpus, hb_domain={"gpus": 8}, radix=64, networks=networks) for gpus in (64, 256)
    )
    ends = [
        {
            (port.device, port.interface): (port.address, port.switch_interface)
            for port in network_ports(plan)
            if port.device in {*old.networks["storage"].switches()}
        }
        for plan in (old, grow(old, new.spec, new.catalog), new)
    ]
    assert len(ends[0]) == 4
    assert ends[0] == ends[1] != ends[2]


def test_uplinks_are_none_of_the_sites_sessions() -> None:
    """The list for the operators of routers has these alone, and no prefix of storage."""
    sessions = [*router_sessions(joined("frr"))]
    assert {each.router for each in sessions} == {"edge-1", "edge-2"}
    assert {each.announces for each in sessions} == {"0.0.0.0/0 192.168.0.0/16"}
    assert check(joined("frr")).ok
    assert cluster_evidence(joined("frr")).joined
