"""`route` as people and scripts see it: the drawing, the JSON, and the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.cli import run
from tests import ROOT

if TYPE_CHECKING:
    from tests.conftest import Run

LAB = str(ROOT / "inventories" / "lab-64.yaml")
FLAGS = ["--gpus", "64", "--hb-domain", "8", "--radix", "64"]
DRAWING = """\
d0-g0 to d7-g3: in different HB domains, on different rails

source relay: over the HB domain first; 4 links, one of 8 equal paths
  d0-g0       GPU, rail 0, host-1
    |  HB domain 0
  d0-g3       GPU, rail 3, host-1: relay
    |  nic3 -- r3-h00001 -- swp1
  r3-leaf-1   leaf, rail 3
    |  swp7 -- r3-u00003 -- swp1
  r3-spine-2  spine, rail 3
    |  swp4 -- r3-u00008 -- swp8
  r3-leaf-2   leaf, rail 3
    |  swp4 -- r3-h00008 -- nic3
  d7-g3       GPU, rail 3, host-8
"""


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run `route`, and return its exit code and both streams."""
    return (run(["route", *arguments]), *capsys.readouterr())


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run `route --json`."""
    _, out, _ = ended(capsys, *arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_path_is_drawn_hop_by_hop(capsys: pytest.CaptureFixture[str]) -> None:
    """Every device, interface and cable from end to end."""
    assert ended(capsys, LAB, "d0-g0", "d7-g3") == (0, DRAWING, "")


def test_another_flow_uses_another_of_the_equal_paths(capsys: pytest.CaptureFixture[str]) -> None:
    """Of eight equal paths the same flow always uses the same one."""
    drawn = [ended(capsys, LAB, "d0-g0", "d7-g3", "--flow", str(number))[1] for number in range(40)]
    assert len(set(drawn)) == 8
    assert drawn[0] == DRAWING


def test_the_json_has_the_keys_that_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Source, destination, relay, and each path with its hops."""
    found = document(capsys, LAB, "d0-g0", "d7-g3", "--all-kinds")
    assert {key: found[key] for key in ("src", "dst", "same_rail", "relay", "reachable")} == {
        "src": "d0-g0", "dst": "d7-g3", "same_rail": False, "relay": "d0-g3", "reachable": True,
    }  # fmt: skip
    assert [path["kind"] for path in found["paths"]] == [
        "source-relay",
        "destination-relay",
        "third-rail-relay",
    ]
    for path in found["paths"]:
        assert (
            path["links"] == sum(hop["via"] not in ("hb", "nic", None) for hop in path["hops"]) == 4
        )
        assert all({"node", "kind", "via"} <= hop.keys() for hop in path["hops"])


@pytest.mark.parametrize(
    ("target", "same", "relay"),
    [("d7-g0", True, None), ("d0-g3", False, None), ("d7-g3", False, "d0-g3")],
)
def test_a_relay_is_named_only_where_one_is_needed(
    capsys: pytest.CaptureFixture[str],
    target: str,
    same: bool,  # noqa: FBT001 - pytest passes it by name
    relay: str | None,
) -> None:
    """On one rail, or inside a domain, there is none."""
    found = document(capsys, LAB, "d0-g0", target)
    assert (found["same_rail"], found["relay"], len(found["paths"])) == (same, relay, 1)


def test_failures_change_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    """--fail may be repeated, and every kind of name is accepted."""
    assert (
        document(capsys, LAB, "d0-g0", "d7-g3", "--fail", "rail:3")["paths"][0]["kind"]
        == "destination-relay"
    )
    failed = ("rail:3", "nic:d0-g0", "switch:r1-leaf-1", "link:r2-h00001", "gpu:d7-g4", "hb:3")
    found = document(
        capsys, LAB, "d0-g0", "d7-g3", *(word for name in failed for word in ("--fail", name))
    )
    assert {hop["rail"] for hop in found["paths"][0]["hops"] if hop["kind"] == "spine"} <= {5, 6, 7}


@pytest.mark.parametrize(
    ("failed", "why"),
    [
        (["gpu:d0-g0"], "d0-g0 itself has failed"),
        (["plane:0"], "no NIC port of d0-g0 is up"),
        (
            ["nic:d7-g3", "hb:7"],
            "no NIC port of d7-g3 is up, and its HB domain has failed",
        ),
        ([f"switch:r{rail}-leaf-2" for rail in range(8)], "no NIC port of d7-g3 is up"),
        (
            [f"switch:r{rail}-spine-{spine}" for rail in range(8) for spine in (1, 2)],
            "the remaining network connects them neither on a rail nor over an HB",
        ),
    ],
)
def test_no_path_is_a_finding_with_a_reason(
    capsys: pytest.CaptureFixture[str], failed: list[str], why: str
) -> None:
    """Exit code 1, one sentence on stderr, and in JSON an empty list."""
    fails = [word for name in failed for word in ("--fail", name)]
    code, out, err = ended(capsys, LAB, "d0-g0", "d7-g3", *fails)
    assert (code, out) == (1, "")
    assert err.startswith(f"no path from d0-g0 to d7-g3: {why}")
    found = document(capsys, LAB, "d0-g0", "d7-g3", *fails)
    assert (found["paths"], found["reachable"], found["relay"]) == ([], False, None)


def test_the_spine_is_listed_beside_the_relay_where_rails_meet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two paths on a rail-optimized fabric and on a fat-tree, by default."""
    for design in ("rail-optimized", "fat-tree"):
        found = document(
            capsys,
            "--gpus",
            "1024",
            "--hb-domain",
            "8",
            "--radix",
            "64",
            "--design",
            design,
            "d0-g0",
            "d99-g3",
        )
        assert [path["kind"] for path in found["paths"]] == ["direct", "source-relay"]
        assert found["relay"] is None


def test_without_an_inventory_two_gpus_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """Flags size the fabric."""
    assert document(capsys, *FLAGS, "d0-g0", "d7-g3")["paths"][0]["links"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [LAB, "d0-g0"],
        [LAB],
        [*FLAGS, "d0-g0"],
        [LAB, "d0-g0", "d0-g0"],
        [*FLAGS, LAB, "d0-g0", "d1-g0"],
    ],
    ids=len,
)
def test_two_different_gpus_must_be_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Anything else is a usage error."""
    code, out, err = ended(capsys, *arguments)
    assert (code, out) == (2, "")
    assert "Error: " in err


def test_networkx_is_not_imported() -> None:
    """Importing the graph library costs more than the answer."""
    code = (
        f"import sys; from fabricgen.cli import run; run(['route', {LAB!r}, 'd0-g0', "
        "'d7-g3', '--all-kinds']); sys.exit('networkx' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
        == 0
    )


def test_the_installed_program_has_the_command(run: Run) -> None:
    """As a user calls it."""
    assert run("route", LAB, "d0-g0", "d7-g3").stdout == DRAWING
