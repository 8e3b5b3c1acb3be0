"""Which names of a view a template may use: its declared fields and its marked members.

Owns the mark and the list of names. The sandbox of `outputs.packs` allows these names only.
Standard library only.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Method = TypeVar("Method", bound=Callable[..., object])


def for_templates(method: Method) -> Method:
    """Mark a method, or a property's function, as usable in templates. Fields need no mark."""
    method.for_templates = True  # type: ignore[attr-defined]  # a function takes any attribute
    return method


def template_names(shape: type) -> frozenset[str]:
    """Return the names of a class that templates may use; none where it is no view.

    A view is a slotted dataclass or a named tuple: only these declare all of their attributes.

    >>> from fabricgen.outputs.labels.pages import LabelLine
    >>> sorted(template_names(LabelLine)), template_names(str)
    (['kind', 'text'], frozenset())
    """
    if is_dataclass(shape) and "__slots__" in vars(shape):
        declared = [field.name for field in fields(shape)]
    elif issubclass(shape, tuple):
        declared = [*getattr(shape, "_fields", ())]
    else:
        return frozenset()
    members = {
        name: getattr(member, "fget", member)
        for part in shape.__mro__
        for name, member in vars(part).items()
    }
    marked = [name for name, member in members.items() if getattr(member, "for_templates", False)]
    return frozenset(name for name in [*declared, *marked] if not name.startswith("_"))
