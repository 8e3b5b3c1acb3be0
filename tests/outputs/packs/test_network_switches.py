"""The switches of the networks beside compute, read back from their files, for each NOS."""

from __future__ import annotations

import re
from functools import cache
from ipaddress import ip_network
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.preconditions import check_buildable
from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.fabrics import build_job, plan_of, refusal_codes
from tests.nos import eos, frr, junos, nvue, nxos, sonic, srlinux
from tests.nos.fabric import fabric, findings
from tests.nos.model_variants import LARGEST_OF_EOS, MODELS
from tests.nos.switch_files import render_switches
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.test_nxos import NXOS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.frr import Box
    from tests.nos.switch_files import SwitchFiles

READERS: dict[str, Callable[[Mapping[str, str]], Box]] = {
    "eos": lambda files: eos.read(files["startup-config.cfg"]),
    "frr": lambda files: frr.read(files["frr.conf"], files["interfaces"]),
    "junos": lambda files: junos.read(files["junos.set"]),
    "nvue": lambda files: nvue.read(files["commands.txt"]),
    "nxos": lambda files: nxos.read(files["nxos.cfg"]),
    "sonic": lambda files: sonic.read(files["config_db.json"], files["frr.conf"]),
    "srlinux": lambda files: srlinux.read(files["config.json"]),
}
LOSSLESS = {
    "eos": "service-profile ROCE",
    "frr": "dcb pfc set",
    "junos": "congestion-notification-profile",
    "nvue": "roce mode lossless",
    "nxos": "pause pfc-cos",
    "sonic": "PORT_QOS_MAP",
    "srlinux": "pfc-mapping-profile",
}
"""What the files of a switch have where it has the lossless class."""


def cluster(nos: str, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a fabric with a storage and an in-band network, all of one model and NOS."""
    leaf = {"leaf": {"model": MODELS[nos], "breakout": "2x400G"}}
    # a tenth of the ports alone is filled, so that spines join several pairs of leaves
    own = {"switches": leaf, "nos": nos, "uplinks": 8, "fill": 10}
    inventory: dict[str, Any] = {
        "gpus": 128,
        "hb_domain": {"gpus": 4},
        "design": "rail-optimized",
        "nos": nos,
        "switches": leaf,
        "addressing": LARGEST_OF_EOS,
        "networks": {"storage": own, "inband": own},
    }
    return plan_of(**inventory | keys)


@cache
def switches(nos: str) -> dict[str, list[SwitchFiles]]:
    """Render the switches of each network."""
    plan = cluster(nos)
    plans = {COMPUTE: plan, **plan.networks}
    return {name: render_switches(each) for name, each in plans.items()}


@cache
def boxes(nos: str) -> dict[str, list[Box]]:
    """Read them back."""
    return {
        name: [READERS[nos](one.files) for one in found] for name, found in switches(nos).items()
    }


@pytest.mark.parametrize("nos", READERS)
def test_all_networks_are_one_consistent_set_of_configurations(nos: str) -> None:
    """Names, addresses and cables occur once over all networks, and both ends agree."""
    found = boxes(nos)
    every = [box for own in found.values() for box in own]
    assert findings(fabric(every)) == []
    assert len({box.name for box in every}) == len(every)


def crossings(found: dict[str, list[Box]]) -> list[str]:
    """Find sessions that join two networks, and filters that pass addresses of another network."""
    of_box = {box.name: name for name, own in found.items() for box in own}
    every = fabric([box for own in found.values() for box in own])
    joined = [{of_box[name] for name, _ in link} for link in every.between()]
    crossed = [f"a link joins {' and '.join(sorted(names))}" for names in joined if len(names) > 1]
    for one, other in permutations(found, 2):
        passed = {
            permit.network
            for box in found[one]
            for instance in box.instances.values()
            for permits in instance.filters.values()
            for permit in permits
        }
        addresses = {at.ip for box in found[other] for at in box.loopbacks.values()}
        addresses |= {
            port.address.ip for box in found[other] for port in box.ports.values() if port.address
        }
        crossed += [
            f"{one} passes {prefix}, which {other} has"
            for prefix in sorted(map(str, passed))
            if any(at in ip_network(prefix) for at in addresses)
        ]
    return crossed


@pytest.mark.parametrize("nos", READERS)
def test_no_network_has_a_route_to_another(nos: str) -> None:
    """No session joins two networks, and no filter passes an address of another network."""
    assert crossings(boxes(nos)) == []


@pytest.mark.parametrize(
    ("good", "bad", "crossing"),
    [
        (r"match 10\.0\.\S+ ", "match 10.0.0.0/8 ", "compute passes 10.0.0.0/8, which inband has"),
        (r'"host-0*1:\S+', '"storage-spine-1:swp1', "a link joins compute and storage"),
    ],
)
def test_a_route_to_another_network_is_found(good: str, bad: str, crossing: str) -> None:
    """A filter that is too wide, and a cable to a switch of another network."""
    first, *_ = switches("nvue")[COMPUTE]
    text, edits = re.subn(good, bad, first.files["commands.txt"])
    assert edits
    found = boxes("nvue")
    assert crossing in crossings({**found, COMPUTE: [nvue.read(text), *found[COMPUTE][1:]]})


@pytest.mark.parametrize("nos", sorted(READERS.keys() - {"nxos"}))
def test_the_tools_accept_the_switches_of_networks(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """The tools of each system accept switches without the lossless class as well."""
    verifiers = Verifiers(tool, oracles, tmp_path)
    found = [switches(nos)[name][at] for name in ("storage", "inband") for at in (0, -1)]
    assert verifiers.complaints(found) == []


@pytest.mark.parametrize("nos", READERS)
def test_storage_is_lossless_and_inband_is_not(nos: str) -> None:
    """RoCE may cross the storage network; the in-band network has no class for it."""
    for name, found in switches(nos).items():
        texts = [text for one in found for text in one.files.values() if LOSSLESS[nos] in text]
        assert bool(texts) == (name != "inband")


MANAGED = {
    "pool": "10.90.0.0/24",
    "ntp": ["10.90.0.123"],
    "users": [{"name": "ops", "key": KEY_EXAMPLE}],
}


def test_the_switches_of_all_networks_have_management_addresses_of_one_pool() -> None:
    """Each network has a part of it, so that no address changes when another one grows."""
    pinned = MANAGED | {"addresses": {"storage-leaf-2": "10.90.0.250"}}
    plan = cluster("nvue", management=pinned)
    found = {
        name: [
            one.switch.management.address for one in render_switches(each) if one.switch.management
        ]
        for name, each in {COMPUTE: plan, **plan.networks}.items()
    }
    every = [address for own in found.values() for address in own]
    assert len(set(every)) == len(every)
    assert found[COMPUTE][0] == "10.90.0.2"
    assert found["storage"][:3] == ["10.90.0.128", "10.90.0.250", "10.90.0.130"]
    assert found["inband"][0] == "10.90.0.160"


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("storage", "host_pool", "10.0.0.0/16"),
        ("inband", "loopback_pool", "10.192.0.0/20"),
    ],
)
def test_networks_with_one_pool_are_refused(name: str, key: str, value: str) -> None:
    """No address may be in two networks."""
    leaf = {"leaf": {"generic": {"radix": 64}}}
    networks: dict[str, dict[str, Any]] = {
        "storage": {"switches": leaf, "addressing": {}},
        "inband": {"switches": leaf, "addressing": {}},
    }
    networks[name]["addressing"] = {key: value}
    keys = {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": leaf}
    assert refusal_codes(**keys, networks=networks) == ["pools-overlap"]


def test_cisco_documents_the_statements_of_networks() -> None:
    """The grammar of NX-OS has each, with the lossless class and without."""
    for name in ("storage", "inband"):
        assert NXOS.findings(switches("nxos")[name][0]) == []


@pytest.mark.parametrize("nos", READERS)
def test_leaves_of_a_pair_have_sessions_over_their_links(nos: str) -> None:
    """Without spines, each learns the addresses of the other over the links between them."""
    leaf = {"leaf": {"model": MODELS[nos], "breakout": "2x400G"}}
    inband = {"switches": leaf, "nos": nos, "peer_links": 2}
    pair = cluster(nos, networks={"inband": inband}).networks["inband"]
    found = fabric([READERS[nos](one.files) for one in render_switches(pair)])
    assert findings(found) == []
    assert len(found.between()) == 2
    neighbors = [{*box.instances[""].neighbours.values()} for box in found.boxes.values()]
    assert neighbors == [{"FABRIC"}, {"FABRIC"}]


def test_what_is_left_to_the_site_is_listed() -> None:
    """Uplinks of access switches, routers of the site, and networks on the switches of another."""
    leaf = {"leaf": {"model": "sn4600c"}}
    plan = cluster(
        "nvue",
        networks={
            "inband": {"switches": leaf, "speed": "100G", "carries": ["storage"]},
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "uplink": {}},
        },
        devices=[{"name": "router-{n}", "count": 2, "edge": True, "ports": {"inband": 2}}],
    )
    skipped = build_job(plan, Packs(), ("configs",)).skipped
    for words in ("the uplinks of oob", "VRFs for storage on", "BGP to router-{n}"):
        assert any(reason.startswith(words) for reason in skipped)


def test_uplinks_that_no_leaf_is_configured_with_are_listed() -> None:
    """Those of leaves that route are cabled to compute, and in none of their files."""
    leaf = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "leaves": 2}
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        design="rail-optimized",
        rails={"per_switch": 4, "tiers": 2},
        switches={
            "leaf": {"model": "ds5000", "breakout": "2x400G"},
            "spine": {"model": "ds5000", "breakout": "1x800G", "minimum": 2},
        },
        networks={"storage": leaf | {"uplink": {"network": "compute", "speed": "100G"}}},
    )
    skipped = build_job(plan, Packs(), ("configs",)).skipped
    (listed,) = (reason for reason in skipped if reason.startswith("the uplinks of storage"))
    assert "no addresses and no BGP" in listed
    rendered = render_switches(plan.networks["storage"])
    texts = {one.switch.name: one.files["commands.txt"] for one in rendered}
    cables = Views(plan.networks["uplinks"], kept=True).cables(0)
    uplinks = [(each.a_device, each.a_interface) for each in cables if each.a_device in texts]
    assert len(uplinks) == 2 * len(texts)
    assert not any(f" {interface} " in texts[name] for name, interface in uplinks)


def test_overrides_name_the_network_of_their_switches(tmp_path: Path) -> None:
    """Without one, an override is for switches of compute alone."""
    text = "nv set system reboot mode cold"
    place = "commands.txt:after"
    plan = cluster(
        "nvue",
        overrides=[
            {"match": {"network": "inband", "role": "spine"}, "place": place, "text": text},
            {"match": {"name": "*"}, "place": place, "text": "nv set system wjh enable on"},
        ],
    )
    check_buildable(plan, Packs())
    build(build_job(plan, Packs(), ("configs",)), tmp_path / "out")
    configs = tmp_path / "out" / "configs"
    having = {
        file.parent.name for file in configs.glob("*/commands.txt") if text in file.read_text()
    }
    assert having == {name for name in plan.networks["inband"].switches() if "spine" in name}
    of_compute = {
        file.parent.name for file in configs.glob("*/commands.txt") if "wjh" in file.read_text()
    }
    assert of_compute == {*plan.switches()}
    rows = (configs / "overrides.csv").read_text().splitlines()[1:]
    assert len(rows) == len(having) + len(of_compute)


def test_an_override_for_no_switch_of_its_network_is_refused() -> None:
    """Its other values are compared within the network."""
    plan = cluster("nvue", overrides=[{"match": {"network": "oob"}, "text": "nv set x"}])
    with pytest.raises(Refusal) as refused:
        check_buildable(plan, Packs())
    (finding,) = refused.value.findings
    assert finding.code == "unmatched-override"
    assert "inband" in (finding.hint or "")
