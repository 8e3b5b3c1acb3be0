"""The law of power: every cord has an outlet of its own, and a rack survives the loss of a feed.

Outlets and loads are added up PDU by PDU, independently of the rule that plugged the cords in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.planning.power_cords import feed_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.planning.power_cords import PowerPlan


def power_feeds(evidence: ClusterEvidence) -> Verdict:
    """Verify the outlet of every cord, and what is left of a rack's PDUs without each feed."""
    power = evidence.power
    if power is None:
        return Verdict("the racks of `site` have no PDUs with known outlets and power")
    found = (_unplugged, _shared_outlets, _one_feed, _overloads)
    missing = f"; unknown cords or power: {', '.join(power.unknown)}" if power.unknown else ""
    return Verdict(
        f"{len(power.cords):,} cords on {len(power.pdus):,} PDUs in {len(power.watts):,} racks"
        f"{missing}",
        tuple(violations([*each(power)], lambda fault: fault) for each in found),
    )


def _unplugged(power: PowerPlan) -> Iterator[Violation]:
    """Yield the cords without an outlet that is there, in the rack of their device."""
    for cord in power.cords:
        pdu = power.pdus[cord.pdu] if cord.pdu >= 0 else None
        if pdu is None or pdu.rack != cord.rack or cord.outlet > pdu.outlets.get(cord.socket, 0):
            inlet = f" with inlet {cord.inlet}" if cord.inlet else ""
            rack = power.racks[cord.rack]
            yield Violation(
                f"cord {cord.number} of {cord.device}{inlet} has no outlet in rack {rack}"
            )


def _shared_outlets(power: PowerPlan) -> Iterator[Violation]:
    """Yield the outlets with two cords."""
    used = Counter((cord.pdu, cord.socket, cord.outlet) for cord in power.cords if cord.pdu >= 0)
    for (pdu, socket, outlet), cords in used.items():
        if cords > 1:
            yield Violation(f"{socket} outlet {outlet} of {power.pdus[pdu].name} has {cords} cords")


def _one_feed(power: PowerPlan) -> Iterator[Violation]:
    """Yield the devices with several cords, all of which are on one feed."""
    feeds: dict[str, list[int]] = defaultdict(list)
    for cord in power.cords:
        if cord.pdu >= 0:
            feeds[cord.device].append(power.pdus[cord.pdu].feed)
    for device, own in feeds.items():
        if len(own) > 1 and len(set(own)) == 1:
            yield Violation(f"all {len(own)} cords of {device} are on feed {feed_name(own[0])}")


def _overloads(power: PowerPlan) -> Iterator[Violation]:
    """Yield the racks that draw more than their PDUs carry without one of the feeds."""
    feeds: dict[int, Counter[int]] = defaultdict(Counter)
    for pdu in power.pdus:
        feeds[pdu.rack][pdu.feed] += pdu.capacity_w
    for rack, watts in power.watts.items():
        own = feeds[rack]
        if not own:
            yield Violation(f"rack {power.racks[rack]} draws {watts:,} W and has no PDU")
            continue
        worst = max(own, key=lambda feed: own[feed])
        left = own.total() - own[worst]
        if watts > left:
            yield Violation(
                f"rack {power.racks[rack]} draws {watts:,} W,"
                f" and without feed {feed_name(worst)} its PDUs carry {left:,} W"
            )
