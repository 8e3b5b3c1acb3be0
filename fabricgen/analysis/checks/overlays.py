"""The laws of bonds of LACP: what their leaves have to have in common, and what apart.

They judge the views that configurations are rendered from.
"""

from __future__ import annotations

from ipaddress import ip_interface
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.arrays import distinct
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.views.switches.view import BondView, OverlayView, TenantView


def bonds_agree(evidence: ClusterEvidence) -> Verdict:
    """Both members of every bond have one system, segment and VLANs, and no other bond has them."""
    found, bonds = [], 0
    for name, overlays in evidence.overlays.items():
        ends = {
            (switch, bond.port.interface): bond
            for switch, overlay in overlays.items()
            for bond in overlay.bonds
        }
        members = _members(evidence, name, ends)
        bonds += len(members)
        found += [*_disagreeing(evidence, name, members), *_shared(evidence, name, members)]
    figure = f"{bonds:,} bonds, each with a segment of its own" if bonds else "no bonds of LACP"
    return Verdict(figure, (violations(found, lambda each: each),))


def _members(
    evidence: ClusterEvidence, network: str, ends: dict[tuple[str, str], BondView]
) -> dict[int, list[BondView]]:
    """Return the ends of each bond of a network, by the wiring; ports of routers have none."""
    links, rules = evidence.links[network], evidence.plan.networks[network].fabric.network
    assert rules, "a network has its rules"  # noqa: S101 - every plan in `Plan.networks` is one
    bonds = distinct(links.bond[links.attached])
    routed = np.array([group.routed for group in rules.attached.groups])
    bonded = bonds[~routed[rules.attached.group_of(bonds)]].tolist()
    found: dict[int, list[BondView]] = {bond: [] for bond in bonded}
    for row in np.flatnonzero(links.attached).tolist():
        switch = evidence.devices[int(links.upper[row])]
        bond = ends.get((switch, evidence.interfaces[int(links.upper_port[row])]))
        if bond:
            found.setdefault(int(links.bond[row]), []).append(bond)
    return found


def _named(evidence: ClusterEvidence, network: str, bond: int) -> str:
    """Name a bond by its device and ports."""
    links = evidence.links[network]
    rows = np.flatnonzero(links.bond == bond)
    ports = " and ".join(evidence.interfaces[int(links.lower_port[row])] for row in rows)
    return f"the bond of {ports} of {evidence.devices[int(links.lower[rows[0]])]}"


def _disagreeing(
    evidence: ClusterEvidence, network: str, members: dict[int, list[BondView]]
) -> Iterator[Violation]:
    """Yield the bonds whose members differ, or are fewer than the ports of the device."""
    for bond, ends in members.items():
        differ = {(end.esi, end.system_mac, end.vlan, *end.tagged_vlans) for end in ends}
        if len(differ) > 1 or len(ends) != evidence.members(network):
            because = [f"one leaf has system {mac} and segment {esi}" for esi, mac, *_ in differ]
            yield Violation(
                f"{_named(evidence, network, bond)} is not one system of LACP", (*sorted(because),)
            )


def _shared(
    evidence: ClusterEvidence, network: str, members: dict[int, list[BondView]]
) -> Iterator[Violation]:
    """Yield segments that two bonds have."""
    owners: dict[str, int] = {}
    for bond, ends in members.items():
        for esi in {end.esi for end in ends}:
            other = owners.setdefault(esi, bond)
            if other != bond:
                both = (_named(evidence, network, each) for each in (other, bond))
                yield Violation(f"{' and '.join(both)} have segment {esi}")


def vrfs_apart(evidence: ClusterEvidence) -> Verdict:
    """Every VLAN, VNI and route target is that of one network, and no two subnets meet."""
    found, tenants = [], set[str]()
    for overlays in evidence.overlays.values():
        each = [(leaf, own) for leaf, one in overlays.items() for own in one.tenants]
        tenants |= {own.name for _, own in each}
        found += [*_numbers_shared(each), *_distinguishers_shared(each), *_subnets_meet(overlays)]
    count = len(tenants)
    figure = f"VLANs of {counted(count, 'network')}, each with a VNI and route targets of its own"
    return Verdict(figure if count else "no VLANs", (violations(found, lambda each: each),))


def _numbers_shared(tenants: list[tuple[str, TenantView]]) -> Iterator[Violation]:
    """Yield numbers that leaves use for two networks."""
    owners: dict[Hashable, str] = {}
    for leaf, own in tenants:
        numbers = [("VLAN", own.vlan), ("VNI", own.vni), ("route target", own.target)]
        if own.vrf_vlan:
            numbers += [("VLAN", own.vrf_vlan), ("VNI", own.vrf_vni)]
            numbers += [("route target", own.vrf_target)]
        for what, number in numbers:
            other = owners.setdefault((what, number), own.name)
            if other != own.name:
                yield Violation(f"{what} {number} of {own.name} on {leaf} is that of {other}")


def _distinguishers_shared(tenants: list[tuple[str, TenantView]]) -> Iterator[Violation]:
    """Yield route distinguishers that two leaves, or two networks of a leaf, have."""
    owners: dict[str, str] = {}
    for leaf, own in tenants:
        for rd in filter(None, (own.rd, own.vrf_rd)):
            what = f"{own.name} on {leaf}"
            other = owners.setdefault(rd, what)
            if other != what:
                yield Violation(f"{what} and {other} have route distinguisher {rd}")


def _subnets_meet(overlays: dict[str, OverlayView]) -> Iterator[Violation]:
    """Yield subnets of two networks that share addresses."""
    for leaf, overlay in overlays.items():
        for one, other in combinations(overlay.vrfs, 2):
            subnets = [ip_interface(own.gateway).network for own in (one, other)]
            if subnets[0].overlaps(subnets[1]):
                both = f"{one.name} and {other.name}"
                yield Violation(f"the subnets of {both} on {leaf} share addresses")
