"""Records behave as dataclasses of the standard library with the same options."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace
from functools import cached_property
from typing import Any

import pytest

from fabricgen.core.records import dataclass


class Shape:
    """The fields of the records that are compared."""

    a: int
    b: list[int] = field(default_factory=list)
    c: str = field(default="c", repr=False)
    d: float = field(default=1.5, compare=False)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "kw_only": True},
    {"frozen": True, "eq": False},
]


def made(maker: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - a decorator of classes, and its class
    """Make a class of the fields with a decorator."""
    shape = dict(vars(Shape)) | {"__module__": __name__, "__qualname__": "Made"}
    shape = {name: shape[name] for name in shape if name not in ("__dict__", "__weakref__")}
    return maker(**options)(type("Made", (), shape))


def behaviour(shape: Any, options: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a class of records
    """Describe what can be observed of a class and of its values."""
    one, same = (shape(a=1, b=[2], c="x", d=at) for at in (3.0, 4.0))
    fewer = shape(a=1)
    seen: dict[str, Any] = {
        "fields": [(each.name, each.init, each.kw_only) for each in fields(shape)],
        "shown": [repr(each) for each in (one, fewer)] if options.get("eq", True) else "",
        "equal": [one == same, one == fewer, one == 1, fewer.b is shape(a=1).b],
        "replaced": [replace(one, a=7).a, replace(one, a=7).b],
        "copied": copy.copy(one).b,
        "slots": getattr(shape, "__slots__", None),
        "matched": getattr(shape, "__match_args__", None),
        "hash": shape.__hash__ is None,
    }
    for what in (
        "shape(1, [2])",
        "shape()",
        "shape(a=1, z=2)",
        "setattr(one, 'a', 2)",
        "hash(one)",
    ):
        try:
            eval(what, {"shape": shape, "one": one})  # noqa: S307 - of this test
            seen[what] = "done"
        except (FrozenInstanceError, TypeError) as error:
            seen[what] = type(error)
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_record_is_a_dataclass(options: dict[str, Any]) -> None:
    """All that can be observed is equal."""
    ours, theirs = made(dataclass, options), made(dataclasses.dataclass, options)
    assert behaviour(ours, options) == behaviour(theirs, options)


@dataclass(frozen=True)
class Base:
    """A record that others extend."""

    path: str

    @cached_property
    def length(self) -> int:
        """A value that is computed once."""
        return len(self.path)


@dataclass(frozen=True)
class Longer(Base):
    """A record with one more field."""

    lines: int = 0

    def __repr__(self) -> str:
        """Keep the class's own text."""
        return "longer"


@dataclass(frozen=True, slots=True)
class Slotted:
    """A record without a dictionary."""

    a: int
    b: tuple[int, ...] = ()


def test_a_record_extends_another() -> None:
    """It has the fields of both, and its own methods stay."""
    longer = Longer("ab", 3)
    assert (longer.path, longer.lines, longer.length, repr(longer)) == ("ab", 3, 2, "longer")
    assert longer != Base("ab")
    assert {longer, Longer("ab", 3), Base("ab")} == {longer, Base("ab")}


@pytest.mark.parametrize("record", [Longer("ab", 3), Slotted(1, (2,))], ids=repr)
def test_a_record_is_sent_to_another_process(record: object) -> None:
    """Tasks of a build are."""
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 - of this test
