"""Cable lengths: paths computed by hand, rounding, and invariants in any room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.core.terms import LinkKind
from fabricgen.planning.notices import advice
from fabricgen.views.factory import Views
from tests.fabrics import plan_of, refusal_codes
from tests.laws.drawing import Inventory, inventories
from tests.planning.test_room import H100, SITES, drawn, room_of

if TYPE_CHECKING:
    from fabricgen.planning.cabling.lengths import Lengths

# Eight hosts and eight leaves of one rack unit, in a row of three racks, 600 mm apart, trays 300 mm
# above racks of 42 rack units (1866 mm):
SMALL: dict[str, Any] = {"gpus": 64, **H100}
HOST_1, LEAF = 8 * 44_450 // 2000, (2 * 42 - 2 + 1) * 44_450 // 2000
TOP = 42 * 44_450 // 1000


def lengths_of(**keys: Any) -> Lengths:  # noqa: ANN401 - keys of an inventory
    """Plan an inventory, and return its lengths."""
    lengths = plan_of(**keys).lengths
    assert lengths
    return lengths


def way(lengths: Lengths, lower: int, upper: int) -> int:
    """Return the distance along the path between two devices, in millimetres."""
    return int(
        lengths.runs.run_mm(np.array([lower], dtype=np.int32), np.array([upper], dtype=np.int32))[0]
    )


def test_a_path_over_the_tray() -> None:
    """Up 300 + 1866 - 177, one rack along, down 300 + 1866 - 1844, and 500 of slack at each end.

    That is 3.9 m, so 5 m of fibre.
    """
    lengths = lengths_of(**SMALL)
    assert (HOST_1, LEAF, TOP) == (177, 1844, 1866)
    by_hand = (300 + TOP - HOST_1) + 600 + (300 + TOP - LEAF) + 2 * 500
    assert way(lengths, 0, 8) == by_hand == 3911
    first = Views(plan_of(**SMALL)).cables(0)[0]
    assert (first.a_rack, first.a_unit, first.b_rack, first.b_unit, first.length_m) == (
        "A01-01",
        "1",
        "A01-02",
        "42",
        "5",
    )


def test_a_path_below_the_floor() -> None:
    """Down 177 + 400, two racks along, and down from the same height."""
    lengths = lengths_of(
        **SMALL, site={"tray": {"run": "underfloor", "gap_mm": 400, "slack_mm": 0}}
    )
    assert way(lengths, 0, 4) == 2 * (HOST_1 + 400) + 2 * 600


def test_a_path_inside_a_rack() -> None:
    """From host-1 at 177 mm to host-4, 24 rack units higher at 1244 mm.

    That is 1067 mm and the slack, without a tray.
    """
    assert (
        way(lengths_of(**SMALL), 0, 3) == (2 * 25 - 2 + 8) * 44_450 // 2000 - HOST_1 + 1000 == 2067
    )


# Two rows of two racks, 2400 mm apart, a rack of them empty; leaves at the end of the second row:
#
#        A01-01  host-1..4      A01-02  host-5..8
#        A02-01                 A02-02  leaves
@pytest.mark.parametrize(("cross", "along"), [("middle", 300 + 2400 + 300), ("ends", 0 + 2400 + 0)])
def test_a_path_to_another_row(cross: str, along: int) -> None:
    """From host-5 to the middle of its row, over, and back.

    Or straight over at the end of the rows.
    """
    lengths = lengths_of(
        **SMALL, site={"racks_per_row": 2, "tray": {"cross": cross}, "network_racks": "row-end"}
    )
    assert [lengths.room.place(device) for device in (4, 8)] == ["A01-02 unit 1", "A02-02 unit 42"]
    assert way(lengths, 4, 8) == (300 + TOP - HOST_1) + along + (300 + TOP - LEAF) + 1000


def test_a_path_to_another_hall() -> None:
    """Along the row to the cross tray, to the other hall, and along the other row.

    These are 300 mm, the distance between the halls, and 300 mm.
    """
    site = {
        "halls": 2,
        "rows": 1,
        "racks_per_row": 2,
        "hall_pitch_mm": 30_000,
        "tray": {"slack_mm": 0},
        "network_racks": "row-end",
    }
    lengths = lengths_of(**SMALL, site=site)
    assert [lengths.room.place(device) for device in (0, 8)] == ["A01-01 unit 1", "B01-02 unit 42"]
    assert way(lengths, 0, 8) == (300 + TOP - HOST_1) + 300 + 30_000 + 300 + (300 + TOP - LEAF)


def test_lengths_are_rounded_up_to_stock() -> None:
    """The inventory's lengths override the part's.

    Beyond the longest, cables are made to order in steps of 10 m.
    """
    site = {"stock_lengths_m": {"mmf": [3.5, 4.25]}}
    assert {cable.length_m for cable in Views(plan_of(**SMALL, site=site)).cables(0)} == {
        "3.5",
        "4.25",
    }
    wide = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        radix=64,
        site={
            "rack": {"pitch_mm": 9000},
            "hosts_per_rack": 1,
            "footprints": {"host": {"units": 8}, "leaf": {"units": 1}},
            "stock_lengths_m": {"generic": [7.5]},
        },
    )
    assert {cable.length_m for cable in Views(wide).cables(0)} == {"20", "30", "40"}


def test_cables_of_one_link_have_one_length() -> None:
    """A link that takes several cables has that length in each."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        host={"model": "dgx-b300"},
        switches={"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    )
    assert plan.link_parts[LinkKind.HOST].cables == 2
    cables = Views(plan).cables(0)
    assert [cable.length_m for cable in cables[::2]] == [cable.length_m for cable in cables[1::2]]


def test_too_long_is_a_refusal_in_a_described_room() -> None:
    """In a generated room it is a note, because the room is an assumption."""
    keys: dict[str, Any] = {"gpus": 65536, **H100}
    notes = [sentence for sentence in advice(plan_of(**keys)) if "reaches" in sentence]
    assert notes
    assert all(
        note.startswith("in the room that was generated ")
        and note.endswith("describe yours under `site`")
        for note in notes
    )
    multimode = {key: ["mmf"] for key in ("host", "leaf_spine", "spine_core")}
    assert refusal_codes(
        **keys, site={"rack": {"units": 42, "power_w": 45_000}, "media": multimode}
    ) == ["link-too-long"] * len(notes)
    assert not [
        sentence for sentence in advice(plan_of(**keys, site="unknown")) if "reaches" in sentence
    ]


def test_the_longest_is_the_longest() -> None:
    """The maximum over all segments, by kind."""
    plan = plan_of(design="rail-only", gpus=512, hb_domain={"gpus": 8}, radix=16)
    lengths = plan.lengths
    assert lengths
    every = [
        (kind, int(mm))
        for segment in range(plan.mapping.segments)
        for kind, mm in zip(
            plan.segment.kind.tolist(), lengths.runs.of_segment(segment)[2], strict=True
        )
    ]
    assert {kind: longest.run_mm for kind, longest in lengths.longest.items()} == {
        kind: max(mm for other, mm in every if other == kind) for kind in plan.kinds
    }


def test_path_lengths_are_a_metric() -> None:
    """They are symmetric and satisfy the triangle inequality, but for one slack.

    Inside a rack no tray is used.
    """
    seen = 0

    @settings(max_examples=100)
    @given(inventories(), SITES, st.data())
    def hold(inventory: Inventory, site: dict[str, Any] | None, data: st.DataObject) -> None:
        nonlocal seen
        plan = drawn(inventory, site)
        if plan is None or plan.lengths is None:
            return
        seen += 1
        room, last = room_of(plan), len(room_of(plan).kind) - 1
        a, b, c = (data.draw(st.integers(0, last)) for _ in range(3))
        slack = 2 * room.site.tray.slack_mm
        assert way(plan.lengths, a, b) == way(plan.lengths, b, a) >= slack
        assert way(plan.lengths, a, a) == slack
        assert way(plan.lengths, a, c) <= way(plan.lengths, a, b) + way(plan.lengths, b, c) - slack
        if room.positions.rack[a] == room.positions.rack[b]:
            assert way(plan.lengths, a, b) - slack <= room.shares.rack.rack_units * 44.45
        last = plan.mapping.segments - 1
        _, _, run_mm = plan.lengths.runs.of_segment(last)
        assert (plan.lengths.stock_mm[plan.lengths.stock_at[last]] >= run_mm).all()

    hold()
    assert seen >= 30
