"""Mutations of the networks beside a compute fabric, each of which breaks one law of a cluster."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence, cluster_evidence
from tests.fabrics import plan_of
from tests.mutations.power import on_cord, on_one_feed, on_pdus

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.views.switches.view import Instance, OverlayView

CLUSTER: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "radix": 64,
    "networks": {
        "storage": {"switches": {"leaf": {"generic": {"radix": 16}}}},
        "inband": {"switches": {"leaf": {"generic": {"radix": 32}}}, "speed": "100G"},
        "oob": {
            "switches": {"leaf": {"model": "sn2201"}},
            "speed": "1G",
            "uplink": {"network": "inband", "ports": 2},
        },
    },
    "devices": [
        {"name": "pdu-{n}", "count": 60, "ports": {"oob": 1}},
        {"name": "target-{n}", "count": 12, "ports": {"storage": 2}},
    ],
}
"""Storage of four leaves below spines, in-band of two leaves alone, and two OOB switches."""


class ClusterMutation(NamedTuple):
    """One fault: its name, the change, the violated law, and words of the finding."""

    name: str
    broken: Callable[[ClusterEvidence], ClusterEvidence]
    law: str
    words: str


@cache
def cluster() -> ClusterEvidence:
    """Return the evidence about the correct cluster."""
    return cluster_evidence(plan_of(**CLUSTER))


@cache
def joined() -> ClusterEvidence:
    """Return the evidence about storage with uplinks into the in-band network."""
    leaf = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "peer_links": 2}
    networks = {"storage": leaf | {"uplink": {"network": "inband"}}, "inband": leaf}
    return cluster_evidence(plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=networks))


def on_uplink(
    found: ClusterEvidence, leaf: str, change: Callable[[Instance], object]
) -> ClusterEvidence:
    """Change the routing instance of a leaf with uplinks."""
    views = deepcopy(found.joined)
    change(next(view for view in views if view.name == leaf).instances[0])
    return replace(found, joined=views)


@cache
def paired() -> ClusterEvidence:
    """Return the evidence about the cluster with two pairs of devices."""
    group = {"name": "ufm-{n}", "count": 4, "model": "ufm-appliance", "ports": {}, "peer_links": 1}
    return cluster_evidence(plan_of(**CLUSTER | {"devices": [*CLUSTER["devices"], group]}))


def on_peers(
    found: ClusterEvidence, rows: slice | list[int], upper: slice = slice(None)
) -> ClusterEvidence:
    """Keep some links of paired devices, with the upper ends in another order."""
    assert found.peers
    links = found.peers._replace(
        upper=found.peers.upper[upper], upper_port=found.peers.upper_port[upper]
    )
    return replace(found, peers=type(links)(*(column[rows] for column in links)))


def number(names: list[str], name: str) -> int:
    """Return the number of a device or of an interface."""
    return names.index(name)


def rows(found: ClusterEvidence, network: str, device: str) -> IntArray:
    """Return the links of a network at a device or switch."""
    links, own = found.links[network], number(found.devices, device)
    return np.flatnonzero((links.lower == own) | (links.upper == own))


def kept(found: ClusterEvidence, network: str, keep: BoolArray) -> ClusterEvidence:
    """Keep some links of a network."""
    links = found.links[network]
    changed = type(links)(*(column[keep] for column in links))
    return replace(found, links={**found.links, network: changed})


def dropped(found: ClusterEvidence, network: str, lost: IntArray) -> ClusterEvidence:
    """Remove links of a network."""
    keep = np.ones(len(found.links[network].lower), dtype=bool)
    keep[lost] = False
    return kept(found, network, keep)


def changed(found: ClusterEvidence, network: str, row: int, **values: int) -> ClusterEvidence:
    """Change columns of one link."""
    links = found.links[network]
    columns = {name: getattr(links, name).copy() for name in values}
    for name, value in values.items():
        columns[name][row] = value
    return replace(found, links={**found.links, network: links._replace(**columns)})


def repeated(found: ClusterEvidence, network: str, row: int, other: int) -> ClusterEvidence:
    """Plug a link into the port of another device's link."""
    links = found.links[network]
    ends = {name: int(getattr(links, name)[other]) for name in ("lower", "lower_port")}
    return changed(found, network, row, **ends)


def on_one_switch(found: ClusterEvidence, network: str, device: str) -> ClusterEvidence:
    """Plug both members of the first bond of a device into one switch."""
    first, second, *_ = rows(found, network, device)
    upper = int(found.links[network].upper[first])
    return changed(found, network, int(second), upper=upper)


def renamed(found: ClusterEvidence, network: str, device: str, name: str) -> ClusterEvidence:
    """Plug the first link of a device into another of its ports."""
    row = int(rows(found, network, device)[0])
    return changed(found, network, row, lower_port=number(found.interfaces, name))


def without_uplinks(found: ClusterEvidence, network: str, leaf: str) -> ClusterEvidence:
    """Remove the links of a leaf to spines."""
    own = rows(found, network, leaf)
    return dropped(found, network, own[~found.links[network].attached[own]])


def below_one_spine(found: ClusterEvidence, network: str, spine: str) -> ClusterEvidence:
    """Remove the links to all other spines."""
    links = found.links[network]
    keep = links.attached | (links.upper == number(found.devices, spine))
    return kept(found, network, keep)


BONDED = {
    **CLUSTER,
    "networks": {
        "storage": {
            "switches": {"leaf": {"generic": {"radix": 16}}},
            "bonding": "lacp",
            "carries": ["inband"],
        },
    },
    "devices": [{"name": "target-{n}", "count": 12, "ports": {"storage": 2}}],
}
"""Storage and in-band on the same leaves, by bonds of LACP."""


@cache
def reserved() -> ClusterEvidence:
    """Return the evidence about the correct cluster with a reserve."""
    return cluster_evidence(plan_of(**CLUSTER, reserve={"gpus": 256}))


def on_one_spine(found: ClusterEvidence, network: str, leaf: str) -> ClusterEvidence:
    """Plug all uplinks of a leaf into the spine of the first."""
    links, own = found.links[network], rows(found, network, leaf)
    up = own[~links.attached[own]]
    upper = links.upper.copy()
    upper[up] = upper[up[0]]
    return replace(found, links={**found.links, network: links._replace(upper=upper)})


def on_switch(found: ClusterEvidence, network: str, device: str, switch: str) -> ClusterEvidence:
    """Plug the first link of a device into another switch."""
    row = int(rows(found, network, device)[0])
    return changed(found, network, row, upper=number(found.devices, switch))


@cache
def alternated() -> ClusterEvidence:
    """Return the evidence about the correct cluster whose management ports alternate."""
    oob = CLUSTER["networks"]["oob"] | {"distribution": "alternating"}
    networks = CLUSTER["networks"] | {"oob": oob}
    return cluster_evidence(plan_of(**CLUSTER | {"networks": networks}))


@cache
def consoles() -> ClusterEvidence:
    """Return the evidence about a cluster with a console server."""
    console = {"switches": {"leaf": {"model": "cm8148"}}, "fill": 85}
    networks = {**CLUSTER["networks"], "console": console}
    return cluster_evidence(plan_of(**{**CLUSTER, "networks": networks}))


@cache
def by_domain() -> ClusterEvidence:
    """Return the evidence about two racks with an OOB switch each, and two for other devices."""
    oob = {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "per": "domain"}
    racks = {"gpus": 144, "hb_domain": {"gpus": 72, "hosts": 18}, "radix": 256}
    pdus = {"name": "pdu-{n}", "count": 4, "ports": {"oob": 1}}
    return cluster_evidence(plan_of(**racks, networks={"oob": oob}, devices=[pdus]))


@cache
def bonded() -> ClusterEvidence:
    """Return the evidence about the correct cluster with bonds of LACP."""
    return cluster_evidence(plan_of(**BONDED))


def with_leaf(
    found: ClusterEvidence, leaf: str, change: Callable[[OverlayView], OverlayView]
) -> ClusterEvidence:
    """Change the overlay of a storage leaf."""
    overlays = {**found.overlays["storage"]}
    overlays[leaf] = change(overlays[leaf])
    return replace(found, overlays={"storage": overlays})


def on_bond(found: ClusterEvidence, leaf: str, number: int, **values: Any) -> ClusterEvidence:  # noqa: ANN401 - fields of a view
    """Change fields of a bond on a leaf."""
    return with_leaf(
        found,
        leaf,
        lambda overlay: replace(
            overlay,
            bonds=[
                replace(bond, **values) if bond.number == number else bond for bond in overlay.bonds
            ],
        ),
    )


def on_tenant(found: ClusterEvidence, leaf: str, name: str, **values: Any) -> ClusterEvidence:  # noqa: ANN401 - fields of a view
    """Change fields of a network on a leaf."""
    return with_leaf(
        found,
        leaf,
        lambda overlay: replace(
            overlay,
            tenants=[
                replace(own, **values) if own.name == name else own for own in overlay.tenants
            ],
        ),
    )


CONSOLE_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a switch without console cable",
        lambda e: dropped(e, "console", rows(e, "console", "oob-1")),
        "consoles-cabled",
        "oob-1 has 0 cables in console",
    ),
    ClusterMutation(
        "two cables to the console port of a switch",
        lambda e: repeated(e, "console", 0, 1),
        "consoles-cabled",
        "has 2 cables in console",
    ),
)

BOND_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a bond with another system on its second leaf",
        lambda e: on_bond(e, "storage-leaf-2", 1, system_mac="44:38:39:ff:00:09"),
        "bonds-agree",
        "the bond of storage0 and storage1 of host-1 is not one system of LACP",
    ),
    ClusterMutation(
        "a bond without its second member",
        lambda e: with_leaf(e, "storage-leaf-2", lambda own: replace(own, bonds=own.bonds[1:])),
        "bonds-agree",
        "the bond of storage0 and storage1 of host-1 is not one system of LACP",
    ),
    ClusterMutation(
        "a device without its bond",
        lambda e: with_leaf(
            with_leaf(e, "storage-leaf-1", lambda own: replace(own, bonds=own.bonds[1:])),
            "storage-leaf-2",
            lambda own: replace(own, bonds=own.bonds[1:]),
        ),
        "bonds-agree",
        "the bond of storage0 and storage1 of host-1 is not one system of LACP",
    ),
    ClusterMutation(
        "two bonds with one segment",
        lambda e: on_bond(
            on_bond(e, "storage-leaf-1", 2, esi="03:44:38:39:ff:00:01:00:00:01"),
            "storage-leaf-2",
            2,
            esi="03:44:38:39:ff:00:01:00:00:01",
        ),
        "bonds-agree",
        "have segment 03:44:38:39:ff:00:01:00:00:01",
    ),
    ClusterMutation(
        "a VRF that imports the routes of another",
        lambda e: on_tenant(e, "storage-leaf-1", "inband", vrf_target="13001:13001"),
        "vrfs-apart",
        "route target 13001:13001 of inband on storage-leaf-1 is that of storage",
    ),
    ClusterMutation(
        "two networks in one VLAN",
        lambda e: on_tenant(e, "storage-leaf-3", "inband", vlan=400),
        "vrfs-apart",
        "VLAN 400 of inband on storage-leaf-3 is that of storage",
    ),
    ClusterMutation(
        "two leaves with one route distinguisher",
        lambda e: on_tenant(e, "storage-leaf-2", "storage", rd="10.240.0.1:10400"),
        "vrfs-apart",
        "storage on storage-leaf-2 and storage on storage-leaf-1 have route distinguisher",
    ),
    ClusterMutation(
        "two subnets that meet",
        lambda e: on_tenant(e, "storage-leaf-2", "inband", gateway="10.192.0.254/16"),
        "vrfs-apart",
        "the subnets of storage and inband on storage-leaf-2 share addresses",
    ),
)

PEER_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a pair without its cable",
        lambda e: on_peers(e, slice(1, None)),
        "peers-joined",
        "links between ufm-1 and ufm-2: 0, not 1",
    ),
    ClusterMutation(
        "two pairs with their cables crossed",
        lambda e: on_peers(e, slice(None), upper=slice(None, None, -1)),
        "peers-joined",
        "links between ufm-1 and ufm-4: 1, not 0",
    ),
    ClusterMutation(
        "a port with two cables",
        lambda e: on_peers(e, [0, 0, 1]),
        "peers-joined",
        "port ufm-1 peer0 has 2 cables",
    ),
    ClusterMutation(
        "a device whose model has a management port without its cable",
        lambda e: dropped(e, "oob", rows(e, "oob", "ufm-2")),
        "management-cabled",
        "ufm-2 has 0 cables in oob",
    ),
)

DOMAIN_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a host on the switch of another rack",
        lambda e: on_switch(e, "oob", "host-19", "oob-3"),
        "switch-loss",
        "the loss of oob-3 cuts host-19 off from oob",
    ),
    ClusterMutation(
        "a PDU on the switch of a rack",
        lambda e: on_switch(e, "oob", "pdu-1", "oob-4"),
        "switch-loss",
        "the loss of oob-4 cuts pdu-1 off from oob",
    ),
)

RESERVE_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "spines with fewer ports",
        lambda e: replace(
            e, reserves=e.reserves | {"storage": e.reserves["storage"]._replace(ports=11)}
        ),
        "reserve-ports",
        "storage-spine-1 has 5 free ports, and 6 leaves to come need 6",
    ),
    ClusterMutation(
        "all uplinks of a leaf on one spine",
        lambda e: on_one_spine(e, "storage", "storage-leaf-1"),
        "reserve-ports",
        "storage-spine-1 has 3 free ports",
    ),
)

ALTERNATION_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a host on the switch of another",
        lambda e: on_switch(e, "oob", "host-2", "oob-1"),
        "devices-alternate",
        "oob-1 has 5 devices `host` in oob, and its share is 4",
    ),
    ClusterMutation(
        "a PDU on the switch of another",
        lambda e: on_switch(e, "oob", "pdu-1", "oob-2"),
        "devices-alternate",
        "oob-2 has 31 devices `pdu-{n}` in oob, and its share is 30",
    ),
)

MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "a switch without management cable",
        lambda e: dropped(e, "oob", rows(e, "oob", "r0-leaf-1")),
        "management-cabled",
        "r0-leaf-1 has 0 cables in oob",
    ),
    ClusterMutation(
        "a PDU without management cable",
        lambda e: dropped(e, "oob", rows(e, "oob", "pdu-60")),
        "management-cabled",
        "pdu-60 has 0 cables in oob",
    ),
    ClusterMutation(
        "two cables in one management port",
        lambda e: repeated(e, "oob", 0, 1),
        "management-cabled",
        "port host-2 oob0 has 2 cables in oob",
    ),
    ClusterMutation(
        "a host's bond on one storage leaf",
        lambda e: on_one_switch(e, "storage", "host-3"),
        "bonds-apart",
        "the bond of storage0 and storage1 of host-3 does not end on 2 switches",
    ),
    ClusterMutation(
        "both uplinks of an OOB switch on one leaf",
        lambda e: on_one_switch(e, "inband", "oob-2"),
        "bonds-apart",
        "the bond of swp51 and swp52 of oob-2 does not end on 2 switches",
    ),
    ClusterMutation(
        "storage on a NIC of the compute fabric",
        lambda e: renamed(e, "storage", "host-1", "nic0"),
        "ports-apart",
        "port host-1 nic0 is in compute and storage",
    ),
    ClusterMutation(
        "an uplink on a port for devices",
        lambda e: renamed(e, "inband", "oob-1", "swp1"),
        "ports-apart",
        "port oob-1 swp1 is in inband and oob",
    ),
    ClusterMutation(
        "management of a host on its in-band port",
        lambda e: renamed(e, "oob", "host-8", "inband1"),
        "ports-apart",
        "port host-8 inband1 is in inband and oob",
    ),
    ClusterMutation(
        "PDUs that carry less",
        lambda e: on_pdus(e, capacity_w=10_500),
        "power-feeds",
        "rack A01-01 draws 40,800 W, and without feed A its PDUs carry 21,000 W",
    ),
    ClusterMutation(
        "PDUs without C19 outlets",
        lambda e: on_pdus(e, outlets={"C13": 30}),
        "power-feeds",
        "cord 1 of host-1 with inlet C20 has no outlet in rack A01-01",
    ),
    ClusterMutation(
        "two cords in one outlet",
        lambda e: on_cord(e, 3, outlet=1),
        "power-feeds",
        "C19 outlet 1 of pdu-1 has 2 cords",
    ),
    ClusterMutation(
        "a cord into another rack",
        lambda e: on_cord(e, 0, pdu=6),
        "power-feeds",
        "cord 1 of host-1 with inlet C20 has no outlet in rack A01-01",
    ),
    ClusterMutation(
        "a host on one feed",
        lambda e: on_one_feed(e, "host-2"),
        "power-feeds",
        "all 6 cords of host-2 are on feed A",
    ),
    ClusterMutation(
        "a leaf without uplinks",
        lambda e: without_uplinks(e, "storage", "storage-leaf-2"),
        "switch-loss",
        "the loss of storage-leaf-1 cuts host-1 off from storage",
    ),
    ClusterMutation(
        "leaves below one spine only",
        lambda e: below_one_spine(e, "storage", "storage-spine-2"),
        "switch-loss",
        "the loss of storage-spine-2 cuts host-8 off from storage",
    ),
)

UPLINK_MUTATIONS: tuple[ClusterMutation, ...] = (
    ClusterMutation(
        "an uplink without its session",
        lambda e: on_uplink(e, "storage-leaf-1", lambda own: own.edge_ports.pop()),
        "uplinks-agree",
        "has no session, and is an uplink between two networks",
    ),
    ClusterMutation(
        "a session with the AS number of another leaf",
        lambda e: on_uplink(
            e, "storage-leaf-1", lambda own: setattr(own.edge_ports[0], "peer_asn", 64512)
        ),
        "uplinks-agree",
        "is not with inband-leaf-1",
    ),
    ClusterMutation(
        "a filter that accepts addresses of compute",
        lambda e: on_uplink(
            e, "inband-leaf-1", lambda own: setattr(own.accepted[0], "prefix", "10.0.0.0/9")
        ),
        "uplinks-agree",
        "inband-leaf-1 accepts 10.0.0.0/9 at a length of 31",
    ),
)
