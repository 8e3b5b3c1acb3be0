"""What changes on each device between two plans: its numbers, its ports, and so its configuration.

Owns `device_changes`. It compares the views that configurations and host files are rendered from, field by field, so that nothing which could
reach a file goes unsaid. Devices are the same where their names are.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.hosting import Hosts
from fabricgen.viewing import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planner import Plan
    from fabricgen.views import SwitchView

Facts = dict[tuple[str, ...], Any]
"""Path into a view -> a text or a number."""

KEYS = ("interface", "vrf", "name", "cage")
"""What names an item of a list in a view; others are counted."""


class Change(NamedTuple):
    """One thing that differs on a device: what, where on it (an interface, a VRF, or nothing), and both values."""

    what: str
    where: str
    was: str
    now: str


class Device(NamedTuple):
    """A device of either plan, and what differs; `state` is added, removed or changed."""

    name: str
    role: str
    state: str
    changes: tuple[Change, ...] = ()


def device_changes(old: Plan, new: Plan) -> Iterator[Device]:
    """Compare every device of two plans, switches first, in the order of the new plan; what only the old one has comes last."""
    before, after = _units(old), _units(new)
    shelf = _Shelf(old)
    for unit in range(new.mapping.units):
        for view in Views(new).switches(unit):
            where = before.get(view.name)
            yield from _compared(view.name, view.role, shelf.switch(view.name, where) if where is not None else None, view)
    yield from (Device(name, "switch", "removed") for name in before if name not in after)
    yield from _hosts(old, new)


def _units(plan: Plan) -> dict[str, int]:
    """Return the unit of every installed switch."""
    named = ((unit, plan.naming.switches(unit)) for unit in range(plan.mapping.units))
    return {name: unit for unit, names in named for name, has in zip(names, plan.installed, strict=True) if has}


class _Shelf:
    """The switch views of one unit of a plan at a time."""

    def __init__(self, plan: Plan) -> None:
        self._views, self._unit = Views(plan), -1
        self._held: dict[str, SwitchView] = {}

    def switch(self, name: str, unit: int) -> SwitchView:
        """Return the view of a switch."""
        if unit != self._unit:
            self._unit, self._held = unit, {view.name: view for view in self._views.switches(unit)}
        return self._held[name]


def _hosts(old: Plan, new: Plan) -> Iterator[Device]:
    """Compare hosts by name."""
    before, makers = {name: number for number, name in enumerate(old.hosts)}, (Hosts(old), Hosts(new))
    for number, name in enumerate(new.hosts):
        view = next(iter(makers[1].views([number])))
        other = next(iter(makers[0].views([before[name]]))) if name in before else None
        yield from _compared(name, "host", other, view)
    kept = set(new.hosts)
    yield from (Device(name, "host", "removed") for name in old.hosts if name not in kept)


def _compared(name: str, role: str, old: Any, new: Any) -> Iterator[Device]:  # noqa: ANN401 - a switch view or a host view
    """Compare two views of a device; a device without an older view is new."""
    if old is None:
        yield Device(name, role, "added")
    elif changes := tuple(_changes(old, new)):
        yield Device(name, role, "changed", changes)


def _changes(old: Any, new: Any) -> Iterator[Change]:  # noqa: ANN401 - a switch view or a host view
    """Say what differs between two views: every field, and of a port that only one of them uses, that it is used."""
    if old == new:
        return
    before, after = dict(_facts(old, ())), dict(_facts(new, ()))
    for path in dict.fromkeys((*before, *after)):
        was, now = before.get(path), after.get(path)
        if was == now:
            continue
        if path[-1] == THERE:
            yield Change(path[-3].removesuffix("s").replace("_", " "), path[-2], *("absent" if each is None else "present" for each in (was, now)))
        elif all((*path[:2], THERE) in facts for facts in (before, after)) or len(path) <= len(("list", "item")):
            yield Change(path[-1].replace("_", " "), path[1] if len(path) > 1 else "", _text(was), _text(now))


THERE = ""
"""The last part of the path of an item of a list, that says that it is there."""

SAID = frozenset({"idle_ports", "vrfs", "host_ports", "fabric_ports"})
"""Lists of a view that repeat what its other lists tell."""


def _facts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401 - any part of a view
    """Walk a view down to its texts and numbers; an item of a list is a fact of its own."""
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            if each.name not in SAID:
                yield from _facts(getattr(value, each.name), (*path, each.name))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            key = next((str(getattr(item, key)) for key in KEYS if hasattr(item, key)), str(number))
            if is_dataclass(item):
                yield (*path, key, THERE), True
            yield from _facts(item, (*path, key))
    else:
        yield path, value


def _text(value: object) -> str:
    """Write a value; empty where there is none."""
    return "" if value is None else str(value)
