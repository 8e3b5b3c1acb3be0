"""BGP between the leaves of a network and the routers of the site."""

from __future__ import annotations

import csv
import re
from functools import cache
from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from fabricgen.views.hosts.router_sessions import router_sessions
from tests.fabrics import build_job, refusal_codes
from tests.nos.model_variants import LARGEST_OF_EOS
from tests.nos.statements import Grammar
from tests.nos.switch_files import ROUTING_FILES, render_switches
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.test_bonds import bonded
from tests.outputs.packs.test_network_switches import READERS, cluster
from tests.outputs.packs.test_nxos import SOURCES, nxos_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.switch_files import SwitchFiles

ASN = 65100
ROUTERS: dict[str, Any] = {
    "name": "edge-{n}",
    "count": 2,
    "ports": {"inband": 2},
    "edge": True,
    "bgp": {"asn": ASN, "accept": ["0.0.0.0/0", "192.168.0.0/16"]},
}
KEY = "CANARY7edge"
NEXT = "\n    "
"""The end of a line, and the next one below the same neighbor of NX-OS."""
PROTECTED = ROUTERS | {"bgp": ROUTERS["bgp"] | {"password": "env:EDGE_KEY", "bfd": True}}
SESSIONS = """
# Cisco Nexus 9000 NX-OS, Unicast Routing Configuration Guide: Configuring Basic BGP
router bgp <n:1-4294967295>
  neighbor <ip>
    remote-as <n:1-4294967295>
    description <word>
    password 0 <word>
    bfd
    address-family <ipv4|ipv6> unicast
      prefix-list <use:prefix-list> <in|out>
"""


@cache
def switches(nos: str) -> list[SwitchFiles]:
    """Render the switches of an in-band network with routers."""
    return render_switches(cluster(nos, devices=[ROUTERS]).networks["inband"])


def with_routers(plan_switches: list[SwitchFiles]) -> list[SwitchFiles]:
    """Return the leaves with routers."""
    return [one for one in plan_switches if any(port.peer_address for port in one.switch.ports)]


@pytest.mark.parametrize("nos", READERS)
def test_each_port_of_a_router_has_a_session(nos: str) -> None:
    """Its leaf has the address below that of the router, and its AS number."""
    found = with_routers(switches(nos))
    ports = [port for one in found for port in one.switch.ports if port.peer_address]
    assert len(ports) == 4
    for one in found:
        text = one.files[ROUTING_FILES[nos]]
        for port in (port for port in one.switch.ports if port.peer_address):
            assert (port.peer_device[:5], port.peer_asn) == ("edge-", ASN)
            assert port.peer_address == str(ip_interface(port.address).ip + 1)
            near = text[text.index(port.peer_address) :][:200]
            assert str(ASN) in near


@pytest.mark.parametrize("nos", READERS)
def test_all_switches_pass_on_what_is_accepted(nos: str) -> None:
    """The prefixes are in the filters of leaves and spines, and the routers in no spine."""
    for one in switches(nos):
        text = one.files[ROUTING_FILES[nos]]
        assert "192.168.0.0/16" in text
        assert "-EDGE" in text or "EDGE1" in text
        assert (str(ASN) in text) == (one in with_routers(switches(nos)))


def test_all_routers_on_a_leaf_share_the_traffic() -> None:
    """A leaf takes as many equal paths as it has links to switches, or to routers if more.

    Of twelve routers, one is on the leaves of the last hosts.
    """
    many = ROUTERS | {"count": 12}
    network = cluster("frr", devices=[many]).networks["inband"]
    found = [switch.instances[0] for switch in Views(network).switches(0)]
    assert {(len(own.fabric_ports), len(own.edge_ports), own.ecmp_paths) for own in found} == {
        (8, 0, 8),
        (8, 1, 8),
        (8, 11, 11),
        (32, 0, 32),
    }


@pytest.mark.parametrize(
    ("nos", "words"),
    [
        ("eos", "maximum-paths 2 ecmp 2"),
        ("nxos", "      maximum-paths 2"),
        ("srlinux", '"maximum-paths": 2}'),
        ("junos", "group EDGE multipath multiple-as"),
    ],
)
def test_a_vrf_has_a_path_for_each_router(nos: str, words: str) -> None:
    """Other systems take all equal paths by default."""
    every = render_switches(bonded(nos, devices=[ROUTERS]).networks["storage"])
    overlays = [(one, one.switch.overlay) for one in every]
    found = [one for one, own in overlays if own and any(each.edge_ports for each in own.vrfs)]
    assert len(found) == 2
    for one in found:
        assert words in one.files[ROUTING_FILES[nos]]


def test_a_network_without_routers_accepts_nothing_of_them() -> None:
    """Those of in-band have no ports in storage, whose filters pass on its own prefixes alone."""
    plan = cluster("frr", devices=[ROUTERS])
    accepted = {
        name: {len(each.instances[0].accepted) for each in Views(network).switches(0)}
        for name, network in plan.networks.items()
    }
    assert accepted == {"storage": {0}, "inband": {2}}


@pytest.mark.parametrize("nos", sorted(READERS.keys() - {"nxos"}))
def test_the_tools_accept_sessions_with_routers(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """On a leaf with routers and on a spine."""
    found = [*with_routers(switches(nos))[:1], switches(nos)[-1]]
    assert Verifiers(tool, oracles, tmp_path).complaints(found) == []


def test_cisco_documents_sessions_with_routers() -> None:
    """The grammar of NX-OS has each statement."""
    one = with_routers(switches("nxos"))[0]
    grammar = Grammar(SOURCES + SESSIONS, modes=True)
    assert grammar.findings(one.files["nxos.cfg"], nxos_words(one)) == []


SETTINGS = {
    "eos": [f"neighbor {{}} password 0 {KEY}\n", "neighbor {} bfd\n", "router bfd\n"],
    "frr": [f"neighbor {{}} password {KEY}\n", "neighbor {} bfd profile FABRIC\n", "bfd\n profile"],
    "junos": [f'neighbor {{}} authentication-key "{KEY}"\n', "neighbor {} bfd-liveness-detection"],
    "nvue": [
        f"neighbor {{}} password {KEY}\n",
        "neighbor {} bfd profile FABRIC\n",
        "nv set router bfd",
    ],
    "nxos": [
        f"neighbor {{}}{NEXT}remote-as {ASN}{NEXT}",
        f"description edge-1{NEXT}password 0 {KEY}{NEXT}bfd\n",
    ],
    "sonic": [
        f"neighbor {{}} password {KEY}\n",
        "neighbor {} bfd profile FABRIC\n",
        "bfd\n profile",
    ],
    "srlinux": [
        '"{}", "peer-group": "EDGE", "peer-as": 65100, "authentication": {{"keychain": "EDGE-1"}}',
        '"failure-detection": {{"enable-bfd": true, "fast-failover": true}}, "description": "edge-',
        KEY,
    ],
}
"""The key and BFD of a session in the syntax of a NOS, by the address of the router."""


@cache
def protected(nos: str) -> list[SwitchFiles]:
    """Render an in-band network whose sessions with routers have a key and BFD."""
    plan = cluster(nos, devices=[PROTECTED]).networks["inband"]
    return render_switches(plan, secrets={"env:EDGE_KEY": KEY})


@pytest.mark.parametrize("nos", READERS)
def test_sessions_with_routers_have_a_key_and_bfd(nos: str) -> None:
    """With the words of the sessions between switches; without secrets the files have no key."""
    one = with_routers(protected(nos))[0]
    address = next(port.peer_address for port in one.switch.ports if port.peer_address)
    text = one.files[ROUTING_FILES[nos]]
    for setting in SETTINGS[nos]:
        assert setting.format(address) in text
    plan = cluster(nos, devices=[PROTECTED]).networks["inband"]
    bare = with_routers(render_switches(plan, secrets={}))[0].files[ROUTING_FILES[nos]]
    assert KEY not in bare
    assert "keychain" not in bare


TTL = {
    "eos": "neighbor {} ttl maximum-hops 1\n",
    "frr": "neighbor {} ttl-security hops 1\n",
    "junos": "set protocols bgp group EDGE ttl 255\n",
    "nvue": "neighbor {} ttl-security hops 1\n",
    "nxos": f"{NEXT}ttl-security hops 1\n",
    "sonic": "neighbor {} ttl-security hops 1\n",
}
"""Protection by the TTL, by the address of the router; SR Linux has none."""


@pytest.mark.parametrize("nos", TTL)
def test_sessions_with_routers_are_protected_by_the_ttl(nos: str) -> None:
    """With the setting of the sessions between switches: on each leaf with routers."""
    addressing = LARGEST_OF_EOS | {"bgp": {"ttl_security": True}}
    plan = cluster(nos, devices=[ROUTERS], addressing=addressing)
    for one in with_routers(render_switches(plan.networks["inband"])):
        for port in (port for port in one.switch.ports if port.peer_address):
            assert TTL[nos].format(port.peer_address) in one.files[ROUTING_FILES[nos]]
    assert {session.ttl for session in router_sessions(plan)} == {255}


def carried(nos: str, routers: dict[str, Any] = ROUTERS) -> Plan:
    """Plan routers of a network that another one carries on bonds."""
    return bonded(nos, devices=(routers,))


@pytest.mark.parametrize("nos", sorted(ROUTING_FILES.keys() - {"nxos"}))
def test_the_tools_accept_keys_and_bfd_of_routers(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """In the default VRF and in that of a network with bonds.

    AVD, which renders EOS, knows no keys in clear text in a VRF, where it verifies BFD alone.
    """
    plan = carried(nos, PROTECTED).networks["storage"]
    inside = with_routers(render_switches(plan, {} if nos == "eos" else {"env:EDGE_KEY": KEY}))
    assert (KEY in inside[0].files[ROUTING_FILES[nos]]) == (nos != "eos")
    found = [with_routers(protected(nos))[0], inside[0]]
    assert Verifiers(tool, oracles, tmp_path).complaints(found) == []


@pytest.mark.parametrize("nos", ROUTING_FILES)
def test_routers_are_in_the_vrf_of_their_network(nos: str) -> None:
    """Their sessions are those of the VRF, which announces its subnet alone."""
    found = with_routers(render_switches(carried(nos).networks["storage"]))
    text = found[0].files[ROUTING_FILES[nos]]
    leaf = found[0].switch.vtep
    assert leaf is not None
    (vrf,) = [own for own in leaf.vrfs if own.edge_ports]
    assert (vrf.name, len(vrf.edge_ports)) == ("inband", 2)
    assert re.search(rf"inband-(?:SUBNET|TO-EDGE)(?:.*\n)*?.*{vrf.prefix}", text)
    assert re.search("inband-(FROM-)?EDGE", text)


@pytest.mark.parametrize("bonds", [False, True])
def test_a_table_has_the_sessions_of_routers(bonds: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    """Each line is a session of the configurations, with both of its ends."""
    plan = carried("frr") if bonds else cluster("frr", devices=[ROUTERS])
    build(build_job(plan, Packs(), ("configs", "hosts")), tmp_path / "out")
    with (tmp_path / "out/hosts/routers.csv").open(encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    addresses = (tmp_path / "out/hosts/addresses.csv").read_text(encoding="utf-8")
    assert len(rows) == 4
    for row in rows:
        text = (tmp_path / "out/configs" / row["leaf"] / "frr.conf").read_text(encoding="utf-8")
        peer = row["address"].partition("/")[0]
        assert f" neighbor {peer} remote-as {row['asn']}\n" in text
        assert f" ip address {row['leaf_address']}/31\n" in text
        assert f"router bgp {row['leaf_asn']}" in text
        assert all(f"permit {prefix}\n" in text for prefix in row["announces"].split())
        assert f"permit {row['receives']}" in text
        ends = (row["router"], row["interface"], row["network"], row["address"])
        assert ",".join((*ends, row["leaf_address"], row["leaf"], row["leaf_interface"])) in (
            addresses
        )


@pytest.mark.parametrize(
    ("change", "code"),
    [({"edge": False}, "bad-edge"), ({"bgp": {"asn": 4220000001}}, "asn-twice")],
)
def test_sessions_that_cannot_be_are_refused(change: dict[str, Any], code: str) -> None:
    """With devices that are no routers, and with an AS number of the fabric."""
    leaf = {"leaf": {"model": "sn4600c"}}
    assert refusal_codes(
        gpus=64,
        hb_domain={"gpus": 8},
        radix=64,
        networks={"inband": {"switches": leaf, "speed": "100G"}},
        devices=[{**ROUTERS, **change}],
    ) == [code]
