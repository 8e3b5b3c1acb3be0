"""What changes on each device between two plans: its numbers, its ports and its configuration.

Owns `device_changes`. It compares the views that configurations and host files are rendered from,
so that it lists every difference that can reach a file; `view_changes` compares two views. Devices
are identified by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.view_changes import Change, view_changes
from fabricgen.views.factory import Views
from fabricgen.views.hosts.direct import hosts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.build import Hosts
    from fabricgen.views.switches.view import SwitchView


class DeviceChange(NamedTuple):
    """A device of either plan and its differences; `state` is added, removed or changed."""

    name: str
    role: str
    state: str
    changes: tuple[Change, ...] = ()


def device_changes(old: Plan, new: Plan) -> Iterator[DeviceChange]:
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
    yield from (DeviceChange(name, "switch", "removed") for name in before if name not in after)
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

    Segments are alike but for lengths, and for numbers that increase evenly with rail and plane. So
    what else agrees in the segments at both ends of the rails and of the planes agrees in all of
    them; unless a room is described, where each device has its own place.
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
    return _as_long(old, new, found) if found else {}


def _as_long(old: Plan, new: Plan, same: dict[int, int]) -> dict[int, int]:
    """Return those of some boxes with equal ports whose cables are as long in every segment."""
    pairs = zip(_port_lengths(old, [*same.values()]), _port_lengths(new, [*same]), strict=True)
    boxes, unlike = [*same], set[int]()
    for (places, was), (_, now) in pairs:
        unlike.update(places[was != now].tolist())
    return {box: same[box] for place, box in enumerate(boxes) if place not in unlike}


def _port_lengths(plan: Plan, boxes: list[int]) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the cables at the ports of some boxes, segment by segment: box and whole metres.

    A box is its place in `boxes`, and its ports are in order.
    """
    links, place = plan.segment, np.full(len(plan.naming.boxes) + 1, -1)
    place[boxes] = range(len(boxes))
    lower = np.where(links.kind == LinkKind.HOST, -1, links.lower)
    box = place[np.concatenate([lower, links.upper])]
    order = np.lexsort((np.concatenate([links.lower_port, links.upper_port]), box))
    ends = order[box[order] >= 0]
    if plan.lengths is None:
        return
    for segment in range(plan.mapping.segments):
        yield box[ends], -(-plan.link_mm(segment)[ends % len(links.kind)] // 1000)


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


def _hosts(old: Plan, new: Plan) -> Iterator[DeviceChange]:
    """Compare hosts by name."""
    before, makers = (
        {name: number for number, name in enumerate(old.hosts)},
        (hosts_of(old), hosts_of(new)),
    )
    same = _hosts_alike(old, new, makers)
    for number, name in enumerate(new.hosts):
        if before.get(name) == number and number in same:
            continue
        view = next(iter(makers[1].views([number])))
        other = next(iter(makers[0].views([before[name]]))) if name in before else None
        yield from _compared(name, "host", other, view)
    kept = set(new.hosts)
    yield from (DeviceChange(name, "host", "removed") for name in old.hosts if name not in kept)


def _hosts_alike(old: Plan, new: Plan, makers: tuple[Hosts, Hosts]) -> range:
    """Return the first hosts without any difference, whose NIC ports are plugged in as before.

    Other numbers of a host increase evenly with the host, rail and plane, so the HB domains at both
    ends represent those between.
    """
    was, now = old.fabric, new.fabric
    if old.mapping.topology or new.mapping.topology:
        return range(0)  # hosts have other neighbours at both ends of a graph than between
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


def _compared(name: str, role: str, old: Any, new: Any) -> Iterator[DeviceChange]:  # noqa: ANN401 - a switch view or a host view
    """Compare two views of a device; a device without an older view is new."""
    if old is None:
        yield DeviceChange(name, role, "added")
    elif changes := tuple(view_changes(old, new)):
        yield DeviceChange(name, role, "changed", changes)
