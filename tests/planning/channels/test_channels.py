"""Structured cabling: links become jumper, trunk and jumper, in whole trunks and full panels."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.priced_bill import make_bom
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.planning.channels.direct_links import direct_links
from fabricgen.planning.channels.loss import DB
from fabricgen.planning.channels.polarity import ChannelPath
from fabricgen.planning.channels.trunk_routes import trunk_count
from fabricgen.planning.notices import advice
from fabricgen.views.cables.cable_rows import CableRows
from fabricgen.views.factory import Views
from tests import ROOT
from tests.fabrics import CATALOG, CO_PACKAGED, plan_of, refusal_codes

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.plan import Plan

SMALL: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
}
STRUCTURED = {"host": "structured", "leaf_spine": "structured"}
SUPERPOD: dict[str, Any] = SMALL | {
    "gpus": 1016,
    "exclude": ["host-128"],
    "site": {
        "rack": {
            "units": 48,
            "max_switches": 16,
            "reserved": [{"first": 1, "last": 14, "use": "panels", "racks": "switches"}],
        },
        "media": {"host": ["mmf"], "leaf_spine": ["mmf"]},
    },
    "cabling": {"panels": [{"panel": "panel-1u"}], "trunks": {"spare": 0}, "where": STRUCTURED},
}
"""The 127 DGX of NVIDIA's SuperPOD of four units: one makes room for the subnet managers."""


def channels_of(plan: Plan) -> Channels:
    """Return the channels of a plan that has some."""
    assert plan.channels
    return plan.channels


def connector(name: str) -> Any:  # noqa: ANN401 - a connector that exists
    """Return a connector of the catalog."""
    return CATALOG.connector(name)


class Way(NamedTuple):
    """The label of a link, and where it runs."""

    cable: str
    lower: tuple[int, int]
    upper: tuple[int, int]
    trunk: int
    leg: int


def _ways(plan: Plan) -> list[Way]:
    """Return where each link runs that has a channel."""
    channels, links = channels_of(plan), len(plan.segment.kind)
    labels = [
        view.cable
        for segment in range(plan.mapping.segments)
        for view in Views(plan).cables(segment)
    ]
    ends = [
        zip(end.panel.tolist(), end.port.tolist(), strict=True)
        for end in (channels.lower, channels.upper)
    ]
    names = (labels[row] for row in (channels.segment * links + channels.row).tolist())
    columns = zip(names, *ends, channels.trunk.tolist(), channels.leg.tolist(), strict=True)
    return [Way(*each) for each in columns]


@pytest.mark.parametrize(
    ("front", "near", "trunk", "far", "works"),
    [
        ("mpo12", "B", "B", "B", True),
        ("mpo12", "A", "A", "B", True),
        ("mpo12", "B", "A", "A", True),
        ("mpo12", "C", "C", "B", True),
        ("mpo12", "A", "A", "A", False),
        ("mpo12", "B", "A", "B", False),
        ("mpo12", "B", "C", "B", False),
        ("lc", "A-B", "B", "A-B", True),
        ("lc", "A-B", "C", "A-B", True),
        ("lc", "A-B", "A", "A-A", True),
        ("lc", "A-B", "A", "A-B", False),
    ],
)
def test_the_methods_of_tia_568(
    front: str, near: str, trunk: str, far: str, *, works: bool
) -> None:
    """Methods A, B and C as TIA-568.3 has them, for parallel modules and for duplex ones."""
    path = ChannelPath(connector(front), connector("mpo12"), near, trunk, far)
    fanout = 12 // path.front.positions
    assert [path.faults(port) == [] for port in range(fanout)] == [works] * fanout
    if trunk == "B" and fanout > 1:  # the port at the far end counts down, as in method B
        assert [path.far_port(port) for port in range(fanout)] == [5, 4, 3, 2, 1, 0]


def test_a_link_of_four_lanes_uses_the_outer_fibres() -> None:
    """Eight of twelve fibres: four at each side, as 400GBASE-SR4 and DR4 have them."""
    path = ChannelPath(connector("mpo12"), connector("mpo12"), "B", "B", "B")
    assert path.strands(0) == [1, 2, 3, 4, 9, 10, 11, 12]


def test_trunks_are_whole_with_spare_connectors() -> None:
    """32 links and 10 % are 36 connectors of 12; no link takes the spare ones."""
    assert trunk_count(32, 1, 12, Decimal(0)) == 3
    assert trunk_count(33, 1, 12, Decimal(10)) == 4
    assert trunk_count(72, 6, 12, Decimal(0)) == 1
    channels = channels_of(plan_of(**SMALL | {"cabling": {"where": STRUCTURED}}))
    assert (channels.leg < 12).all()
    assert np.bincount(channels.trunk, minlength=len(channels.trunks)).max() <= 12


def test_a_kind_that_is_direct_has_no_channel() -> None:
    """By default hosts are joined directly, and one tier has nothing else."""
    assert plan_of(**SMALL | {"cabling": {}}).channels is None
    assert plan_of(**SMALL).channels is None


def test_links_with_co_packaged_optics_take_no_panels() -> None:
    """A channel is verified between two modules, and a Q3450 has none."""
    plan = plan_of(**CO_PACKAGED, cabling={"where": STRUCTURED})
    assert plan.channels is None
    notices = [one for one in advice(plan) if "stay direct" in one]
    assert notices == [*direct_links(plan, plan.candidate)]
    assert notices[0] == (
        "576 host links stay direct, although `cabling.where.host` is `structured`:"
        " mfp7e30 does not join two modules"
    )


def test_no_notice_names_links_that_were_asked_to_be_direct() -> None:
    """Nor those of a kind that runs through panels, where some share a rack of panels."""
    direct = dict.fromkeys(STRUCTURED, "direct")
    for keys in (
        CO_PACKAGED | {"cabling": {"where": direct}},
        SMALL | {"cabling": {"where": STRUCTURED}},
    ):
        plan = plan_of(**keys)
        assert [*direct_links(plan, plan.candidate)] == []


def test_the_links_of_a_superpod_keep_their_channels() -> None:
    """2,040 links are 2,040 channels: 1,016 of hosts, 1,024 of leaves; every law holds."""
    plan = plan_of(**SUPERPOD)
    channels = channels_of(plan)
    assert plan.links == len(channels.row) == 2040
    assert channels.count(LinkKind.HOST) == 1016
    keys = {*zip(channels.segment.tolist(), channels.row.tolist(), strict=True)}
    assert len(keys) == 2040
    assert check(plan).ok


def test_lists_have_two_jumpers_and_the_trunks_last() -> None:
    """A jumper ends at a panel of the rack of its device; the bill has the same cables."""
    plan = plan_of(**SMALL | {"cabling": {"where": STRUCTURED}})
    channels = channels_of(plan)
    rows = CableRows(Views(plan)).rows(0, 0, len(plan.segment.kind))
    jumpers, trunks = rows[:128], rows[128:]
    assert [row.cable for row in jumpers[:2]] == ["h00001-1", "h00001-2"]
    assert all(low.b_device in {panel.name for panel in channels.panels} for low in jumpers[::2])
    assert all(low.a_rack == low.b_rack for low in jumpers)
    assert [row.cable for row in trunks] == [trunk.name for trunk in channels.trunks]
    billed = {line.item: line.quantity for line in make_bom(plan).lines}
    assert sum(billed[f"mfp7e10 {length} m"] for length in {row.length_m for row in jumpers}) == 128
    assert billed["panel-1u"] == len(channels.panels)
    assert plan.cables == len(rows)


def test_the_length_and_the_loss_of_a_channel_are_sums() -> None:
    """Four pairs of plugs of 0.35 dB, and 3 dB per kilometre of multimode fibre."""
    channels = channels_of(plan_of(**SMALL | {"cabling": {"where": STRUCTURED}}))
    lengths = channels.lower.length_mm + channels.trunk_mm + channels.upper.length_mm
    assert channels.length_mm.tolist() == lengths.tolist()
    assert channels.loss.tolist() == [14 * DB // 10 + 3000 * int(each) for each in lengths]


def spliced(directory: Path, splice_db: str) -> Catalog:
    """Return a catalog whose multimode trunks have splices of a loss."""
    shipped = (ROOT / "inventories/catalog/trunks/trunk-mpo12-mmf.yaml").read_text("utf-8")
    (directory / "trunks").mkdir()
    own = re.sub("splice_db: .*\n", splice_db, shipped)
    (directory / "trunks" / "trunk-mpo12-mmf.yaml").write_text(own, encoding="utf-8")
    return Catalog((directory,))


def test_each_splice_of_a_trunk_loses_light(tmp_path: Path) -> None:
    """Two of 0.05 dB are 0.1 dB more than without any; with those of TIA-568 the budget is over."""
    keys = SMALL | {"cabling": {"where": STRUCTURED, "trunks": {"splices": 2}}}
    catalog = spliced(tmp_path, "splice_db: 0.05\n")
    plan = plan_of(catalog, **keys)
    without = channels_of(plan_of(**SMALL | {"cabling": {"where": STRUCTURED}}))
    assert (channels_of(plan).loss - without.loss == DB // 10).all()
    assert check(plan).ok
    assert refusal_codes(**keys) == ["loss-over-budget"]


def test_a_splice_without_a_loss_is_refused(tmp_path: Path) -> None:
    """The catalog has to state it."""
    keys = SMALL | {"cabling": {"where": STRUCTURED, "trunks": {"splices": 1}}}
    with pytest.raises(Refusal, match="unknown-loss"):
        plan_of(spliced(tmp_path, ""), **keys)


def test_panels_take_free_units_from_the_asked_one() -> None:
    """From `rack_unit` up, or the highest units without a device."""
    where = {"where": {"host": "structured"}}
    free = channels_of(plan_of(**SMALL | {"cabling": where}))
    assert {panel.rack_unit for panel in free.panels} <= {42, 41, 40}
    asked = where | {"panels": [{"rack_unit": 35, "ports": 12}]}
    panels = channels_of(plan_of(**SMALL | {"cabling": asked})).panels
    assert [panel.rack_unit for panel in panels if panel.rack == 0] == [35, 36, 37]
    overlapping = where | {"panels": [{"rack_unit": 1}]}
    assert refusal_codes(**SMALL | {"cabling": overlapping}) == ["panels-full"]


def test_growth_within_the_reserve_adds_jumpers_alone() -> None:
    """Trunks and panels are those of the reserve, and each link keeps its ports and its fibres."""
    keys = SMALL | {"reserve": {"gpus": 128}, "cabling": {"where": STRUCTURED}}
    now, later = (plan_of(**keys | {"gpus": gpus}) for gpus in (64, 128))
    before, after = channels_of(now), channels_of(later)
    assert (before.panels, before.trunks) == (after.panels, after.trunks)
    assert len(before.row) < len(after.row)
    assert {*_ways(now)} < {*_ways(later)}
    assert check(now).ok


def test_an_end_goes_to_the_nearest_rack_with_panels() -> None:
    """The racks that are named serve all others; a link between two ends of one stays direct."""
    named = {"panels": [{"racks": ["A01-01", "A01-02"]}], "where": {"host": "structured"}}
    channels = channels_of(plan_of(**SMALL | {"cabling": named}))
    assert {panel.name[:6] for panel in channels.panels} == {"A01-01", "A01-02"}
    assert len(channels.row) == 32


LC = """
model: lc-jumper
vendor: own
description: a duplex LC jumper
medium: smf
ends: [duplex LC, duplex LC]
links: 1
legs: 1
lengths_m: [1, 2, 3, 5, 7, 10, 15]
reach_m: 2000
polarity: A-B
db_per_km: 0.4
power_w: 0
source: a catalog of our own
quality: A
"""


def duplex_plan(directory: Path) -> Plan:
    """Plan a fabric with duplex modules, whose jumper is in a catalog in a directory."""
    (directory / "cables").mkdir()
    (directory / "cables" / "lc-jumper.yaml").write_text(LC, encoding="utf-8")
    keys = SMALL | {
        "gpus": 256,
        "rails": {"tiers": 2},
        "prices": {"prefer": {"part": "mms4x50-nm"}},
        "site": {"rack": {"units": 48, "max_switches": 4}, "media": {"leaf_spine": ["smf"]}},
        "cabling": {"panels": [{"connector": "lc"}], "trunks": {"fibres": 48}},
    }
    return plan_of(Catalog((directory,)), **keys)


def test_duplex_modules_share_trunks_behind_cassettes(tmp_path: Path) -> None:
    """Six links of FR4 take one MPO of a trunk without pins; the far ports count down."""
    plan = duplex_plan(tmp_path)
    channels = channels_of(plan)
    assert {trunk.item for trunk in channels.trunks} == {"trunk-mpo12-smf-48b-f"}
    assert channels.lower.port[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert channels.upper.port[:6].tolist() == [5, 4, 3, 2, 1, 0]
    assert check(plan).ok
