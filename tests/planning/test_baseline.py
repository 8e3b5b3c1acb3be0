"""The part of a plan file that keeps an older plan is read or refused.

`plan -o` writes it, and a user may edit it.
"""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.baseline.baseline import read_baseline

RINGS = [
    {"leaf": 2, "spine": 2, "core": 0, "pods": 1},
    {"leaf": 4, "spine": 2, "core": 0, "pods": 1},
]
KEPT: dict[str, Any] = {
    "rings": RINGS,
    "digits": {"leaf": 1},
    "slices": {"hosts": 64, "loopbacks": 64},
    "standing": {
        "rack": [[0, 1, 2]],
        "unit": [[1, 0, 2]],
        "hall": [[0, 0, 2]],
        "row": [[0, 0, 2]],
        "at": [[0, 1, 2]],
        "row_racks": 2,
    },
}


def test_a_kept_plan_is_read() -> None:
    """The document that the other tests corrupt is valid."""
    assert read_baseline(KEPT) is not None


@pytest.mark.parametrize(
    "spoiled",
    [
        {"rings": RINGS[::-1]},
        {"rings": [ring | {"pods": 0} for ring in RINGS]},
        {"rings": [{"leaf": 2}]},
        {"rings": 7},
        {"rings": [[1, 2, 3, 4]]},
        {"rings": [ring | {"leaf": 10**400} for ring in RINGS]},
        {"standing": KEPT["standing"] | {"row_racks": 2**31 - 1}},
        {"standing": KEPT["standing"] | {"unit": [[10**9, 0, 2]]}},
        {"standing": KEPT["standing"] | {"rack": [[0, 1, 2**26 + 1]]}},
        {"standing": KEPT["standing"] | {"rack": [["a", 1, 2]]}},
        {"standing": None},
        {"digits": []},
        {"slices": {"hosts": -1, "loopbacks": 64}},
        {"endpoints": [[10**400, 1, 1]]},
    ],
    ids=str,
)
def test_an_invalid_kept_plan_is_refused(spoiled: dict[str, Any]) -> None:
    """Counts that shrink, numbers that no column can hold, and values of another type."""
    with pytest.raises(Refusal, match="bad-plan-file"):
        read_baseline(KEPT | spoiled)
