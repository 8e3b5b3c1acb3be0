"""A lab of direct rails: hosts forward, and every path and each failure of a link is as planned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.lab.direct import session
from fabricgen.lab.direct.layout import DirectLayout, lay_out
from fabricgen.lab.direct.measure import DirectLab
from fabricgen.lab.session import LabRequest
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.hosts.direct import hosts_of
from tests.fabrics import IPV6, plan_of
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from fabricgen.lab.topology import Wire
    from fabricgen.planning.plan import Plan

RING: dict[str, Any] = TORUS | {
    "gpus": 8,
    "nic": {"speed": "400G", "split": "2x200G"},
    "rails": {"medium": "direct"},
}
"""Two rails that are rings of four GPUs."""


def trials(
    plan: Plan, rails: int | None = None, failures: str = "none"
) -> dict[str, dict[str, Any]]:
    """Run a lab and return the result of each trial."""
    sent: list[dict[str, Any]] = []
    session.run(LabRequest(plan, rails=rails, failures=failures), sent.append)
    return {each["code"]: each for each in sent if "code" in each}


def findings(found: dict[str, dict[str, Any]]) -> list[str]:
    """Return all findings of trials."""
    return [finding for each in found.values() for finding in each["findings"]]


@pytest.mark.parametrize("count", [1, 2], ids=["two GPUs on a rail", "one GPU on a rail"])
def test_every_line_of_a_host_runs_in_the_namespace_of_a_gpu(count: int) -> None:
    """The parts of the GPUs are the file of the host, but for what a router has once."""
    plan = plan_of(**TORUS | {"rails": {**TORUS["rails"], "count": count}})
    layout, host = lay_out(plan, None), next(hosts_of(plan).views([0]))
    text = Packs().render("direct-frr", "frr.conf.j2", host=host)
    ran, own = set[str](), re.compile(r"router bgp |bgp router-id | set src ")
    for name in ("d0-g0", "d0-g1"):
        part = layout.frr_part(text, name)
        nic = rf"\1 nic{layout.number(name)}"
        back = re.sub(r"^(interface| +neighbor) nic0", nic, part, flags=re.MULTILINE)
        back_lines = set(back.splitlines())
        assert not {line for line in back_lines - set(text.splitlines()) if not own.search(line)}
        assert len(re.findall(r"^  network ", part, re.MULTILINE)) == 1
        ran |= back_lines
    assert not {line for line in set(text.splitlines()) - ran if not own.search(line)}


def test_a_torus_of_16_gpus_has_every_path() -> None:
    """All pairs arrive over as many hosts as planned, also without any one link."""
    found = trials(plan_of(**TORUS), 1, "clocked")
    assert findings(found) == []
    assert found["sessions"]["figure"] == "32 of 32"
    lengths = "64 of 1 links, 96 of 2 links, 64 of 3 links, 16 of 4 links"
    assert found["paths"]["figure"] == f"240 of 240 packets (every pair): {lengths}"
    assert found["forwarding"]["figure"].startswith("64 of 240 packets arrive without forwarding")
    assert "960 pairs as planned (0 lost, 8 by a longer path)" in found["survival"]["figure"]


def test_rings_of_ipv6_meet_in_hb_domains() -> None:
    """Rails are reached over the HB domain, and a longer way round is taken without a link."""
    found = trials(plan_of(**RING | {"addressing": IPV6}))
    assert findings(found) == []
    assert found["paths"]["figure"].startswith("56 of 56 packets")


def test_two_gpus_of_a_host_on_a_rail_are_routers_apart() -> None:
    """Each has an AS number of its own in the lab."""
    found = trials(plan_of(**RING | {"rails": {"medium": "direct", "count": 1, "planes": 2}}))
    assert findings(found) == []


def test_a_cable_in_another_port_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The routes and the paths of the wires are not those of the plan."""
    real = DirectLayout._cables  # noqa: SLF001 - what is broken

    def swapped(self: DirectLayout) -> list[Wire]:
        ends = ("b", "b_interface", "b_address")
        first, one, other, *rest = real(self)
        moved = (
            each._replace(**{end: getattr(far, end) for end in ends})
            for each, far in ((one, other), (other, one))
        )
        return [first, *moved, *rest]

    monkeypatch.setattr(DirectLayout, "_cables", swapped)
    found = trials(plan_of(**RING), 1)
    assert not found["paths"]["ok"]
    assert "and the plan has" in found["paths"]["findings"][0]


def test_a_gpu_that_does_not_forward_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets that it should pass on do not arrive."""
    real = DirectLab.converge

    def lame(self: DirectLab, *given: Any, **keys: Any) -> Any:  # noqa: ANN401 - those of the method
        result = real(self, *given, **keys)
        self.forwarding(on=False)
        return result

    monkeypatch.setattr(DirectLab, "converge", lame)
    found = trials(plan_of(**RING), 1)
    assert [code for code, each in found.items() if not each["ok"]] == ["paths"]
    assert found["paths"]["findings"][0] == "d0-g0 to d2-g0: no packet arrived"


@pytest.mark.parametrize(("gpus", "hint"), [(272, "--rails 1"), (600, "plan fewer GPUs")])
def test_a_large_lab_is_refused(gpus: int, hint: str) -> None:
    """Each GPU runs FRR, and every pair is tried."""
    with pytest.raises(Refusal, match="at most 256 GPUs") as refused:
        lay_out(plan_of(**RING | {"gpus": gpus}), None)
    assert hint in refused.value.findings[0].hint
