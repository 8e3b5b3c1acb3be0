"""The law of link settings: both ends of a link are configured alike.

A session between different timers works until a failure, and packets between different MTUs or
lossless classes are lost without a message. The settings that configurations are rendered from are
compared, also where the ends run different systems.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.views.protocols import LinkSettings

BETWEEN_SWITCHES = ("mtu", "bfd", "timers", "roce", "bgp")
TO_HOSTS, TO_BGP_HOSTS = ("mtu",), ("mtu", "timers", "bgp")
"""Settings that the ends of a link share."""


class _Ends(NamedTuple):
    """The ends of some links, each with the name and the index of the settings of its device."""

    row: IntArray
    device: IntArray
    names: list[str]
    settings: IntArray
    peer: IntArray
    peer_names: list[str]
    peer_settings: IntArray


def ends_agree(evidence: Evidence) -> Verdict:
    """Compare the settings of the two devices of every link."""
    to_hosts = TO_HOSTS if evidence.plan.addresses.numbered else TO_BGP_HOSTS
    return Verdict(
        f"compared at both ends of {len(evidence.wiring.kind):,} links",
        (
            _compare(evidence, _between_switches(evidence), BETWEEN_SWITCHES),
            _compare(evidence, _to_hosts(evidence), to_hosts),
        ),
    )


def _between_switches(evidence: Evidence) -> _Ends:
    """Return the ends of the links between switches, the lower one first."""
    rows, settings = np.flatnonzero(~evidence.has_host), evidence.settings.switch
    lower, upper = evidence.wiring.lower[rows], evidence.wiring.upper[rows]
    names = evidence.switches
    return _Ends(rows, lower, names, settings[lower], upper, names, settings[upper])


def _to_hosts(evidence: Evidence) -> _Ends:
    """Return the ends of the links to hosts, the leaf first."""
    rows, settings = np.flatnonzero(evidence.has_host), evidence.settings
    leaf = evidence.wiring.upper[rows]
    host = evidence.plan.fabric.coordinates.host(evidence.wiring.lower[rows])
    return _Ends(
        rows,
        leaf,
        evidence.switches,
        settings.switch[leaf],
        host,
        evidence.hosts,
        settings.host[host],
    )


def _compare(evidence: Evidence, ends: _Ends, shared: tuple[str, ...]) -> Violations:
    """List the pairs of devices whose settings differ in what they share."""
    values = evidence.settings.values
    # every link is looked up in a table of all pairs of values, because values are few
    unequal = np.array(
        [[any(_differences(one, other, shared)) for other in values] for one in values]
    )
    wrong = np.flatnonzero(unequal[ends.settings, ends.peer_settings])
    pairs = np.stack([ends.device[wrong], ends.peer[wrong]])
    once = wrong[np.sort(np.unique(pairs, axis=1, return_index=True)[1])]

    def describe(end: int) -> Violation:
        name, peer = ends.names[ends.device[end]], ends.peer_names[ends.peer[end]]
        cable = evidence.label(int(ends.row[end]))
        own, other = (values[column[end]] for column in (ends.settings, ends.peer_settings))
        return Violation(
            f"{name} and {peer}, joined by cable {cable}, have different settings",
            tuple(
                f"{key} is {one} at {name}, and {another} at {peer}"
                for key, one, another in _differences(own, other, shared)
            ),
        )

    return violations(once, describe)


def _differences(
    own: LinkSettings, other: LinkSettings, shared: tuple[str, ...]
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
