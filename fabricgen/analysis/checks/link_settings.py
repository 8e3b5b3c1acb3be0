"""The law of link settings: both ends of a link are configured alike.

A session between different timers works until a failure, and packets between different MTUs or
lossless classes are lost without a message. The views that configurations are rendered from are
compared, also where the ends run different systems.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.analysis.checks.outputs_agree import scope, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.views.hosts.view import HostView
    from fabricgen.views.switches.view import SwitchView

    Pair = tuple[str, str]
    """The names of the devices at two ends."""

READ_HOSTS = 32
"""The number of hosts that are read in a large fabric, from the first on and up to the last."""

BETWEEN_SWITCHES = ("mtu", "bfd", "timers", "roce")
TO_HOSTS, TO_BGP_HOSTS = ("mtu",), ("mtu", "timers")
"""Settings that the ends of a link share."""


def ends_agree(evidence: Evidence) -> Verdict:
    """Compare the settings of the two devices of every link, once for each pair of devices."""
    read = scope(evidence)
    switches = {
        view.name: view
        for view in chain.from_iterable(views_of(evidence, run) for run in read.switches)
    }
    hosts = {
        view.name: view
        for view in evidence.host_views(_hosts_read(evidence, every=not read.formula))
    }
    cables: dict[Pair, str] = {}
    for view in switches.values():
        for port in view.ports:
            cables.setdefault((view.name, port.peer_device), port.cable)
    pairs = [
        (name, peer)
        for name, peer in cables
        if peer in hosts or (peer in switches and (name < peer or (peer, name) not in cables))
    ]
    wrong = [pair for pair in pairs if any(_differences(*_ends(pair, switches, hosts)))]
    figure = (
        f"{len(switches):,} switches and {len(hosts):,} hosts agree on {len(pairs):,} pairs of ends"
    )

    def describe(pair: Pair) -> Violation:
        differences = tuple(_differences(*_ends(pair, switches, hosts)))
        return Violation(
            f"{pair[0]} and {pair[1]}, joined by cable {cables[pair]}, have different settings",
            tuple(
                f"{key} is {own} at {pair[0]}, and {other} at {pair[1]}"
                for key, own, other in differences
            ),
        )

    few = f"; the first and the last {READ_HOSTS} hosts stand for all"
    return Verdict(figure, (violations(wrong, describe),), read.formula and read.formula + few)


def _hosts_read(evidence: Evidence, *, every: bool) -> list[int]:
    """Return the hosts to read: all, or the first and the last."""
    total = len(evidence.hosts)
    return sorted(
        {
            *range(total if every else min(READ_HOSTS, total)),
            *range(max(0, total - READ_HOSTS), total),
        }
    )


def _ends(
    pair: Pair, switches: dict[str, SwitchView], hosts: dict[str, HostView]
) -> tuple[SwitchView, SwitchView | HostView, tuple[str, ...]]:
    """Return the views of two ends, and the settings that they share."""
    name, peer = pair
    if peer in hosts:
        return switches[name], hosts[peer], TO_HOSTS if hosts[peer].numbered else TO_BGP_HOSTS
    return switches[name], switches[peer], BETWEEN_SWITCHES


def _differences(
    own: SwitchView, other: SwitchView | HostView, shared: tuple[str, ...]
) -> Iterator[tuple[str, Any, Any]]:
    """List the settings that differ, with both values; a group of settings key by key."""
    for key in shared:
        ours, theirs = getattr(own, key), getattr(other, key)
        if ours == theirs:
            continue
        if not is_dataclass(ours):
            yield key, ours, theirs
            continue
        for part in fields(ours):
            one, another = getattr(ours, part.name), getattr(theirs, part.name)
            if one != another:
                yield f"{key}.{part.name}", one, another
