"""Device types of NetBox (netbox-community/devicetype-library).

They give vendor, size, weight, and the interfaces with their form factors. Owns the format. It has
no lanes, splits or power, and its lists of ports may be incomplete: a gap is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from fabricgen.catalog.importers.model_draft import (
    FOUR,
    LANES,
    Description,
    mode,
    model_name,
    refused,
)
from fabricgen.catalog.importers.port_names import NamedPort, natural, pattern_of
from fabricgen.catalog.models.base import PLAIN_PORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

CAGE = re.compile(
    r"(?P<speed>\d+(?:\.\d+)?)(?P<unit>[gt])base-x-(?P<form>osfp|qsfpdd|qsfp112|qsfp56|qsfp28|sfp28)"
    r"(?:1600)?(?:-rhs)?"
)
SOCKETS = {"1000base-t": 1, "10gbase-t": 10}
"""Gbps of an RJ45 socket."""

INFINIBAND = {"infiniband-hdr": 200, "infiniband-ndr": 400, "infiniband-xdr": 800}
"""Gbps of a port of four lanes."""

FORMS = {"qsfpdd": "qsfp-dd"}
GRAMS: dict[str, Fraction] = {
    "kg": Fraction(1000),
    "g": Fraction(1),
    "lb": Fraction(45359237, 100000),
    "oz": Fraction(45359237, 1600000),
}


def read_device_type(path: Path, facts: dict[str, Any], nos: str) -> Description:
    """Parse a device type; its cages are the ports that are named alike, in groups by type.

    `nos` is the NOS whose port names the file has.
    """
    ports = {
        str(port["name"]): str(port["type"])
        for port in facts["interfaces"]
        if not port.get("mgmt_only") and _is_front(port["type"])
    }
    if not ports:
        hint = "form and speed are read from types like 800gbase-x-osfp or infiniband-ndr"
        raise refused(path, "none of its interfaces is a pluggable cage", hint=hint)
    kind = Counter(ports.values()).most_common(1)[0][0]
    names = _front(ports, kind)
    found = Description(f"{path.name}, a NetBox device type (maker, ports, size, weight)", {})
    found.facts = {
        "model": model_name(facts["model"]),
        "vendor": str(facts["manufacturer"]),
        "device_library": {
            "manufacturer": str(facts["manufacturer"]),
            "model": str(facts["model"]),
            "ports": _ranges([str(port["name"]) for port in facts["interfaces"]]),
        },
        **_cage(kind),
        "cages": len(names),
    }
    lanes, kinds = found.facts["lanes_per_cage"], dict.fromkeys(ports[name] for name in names)
    found.facts |= {
        "breakouts": [mode(1, _speed(each), _cage(each)["lanes_per_cage"]) for each in kinds],
        **({"cage_groups": _groups([ports[name] for name in names])} if len(kinds) > 1 else {}),
        "interfaces": {nos: _names(path, names, lanes)},
        "default_nos": nos,
    }
    found.facts |= {
        key: str(facts[name])
        for key, name in (("part_number", "part_number"), ("description", "description"))
        if facts.get(name)
    }
    found.facts |= _size(facts)
    found.doubtful.add(f"interfaces.{nos}")
    others = len(facts["interfaces"]) - len(names)
    found.notes += [f"interfaces of other types are left out: {others}"] if others else []
    return found


def _is_front(kind: str) -> bool:
    """Return whether a type of interface is a cage or a socket of the front."""
    return bool(CAGE.fullmatch(kind)) or kind in INFINIBAND or kind in SOCKETS


def _front(ports: Mapping[str, str], kind: str) -> list[str]:
    """Return the names of the front ports, in order; `kind` is the most frequent type.

    They are those whose names begin as those of that type do, where these are numbered in one run
    and each speed has one form; else those of that type alone.
    """
    start = Counter(_start(name) for name in ports if ports[name] == kind).most_common(1)[0][0]
    alike = sorted((name for name in ports if _start(name) == start), key=natural)
    own = [name for name in alike if ports[name] == kind]
    kinds = {ports[name] for name in alike}
    one_form = len({_speed(each) for each in kinds}) == len(kinds) and not kinds & {*INFINIBAND}
    return alike if one_form and pattern_of(_numbered(alike, 1)) else own


def _ranges(names: list[str]) -> list[str]:
    """Return names of ports in runs, as the catalog writes them; a name it cannot have is left out.

    >>> _ranges(["eth0", "swp1", "swp2", "swp3", "Ethernet1/1", "Ethernet2/1", "P*"])
    ['eth0', 'swp[1-3]', 'Ethernet[1-2]/1']
    """
    runs: list[tuple[list[str], list[str]]] = []
    for name in filter(re.compile(PLAIN_PORT).fullmatch, names):
        parts = re.split(r"(\d+)", name)
        step = _step(*runs[-1], parts) if runs else None
        if step is None:
            runs.append((parts, parts))
        else:
            runs[-1] = runs[-1][0], parts
    return ["".join(_run(first, last)) for first, last in runs]


def _step(first: list[str], last: list[str], parts: list[str]) -> int | None:
    """Return the place of the number by which a name continues a run; None where it does not."""
    differ = [at for at, (old, new) in enumerate(zip(last, parts, strict=False)) if old != new]
    began = [at for at, (old, new) in enumerate(zip(first, last, strict=True)) if old != new]
    if len(parts) != len(last) or len(differ) != 1 or began not in ([], differ):
        return None
    old, new = last[differ[0]], parts[differ[0]]
    counted = old.isdecimal() and new == str(int(old) + 1)
    return differ[0] if counted else None


def _run(first: list[str], last: list[str]) -> Iterator[str]:
    """Yield the parts of a run, its one number as a range."""
    for old, new in zip(first, last, strict=True):
        yield old if old == new else f"[{old}-{new}]"


def _start(name: str) -> str:
    """Return the part of a name before its first number."""
    return re.split(r"\d", name, maxsplit=1)[0]


def _numbered(names: list[str], lanes: int) -> list[NamedPort]:
    """Return the ports of these names, numbered as the cages of a switch."""
    return [NamedPort(cage, 0, lanes, lanes, name) for cage, name in enumerate(names, start=1)]


def _groups(kinds: list[str]) -> list[dict[str, Any]]:
    """Return the groups of cages, by the type of each cage."""
    groups, last = list[dict[str, Any]](), 0
    for kind, run in groupby(kinds):
        cage, first, last = _cage(kind), last + 1, last + len([*run])
        groups.append(
            {
                "first": first,
                "last": last,
                "breakouts": [mode(1, _speed(kind), cage["lanes_per_cage"])["name"]],
                "form_factor": cage["form_factor"],
                "lanes_per_cage": cage["lanes_per_cage"],
            }
        )
    return groups


def _cage(kind: str) -> dict[str, Any]:
    """Return the facts of a cage by the type of its interface."""
    if kind in INFINIBAND:
        return {"transport": "infiniband", "lanes_per_cage": FOUR}
    if kind in SOCKETS:
        return {"form_factor": "rj45", "lanes_per_cage": 1, "transport": "ethernet"}
    match = CAGE.fullmatch(kind)
    form = match["form"] if match else ""
    form = FORMS.get(form, form)
    return {"form_factor": form, "lanes_per_cage": LANES[form], "transport": "ethernet"}


def _speed(kind: str) -> int:
    """Return the speed of a type of interface in Gbps."""
    match = CAGE.fullmatch(kind)
    return (
        int(Fraction(match["speed"]) * (1000 if match["unit"] == "t" else 1))
        if match
        else (INFINIBAND | SOCKETS)[kind]
    )


def _size(facts: dict[str, Any]) -> dict[str, Any]:
    """Return rack units and weight; half units are left out."""
    units, weight = facts.get("u_height"), facts.get("weight")
    found: dict[str, Any] = (
        {"rack_units": int(units)} if units and float(units) == int(units) else {}
    )
    if weight and facts.get("weight_unit") in GRAMS:
        found["weight_kg"] = round(
            float(Fraction(str(weight)) * GRAMS[facts["weight_unit"]] / 1000), 2
        )
    return found


def _names(path: Path, names: list[str], lanes: int) -> dict[str, str]:
    """Return the pattern of the names; that of split ports is a guess.

    Raises Refusal where the names have gaps or follow no pattern.
    """
    pattern = pattern_of(_numbered(names, lanes))
    if pattern is None:
        hint = (
            "complete the list of interfaces in the file, "
            "or number the ports from one end to the other"
        )
        raise refused(
            path,
            "its ports are not numbered without gaps",
            f"{len(names)} ports, {_shown(names)}",
            hint=hint,
        )
    return {"whole": pattern, "split": f"{pattern}s{{sub}}"}


def _shown(names: list[str]) -> str:
    """Return the first names and the last one."""
    few: Iterable[str] = names if len(names) <= FOUR else [*names[:3], "...", names[-1]]
    return ", ".join(few)
