"""Every ready fabric and every example is planned.

The ready ones have the counts of their source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.impact.ranking import rank
from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.terms import LinkKind, Role
from fabricgen.inventory.purchasing import Prices
from tests import ROOT
from tests.fabrics import CATALOG, plan_file

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.comparison import Comparison
    from fabricgen.planning.plan import Plan

READY = sorted((ROOT / "inventories").glob("*.yaml"))
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
PAPER = [path for path in READY if path.stem.startswith("paper-")]
SUPERPODS = {
    1: (8, 4, 0),
    2: (16, 8, 0),
    3: (24, 16, 0),
    4: (32, 16, 0),
    8: (64, 32, 0),
    16: (128, 128, 64),
    32: (256, 256, 128),
    64: (512, 512, 256),
}


def boxes(plan: Plan) -> tuple[int, ...]:
    """Count leaves, spines and cores."""
    return tuple(plan.switch_count(role) for role in Role)


def ready(name: str) -> Plan:
    """Plan a ready fabric by its name."""
    return plan_file(ROOT / "inventories" / f"{name}.yaml")


def test_the_number_of_inventories() -> None:
    """Six of the paper, eight SuperPODs, twin planes, two NVL72, a lab, two of a million GPUs.

    Nine examples.
    """
    assert (len(READY), len(EXAMPLES)) == (20, 9)
    assert len(PAPER) == 6


@pytest.mark.parametrize("path", READY + EXAMPLES, ids=lambda path: path.stem)
def test_each_inventory_plans(path: Path) -> None:
    """It has the name of its file, begins with a comment, and cables every NIC port."""
    plan = plan_file(path)
    text = path.read_text(encoding="utf-8")
    assert plan.spec.name == path.stem
    assert text.startswith("# ")
    assert len(text.splitlines()) < 40
    direct = 2 * plan.link_count(LinkKind.DIRECT) // plan.fabric.split
    ports = plan.fabric.gpus * plan.fabric.planes
    assert plan.link_count(LinkKind.HOST) + direct == ports
    assert summarize(plan, make_bom(plan)).cost.total


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.stem)
def test_a_fabric_of_the_paper_saves_what_its_comment_states(path: Path) -> None:
    """The counts and the saving in the comment are those that `compare` prints."""
    text = path.read_text(encoding="utf-8").replace("\n#", "")
    compared = compare(plan_file(path).spec, CATALOG)
    rail_only, fat_tree = compared.summaries[0], compared.summaries[-1]
    for pair in (
        (
            rail_only.switches.total,
            fat_tree.switches.total,
            "switches against",
            "switches",
        ),
        (
            rail_only.transceivers,
            fat_tree.transceivers,
            "transceivers against",
            "transceivers",
        ),
    ):
        assert f"{pair[0]:,} {pair[2]} {pair[1]:,}" in re.sub(r"\s+", " ", text)
    assert f"{compared.savings.cost_pct} % less" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("scalable_units", SUPERPODS)
def test_a_superpod_has_the_published_boxes(scalable_units: int) -> None:
    """Leaves, spines and cores of RA-11333-001, tables 3 and 4, full scalable units."""
    plan = ready(f"dgx-h100-superpod-{scalable_units}su")
    assert plan.fabric.gpus == scalable_units * 256
    assert boxes(plan) == SUPERPODS[scalable_units]


def test_the_others_are_what_their_comments_state() -> None:
    """Counts that a reader would verify first."""
    assert boxes(ready("b300-twin-plane")) == (128, 64, 0)
    assert boxes(ready("gb200-nvl72")) == (9, 0, 0)
    assert boxes(ready("gb200-nvl72-four-rails")) == (20, 16, 0)
    assert boxes(ready("lab-64")) == (16, 16, 0)
    assert (ready("lab-64").sizing.leaf, ready("lab-64").sizing.spine) == (2, 2)
    assert {
        name: plan_file(ROOT / "examples" / f"{name}.yaml").mapping.per_switch
        for name in ("two-rails-one-leaf", "ocdai-256")
    } == {
        "two-rails-one-leaf": 2,
        "ocdai-256": 2,
    }
    assert {path.stem: boxes(plan_file(path)) for path in EXAMPLES} == {
        "direct-torus": (0, 0, 0),
        "first-fabric": (8, 0, 0),
        "growing": (16, 32, 0),
        "mixed-speed": (24, 16, 0),
        "nvl72": (6, 0, 0),
        "nvl72-four-rails": (12, 8, 0),
        "ocdai-256": (4, 2, 0),
        "twin-plane": (8, 0, 0),
        "two-rails-one-leaf": (4, 0, 0),
    }


@pytest.mark.parametrize(
    ("best", "lost", "published", "lost_there"),
    [
        ("inventories/gb200-nvl72", "11.1 %", "inventories/gb200-nvl72-four-rails", "6.25 %"),
        ("examples/nvl72", "16.7 %", "examples/nvl72-four-rails", "12.5 %"),
    ],
)
def test_nvl72_in_one_tier_beside_four_rails(
    best: str, lost: str, published: str, lost_there: str
) -> None:
    """One tier takes fewer switches than a fat-tree, four rails more; comments state the trade."""
    one_tier, four_rails = (
        compare(plan_file(path_of(name)).spec, CATALOG) for name in (best, published)
    )
    assert one_tier.savings.switches_pct == {"16.7 %": 64.7, "11.1 %": 73.5}[lost]
    assert (four_rails.savings.switches_pct or 0) < 0
    assert [worst_pct(each) for each in (one_tier, four_rails)] == [lost, lost_there]
    counts = [each.switches.total for each in (one_tier.summaries[-1], four_rails.summaries[0])]
    for text in (comment(best), comment(published)):
        assert lost in text
        assert all(re.search(rf"\b{count}\b", text) for count in counts)


def path_of(name: str) -> Path:
    """Return the path of an inventory of the checkout."""
    return ROOT / f"{name}.yaml"


def comment(name: str) -> str:
    """Return the text of an inventory with its comments in one line."""
    return re.sub(r"\s+", " ", path_of(name).read_text(encoding="utf-8").replace("\n#", ""))


def worst_pct(comparison: Comparison) -> str:
    """Format the bandwidth that the worst failed switch of the rail-only fabric takes."""
    rows = rank(comparison.built[0][0], "switch")
    return f"{max(row.impact.fabric_bandwidth_lost_pct for row in rows):.3g} %"


def test_the_saving_in_a_comment_is_by_its_book() -> None:
    """The comment of the ready NVL72 fabric names the saving and the price book."""
    spec = plan_file(path_of("inventories/gb200-nvl72")).spec
    priced = spec.model_copy(update={"prices": Prices(book="street-2026-09")})
    saving = compare(priced, CATALOG).savings.cost_pct
    text = comment("inventories/gb200-nvl72")
    assert f"By street-2026-09 it costs {saving} % less than the fat-tree" in text


@pytest.mark.parametrize(
    ("name", "counts", "links"),
    [("million", (16384, 8192, 0), 2_097_152), ("million-hb8", (16384, 16384, 8192), 3_145_728)],
)
def test_a_million_gpus(name: str, counts: tuple[int, ...], links: int) -> None:
    """1,048,576 GPUs on 128-port switches, with large HB domains and with small ones."""
    plan = ready(name)
    assert boxes(plan) == counts
    assert sum(plan.link_count(kind) for kind in LinkKind) == links


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_can_be_compared(path: Path) -> None:
    """The demo compares each example with the other designs, of which at least two can be built."""
    assert len(compare(plan_file(path).spec, CATALOG).summaries) >= 2
