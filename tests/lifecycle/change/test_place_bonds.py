"""The stripes of bonds when leaves get uplinks: devices move where a port becomes an uplink."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from tests.fabrics import CATALOG, plan_of, spec_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def cluster(hosts: int, others: int = 0, **storage: Any) -> dict[str, Any]:  # noqa: ANN401 - keys of a network
    """Return a cluster whose storage has switches of eight ports, unless it has other keys."""
    return {
        "gpus": hosts * 8,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"generic": {"radix": 64}}},
        "networks": {
            "storage": {"switches": {"leaf": {"generic": {"radix": 8}}}, "speed": "400G"} | storage
        },
        "devices": [{"name": "target-{n}", "count": others, "ports": {"storage": 2}}]
        if others
        else (),
    }


TURNS = {"distribution": "alternating"}
STEPS: dict[str, tuple[dict[str, Any], dict[str, Any], int, int]] = {
    "room on the leaves": (cluster(4), cluster(10), 0, 6),
    "ports become uplinks": (cluster(6), cluster(10), 4, 6),
    "ports beside links to a peer": (cluster(7, peer_links=1), cluster(9, peer_links=1), 8, 6),
    "leaves that nothing would be on": (cluster(2, fill=25), cluster(9, fill=25), 0, 16),
    "devices of two kinds": (cluster(4, 1, **TURNS), cluster(4, 12, **TURNS), 2, 8),
}
"""A cluster and a larger one, with the cables of storage that move and the leaves it then has."""


@cache
def grown(name: str) -> tuple[Plan, Plan]:
    """Return a plan and the larger one that it grows to."""
    old, new, _, _ = STEPS[name]
    before = plan_of(**old)
    return before, grow(before, spec_of(**new), CATALOG)


@pytest.mark.parametrize("name", STEPS)
def test_devices_stay_where_leaves_still_hold_them(name: str) -> None:
    """Only those move whose port becomes an uplink, and there is no leaf without a device."""
    old, new = grown(name)
    _, _, moved, leaves = STEPS[name]
    assert diff(old, new).networks["storage"].moved == moved
    assert (old.networks["storage"].sizing.tiers, new.networks["storage"].sizing.leaf) == (
        1,
        leaves,
    )


@pytest.mark.parametrize("name", STEPS)
def test_every_law_holds(name: str) -> None:
    """No leaf is oversubscribed, and each has a device."""
    result = check(grown(name)[1])
    assert result.ok, result.findings


def test_leaves_that_no_new_device_is_on_are_refused() -> None:
    """Where the inventory asks for them; the hint has the number that works."""
    old = plan_of(**cluster(4))
    with pytest.raises(Refusal) as refused:
        grow(old, spec_of(**cluster(5, leaves=8)), CATALOG)
    (finding,) = refused.value.findings
    assert (finding.code, finding.hint) == ("bad-leaf-groups", "use `leaves: 4`")
    assert finding.because[1].endswith("new ones are on 2 more at most")
    assert check(grow(old, spec_of(**cluster(5, leaves=4)), CATALOG)).ok
