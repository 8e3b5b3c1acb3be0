"""The differences between two views of a device, field by field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


KEYS = ("interface", "vrf", "name", "cage")
"""Fields that identify an item of a list in a view; other items are identified by position."""


class Change(NamedTuple):
    """One difference: its subject, its place on the device (interface, VRF, none), both values."""

    what: str
    where: str
    was: str
    now: str


def view_changes(old: Any, new: Any) -> Iterator[Change]:  # noqa: ANN401 - a switch view or a host view
    """Yield the differences of two views.

    A port that only one view has is one difference.
    """
    for path, was, now in _differences(old, new, ()):
        if path[-1] == EXISTS:
            yield Change(
                path[-3].removesuffix("s").replace("_", " "),
                path[-2],
                *("absent" if each is None else "present" for each in (was, now)),
            )
        else:
            yield Change(
                path[-1].replace("_", " "), path[1] if len(path) > 1 else "", _text(was), _text(now)
            )


EXISTS = ""
"""The last part of a path that states that an item of a list exists."""


REPEATED = frozenset(
    {
        "idle_ports",
        "vrfs",
        "headrooms",
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


def _differences(
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
            yield from _differences(getattr(old, name), getattr(new, name), (*path, name))
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _differences(old.get(key), new.get(key), (*path[:-1], key))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        before, after = _items(old), _items(new)
        if before == after:  # in another order
            yield path, ", ".join(before), ", ".join(after)
        for key in dict.fromkeys((*before, *after)):
            if key in before and key in after:
                yield from _differences(before[key], after[key], (*path, key))
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
    yield (*path, EXISTS), None if old is None else True, None if new is None else True
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
    """Return a value as text, on one line; empty for None."""
    return "" if value is None else "; ".join(str(value).splitlines())
