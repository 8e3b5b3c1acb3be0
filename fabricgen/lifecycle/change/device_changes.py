"""What changes on each device between two plans: its numbers, its ports and its configuration.

Owns `device_changes`. It compares every field of the views that configurations and host files are
rendered from, so that it lists every difference that can reach a file. Devices are identified by
name.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView

KEYS = ("interface", "vrf", "name", "cage")
"""Fields that identify an item of a list in a view; other items are identified by position."""


class Change(NamedTuple):
    """One difference: its subject, its place on the device (interface, VRF, none), both values."""

    what: str
    where: str
    was: str
    now: str


class Device(NamedTuple):
    """A device of either plan and its differences; `state` is added, removed or changed."""

    name: str
    role: str
    state: str
    changes: tuple[Change, ...] = ()


def device_changes(old: Plan, new: Plan) -> Iterator[Device]:
    """Compare every device of two plans: switches, then hosts, in the order of the new plan.

    Removed devices come last.
    """
    before, after = _segments(old), _segments(new)
    cached, same = _ViewCache(old), _alike(old, new)
    for segment in range(new.mapping.segments):
        names = new.naming.switches(segment)
        unlike = [
            box
            for box, name in enumerate(names)
            if new.installed[box] and (before.get(name) != (segment, same.get(box)))
        ]
        for view in Views(new).switches(segment, boxes=unlike):
            where = before.get(view.name)
            yield from _compared(
                view.name,
                view.role,
                cached.switch(view.name, where[0]) if where is not None else None,
                view,
            )
    yield from (Device(name, "switch", "removed") for name in before if name not in after)
    yield from _hosts(old, new)


def _segments(plan: Plan) -> dict[str, tuple[int, int]]:
    """Return the segment and the box of every installed switch."""
    named = ((segment, plan.naming.switches(segment)) for segment in range(plan.mapping.segments))
    return {
        name: (segment, box)
        for segment, names in named
        for box, (name, has) in enumerate(zip(names, plan.installed, strict=True))
        if has
    }


def _alike(old: Plan, new: Plan) -> dict[int, int]:
    """Return the boxes without a difference in any segment, each with its box in the old plan.

    Segments are alike but for numbers that increase evenly with rail and plane. So what agrees in
    the segments at both ends of the rails and of the planes agrees in all of them; unless a room is
    described, where each cable has its own length.
    """
    if (
        (old.mapping.segments, old.fabric.planes) != (new.mapping.segments, new.fabric.planes)
        or old.spec.site
        or new.spec.site
    ):
        return {}
    planes, segments = new.fabric.planes, new.mapping.segments
    found: dict[int, int] | None = None
    for segment in {0, planes - 1, segments - planes, segments - 1}:
        was = {view.name: view for view in Views(old).switches(segment)}
        boxes, older = (
            {name: box for box, name in enumerate(plan.naming.switches(segment))}
            for plan in (new, old)
        )
        same = {
            boxes[view.name]: older[view.name]
            for view in Views(new).switches(segment)
            if was.get(view.name) == view
        }
        found = same if found is None else dict(found.items() & same.items())
    return found or {}


class _ViewCache:
    """The switch views of one segment of a plan at a time."""

    def __init__(self, plan: Plan) -> None:
        self._views, self._segment = Views(plan), -1
        self._held: dict[str, SwitchView] = {}

    def switch(self, name: str, segment: int) -> SwitchView:
        """Return the view of a switch."""
        if segment != self._segment:
            self._segment, self._held = (
                segment,
                {view.name: view for view in self._views.switches(segment)},
            )
        return self._held[name]


def _hosts(old: Plan, new: Plan) -> Iterator[Device]:
    """Compare hosts by name."""
    before, makers = (
        {name: number for number, name in enumerate(old.hosts)},
        (Hosts(old), Hosts(new)),
    )
    same = _hosts_alike(old, new, makers)
    for number, name in enumerate(new.hosts):
        if before.get(name) == number and number in same:
            continue
        view = next(iter(makers[1].views([number])))
        other = next(iter(makers[0].views([before[name]]))) if name in before else None
        yield from _compared(name, "host", other, view)
    kept = set(new.hosts)
    yield from (Device(name, "host", "removed") for name in old.hosts if name not in kept)


def _hosts_alike(old: Plan, new: Plan, makers: tuple[Hosts, Hosts]) -> range:
    """Return the first hosts without any difference, whose NIC ports are plugged in as before.

    Other numbers of a host increase evenly with the host, rail and plane, so the HB domains at both
    ends represent those between.
    """
    was, now = old.fabric, new.fabric
    if (was.domain_gpus, was.domain_hosts, was.rails, was.planes, old.mapping.segments) != (
        now.domain_gpus,
        now.domain_hosts,
        now.rails,
        now.planes,
        new.mapping.segments,
    ):
        return range(0)
    gpus = min(was.gpus, now.gpus)
    plugged = [_plugged(plan, gpus) for plan in (old, new)]
    if plugged[0].shape != plugged[1].shape:
        return range(0)
    unlike = plugged[0][0][(plugged[0] != plugged[1]).any(axis=0)]
    coordinates = was.coordinates
    domains = coordinates.domain(int(unlike.min(initial=gpus)))
    if not domains:
        return range(0)
    first, last = coordinates.domain_host_range(0), coordinates.domain_host_range(domains - 1)
    return range(last.stop if all(_same(makers, host) for host in {*first, *last}) else 0)


def _same(makers: tuple[Hosts, Hosts], host: int) -> bool:
    """Return whether nothing differs on a host."""
    one, other = (next(iter(maker.views([host]))) for maker in makers)
    return one == other


def _plugged(plan: Plan, gpus: int) -> NDArray[Any]:
    """Return where the first GPUs of each block of a segment are plugged in.

    A column per NIC port, sorted by GPU and block: GPU, block, leaf, port, slot and number of the
    cable.
    """
    segment = plan.segment
    here = (segment.kind == LinkKind.HOST) & (segment.lower < gpus)
    columns = np.stack(
        [
            segment.lower,
            segment.block,
            segment.upper,
            segment.upper_port,
            segment.slot,
            segment.number,
        ]
    )[:, here]
    return columns[:, np.lexsort((columns[1], columns[0]))]


def _compared(name: str, role: str, old: Any, new: Any) -> Iterator[Device]:  # noqa: ANN401 - a switch view or a host view
    """Compare two views of a device; a device without an older view is new."""
    if old is None:
        yield Device(name, role, "added")
    elif changes := tuple(_changes(old, new)):
        yield Device(name, role, "changed", changes)


def _changes(old: Any, new: Any) -> Iterator[Change]:  # noqa: ANN401 - a switch view or a host view
    """Yield the differences of two views.

    A port that only one view has is one difference.
    """
    for path, was, now in _unlike(old, new, ()):
        if path[-1] == THERE:
            yield Change(
                path[-3].removesuffix("s").replace("_", " "),
                path[-2],
                *("absent" if each is None else "present" for each in (was, now)),
            )
        else:
            yield Change(
                path[-1].replace("_", " "), path[1] if len(path) > 1 else "", _text(was), _text(now)
            )


THERE = ""
"""The last part of a path that states that an item of a list exists."""

REPEATED = frozenset(
    {
        "idle_ports",
        "vrfs",
        "own_ports",
        "host_ports",
        "fabric_ports",
        "bgp_hosts",
        "bgp_ports",
        "classes",
        "other_dscps",
    }
)
"""Lists of a view that repeat the contents of its other lists."""


def _unlike(
    old: Any,  # noqa: ANN401 - any part of a view
    new: Any,  # noqa: ANN401 - as above
    path: tuple[str, ...],
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield the texts and numbers that differ in two views, each with its path.

    An item of a list that only one view has is a difference of its own.
    """
    if old is new or old == new:
        return
    if is_dataclass(old) and type(old) is type(new):
        for name in _names(type(old)):  # type: ignore[arg-type]  # mypy holds that this class is not hashable
            yield from _unlike(getattr(old, name), getattr(new, name), (*path, name))
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _unlike(old.get(key), new.get(key), (*path[:-1], key))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        before, after = _items(old), _items(new)
        if before == after:  # in another order
            yield path, ", ".join(before), ", ".join(after)
        for key in dict.fromkeys((*before, *after)):
            if key in before and key in after:
                yield from _unlike(before[key], after[key], (*path, key))
            else:
                yield from _only_in_one((*path, key), before.get(key), after.get(key))
    else:
        yield path, old, new


def _only_in_one(
    path: tuple[str, ...],
    old: Any,  # noqa: ANN401 - an item of a list
    new: Any,  # noqa: ANN401 - as above
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield an item that only one view has: a port by its name, others with their fields."""
    item = old if new is None else new
    yield (*path, THERE), None if old is None else True, None if new is None else True
    if len(path) > len(("list", "item")) and is_dataclass(item):
        for name in _names(type(item)):  # type: ignore[arg-type]  # the same
            value = getattr(item, name)
            yield (*path, name), *((value, None) if new is None else (None, value))


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of views that are compared."""
    return tuple(each.name for each in fields(kind) if each.name not in REPEATED)


def _items(values: Sequence[Any]) -> dict[str, Any]:
    """Return the items of a list by the field or value that identifies them, else by position."""
    key = next((key for key in KEYS if values and hasattr(values[0], key)), None)
    found = {
        str(getattr(item, key) if key else item): item
        for item in values
        if key or not is_dataclass(item)
    }
    return (
        found
        if len(found) == len(values)
        else {str(number): item for number, item in enumerate(values)}
    )


def _text(value: object) -> str:
    """Return a value as text; empty for None."""
    return "" if value is None else str(value)
