"""Positions of devices: by rule, by a table, and findings on an inconsistent room."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.laws import check
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from fabricgen.core.yaml_text import write_yaml
from fabricgen.planning.baseline.rack_positions import read_rack_positions
from fabricgen.planning.plan import make_plan
from fabricgen.planning.room.footprints import KINDS
from fabricgen.views.factory import Views
from tests.fabrics import plan_of, refusal_codes, spec_of
from tests.laws.drawing import inventories

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room
    from tests.laws.drawing import Inventory

H100: dict[str, Any] = {
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
}
HOST = {
    "footprints": {
        "host": {"units": 8},
        "leaf": {"units": 2},
        "spine": {"units": 2},
        "core": {"units": 2},
    }
}


def room_of(plan: Plan) -> Room:
    """Return the room of a plan that has one."""
    assert plan.lengths
    return plan.lengths.room


def seats(plan: Plan, *, installed: bool = False) -> dict[str, tuple[str, int]]:
    """Return rack and rack unit of every planned or installed device that has a place, by name."""
    room = room_of(plan)
    names = set(plan.hosts) | set(plan.switches()) if installed else None
    every = {
        room.device(device): (room.names[rack], int(room.positions.rack_unit[device]))
        for device, rack in enumerate(room.positions.rack.tolist())
        if rack >= 0
    }
    return {name: seat for name, seat in every.items() if names is None or name in names}


def racks(plan: Plan, role: Role) -> list[str]:
    """Return the racks of the switches of a role, in the order of the switches."""
    found = seats(plan)
    names = [
        name
        for segment in range(plan.mapping.segments)
        for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True)
        if box.role is role
    ]
    return [found[name][0] for name in names]


def test_hosts_fill_racks_from_the_bottom() -> None:
    """Four DGX fill a rack of 42 rack units and 45 kW.

    Each has 8 rack units and 10.2 kW. The leaves are in the middle of the row, from the top.

    A01-01    A01-02    A01-03
    1-4       leaves    5-8
    """
    found = seats(plan_of(gpus=64, **H100))
    assert [found[f"host-{n}"] for n in range(1, 9)] == [
        (rack, rack_unit) for rack in ("A01-01", "A01-03") for rack_unit in (1, 9, 17, 25)
    ]
    assert [found[f"r{rail}-leaf-1"] for rail in range(8)] == [
        ("A01-02", 42 - rail) for rail in range(8)
    ]


def test_the_tightest_limit_of_a_rack_counts() -> None:
    """48 rack units hold six hosts, 36 kW feed three, and 300 kg carry two."""

    def hosts(**rack: int) -> int:
        found = seats(
            plan_of(
                gpus=256, **H100, site={"rack": {"units": 48, **rack}}, naming={"host": "host-{n}"}
            )
        )
        return max(
            Counter(rack for name, (rack, _) in found.items() if name.startswith("host")).values()
        )

    assert (hosts(), hosts(power_w=36_000), hosts(power_w=36_000, weight_kg=300)) == (4, 3, 2), (
        "the catalog draws four H100 in a rack"
    )
    assert (
        room_of(
            plan_of(gpus=256, **H100, site={"rack": {"units": 48}, "hosts_per_rack": 6})
        ).positions.rack_unit.max()
        == 48
    )


def test_reserved_units_stay_free() -> None:
    """Hosts go above a PDU at the foot, switches around the cable managers of their racks."""
    reserved = [
        {"first": 1, "last": 2, "use": "PDU"},
        {"first": 40, "use": "cable manager", "racks": "switches"},
    ]
    site = HOST | {"rack": {"units": 42, "reserved": reserved}, "hosts_per_rack": 4}
    found = seats(plan_of(gpus=64, **H100, site=site))
    assert [found[f"host-{n}"][1] for n in range(1, 5)] == [3, 11, 19, 27]
    assert [found[f"r{rail}-leaf-1"][1] for rail in range(4)] == [41, 38, 36, 34]


def test_hosts_that_reserved_units_leave_no_room_for_are_refused() -> None:
    """Five hosts of eight units take 40 of 42; with three reserved, four fit."""
    site = HOST | {"rack": {"reserved": [{"first": 20, "last": 22, "use": "panel"}]}}
    with pytest.raises(Refusal) as refused:
        plan_of(gpus=64, **H100, site=site | {"hosts_per_rack": 5})
    (finding,) = refused.value.findings
    assert finding.code == "rack-overflow"
    assert finding.because == (
        "5 hosts x 8 units = 40 units, and a rack has 39 units beside its reserved ones",
    )
    assert finding.hint == "use `hosts_per_rack: 4`"


def test_a_rack_holds_at_most_so_many_switches() -> None:
    """Eight leaves, three to a rack, take three racks in the order of the switches."""
    plan = plan_of(gpus=64, **H100, site=HOST | {"rack": {"max_switches": 3}})
    assert [*Counter(racks(plan, Role.LEAF)).values()] == [3, 3, 2]


def table(folder: Path, *lines: str, header: str = "device,hall,row,rack,unit") -> Catalog:
    """Write a table of positions of eight leaves and two hosts; return a catalog beside it."""
    leaves = [f"r{rail}-leaf-1,DH3,A,K15,{1 + 2 * rail}" for rail in range(8)]
    text = "\n".join([header, *lines, *leaves]) + "\n"
    (folder / "positions.csv").write_text(text, encoding="utf-8")
    return Catalog(base=folder)


def test_names_of_halls_rows_and_racks_are_free(tmp_path: Path) -> None:
    """A name that ends in a number is at that number, and everything prints the name."""
    catalog = table(tmp_path, "host-1,DH3,A,K14,1", "host-2,DH3,A,K14,9")
    site = HOST | {"positions": "positions.csv"}
    plan = plan_of(catalog, gpus=16, **H100, site=site)
    assert room_of(plan).places == [("DH3", "A", "K14"), ("DH3", "A", "K15")]
    assert room_of(plan).names == ["DH3A-K14", "DH3A-K15"]
    assert (room_of(plan).positions.at.tolist(), room_of(plan).row(2, 0)) == ([13, 14], "A")
    assert check(plan).ok
    named = plan_of(catalog, gpus=16, **H100, site=site, naming={"rack": "{rack}"})
    assert room_of(named).names == ["K14", "K15"]
    positions = room_of(plan).positions
    again = read_rack_positions(positions.document())
    assert again.names == positions.names
    assert plan.lengths
    assert named.lengths
    numbers = table(tmp_path, "host-1,C,1,14,1", "host-2,C,1,14,9")
    text = (tmp_path / "positions.csv").read_text(encoding="utf-8").replace("DH3,A,K15", "C,1,15")
    (tmp_path / "positions.csv").write_text(text, encoding="utf-8")
    plain = plan_of(numbers, gpus=16, **H100, site=site)
    assert plain.lengths
    assert (plain.lengths.stock_mm == plan.lengths.stock_mm).all()
    assert "names" not in room_of(plain).positions.document()


def test_a_site_lists_names_in_their_order() -> None:
    """A room by rule has the names of the lists, and no more places than they have names."""
    lists = {"halls": ["DH3"], "rows": ["A", "B"], "racks_per_row": ["K2", "K1"]}
    plan = plan_of(gpus=64, **H100, site=HOST | lists | {"hosts_per_rack": 4})
    assert room_of(plan).names == ["DH3A-K2", "DH3A-K1", "DH3B-K2", "DH3B-K1"]
    assert refusal_codes(gpus=256, **H100, site=HOST | lists | {"hosts_per_rack": 4}) == ["no-room"]


@pytest.mark.parametrize(
    ("lines", "lists", "fact"),
    [
        (
            ["host-1,DH3,A,K14,1", "host-2,DH3,A,L14,1"],
            {},
            "the racks `K14` and `L14` are both number 14",
        ),
        (
            ["host-1,DH3,A,K14,1", "host-2,3,A,K14,9"],
            {},
            "the halls `DH3` and `3` are both number 3",
        ),
        (["host-1,Main,A,K14,1", "host-2,DH3,A,K14,9"], {}, "the hall `Main` has no number"),
        (
            ["host-1,DH3,A,K14,1", "host-2,DH3,A,K14,9"],
            {"rows": ["B"]},
            "`site.rows` has no row `A`",
        ),
        (["host-1,DH3,A,K/14,1", "host-2,DH3,A,K14,9"], {}, "the rack `K/14` has no number"),
    ],
)
def test_ambiguous_names_are_refused(
    lines: list[str], lists: dict[str, list[str]], fact: str, tmp_path: Path
) -> None:
    """Two names with one number, and names without one, need a list that gives their order."""
    site = HOST | {"positions": "positions.csv"} | lists
    with pytest.raises(Refusal) as refused:
        plan_of(table(tmp_path, *lines), gpus=16, **H100, site=site)
    assert refused.value.findings[0].fact == f"positions.csv: {fact}"


def test_a_table_may_have_semicolons(tmp_path: Path) -> None:
    """The spreadsheets of most of Europe write them."""
    catalog = table(tmp_path, "host-1,DH3,A,K14,1", "host-2,DH3,A,K14,9")
    site = HOST | {"positions": "positions.csv"}
    commas = plan_of(catalog, gpus=16, **H100, site=site)
    text = (tmp_path / "positions.csv").read_text(encoding="utf-8")
    (tmp_path / "positions.csv").write_text(text.replace(",", ";"), encoding="utf-8")
    assert seats(plan_of(catalog, gpus=16, **H100, site=site)) == seats(commas)


def test_devices_of_a_table_in_reserved_units_are_refused(tmp_path: Path) -> None:
    """The finding names the line, the unit and what it is reserved for."""
    lines = ["device,hall,row,rack,unit", "host-1,A,1,1,1", "host-2,A,1,1,9"]
    lines += [f"r{rail}-leaf-1,A,1,2,{1 + 2 * rail}" for rail in range(8)]
    (tmp_path / "positions.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    reserved = [{"first": 16, "use": "PDU", "racks": "hosts"}]
    site = HOST | {"positions": "positions.csv", "rack": {"reserved": reserved}}
    with pytest.raises(Refusal) as refused:
        plan_of(Catalog(base=tmp_path), gpus=16, **H100, site=site)
    (finding,) = refused.value.findings
    assert finding.fact == ("positions.csv: `host-2` is in unit 16, which is reserved for PDU")
    assert finding.place
    assert finding.place.line == 3


@pytest.mark.parametrize(
    ("where", "at"),
    [
        ("row-middle", {1: [5], 2: [5], 3: [5]}),
        ("row-end", {1: [10], 2: [10], 3: [10]}),
        ("hall-middle", {2: [1, 2, 3]}),
    ],
)
def test_positions_of_racks_of_switches(where: str, at: dict[int, list[int]]) -> None:
    """Thirty racks in three rows of ten are 27 of hosts and 3 of switches.

    30 switches of 14 units are three to a rack.
    """
    site = {
        "racks_per_row": 10,
        "network_racks": where,
        "footprints": {"leaf": {"units": 14}},
        "hosts_per_rack": 4,
    }
    plan = plan_of(
        gpus=864,
        rails={"count": 8, "tiers": 1},
        **{**H100, "switches": {"leaf": {"model": "sn5600"}}},
        site=site,
    )
    room = room_of(plan)
    assert len(room.names) == 30
    switches = sorted({int(rack) for rack in room.positions.rack[room.hosts :]})
    found: dict[int, list[int]] = {}
    for rack in switches:
        found.setdefault(int(room.positions.row[rack]) + 1, []).append(
            int(room.positions.at[rack]) + 1
        )
    assert found == at


def test_leaves_are_near_their_hosts() -> None:
    """Rail-optimized, eight stripes of 32 hosts.

    The leaves of a stripe are together, stripes in order, and the spines in their middle.
    """
    plan = plan_of(
        design="rail-optimized", gpus=2048, **H100, site={"rack": {"units": 42, "power_w": 45_000}}
    )
    room = room_of(plan)
    leaves = racks(plan, Role.LEAF)
    order = [room.names.index(rack) for rack in leaves]
    assert order == sorted(order)
    spines = [room.names.index(rack) for rack in racks(plan, Role.SPINE)]
    assert min(order) <= min(spines) <= max(spines) <= max(order)


def test_leaves_on_top_of_the_racks() -> None:
    """Sixteen racks of hosts and eight leaves.

    Every second rack has one in its highest rack unit, and no rack is for switches alone.
    """
    plan = plan_of(gpus=512, **H100, rails={"tiers": 1}, site={"leaves": "top-of-rack"})
    found = seats(plan)
    tops = [found[name] for name in plan.switches()]
    assert {rack_unit for _, rack_unit in tops} == {42}
    assert len({rack for rack, _ in tops}) == len(tops) == 8
    assert {rack for rack, _ in tops} <= {found[host][0] for host in plan.hosts}
    assert len(room_of(plan).names) == 16


def test_a_described_room_has_a_last_hall() -> None:
    """A hundred halls of 32 racks in single file cannot hold 4,096 hosts of a rack each.

    A generated room has no limit.
    """
    keys: dict[str, Any] = {"gpus": 32768, **H100}
    assert refusal_codes(**keys, site={"racks_per_row": 1, "hosts_per_rack": 1}) == ["no-room"]
    assert len(room_of(plan_of(gpus=2**20, hb_domain={"gpus": 8}, radix=128)).names) > 20_000


def test_halls_have_letters() -> None:
    """Two halls of one row each, and a user's pattern of rack names."""
    plan = plan_of(gpus=64, **H100, site={"halls": 2, "rows": 1, "racks_per_row": 2})
    assert room_of(plan).names == ["A01-01", "A01-02", "B01-01", "B01-02"]
    plan = plan_of(gpus=64, **H100, naming={"rack": "{hall}.r{row:03}.{rack}"})
    assert room_of(plan).names == ["A.r001.01", "A.r001.02", "A.r001.03"]


def test_unknown_footprints_are_assumed_in_a_generated_room_only() -> None:
    """A host of 72 GPUs without a footprint has a rack for itself.

    A described room requires the footprint.
    """
    keys: dict[str, Any] = {"gpus": 288, "hb_domain": {"gpus": 72}, "radix": 64}
    room = room_of(plan_of(**keys))
    assert room.generated
    assert sorted(room.positions.rack[: room.hosts].tolist()) == sorted(
        set(room.positions.rack[: room.hosts].tolist())
    )
    assert refusal_codes(**keys, site={}) == ["unknown-footprint", "unknown-footprint"]
    assert not room_of(
        plan_of(**keys, site={"footprints": {"host": {"units": 18}, "leaf": {"units": 1}}})
    ).generated


def test_nothing_is_placed_on_request() -> None:
    """Columns are empty, the laws hold, and the summary has no length."""
    plan = plan_of(gpus=64, **H100, site="unknown")
    assert plan.lengths is None
    assert {(cable.a_rack, cable.b_unit, cable.length_m) for cable in Views(plan).cables(0)} == {
        ("", "", "")
    }
    assert check(plan).ok


# --- laws


def drawn(inventory: Inventory, site: dict[str, Any] | None) -> Plan | None:
    """Plan an inventory with a site; None where it is refused."""
    try:
        return make_plan(
            spec_of(**inventory, **({"site": {**HOST, **site}} if site is not None else {})),
            Catalog(),
        )
    except Refusal:
        return None


RESERVED = st.lists(
    st.fixed_dictionaries(
        {
            "first": st.integers(1, 8),
            "use": st.just("PDU"),
            "racks": st.sampled_from(("all", "hosts", "switches")),
        }
    ),
    max_size=2,
)
SITES = st.none() | st.fixed_dictionaries(
    {
        "network_racks": st.sampled_from(("row-middle", "row-end", "hall-middle")),
        "leaves": st.sampled_from(("network-rack", "top-of-rack")),
        "racks_per_row": st.integers(1, 12),
        "rack": st.fixed_dictionaries(
            {"units": st.integers(8, 48)},
            optional={"max_switches": st.integers(1, 12), "reserved": RESERVED},
        ),
        "tray": st.fixed_dictionaries(
            {
                "run": st.sampled_from(("overhead", "underfloor")),
                "cross": st.sampled_from(("middle", "ends")),
            }
        ),
    },
    optional={"halls": st.integers(1, 3), "hosts_per_rack": st.integers(1, 6)},
)


def test_every_device_has_one_place_of_its_own() -> None:
    """Whatever the design and the room, each rack unit is used once. No device leaves its rack."""
    seen: Counter[bool] = Counter()

    @settings(max_examples=150)
    @given(inventories(), SITES)
    def hold(inventory: Inventory, site: dict[str, Any] | None) -> None:
        plan = drawn(inventory, site)
        seen[plan is not None] += 1
        if plan is None:
            return
        room = room_of(plan)
        rack_units = [room.shares.of[KINDS[kind]].rack_units for kind in room.kind.tolist()]
        cells = [
            (rack, rack_unit + more)
            for rack, rack_unit, many in zip(
                room.positions.rack.tolist(),
                room.positions.rack_unit.tolist(),
                rack_units,
                strict=True,
            )
            for more in range(many)
        ]
        assert len(set(cells)) == len(cells)
        assert all(
            0 <= rack < len(room.names) and 1 <= rack_unit <= room.shares.rack.rack_units
            for rack, rack_unit in cells
        )
        assert len(set(room.names)) == len(room.names)
        used = Counter(zip(room.positions.rack.tolist(), room.kind.tolist(), strict=True))
        for rack in set(room.positions.rack.tolist()):
            assert room.shares.fits(
                *((KINDS[kind], count) for (where, kind), count in used.items() if where == rack)
            )

    hold()
    assert min(seen[True], seen[False]) >= 15, seen


def test_growth_within_the_reserve_moves_nothing() -> None:
    """Installed devices keep their rack and rack unit when the rest is installed."""
    seen = 0

    @settings(max_examples=40)
    @given(inventories(), SITES)
    def hold(inventory: Inventory, site: dict[str, Any] | None) -> None:
        nonlocal seen
        before = drawn(inventory | {"reserve": {"gpus": inventory["gpus"] * 2}}, site)
        after = drawn(
            inventory | {"gpus": inventory["gpus"] * 2, "reserve": {"gpus": inventory["gpus"] * 2}},
            site,
        )
        if before and after:
            seen += 1
            assert seats(before, installed=True).items() <= seats(after, installed=True).items()

    hold()
    assert seen >= 10


# --- positions


def table_of(plan: Plan) -> str:
    """Write the positions of all devices of a plan as a table."""
    room = room_of(plan)
    seats_of = room.positions
    rows = [
        f"{room.device(device)},{'AB'[seats_of.hall[rack]]},{seats_of.row[rack] + 1},"
        f"{seats_of.at[rack] + 1},{seats_of.rack_unit[device]}"
        for device, rack in enumerate(seats_of.rack.tolist())
    ]
    return "\n".join(["device,hall,row,rack,unit", *reversed(rows)]) + "\n"


def test_a_table_equals_the_rule(tmp_path: Path) -> None:
    """Written and read back, a room has the same positions and lengths, in any order of lines."""
    keys: dict[str, Any] = {"gpus": 256, **H100}
    site = {"racks_per_row": 5, "rows": 2, "halls": 2}
    ruled = plan_of(**keys, site=site)
    (tmp_path / "there.csv").write_text(table_of(ruled), encoding="utf-8")
    stated = make_plan(
        spec_of(
            **keys,
            site=site
            | {"positions": "there.csv", "racks_per_row": room_of(ruled).positions.row_racks},
        ),
        Catalog(base=tmp_path),
    )
    assert seats(stated) == seats(ruled)
    assert [[*Views(stated).cables(segment)] for segment in range(8)] == [
        [*Views(ruled).cables(segment)] for segment in range(8)
    ]
    assert check(stated).ok


def test_a_table_is_read_beside_the_inventory(tmp_path: Path) -> None:
    """Another directory of price books does not matter.

    Spreadsheets write a byte order mark and other line ends.
    """
    keys: dict[str, Any] = {"gpus": 64, **H100}
    text = table_of(plan_of(**keys))
    (tmp_path / "there.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    plan = make_plan(
        spec_of(**keys, site={"positions": "./there.csv"}),
        Catalog(base=tmp_path / "other", home=tmp_path),
    )
    assert seats(plan) == seats(plan_of(**keys))


def test_a_table_is_found_beside_the_inventory_with_other_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--prices` names a book in its own directory and changes no other path."""
    keys: dict[str, Any] = {"gpus": 64, **H100}
    (tmp_path / "far").mkdir()
    (tmp_path / "far/there.csv").write_text(table_of(plan_of(**keys)), encoding="utf-8")
    (tmp_path / "far/fabric.yaml").write_text(
        write_yaml({"name": "far", **keys, "site": {"positions": "there.csv"}}), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["plan", "far/fabric.yaml", "--prices", "paper-v5"]) == 0
    assert "at most 5 m (room of `site`)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd.csv",
        "../there.csv",
        "a/../../there.csv",
        "there",
        "a//b.csv",
        ".hidden.csv",
        "there.csv\n",
        "",
    ],
)
def test_a_table_is_below_the_inventory(name: str) -> None:
    """A path to another directory is refused."""
    with pytest.raises(ValueError, match="positions"):
        spec_of(gpus=64, **H100, site={"positions": name})


def test_only_what_is_installed_must_have_a_line(tmp_path: Path) -> None:
    """Reserved devices may have a line."""
    keys: dict[str, Any] = {"gpus": 32, "reserve": {"gpus": 64}, **H100}
    lines = table_of(plan_of(**keys)).splitlines()
    short = [
        line for line in lines if not line.startswith(("host-5", "host-6", "host-7", "host-8"))
    ]
    assert len(short) == len(lines) - 4
    for kept in (lines, short):
        (tmp_path / "there.csv").write_text("\n".join(kept), encoding="utf-8")
        plan = make_plan(spec_of(**keys, site={"positions": "there.csv"}), Catalog(base=tmp_path))
        assert check(plan).ok
        assert len(seats(plan)) == len(kept) - 1


def test_a_table_of_another_fabric_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the lines shown are compared with device names, as a table may have millions."""
    asked: list[str] = []

    def suggest(word: str, *_: object) -> str:
        asked.append(word)
        return ""

    monkeypatch.setattr("fabricgen.planning.room.stated_positions.suggest", suggest)
    lines = [f"other-{number},A,1,{number % 9 + 1},{number % 9 + 1}" for number in range(1000)]
    (tmp_path / "positions.csv").write_text(
        "\n".join(["device,hall,row,rack,unit", *lines]), encoding="utf-8"
    )
    with pytest.raises(Refusal):
        make_plan(
            spec_of(gpus=64, **H100, site={"positions": "positions.csv"}), Catalog(base=tmp_path)
        )
    assert len(asked) == SHOWN
