"""Keys that contradict each other: the arithmetic of each finding, and its hint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.catalog.catalog import Catalog
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.planning.consistency import MOST_GPUS, contradictions
from fabricgen.planning.resolve import host_of

if TYPE_CHECKING:
    from fabricgen.core.diagnostics import Finding

CATALOG = Catalog()
SMALL: dict[str, Any] = {
    "name": "small",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}
PROOF = re.compile(r"(\d+) = (\d+) x (\d+) \+ (\d+)")
OFFER = re.compile(r"`(\w+): (\d+)`")


def found(values: dict[str, Any]) -> list[Finding]:
    """Return the contradictions of an inventory."""
    spec = FabricSpec.model_validate({**SMALL, **values})
    return list(contradictions(spec, CATALOG, host_of(spec, CATALOG)))


def followed(values: dict[str, Any], finding: Finding, number: int) -> dict[str, Any]:
    """Return the inventory with the finding's key set as the hint asks."""
    top, *below = map(str, finding.path)
    return {
        **values,
        top: {**values.get(top, SMALL.get(top, {})), below[0]: number} if below else number,
    }


COUNTS = st.integers(1, 200)
DIVISIONS = st.fixed_dictionaries(
    {
        "gpus": st.integers(1, 5000),
        "hb_domain": st.fixed_dictionaries({"gpus": COUNTS}, optional={"hosts": COUNTS}),
        "rails": st.fixed_dictionaries(
            {}, optional={"count": COUNTS, "planes": st.integers(1, 8), "per_switch": COUNTS}
        ),
        "nic": st.fixed_dictionaries({}, optional={"per_gpu": st.integers(1, 9)}),
    },
    optional={"reserve": st.fixed_dictionaries({"gpus": st.integers(1, 9000)})},
)


@given(DIVISIONS)
def test_numbers_that_do_not_divide(values: dict[str, Any]) -> None:
    """The proof adds up, and the key is the inventory's own.

    Each number of the hint removes the finding.
    """
    for finding in found(values):
        for whole, times, part, rest in (
            map(int, groups) for because in finding.because for groups in PROOF.findall(because)
        ):
            assert whole == times * part + rest
            assert 0 < rest < part
        offers = OFFER.findall(finding.hint)
        assert offers
        for key, number in offers:
            assert key == finding.path[-1]
            again = found(followed(values, finding, int(number)))
            assert finding.path not in [other.path for other in again if other.code == finding.code]


@pytest.mark.parametrize(
    ("key", "count"), [("gpus", 2**23), ("gpus", 10**9), ("reserve", 2**29), ("hb_domain", 10**9)]
)
def test_absurd_numbers_are_refused_at_once(key: str, count: int) -> None:
    """They are refused before anything is divided or counted."""
    values = {"gpus": count} if key == "gpus" else {key: {"gpus": count}, "rails": {"count": 7}}
    assert "too-many-gpus" in [finding.code for finding in found(values)]
    assert count > MOST_GPUS


@pytest.mark.parametrize("model", CATALOG.names("hosts"))
def test_a_host_agrees_with_itself(model: str) -> None:
    """Repeating the catalog's facts is no contradiction, for each number of planes of the model."""
    host = CATALOG.host(model)
    assert host is not None
    for planes, speed in host.speeds_gbps.items():
        domain = {"gpus": host.hb_domain_gpus, "hosts": host.hb_domain_hosts}
        nic = {"model": host.nic, "speed": speed, "per_gpu": host.nics_per_gpu}
        design = "rail-only" if host.scale_up else "rail-optimized"
        values = {
            "design": design,
            "gpus": 4 * host.hb_domain_gpus,
            "hb_domain": domain,
            "host": {"model": model},
            "nic": nic,
            "rails": {"planes": planes},
        }
        assert found(values) == []


@pytest.mark.parametrize(
    ("roce", "keys"),
    [
        ({}, []),
        ({"dscp": 48}, ["dscp"]),
        ({"cnp_dscp": 26}, ["cnp_dscp"]),
        ({"dscp": 40, "cnp_dscp": 40}, ["dscp"]),
        ({"priority": 6, "dscp": 48}, ["dscp", "priority"]),
        ({"ecn_minimum_bytes": 1_500_000}, ["ecn_minimum_bytes"]),
        ({"ecn_maximum_bytes": 1}, ["ecn_maximum_bytes"]),
        ({"ecn_minimum_bytes": 1_499_999}, []),
    ],
)
def test_roce(roce: dict[str, int], keys: list[str]) -> None:
    """The finding points to the key that was typed, not to the default that it contradicts."""
    findings = found({"roce": roce})
    assert [finding.path for finding in findings] == [("roce", key) for key in keys]
    for finding in findings:
        for key, number in OFFER.findall(finding.hint):
            assert ("roce", key) not in [
                other.path for other in found({"roce": {**roce, key: int(number)}})
            ]


def test_prices_of_parts() -> None:
    """A part that is not in the catalog is refused; shipped and generic ones are accepted."""
    parts = {
        "sn5600": 1,
        "mma4z00-ns": 1,
        "mfp7e10": 1,
        "connectx-7": 1,
        "generic-64x400G": 1,
        "generic-400g": 1,
    }
    assert found({"prices": {"parts": parts}}) == []
    (finding,) = found({"prices": {"parts": {**parts, "sn560": 1}}})
    assert (finding.code, finding.path, finding.hint) == (
        "unknown-model",
        ("prices", "parts", "sn560"),
        "did you mean `sn5600`?",
    )
