"""The law of uplinks between two networks whose leaves route: their sessions and their filters.

It judges the views that configurations are rendered from, at the wired ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.views.switches.view import Instance, RouterPort, SwitchView, TenantView

End = tuple[str, str]
Prefixes = tuple[str, int]
"""Prefixes of a length within one prefix."""


class _UplinkEnd(NamedTuple):
    """One end of an uplink: its port, and what its leaf announces and accepts there."""

    port: RouterPort
    asn: int
    announced: Prefixes
    accepted: set[Prefixes]


def uplinks_agree(evidence: ClusterEvidence) -> Verdict:
    """Both ends of every uplink have a session with the other, and accept its network alone."""
    ends = {end: own for view in evidence.joined for end, own in _ends(view)}
    wired = _wired(evidence)
    found = [
        Violation(f"{name} {port} has no session, and is an uplink between two networks")
        for name, port in sorted({*wired, *wired.values()} - ends.keys())
    ]
    for low, high in wired.items():
        if low in ends and high in ends:
            found += [*_differences(low, high, ends), *_differences(high, low, ends)]
    figure = f"{counted(len(wired), 'uplink')} between networks, with a session each"
    found = [*dict.fromkeys(found)]  # leaves have several uplinks, and one filter for all
    return Verdict(figure, (violations(found, lambda each: each),))


def _wired(evidence: ClusterEvidence) -> dict[End, End]:
    """Return the upper end of each uplink of a leaf that routes, by the lower one."""
    found = dict[End, End]()
    for name, network in evidence.plan.networks.items():
        leaves = {leaf for below in network.below for leaf in below.switches()}
        links = evidence.links[name] if leaves else None
        for row in np.flatnonzero(links.attached).tolist() if links else ():
            device = evidence.devices[int(links.lower[row])] if links else ""
            if links and device in leaves:
                low = device, evidence.interfaces[int(links.lower_port[row])]
                high = evidence.devices[int(links.upper[row])]
                found[low] = high, evidence.interfaces[int(links.upper_port[row])]
    return found


def _ends(view: SwitchView) -> Iterator[tuple[End, _UplinkEnd]]:
    """Yield the ends of uplinks on a leaf, in its instances or in the VRFs of its tenants."""
    vrfs = view.vtep.vrfs if view.vtep else ()
    routed: Iterable[tuple[Instance | TenantView, Prefixes]] = (
        *((own, (own.host_prefix, own.host_prefix_length)) for own in view.instances),
        *((own, (own.prefix, own.prefix_length)) for own in vrfs),
    )
    for own, announced in routed:
        accepted = {(each.prefix, each.length) for each in own.accepted if each.uplink}
        for port in own.edge_ports:
            if port.uplink:
                yield (view.name, port.interface), _UplinkEnd(port, view.asn, announced, accepted)


def _differences(near: End, far: End, ends: dict[End, _UplinkEnd]) -> Iterator[Violation]:
    """Yield what one end has of the other that is not so."""
    own, other = ends[near], ends[far]
    given = own.port.peer_device, own.port.peer_interface, own.port.peer_address, own.port.peer_asn
    wanted = *far, other.port.address.partition("/")[0], other.asn
    if given != wanted:
        pairs = [pair for pair in zip(given, wanted, strict=True) if pair[0] != pair[1]]
        yield Violation(
            f"the session of {' '.join(near)} is not with {' '.join(far)}",
            tuple(f"it has {have}, and the far end is {want}" for have, want in pairs),
        )
    if other.announced not in own.accepted:
        prefix, length = other.announced
        yield Violation(
            f"{' '.join(near)} does not accept {prefix} at a length of {length}",
            (f"{' '.join(far)} announces it",),
        )
    known = {ends[wired].announced for wired in _far_ends(near[0], ends)}
    for prefix, length in sorted(own.accepted - known):
        yield Violation(
            f"{near[0]} accepts {prefix} at a length of {length}",
            ("no network at the far end of its uplinks has these addresses",),
        )


def _far_ends(leaf: str, ends: dict[End, _UplinkEnd]) -> Iterator[End]:
    """Yield the far ends of the uplinks of a leaf."""
    for (name, _), own in ends.items():
        end = own.port.peer_device, own.port.peer_interface
        if name == leaf and end in ends:
            yield end
