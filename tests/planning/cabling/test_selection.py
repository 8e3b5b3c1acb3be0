"""Parts of a link by its length: the shortest sufficient candidate, one for each cage.

The bill counts them by the piece.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.laws import LAWS, check
from fabricgen.bom.priced_bill import make_bom
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.terms import LinkKind
from fabricgen.planning.cabling.selection import PartChoice, assign_parts
from fabricgen.planning.channels.direct_links import direct_links
from fabricgen.planning.plan import make_plan
from tests.fabrics import cables_of, plan_of, refusal_codes, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

H100: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
}
NVL72: dict[str, Any] = {
    "gpus": 144,
    "hb_domain": {"gpus": 72, "hosts": 18},
    "host": {"model": "gb200-nvl72"},
    "rails": {"count": 4},
}
B300: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-b300"},
    "rails": {"planes": 2, "per_switch": 8},
}
SN5600 = {"switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}}}
TRAYS = {
    "rack": {"units": 48},
    "hosts_per_rack": 18,
    "footprints": {"host": {"units": 1, "power_w": 5000}},
    "leaves": "top-of-rack",
}

ROOMS: dict[str, dict[str, Any]] = {
    "fibre to the hosts, twin copper between switches of one rack": {
        **H100,
        **SN5600,
        "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
    },
    "copper splitters to trays": {**NVL72, **SN5600, "site": {**TRAYS, "tray": {"slack_mm": 100}}},
    "copper splitters, which the tray's slack makes too short for most": {
        **NVL72,
        **SN5600,
        "site": TRAYS,
    },
    "two planes of a host's cage, which no copper can part": {
        **B300,
        **SN5600,
        "site": {"rack": {"units": 52}, "hosts_per_rack": 2},
    },
    "rows far apart, with single-mode where multimode ends": {
        **H100,
        **SN5600,
        "gpus": 2048,
        "site": {
            "hosts_per_rack": 4,
            "racks_per_row": 8,
            "row_pitch_mm": 20_000,
            "rack": {"units": 48},
        },
    },
}


def cage(plan: Plan, device: str, port: str) -> tuple[str, str]:
    """Return the cage of a printed port name.

    It is `5/1` on a switch, and on a host what its model defines.
    """
    host = plan.fabric.host
    seats = {each.label: each.cage for each in host.ports} if host and device in plan.hosts else {}
    return device, seats.get(port, port.split("/", maxsplit=1)[0])


@pytest.fixture(scope="module", params=ROOMS, ids=list(ROOMS))
def plan(request: pytest.FixtureRequest) -> Plan:
    """Plan each room."""
    return plan_of(**ROOMS[request.param])


def test_every_law_holds(plan: Plan) -> None:
    """The parts fit, reach, and agree in all outputs."""
    assert check(plan).ok
    assert "optics-match" in {law.code for law in LAWS}


def test_a_cage_holds_one_part(plan: Plan) -> None:
    """Both ends of every cable have the part that the other cables of their cages have."""
    plugs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for cable in cables_of(plan):
        plugs[cage(plan, cable.a_device, cable.a_port)].add(cable.a_transceiver or cable.part)
        plugs[cage(plan, cable.b_device, cable.b_port)].add(cable.b_transceiver or cable.part)
    assert {place: found for place, found in plugs.items() if len(found) > 1} == {}


def test_the_bill_counts_the_cable_list(plan: Plan) -> None:
    """A module for each cage with one, a fibre for each row.

    A copper piece counts for each cage of its near end.
    """
    modules, fibres, pieces = set(), Counter[str](), set()
    for cable in cables_of(plan):
        ends = {
            "a": (cable.a_device, cable.a_port, cable.a_transceiver),
            "b": (cable.b_device, cable.b_port, cable.b_transceiver),
        }
        modules |= {
            (*cage(plan, device, port), module) for device, port, module in ends.values() if module
        }
        if cable.a_transceiver:
            fibres[cable.part] += 1
        else:
            pieces.add((*cage(plan, cable.b_device, cable.b_port), cable.part))
            assert cable.piece == ":".join(cage(plan, cable.b_device, cable.b_port))
    shown = (
        Counter(module for *_, module in modules) + fibres + Counter(part for *_, part in pieces)
    )
    billed = Counter[str]()
    for line in make_bom(plan).lines:  # cables have a line for each length
        if line.part_class in {"transceivers", "cables"}:
            billed[line.part] += line.quantity
    assert shown == billed


def test_every_part_reaches(plan: Plan) -> None:
    """No cable is longer than its part, nor shorter than its path."""
    assert plan.lengths
    for segment in range(plan.mapping.segments):
        _, _, run_mm = plan.lengths.runs.of_segment(segment)
        stock = plan.lengths.stock_mm[plan.lengths.stock_at[segment]]
        reach = np.array(
            [1000 * joint.reach_m[0] if joint.reach_m else np.inf for joint in plan.candidates]
        )
        assert (stock >= run_mm).all()
        assert (stock <= reach[plan.lengths.candidate[segment]]).all()


def media(plan: Plan) -> dict[str, set[str]]:
    """Return the media of each kind of link."""
    found: dict[str, set[str]] = defaultdict(set)
    for cable in cables_of(plan):
        found[LinkKind(cable.tier).key].add(cable.medium)
    return dict(found)


def test_the_media_of_each_room() -> None:
    """Copper within its reach and form, multimode next, single-mode last."""
    taken = [media(plan_of(**keys)) for keys in ROOMS.values()]
    assert taken == [
        {"host": {"mmf"}, "leaf_spine": {"dac"}},
        {"host": {"dac", "mmf"}},
        {"host": {"dac", "mmf"}},
        {"host": {"mmf"}},
        {"host": {"mmf"}, "leaf_spine": {"dac", "mmf", "smf"}},
    ]


def test_the_site_may_restrict_the_media() -> None:
    """A medium that `media` omits is not used, and the first one is preferred."""
    room = ROOMS["fibre to the hosts, twin copper between switches of one rack"]
    assert media(plan_of(**room | {"site": {**room["site"], "media": {"leaf_spine": ["mmf"]}}}))[
        "leaf_spine"
    ] == {"mmf"}
    assert media(
        plan_of(**room | {"site": {**room["site"], "media": {"leaf_spine": ["smf", "mmf"]}}})
    )["leaf_spine"] == {"smf"}
    assert refusal_codes(**room | {"site": {**room["site"], "media": {"host": ["aoc"]}}}) == [
        "no-part-for-link"
    ]
    near = {
        "leaves": "top-of-rack",
        "rack": {"units": 52},
        "tray": {"slack_mm": 0},
        "media": {"host": ["dac"]},
    }
    assert refusal_codes(**room | {"gpus": 32, "site": near}) == ["no-part-for-link"]


def test_the_number_of_cables_of_a_link_is_independent_of_length() -> None:
    """A port of 800G takes both connectors of a twin module.

    So each link has two fibres and no copper, which would be one piece.
    """
    keys = {
        **B300,
        "rails": {"count": 8},
        "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    }
    plan = plan_of(**keys, site={"rack": {"units": 52}, "leaves": "top-of-rack"})
    assert {joint.cables for joint in plan.candidates} == {2}
    assert media(plan) == {"host": {"mmf"}}


def test_growth_within_the_reserve_changes_no_part() -> None:
    """A splitter whose second port is reserved for a distant host is not copper today.

    It would have to be replaced.
    """
    keys = {
        **NVL72,
        **SN5600,
        "rails": {"count": 8},
        "reserve": {"gpus": 144},
        "site": {**TRAYS, "tray": {"slack_mm": 100}},
    }
    before, after = (
        {cable.cable: cable for cable in cables_of(plan_of(**keys | {"gpus": gpus}))}
        for gpus in (72, 144)
    )
    assert len(before) == 72
    assert {label: after[label] for label in before} == before
    without = {
        cable.cable: cable.medium
        for cable in cables_of(plan_of(**keys | {"gpus": 72, "reserve": None}))
    }
    assert {label for label, cable in before.items() if cable.medium != without[label]}


def test_an_undescribed_room_selects_no_part() -> None:
    """There is one part for each kind of link, as without any room."""
    keys = {**H100, **SN5600}
    assert len(plan_of(**keys).candidates) == len(plan_of(**keys, site="unknown").candidates) == 2
    assert [joint.cable for joint in plan_of(**keys).candidates] == [
        joint.cable for joint in plan_of(**keys, site="unknown").candidates
    ]


SPLIT_HOST = """
model: half-speed
vendor: ours
description: a host of 200G ports
gpus: 8
hb_domain_gpus: 8
hb_domain_hosts: 1
nic: connectx-7
nics_per_gpu: 1
speeds_gbps: {1: 200}
form_factor: osfp
module_top: flat
cooling: air
rack_units: 8
maximum_w: 6000
ports: [%s]
source: this test
quality: C
"""


def test_a_splitter_fibre(tmp_path: Path) -> None:
    """Four ports of 200G in a cage use two connectors.

    A splitter joins two of them to two hosts, each with its own module, and takes no panels.
    """
    ports = ", ".join(
        f"{{gpu: {gpu}, cage: C{gpu}, label: C{gpu}, ethernet: eth{gpu}}}" for gpu in range(8)
    )
    (tmp_path / "hosts").mkdir()
    (tmp_path / "hosts" / "half-speed.yaml").write_text(SPLIT_HOST % ports, encoding="utf-8")
    leaf = {"leaf": {"model": "sn5600", "breakout": "4x200G"}}
    spec = spec_of(
        gpus=64,
        hb_domain={"gpus": 8},
        host={"model": "half-speed"},
        switches=leaf,
        site={"hosts_per_rack": 4},
        cabling={"where": {"host": "structured"}},
    )
    plan = make_plan(spec, Catalog([tmp_path]))
    assert {
        (cable.part, cable.a_transceiver, cable.b_transceiver) for cable in cables_of(plan)
    } == {("mfp7e20", "mma4z00-ns400", "mma4z00-ns")}
    assert [cable.piece for cable in cables_of(plan)[:4]] == [
        "r0-leaf-1:1/1",
        "r0-leaf-1:1/1",
        "r0-leaf-1:1/2",
        "r0-leaf-1:1/2",
    ]
    bought = {line.part: line.quantity for line in make_bom(plan).lines}
    assert (bought["mfp7e20"], bought["mma4z00-ns400"], bought["mma4z00-ns"]) == (
        64 // 2,
        64,
        64 // 4,
    )
    assert check(plan).ok
    (notice,) = direct_links(plan, plan.candidate)
    assert "64 host links stay direct" in notice
    assert notice.endswith("mfp7e20 splits into 2 links, and a jumper carries one")


LINKS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 40)), min_size=1, max_size=24
)


@settings(max_examples=300)
@given(LINKS, st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=4))
def test_settling_equals_connected_components(
    links: list[tuple[int, int, int]], candidates: list[tuple[int, bool]]
) -> None:
    """Links connected by cages take one candidate.

    It is the first that serves the longest of them, with pairs only where needed.
    """
    limits = np.cumsum([limit for limit, _ in candidates]).tolist()
    paired = [needs for _, needs in candidates]
    lower, upper, way = (np.array(column) for column in zip(*links, strict=True))
    found = assign_parts(way, (lower, upper), PartChoice(limits, paired)).tolist()
    graph = nx.Graph((("low", low), ("high", high)) for low, high, _ in links)
    for part in nx.connected_components(graph):
        rows = [row for row, (low, _, _) in enumerate(links) if ("low", low) in part]
        longest, alone = max(links[row][2] for row in rows), len(part) == 2
        wanted = next(
            (
                each
                for each, limit in enumerate(limits)
                if limit >= longest and (alone or not paired[each])
            ),
            len(limits) - 1,
        )
        assert {found[row] for row in rows} == {wanted}


def test_offers_have_increasing_reach(plan: Plan) -> None:
    """Of a kind each candidate has more reach than the one before.

    Fibre has modules at both ends, and copper has none.
    """
    for kind in plan.kinds:
        candidates = [joint for joint in plan.candidates if joint.kind is kind]
        reaches = [joint.reach_m[0] for joint in candidates if joint.reach_m]
        assert len(reaches) == len(candidates)
        assert reaches == sorted(set(reaches))
    assert all(
        len(joint.modules) == (2 if joint.medium in {"mmf", "smf"} else 0)
        for joint in plan.candidates
    )


def test_a_measured_length_overrides() -> None:
    """The cable gets the next stock length and a part with that reach, as do others in its cages.

    No other cable changes.
    """
    room = ROOMS["copper splitters to trays"]
    planned = {cable.cable: cable for cable in cables_of(plan_of(**room))}
    assert (
        planned["r1-h00018"].piece == planned["r1-h00017"].piece
    )  # a short leg does not shorten a splitter
    stated = {"measured_m": {"r0-h00001": 6.1, "r1-h00018": 0.9}}
    measured = {
        cable.cable: cable
        for cable in cables_of(plan_of(**room | {"site": {**room["site"], **stated}}))
    }
    changed = {
        label: (cable.length_m, cable.part)
        for label, cable in measured.items()
        if cable != planned[label]
    }
    beside = planned["r0-h00002"]
    assert beside.b_port.split("/")[0] == planned["r0-h00001"].b_port.split("/")[0]
    assert changed == {"r0-h00001": ("7", "mfp7e10"), "r0-h00002": ("3", "mfp7e10")}
    assert check(plan_of(**room | {"site": {**room["site"], **stated}})).ok
    assert (
        refusal_codes(
            **room | {"site": {**room["site"], "measured_m": {"r0-h99999": 3, "r0-h1": 3}}}
        )
        == ["unknown-cable"] * 2
    )
    assert refusal_codes(
        **room | {"site": {**room["site"], "measured_m": {"r0-h00001": 2001}}}
    ) == ["link-too-long"]


def test_a_measured_run_between_two_racks() -> None:
    """It is that of every cable between them, in either order, but of those with their own.

    It decides for the cables of a reserve as well, and other racks keep their lengths.
    """
    room = ROOMS["copper splitters to trays"]
    for more in ({}, {"reserve": {"gpus": 2 * room["gpus"]}}):
        keys = room | more
        computed = {cable.cable: cable for cable in cables_of(plan_of(**keys))}
        one = computed["r0-h00001"]
        pair = {one.a_rack, one.b_rack}
        stated = {f"{one.b_rack}/{one.a_rack}": 14.5, "r0-h00002": 6.1}
        plan = plan_of(**keys | {"site": {**keys["site"], "measured_m": stated}})
        assert check(plan).ok
        runs = {cable.cable: cable for cable in cables_of(plan)}
        between = {label for label in runs if {runs[label].a_rack, runs[label].b_rack} == pair}
        assert {runs[label].length_m for label in between - {"r0-h00002"}} == {"15"}
        assert runs["r0-h00002"].length_m == "7"
        assert all(runs[label] == computed[label] for label in runs.keys() - between)
    for wrong in ("A01-01/B7", "A01-01/A01-02/A01-02", "A01-01/"):
        site = {**room["site"], "measured_m": {wrong: 3}}
        assert refusal_codes(**room | {"site": site}) == ["unknown-cable"]
