"""Choosing among parts that fit: by facts, the name last. Equal parts are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.resources import shipped
from fabricgen.core.yaml_text import load_facts, write_yaml
from fabricgen.planning.cabling.preference import RULE
from fabricgen.planning.notices import advice
from fabricgen.planning.plan import make_plan
from tests.fabrics import plan_of, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

FABRIC: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}
ROOMS: dict[str, dict[str, Any]] = {
    "generated": {},
    "described": {"site": {"hosts_per_rack": 4, "rack": {"units": 48}, "media": {"host": ["mmf"]}}},
}
LEAF = "mma4z00-ns"


def copied(directory: Path, kind: str, model: str, name: str, **facts: Any) -> None:  # noqa: ANN401 - facts of a catalog file
    """Copy a shipped file under another name, with other facts."""
    known = load_facts(shipped("inventories") / "catalog" / kind / f"{model}.yaml")
    (directory / kind).mkdir(parents=True, exist_ok=True)
    (directory / kind / f"{name}.yaml").write_text(
        write_yaml({**known, "model": name, **facts}), encoding="utf-8"
    )


def planned_with(*directories: Path, room: str = "generated") -> Plan:
    """Plan the fabric with the user's directories."""
    return make_plan(spec_of(**FABRIC, **ROOMS[room]), Catalog(directories))


def leaf_module(plan: Plan) -> str:
    """Return the name of the module in the leaves' cages."""
    (module,) = {joint.upper.model for joint in plan.candidates if joint.upper}
    return module


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", ["aa-osfp", "zz-osfp"])
def test_the_name_of_a_file_does_not_matter(tmp_path: Path, room: str, name: str) -> None:
    """A user's part is preferred to an equal shipped one, whatever its name. A note names it."""
    assert leaf_module(planned_with(room=room)) == LEAF
    copied(tmp_path, "transceivers", LEAF, name)
    plan = planned_with(tmp_path, room=room)
    assert leaf_module(plan) == name
    note = f"{name} is planned where {LEAF} would fit as well: {RULE}, then the name"
    assert f"{note}; `prices.prefer` chooses" in advice(plan)


@pytest.mark.parametrize("room", ROOMS)
def test_the_order_of_facts(tmp_path: Path, room: str) -> None:
    """Reach comes before the directory, which goes by its order.

    Then come proof and power, and the name last.
    """
    first, second = tmp_path / "first", tmp_path / "second"
    copied(first, "transceivers", LEAF, "aa-far", reach_m=100)
    assert leaf_module(planned_with(first, room=room)) == LEAF
    assert not [note for note in advice(planned_with(first, room=room)) if "fit as well" in note]
    copied(first, "transceivers", LEAF, "zz-guessed", quality="C")
    copied(second, "transceivers", LEAF, "aa-proven", quality="A", power_w=14)
    assert leaf_module(planned_with(first, second, room=room)) == "zz-guessed"
    assert leaf_module(planned_with(second, first, room=room)) == "aa-proven"
    copied(first, "transceivers", LEAF, "yy-warm", power_w=16)
    copied(first, "transceivers", LEAF, "zz-cool", power_w=15)
    assert leaf_module(planned_with(first, room=room)) == "zz-cool"
    copied(first, "transceivers", LEAF, "zy-cool", power_w=15)
    assert leaf_module(planned_with(first, room=room)) == "zy-cool"


def test_only_parts_in_use_have_a_note() -> None:
    """In a described room a longer cable would take other modules, of which there are two."""
    keys = {"gpus": 64, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}}
    leaf = {"model": "sn5600"}
    plan = plan_of(**keys, switches={"leaf": leaf}, site={"hosts_per_rack": 4})
    known = [module.model for joint in plan.candidates for module in joint.modules.values()]
    assert "mms4x50-nm" in known
    assert not [note for note in advice(plan) if "fit as well" in note]


def test_cables_are_chosen_like_modules(tmp_path: Path) -> None:
    """A user's fibre is preferred to an equal shipped one."""
    copied(tmp_path, "cables", "mfp7e10", "zz-fibre")
    for room in ROOMS:
        plan = planned_with(tmp_path, room=room)
        assert {joint.cable.model for joint in plan.candidates} == {"zz-fibre"}
        assert any(
            note.startswith("zz-fibre is planned where mfp7e10 would fit as well")
            for note in advice(plan)
        )


def test_an_end_has_no_more_reach_than_needed() -> None:
    """With a partner of 500 m the module of 100 m is enough.

    The name of the farther one comes first.
    """
    leaf, spine = {"model": "7060dx5-64s", "breakout": "1x400G"}, {"model": "7060x6-64pe"}
    plan = make_plan(
        spec_of(
            gpus=512,
            hb_domain={"gpus": 8},
            rails={"count": 1},
            switches={"leaf": leaf, "spine": spine},
        ),
        Catalog(),
    )
    assert [
        joint.modules["upper"].model for joint in plan.candidates if joint.kind.key == "leaf_spine"
    ] == ["mms4x00-ns"]


def preferring(*directories: Path, room: str, prices: dict[str, Any]) -> Plan:
    """Plan the fabric with preferences."""
    return make_plan(spec_of(**FABRIC, **ROOMS[room], prices=prices), Catalog(directories))


@pytest.mark.parametrize("room", ROOMS)
def test_a_preference_comes_before_reach_and_facts(tmp_path: Path, room: str) -> None:
    """A part that is named comes first, then a vendor, each in the order of its list.

    What is decided so needs no note.
    """
    copied(tmp_path, "transceivers", LEAF, "aa-osfp")
    copied(tmp_path, "transceivers", LEAF, "far-osfp", reach_m=100, vendor="FS", quality="C")
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "aa-osfp"),
        ({"part": LEAF}, LEAF),
        ({"part": ["far-osfp", LEAF]}, "far-osfp"),
        ({"vendor": "fs"}, "far-osfp"),
        ({"vendor": "FS", "part": LEAF}, LEAF),
        ({"vendor": ["NVIDIA", "FS"]}, "aa-osfp"),
    ]
    for prefer, module in cases:
        plan = preferring(tmp_path, room=room, prices={"prefer": prefer})
        assert leaf_module(plan) == module, prefer
        noted = any("would fit as well" in note for note in advice(plan))
        assert noted == (module == "aa-osfp"), prefer


@pytest.mark.parametrize("room", ROOMS)
def test_the_cheapest_part_is_taken_where_it_is_asked_for(tmp_path: Path, room: str) -> None:
    """Of parts that fit, the price book decides; an unpriced part comes last."""
    copied(tmp_path, "transceivers", LEAF, "aa-osfp")
    copied(tmp_path, "transceivers", LEAF, "far-osfp", reach_m=100)
    book: dict[str, Any] = {
        "book": "street-2026-09",
    }
    own = {"parts": {"far-osfp": 500}}
    for prices, module in (
        (book, "aa-osfp"),
        (book | {"prefer": {"cheapest": True}}, LEAF),
        (book | own | {"prefer": {"cheapest": True}}, "far-osfp"),
        (book | own | {"prefer": {"cheapest": True, "part": "aa-osfp"}}, "aa-osfp"),
    ):
        assert leaf_module(preferring(tmp_path, room=room, prices=prices)) == module, prices


def test_a_preference_without_effect_is_reported() -> None:
    """A part that no link of the fabric takes gets a note; an unknown name is refused."""
    plan = preferring(room="generated", prices={"prefer": {"part": "mms1v00-wm"}})
    assert (
        "`prices.prefer.part: mms1v00-wm` has no effect: it fits no link of this fabric"
        in advice(plan)
    )
    for prefer in ({"part": "mma4z0-ns"}, {"vendor": "NVIDA"}):
        with pytest.raises(Refusal, match="unknown-model"):
            preferring(room="generated", prices={"prefer": prefer})
