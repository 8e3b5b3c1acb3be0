"""Records: `dataclass` as the standard library has it, made in a quarter of the time.

A build declares 250 records, and the standard library compiles the text of six methods for each,
which is a fifteenth of a small build. Here `__init__` alone is compiled; the other methods are
functions that all records share. Fields, defaults, slots, inheritance, `fields` and `replace` are
those of `dataclasses`; the options are those that the program uses.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import dataclass
else:

    def dataclass(shape: type | None = None, /, **options: bool) -> Any:  # noqa: ANN401 - a type, or what makes one
        """Make a class a record. The options are those of `_record`."""
        return partial(_record, **options) if shape is None else _record(shape)


__all__ = ["dataclass"]

Shape = TypeVar("Shape", bound=type)


def _record(
    shape: Shape,
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
) -> Shape:
    """Give a class its fields and methods; what the class itself defines stays."""
    own = set(vars(shape))
    declare = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    made: Any = declare(shape)
    known = fields(made)
    methods: dict[str, Any] = {"__init__": _init(known, frozen=frozen), "__repr__": _repr}
    if eq:
        made._compared = _values([field.name for field in known if field.compare])  # noqa: SLF001 - of this class
        methods |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    if frozen and slots:  # to copy or send one sets its slots, where it may not set attributes
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    for name in methods.keys() - own:
        setattr(made, name, methods[name])
    found: Shape = made
    return found


def _init(known: Iterable[Field[Any]], *, frozen: bool) -> Callable[..., None]:
    """Compile `__init__` from the fields."""
    seen: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    plain, keyed, body = ["self"], list[str](), list[str]()
    for field in known:
        name, default, value = field.name, "", field.name
        if field.default is not MISSING:
            seen[f"_default_{name}"], default = field.default, f"=_default_{name}"
        elif field.default_factory is not MISSING:
            seen[f"_make_{name}"], default = field.default_factory, "=_missing"
            value = f"_make_{name}() if {name} is _missing else {name}"
        (keyed if field.kw_only else plain).append(name + default)
        body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    parameters = ", ".join([*plain, *(["*", *keyed] if keyed else [])])
    exec(f"def __init__({parameters}):\n" + ("\n".join(body) or " pass"), seen)  # noqa: S102 - the text is of names of fields
    made: Callable[..., None] = seen["__init__"]
    return made


def _values(names: list[str]) -> Callable[[object], Any]:
    """Return a function that reads the values of these fields, as a tuple even of one.

    Records without fields are compared by their type.
    """
    return attrgetter(*names, names[0]) if names else type


@recursive_repr("...")
def _repr(self: Any) -> str:  # noqa: ANN401 - any record
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _equal(self: Any, other: Any) -> Any:  # noqa: ANN401 - any record
    if type(self) is not type(other):
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:  # noqa: ANN401 - any record
    return hash(self._compared(self))


def _refuse_set(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:  # noqa: ANN401 - any record
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:  # noqa: ANN401 - any record
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
