"""Pull sheets: bundles of cables, an order in which none blocks another, the fill of trays."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.counts import count_parts
from fabricgen.build.installation_files import bundles
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import ROLES
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.outputs.installation.bundles import Fronts, most_of
from fabricgen.outputs.installation.chips import chip
from fabricgen.outputs.installation.host_lists import port_order
from fabricgen.outputs.installation.pull_order import pull
from fabricgen.outputs.installation.pull_sheets import PullSheets
from fabricgen.outputs.installation.view import (
    BundleView,
    DayView,
    HostListView,
    HostPortView,
    HostRackView,
    PairView,
    PlugView,
    PullingView,
    SheetView,
    StretchView,
)
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.cabling.cable_runs import UNIT_UM
from fabricgen.planning.cabling.trays import USUAL_PERCENT, TrayLoad, Trays
from fabricgen.planning.plan import make_plan
from fabricgen.views.factory import Views
from tests.csv_rows import read_rows
from tests.fabrics import SMALL, SUPERPOD, build_context, build_job, cables_of, plan_of, set_limit
from tests.laws.drawing import inventories
from tests.outputs.machine_room import FABRICS, ROOM, Built, built

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.outputs.installation.bundles import Bundle
    from fabricgen.outputs.installation.faceplate import Faceplate
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room
    from tests.laws.drawing import Inventory

ENDS = ("cable", "a_device", "a_port", "b_device", "b_port")
LARGEST = 3_000
"""Cables of a drawn fabric that is tested. A larger one takes a second and adds nothing."""

ALIKE = ("part", "length_m")
REVIEWED: dict[str, Any] = {
    "gpus": 512,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
    "site": {"hosts_per_rack": 4, "rack": {"units": 48}},
}
"""64 hosts in 16 racks, and their eight leaves in one."""

OVERVIEWS = ("index.html", "progress.html")


@pytest.fixture(scope="module", params=FABRICS, ids=list(FABRICS))
def room(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return a fabric with its files."""
    return built(FABRICS[request.param], tmp_path_factory.mktemp("room") / "out")


def test_sheets_name_networks_and_pdus_beside_the_units(tmp_path: Path) -> None:
    """A bundle of a network serves no rails, and a PDU has no unit of its rack."""
    room = built(FABRICS["networks"], tmp_path / "out")
    texts = "".join(room.below("pull-sheets", ".html").values())
    chips = {text.rpartition(">")[2] for text in re.findall(r'class="chip"[^<]*', texts)}
    assert {"storage", "oob"} <= {name for chip in chips for name in chip.split(", ")}
    assert re.search(r"pdu-\d+, beside the units", texts)
    assert "U0<" not in texts


def sheet_rows(html: str) -> list[tuple[str, ...]]:
    """Return the cables of a pull sheet: label, device and port of both ends.

    A heading of a bundle has other cells.
    """
    rows = (
        [("".join(cell.itertext())) for cell in row.iter("td")]
        for row in ET.fromstring(html).iter("tr")  # noqa: S314 - fabricgen wrote the file
    )
    return [
        (
            cells[2].split(",")[0],
            cells[3].split(", ")[0],
            cells[4],
            cells[6].split(", ")[0],
            cells[7],
        )
        for cells in rows
        if len(cells) == 9
    ]


def bundles_of(plan: Plan) -> list[Bundle]:
    """Bundle the cables of a plan."""
    assert plan.lengths
    Views(plan)
    every = (plan, *plan.networks.values())
    return pull(
        Fronts(plan),
        [cable for each in every for cable in cables_of(each)],
        plan.lengths.room,
    )


def room_of(plan: Plan) -> Room:
    """Return the room of a plan."""
    assert plan.lengths
    return plan.lengths.room


def test_every_cable_is_on_one_sheet(room: Built) -> None:
    """The sheets name each row of the cable list once, with both ends.

    It is on the sheet of the rack of its upper end.
    """
    found: Counter[tuple[str, ...]] = Counter()
    racks = {row["cable"]: row["b_rack"] for row in room.cables}
    for name, html in room.below("pull-sheets", ".html").items():
        if name not in OVERVIEWS:
            rows = sheet_rows(html)
            assert {racks[row[0]] for row in rows} == {name.removesuffix(".html")}
            found.update(rows)
    assert found == Counter({tuple(row[key] for key in ENDS): 1 for row in room.cables})


def test_bundles_follow_the_rule(room: Built) -> None:
    """They partition the rows of the cable list, have common ends, and are not too thick.

    There are as few as that allows. The table has their counts.
    """
    bundles = bundles_of(room.plan)
    rows = {row["cable"]: row for row in room.cables}
    assert Counter(plug.cable.cable for bundle in bundles for plug in bundle.plugs) == Counter(
        list(rows)
    )
    for bundle in bundles:
        held = [rows[plug.cable.cable] for plug in bundle.plugs]
        assert {(row["a_rack"], row["b_rack"]) for row in held} == {bundle.pair}
        assert len({tuple(row[key] for key in ALIKE) for row in held}) == 1
        assert {row["rail"] for row in held} == {bundle.common("rail")} or not bundle.common("rail")
        assert 0 < bundle.count <= most_of(held[0]["medium"])
    alike = Counter[tuple[str, ...]]()
    for bundle in bundles:
        row = rows[bundle.first.cable]
        alike[*bundle.pair, row["part"], row["length_m"], row["medium"]] += bundle.count
    assert len(bundles) == sum(-(-count // most_of(key[-1])) for key, count in alike.items())
    listed = read_rows(room.files["cabling/pull-sheets/bundles.csv"])
    assert [row["bundle"] for row in listed] == [bundle.name for bundle in bundles]
    assert len({row["bundle"] for row in listed}) == len(bundles)
    assert sum(int(row["cables"]) for row in listed) == sum(
        sum(parts.values())
        for each in (room.plan, *room.plan.networks.values())
        for parts in count_parts(each).cables.values()
    )
    assert [int(row["step"]) for row in listed] == sorted(int(row["step"]) for row in listed)


def test_a_cable_of_several_links_has_one_box(room: Built) -> None:
    """The boxes of the sheets are those of the bundles, one for each cable as a piece."""
    pages = [
        html for name, html in room.below("pull-sheets", ".html").items() if name not in OVERVIEWS
    ]
    bundles = bundles_of(room.plan)
    assert sum(html.count('class="box"') for html in pages) == len(bundles) + sum(
        bundle.count for bundle in bundles
    )


def test_labels_are_runs_of_the_cable_list(room: Built) -> None:
    """The labels from the first to the last of each run are those of the bundle's cables."""
    order = [row["cable"] for row in room.cables]
    place = {label: at for at, label in enumerate(order)}
    for row, bundle in zip(
        read_rows(room.files["cabling/pull-sheets/bundles.csv"]), bundles_of(room.plan), strict=True
    ):
        ends = [(run.partition("..")[0], run.rpartition("..")[2]) for run in row["labels"].split()]
        held = [label for first, last in ends for label in order[place[first] : place[last] + 1]]
        assert Counter(held) == Counter(plug.cable.cable for plug in bundle.plugs)


def blocked(plan: Plan, bundles: list[Bundle]) -> list[str]:
    """Plug everything in the order of steps and turns, switch by switch.

    Return what is plugged behind a cable.

    A cable covers the cages from its own column to its side of the box, in its row and below. These
    are computed here from rows and columns alone.
    """
    fronts = Fronts(plan)
    plugged: dict[str, list[tuple[int, int, int, int]]] = {}
    faces: dict[str, Faceplate] = {}
    found = []
    for bundle in bundles:
        for plug in bundle.plugs:
            tier, own = plug.cable.tier, fronts.of(plug.cable).faces
            ends = [
                (plug.cable.b_device, plug.b_cage, plug.b_turn, tier),
                (plug.cable.a_device, plug.a_cage, plug.a_turn, tier - 1),
            ]
            for device, cage, turn, role in ends:
                if role:
                    plugged.setdefault(device, []).append((bundle.step, turn, cage, role))
                    faces[device] = own[ROLES[role - 1]]
    for device, events in plugged.items():
        face = faces[device]
        hidden: set[tuple[int, int]] = set()
        for _, _, cage, _ in sorted(events):
            row, column = face.seat(cage)
            if (row, column) in hidden:
                found.append(f"cage {cage} of {device}")
            side = range(column + 1) if 2 * column < face.columns else range(column, face.columns)
            hidden |= set(product(range(row, face.rows), side)) - {(row, column)}
    return found


def test_no_cable_is_plugged_behind_another(room: Built) -> None:
    """The law of plugging holds for the whole installation."""
    assert not blocked(room.plan, bundles_of(room.plan))


@settings(max_examples=20)
@given(inventories())
def test_the_order_blocks_no_cable_on_drawn_fabrics(inventory: Inventory) -> None:
    """Each cable is in one bundle there, too."""
    try:
        plan = make_plan(FabricSpec.model_validate(inventory), Catalog())
    except Refusal:
        return
    if plan.cables > LARGEST:
        return
    bundles = bundles_of(plan)
    assert not blocked(plan, bundles)
    assert sum(len(bundle.plugs) for bundle in bundles) == plan.cables
    assert {bundle.step for bundle in bundles} == set(
        range(1, 1 + max(bundle.step for bundle in bundles))
    )


def test_another_order_blocks_cables() -> None:
    """The same bundles in reverse are blocked.

    So are turns that count from the top of each column.
    """
    plan = plan_of(**SUPERPOD)
    bundles = bundles_of(plan)
    for bundle in bundles:
        bundle.step = -bundle.step
    assert blocked(plan, bundles)
    turned = bundles_of(plan)
    for bundle in turned:
        bundle.step = 1
        bundle.plugs = [
            plug._replace(b_turn=plug.b_cage, a_turn=plug.a_cage) for plug in bundle.plugs
        ]
    assert blocked(plan, turned)


def test_interleaved_bundles_are_one_step() -> None:
    """Where the cages of two bundles alternate, neither can go first.

    Both are pulled before any of them is plugged.
    """
    plan = plan_of(**FABRICS["copper"])
    bundles = bundles_of(plan)
    together = Counter(bundle.step for bundle in bundles)
    assert max(together.values()) > 1
    assert len(together) > 1


def test_a_crew_pulls_few_bundles_in_the_order_of_the_page() -> None:
    """512 cables between 16 racks of hosts and one of switches are 28 bundles, in ascending steps.

    Each pair of racks has a bundle for each of its one or two lengths, so twelve have a second.
    """
    plan = plan_of(**REVIEWED)
    sheets = PullSheets("pod", Fronts(plan), room_of(plan), bundles_of(plan), _facts())
    assert (sheets.pulling.cables, sheets.pulling.bundle_count) == (512, 28)
    assert len({bundle.pair for bundle in sheets.bundles}) == 16
    for sheet in sheets.pulling.sheets:
        assert sheet.from_racks == list(dict.fromkeys(pair.a_rack for pair in sheet.pairs))
        assert len({*sheet.from_racks}) == len(sheet.from_racks)
    for sheet in sheets.sheets.values():
        steps = [bundle.step for pair in sheet.pairs for bundle in pair.bundles]
        assert steps == sorted(steps)


def test_equal_lengths_make_one_bundle_of_a_pair_of_racks() -> None:
    """The 28 bundles become 16, each as long as its longest cable was, and every law holds."""
    equal = plan_of(**REVIEWED | {"site": REVIEWED["site"] | {"equal_lengths": True}})
    bundles = bundles_of(equal)
    assert len(bundles) == len({bundle.pair for bundle in bundles}) == 16
    longest: dict[tuple[str, str], float] = {}
    for bundle in bundles_of(plan_of(**REVIEWED)):
        length = float(bundle.first.length_m)
        longest[bundle.pair] = max(longest.get(bundle.pair, 0), length)
    assert {bundle.pair: float(bundle.first.length_m) for bundle in bundles} == longest
    assert check(equal).ok


@pytest.mark.parametrize("keys", ["copper", "two-connectors"])
def test_equal_lengths_hold_with_shared_cables(keys: str) -> None:
    """Cables of one part between two racks have one length, where no splitter spans racks."""
    site = FABRICS[keys].get("site", {"hosts_per_rack": 2})
    plan = plan_of(**FABRICS[keys] | {"site": site | {"equal_lengths": True}})
    lengths: dict[tuple[str, str, str], set[str]] = {}
    for cable in cables_of(plan):
        lengths.setdefault((cable.a_rack, cable.b_rack, cable.part), set()).add(cable.length_m)
    assert {len(each) for each in lengths.values()} == {1}
    assert check(plan).ok


def test_steps_ascend_on_every_page(room: Built) -> None:
    """A crew works a page from its top to its end."""
    for name, html in room.below("pull-sheets", ".html").items():
        rows = (row for row in ET.fromstring(html).iter("tr") if row.get("class") == "bundle")  # noqa: S314 - fabricgen wrote the file
        steps = [int([*row.iter("td")][1].text or "") for row in rows]
        assert steps == sorted(steps)
        assert steps or name in OVERVIEWS


def test_the_days_of_work_hold_all_bundles() -> None:
    """Each bundle is on the day on which its last cable is plugged, and days are evenly full."""
    plan = plan_of(**REVIEWED | {"site": REVIEWED["site"] | {"cables_per_day": 100}})
    sheets = PullSheets("pod", Fronts(plan), room_of(plan), bundles_of(plan), _facts())
    days = sheets.pulling.days
    assert [day.day for day in days] == [1, 2, 3, 4, 5, 6]
    assert [bundle for day in days for bundle in day.bundles] == sheets.views
    assert all(100 * (day.day - 1) < day.total <= 100 * day.day for day in days)
    assert days[-1].total == 512


def test_the_list_of_a_host_is_in_the_order_of_its_ports(room: Built) -> None:
    """The lists have each cable of a host once, in its rack, sorted by the printed port."""
    found = []
    for name, html in room.below("hosts", ".html").items():
        page = ET.fromstring(html)  # noqa: S314 - fabricgen wrote the file
        hosts = [heading.get("id") or "" for heading in page.iter("h2")]
        for host, table in zip(hosts, page.iter("table"), strict=True):
            rows = [
                ["".join(cell.itertext()) for cell in row.iter("td")] for row in table.iter("tr")
            ]
            ports = [cells[1] for cells in rows if cells]
            assert ports == sorted(ports, key=port_order)
            found += [
                (name.removesuffix(".html"), cells[3], host, cells[1], cells[6], cells[7])
                for cells in rows
                if cells
            ]
    assert sorted(found) == sorted(
        (row["a_rack"], *(row[key] for key in ENDS)) for row in room.cables if row["tier"] == "1"
    )


def _facts() -> dict[str, Cable]:
    """Return the facts of each cable part."""
    return {cable.model: cable for cable in Catalog().cables()}


def test_the_farther_is_first_where_the_law_allows_both() -> None:
    """The first bundle comes from another row. It is as long as any that need not wait."""
    plan = plan_of(**FABRICS["copper"])
    bundles = bundles_of(plan)
    rows = dict(zip(room_of(plan).names, room_of(plan).positions.row.tolist(), strict=True))
    near = [rows[bundle.pair[0]] == rows[bundle.pair[1]] for bundle in bundles]
    assert not near[0]
    assert any(near)
    assert bundles[-1].pair[0] == bundles[-1].pair[1]


@pytest.mark.parametrize("cross", ["middle", "ends"])
def test_trays_equal_the_measured_paths(cross: str) -> None:
    """The segments between any two racks are as long as the path between them.

    In an odd row the middle is a rack.
    """
    site = {
        "racks_per_row": 3,
        "rows": 2,
        "halls": 6,
        "hall_pitch_mm": 9000,
        "tray": {"cross": cross, "slack_mm": 0, "gap_mm": 0},
        "hosts_per_rack": 1,
    }
    plan = plan_of(**{**SUPERPOD, "gpus": 128, "site": site})
    room = room_of(plan)
    assert plan.lengths
    ways, trays, stand = plan.lengths.runs, Trays(room), room.positions
    device = {int(rack): at for at, rack in enumerate(stand.rack.tolist()) if rack >= 0}
    rise = {
        rack: (
            room.shares.rack.rack_units * 2
            - (2 * int(stand.rack_unit[at]) - 2 + int(room.rack_units[at]))
        )
        * UNIT_UM
        / 2000
        for rack, at in device.items()
    }
    length = {"row": room.site.rack.pitch_mm, "cross": room.site.row_pitch_mm, "halls": 9000}
    kinds = set[str]()
    for one, other in product(device, repeat=2):
        if one != other:
            way = int(ways.run_mm(np.array([device[one]]), np.array([device[other]]))[0])
            stretches = trays.way(one, other)
            assert sum(length[stretch.kind] for stretch in stretches) == pytest.approx(
                way - rise[one] - rise[other], abs=3
            )
            assert len(set(stretches)) == len(stretches)
            kinds.update(stretch.kind for stretch in stretches)
    assert kinds == set(length)


def test_the_fill_of_a_tray(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The cables of the segment beside the network rack and their section.

    The excess over the usual fill is reported.
    """
    room = built(FABRICS["copper"], tmp_path_factory.mktemp("copper") / "out")
    rows = {row["stretch"]: row for row in read_rows(room.files["cabling/pull-sheets/trays.csv"])}
    stretches, racks = Counter[str](), room_of(room.plan).names
    trays = Trays(room_of(room.plan))
    for row in room.cables:
        stretches.update(
            trays.name(stretch)
            for stretch in trays.way(racks.index(row["a_rack"]), racks.index(row["b_rack"]))
        )
    assert {name: int(row["cables"]) for name, row in rows.items()} == dict(stretches)
    for row in rows.values():
        section = int(row["cables"]) * math.pi / 4 * 3**2
        assert float(row["section_mm2"]) == pytest.approx(section, abs=0.5)
        assert float(row["fill_percent"]) == pytest.approx(section / 10, abs=0.05)
        assert (f"fuller than {USUAL_PERCENT} %" in row["note"]) == (section / 10 > USUAL_PERCENT)
    assert any("fuller" in row["note"] for row in rows.values())
    assert any(
        "fuller" in html
        for name, html in room.below("pull-sheets", ".html").items()
        if name not in OVERVIEWS
    )


def test_unknown_figures_are_not_zero(room: Built) -> None:
    """Weights that the catalog lacks are empty in the tables and marked unknown on the sheets.

    So is the fill of trays without a section.
    """
    assert {
        row["weight_kg"] for row in read_rows(room.files["cabling/pull-sheets/bundles.csv"])
    } == {""}
    trays = read_rows(room.files["cabling/pull-sheets/trays.csv"])
    assert {row["kg_per_m"] for row in trays} <= {""}
    if not room.plan.spec.site:
        assert {row["fill_percent"] for row in trays} <= {""}
    assert not any(
        row[key].startswith("0") and not float(row[key])
        for row in trays
        for key in ("section_mm2", "fill_percent")
        if row[key]
    )
    assert "weight not known" in "".join(room.below("pull-sheets", ".html").values())


def test_known_weights_add_up() -> None:
    """With a weight per metre in the catalog each bundle, segment and tray has its weight."""
    cables = {
        cable.model: cable.model_copy(update={"kg_per_m": 0.5}) for cable in Catalog().cables()
    }
    context = build_context(plan_of(**SUPERPOD), Packs())
    room = room_of(context.plan)
    sheets = PullSheets("superpod", Fronts(context.plan), room, bundles(context), cables)
    for sheet in sheets.sheets.values():
        for pair in sheet.pairs:
            weights = [0.5 * bundle.cables * float(bundle.length_m) for bundle in pair.bundles]
            assert [float(bundle.weight_kg) for bundle in pair.bundles] == pytest.approx(weights)
            assert float(pair.weight_kg) == pytest.approx(sum(weights))
    assert all(
        float(stretch.kg_per_m) == pytest.approx(stretch.cables / 2)
        for stretch in sheets.pulling.stretches
    )


def test_a_tray_of_unknown_cables_has_no_fill() -> None:
    """Without diameters there is no figure; with some, it is theirs."""
    trays = Trays(room_of(plan_of(**SUPERPOD, site=ROOM)))
    assert trays.percent(TrayLoad(cables=3, unmeasured=3)) is None
    assert trays.percent(TrayLoad(cables=3, unmeasured=1, section_mm2=100)) == 10


def test_an_exceeded_limit_is_refused_before_anything_is_written() -> None:
    """A limit that holds is no refusal, and the limit in the hint holds."""

    def tasks(**tray: int) -> None:
        _ = build_job(plan_of(**SUPERPOD, site=ROOM | {"tray": tray}), Packs(), ("cabling",)).tasks

    tasks(width_mm=400, depth_mm=50, fill_percent=80)
    with pytest.raises(Refusal) as refused:
        tasks(width_mm=40, depth_mm=50, fill_percent=20)
    [finding] = refused.value.findings
    assert finding.code == "tray-too-full"
    width = int("".join(sign for sign in finding.hint.split("`")[1] if sign.isdigit()))
    tasks(width_mm=width, depth_mm=50, fill_percent=20)
    with pytest.raises(Refusal):
        tasks(width_mm=width - 1, depth_mm=50, fill_percent=20)


def test_many_sheets_are_written_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the stated size the build names what it leaves out, and the option that writes it."""
    plan = plan_of(**SMALL)
    set_limit(monkeypatch, "pull-sheets", plan.cables - 1)
    job, asked = (
        build_job(plan, Packs(), ("cabling",), named)
        for named in (frozenset[str](), frozenset({"pull-sheets"}))
    )
    assert "cabling/pull-sheets/index.html" not in set(job.paths())
    assert [sentence for sentence in job.skipped if "--only pull-sheets" in sentence]
    assert "cabling/pull-sheets/index.html" in set(asked.paths())


def test_a_name_is_text() -> None:
    """A name in a sheet is neither a tag nor an attribute."""
    evil = "<script>alert(\"&')</script>"
    plug = PlugView(
        cable=evil,
        inside=evil,
        chip=chip("3"),
        a_device=evil,
        a_unit=evil,
        a_port=evil,
        a_turn=evil,
        b_device=evil,
        b_unit=evil,
        b_port=evil,
        b_turn=evil,
    )
    bundle = BundleView(
        name=evil,
        step=1,
        together=[evil],
        a_rack=evil,
        b_rack=evil,
        chip=chip("3"),
        serves=evil,
        plane="0",
        tier="1",
        part=evil,
        medium=evil,
        length_m="3",
        cables=1,
        metres="3",
        labels=[evil],
        weight_kg=evil,
        plugs=[plug],
        day=1,
    )
    stretch = StretchView(evil, 1, evil, evil, evil, evil, full=True)
    pair = PairView(
        a_rack=evil,
        b_rack=evil,
        inside=False,
        first_step=1,
        last_step=1,
        way=evil,
        cables=1,
        bundle_count=1,
        weight_kg=evil,
        fullest=stretch,
        bundles=[bundle],
    )
    sheet = SheetView(
        fabric=evil,
        rack=evil,
        generated=True,
        cables=1,
        bundle_count=1,
        first_step=1,
        last_step=1,
        pairs=[pair],
        switches=[evil],
        assumed=evil,
    )
    pulling = PullingView(
        fabric=evil,
        generated=True,
        cables=1,
        bundle_count=1,
        steps=1,
        assumed=evil,
        most=1,
        most_copper=1,
        sheets=[sheet],
        bundles=[bundle],
        stretches=[stretch],
        tray=evil,
        racks=[evil],
        host_racks=[evil],
        days=[DayView(day=1, bundles=[bundle], cables=1, total=1)],
        cables_per_day=1,
    )
    port = HostPortView(
        port=evil,
        interface=evil,
        cable=evil,
        chip=chip("3"),
        part=evil,
        length_m="3",
        b_device=evil,
        b_port=evil,
        b_rack=evil,
        b_unit="1",
    )
    host = HostListView(host=evil, place=evil, ports=[port])
    hosts = HostRackView(fabric=evil, rack=evil, generated=True, hosts=[host])
    for text in (
        Packs().render("room", "sheet.html.j2", sheet=sheet),
        Packs().render("room", "index.html.j2", pulling=pulling),
        Packs().render("room", "progress.html.j2", pulling=pulling),
        Packs().render("room", "hosts.html.j2", rack=hosts),
    ):
        assert "<script" not in text
        assert evil in "".join(ET.fromstring(text).itertext())  # noqa: S314 - a rendered text
    rows = read_rows(Packs().render("room", "bundles.csv.j2", pulling=pulling))
    assert (rows[0]["bundle"], rows[0]["part"]) == (evil, evil)
