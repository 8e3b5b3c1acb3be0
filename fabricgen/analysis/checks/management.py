"""The law of management: each switch can be reached with the generated files alone.

That takes an address, a route, a user that logs in by SSH, and a clock. The tests read them back
from the files of every NOS.
"""

from __future__ import annotations

from ipaddress import IPv4Address, collapse_addresses
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.count_text import counted
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence, ManagementFacts


def reachable(evidence: Evidence) -> Verdict:
    """Every switch has an address, a route, a user and a clock, and a way to it is allowed."""
    found = evidence.management
    if found is None:
        return Verdict("no `management`: the site configures it on every switch")
    gateway = address_text(found.gateway)
    figure = (
        f"{counted(len(found.switches), 'switch', 'switches')} in {found.subnet}, gateway"
        f" {gateway}; by SSH as {', '.join(found.admins) or 'no user'};"
        f" {counted(len(found.clocks), 'time server')}"
    )
    if found.further:
        figure += f"; {counted(len(found.further), 'further management port')}"
    if found.devices:
        figure += f"; {counted(len(found.devices), 'port')} of devices"
    if found.outside:
        figure += f"; {found.outside:,} have no CPU of their own"
    if found.allow is not None:
        figure += f"; from {', '.join(map(str, found.allow))} alone"
    return Verdict(figure, (*_addresses(evidence, found), *_logins(found), *_callers(found)))


def _addresses(evidence: Evidence, found: ManagementFacts) -> Iterator[Violations]:
    """Yield addresses that are given twice, and those that the subnet does not have.

    An address that the inventory names is that of a machine of the site.
    """
    ports = found.further | found.devices
    every = np.concatenate((found.switches, [*ports.values()])).astype(np.int64)
    names, what = [*evidence.switches, *ports], "ports" if ports else "switches"
    values, times = np.unique(every, return_counts=True)
    twice = values[times > 1]
    yield violations(twice, lambda address: Violation(f"two {what} have {address_text(address)}"))
    both = np.concatenate((every, found.hosts))
    yield violations(
        np.flatnonzero(np.isin(both, [*found.named])),
        lambda row: Violation(
            f"{[*names, *evidence.hosts][row]} has {address_text(int(both[row]))}",
            (f"the inventory gives it to another machine, under `{found.named[int(both[row])]}`",),
        ),
    )
    first, last = int(found.subnet.network_address), int(found.subnet.broadcast_address)
    outside = (every <= first) | (every >= last)
    taken = every == found.gateway
    yield violations(
        np.flatnonzero(outside | taken),
        lambda row: Violation(
            f"{names[row]} cannot be reached at {address_text(int(every[row]))}",
            (f"the subnet is {found.subnet}, its gateway {address_text(found.gateway)}",),
        ),
    )


def _logins(found: ManagementFacts) -> Iterator[Violations]:
    """Yield what all switches lack: a route, a user, a clock."""
    gateway = address_text(found.gateway)
    lacks = {
        f"the gateway {gateway} is not in {found.subnet}": not _is_inside(found),
        "no user of role `admin` has a key": not found.admins,
        "no switch has a time server": not found.clocks,
    }
    facts = [fact for fact, holds in lacks.items() if holds]
    yield violations(facts, Violation)


def _callers(found: ManagementFacts) -> Iterator[Violations]:
    """Yield that the allowed prefixes have no address but those of switches and the gateway."""
    if found.allow is None:
        return
    ours = {*found.switches.tolist(), *found.further.values(), found.gateway}
    ours |= {int(found.subnet.network_address), int(found.subnet.broadcast_address)}
    allowed = [*collapse_addresses(found.allow)]
    total = sum(prefix.num_addresses for prefix in allowed)
    taken = sum(any(IPv4Address(one) in prefix for prefix in allowed) for one in ours)
    because = (f"{taken} of {total} allowed addresses are those of switches and of the subnet",)
    fact = "`management.allow` has no address from which a switch could be managed"
    yield violations([fact] if taken == total else [], lambda one: Violation(one, because))


def _is_inside(found: ManagementFacts) -> bool:
    """Return whether the gateway is an address of the subnet."""
    network, broadcast = found.subnet.network_address, found.subnet.broadcast_address
    return int(network) < found.gateway < int(broadcast)
