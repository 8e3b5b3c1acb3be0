"""Rack elevations and port maps.

Every installed device is drawn once, at its position, without overlaps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from fabricgen.build.installation_files import elevations, port_maps
from fabricgen.catalog.catalog import Catalog
from fabricgen.outputs.installation.chips import chip
from fabricgen.outputs.installation.elevations import _sections
from fabricgen.outputs.installation.faceplate import WIDEST, Faceplate, face_of
from fabricgen.outputs.installation.picture_view import (
    CageBox,
    ElevationView,
    PortBox,
    PortMapView,
    PortRow,
    RackedDeviceView,
    ReservedView,
    TextLine,
)
from fabricgen.outputs.installation.port_maps import missing_faceplate
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import SUPERPOD, build_context, build_job, plan_of, small_plan
from tests.outputs.machine_room import FABRICS, SVG, Built, built, titles

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.installation.port_maps import PortMaps
    from fabricgen.planning.plan import Plan

FACES = [face_of(model) for model in Catalog().switches() if model.cages] + [
    Faceplate(cages, rows, by_row=by_row, assumed=True)
    for cages in (1, 5, 9, 14)
    for rows in (1, 2, 3, 4)
    for by_row in (False, True)
]


@pytest.fixture(scope="module", params=FABRICS, ids=list(FABRICS))
def room(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return a fabric with its files."""
    return built(FABRICS[request.param], tmp_path_factory.mktemp("room") / "out")


def drawn_maps(context: BuildContext) -> PortMaps:
    """Return the port maps of a fabric as if the positions of all cages were known."""
    maps = port_maps(context)
    compute = maps.elevations.fronts
    for fronts in (compute, *compute.networks.values()):
        vars(fronts)["faces"] = {
            role: replace(face, assumed=False) for role, face in fronts.faces.items()
        }
    return maps


def switches(plan: Plan) -> list[str]:
    """Name the switches of a plan and of its networks."""
    return [name for each in (plan, *plan.networks.values()) for name in each.switches()]


def test_pdus_beside_the_units_are_named_below_a_rack(tmp_path: Path) -> None:
    """No rack unit shows them; they are under a heading of their own, above the cables."""
    room = built(FABRICS["networks"], tmp_path / "out")
    drawn = ET.fromstring(room.below("racks", ".svg")["A01-01.svg"])  # noqa: S314 - fabricgen wrote the file
    at = {text.text: int(text.get("y", 0)) for text in drawn.iter(f"{SVG}text")}
    assert at["Power"] < at["pdu-1, pdu-2 beside the units."] < at["Cables"]


def test_a_rack_without_pdus_has_no_heading_of_power() -> None:
    """Only sections with lines have a heading."""
    headings, lines, end = _sections({"Power": iter([]), "Cables": iter(["a", "b"])}, 100)
    assert [heading.text for heading in headings] == ["Cables"]
    assert end == lines[-1].y


def test_a_map_without_a_known_faceplate_is_a_list(room: Built) -> None:
    """It states why, and has every cabled port in its order, in columns that do not overlap."""
    context = build_context(room.plan, Packs())
    lists, drawings = port_maps(context), drawn_maps(build_context(room.plan, Packs()))
    for name in lists.switches:
        listed, front = lists.port_map(name), drawings.port_map(name)
        assert "so this is a list by port" in listed.reason
        assert not listed.cages
        assert [row.title for row in listed.rows] == [
            port.title for cage in front.cages for port in cage.ports
        ]
        assert len({(row.x, row.y) for row in listed.rows}) == len(listed.rows)
        assert all(row.y < listed.height and row.x < listed.width for row in listed.rows)
        assert all(52 + 7 * len(row.cable) < row.peer_x < row.width for row in listed.rows)


def test_every_catalog_switch_is_drawn_only_by_a_verified_faceplate() -> None:
    """What the catalog lacks or marks as unverified is assumed, and never drawn."""
    for model in Catalog().switches():
        stated = model.faceplate is not None and "faceplate" not in model.unverified
        assert face_of(model).assumed is not stated
        assert stated or model.model in missing_faceplate(model)


def test_the_first_connector_of_a_module_is_stated_or_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A module with two connectors has a sentence on which is 1; a fact of the catalog is used."""
    context = build_context(plan_of(**SUPERPOD), Packs())
    maps = port_maps(context)
    name = next(iter(maps.switches))
    assert "does not state which connector of a mma4z00-ns is 1" in maps.port_map(name).connectors
    catalog = Catalog()
    known = tuple(
        module.model_copy(update={"first_connector": "the left one"})
        for module in catalog.transceivers()
    )
    monkeypatch.setattr(catalog, "transceivers", lambda: known)
    maps = port_maps(build_context(plan_of(catalog, **SUPERPOD), Packs()))
    assert maps.port_map(name).connectors == "Connector 1 of a mma4z00-ns is the left one."


def test_every_device_is_in_one_elevation(room: Built) -> None:
    """Each device of the cable list is drawn once, in its own rack at its own rack unit.

    Planned devices are drawn differently.
    """
    drawn: Counter[tuple[str, str, str]] = Counter()
    for name, svg in room.below("racks", ".svg").items():
        for title, count in titles(svg, "device").items():
            device, _, units = title.split(":")[0].split(", ")
            drawn[device, name.removesuffix(".svg"), units.split("-")[0].removeprefix("U")] += count
    wanted = {
        (row[f"{end}_device"], row[f"{end}_rack"], row[f"{end}_unit"])
        for row in room.cables
        for end in "ab"
        if row[f"{end}_unit"] != "0"
    }
    assert drawn == Counter(dict.fromkeys(wanted, 1))
    beside = [f"mgmt-{number}" for number in (1, 2, 3)] if room.plan.networks else []
    assert {device for device, *_ in drawn} == {*room.plan.hosts, *switches(room.plan), *beside}


def test_planned_devices_are_drawn_differently(tmp_path: Path) -> None:
    """A rack shows the positions of the reserve, and none of them has a cable."""
    room = built(FABRICS["reserved"], tmp_path / "out")
    planned = [
        title.split(",")[0]
        for svg in room.below("racks", ".svg").values()
        for title in titles(svg, "planned")
    ]
    assert planned
    assert len(set(planned)) == len(planned)
    assert not {*planned} & {row[f"{end}_device"] for row in room.cables for end in "ab"}


def test_every_cabled_port_is_on_one_map(room: Built) -> None:
    """Each end of a cable at a switch is drawn on the map of that switch, and nothing else is."""
    drawn: Counter[tuple[str, str]] = Counter()
    for name, svg in room.below("ports", ".svg").items():
        for title, count in titles(svg, "port").items():
            cable, own = title.split(" to ")[0].split(": ")
            device, _, interface = own.partition(" ")
            assert device == name.removesuffix(".svg")
            drawn[cable, f"{device} {interface}"] += count
    wanted = [(row["cable"], f"{row['b_device']} {row['b_interface']}") for row in room.cables]
    wanted += [
        (row["cable"], f"{row['a_device']} {row['a_interface']}")
        for row in room.cables
        if int(row["tier"]) > 1
    ]
    assert drawn == Counter(dict.fromkeys(wanted, 1))
    assert {f"{name}.svg" for name in switches(room.plan)} == set(room.below("ports", ".svg"))


def test_drawn_shapes_do_not_overlap(room: Built) -> None:
    """Devices, cages and connectors are disjoint and inside of the picture."""
    context = build_context(room.plan, Packs())
    pictures, maps = elevations(context), drawn_maps(context)
    for name in pictures.racks:
        view = pictures.rack(name)
        spans = sorted((device.y, device.y + device.height) for device in view.devices)
        assert all(low[1] <= high[0] for low, high in pairwise(spans))
        assert 70 <= spans[0][0] < spans[-1][1] <= 70 + view.body < view.height
    for name in maps.switches:
        front = maps.port_map(name)
        assert (front.reason, front.rows) == ("", [])
        assert len({(cage.x, cage.y) for cage in front.cages}) == len(front.cages)
        for cage in front.cages:
            assert cage.x + 104 <= front.width
            assert cage.y + front.cage_height <= front.height
            heights = [port.y for port in cage.ports]
            assert len(set(heights)) == len(heights)
            assert all(height + front.slot <= front.cage_height for height in heights)


def test_the_counts_of_a_rack_are_those_of_the_cable_list(room: Built) -> None:
    """The cables of an elevation are counted from the rows of the list."""
    for name, svg in room.below("racks", ".svg").items():
        rack = name.removesuffix(".svg")
        output = [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - fabricgen wrote the file
        inside = sum(row["a_rack"] == row["b_rack"] == rack for row in room.cables)
        assert f"{inside} cables stay in this rack." in output
        away = Counter(
            row["b_rack" if row["a_rack"] == rack else "a_rack"]
            for row in room.cables
            if (row["a_rack"] == rack) != (row["b_rack"] == rack)
        )
        assert sorted(text for text in output if " cables to " in text) == sorted(
            f"{count} cables to {other}" for other, count in away.items()
        )


@pytest.mark.parametrize("face", FACES, ids=lambda face: f"{face.cages}-{face.rows}-{face.by_row}")
def test_turns_follow_the_law_of_plugging(face: Faceplate) -> None:
    """Plugged by turns, no cage is behind a cable.

    The order between cages is that of neighbours, transitively.
    """
    order = list(face.turns)
    assert sorted(order) == list(range(1, face.cages + 1))
    assert sorted(face.turns.values()) == sorted(order)
    for at, cage in enumerate(order):
        assert not any(face.hides(plugged, cage) for plugged in order[:at])
    for cage in order:
        waits, new = set[int](), {cage}
        while new:
            new = {other for known in new for other in face.next_to(known)} - waits
            waits |= new
        assert waits == {other for other in order if face.hides(other, cage)}


@pytest.mark.parametrize("face", FACES, ids=lambda face: f"{face.cages}-{face.rows}-{face.by_row}")
def test_a_face_has_a_position_for_each_cage(face: Faceplate) -> None:
    """No two cages share one, and all are in the existing rows and columns."""
    seats = [face.seat(cage) for cage in range(1, face.cages + 1)]
    assert len(set(seats)) == face.cages
    assert all(0 <= seat.row < face.rows and 0 <= seat.column < face.columns for seat in seats)


def test_faces_fit_the_width_of_a_rack() -> None:
    """All of cages do; sockets of twisted pairs are narrower, so that 24 and more fit."""
    models = [
        model for model in Catalog().switches() if model.cages and model.form_factor != "rj45"
    ]
    assert len(models) > 20
    assert all(face_of(model).columns <= WIDEST for model in models)


def test_a_name_is_text() -> None:
    """A name in a picture is neither a tag nor an attribute."""
    evil = "<script>alert(\"&')</script>"
    shown = chip("")
    device = RackedDeviceView(
        name=evil,
        what=evil,
        units=evil,
        y=70,
        height=16,
        middle=80,
        chip=shown,
        installed=True,
        cables=evil,
        switch=True,
    )
    rack = ElevationView(
        fabric=evil,
        name=evil,
        place=evil,
        height=900,
        body=756,
        units=[TextLine(80, evil)],
        devices=[device],
        reserved=[ReservedView(1, 1, 1, evil)],
        headings=[TextLine(800, "Cables")],
        lines=[TextLine(820, evil)],
    )
    cage = CageBox(1, 16, 78, evil, [PortBox(17, shown, evil, evil, evil)])
    ports = PortMapView(
        fabric=evil,
        name=evil,
        role=evil,
        model=evil,
        place=evil,
        chip=shown,
        width=700,
        height=200,
        cage_height=48,
        slot=31,
        reason=evil,
        connectors=evil,
        cages=[cage],
        rows=[PortRow(1, 1, evil, shown, evil, evil, evil, evil, 134, 314, 318)],
    )
    for text in (
        Packs().render("room", "rack.svg.j2", rack=rack),
        Packs().render("room", "ports.svg.j2", ports=ports),
    ):
        assert "<script" not in text
        assert evil in "".join(ET.fromstring(text).itertext())  # noqa: S314 - a rendered text


def test_nothing_is_drawn_without_a_room() -> None:
    """With `site: unknown` there is no rack to draw, and the build reports it."""
    job = build_job(small_plan(site="unknown"), Packs(), ("cabling",))
    assert not [
        path
        for path in job.paths()
        if "/racks/" in path or "/ports/" in path or "/pull-sheets/" in path
    ]
    assert [sentence for sentence in job.skipped if "leaves racks open" in sentence]
