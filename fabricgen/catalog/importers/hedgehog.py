"""Switch profiles of Hedgehog (githedgehog/fabric, kind SwitchProfile).

They give ports, splits, SONiC's base names, silicon and port limit. Owns the format, as `kubectl
get switchprofile NAME -o yaml` prints it. It has no vendor, size or power.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from fabricgen.catalog.importers.model_draft import LANES, Description, mode, model_name, refused
from fabricgen.catalog.importers.port_names import NamedPort, natural, pattern_of

if TYPE_CHECKING:
    from pathlib import Path

MODE = re.compile(r"(\d+)x(\d+)G")
FORMS = {
    "QSFPDD": "qsfp-dd",
    "QSFP-DD": "qsfp-dd",
    "OSFP": "osfp",
    "QSFP112": "qsfp112",
    "QSFP56": "qsfp56",
}
"""Beginning of a port profile's name -> form factor."""


def read_profile(path: Path, facts: dict[str, Any]) -> Description:
    """Parse a profile; its cages are the ports of the most frequent profile that can be split."""
    spec = facts["spec"]
    split = {
        name: profile["breakout"]
        for name, profile in spec["portProfiles"].items()
        if profile.get("breakout")
    }
    ports = {name: port for name, port in spec["ports"].items() if port.get("profile") in split}
    if not ports:
        raise refused(
            path,
            "none of its ports can be split",
            hint="a fabric is planned on cages with a `breakout` profile",
        )
    kind = Counter(port["profile"] for port in ports.values()).most_common(1)[0][0]
    names = sorted((name for name, port in ports.items() if port["profile"] == kind), key=natural)
    lanes, form = _lanes(split[kind]), _form(kind)
    pattern = pattern_of(
        [NamedPort(cage, 0, lanes, lanes, name) for cage, name in enumerate(names, start=1)]
    )
    if pattern is None:
        raise refused(
            path,
            "its ports are not numbered without gaps",
            f"{len(names)} ports, {names[0]} to {names[-1]}",
            hint="give the profile whole",
        )
    name = facts["metadata"]["name"]
    contents = "ports, breakouts, names, silicon, port limit"
    found = Description(f"{name}, a Hedgehog switch profile ({contents})", {})
    found.facts = {
        "model": model_name(name),
        "cages": len(names),
        "lanes_per_cage": LANES.get(form, lanes),
    }
    found.facts |= {"description": spec["displayName"]} if spec.get("displayName") else {}
    found.facts |= {"asic": spec["switchSilicon"]} if spec.get("switchSilicon") else {}
    found.facts |= ({"form_factor": form} if form else {}) | (
        {"port_limit": int(spec["maxPorts"])} if spec.get("maxPorts") else {}
    )
    found.facts |= {
        "breakouts": [*_modes(split[kind])],
        "default_nos": "hedgehog",
        "transport": "ethernet",
    }
    found.facts["interfaces"] = {
        "hedgehog": {"whole": pattern, "split": f"{pattern}/{{sub1}}"}
    } | _base(spec, names, lanes)
    if len(names) < len(spec["ports"]):
        others = len(spec["ports"]) - len(names)
        found.notes.append(f"ports of other profiles are left out: {others}")
    if spec.get("pipelines"):
        found.notes.append(
            f"{len(spec['pipelines'])} pipelines limit the ports of their cages; "
            "only the limit of the whole switch is planned with"
        )
    return found


def _form(profile: str) -> str:
    """Return the form factor from the beginning of a profile's name; empty if unknown."""
    return next(
        (form for begin, form in FORMS.items() if profile.upper().startswith(begin + "-")), ""
    )


def _lanes(breakout: dict[str, Any]) -> int:
    """Return the lanes of a cage.

    They are the first lane of the last port of any split plus the distance of its ports.
    """
    most = 1
    for facts in breakout["supported"].values():
        offsets = [int(offset) for offset in facts.get("offsets") or ["0"]]
        if len(offsets) > 1:
            most = max(most, offsets[-1] + offsets[1] - offsets[0])
    return most


def _modes(breakout: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the splits, fastest and coarsest first; a port has the lanes up to the next one."""
    size, found = _lanes(breakout), list[dict[str, Any]]()
    for name, facts in breakout["supported"].items():
        if match := MODE.fullmatch(name):
            count = int(match[1])
            offsets = [int(offset) for offset in facts.get("offsets") or ["0"]]
            found.append(
                mode(count, int(match[2]), offsets[1] - offsets[0] if len(offsets) > 1 else size)
            )
    return sorted(found, key=lambda made: (-made["count"] * made["speed_gbps"], made["count"]))


def _base(spec: dict[str, Any], names: list[str], lanes: int) -> dict[str, dict[str, str]]:
    """Return the pattern of SONiC's own names; empty where the profile lacks some of them."""
    bases = [spec["ports"][name].get("baseNOSName", "") for name in names]
    ports = [NamedPort(cage, 0, lanes, lanes, base) for cage, base in enumerate(bases, start=1)]
    pattern = pattern_of(ports) if all(bases) else None
    return {"sonic": {"whole": pattern, "split": pattern}} if pattern else {}
