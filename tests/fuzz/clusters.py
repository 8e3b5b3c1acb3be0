"""Clusters with networks beside compute, devices on them and management; all are small.

Owns the campaign `clusters`: what is done with any fabric is done with a drawn cluster, and then it
grows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.outputs.groups import GROUPS
from tests.fuzz.fabrics import EXTRAS, questions, search_fabrics
from tests.fuzz.program import Case, execute, faults
from tests.laws.drawing import Inventory, inventories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Session = tuple[Inventory, list[tuple[str, ...]], tuple[str, ...]]
GROWN = "grown.yaml"

LEAVES: tuple[tuple[Inventory, str], ...] = (
    ({"generic": {"radix": 8}}, "400G"),
    ({"generic": {"radix": 16}}, "400G"),
    ({"generic": {"radix": 64}}, "400G"),
    ({"model": "sn5600", "breakout": "2x400G"}, "400G"),
    ({"model": "sn5600", "breakout": "4x200G"}, "200G"),
    ({"model": "sn4600c"}, "100G"),
    ({"model": "qm9700"}, "400G"),
    ({"model": "7220-ixr-h5-64", "breakout": "4x200G"}, "200G"),
    ({"model": "qfx5240", "breakout": "2x400G"}, "400G"),
)
"""Leaves, and a speed of their ports."""
ACCESS: tuple[Inventory, ...] = (
    {"model": "sn2201"},
    {"generic": {"radix": 24}},
    {"model": "ex4400-48t"},
    {"model": "7220-ixr-d1"},
)
SPEEDS = ("100G", "200G", "400G", "1G")
COMPUTE: tuple[Inventory, ...] = (
    {"switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}}},
    {"switches": {"leaf": {"generic": {"radix": 64}}}},
    {"switches": {"leaf": {"model": "qm9700"}}, "host": {"model": "dgx-h100"}},
    {"switches": {"leaf": {"generic": {"radix": 16}}}, "nos": "frr"},
    {
        "switches": {"leaf": {"model": "7060x6-64pe", "breakout": "2x400G"}},
        "addressing": {"mtu": 9214},
    },
)
KEYS: dict[str, tuple[Any, ...]] = {
    "uplinks": (1, 2, 4, 8),
    "oversubscription": ("2:1", "4:3", "1:2"),
    "fill": (50, 80, 85),
    "leaves": (1, 2, 4, 6),
    "host_ports": (0, 1, 2, 3, 4),
    "switch_ports": (0, 1, 2),
    "distribution": ("alternating", "consecutive"),
    "per": ("domain", "cluster"),
    "bond": (1, 2),
    "bonding": ("lacp", "routed"),
    "peer_links": (1, 2),
    "vlan": (200, 300, 310),
    "nos": ("frr", "sonic", "eos", "nvue", "junos", "srlinux", "nxos"),
    "lossless": (True, False),
    "speed": SPEEDS,
    "kind": ("clos", "access"),
    "uplink": (
        {"network": "inband"},
        {"network": "inband", "ports": 1},
        {"network": "storage", "ports": 3, "speed": "100G"},
        {"network": "compute", "speed": "10G"},
        {"network": "inband", "ports": 4, "speed": "100G"},
    ),
    "carries": (["inband"], ["storage"], [{"network": "inband", "vlan": 310}]),
    "leaf_groups": (
        [{"devices": ["a-{n}"]}],
        [{"devices": ["a-{n}"], "leaves": 2, "uplinks": 2}, {"devices": ["b-{n}"]}],
        [{"devices": ["b-{n}"], "leaves": 2}],
    ),
    "addressing": (
        {"host_pool": "172.16.0.0/16"},
        {"host_pool": "172.16.0.0/27"},
        {"mtu": 1500},
        {"asn_base": 65000},
    ),
}
MANAGEMENT: dict[str, tuple[Any, ...]] = {
    "subnet": ("10.190.0.0/16", "10.190.0.0/20"),
    "device_pool": ("10.190.8.0/21", "10.190.12.0/26"),
    "host_pool": ("10.191.0.0/20", "10.191.0.0/28"),
    "gateway": ("10.190.7.254",),
    "addresses": ({"oob-1": "10.190.1.77"}, {"host-1": "10.190.0.77"}),
    "server": ("10.190.0.2",),
    "allow": (["10.190.0.0/16"],),
}
PORTS: tuple[Any, ...] = (
    1,
    2,
    3,
    {"count": 2, "speed": "100G"},
    {"count": 2, "speed": "400G"},
    {"count": 4, "breakout": "2x200G"},
    {"count": 2, "breakout": "4x200G"},
)
EVEN: tuple[Any, ...] = (2, 2, 2, 4, PORTS[3], PORTS[5])
OF_ACCESS = ("fill", "leaves", "host_ports", "switch_ports", "distribution", "uplink", "vlan")
OF_CLOS = (
    *("uplinks", "oversubscription", "fill", "distribution", "bonding", "peer_links", "carries"),
    *("leaf_groups", "addressing", "lossless", "nos", "uplink"),
)


def _some(draw: st.DrawFn, values: dict[str, tuple[Any, ...]], most: int) -> Inventory:
    """Draw some keys with values."""
    keys = draw(st.lists(st.sampled_from(sorted(values)), max_size=most, unique=True))
    return {key: draw(st.sampled_from(values[key])) for key in keys}


@st.composite
def clusters(draw: st.DrawFn) -> Inventory:
    """Draw a compute fabric with one to four networks, devices and often `management`."""
    hosts = draw(st.integers(1, 24))
    if draw(st.integers(0, 9)):
        base = {"gpus": 8 * hosts, "hb_domain": {"gpus": 8}, **draw(st.sampled_from(COMPUTE))}
    else:
        base = draw(inventories())
    names = draw(
        st.lists(
            st.sampled_from(("storage", "inband", "oob", "oob", "console")),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    networks: Inventory = {name: _network(draw, name) for name in names}
    kinds = ("a-{n}", "b-{n}", "r-{n}", "pdu-{n}")
    groups = kinds[: draw(st.integers(0, 4))]
    cluster = {
        **base,
        "name": "cluster",
        "networks": networks,
        "devices": [_devices(draw, name, names) for name in groups],
    }
    if draw(st.booleans()):
        cluster["management"] = {
            "pool": draw(st.sampled_from(("10.190.0.0/21", "10.190.0.0/21", "10.190.0.0/25"))),
            "ntp": ["10.190.0.123"],
            "users": [{"name": "ops", "key": KEY_EXAMPLE}],
            **_some(draw, MANAGEMENT, 2),
        }
    return cluster | (_some(draw, EXTRAS, 2) if draw(st.integers(0, 4)) == 0 else {})


def _network(draw: st.DrawFn, name: str) -> Inventory:
    """Draw a network, which is mostly one that its name suggests."""
    wild = draw(st.integers(0, 9)) == 0
    if name == "console":
        return {"switches": {"leaf": {"model": "cm8148"}}} | _some(draw, KEYS, 2 * wild)
    if name == "oob":
        keys = _some(draw, KEYS if wild else {key: KEYS[key] for key in OF_ACCESS}, 3)
        return {"switches": {"leaf": draw(st.sampled_from(ACCESS))}, "speed": "1G", **keys}
    keys = _some(draw, KEYS if wild else {key: KEYS[key] for key in OF_CLOS}, 3)
    if draw(st.integers(0, 7)) == 0:
        return {"converged_with": "compute", "speed": draw(st.sampled_from(SPEEDS))}
    leaf, speed = draw(st.sampled_from(LEAVES))
    switches = {"leaf": leaf}
    if wild:
        switches["spine"] = draw(st.sampled_from(LEAVES))[0]
    if keys.get("bonding") == "lacp":
        keys.setdefault("peer_links", 2)
    return {"switches": switches, "speed": speed, **keys}


def _devices(draw: st.DrawFn, name: str, networks: list[str]) -> Inventory:
    """Draw a group of devices with ports in some of the networks."""
    known = [each for each in networks if each != "console"]
    places = draw(
        st.lists(st.sampled_from([*known, *known, *known, "compute"]), max_size=3, unique=True)
    )
    wild = draw(st.integers(0, 9)) == 0
    drawn: Inventory = {
        "name": name,
        "count": draw(st.integers(1, 12) if wild else st.sampled_from((2, 4, 12))),
        "ports": {
            place: draw(st.sampled_from(PORTS if wild else PORTS[:2] if place == "oob" else EVEN))
            for place in places
        },
    }
    if name == "r-{n}":
        drawn["edge"] = True
        if draw(st.booleans()):
            drawn["bgp"] = {"asn": draw(st.sampled_from((65100, 4220000001)))}
    if name == "pdu-{n}":
        drawn["model"] = "ap8886"
    if "oob" in networks and draw(st.integers(0, 4)) == 0:
        drawn["peer_links"] = draw(st.integers(1, 2))
    return drawn


@st.composite
def cluster_sessions(
    draw: st.DrawFn,
) -> tuple[Session, Inventory]:
    """Draw a cluster, some commands, the groups of files to build, and the cluster after growth."""
    cluster = draw(clusters())
    groups = draw(st.lists(st.sampled_from(tuple(GROUPS)), max_size=3, unique=True))
    devices = [
        each | {"count": each["count"] * draw(st.integers(1, 3))} for each in cluster["devices"]
    ]
    grown = {"gpus": cluster["gpus"] * draw(st.integers(1, 3)), "devices": devices}
    session = cluster, draw(st.lists(questions(), max_size=3)), tuple(groups)
    return session, cluster | grown


def search_clusters(drawn: tuple[Session, Inventory], home: Path) -> Iterator[tuple[Case, str]]:
    """Run one session, then grow the cluster; yield each case that broke a promise."""
    session, grown = drawn
    kept = home / "plan.json"
    yield from search_fabrics(session, home)
    if not kept.exists():
        return
    files = {GROWN: json.dumps(grown, indent=1), kept.name: kept.read_text(encoding="utf-8")}
    larger = Case(("plan", GROWN, "--from", kept.name, "-o", "new.json"), files)
    ended = execute(larger, home)
    yield from ((larger, fault) for fault in faults(larger, ended))
    if ended.code:
        return
    for arguments in (("check", "new.json"), ("diff", kept.name, "new.json"), ("plan", "new.json")):
        case = Case(arguments, files, before=larger.arguments)
        answer = execute(case, home)
        yield from ((case, fault) for fault in faults(case, answer))
        if answer.code:
            yield case, f"a cluster has grown, and `{arguments[0]}` of it ends with {answer.code}"
