"""Device types of NetBox (netbox-community/devicetype-library).

They give vendor, size, weight, and the interfaces with their form factors. Owns the format. It has
no lanes, splits or power, and its lists of ports may be incomplete: a gap is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
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

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CAGE = re.compile(
    r"(?P<speed>\d+(?:\.\d+)?)(?P<unit>[gt])base-x-(?P<form>osfp|qsfpdd|qsfp112|qsfp56)"
    r"(?:1600)?(?:-rhs)?"
)
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
    """Parse a device type; its cages are the ports of the most frequent pluggable type.

    `nos` is the NOS whose port names the file has.
    """
    ports = [
        port
        for port in facts["interfaces"]
        if not port.get("mgmt_only")
        and (CAGE.fullmatch(port["type"]) or port["type"] in INFINIBAND)
    ]
    if not ports:
        hint = "form and speed are read from types like 800gbase-x-osfp or infiniband-ndr"
        raise refused(path, "none of its interfaces is a pluggable cage", hint=hint)
    kind = Counter(port["type"] for port in ports).most_common(1)[0][0]
    names = sorted((str(port["name"]) for port in ports if port["type"] == kind), key=natural)
    found = Description(f"{path.name}, a NetBox device type (maker, ports, size, weight)", {})
    found.facts = {
        "model": model_name(facts["model"]),
        "vendor": str(facts["manufacturer"]),
        **_cage(kind),
        "cages": len(names),
    }
    lanes, speed = found.facts["lanes_per_cage"], _speed(kind)
    found.facts |= {
        "breakouts": [mode(1, speed, lanes)],
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


def _cage(kind: str) -> dict[str, Any]:
    """Return the facts of a cage by the type of its interface."""
    if kind in INFINIBAND:
        return {"transport": "infiniband", "lanes_per_cage": FOUR}
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
        else INFINIBAND[kind]
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
    ports = [NamedPort(cage, 0, lanes, lanes, name) for cage, name in enumerate(names, start=1)]
    pattern = pattern_of(ports)
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
