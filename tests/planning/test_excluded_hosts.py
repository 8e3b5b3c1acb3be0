"""Excluded hosts leave vacant positions, and every other host keeps its names and ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.baseline.baseline import read_baseline
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.factory import Views
from tests.fabrics import CATALOG, cables_of, plan_of, refusal_codes, spec_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

SHAPES: dict[str, dict[str, Any]] = {
    "rail-only": {"hb_domain": {"gpus": 4}, "radix": 16},
    "rail-optimized": {"hb_domain": {"gpus": 4}, "radix": 16, "design": "rail-optimized"},
    "fat-tree": {"hb_domain": {"gpus": 4}, "radix": 16, "design": "fat-tree"},
    "one tier": {"hb_domain": {"gpus": 4}, "radix": 64, "rails": {"per_switch": "auto"}},
    "trays": {"hb_domain": {"gpus": 8, "hosts": 2}, "radix": 16, "rails": {"count": 4}},
    "three tiers": {"hb_domain": {"gpus": 4}, "radix": 8, "rails": {"count": 2}},
}


def host_ends(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return for each host port its cable's label, the leaf port, and the rack of the host."""
    views = Views(plan)
    addresses = {
        (switch.name, port.interface): port.address
        for segment in range(plan.mapping.segments)
        for switch in views.switches(segment)
        for port in switch.ports
    }
    return {
        f"{cable.a_device} {cable.a_interface}": (
            cable.cable,
            cable.b_device,
            cable.b_interface,
            cable.a_rack,
            addresses[cable.b_device, cable.b_interface],
        )
        for cable in cables_of(plan)
        if cable.tier == 1 and "leaf" not in cable.a_device
    }


@pytest.mark.parametrize("name", SHAPES)
def test_the_other_hosts_are_cabled_as_if_none_were_excluded(name: str) -> None:
    """Names, labels, ports, addresses and racks are those of the whole fabric; every law holds."""
    keys = SHAPES[name]
    trays = keys["hb_domain"].get("hosts", 1)
    excluded = [f"host-{number:02}" for number in range(2 * trays + 1, 3 * trays + 1)]
    whole = plan_of(gpus=64, **keys)
    gpus = 64 - keys["hb_domain"]["gpus"]
    part = plan_of(gpus=gpus, exclude=excluded, **keys)
    absent = {end for end in host_ends(whole) if end.split()[0] in excluded}
    assert len(absent) == keys["hb_domain"]["gpus"]
    assert host_ends(part) == {
        end: cable for end, cable in host_ends(whole).items() if end not in absent
    }
    assert set(whole.hosts) - set(part.hosts) == set(excluded)
    assert check(part).ok


@pytest.mark.parametrize(
    ("keys", "leaves"),
    [
        ({"radix": 8}, 16),
        ({"radix": 8, "exclude": ["host-5"]}, 16),
        ({"radix": 16, "rails": {"tiers": 2}}, 8),
    ],
)
def test_a_leaf_of_vacant_positions_is_not_built(keys: dict[str, Any], leaves: int) -> None:
    """An HB domain with leaves of its own: without it, they serve no GPU."""
    shape = {"gpus": 64, "hb_domain": {"gpus": 16}, "design": "fat-tree", "exclude": ["host-2"]}
    plan = plan_of(**shape | keys)
    assert check(plan).ok, check(plan).findings
    assert summarize(plan, make_bom(plan)).document()["switches"]["leaf"] == leaves
    assert worst(plan).gpus_cut_off == 0


def test_a_pattern_excludes_every_host_that_it_matches() -> None:
    """Two racks of trays are absent."""
    keys = SHAPES["trays"] | {"naming": {"host": "rack{domain}-tray{host}"}}
    plan = plan_of(gpus=48, exclude=["rack[13]-*"], **keys)
    assert [name.split("-")[0] for name in plan.hosts[::2]] == [
        f"rack{domain}" for domain in (0, 2, 4, 5, 6, 7)
    ]


def test_a_host_that_arrives_later_moves_no_cable() -> None:
    """Growth keeps the number of every GPU, and the new host takes the vacant position."""
    keys = SHAPES["rail-only"]
    first = plan_of(gpus=60, exclude=["host-03"], **keys)
    later = grow(first, spec_of(gpus=64, **keys), CATALOG)
    kept, now = host_ends(first), host_ends(later)
    assert {end: now[end] for end in kept} == kept
    assert {end.split()[0] for end in now.keys() - kept.keys()} == {"host-03"}
    assert later.hosts[-1] == "host-03"
    assert check(later).ok
    document = plan_document(later, summarize(later, make_bom(later)).document())
    again = make_plan(later.spec, CATALOG, read_baseline(document["kept"]))
    assert (again.digest(), again.hosts) == (later.digest(), later.hosts)


@pytest.mark.parametrize("tiers", [2, 3])
def test_the_first_leaf_may_have_no_host(tiers: int) -> None:
    """All hosts at its positions are excluded: the laws hold, and flows start at another leaf."""
    absent = [f"host-0{number}" for number in (1, 2)]
    keys: dict[str, Any] = {"hb_domain": {"gpus": 4}, "rails": {"count": 2, "tiers": tiers}}
    plan = plan_of(gpus=56, radix=8, exclude=absent, **keys)
    assert plan.segment.upper[plan.segment.kind == LinkKind.HOST].min() == 1
    assert check(plan).ok


def test_an_installed_host_cannot_be_excluded_by_growth() -> None:
    """The existing plan has it, and growth keeps what exists."""
    keys = SHAPES["rail-only"]
    with pytest.raises(Refusal) as refused:
        grow(plan_of(gpus=60, **keys), spec_of(gpus=64, exclude=["host-03"], **keys), CATALOG)
    assert [finding.code for finding in refused.value.findings] == ["cannot-grow"]


@pytest.mark.parametrize(
    ("exclude", "codes"),
    [
        (["host-99"], ["bad-exclude"]),
        (["host-3"], []),
        (["host-*"], ["bad-exclude"]),
        (["rack-*", "host-03"], ["bad-exclude"]),
    ],
)
def test_names_of_excluded_hosts(exclude: list[str], codes: list[str]) -> None:
    """A name may lack leading zeros; one that no position has is refused."""
    keys: dict[str, Any] = {"gpus": 60, "exclude": exclude, **SHAPES["rail-only"]}
    if codes:
        assert refusal_codes(**keys) == codes
    else:
        assert "host-03" not in plan_of(**keys).hosts
