"""Every kind of fabric boots, and every trial holds; of the 64-GPU lab every single thing dies once, and every pair does what the plan says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.lab.test_sizes import every_pair, figure, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.conftest import Machine

FABRICS: dict[str, dict[str, Any]] = {
    "one tier": {"gpus": 8, "rails": {"count": 2}, "switches": {"leaf": {"generic": {"radix": 8}}}},
    "three tiers": {"gpus": 16, "hb_domain": {"gpus": 2}, "rails": {"count": 2, "tiers": 3}, "switches": {"leaf": {"generic": {"radix": 4}}}},
    "two planes": {"gpus": 16, "rails": {"count": 2, "planes": 2, "tiers": 2}, "switches": {"leaf": {"generic": {"radix": 8}}}},
    "several GPUs of a domain on a rail": {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "rails": {"count": 4, "tiers": 2},
        "switches": {"leaf": {"generic": {"radix": 4}}},
    },
    "rails that meet": {"gpus": 16, "design": "rail-optimized", "rails": {"count": 4, "tiers": 2}, "switches": {"leaf": {"generic": {"radix": 8}}}},
}
"""Changes to the small fabric, by what is new in it."""


@pytest.mark.parametrize("name", FABRICS)
def test_every_trial_holds(machine: Machine, name: str) -> None:
    """Sessions, the kernels' routes, the path of every ordered pair, rails apart, and an even spread."""
    found = run(machine, machine.write(**FABRICS[name]))
    planes, gpus = FABRICS[name]["rails"].get("planes", 1), FABRICS[name]["gpus"]
    packets = planes * gpus * (gpus - 1)
    assert figure(found, "paths").startswith(f"{packets:,} of {packets:,} packets (every pair")


def test_a_slice_of_an_nvl72(machine: Machine, root: Path) -> None:
    """72 GPUs share a domain and four rails; two rails of two domains are booted."""
    found = run(machine, root / "inventories" / "gb200-nvl72.yaml", "--set", "nos=frr", "--rails", 2, "--hb-domains", 2)
    assert figure(found, "paths").startswith(every_pair(72))


def test_every_single_failure(machine: Machine, root: Path) -> None:
    """Every cable, switch, NIC, GPU, HB domain, rail and plane dies once; pairs live and die as the plan says, over the relays that it says."""
    found = run(machine, root / "inventories" / "lab-64.yaml", "--failures", "all")
    assert figure(found, "survival").startswith("305 failures, 1,229,760 pairs as planned")
