"""Every count of the written files is the same in each file.

Counted are links, cables as pieces, link ends in modules, and modules.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from openpyxl import load_workbook

from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.build.write.manifest import json_document
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.phase_summary import summarize_phases
from fabricgen.lifecycle.change.phases import phase_in
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.report.key_figures import headline
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from tests.fabrics import build_job, plan_of, spec_of
from tests.planning.cabling.test_selection import B300, H100, NVL72, SN5600, SPLIT_HOST, TRAYS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.planning.plan import Plan

QM9700 = {"switches": {"leaf": {"model": "qm9700", "breakout": "2x400G"}}}
FOUR = {"rack": {"units": 48}, "hosts_per_rack": 4}
FABRICS: dict[str, dict[str, Any]] = {
    "twin copper between switches": {**H100, **SN5600, "gpus": 128, "site": FOUR},
    "twin copper of two rails": {
        **H100,
        **SN5600,
        "gpus": 32,
        "design": "rail-only",
        "rails": {"per_switch": 2},
        "site": {**FOUR, "leaves": "top-of-rack", "tray": {"slack_mm": 0}},
    },
    "copper splitters of two lengths": {
        **NVL72,
        **SN5600,
        "site": {**TRAYS, "tray": {"slack_mm": 100}},
    },
    "two cables for each link": {
        **B300,
        **SN5600,
        "rails": {"planes": 1},
        "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
        "site": FOUR,
    },
    "splitter fibres": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "host": {"model": "half-speed"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "4x200G"}},
        "site": {"hosts_per_rack": 4},
    },
    "a reserve": {
        **NVL72,
        **SN5600,
        "gpus": 72,
        "rails": {"count": 8},
        "reserve": {"gpus": 144},
        "site": {**TRAYS, "tray": {"slack_mm": 100}},
    },
    "phases": {
        **H100,
        **SN5600,
        "site": FOUR,
        "phases": [{"name": "first", "spines": 2}, {"name": "second"}],
    },
    "fibres in a generated room": {**H100, **QM9700, "gpus": 64},
}
"""A fabric for each way in which links and cables differ."""

READ = (
    "cabling/cables.csv",
    "cabling/links.csv",
    "cabling/cables.xlsx",
    "cabling/labels.csv",
    "cabling/pull-sheets/bundles.csv",
    "bom/",
    "dcim/netbox/",
)


ENDS = ("a_device", "a_interface", "b_device", "b_interface")


class Written(NamedTuple):
    """A plan and its files below a directory."""

    plan: Plan
    root: Path

    def rows(self, path: str) -> list[dict[str, str]]:
        """Read a CSV."""
        return list(csv.DictReader(io.StringIO((self.root / path).read_text("utf-8"))))

    @property
    def links(self) -> list[dict[str, str]]:
        """Read the list of links, which is that of cables where none are shared."""
        shared = (self.root / "cabling/links.csv").exists()
        return self.rows("cabling/links.csv" if shared else "cabling/cables.csv")


def write(keys: dict[str, Any], out: Path) -> Written:
    """Plan an inventory and write the files that contain counts."""
    (out / "hosts").mkdir()
    ports = ", ".join(
        f"{{gpu: {gpu}, cage: C{gpu}, label: C{gpu}, ethernet: eth{gpu}}}" for gpu in range(8)
    )
    (out / "hosts" / "half-speed.yaml").write_text(SPLIT_HOST % ports, encoding="utf-8")
    plan = make_plan(spec_of(**keys), Catalog([out]))
    job = build_job(plan, Packs(), ("cabling", "bom", "dcim"))
    for task in job.tasks:
        if any(
            path.startswith(READ) and path != "bom/bom.xlsx" for path in task.paths(job.context)
        ):
            list(task.write(job.context, out))
    (out / "plan.json").write_text(
        "".join(json_document(plan_document(plan, summarize(plan, job.context.bom).document()))),
        encoding="utf-8",
    )
    return Written(plan, out)


def drawn() -> Iterator[dict[str, Any]]:
    """Generate rooms with and without copper within reach, the same each time."""
    chance = random.Random(7)  # noqa: S311 - generates inventories, not secrets
    for _ in range(8):
        host = chance.choice((H100, B300, NVL72))
        site = {
            "rack": {"units": chance.choice((48, 52))},
            "hosts_per_rack": chance.choice((1, 2, 4)),
            "leaves": chance.choice(("network-rack", "top-of-rack")),
            "tray": {"slack_mm": chance.choice((0, 100, 500))},
            "footprints": {"host": {"units": chance.choice((1, 4, 8)), "power_w": 5000}},
        }
        rails = {**host.get("rails", {}), "per_switch": chance.choice((1, 2, "auto"))}
        design = chance.choice(("rail-only", "rail-optimized"))
        sizes = (72, 144) if host is NVL72 else (32, 64)
        yield {
            **host,
            **chance.choice((SN5600, QM9700)),
            "design": design,
            "rails": rails,
            "gpus": chance.choice(sizes),
            "site": site,
        }


def accepted() -> list[dict[str, Any]]:
    """Return the drawn inventories that can be planned."""

    def sound(keys: dict[str, Any]) -> bool:
        try:
            return bool(plan_of(**keys).candidates)
        except Refusal:
            return False

    return [keys for keys in drawn() if sound(keys)]


def shape(plan: Plan) -> tuple[bool, bool]:
    """Return whether cables are shared, and whether a link takes several."""
    return plan.pieces is not None, plan.rows > plan.links


@pytest.fixture(scope="module", params=[*FABRICS, "drawn"])
def written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Written]:
    """Write the files of a fabric, or of the generated ones."""
    several = [FABRICS[request.param]] if request.param in FABRICS else accepted()
    return [write(keys, tmp_path_factory.mktemp("counts")) for keys in several]


def test_the_fabrics_have_every_shape() -> None:
    """Twin copper, splitters, links of two cables and plain fibres occur.

    Generated ones have copper.
    """
    shipped = {name: plan_of(**keys) for name, keys in FABRICS.items() if "fibres" not in name}
    kinds = {
        name: {(joint.shared > 1, joint.cable.legs, joint.cables) for joint in plan.candidates}
        for name, plan in shipped.items()
    }
    assert (True, 1, 1) in kinds["twin copper between switches"] & kinds["twin copper of two rails"]
    assert (True, 2, 1) in kinds["copper splitters of two lengths"]
    assert (False, 1, 2) in kinds["two cables for each link"]
    assert {shape(plan_of(**keys)) for keys in accepted()} >= {(True, False), (False, False)}


def split_links(cables: list[dict[str, str]]) -> set[tuple[str, ...]]:
    """Return the two ends of each link of rows of cables, as the README states how to read them."""
    found = set()
    for row in cables:
        cells = [row[column].split() for column in ENDS]
        for link in range(max(map(len, cells)) if row["piece"] else 1):
            found.add(tuple(cell[link if len(cell) > 1 else 0] for cell in cells))
    return found


def totals(written: Written) -> dict[str, dict[str, int]]:
    """Return the counts of each file, by the thing counted."""
    plan, cables = (
        json.loads((written.root / "plan.json").read_text("utf-8")),
        written.links,
    )
    links = {(row["a_device"], row["a_interface"]): row for row in cables}
    bill = [row for row in written.rows("bom/bom.csv") if row["row"] == "part"]
    pieces = [row["piece"] for row in cables]
    found: dict[str, dict[str, int]] = {
        "links": {
            "plan.json": plan["links"]["total"],
            "links.csv": len(links),
            "cables.csv": len(split_links(written.rows("cabling/cables.csv"))),
        },
        "cables": {
            "plan.json": plan["cables"]["total"],
            "cables.csv": len(written.rows("cabling/cables.csv")),
            "links.csv": pieces.count("") + len({*pieces} - {""}),
            "bom.csv": sum(int(row["quantity"]) for row in bill if row["class"] == "cables"),
            "phases": sum(
                phase.cables
                for phase in summarize_phases(written.plan, phase_in(written.plan)).phases
            ),
            "diff": diff(written.plan, written.plan).kept,
        },
        "transceivers": {
            "plan.json": plan["transceivers"],
            "links.csv": sum(
                bool(row["a_transceiver"]) + bool(row["b_transceiver"]) for row in links.values()
            ),
            "bom.csv": next(
                int(row["quantity"])
                for row in written.rows("bom/bom.csv")
                if row["row"] == "count" and "link end" in row["description"]
            ),
        },
    }
    for part in ("role", "rack", "phase"):
        rows = [row for row in written.rows(f"bom/by-{part}.csv") if row["row"] == "part"]
        found["cables"][f"by-{part}.csv"] = sum(
            int(row["quantity"]) for row in rows if row["class"] == "cables"
        )
        found.setdefault("modules", {})[f"by-{part}.csv"] = sum(
            int(row["quantity"]) for row in rows if row["class"] == "transceivers"
        )
    found["modules"]["bom.csv"] = sum(
        int(row["quantity"]) for row in bill if row["class"] == "transceivers"
    )
    for file in ("compare", "savings"):
        figures = {row["figure"]: row for row in written.rows(f"bom/{file}.csv")}
        names = {
            "transceivers": "transceivers, one per link end",
            "modules": "transceiver modules as sold",
            "links": "links",
            "cables": "cables",
        }
        for what, figure in names.items():
            found[what][f"{file}.csv"] = int(figures[figure][plan["design"]])
    bundles = written.rows("cabling/pull-sheets/bundles.csv")
    found["cables"]["bundles.csv"] = sum(int(row["cables"]) for row in bundles)
    found["cables"] |= workbook(written)
    return found


def workbook(written: Written) -> dict[str, int]:
    """Return the sums of each list in the summary of the workbook."""
    sheet = load_workbook(written.root / "cabling" / "cables.xlsx")["Summary"]
    found: Counter[str] = Counter()
    head = ""
    for first, _, count, *_ in sheet.iter_rows(values_only=True, max_col=4):
        if count == "Cables":
            head = str(first)
        elif head and isinstance(count, int):
            found[f"workbook, {head}"] += count
    return dict(found)


def test_every_file_has_the_same_counts(written: list[Written]) -> None:
    """Every file that counts a thing has the same number."""
    for each in written:
        for what, counts in totals(each).items():
            assert len(counts) > 3 - (what == "transceivers"), what
            assert len({*counts.values()}) == 1, (each.plan.spec.name, what, counts)


def test_the_lists_of_cables_and_links_tell_of_the_same(written: list[Written]) -> None:
    """A row of cables.csv names both ends of each of its links, and is named like the first.

    A list of links is written where cables are shared, and there only.
    """
    for each in written:
        cables, links = each.rows("cabling/cables.csv"), each.links
        assert split_links(cables) == {tuple(row[column] for column in ENDS) for row in links}
        assert (each.root / "cabling/links.csv").exists() == (each.plan.pieces is not None)
        first = {row["piece"]: row["cable"] for row in reversed(links) if row["piece"]}
        assert {row["cable"] for row in cables if row["piece"]} == {*first.values()}


def test_a_connector_has_one_label(written: list[Written]) -> None:
    """A cable has one label at its near end and one on each leg, and no end has two."""
    for each in written:
        labels, legs = (
            each.rows("cabling/labels.csv"),
            {cable.model: cable.legs for cable in each.plan.catalog.cables()},
        )
        parts = {row["piece"] or row["cable"]: row["part"] for row in each.links}
        ends = {(row["end"], row["cable_id"]) for row in labels}
        assert len(ends) == len(labels)
        taken = Counter(row["piece"] for row in each.links if row["piece"])
        full = {piece for piece, rows in taken.items() if rows > 1}
        assert len(labels) == sum(
            2 if piece not in full else 1 + legs[part] for piece, part in parts.items()
        )


def test_a_piece_has_one_length_and_one_colour(written: list[Written]) -> None:
    """All rows of a piece have the length that is bought.

    Its label has the rail of all of its rows, or none.
    """
    for each in written:
        pieces: dict[str, list[dict[str, str]]] = {}
        for row in each.links:
            pieces.setdefault(row["piece"], []).append(row)
        pieces.pop("", None)
        labels = {row["cable_id"]: row for row in each.rows("cabling/labels.csv")}
        for rows in pieces.values():
            assert len({(row["length_m"], row["part"]) for row in rows}) == 1
            rails = {row["rail"] for row in rows}
            assert labels[rows[0]["cable"]]["rail"] == (rows[0]["rail"] if len(rails) == 1 else "")


def test_the_headline_of_a_report_counts_pieces(written: list[Written]) -> None:
    """Its number of cables is the number bought."""
    for each in written:
        plan = json.loads((each.root / "plan.json").read_text("utf-8"))
        summary = summarize(each.plan, make_bom(each.plan))
        assert headline(each.plan, summary).endswith(f", {plan['cables']['total']:,} cables.")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"gpus": 64}, {}),
        ({}, {"gpus": 64}),
        ({"site": {**FOUR, "media": {"leaf_spine": ["mmf"]}}}, {}),
    ],
)
def test_the_pieces_of_a_diff_add_up(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Kept, moved and removed pieces are the old fabric; kept, moved and added ones the new."""
    twin = FABRICS["twin copper between switches"]
    old, new = plan_of(**twin | before), plan_of(**twin | after)
    found = diff(old, new)
    assert found.kept + found.moved + found.removed == old.cables
    assert found.kept + found.moved + found.added == new.cables
