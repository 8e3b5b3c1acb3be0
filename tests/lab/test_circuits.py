"""A lab of circuits: packets pass where a circuit is set, before, while and after it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.lab.circuits import CircuitLab, run
from fabricgen.lab.session import LabRequest
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.lab.circuits import SetCircuit

LIGHT: dict[str, Any] = {
    "name": "light",
    "gpus": 20,
    "hb_domain": {"gpus": 4},
    "rails": {"medium": "ocs"},
    "switches": {"leaf": {"model": "s320"}},
    "spare": {"gpus_per_rail": 1},
}
"""Four HB domains that work, and a spare one."""


def trials(**keys: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401 - keys of an inventory
    """Run a lab and return the result of each trial."""
    sent: list[dict[str, Any]] = []
    run(LabRequest(plan_of(**LIGHT | keys)), sent.append)
    return {each["code"]: each for each in sent if "code" in each}


def test_every_configuration_and_a_splice() -> None:
    """Each pair of a rail is probed while circuits change and after."""
    found = trials()
    assert {code: each["ok"] for code, each in found.items()} == {"circuits": True, "splice": True}
    assert found["circuits"]["figure"].startswith("4 configurations and the first again, 10 times")
    assert "d4-g0 in the circuits of d0-g0" in found["splice"]["figure"]


def test_two_planes_hold_a_ring() -> None:
    """Planes have boxes of their own, and one configuration."""
    found = trials(rails={"medium": "ocs", "planes": 2}, spare={})
    assert [each["ok"] for each in found.values()] == [True]


def test_a_circuit_that_is_not_set_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that forgets a circuit, or keeps one, breaks the trial."""
    real = CircuitLab._set  # noqa: SLF001 - what is broken

    def forgetful(self: CircuitLab, wanted: set[SetCircuit]) -> None:
        real(self, set(sorted(wanted)[1:]))
        self.joined = wanted

    monkeypatch.setattr(CircuitLab, "_set", forgetful)
    found = trials(spare={}, gpus=16)["circuits"]
    assert not found["ok"]
    assert "10.0.0.1 does not reach 10.0.0.3 after configuration 1 is set" in found["findings"]


def test_a_large_lab_is_refused() -> None:
    """Each GPU knows all others of its rail."""
    with pytest.raises(Refusal, match="at most 128 GPUs"):
        run(LabRequest(plan_of(**LIGHT | {"gpus": 132})), print)
