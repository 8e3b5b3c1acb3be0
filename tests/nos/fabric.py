"""Rules that the configurations of a fabric must satisfy together.

Each function returns findings in words, or none.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.plan import Plan
    from tests.nos.frr import Box, Instance, Permit, Port, Prefix

IPV4 = 4

Seat = tuple[str, str]
"""A switch and its interface, or a switch and its VRF."""


@dataclass(frozen=True)
class Fabric:
    """The adjacency as the configurations describe it."""

    boxes: dict[str, Box]

    def between(self) -> set[frozenset[Seat]]:
        """Return the links between switches, each once."""
        return {
            frozenset([(box.name, name), (port.peer, port.peer_interface)])
            for box, name, port in _ports(self)
            if port.peer in self.boxes
        }

    def to_hosts(self) -> list[Seat]:
        """Return the host interfaces that ports name as their peers."""
        return [
            (port.peer, port.peer_interface)
            for _, _, port in _ports(self)
            if port.peer not in self.boxes
        ]

    def groups(self) -> list[set[Seat]]:
        """Return groups of routing instances that reach each other.

        They are the rails, as far as configurations show them.
        """
        group = {
            (box.name, vrf): {(box.name, vrf)}
            for box in self.boxes.values()
            for vrf in box.instances
        }
        for link in self.between():
            one, other = (
                group[name, self.boxes[name].ports[interface].vrf] for name, interface in link
            )
            if one is not other:
                one |= other
                group |= dict.fromkeys(other, one)
        return list({id(members): members for members in group.values()}.values())

    def instance(self, seat: Seat) -> Instance:
        """Return the instance of a switch and VRF."""
        return self.boxes[seat[0]].instances[seat[1]]


def fabric(boxes: Sequence[Box]) -> Fabric:
    """Make a fabric of switches."""
    return Fabric({box.name: box for box in boxes})


def findings(found: Fabric) -> list[str]:
    """List every violation."""
    return [*mismatched_ends(found)] or [
        *mixed_families(found),
        *duplicates(found),
        *wrong_neighbors(found),
        *wrong_peer_as_numbers(found),
        *leaking_filters(found),
        *unlearnt_hosts(found),
        *spoofable_hosts(found),
    ]


def mixed_families(found: Fabric) -> Iterator[str]:
    """Find switches with an address, or a filter, of another family than their loopbacks."""
    for box in found.boxes.values():
        seen = [address.version for address in box.loopbacks.values()]
        seen += [port.address.version for port in box.ports.values() if port.address]
        seen += [
            permit.network.version
            for instance in box.instances.values()
            for passed in instance.filters.values()
            for permit in passed
        ]
        if len(set(seen)) > 1:
            yield f"{box.name} has IPv4 and IPv6"
        yield from (
            f"{box.name} {vrf} announces another address family than its loopback's"
            for vrf, instance in box.instances.items()
            if instance.family != box.loopbacks[vrf].version
        )


def mismatched_ends(found: Fabric) -> Iterator[str]:
    """Find ports whose far end does not describe the same cable."""
    for box, name, port in _ports(found):
        if port.peer in found.boxes:
            far = found.boxes[port.peer].ports.get(port.peer_interface)
            if far is None or (far.peer, far.peer_interface, far.cable, far.mtu) != (
                box.name,
                name,
                port.cable,
                port.mtu,
            ):
                yield (
                    f"{box.name} {name} has {port.peer} {port.peer_interface} over "
                    f"{port.cable}, which differs"
                )


def duplicates(found: Fabric) -> Iterator[str]:
    """Find addresses, router identities, host interfaces and cables used twice.

    A cable between switches has two ends here.
    """
    addresses = [str(address) for box in found.boxes.values() for address in box.loopbacks.values()]
    addresses += [str(port.address) for _, _, port in _ports(found) if port.address]
    identities = [
        instance.router_id for box in found.boxes.values() for instance in box.instances.values()
    ]
    cables = [port.cable for _, _, port in _ports(found)]
    ends = {port.cable: 2 if port.peer in found.boxes else 1 for _, _, port in _ports(found)}
    for what in (addresses, identities, found.to_hosts()):
        yield from (
            f"{name} is used {times} times"
            for name, times in Counter(map(str, what)).items()
            if times > 1
        )
    yield from (
        f"cable {name} has {times} ends"
        for name, times in Counter(cables).items()
        if times != ends[name]
    )


def wrong_neighbors(found: Fabric) -> Iterator[str]:
    """Find instances with other BGP neighbours than their fabric ports and unnumbered hosts."""
    for box in found.boxes.values():
        for vrf, instance in box.instances.items():
            own = {name: port for name, port in box.ports.items() if port.vrf == vrf}
            wanted = {
                name: "FABRIC" if port.peer in found.boxes else "HOSTS"
                for name, port in own.items()
                if port.address is None
            }
            if instance.neighbours != wanted:
                yield (
                    f"{box.name} {vrf}: neighbours on {sorted(instance.neighbours)}, not "
                    f"on {sorted(wanted)}"
                )
            if instance.ecmp < sum(group == "FABRIC" for group in instance.neighbours.values()):
                yield f"{box.name} {vrf}: uplinks that ECMP does not use"
        if {port.vrf for port in box.ports.values()} - set(box.instances):
            yield f"{box.name}: ports in a VRF without routing"
    for one, other in map(tuple, found.between()):
        seats = [(name, found.boxes[name].ports[interface].vrf) for name, interface in (one, other)]
        if len({found.instance(seat).asn for seat in seats}) == 1:
            yield f"{one} and {other} have one AS number, so eBGP between them never comes up"


def wrong_peer_as_numbers(found: Fabric) -> Iterator[str]:
    """Find sessions that expect another AS number than the far end has."""
    for link in found.between():
        for (name, interface), (far, far_interface) in permutations(link):
            expected = found.instance((name, found.boxes[name].ports[interface].vrf)).peer_asns.get(
                interface
            )
            has = found.instance((far, found.boxes[far].ports[far_interface].vrf)).asn
            if expected not in (None, has):
                yield f"{name} {interface} expects AS {expected} of {far}, which has {has}"


HOSTS_AS = -1
"""The AS number that all hosts share."""


def unlearnt_hosts(found: Fabric) -> Iterator[str]:
    """Find hosts with BGP that do not learn the address of another host of their rail.

    The announcement of one host of each leaf is followed to every instance, with the rules of BGP:
    a router drops a path that holds its own AS number, and some systems do not send a path that
    begins with that of the peer (Junos without `advertise-peer-as`, NX-OS without
    `disable-peer-as-check`). Hosts accept their own number once (`allowas-in 1`).
    """
    between: dict[Seat, list[tuple[Seat, str]]] = {}
    for link in found.between():
        for (name, interface), (far, far_interface) in permutations(link):
            box, other = found.boxes[name], found.boxes[far]
            between.setdefault((name, box.ports[interface].vrf), []).append(
                ((far, other.ports[far_interface].vrf), interface)
            )
    for group in found.groups():
        leaves = sorted(
            seat for seat in group if "HOSTS" in found.instance(seat).neighbours.values()
        )
        for origin in leaves:
            paths = _announced(found, between, origin)
            for leaf in leaves:
                hosts = [*found.instance(leaf).neighbours.values()].count("HOSTS")
                path = paths.get(leaf)
                if hosts > (leaf == origin) and (
                    path is None or not _sent_to_hosts(found, leaf, path)
                ):
                    yield f"hosts on {leaf} do not learn the addresses of hosts on {origin}"


def _announced(
    found: Fabric, between: dict[Seat, list[tuple[Seat, str]]], origin: Seat
) -> dict[Seat, tuple[int, ...]]:
    """Return the shortest path with which each instance accepts the address of a host."""
    paths: dict[Seat, tuple[int, ...]] = {origin: (HOSTS_AS,)}
    waiting = [origin]
    for seat in waiting:
        instance, path = found.instance(seat), paths[seat]
        for far, interface in between.get(seat, ()):
            sent, peer = (instance.asn, *path), found.instance(far).asn
            withheld = instance.neighbours.get(interface) in instance.withholds and path[0] == peer
            if not withheld and peer not in sent and far not in paths:
                paths[far] = sent
                waiting.append(far)
    return paths


def _sent_to_hosts(found: Fabric, leaf: Seat, path: tuple[int, ...]) -> bool:
    """Return whether a leaf sends a path to its hosts, and they accept it."""
    withheld = "HOSTS" in found.instance(leaf).withholds and path[0] == HOSTS_AS
    return not withheld and path.count(HOSTS_AS) <= 1


def spoofable_hosts(found: Fabric) -> Iterator[str]:
    """Find ports on which a host may announce more than one address, or that of another host."""
    accepted: dict[Prefix, Seat] = {}
    for seat, network in announced_addresses(found):
        if network.num_addresses != 1:
            yield f"{seat} accepts more than one address of its host: {network}"
        if network in accepted:
            yield f"{seat} and {accepted[network]} accept {network} of their hosts"
        accepted[network] = seat


def announced_addresses(found: Fabric) -> Iterator[tuple[Seat, Prefix]]:
    """Yield each prefix that a switch accepts of a host on a port."""
    for box in found.boxes.values():
        for instance in box.instances.values():
            for port, kind in instance.neighbours.items():
                for permit in instance.filters.get(f"{port} in", ()) if kind == "HOSTS" else ():
                    same = permit.network.prefixlen == permit.shortest == permit.longest
                    yield (
                        (box.name, port),
                        permit.network if same else permit.network.supernet(),
                    )


def leaking_filters(found: Fabric) -> Iterator[str]:
    """Find filters that permit prefixes of another rail, or deny those of their own."""
    accepted: list[set[Permit]] = []
    for group in found.groups():
        permits = {
            permit
            for seat in group
            for passed in found.instance(seat).filters.values()
            for permit in passed
        }
        accepted.append(permits)
        own = [prefix for seat in group for prefix in _originated(found, seat)]
        for seat in group:
            instance = found.instance(seat)
            kinds = set(instance.neighbours.values())
            hosts = {name for name, kind in instance.neighbours.items() if kind == "HOSTS"}
            incoming = hosts | (kinds & {"FABRIC"})
            wanted = {
                "connected",
                *(f"{name} in" for name in incoming),
                *(f"{name} out" for name in kinds),
            }
            if set(instance.filters) - {"HOSTS in"} != wanted:
                yield f"{seat}: filters on {sorted(instance.filters)}, not on {sorted(wanted)}"
            for name, passed in instance.filters.items():
                stopped = [
                    str(prefix)
                    for prefix in own
                    if not any(permit.allows(prefix) for permit in passed)
                ]
                if stopped and name in ("connected", "FABRIC in", "FABRIC out"):
                    yield f"{seat} {name} stops {stopped[0]} of its own rail"
    for one, other in combinations(accepted, 2):
        for mine in one:
            yield from (
                f"{mine.network} and {theirs.network} are accepted on two rails"
                for theirs in other
                if mine.network.overlaps(theirs.network)
            )


def _originated(found: Fabric, seat: Seat) -> list[Prefix]:
    """Return the prefixes that a switch originates in an instance."""
    box, vrf = found.boxes[seat[0]], seat[1]
    return [
        box.loopbacks[vrf].network,
        *(port.address.network for port in box.ports.values() if port.address and port.vrf == vrf),
    ]


def _ports(found: Fabric) -> Iterator[tuple[Box, str, Port]]:
    """Yield every port of every box."""
    for box in found.boxes.values():
        for name, port in box.ports.items():
            yield box, name, port


def assert_is_plan(built: Fabric, plan: Plan) -> None:
    """Assert that what was read back from configurations alone is the plan."""
    assert findings(built) == []
    if not plan.spec.addressing.router_id_pool:
        assert all(
            instance.router_id == str(box.loopbacks[vrf].ip)
            for box in built.boxes.values()
            for vrf, instance in box.instances.items()
        )
    assert sorted(built.boxes) == sorted(plan.switches())
    assert len(built.between()) == sum(
        plan.link_count(kind) for kind in plan.kinds if kind != LinkKind.HOST
    )
    assert len(built.to_hosts()) == plan.link_count(LinkKind.HOST)
    assert len(built.groups()) == forwarding_groups(plan)


def forwarding_groups(plan: Plan) -> int:
    """Count the groups of instances that reach each other: one per plane, or per rail and plane."""
    return plan.fabric.planes * (1 if plan.mapping.spans_rails else plan.fabric.rails)


def swap_uplinks(boxes: list[Box]) -> None:
    """Exchange the far ends of the last two ports of the first switch: a fault for a test."""
    one, other = list(boxes[0].ports.values())[-2:]
    one.peer, one.peer_interface, other.peer, other.peer_interface = (
        other.peer,
        other.peer_interface,
        one.peer,
        one.peer_interface,
    )
