"""Devices without records, which would verify silent links, and their management addresses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.port_index import PortIndex
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True, slots=True)
class UnreportedDevice:
    """A device that did not report; `links` are its silent ones, by their lower ports."""

    device: str
    address: str
    """Its management address; empty where the inventory gives none."""
    links: tuple[int, ...]

    @property
    def place(self) -> str:
        """Its name, with its address where it has one."""
        return f"{self.device} at {self.address}" if self.address else self.device

    def document(self) -> dict[str, Any]:
        """Return an entry of `unreported` of `audit --json`."""
        return {
            "device": self.device,
            "management_address": self.address,
            "silent_links": len(self.links),
        }


def unreported_devices(
    places: PortIndex, built: ObservedCabling, silent: Iterable[int]
) -> list[UnreportedDevice]:
    """List the devices of silent links that did not report, those with the most links first."""
    links = defaultdict[str, list[int]](list)
    for low in silent:
        for port in (low, low + 1):
            if port not in built.reported:
                links[places.places[port].device].append(low)
    addresses = dict(management_addresses(places.plan)) if links else {}
    found = (
        UnreportedDevice(name, addresses.get(name, ""), (*own,)) for name, own in links.items()
    )
    return sorted(found, key=lambda one: (-len(one.links), one.device))


def fewest_readings(devices: Sequence[UnreportedDevice]) -> Iterator[UnreportedDevice]:
    """Yield devices that have all silent links between them: each has one that none before has."""
    covered = set[int]()
    for one in devices:
        if not covered.issuperset(one.links):
            covered.update(one.links)
            yield one


def management_addresses(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield each device with its management address.

    Hosts without a pool of theirs have none, nor have switches without a CPU.
    """
    if plan.management is None:
        return
    for segment in range(plan.mapping.segments):
        layouts, boxes = plan.port_layouts(segment), plan.naming.boxes
        for box, name in enumerate(plan.naming.switches(segment)):
            if not layouts[boxes[box].role].model.externally_managed:
                yield name, plan.management.switch(segment, box)
    for row, host in enumerate(plan.hosts):
        if address := plan.management.host(row):
            yield host, address
