"""The columns that a sheet of cables can have, and their profiles.

Owns the columns that are looked up rather than planned, the choice of columns by name or list, and
the schema that is written beside the sheet. Profiles are files of the pack `cabling`. The other
columns are the attributes of `CableView`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.colours import colour
from fabricgen.core.diagnostics import Finding, Place, Refusal, nearest, refuse
from fabricgen.core.terms import ROLES
from fabricgen.core.yaml_text import load_facts
from fabricgen.views.cables.view import (
    CABLE_COLUMNS,
    DIRECTION,
    CableSheet,
    CableView,
    Join,
    opposite,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fabricgen.planning.plan import Plan

FORMAT = "fabricgen-cables/2"
"""The version of the schema.

It is raised when a column is removed or changes its meaning; a new column does not raise it.
"""

DEFAULT, WORKBOOK = "default", "workbook"
"""The default profiles of cables.csv and of cables.xlsx."""

Profiles = dict[str, tuple[str, ...]]

FIBRES = {"mmf": "multimode", "smf": "single-mode"}


class _Looked(NamedTuple):
    """A column that is looked up: the column that is its key, and its description."""

    key: str
    text: str


LOOKED_UP = {
    "site": _Looked("", "Name of the fabric, which distinguishes the cables of several sites."),
    "network": _Looked(
        "",
        "Network of the cable: compute, storage, inband, oob or console; `devices` and `uplinks`"
        " end on compute switches, and `peers` join paired devices.",
    ),
    DIRECTION: _Looked(
        "",
        "Direction in which the row lists the cable: `a-b` from its lower end,"
        " `b-a` from its upper end (with --both-ways).",
    ),
    "colour": _Looked(
        "rail", "Colour of the rail, in the order of TIA-598; the twelve repeat with rings."
    ),
    "fibre": _Looked(
        "medium", "Kind of fibre: multimode or single-mode; empty where the medium is none."
    ),
} | {
    f"{end}_{name}": _Looked(
        f"{end}_{key}" if key != "tier" else key, text.format("lower" if end == "a" else "upper")
    )
    for end in "ab"
    for name, key, text in (
        ("role", "tier", "What the device at the {} end is: host, leaf, spine or core."),
        ("platform", "tier", "Model of the device at the {} end; empty where it is not known."),
        (
            "serial",
            "device",
            "Serial number of the device at the {} end, from the list given with --serials.",
        ),
        ("hall", "rack", "Hall of the {} end."),
        ("row", "rack", "Row of the {} end in its hall: its number, from 1, or its name."),
        ("connector", "transceiver", "Connector of the module at the {} end."),
    )
}
"""The columns that are looked up."""

COLUMNS = (*CABLE_COLUMNS, *LOOKED_UP)
INTEGERS = {"rail", "plane", "tier", "connector", "a_unit", "b_unit", "a_row", "b_row"}


def read_profiles(paths: Iterable[Path]) -> Profiles:
    """Read files of profiles; a profile shadows those of its name in later files.

    Raises Refusal `bad-columns`.
    """
    found: Profiles = {}
    for path in paths:
        for name, listed in load_facts(path, "bad-columns").items():
            if not isinstance(listed, list) or not all(
                isinstance(column, str) for column in listed
            ):
                hint = "write it like `ends: [cable, a_device, b_device]`"
                raise Refusal(
                    [
                        Finding(
                            "bad-columns",
                            f"the profile `{name}` is not a list of columns",
                            hint=hint,
                            place=Place(str(path)),
                        )
                    ]
                )
            found.setdefault(str(name), tuple(listed))
    return found


def choose_columns(asked: str, profiles: Profiles) -> tuple[str, ...]:
    """Return the columns of a profile, or of a list of columns joined by commas.

    Raises Refusal `bad-columns` for an unknown column, or one that is named twice.

    >>> choose_columns("ends", {"ends": ("a_device", "b_device")})
    ('a_device', 'b_device')
    >>> choose_columns("cable, a_rack", {})
    ('cable', 'a_rack')
    """
    chosen = profiles.get(asked) or tuple(word.strip() for word in asked.split(","))
    for column in chosen:
        if column not in COLUMNS:
            raise _unknown(column, profiles if len(chosen) == 1 else ())
    twice = [column for column, again in pairwise(sorted(chosen)) if column == again]
    if twice:
        raise refuse("bad-columns", f"the column `{twice[0]}` is named twice", hint="name it once")
    return chosen


def _unknown(column: str, profiles: Iterable[str]) -> Refusal:
    """Refuse an unknown column, with the nearest known one as a hint."""
    near = nearest(column, [*profiles, *COLUMNS])
    what = "no profile and no column" if profiles else "no column"
    listed = f"profiles: {', '.join(profiles)}; " if profiles else ""
    hint = f"did you mean `{near}`?" if near else f"{listed}columns: {', '.join(COLUMNS)}"
    return refuse("bad-columns", f"a sheet of cables has {what} `{column}`", hint=hint)


def joins_of(plan: Plan, columns: Sequence[str], serials: Mapping[str, str]) -> dict[str, Join]:
    """Return the joins of the columns that are looked up, at both ends of a cable."""
    wanted = {
        each
        for column in columns
        for each in (column, opposite(column))
        if each in LOOKED_UP and each != DIRECTION
    }
    return {column: _join(plan, column, serials) for column in sorted(wanted)}


def _join(plan: Plan, column: str, serials: Mapping[str, str]) -> Join:
    """Return the join of one column."""
    key, name = LOOKED_UP[column].key, column.removeprefix("a_").removeprefix("b_")
    if name == "site":
        return Join("cable", {}, plan.spec.name)
    if name == "network":
        return Join("cable", {}, plan.fabric.network_name)
    if name == "serial":
        return Join(key, serials)
    if name in {"hall", "row"}:
        return Join(key, _racks(plan, name))
    if name in {"role", "platform"}:
        return Join(key, _devices(plan, name, lower=column.startswith("a_")))
    if name == "connector":
        return Join(key, {module.model: module.connector for module in plan.catalog.transceivers()})
    return Join(
        key,
        FIBRES
        if name == "fibre"
        else {str(rail): colour(rail) for rail in range(plan.fabric.rails)},
    )


def _racks(plan: Plan, what: str) -> dict[str, str]:
    """Return the hall or the row of each rack."""
    if plan.lengths is None:
        return {}
    room = plan.lengths.room
    texts = [hall if what == "hall" else row for hall, row, _ in room.places]
    return dict(zip(room.names, texts, strict=True))


def _devices(plan: Plan, what: str, *, lower: bool) -> dict[int, str]:
    """Return the role or the model of the devices at one end, by the tier of the upper end."""
    host = plan.fabric.host
    first = "host" if what == "role" else host.model if host else ""
    rest = [
        role.value if what == "role" else plan.fabric.port_layouts[role].model.model
        for role in plan.roles
    ]
    texts = [first, *rest] if lower else rest
    return {role.tier: text for role, text in zip(ROLES, texts, strict=False)}


def titles(columns: Iterable[str]) -> list[str]:
    """Write the titles of columns as people read them.

    >>> titles(["a_device", "length_m", "rail"])
    ['A device', 'Length m', 'Rail']
    """
    return [(column[:1].upper() + column[1:]).replace("_", " ") for column in columns]


_PIECES = (
    "A cable that carries several links has a `piece`; where its links differ in a column, it has"
    " the value of each link, in their order, with a space between them. links.csv has a row for"
    " each link."
)


def schema_of(sheet: CableSheet, fabric: str, *, shared: bool = False) -> dict[str, Any]:
    """Describe a sheet as a Table Schema (datapackage.org), with the meaning of each column.

    `shared` is whether a cable carries several links, so that a cell may have several numbers.
    """
    texts = _docstrings() | {name: looked.text for name, looked in LOOKED_UP.items()}
    kinds = {} if shared else dict.fromkeys(INTEGERS, "integer")
    kinds |= {"length_m": "number"}
    named = [join.texts.values() for column, join in sheet.joins.items() if column[1:] == "_row"]
    if not all(row.isdecimal() for rows in named for row in rows):  # rows of a site with names
        kinds |= {"a_row": "string", "b_row": "string"}
    fields = [
        {
            "name": column,
            "type": kinds.get(column, "string"),
            "title": title,
            "description": texts[column],
        }
        for column, title in zip(sheet.columns, titles(sheet.columns), strict=True)
    ]
    turned = (
        "a_ is the near end of the row: the upper end of the cable in the row of the other"
        " direction"
    )
    rows = f"Two rows for each cable: {turned}" if sheet.both_ways else "One row for each cable"
    key = [
        column
        for column in ("cable", DIRECTION)
        if column in sheet.columns and (column == "cable" or sheet.both_ways)
    ]
    return {
        "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
        "format": FORMAT,
        "title": f"Cables of {fabric}",
        "description": f"{rows}. {_PIECES}" if shared else f"{rows}.",
        "fields": fields,
        "missingValues": [""],
    } | (
        {"primaryKey": key} if "cable" in key and (DIRECTION in key or not sheet.both_ways) else {}
    )


def _docstrings() -> dict[str, str]:
    """Read the meaning of a cable's attributes from the strings below them."""
    (view,) = ast.parse(textwrap.dedent(inspect.getsource(CableView))).body
    body = view.body if isinstance(view, ast.ClassDef) else []
    return {
        above.target.id: " ".join(below.value.value.split())
        for above, below in pairwise(body)
        if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name)
        if isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
