"""The laws of a cluster: what its networks have to do with each other, and the loss of a switch.

Each public function is a law of `laws`, judged where the inventory has networks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.terms import COMPUTE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence, NetworkLinks
    from fabricgen.core.arrays import BoolArray, IntArray


SITE = -1
"""The number of the site among switches, which joins access switches without an uplink."""


def management_cabled(evidence: ClusterEvidence) -> Verdict:
    """Every management port of a host, a switch and a device has one cable."""
    networks = evidence.plan.spec.networks.each()
    name = next((name for name, network in networks.items() if network.kind == "access"), None)
    if name is None:
        return Verdict("no network of kind `access`: nothing is cabled to management ports")
    links = evidence.links[name]
    ports = np.stack([links.lower[links.attached], links.lower_port[links.attached]])
    cabled = np.bincount(ports[0], minlength=len(evidence.devices))
    twice, times = np.unique(ports, axis=1, return_counts=True)

    def lacking(device: int) -> Violation:
        has = f"{evidence.devices[device]} has {_count(cabled[device], 'cable')} in {name}"
        want = f"it has {_count(evidence.managed[device], 'management port')}"
        return Violation(has, (want,))

    def doubled(column: int) -> Violation:
        port = evidence.port(*twice[:, column].tolist())
        return Violation(f"port {port} has {_count(times[column], 'cable')} in {name}")

    return Verdict(
        f"{int(evidence.managed.sum()):,} ports of {np.count_nonzero(evidence.managed):,} devices,"
        f" {len(ports[0]):,} cables in {name}",
        (
            violations(np.flatnonzero(cabled != evidence.managed), lacking),
            violations(np.flatnonzero(times > 1), doubled),
        ),
    )


def _count(number: int, noun: str) -> str:
    """Count something.

    >>> _count(0, "cable"), _count(1, "cable")
    ('0 cables', '1 cable')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
    pairs = np.unique(np.stack([thing, switch]), axis=1)
    return np.bincount(pairs[0])


def ports_apart(evidence: ClusterEvidence) -> Verdict:
    """No port of a device is in two networks, the compute fabric being one."""
    known = len(evidence.interfaces)
    ports = {COMPUTE: evidence.compute.device * known + evidence.compute.port}
    for name, links in evidence.links.items():
        upper = links.upper * known + links.upper_port
        ports[name] = np.concatenate([links.lower * known + links.lower_port, upper])
    networks = {name: np.unique(each) for name, each in ports.items()}
    every, times = np.unique(np.concatenate([*networks.values()]), return_counts=True)

    def describe(row: int) -> Violation:
        port = int(every[row])
        where = [name for name, each in networks.items() if port in each]
        name = evidence.port(*divmod(port, known))
        return Violation(f"port {name} is in {' and '.join(where)}")

    return Verdict(
        f"{len(every):,} ports of {len(evidence.devices):,} devices, each in one network",
        (violations(np.flatnonzero(times > 1), describe),),
    )


def switch_loss(evidence: ClusterEvidence) -> Verdict:
    """No switch is between devices with bonds; else its loss cuts off those on it alone."""
    figures, found = [], []
    for name, links in evidence.links.items():
        devices, switches = _attachments(links)
        alone = _alone(devices, switches)
        if evidence.members(name) > 1:
            found.append(violations([*_on_one(devices, switches, alone)], _lost(evidence, name)))
        found += _cut_off(evidence, name, devices, switches)
        most = int(np.bincount(switches[alone]).max()) if alone.any() else 0
        total = len(np.unique(devices))
        figures.append(f"{name} {'none' if not most else f'at most {most:,}'} of {total:,} devices")
    return Verdict(f"cut off by one switch: {', '.join(figures)}", tuple(found))


def _attachments(links: NetworkLinks) -> tuple[IntArray, IntArray]:
    """Return which devices are on which switches, each pair once."""
    rows = np.flatnonzero(links.attached)
    devices, switches = np.unique(np.stack([links.lower[rows], links.upper[rows]]), axis=1)
    return devices, switches


def _alone(devices: IntArray, switches: IntArray) -> BoolArray:
    """Return which pairs are of devices that are on one switch only."""
    alone: BoolArray = np.bincount(devices)[devices] == 1 if len(devices) else switches < 0
    return alone


def _on_one(devices: IntArray, switches: IntArray, alone: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield the switches that alone have a device, with the device."""
    yield from zip(switches[alone].tolist(), devices[alone].tolist(), strict=True)


def _lost(evidence: ClusterEvidence, name: str) -> Callable[[tuple[int, int]], Violation]:
    """Return the function that describes a device that a switch cuts off."""

    def describe(pair: tuple[int, int]) -> Violation:
        switch, device = (evidence.devices[each] for each in pair)
        return Violation(f"the loss of {switch} cuts {device} off from {name}")

    return describe


def _cut_off(
    evidence: ClusterEvidence, name: str, devices: IntArray, switches: IntArray
) -> Iterator[Violations]:
    """Yield the devices that are cut off although a switch that they are on is left."""
    from fabricgen.analysis.graph import cut_vertices, pieces  # noqa: PLC0415 - for networks only

    links = _switch_links(evidence, name)
    nodes = np.unique(np.concatenate([switches, links.ravel()])).tolist()
    joined = len(pieces(nodes, links.tolist())) == 1
    lost = cut_vertices(nodes, links.tolist()) if joined else nodes
    found = []
    for switch in sorted(set(lost) - {SITE}):
        left = pieces([node for node in nodes if node != switch], links.tolist())
        reached = [devices[np.isin(switches, [*piece])] for piece in left]
        others = np.unique(devices[switches != switch])
        most = max(reached, key=lambda each: len(np.unique(each)), default=devices[:0])
        found += [(switch, int(device)) for device in np.setdiff1d(others, most)]
    yield violations(found, _lost(evidence, name))


def _switch_links(evidence: ClusterEvidence, name: str) -> IntArray:
    """Return the pairs of switches that are joined, those of an access network by another one.

    Without an uplink, the site joins the switches.
    """
    own, uplink = evidence.links[name], evidence.uplink(name)
    pairs = [_between(own)]
    if uplink:
        upper = evidence.links[uplink]
        of_own = np.isin(upper.lower, own.upper) & upper.attached
        pairs += [_between(upper), np.stack([upper.lower[of_own], upper.upper[of_own]])]
    elif evidence.plan.spec.networks.each()[name].kind == "access":
        switches = np.unique(own.upper)
        pairs.append(np.stack([switches, np.full_like(switches, SITE)]))
    return np.unique(np.concatenate(pairs, axis=1), axis=1).T


def _between(links: NetworkLinks) -> IntArray:
    """Return the pairs of switches of the links between switches."""
    rows = ~links.attached
    return np.stack([links.lower[rows], links.upper[rows]])
