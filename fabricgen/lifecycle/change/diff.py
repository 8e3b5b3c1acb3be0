"""Two plans compared: cables to move, add and remove in order, and changed parts, cost, devices.

Owns `diff` and `Diff`. `cable_diff` reads the cables of both plans with `cable_table`,
`match_cables` pairs them, and `work_order` orders the work in one connected part of the fabric
after the other, such as a rail.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.bom.bill import CLASSES
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import number
from fabricgen.core.document import Document
from fabricgen.lifecycle.change.cable_diff import CableDiff
from fabricgen.lifecycle.change.cable_table import NameIndex, cable_table
from fabricgen.lifecycle.change.device_changes import DeviceChange, device_changes
from fabricgen.lifecycle.change.match_cables import CableJob, ChangedCable, match
from fabricgen.lifecycle.change.part_order import order_parts
from fabricgen.lifecycle.change.view_changes import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from fabricgen.bom.bill import Bom
    from fabricgen.lifecycle.change.work_order import WorkStep
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
class Diff(Document):
    """The changes from one fabric to another.

    Cables are counted as physical pieces: one that carries several links is kept or moved if any of
    its links is, and has a step for each link that changes.
    """

    old: Plan
    new: Plan
    kept: int
    """Cables with a link whose ends and make stay."""
    kept_pieces: frozenset[str]
    """Those of them that carry several links, by name."""
    jobs: tuple[CableJob, ...]
    order: Callable[[], tuple[tuple[WorkStep, ...], int]]
    """Orders the jobs: returns `steps` and `unfollowed`, which take most of the time of a diff."""
    measured: bool
    """Whether both rooms are described, so that places and cable lengths were compared."""
    places: tuple[tuple[str, str, str], ...]
    """Devices with a new place: name, and rack and rack unit in either plan."""

    @cached_property
    def _ordered(self) -> tuple[tuple[WorkStep, ...], int]:
        """The jobs in their order."""
        return self.order()

    @property
    def steps(self) -> tuple[WorkStep, ...]:
        """The work in its order."""
        return self._ordered[0]

    @property
    def unfollowed(self) -> int:
        """Steps that are too many to check which NIC ports lose their path."""
        return self._ordered[1]

    @property
    def moved(self) -> int:
        """The number of cables with one end that moves."""
        return _count((job.new for job in self.jobs if job.old and job.new), self.kept_pieces)

    @property
    def added(self) -> int:
        """The number of new cables."""
        moved = {job.new.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.new for job in self.jobs if job.new and not job.old), self.kept_pieces | moved
        )

    @property
    def removed(self) -> int:
        """The number of cables to remove."""
        moved = {job.old.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.old for job in self.jobs if job.old and not job.new), self.kept_pieces | moved
        )

    @property
    def differs(self) -> bool:
        """Whether anything changes from the old fabric to the new one."""
        return bool(self.steps or self.parts or self.settings or self.devices)

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
        before, after = (bom.cost() for bom in self.boms)
        if (
            before is None
            or after is None
            or self.boms[0].book.currency != self.boms[1].book.currency
        ):
            return None
        return number(after - before)

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
        steps = [
            {"action": step.action, "cable": step.cable, "from": step.start, "to": step.end}
            | ({"dark": list(step.disconnected)} if step.disconnected else {})
            for step in self.steps
        ]
        unpriced = sorted({part for bom in self.boms for part in bom.unpriced})
        return {
            "old": self.old.spec.name,
            "new": self.new.spec.name,
            "moved": self.moved,
            "added": self.added,
            "removed": self.removed,
            "kept": self.kept,
            "steps": steps,
            "steps_not_followed": self.unfollowed,
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
        }


def _count(cables: Iterable[ChangedCable], known: AbstractSet[str]) -> int:
    """Count cables as pieces, without the pieces that are counted elsewhere."""
    pieces = [cable.piece for cable in cables]
    return pieces.count("") + len({*pieces} - known - {""})


def diff(old: Plan, new: Plan) -> Diff:
    """Compare two plans. Takes memory for each cable of both, and time for each that differs."""
    register = NameIndex()
    before, after = cable_table(old, register), cable_table(new, register)
    measured = all(
        plan.lengths is not None and not plan.lengths.room.generated for plan in (old, new)
    )
    cables = CableDiff(before, after, measured=measured)
    cables.read_old(old)
    cables.read_new(new)
    jobs = [*match(cables.gone, cables.come), *cables.swaps]

    def order() -> tuple[tuple[WorkStep, ...], int]:
        steps, unfollowed = order_parts(jobs, before, after, cables.stay)
        return (*steps, *cables.small), unfollowed

    kept = cables.kept + len(cables.kept_pieces)
    return Diff(
        old=old,
        new=new,
        kept=kept,
        kept_pieces=frozenset(cables.kept_pieces),
        jobs=tuple(jobs),
        order=order,
        measured=measured,
        places=tuple(cables.moved_devices()),
    )


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
