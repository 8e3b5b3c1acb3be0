"""Every trial holds on every kind of fabric. Each fails on an injected fault, and names it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests import ROOT
from tests.fabrics import IPV6

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Once
    from tests.lab.conftest import Machine

CULPRITS: dict[str, tuple[str, str]] = {
    "a route is removed": (
        "routes",
        "r0-leaf-1: 10.0.0.14/31 leads to nothing, and must to swp5, swp6, swp7, swp8",
    ),
    "a route is narrowed": (
        "routes",
        "r0-leaf-1: 10.0.0.14/31 leads to swp5, and must to swp5, swp6, swp7, swp8",
    ),
    "a prefix leaks": ("routes", "r0-leaf-1: 10.0.1.14/31 leads to swp1, and must to nothing"),
    "a port is down": ("sessions", "r0-leaf-1: 3 of 4 sessions are up"),
    "BFD is off": ("bfd", "r0-spine-1: 0 of 4 BFD sessions are up"),
    "a relay is wrong": (
        "paths",
        (
            "d0-g0 to d1-g1: met d0-g0 d0-g2 d0-g1 r1-leaf-1 d1-g1, and the tables name d0-g0 "
            "d0-g1 d1-g1"
        ),
    ),
    "a relay is deaf": ("paths", "d0-g0 to d1-g1: no packet arrived"),
    "forwarding is on": ("isolation", "d0-g0 to d1-g1: arrives across rails without a relay"),
    "flows lean": ("spread", "flows take r0-spine-1, and 128 should"),
    "a link is narrow": ("mtu", "r0-spine-1: swp1 takes 1,500 bytes, and must take 9,216"),
    "a way back": (
        "traceroute",
        "d0-g0 to d7-g3: r3-leaf-1 answers, and must have no route back to another rail",
    ),
}
"""Each fault of `sabotage`, the trial that fails, and words of its finding."""

SWAPPED = {
    "routes": "r0-leaf-1: 10.128.0.3 leads to swp6, swp7, and must to swp5, swp6",
    "paths": "d0-g0 to d1-g0: met r0-leaf-2 r0-spine",
    "lldp": "d0-g0 nic0 sees r0-leaf-2 swp4, expected r0-leaf-1 swp1",
}
"""Words of each trial's finding about swapped cables."""

LAB = "inventories/lab-64.yaml"
GENERIC = {"leaf": {"generic": {"radix": 4}}}
WIDE = {"leaf": {"generic": {"radix": 8}}}
FABRICS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "one tier": ({"gpus": 16, "hb_domain": {"gpus": 4}, "rails": {}, "switches": GENERIC}, []),
    "three tiers": (
        {
            "gpus": 16,
            "hb_domain": {"gpus": 4},
            "rails": {"count": 2, "tiers": 3},
            "switches": GENERIC,
        },
        [],
    ),
    "twin planes": (
        {
            "gpus": 16,
            "hb_domain": {"gpus": 4},
            "nic": {"per_gpu": 1},
            "rails": {"planes": 2},
            "switches": GENERIC,
        },
        [],
    ),
    "several GPUs of a domain on a rail": (
        {"gpus": 16, "hb_domain": {"gpus": 8}, "rails": {"count": 4, "tiers": 2}},
        [],
    ),
    "rail-optimized": (
        {
            "design": "rail-optimized",
            "gpus": 16,
            "hb_domain": {"gpus": 4},
            "rails": {"tiers": 2},
            "switches": WIDE,
        },
        [],
    ),
    "fat-tree": (
        {"design": "fat-tree", "gpus": 16, "hb_domain": {"gpus": 4}, "rails": {}, "switches": WIDE},
        [],
    ),
    "no BFD": ({"addressing": {"bfd": False}}, []),
    "IPv6 pools": (
        {"gpus": 16, "hb_domain": {"gpus": 4}, "addressing": IPV6, "switches": WIDE},
        ["--failures", "single"],
    ),
    "IPv6 pools and several GPUs of a domain on a rail": (
        {
            "gpus": 16,
            "hb_domain": {"gpus": 8},
            "rails": {"count": 4, "tiers": 2},
            "addressing": IPV6,
        },
        [],
    ),
}


@pytest.fixture(scope="module")
def sabotaged(once: Once) -> dict[str, dict[str, list[str]]]:
    """Return the findings of each trial, by fault."""
    found: dict[str, dict[str, list[str]]] = once("sabotage", sabotage)
    return found


def sabotage(inventory: str = LAB) -> dict[str, dict[str, list[str]]]:
    """Inject every fault into half of the lab of 64 GPUs."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.lab.sabotage", inventory],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        name: {each["trial"]: each["findings"] for each in outcomes} for name, outcomes in printed
    }


def test_a_correct_lab_has_no_findings(sabotaged: dict[str, dict[str, list[str]]]) -> None:
    """Every trial holds, LLDP agrees, and no wire has equal ends, before a fault.

    Each holds again once its fault is repaired.
    """
    whole = sabotaged["whole"]
    assert set(whole) == {trial for trial, _ in CULPRITS.values()} | {"lldp", "indices"}
    assert {
        name: outcomes
        for name, outcomes in sabotaged.items()
        if name == "whole" or name.endswith(": repaired")
        if any(outcomes.values())
    } == {}
    assert set(sabotaged) == {
        "whole",
        "cables are swapped",
        *CULPRITS,
        *(f"{name}: repaired" for name in CULPRITS),
    }


@pytest.mark.parametrize("fault", CULPRITS)
def test_a_fault_is_found(sabotaged: dict[str, dict[str, list[str]]], fault: str) -> None:
    """The right trial fails, and names the fault."""
    trial, words = CULPRITS[fault]
    assert list(sabotaged[fault]) == [trial]
    assert any(words in finding for finding in sabotaged[fault][trial]), sabotaged[fault][trial][:5]


def test_faults_are_found_with_ipv6(place: Path) -> None:
    """The same trials fail, and hold again once each fault is repaired."""
    inventory = place / "ipv6.yaml"
    text = (ROOT / LAB).read_text(encoding="utf-8")
    inventory.write_text(f"{text}\naddressing: {json.dumps(IPV6)}\n", encoding="utf-8")
    found = sabotage(str(inventory))
    failed = {
        name: [trial for trial, findings in outcomes.items() if findings]
        for name, outcomes in found.items()
    }
    swapped = failed.pop("cables are swapped")
    assert swapped == list(SWAPPED)
    assert failed == {name: [trial] for name, (trial, _) in CULPRITS.items()} | {
        name: [] for name in found if name == "whole" or name.endswith(": repaired")
    }


@pytest.mark.parametrize("trial", SWAPPED)
def test_swapped_cables_are_found(sabotaged: dict[str, dict[str, list[str]]], trial: str) -> None:
    """Swapped cables are found in routes, in paths and by LLDP."""
    assert any(SWAPPED[trial] in finding for finding in sabotaged["cables are swapped"][trial]), (
        sabotaged["cables are swapped"][trial][:5]
    )


@pytest.mark.parametrize("kind", FABRICS)
def test_every_kind_of_fabric(machine: Machine, kind: str) -> None:
    """Every trial holds."""
    changes, options = FABRICS[kind]
    done = machine.run("lab", "run", machine.write(**changes), *options, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["ok"]


def test_a_slice_of_nvl72(machine: Machine) -> None:
    """Racks of 72 GPUs on rails of 18 GPUs each: a slice of the ready inventory, on FRR."""
    done = machine.run(
        "lab",
        "run",
        ROOT / "inventories" / "gb200-nvl72-four-rails.yaml",
        "--set",
        "nos=frr",
        "--rails",
        "1",
        "--hb-domains",
        "3",
        "--json",
    )
    assert done.returncode == 0, done.stdout + done.stderr
