"""Nodes of InfiniBand subnets: by their GUIDs, by names of all kinds, and those without a name.

The files `unnamed.*` are the output of infiniband-diags 44 over ibsim: one leaf with an adapter
that an older driver named, two of the same factory, and one of a host without a name. Such nodes
are 69 of 582 adapters in NVIDIA/topograph, tests/output/ibnetdiscover/example.out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.lifecycle.audit.audit import Audit, audit
from fabricgen.lifecycle.audit.load import read_evidence
from fabricgen.lifecycle.audit.neighbors import NeighborRecord
from fabricgen.planning.plan import make_plan
from fabricgen.views.infiniband.guids import guid_owners
from tests.fabrics import plan_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORDED = Path(__file__).parent / "recorded"
FORMS = ("ibnetdiscover", "ports", "iblinkinfo", "iblinkinfo-l")
KEYS: dict[str, Any] = {
    "gpus": 32,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
}
PLAN = plan_of(**KEYS)
GUIDS = {0x200000: ("r0-leaf-1", "")} | {
    0x100001 + 2 * host: (f"host-{host + 1}", "ibp24s0") for host in range(4)
}
"""The ports of the recorded files, by GUID."""

UNMANAGED = "Quantum-2 Mellanox Technologies"


def audited(path: Path, owners: Mapping[int, tuple[str, str]] | None = None) -> Audit:
    """Audit a file, with the GUIDs of an inventory."""
    return audit(PLAN, read_evidence([path], lambda: owners or {}))


def steps(result: Audit) -> str:
    """Return the steps of all findings as one text."""
    return "\n".join(step for finding in result.findings for step in finding.fix)


@pytest.mark.parametrize("form", [*FORMS, "iblinkinfo-switches"])
def test_a_node_without_a_name_is_no_stranger(form: str) -> None:
    """Its link is not judged: one finding counts them, and no step is about them."""
    result = audited(RECORDED / f"unnamed.{form}")
    (finding,) = result.findings
    assert (len(result.matched), result.extra, result.missing, result.moves) == (1, 0, 0, 0)
    assert finding.fact == "3 links cannot be judged: the node at the other end has no name"
    assert finding.because == (
        "2 of them: the node is called `MT4129 ConnectX7 Mellanox Technologies`",
        "1 of them: the node is called `localhost`",
    )
    assert finding.cables == ["r0-h00002", "r0-h00003", "r0-h00004"]
    assert "addressing.guids" in finding.hint
    assert "rdma-ndd" in finding.hint
    assert not steps(result)


@pytest.mark.parametrize("form", FORMS)
def test_a_node_is_found_by_its_guid(form: str) -> None:
    """In every format, whatever its description is."""
    result = audited(RECORDED / f"unnamed.{form}", GUIDS)
    assert (len(result.matched), result.findings) == (4, [])


@pytest.mark.parametrize("form", FORMS)
def test_a_switch_without_a_cpu_has_no_name(form: str, tmp_path: Path) -> None:
    """No step unplugs its hosts; with its GUID they match."""
    path = tmp_path / "subnet.txt"
    text = (RECORDED / f"unnamed.{form}").read_text(encoding="utf-8")
    path.write_text(text.replace("MF0;r0-leaf-1:MQM9700/U1", UNMANAGED), encoding="utf-8")
    (finding,) = audited(path).findings
    assert (finding.code, finding.cables) == ("unjudged", ["r0-h00001"])
    assert finding.because == (f"1 of them: the node is called `{UNMANAGED}`",)
    assert len(audited(path, GUIDS).matched) == 4


@pytest.mark.parametrize("form", FORMS)
def test_two_nodes_of_one_description_stay_two(form: str) -> None:
    """Each has its own GUID in the records, and every format has the same links."""
    evidence = read_evidence([RECORDED / f"unnamed.{form}"])
    assert len(evidence.unnamed) == 2
    assert len(evidence.reporters) == 5
    assert len(set(evidence.records)) == 8
    assert NeighborRecord("host-1", "HCA-1", "r0-leaf-1", ("#1",)) in evidence.records


def test_a_guid_comes_before_a_name(tmp_path: Path) -> None:
    """The table distinguishes two hosts with the same name."""
    path = tmp_path / "subnet.txt"
    text = (RECORDED / "unnamed.ibnetdiscover").read_text(encoding="utf-8")
    path.write_text(text.replace("localhost mlx5_0", "host-1 mlx5_0"), encoding="utf-8")
    assert len(audited(path, GUIDS).matched) == 4
    assert not audited(path).ok


@pytest.mark.parametrize(
    ("name", "kinds"), [("HCA-1", []), ("mlx5_0", []), ("HCA-4", ["rail-crossed"])]
)
def test_older_drivers_count_adapters_from_1(name: str, kinds: list[str], tmp_path: Path) -> None:
    """`HCA-4` is mlx5_3, which is on another rail."""
    path = tmp_path / "subnet.txt"
    text = (RECORDED / "unnamed.ibnetdiscover").read_text(encoding="utf-8")
    path.write_text(text.replace("host-1 HCA-1", f"host-1 {name}"), encoding="utf-8")
    found = [finding.code for finding in audited(path, {0x200000: ("r0-leaf-1", "")}).findings]
    assert [kind for kind in found if kind != "unjudged"] == kinds


def test_links_without_a_subnet_manager_have_no_lids(tmp_path: Path) -> None:
    """`iblinkinfo` prints 0 for each, and the nodes stay apart."""
    path = tmp_path / "subnet.txt"
    lines = [
        "Switch: 0x0000000000200000 MF0;r0-leaf-1:MQM9700/U1:",
        *(
            f'           0    {port}[  ] ==( 4X 100.0 Gbps Active/  LinkUp)==>       0    1[  ] "host-{port} mlx5_0" ( )'  # noqa: E501 - as printed
            for port in range(1, 5)
        ),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert len(audited(path).matched) == 4


def test_the_table_of_the_inventory_is_used(tmp_path: Path) -> None:
    """`addressing.guids` has a line for each; a switch of four planes has four."""
    lines = ["device,port,guid", *(f"spine-1,,0xaa00000000000{plane}00" for plane in range(1, 5))]
    (tmp_path / "guids.csv").write_text("\n".join(lines), encoding="utf-8")
    keys = KEYS | {
        "gpus": 64,
        "design": "rail-optimized",
        "rails": {"tiers": 2},
        "host": {"model": "dgx-b300"},
        "switches": {"leaf": {"model": "q3400"}},
        "addressing": {"guids": "guids.csv"},
    }
    owners = guid_owners(make_plan(spec_of(**keys), Catalog(home=tmp_path)))
    assert list(owners.values()) == [("spine-1", "")] * 4
