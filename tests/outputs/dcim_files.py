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
Port = tuple[str, str, str]
"""A kind of port, a device, and a name."""
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


SERIAL = {
    "dcim.consoleport": "02-3-console-ports",
    "dcim.consoleserverport": "02-4-console-server-ports",
}
"""The tables of serial ports, by what NetBox calls a port."""


class Database(NamedTuple):
    """What NetBox would hold: tables by name, devices, interfaces, links with cable labels."""

    tables: dict[str, list[Row]]
    devices: dict[str, Row]
    interfaces: dict[End, Row]
    links: dict[frozenset[End], str]
    single: list[Row]
    pieces: list[dict[str, object]]
    cables: dict[Port, tuple[str, list[Port]]]
    """The label of the cable at each port, and the ports at its other end."""
    mappings: dict[Port, list[tuple[int, Port]]]
    """The front ports of each rear port with their positions, and the rear port of each front."""

    def trace(self, end: End) -> list[list[Port]]:
        """Follow an interface through panels, as NetBox traces: each way with all its ports."""
        return [*self._follow([("dcim.interface", *end)], 0)]

    def _follow(self, way: list[Port], position: int) -> Iterator[list[Port]]:
        """Follow the cable at the last port of a way, on a position of a rear port."""
        for port in self.cables.get(way[-1], ("", []))[1]:
            if port[0] == "dcim.interface":
                yield [*way, port]
            elif port[0] == "dcim.frontport":
                ((at, rear),) = self.mappings[port]
                yield from self._follow([*way, port, rear], at)
            else:
                fronts = [front for at, front in self.mappings[port] if at == position]
                assert len(fronts) == 1
                yield from self._follow([*way, port, fronts[0]], 0)


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
    interfaces = _ports_of(root, "02-interfaces", devices)
    ports: set[Port] = {("dcim.interface", *end) for end in interfaces}
    for kind, begin in SERIAL.items():
        ports.update((kind, *end) for end in _ports_of(root, begin, devices))
    mappings = _mappings(root, devices)
    ports.update(mappings)
    single = [row for rows in _files(root, "03-cables") for row in rows]
    trunks = [row for rows in _files(root, "03-2-") for row in rows]
    bundles = {row["name"] for rows in _files(root, "03-1-") for row in rows}
    assert {row["bundle"] for row in trunks} == bundles
    path = root / "netbox" / "04-breakouts.json"
    pieces = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    cables: dict[Port, tuple[str, list[Port]]] = {}
    for label, *sides in [*map(_single, [*single, *trunks]), *map(_legs, pieces)]:
        assert ports.issuperset([*sides[0], *sides[1]])
        assert cables.keys().isdisjoint([*sides[0], *sides[1]])
        for near, far in (sides, sides[::-1]):
            assert len(near) == len(far) or 1 in {len(near), len(far)}
            for at, port in enumerate(near):  # in order, or one end faces all
                cables[port] = label, [far[at]] if len(near) == len(far) else far
    base = Database(tables, devices, interfaces, {}, single, pieces, cables, mappings)
    return base._replace(links=_links(base))


def _links(base: Database) -> dict[frozenset[End], str]:
    """Return the pairs of interfaces that cables and panels join, each with the cable's label."""
    found: dict[frozenset[End], str] = {}
    for end in base.interfaces:
        for way in base.trace(end):
            found[frozenset({end, way[-1][1:]})] = base.cables[way[0]][0]
    return found


def _ports_of(root: Path, begin: str, devices: dict[str, Row]) -> dict[End, Row]:
    """Read a table of ports. No device has two of one name."""
    found: dict[End, Row] = {}
    for row in (row for rows in _files(root, begin) for row in rows):
        assert row["device"] in devices
        assert (row["device"], row["name"]) not in found
        found[row["device"], row["name"]] = row
    return found


def _mappings(root: Path, devices: dict[str, Row]) -> dict[Port, list[tuple[int, Port]]]:
    """Read the ports of panels. No position of a rear port has two front ports."""
    rears = _ports_of(root, "02-1-rear-ports", devices)
    found: dict[Port, list[tuple[int, Port]]] = {("dcim.rearport", *end): [] for end in rears}
    for (device, name), row in _ports_of(root, "02-2-front-ports", devices).items():
        assert row["positions"] == "1"
        position, rear = int(row["rear_port_position"]), (device, row["rear_port"])
        assert 1 <= position <= int(rears[rear]["positions"])
        front, behind = ("dcim.frontport", device, name), ("dcim.rearport", *rear)
        assert position not in {at for at, _ in found[behind]}
        found[behind].append((position, front))
        found[front] = [(position, behind)]
    return found


def _single(row: Row) -> tuple[str, list[Port], list[Port]]:
    """Read a row of cables: one end per side."""
    a, b = (
        (row[f"side_{side}_type"], row[f"side_{side}_device"], row[f"side_{side}_name"])
        for side in "ab"
    )
    return row["label"], [a], [b]


def _legs(piece: dict[str, list[dict[str, str]]]) -> tuple[str, list[Port], list[Port]]:
    """Read a piece: its ends in order."""
    a, b = (
        [(end["object_type"], end["device"], end["name"]) for end in piece[f"{side}_terminations"]]
        for side in "ab"
    )
    return str(piece["label"]), a, b


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
        for kind in spec.keys() & {"fabric", "mesh"}:
            links |= {
                frozenset(end["port"] for end in link.values()) for link in spec[kind]["links"]
            }
    return splits, links
