"""SONiC's platform.json (sonic-buildimage, device/*/*/platform.json).

It gives cages, lanes, breakout modes and aliases. Owns the format. It has no vendor, size, power or
form factor.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.catalog.importers.model_draft import Description, mode, model_name, refused
from fabricgen.catalog.importers.port_names import NamedPort, pattern_of
from fabricgen.core.files import FileError, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODE = re.compile(r"(?P<count>\d+)x(?P<speed>\d+)G(?:\((?P<lanes>\d+)\))?(?:\[[^]]*\])?")
"""A mode that splits a cage evenly.

Number and speed of the ports, the lanes of all ports together where they are not the whole cage,
slower speeds.
"""

SUFFIX = ".platform.json"
SKU_BYTES = 2**10
"""A file default_sku is one line; a larger file is none."""


@dataclass(frozen=True)
class _Cage:
    """A cage: the name of its first port, its number, lanes, and the port aliases of each mode."""

    name: str
    index: int
    lanes: tuple[int, ...]
    modes: dict[str, list[str]]


def read_platform(path: Path, facts: dict[str, Any]) -> Description:
    """Parse a platform.json; service ports, which have fewer lanes, are left out."""
    every = [*_cages(facts["interfaces"])]
    size = Counter(len(cage.lanes) for cage in every).most_common(1)[0][0] if every else 0
    cages = sorted((cage for cage in every if len(cage.lanes) == size), key=lambda cage: cage.index)
    if not cages or [cage.index for cage in cages] != list(range(1, len(cages) + 1)):
        raise refused(
            path,
            "its cages are not numbered from 1",
            hint="give the file as sonic-buildimage ships it",
        )
    texts = [*dict.fromkeys(text for cage in cages for text in cage.modes)]
    modes, mixed = _modes(texts, size), [text for text in texts if not MODE.fullmatch(text)]
    model, platform = model_name(facts["chassis"].get("name", "")), _platform(path)
    sonic = {
        "platform": platform or model,
        "mode": {made["name"]: text for text, made in modes.items()},
        "lanes": {"per_lane": " ".join(f"{cage.lanes[0]}-{cage.lanes[-1]}" for cage in cages)},
    }
    if sku := _default_sku(path):
        sonic["default_hwsku"] = sku
    contents = "cages, lanes, breakouts, names, aliases"
    described = f"{path.name} of {platform or model}, a SONiC platform file ({contents})"
    found = Description(described, {})
    found.facts = {
        "cages": len(cages),
        "lanes_per_cage": size,
        "breakouts": list(modes.values()),
        "default_nos": "sonic",
        "transport": "ethernet",
    }
    found.facts |= {
        "model": model or model_name(platform),
        "nos": {"sonic": sonic | ({"mixed_modes": mixed} if mixed else {})},
    }
    found.facts["interfaces"] = {"sonic": _names(path, cages, modes, found)}
    found.doubtful |= set() if platform else {"nos.sonic.platform"}
    if not sku:
        found.missing["nos.sonic.default_hwsku"] = (
            "needed for SONiC configurations: the first word of the file default_sku, which is"
            " read where it is beside platform.json"
        )
    limits = [*_limits(cages, modes)]
    found.facts |= {"cage_groups": limits} if limits else {}
    found.notes += (
        [f"service ports, which have fewer lanes, are left out: {len(every) - len(cages)}"]
        if len(every) > len(cages)
        else []
    )
    left = sorted(set(texts) - set(modes) - set(mixed))
    found.notes += (
        [f"modes left out, because an earlier one has the same name: {', '.join(left)}"]
        if left
        else []
    )
    return found


def _cages(interfaces: dict[str, Any]) -> Iterator[_Cage]:
    """Yield the cages of the file. Raises KeyError, TypeError or ValueError for an invalid port."""
    for name, port in interfaces.items():
        lanes = tuple(int(lane) for lane in port["lanes"].split(","))
        yield _Cage(name, int(port["index"].split(",")[0]), lanes, dict(port["breakout_modes"]))


def _modes(texts: list[str], size: int) -> dict[str, dict[str, Any]]:
    """Return the even splits of a cage by their text; the first of each name counts."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        if match := MODE.fullmatch(text):
            count = int(match["count"])
            made = mode(count, int(match["speed"]), int(match["lanes"] or size) // count)
            if made["name"] not in {other["name"] for other in found.values()}:
                found[text] = made
    return found


def _platform(path: Path) -> str:
    """Return the name of the platform, from the file's directory or its own name."""
    if path.name.endswith(SUFFIX):
        return path.name.removesuffix(SUFFIX)
    folder = path.resolve().parent.name
    return folder if re.match(r"(x86_64|arm64|armhf)-", folder) else ""


def _default_sku(path: Path) -> str:
    """Return the SKU that the file default_sku beside a platform.json names; "" without one."""
    try:
        words = read_text(path.parent / "default_sku", SKU_BYTES).split()
    except FileError:
        return ""
    return words[0] if words and re.fullmatch(r"[A-Za-z0-9._-]{1,80}", words[0]) else ""


def _names(
    path: Path, cages: list[_Cage], modes: dict[str, dict[str, Any]], found: Description
) -> dict[str, str]:
    """Return the patterns of names and of aliases; irregular aliases are left out."""
    size = len(cages[0].lanes)
    name = pattern_of([NamedPort(cage.index, 0, size, size, cage.name) for cage in cages])
    if name is None:
        raise refused(
            path,
            "the names of its ports have no pattern",
            f"they begin with {cages[0].name} and {cages[-1].name}",
            hint="number them by cage",
        )
    names = {"whole": name, "split": name}
    ports = [
        (made["count"], NamedPort(cage.index, sub, made["lanes"], size, alias))
        for text, made in modes.items()
        for cage in cages
        for sub, alias in enumerate(cage.modes.get(text, []))
    ]
    whole, split = (
        [port for count, port in ports if (count > 1) == several] for several in (False, True)
    )
    patterns = [pattern_of(some) if some else None for some in (whole, split)]
    if None in patterns:
        found.notes.append("aliases are left out: they have no pattern")
        return names
    return names | {"alias_whole": str(patterns[0]), "alias_split": str(patterns[1])}


def _limits(cages: list[_Cage], modes: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield ranges of cages that lack some of the modes."""
    runs: list[list[Any]] = []
    for cage in cages:
        can = [made["name"] for text, made in modes.items() if text in cage.modes]
        if runs and runs[-1][2] == can:
            runs[-1][1] = cage.index
        else:
            runs.append([cage.index, cage.index, can])
    yield from (
        {"first": first, "last": last, "breakouts": can}
        for first, last, can in runs
        if len(can) < len(modes)
    )
