"""The laws of a cluster: what its networks have to do with each other, and the loss of a switch.

Each public function is a law of `laws`, judged where the inventory has networks.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.analysis.connectivity import dividing, pieces
from fabricgen.core.arrays import distinct, distinct_columns
from fabricgen.core.count_text import counted
from fabricgen.core.terms import COMPUTE, PEERS
from fabricgen.inventory.networks import CONSOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.analysis.checks.cluster_evidence import (
        ClusterEvidence,
        NetworkLinks,
        PortsInUse,
    )
    from fabricgen.core.arrays import BoolArray, IntArray


SITE = -1
"""The number among switches of what joins some of them from outside.

That is the site for access switches without an uplink, and the compute fabric for its leaves.
"""


def management_cabled(evidence: ClusterEvidence) -> Verdict:
    """Every management port of a host, a switch and a device has one cable."""
    name = evidence.plan.spec.networks.management
    if name is None:
        return Verdict("no network of kind `access`: nothing is cabled to management ports")
    links = evidence.links[name]
    ports = np.stack([links.lower[links.attached], links.lower_port[links.attached]])
    cabled = np.bincount(ports[0], minlength=len(evidence.devices))
    twice, times = np.unique(ports, axis=1, return_counts=True)

    def lacking(device: int) -> Violation:
        has = f"{evidence.devices[device]} has {counted(cabled[device], 'cable')} in {name}"
        want = f"it has {counted(evidence.managed[device], 'management port')}"
        return Violation(has, (want,))

    def doubled(column: int) -> Violation:
        port = evidence.port(*twice[:, column].tolist())
        return Violation(f"port {port} has {counted(times[column], 'cable')} in {name}")

    return Verdict(
        f"{counted(int(evidence.managed.sum()), 'port')} of"
        f" {counted(int(np.count_nonzero(evidence.managed)), 'device')},"
        f" {counted(len(ports[0]), 'cable')} in {name}",
        (
            violations(np.flatnonzero(cabled != evidence.managed), lacking),
            violations(np.flatnonzero(times > 1), doubled),
        ),
    )


def consoles_cabled(evidence: ClusterEvidence) -> Verdict:
    """Every switch has one cable at its console port, and console servers have none."""
    links = evidence.links[CONSOLE]
    cabled = np.bincount(links.lower[links.attached], minlength=len(evidence.devices))

    def described(device: int) -> Violation:
        has = counted(cabled[device], "cable")
        return Violation(f"{evidence.devices[device]} has {has} in {CONSOLE}")

    wrong = np.flatnonzero(cabled != evidence.consoles)
    return Verdict(
        f"{counted(int(evidence.consoles.sum()), 'console port')} of switches,"
        f" {counted(int(cabled.sum()), 'cable')}",
        (violations(wrong, described),),
    )


def bonds_apart(evidence: ClusterEvidence) -> Verdict:
    """Every bond has its members on as many switches."""
    counted, found = [], []
    for name, links in evidence.links.items():
        rows = np.flatnonzero(links.attached)
        members = evidence.members(name)
        switches = _switches_of(links.bond[rows], links.upper[rows])
        broken = np.flatnonzero((switches != members) & (switches > 0))
        found.append(violations(broken, _bond(evidence, links)))
        if members > 1:
            counted.append(f"{np.count_nonzero(switches):,} in {name}")
    figure = f"bonds of two: {', '.join(counted)}" if counted else "no bonds"
    return Verdict(figure, tuple(found))


def _bond(evidence: ClusterEvidence, links: NetworkLinks) -> Callable[[int], Violation]:
    """Return the function that describes a bond that is on too few switches."""

    def describe(bond: int) -> Violation:
        rows = np.flatnonzero(links.bond == bond)
        device = evidence.devices[int(links.lower[rows[0]])]
        ends = [evidence.port(int(links.upper[row]), int(links.upper_port[row])) for row in rows]
        names = [evidence.interfaces[int(links.lower_port[row])] for row in rows]
        return Violation(
            f"the bond of {' and '.join(names)} of {device} does not end on {len(rows)} switches",
            (f"it ends at {' and '.join(ends)}",),
        )

    return describe


def _switches_of(thing: IntArray, switch: IntArray) -> IntArray:
    """Return the number of different switches of each thing, by its number."""
    return np.bincount(_distinct_pairs(thing, switch)[0])


def _distinct_pairs(one: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
    """Return each pair of two columns once; sorting one column of numbers is fastest.

    >>> many = np.array([70_000], dtype=np.int32)
    >>> [column.tolist() for column in _distinct_pairs(many, many)]
    [[70000], [70000]]
    """
    size = int(other.max(initial=0)) + 1
    return np.divmod(distinct(one.astype(np.int64) * size + other), size)


def ports_apart(evidence: ClusterEvidence) -> Verdict:
    """No port of a device is in two networks, the compute fabric being one."""
    ports = {COMPUTE: evidence.compute}
    ports |= {name: links.ports for name, links in evidence.links.items()}
    if evidence.peers:
        ports[PEERS] = evidence.peers.ports
    found: dict[tuple[int, int], dict[str, None]] = {}
    for (name, one), (other, more) in combinations(ports.items(), 2):
        for port in _shared(evidence, one, more):
            found.setdefault(port, {}).update({name: None, other: None})

    def describe(port: tuple[int, int]) -> Violation:
        return Violation(f"port {evidence.port(*port)} is in {' and '.join(found[port])}")

    total = sum(len(each.device) for each in ports.values())
    return Verdict(
        f"{total:,} ports of {len(evidence.devices):,} devices, each in one network",
        (violations(sorted(found), describe),),
    )


def _shared(evidence: ClusterEvidence, one: PortsInUse, other: PortsInUse) -> set[tuple[int, int]]:
    """Return the ports that are in two networks, by device and name.

    Devices and names that both networks have are found first: millions of ports take long to sort.
    """
    names, devices = len(evidence.interfaces), len(evidence.devices)
    other = other.where(_among(one.device, devices)[other.device])
    of_device = _among(other.device, devices)[one.device]
    one = one.where(of_device & _among(other.port, names)[one.port])
    other = other.where(_among(one.device, devices)[other.device])
    return one.pairs & other.pairs


def _among(values: IntArray, size: int) -> BoolArray:
    """Return for each number below `size` whether it is one of the values."""
    found = np.zeros(size, dtype=bool)
    found[values] = True
    return found


def switch_loss(evidence: ClusterEvidence) -> Verdict:
    """No switch is between devices with bonds; else its loss cuts off those on it alone.

    With `per: domain` these are of one HB domain, or no hosts; else any that share the switch.
    """
    figures, found = [], []
    for name, links in evidence.links.items():
        devices, switches = _attachments(links)
        alone = _alone(devices, switches)
        if evidence.members(name) > 1:
            found.append(violations([*_on_one(devices, switches, alone)], _lost(evidence, name)))
        found += _cut_off(evidence, name, devices, switches)
        apart = evidence.by_domain(name)
        if apart:
            strangers = _of_other_domains(evidence, devices, switches, alone)
            found.append(violations(strangers, _lost(evidence, name, _BY_DOMAIN)))
        most = int(np.bincount(switches[alone]).max()) if alone.any() else 0
        total = len(distinct(devices))
        shown = "none" if not most else f"at most {most:,}"
        domain = " (none of two HB domains)" if apart else ""
        figures.append(f"{name} {shown} of {total:,} devices{domain}")
    return Verdict(f"cut off by one switch: {', '.join(figures)}", tuple(found))


def _attachments(links: NetworkLinks) -> tuple[IntArray, IntArray]:
    """Return which devices are on which switches, each pair once."""
    rows = np.flatnonzero(links.attached)
    return _distinct_pairs(links.lower[rows], links.upper[rows])


def _alone(devices: IntArray, switches: IntArray) -> BoolArray:
    """Return which pairs are of devices that are on one switch only."""
    alone: BoolArray = np.bincount(devices)[devices] == 1 if len(devices) else switches < 0
    return alone


def _on_one(devices: IntArray, switches: IntArray, alone: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield the switches that alone have a device, with the device."""
    yield from zip(switches[alone].tolist(), devices[alone].tolist(), strict=True)


def _lost(
    evidence: ClusterEvidence, name: str, *because: str
) -> Callable[[tuple[int, int]], Violation]:
    """Return the function that describes a device that a switch cuts off."""

    def describe(pair: tuple[int, int]) -> Violation:
        switch, device = (evidence.devices[each] for each in pair)
        return Violation(f"the loss of {switch} cuts {device} off from {name}", because)

    return describe


_BY_DOMAIN = (
    "with `per: domain`, devices of each HB domain, and all that are no hosts, have switches apart"
)


def _of_other_domains(
    evidence: ClusterEvidence, devices: IntArray, switches: IntArray, alone: BoolArray
) -> list[tuple[int, int]]:
    """Return the switches that alone have a device of another HB domain than most on them have."""
    domains = evidence.domains[devices]
    width = int(evidence.domains.max()) + 2  # one more for devices that are no hosts
    kinds, counts = np.unique(switches * width + domains + 1, return_counts=True)
    kinds = kinds[np.argsort(counts, kind="stable")]  # the last of each switch is the most frequent
    most = np.zeros(len(evidence.devices), dtype=np.int64)
    most[kinds // width] = kinds % width - 1
    others = alone & (domains != most[switches])
    return [*_on_one(devices, switches, others)]


def _cut_off(
    evidence: ClusterEvidence, name: str, devices: IntArray, switches: IntArray
) -> Iterator[Violations]:
    """Yield the devices that are cut off although a switch that they are on is left."""
    links = _switch_links(evidence, name)
    nodes = distinct(np.concatenate([switches, links.ravel()])).tolist()
    found = []
    for switch in sorted(dividing(nodes, links.tolist()) - {SITE}):
        left = pieces([node for node in nodes if node != switch], links.tolist())
        reached = [devices[np.isin(switches, [*piece])] for piece in left]
        others = distinct(devices[switches != switch])
        most = max(reached, key=lambda each: len(distinct(each)), default=devices[:0])
        found += [(switch, int(device)) for device in np.setdiff1d(others, most)]
    yield violations(found, _lost(evidence, name))


def _switch_links(evidence: ClusterEvidence, name: str) -> IntArray:
    """Return the pairs of switches that are joined, those of an access network by another one.

    Without an uplink, the site joins the switches. Switches of compute with ports of a network are
    joined there.
    """
    own, uplink = evidence.links[name], evidence.uplink(name)
    pairs = [_between(own)]
    if uplink:
        upper = evidence.links[uplink]
        of_own = np.isin(upper.lower, own.upper) & upper.attached
        pairs += [_between(upper), np.stack([upper.lower[of_own], upper.upper[of_own]])]
    if evidence.joined_outside(uplink or name):
        switches = distinct(evidence.links[uplink or name].upper)
        pairs.append(np.stack([switches, np.full_like(switches, SITE)]))
    return distinct_columns(np.concatenate(pairs, axis=1)).T


def _between(links: NetworkLinks) -> IntArray:
    """Return the pairs of switches of the links between switches."""
    rows = ~links.attached
    return np.stack([links.lower[rows], links.upper[rows]])
