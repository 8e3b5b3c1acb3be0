"""Two plans compared: every cable that moves, comes or goes in the order of the work, and parts, cost and devices that change.

Owns `diff` and `Diff`. Cables are laid side by side by `sheets`, paired by `matching` and put into
order by `ordering`, one part of the fabric after the other: parts are what no cable of either plan
joins, such as rails.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.bom.bill import CLASSES, make_bom
from fabricgen.bom.summary import number
from fabricgen.lifecycle.change.cable_table import (
    NIC,
    PORT_BITS,
    NameIndex,
    Sheet,
    sheet_of,
    views_of,
)
from fabricgen.lifecycle.change.device_changes import Change, Device, device_changes
from fabricgen.lifecycle.change.match_cables import Cable, Job, cable_of, make_of, match
from fabricgen.lifecycle.change.port_downtime import PortReachability, pairs_of
from fabricgen.lifecycle.change.work_order import Step, order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from fabricgen.bom.bill import Bom
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

FOLLOWED = 4000
"""Cables of a part that change, above which it is not followed step by step which NIC ports have a path, unless what stays joins them all."""


class PartDelta(NamedTuple):
    """A part of which another number is needed, spares included."""

    part_class: str
    part: str
    was: int
    now: int


class Setting(NamedTuple):
    """A key of the inventory that differs; None where it is not set."""

    key: str
    was: Any
    now: Any


@dataclass(frozen=True)
class Diff:
    """What it takes to make one fabric of another.

    Cables are counted as pieces: one that carries several links is kept or moved where any of them
    is, and has a step for each link that changes.
    """

    old: Plan
    new: Plan
    kept: int
    """Cables of which the ends and the make of a link stay."""
    kept_pieces: frozenset[str]
    """Those of them that carry several links, by name."""
    jobs: tuple[Job, ...]
    steps: tuple[Step, ...]
    unfollowed: int
    """Steps of which it is not known which NIC ports are dark meanwhile, because they are too many to follow."""
    measured: bool
    """Whether somebody described both rooms, so that places and lengths of cables are facts and were compared."""
    places: tuple[tuple[str, str, str], ...]
    """Devices that stand elsewhere: name, and rack and segment in either plan."""

    @property
    def moved(self) -> int:
        """Count the cables of which one end moves."""
        return _count((job.new for job in self.jobs if job.old and job.new), self.kept_pieces)

    @property
    def added(self) -> int:
        """Count the new cables."""
        moved = {job.new.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.new for job in self.jobs if job.new and not job.old), self.kept_pieces | moved
        )

    @property
    def removed(self) -> int:
        """Count the cables that go."""
        moved = {job.old.piece for job in self.jobs if job.old and job.new}
        return _count(
            (job.old for job in self.jobs if job.old and not job.new), self.kept_pieces | moved
        )

    @cached_property
    def boms(self) -> tuple[Bom, Bom]:
        """The bills of both plans."""
        return make_bom(self.old), make_bom(self.new)

    @cached_property
    def parts(self) -> list[PartDelta]:
        """The parts of which another number is needed, by class."""
        counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for which, bom in enumerate(self.boms):
            for line in bom.lines:
                counts[line.part_class, line.part][which] += line.quantity + line.spares
        found = [PartDelta(*key, *count) for key, count in counts.items() if count[0] != count[1]]
        return sorted(
            found, key=lambda delta: [name == delta.part_class for name in CLASSES], reverse=True
        )

    @cached_property
    def cost_delta(self) -> int | float | None:
        """Return what the new fabric costs more; None where the books' currencies differ or nothing has a price."""
        before, after = (bom.cost() for bom in self.boms)
        if (
            before is None
            or after is None
            or self.boms[0].book.currency != self.boms[1].book.currency
        ):
            return None
        return number(after - before)

    @cached_property
    def settings(self) -> list[Setting]:
        """The keys of the inventory that differ."""
        before, after = (
            dict(_keys(plan.spec.model_dump(mode="json"), ())) for plan in (self.old, self.new)
        )
        return [
            Setting(key, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]

    @cached_property
    def devices(self) -> list[Device]:
        """The devices that come, go, or have something changed, and what."""
        moved = {name: Change("place", "", was, now) for name, was, now in self.places}
        found = []
        for device in device_changes(self.old, self.new):
            place = moved.pop(device.name, None)
            found.append(device._replace(changes=(place, *device.changes)) if place else device)
        return [*found, *(Device(name, "", "changed", (place,)) for name, place in moved.items())]

    def document(self) -> dict[str, Any]:
        """Return `diff --json`."""
        steps = [
            {"action": step.action, "cable": step.cable, "from": step.start, "to": step.end}
            | ({"dark": list(step.dark)} if step.dark else {})
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


def _count(cables: Iterable[Cable], known: AbstractSet[str]) -> int:
    """Count cables as pieces, but for the pieces that are counted elsewhere."""
    pieces = [cable.piece for cable in cables]
    return pieces.count("") + len({*pieces} - known - {""})


def diff(old: Plan, new: Plan) -> Diff:
    """Compare two plans. Takes memory for each cable of both, and time for each that differs."""
    register = NameIndex()
    before, after = sheet_of(old, register), sheet_of(new, register)
    measured = all(
        plan.lengths is not None and not plan.lengths.room.generated for plan in (old, new)
    )
    shelf = _CableDiff(before, after, measured=measured)
    shelf.read_old(old)
    shelf.read_new(new)
    jobs = [*match(shelf.gone, shelf.come), *shelf.swaps]
    steps, unfollowed = _ordered(jobs, before, after, shelf.stay)
    kept = shelf.kept + len(shelf.kept_pieces)
    return Diff(
        old,
        new,
        kept,
        frozenset(shelf.kept_pieces),
        tuple(jobs),
        (*steps, *shelf.small),
        unfollowed,
        measured,
        tuple(shelf.moved_devices()),
    )


class _CableDiff:
    """The cables of two plans, read once each: what both have is compared, the rest is kept for pairing."""

    def __init__(self, before: Sheet, after: Sheet, *, measured: bool) -> None:
        self.before, self.after, self._measured = before, after, measured
        both, self._rows, self.stay = np.intersect1d(
            before.pair, after.pair, assume_unique=True, return_indices=True
        )
        self._partner = (
            dict(zip(self.stay.tolist(), self._rows.tolist(), strict=True)) if len(both) else {}
        )
        self._seen: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._alike: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._places: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self.gone: list[Cable] = []
        self.come: list[Cable] = []
        self.swaps: list[Job] = []
        self.small: list[Step] = []
        self.kept = 0
        self.kept_pieces: set[str] = set()

    def read_old(self, plan: Plan) -> None:
        """Read the older plan."""
        stays = set(self._rows.tolist())
        for row, view in enumerate(views_of(plan)):
            self._place(0, view)
            if row in stays:
                rest = (
                    *make_of(view, measured=self._measured),
                    view.a_transceiver,
                    view.b_transceiver,
                )
                self._seen[row] = view.cable, self._alike.setdefault(rest, rest)
            else:
                self.gone.append(cable_of(self.before, row, view, measured=self._measured))

    def read_new(self, plan: Plan) -> None:
        """Read the newer plan, and compare what both have."""
        for row, view in enumerate(views_of(plan)):
            self._place(1, view)
            if row in self._partner:
                self._compare(row, view)
            else:
                self.come.append(cable_of(self.after, row, view, measured=self._measured))

    def _compare(self, row: int, view: CableView) -> None:
        """Compare a cable that lies between the same ports in both plans."""
        label, rest = self._seen.pop(self._partner[row])
        make, modules = rest[:-2], rest[-2:]
        new = cable_of(self.after, row, view, measured=self._measured)
        if make != new.make:
            self.swaps += [Job(new._replace(label=label, make=make), None), Job(None, new)]
            return
        self.kept += not new.piece
        self.kept_pieces.update([new.piece] if new.piece else [])
        if label != view.cable:
            self.small.append(Step("relabel", label, label, view.cable))
        if modules != (view.a_transceiver, view.b_transceiver):
            self.small.append(
                Step(
                    "refit",
                    view.cable,
                    " and ".join(modules),
                    f"{view.a_transceiver} and {view.b_transceiver}",
                )
            )

    def _place(self, which: int, view: CableView) -> None:
        """Note where both devices of a cable stand."""
        self._places[which][view.a_device] = f"{view.a_rack} {view.a_unit}".strip()
        self._places[which][view.b_device] = f"{view.b_rack} {view.b_unit}".strip()

    def moved_devices(self) -> Iterator[tuple[str, str, str]]:
        """Yield the devices of both plans that stand elsewhere."""
        was, now = self._places
        return (
            (name, was[name], place)
            for name, place in now.items()
            if self._measured and name in was and was[name] != place
        )


def _ordered(
    jobs: list[Job], before: Sheet, after: Sheet, stay: IntArray
) -> tuple[list[Step], int]:
    """Order the jobs part by part; returns the steps, and how many of them were not followed."""
    fixed = pairs_of(after, stay)
    parts = _Parts(
        (*fixed, *(cable.nodes for job in jobs for cable in (job.old, job.new) if cable))
    )
    ports = {node: name for node, name in before.nics.items() if node in after.nics}
    jobs_of, fixed_of, nics_of = (
        parts.split(jobs, lambda job: _cable(job).nodes[1]),
        parts.split(fixed, lambda pair: pair[1]),
        parts.split(ports, lambda node: node),
    )
    steps: list[Step] = []
    unfollowed = 0
    for part, some in jobs_of.items():
        watch = PortReachability(
            fixed_of.get(part, ()), {node: ports[node] for node in nics_of.get(part, ())}
        )
        _watch_connected(watch, some)
        followed = watch.steady or len(some) <= FOLLOWED
        if not followed:
            watch.watch({})
        found = order(some, watch)
        unfollowed += 0 if followed else len(found)
        steps += found
    steps += [
        Step("relabel", job.old.label, job.old.label, job.new.label)
        for job in jobs
        if job.old and job.new and job.old.label != job.new.label
    ]
    return steps, unfollowed


def _cable(job: Job) -> Cable:
    """Return a cable of a job."""
    cable = job.new or job.old
    assert cable  # noqa: S101 - a job is about a cable
    return cable


def _watch_connected(watch: PortReachability, jobs: Iterable[Job]) -> None:
    """Watch only NIC ports that have a path before and after: nothing can be done for the others."""
    never = watch.dark(watch.ends([job.old.nodes for job in jobs if job.old])) | watch.dark(
        watch.ends([job.new.nodes for job in jobs if job.new])
    )
    watch.watch({node: name for node, name in watch.nics.items() if node not in never})


class _Parts:
    """What cables join, told apart by boxes: rails that share a box share its ports."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._root: dict[int, int] = {}
        for low, high in dict.fromkeys((self._box(low), self._box(high)) for low, high in pairs):
            self._root[self._find(low)] = self._find(high)

    @staticmethod
    def _box(node: int) -> int:
        """Return a NIC port itself, or the box of a switch's node."""
        return node if node & NIC else node >> PORT_BITS

    def _find(self, box: int) -> int:
        """Find what stands for the part of a box."""
        while (above := self._root.get(box, box)) != box:
            self._root[box] = self._root.get(above, above)
            box = above
        return box

    def split(self, items: Iterable[Any], node_of: Any) -> dict[int, list[Any]]:  # noqa: ANN401 - a function from item to node
        """Sort items into parts, in the order in which they come."""
        found: dict[int, list[Any]] = defaultdict(list)
        for item in items:
            found[self._find(self._box(node_of(item)))].append(item)
        return found


def _keys(values: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any part of an inventory
    """Walk an inventory down to its values."""
    if isinstance(values, dict) and values:
        for key, value in values.items():
            yield from _keys(value, (*path, str(key)))
    elif values is not None and values != {}:
        yield ".".join(path), values
