"""The drawings of rails and stripes.

Their contents equal the plan in every form, and their readers accept them.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.drawings.build import Drawings
from fabricgen.outputs.drawings.layout import Head, arrange
from fabricgen.outputs.drawings.merged_tiers import MOST_LINES, Strand, Tier
from fabricgen.outputs.drawings.view import Bend
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.fabrics import CLUSTER, VARIANTS, build_job, cables_of, cluster_cables, plan_of
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.outputs.drawings.view import Drawing, DrawnBox, Stroke
    from fabricgen.planning.plan import Plan
    from tests.conftest import Run

PACKS = Packs()
FORMS = ("svg", "dot", "drawio", "mmd")
LAB = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"tiers": 2},
    "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
}
SVG = "{http://www.w3.org/2000/svg}"


def every(plan: Plan) -> list[Drawing]:
    """Draw every rail and stripe."""
    drawings = Drawings(plan)
    return [drawings.draw(name) for name in (*drawings.rails, *drawings.stripes)]


def shown(drawing: Drawing, form: str) -> str:
    """Render a form."""
    return PACKS.render("drawings", f"drawing.{form}.j2", drawing=drawing)


def boxes(drawing: Drawing) -> list[DrawnBox]:
    """List the boxes, the highest tier first."""
    return [box for row in drawing.rows for box in row.boxes]


def hostile() -> Drawing:
    """Draw devices whose names are syntax of each format."""
    names = ['<script>alert("1")</script>', '"] --> x["\\', "a & b; %% #"]
    tiers = [
        Tier("GPUs", names, ["", "", ""], ["0", "1", "2"], np.arange(3), switch=False),
        Tier("leaf switches", names[:1], ["]]>"], [""], np.arange(1)),
    ]
    strand = Strand(
        np.arange(3), np.zeros(3, dtype=int), np.arange(3), "400G", lambda row: names[row]
    )
    return arrange(Head("<fabric>", "rail-0", '"Rail" <0>', "a & b --> c"), tiers, [strand])


@pytest.mark.parametrize("name", VARIANTS)
def test_a_drawing_shows_the_links_of_the_plan(name: str) -> None:
    """Every link is in the drawing of its rail once, in its tier.

    Every host link is in the drawing of its stripe, and every switch is in one.
    """
    plan = plan_of(nos="frr", **VARIANTS[name])
    drawings = Drawings(plan)
    found: Counter[tuple[str, int]] = Counter()
    switches: Counter[str] = Counter()
    for one in (drawings.draw(each) for each in drawings.rails):
        for row, below in pairwise(one.rows):
            inside = {id(box) for box in below.boxes}
            found[row.name.split()[1], len(one.rows)] += sum(
                line.links for line in one.strokes if id(line.lower) in inside
            )
        switches["all"] += sum(
            box.members
            for box in boxes(one)
            if box.switch and not any("apart" in text.text for text in box.texts)
        )
    assert {kind: count for (kind, _), count in found.items()} == {
        kind.upper.value: plan.link_count(kind) for kind in plan.kinds
    }
    if plan.mapping.segment_blocks == 1:
        assert switches["all"] == len([*plan.switches()])
    assert sum(
        line.links for each in drawings.stripes for line in drawings.draw(each).strokes
    ) == plan.link_count(LinkKind.HOST)


def test_each_line_connects_what_its_cable_connects() -> None:
    """A small fabric draws each device. The ends of each cable are those of the cable list."""
    plan = plan_of(**LAB)
    Views(plan)
    listed = {
        (cable.cable, cable.a_device, cable.b_device, cable.rail) for cable in cables_of(plan)
    }
    drawn = set()
    for name in Drawings(plan).rails:
        one = Drawings(plan).draw(name)
        for line in one.strokes:
            below = line.lower.texts[-1].text  # a GPU's host, or the switch
            drawn |= {
                (cable, below, line.upper.name, line.chip.rail) for cable in line.cables.split(", ")
            }
    assert drawn == listed
    assert len(listed) == plan.links


GRAPHS: dict[str, dict[str, Any]] = {
    "torus": TORUS,
    "layers": TORUS
    | {
        "gpus": 54,
        "nic": {"speed": "400G", "split": "8x50G"},
        "rails": {"medium": "direct", "topology": {"kind": "torus-3d"}},
    },
    "expander": TORUS | {"rails": {"medium": "direct", "topology": {"kind": "expander"}}},
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_direct_rail_has_each_cable_as_a_line(name: str) -> None:
    """Each line joins the hosts of its cables, on the rail of its drawing; there are no stripes."""
    plan = plan_of(**GRAPHS[name])
    listed = {
        (cable.cable, frozenset({cable.a_device, cable.b_device}), cable.rail)
        for cable in cables_of(plan)
    }
    drawn = {
        (cable, frozenset({line.lower.texts[-1].text, line.upper.texts[-1].text}), line.chip.rail)
        for one in every(plan)
        for line in one.strokes
        for cable in line.cables.split(", ")
    }
    assert drawn == listed
    assert not Drawings(plan).stripes


@pytest.mark.parametrize("name", GRAPHS)
def test_no_line_of_a_direct_rail_passes_below_a_box(name: str) -> None:
    """A point of a line that is in a box is at one of its ends; boxes are apart and in the page."""
    one = Drawings(plan_of(**GRAPHS[name])).draw("rail-0")
    (row,) = one.rows
    for box, other in combinations(row.boxes, 2):
        assert abs(box.x - other.x) >= box.width or abs(box.y - other.y) >= box.height
    for line in one.strokes:
        points = [curve_point(line, step / 64) for step in range(65)]
        assert all(0 <= x <= one.width and 0 <= y <= one.height for x, y in points)
        below = {
            box.name
            for box in row.boxes
            for x, y in points
            if box.x < x < box.x + box.width and box.y < y < box.y + box.height
        }
        assert below <= {line.lower.name, line.upper.name}


def curve_point(line: Stroke, at: float) -> tuple[float, float]:
    """Return a point of a line, which is a quadratic curve where it bends."""
    bend = line.bend or Bend((line.x1 + line.x2) // 2, (line.y1 + line.y2) // 2)
    weights = (1 - at) ** 2, 2 * at * (1 - at), at**2
    xs, ys = (line.x1, bend.x, line.x2), (line.y1, bend.y, line.y2)
    x, y = (sum(w * c for w, c in zip(weights, column, strict=True)) for column in (xs, ys))
    return x, y


def test_a_large_direct_rail_is_drawn_in_bundles() -> None:
    """GPUs that follow each other share a box; a line has all links between two boxes."""
    plan = plan_of(**TORUS | {"gpus": 400})
    one = Drawings(plan).draw("rail-0")
    (row,) = one.rows
    assert [box.members for box in row.boxes] == [4] * 50
    inside = sum(
        low // 4 == up // 4
        for low, up in zip(plan.segment.lower // 2, plan.segment.upper // 2, strict=True)
    )
    assert sum(line.links for line in one.strokes) == len(plan.segment.lower) - inside


def test_the_forms_of_a_torus_bend_its_lines() -> None:
    """A line around the torus is a curve in the SVG and in draw.io; the others are straight."""
    one = Drawings(plan_of(**TORUS)).draw("rail-0")
    bent = sum(line.bend is not None for line in one.strokes)
    assert bent == 8
    root = ET.fromstring(shown(one, "svg"))  # noqa: S314 - the program wrote it
    lines = root.find(f"{SVG}g[@class='lines']")
    assert lines is not None
    assert len(lines.findall(f"{SVG}path")) == bent
    assert len(lines.findall(f"{SVG}line")) == len(one.strokes) - bent
    assert shown(one, "drawio").count("mxPoint") == bent


def test_a_drawing_of_each_network_has_its_links() -> None:
    """Each line of a network has the cables between its two devices; no line has a rail."""
    inband = CLUSTER["networks"]["inband"] | {"peer_links": 2}
    plan = plan_of(**CLUSTER | {"networks": CLUSTER["networks"] | {"inband": inband}})
    for name, network in plan.networks.items():
        one = Drawings(network).draw(f"network-{name}")
        listed = {
            frozenset({cable.a_device, cable.b_device}): 0 for cable in cluster_cables(plan)[name]
        }
        for cable in cluster_cables(plan)[name]:
            listed[frozenset({cable.a_device, cable.b_device})] += 1
        drawn = {frozenset({line.lower.name, line.upper.name}): line.links for line in one.strokes}
        assert drawn == listed
        assert one.title == f"Network {name}"
        assert one.keys == []
        assert not Drawings(network).stripes
    job = build_job(plan, Packs(), ("drawings",))
    paths = {path for task in job.tasks for path in task.paths(job.context)}
    assert {f"drawings/network-{name}.{form}" for name in plan.networks for form in FORMS} <= paths


def test_a_network_is_drawn_in_bundles() -> None:
    """A box has devices of one kind on the same leaves."""
    hosts = {"gpus": 1016, "devices": [{"name": "nfs-{n}", "count": 40, "ports": {"inband": 2}}]}
    inband = {"inband": CLUSTER["networks"]["inband"]}
    network = plan_of(**CLUSTER | hosts | {"networks": inband}).networks["inband"]
    one = Drawings(network).draw("network-inband")
    assert sum(line.links for line in one.strokes) == network.links
    assert all(
        len({name.split("-")[0] for name in box.name.split(" to ")}) == 1 for box in boxes(one)
    )
    assert len(one.rows[-1].boxes) < 20


def test_positions_of_a_drawing() -> None:
    """Boxes of a tier do not touch, lines end at boxes, and tiers are above one another.

    Everything is inside of the picture.
    """
    for plan in (
        plan_of(**LAB),
        plan_of(nos="frr", **VARIANTS["three tiers"]),
        plan_of(nos="frr", **VARIANTS["shared boxes"]),
        *plan_of(**CLUSTER).networks.values(),
    ):
        for one in every(plan):
            for row in one.rows:
                assert all(low.x + low.width < high.x for low, high in pairwise(row.boxes))
                assert len({box.y for box in row.boxes}) == 1
            heights = [row.boxes[0].y for row in one.rows]
            assert heights == sorted(heights)
            assert all(
                box.x >= 0 and box.x + box.width <= one.width and box.y + box.height <= one.height
                for box in boxes(one)
            )
            for line in one.strokes:
                assert line.lower.x <= line.x1 <= line.lower.x + line.lower.width
                assert line.upper.x <= line.x2 <= line.upper.x + line.upper.width
                assert (line.y1, line.y2) == (line.lower.y, line.upper.y + line.upper.height)
            texts = [*one.foot, *one.notes, *(key.text for key in one.keys)]
            assert all(
                text.x >= 0 and text.x + 7 * len(text.text) <= one.width and text.y <= one.height
                for text in texts
            )
            beside = Counter((line.x1, line.y1, line.x2, line.y2) for line in one.strokes)
            assert max(beside.values()) == 1, (
                "lines of two rails between the same boxes lie on one another"
            )


def test_a_large_rail_is_drawn_in_bundles() -> None:
    """A page shows all links with their counts, and separate lines.

    The fabrics have 65,536 endpoints in three tiers, and a stripe on 256 rails.
    """
    for keys in (
        {"gpus": 524288, "hb_domain": {"gpus": 8}, "radix": 64},
        {"gpus": 65536, "hb_domain": {"gpus": 256}, "radix": 64},
    ):
        plan = plan_of(**keys)
        drawings = Drawings(plan)
        for name in (next(iter(drawings.rails)), next(iter(drawings.stripes))):
            one = drawings.draw(name)
            for _, below in pairwise(one.rows):
                assert (
                    len([line for line in one.strokes if line.lower in below.boxes]) <= MOST_LINES
                )
            assert len(shown(one, "svg")) < 100_000
        rail = drawings.draw("rail-0")
        assert sum(line.links for line in rail.strokes) * plan.mapping.segments == plan.links
        assert rail.rows[-1].name == f"{plan.fabric.gpus // plan.fabric.rails:,} GPUs"


def test_a_shared_leaf_has_two_rails() -> None:
    """The leaf of two rails is pale in the stripe, and has a line of each colour.

    In the drawing of a rail it names the other rail.
    """
    drawings = Drawings(plan_of(gpus=32, hb_domain={"gpus": 4}, rails={"per_switch": 2}, radix=64))
    stripe = drawings.draw("stripe-1")
    assert {box.chip.rail for box in stripe.rows[0].boxes} == {""}
    assert {(line.upper.name, line.chip.rail) for line in stripe.strokes} == {
        ("leaf-1", "0"),
        ("leaf-1", "1"),
        ("leaf-2", "2"),
        ("leaf-2", "3"),
    }
    assert [text.text for text in drawings.draw("rail-3").rows[0].boxes[0].texts] == [
        "leaf-2",
        "also rail 2, apart",
    ]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_bytes_every_time(form: str) -> None:
    """Two plans of one inventory give the same drawings, and no two drawings are the same."""
    texts = [[shown(one, form) for one in every(plan_of(**LAB))] for _ in range(2)]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) == len(texts[0])


def test_the_svg_is_well_formed() -> None:
    """It has a title, one line for each stroke and a legend.

    Colours exist for light, for dark and for paper.
    """
    for one in (Drawings(plan_of(**LAB)).draw("stripe-1"), hostile()):
        text = shown(one, "svg")
        root = ET.fromstring(text)  # noqa: S314 - the program wrote it
        assert len(root.findall(f".//{SVG}line")) == len(one.strokes)
        words = [element.text for element in root.iter(f"{SVG}text")]
        assert {key.text.text for key in one.keys} <= {*words}
        assert {box.name for box in boxes(one)} <= {*words}
        assert root.findtext(f"{SVG}title") == f"{one.title}, {one.fabric}"
        assert not root.findall(f".//{SVG}script")
        assert "prefers-color-scheme: dark" in text
        assert "@media print" in text
        assert not re.search(r"(href|src|url\()", text), "it loads nothing"


def test_draw_io_finds_both_ends_of_each_line() -> None:
    """Ids are unique, and lines name existing ones; a name with syntax is text."""
    for one in (*every(plan_of(**LAB)), hostile()):
        root = ET.fromstring(shown(one, "drawio").encode())  # noqa: S314 - the program wrote it
        cells = list(root.iter("mxCell"))
        ids = [cell.get("id") for cell in cells]
        assert len(ids) == len(set(ids))
        edges = [cell for cell in cells if cell.get("edge")]
        assert [(cell.get("source"), cell.get("target")) for cell in edges] == [
            (line.lower.id, line.upper.id) for line in one.strokes
        ]
        assert {end for cell in edges for end in (cell.get("source"), cell.get("target"))} <= {*ids}
        named = {cell.get("id"): cell.get("value") for cell in cells}
        assert all(
            named[box.id] == "\n".join(text.text for text in box.texts) for box in boxes(one)
        )


def test_graphviz_keeps_the_positions(tool: Callable[[str], str]) -> None:
    """Neato draws every box at its position, with its label, and every line."""
    neato = tool("neato")
    for one in (Drawings(plan_of(**LAB)).draw("rail-0"), hostile()):
        done = subprocess.run(
            [neato, "-n2", "-Tplain"],
            input=shown(one, "dot"),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        drawn = [line.split() for line in done.stdout.splitlines()]
        places = {line[1]: (float(line[2]), float(line[3])) for line in drawn if line[0] == "node"}
        first = boxes(one)[0]
        origin = (
            places[first.id][0] - first.centre_x / 72,
            places[first.id][1] - first.centre_y / 72,
        )
        for box in boxes(one):
            assert places[box.id] == pytest.approx(
                (box.centre_x / 72 + origin[0], box.centre_y / 72 + origin[1]), abs=0.01
            )
        assert sorted((line[1], line[2]) for line in drawn if line[0] == "edge") == sorted(
            (line.lower.id, line.upper.id) for line in one.strokes
        )


def test_mermaid_reads_names_as_text() -> None:
    """The file has a line for each box and each stroke. A name with syntax is written in codes."""
    for one in (Drawings(plan_of(**LAB)).draw("rail-0"), hostile()):
        lines = shown(one, "mmd").splitlines()
        assert len(
            [line for line in lines if re.fullmatch(r'  n\w+ -- "[\w .,]+" --- n\w+', line)]
        ) == len(one.strokes)
        labels = [
            found[1] for line in lines if (found := re.fullmatch(r'    n\w+\["(.*)"\]', line))
        ]
        assert len(labels) == len(boxes(one))
        assert all(not re.search(r'["<>\[\]\\&%]', label.replace("<br/>", "")) for label in labels)


def test_mermaid_is_for_small_drawings(tmp_path: Path) -> None:
    """Above the pack's number of lines the file is left out, and the build names it.

    The other forms are written.
    """
    (tmp_path / "drawings").mkdir()
    text = (Packs().files("drawings", "pack.yaml")[0]).read_text(encoding="utf-8")
    assert "most_lines: 200" in text
    (tmp_path / "drawings/pack.yaml").write_text(
        text.replace("most_lines: 200", "most_lines: 12"), encoding="utf-8"
    )
    job = build_job(plan_of(**LAB), Packs([tmp_path]), ("drawings",))
    paths = {path for task in job.tasks for path in task.paths(job.context)}
    assert {path for path in paths if path.endswith(".mmd")} == {
        f"drawings/rail-{rail}.mmd" for rail in range(8)
    }
    assert {
        f"drawings/stripe-{stripe}.{form}" for stripe in (1, 2) for form in ("svg", "dot", "drawio")
    } <= paths
    assert job.skipped == [
        f"drawings/stripe-{stripe}.mmd: 32 lines are more than the 12 that its reader shows"
        for stripe in (1, 2)
    ]


def test_of_many_only_the_first_is_drawn() -> None:
    """Rails are alike, and stripes too.

    Above 16 the first of them is drawn, or all of them on request.
    """
    plan = plan_of(gpus=320, hb_domain={"gpus": 32}, radix=4)
    unasked, asked = (
        build_job(plan, Packs(), ("drawings",)),
        build_job(plan, Packs(), ("drawings",), frozenset({"drawings"})),
    )
    few, many = (
        [path for task in job.tasks for path in task.paths(job.context) if path.endswith(".svg")]
        for job in (unasked, asked)
    )
    assert few == ["drawings/rail-0.svg", *(path for path in many if "stripe" in path)]
    assert len(many) == 32 + len(few) - 1
    assert [sentence for sentence in unasked.skipped if "similar" in sentence] == [
        (
            "drawings of all rails but the first: 32 similar drawings are more than 16; "
            "`--only drawings` overrides the limit"
        )
    ]
    assert not [sentence for sentence in asked.skipped if "similar" in sentence]


def test_a_build_draws_by_default(tmp_path: Path, run: Run) -> None:
    """A build includes the drawings, those of planes and of all rails by their names."""
    keys = (
        "--gpus",
        "64",
        "--hb-domain",
        "8",
        "--radix",
        "16",
        "--design",
        "rail-optimized",
        "--set",
        "rails.planes=2",
    )
    done = run("build", *keys, "--dry-run", "-o", tmp_path / "out")
    drawn = {path for path in done.stdout.split() if path.startswith("drawings/")}
    assert {path for path in drawn if path.endswith(".svg")} == {
        f"drawings/{name}.svg" for name in ("plane-0", "plane-1", "stripe-1")
    }
    assert not [path for path in done.stdout.split() if path.startswith("simulators/")]
