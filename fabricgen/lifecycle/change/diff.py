"""Two plans compared: cables to move, add and remove in order, and changed parts, cost, devices.

Owns `diff` and `Diff`. `cable_changes` compares the cables of the compute fabric, and
`network_diff` the networks beside it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.bom.bill import CLASSES
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import number
from fabricgen.core.document import Document
from fabricgen.lifecycle.change.cable_changes import CableChanges, compare_cables
from fabricgen.lifecycle.change.device_changes import DeviceChange, device_changes
from fabricgen.lifecycle.change.network_diff import NetworkDiff, diff_networks
from fabricgen.lifecycle.change.view_changes import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.planning.plan import Plan


class PartDelta(NamedTuple):
    """A part whose quantity differs, spares included."""

    part_class: str
    part: str
    was: int
    now: int


class SettingChange(NamedTuple):
    """A key of the inventory that differs; None where it is not set."""

    key: str
    was: Any
    now: Any


@dataclass(frozen=True, kw_only=True)
class Diff(CableChanges, Document):
    """The changes from one cluster to another; all but `networks` is of the compute fabric."""

    old: Plan
    new: Plan
    networks: dict[str, NetworkDiff]
    """The changes of each network that either has."""

    @property
    def differs(self) -> bool:
        """Whether anything changes from the old fabric to the new one."""
        compute = self.steps or self.parts or self.settings or self.devices
        return bool(compute) or any(network.differs for network in self.networks.values())

    @cached_property
    def boms(self) -> tuple[Bom, Bom]:
        """The bills of materials of both plans."""
        return make_bom(self.old), make_bom(self.new)

    @cached_property
    def parts(self) -> list[PartDelta]:
        """The parts whose quantity differs, by class."""
        counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for which, bom in enumerate(self.boms):
            for line in bom.lines:
                counts[line.part_class, line.item][which] += line.quantity + line.spares
        found = [PartDelta(*key, *count) for key, count in counts.items() if count[0] != count[1]]
        return sorted(
            found, key=lambda delta: [name == delta.part_class for name in CLASSES], reverse=True
        )

    @cached_property
    def cost_delta(self) -> int | float | None:
        """The additional cost of the new fabric; None without comparable prices."""
        return _cost_delta(*self.boms)

    @cached_property
    def cluster_boms(self) -> tuple[Bom, Bom]:
        """The bills of both clusters, with all networks."""
        return cluster_bom(self.old), cluster_bom(self.new)

    @cached_property
    def cluster_cost_delta(self) -> int | float | None:
        """The additional cost of the new cluster with all networks; None as `cost_delta`."""
        return _cost_delta(*self.cluster_boms)

    @cached_property
    def settings(self) -> list[SettingChange]:
        """The keys of the inventory that differ."""
        before, after = (
            dict(_keys(plan.spec.model_dump(mode="json"), ())) for plan in (self.old, self.new)
        )
        return [
            SettingChange(key, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]

    @cached_property
    def devices(self) -> list[DeviceChange]:
        """The devices that are added, removed or changed, with their changes."""
        moved = {name: Change("place", "", was, now) for name, was, now in self.places}
        found = []
        for device in device_changes(self.old, self.new):
            place = moved.pop(device.name, None)
            found.append(device._replace(changes=(place, *device.changes)) if place else device)
        return [
            *found,
            *(DeviceChange(name, "", "changed", (place,)) for name, place in moved.items()),
        ]

    def document(self) -> dict[str, Any]:
        """Return `diff --json`."""
        unpriced = sorted({part for bom in self.boms for part in bom.unpriced})
        return {
            "old": self.old.spec.name,
            "new": self.new.spec.name,
            **self.counts(),
            **self.step_documents(),
            "cost_delta": self.cost_delta,
            "currency": self.boms[1].book.currency,
            "unpriced": unpriced,
            "places_and_lengths_compared": self.measured,
            "parts": [delta._asdict() for delta in self.parts],
            "settings": [setting._asdict() for setting in self.settings],
            "devices": [
                device._asdict() | {"changes": [change._asdict() for change in device.changes]}
                for device in self.devices
            ],
            **(self._cluster() if self.networks else {}),
        }

    def _cluster(self) -> dict[str, Any]:
        """Return the keys of `diff --json` that a cluster with networks has."""
        networks = {name: network.document() for name, network in self.networks.items()}
        unpriced = sorted({part for bom in self.cluster_boms for part in bom.unpriced})
        return {
            "networks": networks,
            "cluster_cost_delta": self.cluster_cost_delta,
            "cluster_unpriced": unpriced,
        }


def _cost_delta(before: Bom, after: Bom) -> int | float | None:
    """Return what one bill costs more than another; None without comparable prices."""
    costs = before.cost(), after.cost()
    if costs[0] is None or costs[1] is None or before.book.currency != after.book.currency:
        return None
    return number(costs[1] - costs[0])


def diff(old: Plan, new: Plan) -> Diff:
    """Compare two plans, and the networks beside them."""
    changes = compare_cables(old, new)
    own = {field.name: getattr(changes, field.name) for field in fields(changes)}
    return Diff(**own, old=old, new=new, networks=diff_networks(old, new))


def _keys(values: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any part of an inventory
    """Yield the values of an inventory with their dotted keys."""
    if isinstance(values, dict) and values:
        for key, value in values.items():
            yield from _keys(value, (*path, str(key)))
    elif isinstance(values, list) and any(isinstance(each, dict) for each in values):
        for number, value in enumerate(values):
            yield from _keys(value, (*path, str(number)))
    elif values is not None and values != {}:
        yield ".".join(path), values
