"""What changes on the networks beside the compute fabric: cables, switches and devices.

Owns `NetworkDiff`. The cables of a network are compared as those of the compute fabric are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.lifecycle.change.cable_changes import CableChanges, compare_cables
from fabricgen.lifecycle.change.cable_table import views_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


class NetworkDevice(NamedTuple):
    """A device of a network, and whether it is added, removed, or moved to other ports."""

    name: str
    state: str


@dataclass(frozen=True, kw_only=True)
class NetworkDiff(CableChanges):
    """The changes of one network."""

    devices: tuple[NetworkDevice, ...]
    """The switches and attached devices that are added, moved or removed."""

    @property
    def differs(self) -> bool:
        """Whether anything changes."""
        return bool(self.steps or self.devices)

    def document(self) -> dict[str, Any]:
        """Return the network's part of `diff --json`."""
        devices = [device._asdict() for device in self.devices]
        return {**self.counts(), **self.step_documents(), "devices": devices}


def diff_networks(old: Plan, new: Plan) -> dict[str, NetworkDiff]:
    """Compare each network that either plan has."""
    names = dict.fromkeys((*new.networks, *old.networks))
    return {name: _diff(old.networks.get(name), new.networks.get(name)) for name in names}


def _diff(old: Plan | None, new: Plan | None) -> NetworkDiff:
    """Compare a network; None where a plan does not have it."""
    changes = compare_cables(old, new)
    own = {field.name: getattr(changes, field.name) for field in fields(changes)}
    return NetworkDiff(**own, devices=tuple(_devices(_peers(old), _peers(new))))


def _peers(plan: Plan | None) -> dict[str, set[tuple[str, ...]]]:
    """Return the cables upwards of each device, by their interface, and the port at the far end."""
    peers: dict[str, set[tuple[str, ...]]] = {}
    for view in views_of(plan) if plan else ():
        ends = view.a_interface, view.b_device, view.b_interface
        peers.setdefault(view.a_device, set()).add(ends)
        peers.setdefault(view.b_device, set())
    return peers


def _devices(
    before: dict[str, set[tuple[str, ...]]], after: dict[str, set[tuple[str, ...]]]
) -> Iterator[NetworkDevice]:
    """Yield the devices that only one of two plans has, and those that lose a cable upwards."""
    for name, cables in after.items():
        if name not in before:
            yield NetworkDevice(name, "added")
        elif before[name] - cables:
            yield NetworkDevice(name, "moved")
    yield from (NetworkDevice(name, "removed") for name in before if name not in after)
