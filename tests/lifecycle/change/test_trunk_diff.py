"""Plans with panels are compared jumper by jumper; trunks are pulled or removed, never moved."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.cli.diff import diff_text
from fabricgen.lifecycle.change.diff import diff
from fabricgen.views.cables.patched import PatchedCables
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.lifecycle.change.replay import Technician, ends
from tests.planning.channels.test_channels import SMALL, STRUCTURED, channels_of

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.diff import Diff
    from fabricgen.planning.plan import Plan
    from tests.lifecycle.change.replay import Ends

FIBRE = {"host": ["mmf"], "leaf_spine": ["mmf"]}
DIRECT: dict[str, Any] = SMALL | {"site": {"rack": {"units": 48}, "media": FIBRE}}
PATCHED = DIRECT | {"cabling": {"where": STRUCTURED}}
THINNER = DIRECT | {"cabling": {"where": STRUCTURED, "trunks": {"fibres": 72}}}
RESERVED = PATCHED | {"reserve": {"gpus": 256}}
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "within a reserve": (RESERVED, RESERVED | {"gpus": 128}),
    "planned anew": (PATCHED, PATCHED | {"gpus": 128}),
    "smaller": (PATCHED | {"gpus": 128}, PATCHED),
    "with panels": (DIRECT, PATCHED),
    "other trunks": (PATCHED, THINNER),
}


@cache
def found(name: str) -> Diff:
    """Return the diff of a pair."""
    return diff(*(plan_of(**keys) for keys in PAIRS[name]))


def jumpers(plan: Plan) -> dict[Ends, str]:
    """Return the label of each jumper and direct cable by its ends."""
    views = Views(plan)
    patched = PatchedCables(plan, plan.channels) if plan.channels else None
    return {
        ends(view): view.cable
        for segment in range(plan.mapping.segments)
        for links in [views.cables(segment)]
        for view in (patched.cables(links, segment, 0) if patched else links)
    }


def trunks(plan: Plan) -> dict[Ends, str]:
    """Return the name of each trunk by its ends."""
    if plan.channels is None:
        return {}
    return {ends(view): view.cable for view in PatchedCables(plan, plan.channels).trunks()}


@pytest.mark.parametrize("name", PAIRS)
def test_steps_lead_to_the_jumpers_and_trunks_of_the_new_plan(name: str) -> None:
    """No step plugs into a taken port, and no trunk moves."""
    change = found(name)
    technician = Technician(jumpers(change.old) | trunks(change.old))
    for step in change.steps:
        technician.follow(step)
    assert technician.cables.keys() == jumpers(change.new).keys() | trunks(change.new).keys()
    names = {*trunks(change.old).values(), *trunks(change.new).values()}
    moving = {step.cable for step in change.steps if step.action in ("move", "plug", "unplug")}
    assert names.isdisjoint(moving)
    assert change.kept + change.moved + change.added == len(jumpers(change.new))


def test_growth_within_a_reserve_adds_jumpers_only() -> None:
    """All trunks are there, and no jumper moves; no port loses its path."""
    change = found("within a reserve")
    assert change.trunks
    assert (change.trunks.changes.added, change.trunks.changes.removed) == ([], [])
    assert change.trunks.changes.kept == len(channels_of(change.old).trunks)
    assert (change.moved, change.removed, change.added) == (0, 0, 2 * 64)
    assert "no NIC port loses connectivity at any step" in diff_text(change, 3)


def test_trunks_are_pulled_first_and_listed() -> None:
    """The JSON has them by name; a fabric without panels has no such key."""
    change = found("with panels")
    document = change.document()["trunks"]
    assert len(document["added"]) == len(channels_of(change.new).trunks)
    first = [step.cable for step in change.steps[: len(document["added"])]]
    assert first == document["added"]
    assert "trunks: 6 added, 0 removed, 0 kept" in diff_text(change, 3)
    alone = plan_of(**SMALL)
    assert "trunks" not in diff(alone, alone).document()


def test_a_trunk_that_gives_its_ports_to_another_is_removed_before() -> None:
    """Links through it have no path meanwhile, and the text names them as not followed."""
    change = found("other trunks")
    removed = {step.cable: at for at, step in enumerate(change.steps) if step.action == "remove"}
    pulled = [at for at, step in enumerate(change.steps) if step.action == "add"]
    assert removed["A01-01/A01-02-T1"] < min(pulled)
    assert "links through trunks that are removed were not followed" in diff_text(change, 3)
