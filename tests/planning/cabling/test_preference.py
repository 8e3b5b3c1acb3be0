"""Choosing among parts that fit: by facts, the name last. Equal parts are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.resources import shipped
from fabricgen.core.yaml_text import load_facts, write_yaml
from fabricgen.planning.cabling.preference import RULE
from fabricgen.planning.notices import advice
from fabricgen.planning.plan import make_plan
from tests.fabrics import spec_of

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
    assert f"{name} is planned where {LEAF} would fit as well: {RULE}, then the name" in advice(
        plan
    )


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
