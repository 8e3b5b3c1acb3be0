"""A reader of the DCIM files.

It rebuilds every link from them, by the rules of the tools that import them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tests.csv_rows import read_rows
from tests.outputs.libyaml import documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

End = tuple[str, str]
Row = dict[str, str]

ORDER = (
    "sites",
    "locations",
    "racks",
    "manufacturers",
    "device-roles",
    "platforms",
    "device-types",
)


class Database(NamedTuple):
    """What NetBox would hold: tables by name, devices, interfaces, links with cable labels."""

    tables: dict[str, list[Row]]
    devices: dict[str, Row]
    interfaces: dict[End, Row]
    links: dict[frozenset[End], str]
    single: list[Row]
    pieces: list[dict[str, object]]


def _files(root: Path, begin: str) -> Iterator[list[Row]]:
    """Read the files of one table in the order of their names."""
    for path in sorted((root / "netbox").glob(f"{begin}*.csv")):
        yield read_rows(path.read_text(encoding="utf-8"))


def read_netbox(root: Path) -> Database:
    """Import the files in the order of their names.

    References to missing objects, and a port in two cables, are errors.
    """
    tables = {
        name: next(_files(root, f"00-{at}-{name}"), []) for at, name in enumerate(ORDER, start=1)
    }
    names = {
        name: {row["name"] for row in rows}
        for name, rows in tables.items()
        if name != "device-types"
    }
    assert {row["manufacturer"] for row in tables["device-types"]} <= names["manufacturers"]
    types = {(row["manufacturer"], row["model"]) for row in tables["device-types"]}
    racks = {(row["site"], row["location"], row["name"]) for row in tables["racks"]}
    devices: dict[str, Row] = {}
    for row in (row for rows in _files(root, "01-") for row in rows):
        assert row["name"] not in devices
        assert (row["manufacturer"], row["device_type"]) in types
        assert row["role"] in names["device-roles"]
        assert row["platform"] in {"", *names["platforms"]}
        assert not row["rack"] or (row["site"], row["location"], row["rack"]) in racks
        assert bool(row["rack"]) == bool(row["position"]) == bool(row["face"])
        devices[row["name"]] = row
    interfaces: dict[End, Row] = {}
    for row in (row for rows in _files(root, "02-") for row in rows):
        assert row["device"] in devices
        assert (row["device"], row["name"]) not in interfaces
        interfaces[row["device"], row["name"]] = row
    single = [row for rows in _files(root, "03-") for row in rows]
    path = root / "netbox" / "04-breakouts.json"
    pieces = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    links: dict[frozenset[End], str] = {}
    taken: set[End] = set()
    for label, ends in [*map(_single, single), *(leg for piece in pieces for leg in _legs(piece))]:
        assert ends <= interfaces.keys()
        assert taken.isdisjoint(ends)
        taken |= ends
        links[ends] = label
    return Database(tables, devices, interfaces, links, single, pieces)


def _single(row: Row) -> tuple[str, frozenset[End]]:
    """Read a row of cables: one end per side."""
    assert (row["side_a_type"], row["side_b_type"]) == ("dcim.interface", "dcim.interface")
    return row["label"], frozenset(
        {(row["side_a_device"], row["side_a_name"]), (row["side_b_device"], row["side_b_name"])}
    )


def _legs(piece: dict[str, list[dict[str, str]]]) -> Iterator[tuple[str, frozenset[End]]]:
    """Pair the ends of a piece, the first with the first."""
    sides = [
        [(end["device"], end["name"]) for end in piece[f"{side}_terminations"]] for side in "ab"
    ]
    yield from ((str(piece["label"]), frozenset(pair)) for pair in zip(*sides, strict=True))


def read_wiring(path: Path) -> tuple[dict[str, Row], set[frozenset[str]]]:
    """Read Hedgehog's wiring: the splits of each switch, and the links by `device/port`."""
    splits, links, names = {}, set(), set()
    for thing in documents(path.read_text(encoding="utf-8")):
        if thing is None:
            continue
        assert (thing["kind"], thing["metadata"]["name"]) not in names
        names.add((thing["kind"], thing["metadata"]["name"]))
        spec = thing["spec"]
        if thing["kind"] == "Switch":
            splits[thing["metadata"]["name"]] = dict(spec["portBreakouts"])
        elif "unbundled" in spec:
            links.add(frozenset(end["port"] for end in spec["unbundled"]["link"].values()))
        elif "fabric" in spec:
            links |= {
                frozenset(end["port"] for end in link.values()) for link in spec["fabric"]["links"]
            }
    return splits, links
