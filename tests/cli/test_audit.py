"""The command `audit`: exit codes, the keys that scripts rely on, and the text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.api import plan_file
from fabricgen.build.write.manifest import MANIFEST
from fabricgen.cli import run
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.views.factory import Views
from tests.fabrics import cables_of
from tests.lifecycle.change.test_network_diff import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path

INVENTORY = (
    "name: small\ngpus: 64\nhb_domain: {gpus: 8}\nrails: {tiers: 2}\nswitches: "
    "{leaf: {generic: {radix: 8}}, spine: {generic: {radix: 4}}}\n"
)
KEYS = {"matched", "wrong", "missing", "extra", "silent", "findings", "moves", "ok"}


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    """Write an inventory and the neighbours of leaves and spines as CSV.

    Every cable is as planned.
    """
    path = tmp_path / "fabric.yaml"
    path.write_text(INVENTORY, encoding="utf-8")
    plan, _views = plan_file(path), Views(plan_file(path))
    rows = cables_of(plan)
    lines = [
        f"{cable.b_device},{cable.b_interface},{cable.a_device},{cable.a_interface}"
        for cable in rows
    ]
    (tmp_path / "neighbors.csv").write_text("\n".join(lines), encoding="utf-8")
    return path


def audited(
    fabric: Path, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, dict[str, Any]]:
    """Run the command with --json."""
    code = run(["audit", str(fabric), *words, "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def swapped(fabric: Path) -> Path:
    """Swap two cables in the evidence."""
    neighbors = fabric.with_name("neighbors.csv")
    lines = neighbors.read_text(encoding="utf-8").splitlines()
    one, other = (line.split(",") for line in lines[:2])
    lines[:2] = [",".join([*one[:2], *other[2:]]), ",".join([*other[:2], *one[2:]])]
    path = fabric.with_name("swapped.csv")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_clean(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A correct cabling ends with 0 and has every key of the contract."""
    code, document = audited(fabric, capsys, "--lldp", str(fabric.with_name("neighbors.csv")))
    assert document.keys() >= KEYS
    assert (code, document["ok"], document["matched"], document["findings"]) == (
        0,
        True,
        document["links"],
        [],
    )


def test_a_swap_in_words(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The event, then numbered moves with labels; exit code 1."""
    assert run(["audit", str(fabric), "--lldp", str(swapped(fabric))]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines()[2:6] == [
        "major[swapped]: r0-leaf-1: the cables r0-h00001 and r0-h00002 are swapped",
        "  1. r0-leaf-1: unplug the cable from host-1 nic0 from swp2 (2) and leave it loose",
        (
            "  2. r0-leaf-1: move the cable from host-2 nic0 from swp1 (1) to swp2 (2); it is "
            "r0-h00002"
        ),
        "  3. r0-leaf-1: plug the loose end into swp1 (1); it is r0-h00001",
    ]
    assert output.out.endswith("the cabling differs from the plan: 2 moves to fix it\n")
    code, document = audited(fabric, capsys, "--lldp", str(swapped(fabric)))
    assert (code, document["moves"], document["ok"]) == (1, 2, False)
    assert {"kind", "cable", "expected", "found", "fix"} <= document["findings"][0].keys()


def test_strict_counts_the_silent(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One leaf alone is silent about the others, which is a finding only on request."""
    one = fabric.with_name("one.csv")
    one.write_text(
        "\n".join(fabric.with_name("neighbors.csv").read_text(encoding="utf-8").splitlines()[:4]),
        encoding="utf-8",
    )
    code, document = audited(fabric, capsys, "--lldp", str(one))
    assert (code, document["matched"] + document["silent"], document["ok"]) == (
        0,
        document["links"],
        True,
    )
    assert len(document["silent_cables"]) == document["silent"] > 0
    assert audited(fabric, capsys, "--lldp", str(one), "--strict")[0] == 1


MANAGEMENT = f"""management:
  pool: 10.90.0.0/24
  host_pool: 10.91.0.0/24
  ntp: [10.90.0.123]
  users: [{{name: ops, key: {KEY_EXAMPLE}}}]
"""


def test_a_device_without_records_has_its_management_address(
    fabric: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the note, in the steps of --strict, and in JSON; without `management` its name alone."""
    one = fabric.with_name("one.csv")
    rows = fabric.with_name("neighbors.csv").read_text(encoding="utf-8").splitlines()
    one.write_text("\n".join(row for row in rows if "r0-leaf-2" not in row), encoding="utf-8")
    bare = audited(fabric, capsys, "--lldp", str(one))[1]
    assert [each["management_address"] for each in bare["unreported"]] == [""] * 5
    assert not any("10.90" in note for note in bare["notes"])
    fabric.write_text(INVENTORY + MANAGEMENT, encoding="utf-8")
    document = audited(fabric, capsys, "--lldp", str(one))[1]
    assert document["unreported"][0] == {
        "device": "r0-leaf-2",
        "management_address": "10.90.0.3",
        "silent_links": 8,
    }
    assert document["unreported"][1]["management_address"].startswith("10.91.0.")
    reading = "read the neighbors of r0-leaf-2 at 10.90.0.3"
    assert f"{reading} to verify the silent links" in document["notes"]
    finding = audited(fabric, capsys, "--lldp", str(one), "--strict")[1]["findings"][-1]
    assert finding["fix"] == [f"{reading}: it has 8 of these links"]
    assert run(["audit", str(fabric), "--lldp", str(one), "--strict"]) == 1
    assert f"  1. {reading}: it has 8 of these links\n" in capsys.readouterr().out


def test_tables_around_the_findings_of_an_audit(
    fabric: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong cables are failed in the tables, beside the names of a list.

    A foreign directory is not overwritten.
    """
    out, dead = fabric.with_name("around"), fabric.with_name("dead.txt")
    dead.write_text("switch:r1-spine-1\n", encoding="utf-8")
    words = ["--lldp", str(swapped(fabric)), "--degraded", str(dead), "--tables", str(out)]
    code, document = audited(fabric, capsys, *words)
    assert (code, document["degraded"]["failed"]) == (
        1,
        ["switch:r1-spine-1", "link:r0-h00001", "link:r0-h00002"],
    )
    assert document["degraded"]["gpus_degraded"] > 0
    files = json.loads((out / MANIFEST).read_text(encoding="utf-8"))["files"]
    assert len(files) == document["degraded"]["tables"]
    assert "forwarding/r1-spine-1.json" not in files
    table = (out / "forwarding/r0-leaf-1.json").read_text(encoding="utf-8")
    assert "r0-h00003" in table
    assert "r0-h00001" not in table
    (fabric.parent / "mine").mkdir()
    (fabric.parent / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    assert run(["audit", str(fabric), *words[:2], "--tables", str(fabric.parent / "mine")]) == 2
    assert "error[not-ours]" in capsys.readouterr().err


def test_a_list_of_failures_alone(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without evidence the list alone is used; exit code 1 where pairs are lost."""
    dead = fabric.with_name("dead.txt")
    dead.write_text("nic:d0-g1\n", encoding="utf-8")
    code, document = audited(fabric, capsys, "--degraded", str(dead))
    assert (code, document["findings"], document["ok"]) == (0, [], True)
    dead.write_text("gpu:d0-g1\n", encoding="utf-8")
    assert audited(fabric, capsys, "--degraded", str(dead))[0] == 1
    assert run(["audit", str(fabric), "--degraded", str(dead)]) == 1
    assert "\n\ngpu:d0-g1 down: " in capsys.readouterr().out


def test_the_losses_of_networks_are_those_of_impact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For switches, devices and cables of networks among parts of compute; who is cut off fails."""
    fabric, dead = tmp_path / "cluster.yaml", tmp_path / "dead.txt"
    fabric.write_text(json.dumps({"name": "cluster", **CLUSTER}), encoding="utf-8")
    lists = {
        "cut off": ["switch:oob-1", "gpu:d0-g0", "device:target-1", "link:storage-h00003"],
        "a cable less": ["switch:storage-leaf-1"],
        "compute": ["nic:d0-g1"],
    }
    for state, names in lists.items():
        dead.write_text("\n".join(names), encoding="utf-8")
        code, document = audited(fabric, capsys, "--degraded", str(dead))
        run(["impact", str(fabric), *(f"--fail={each}" for each in names), "--json"])
        impact = json.loads(capsys.readouterr().out)
        degraded = document["degraded"]
        assert degraded.get("networks") == impact.get("networks")
        assert degraded["failed"] == impact["failed"] == names
        assert degraded["gpus_cut_off"] == impact["gpus_cut_off"]
        cut = [loss for loss in degraded.get("networks", ()) if loss["cut_off"]]
        lost = [each for each in document["findings"] if each["code"] == "unreachable"]
        assert len(lost) == len(cut) + bool(degraded["pairs_lost"])
        assert (code, bool(cut)) == (int(bool(lost)), state == "cut off")
        run(["audit", str(fabric), "--degraded", str(dead)])
        assert ("\n\nstorage: " in capsys.readouterr().out) is (state != "compute")


def test_nothing_to_compare_is_a_usage_error(
    fabric: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Evidence, or a list of failures, must be given."""
    assert run(["audit", str(fabric)]) == 2
    assert "--lldp" in capsys.readouterr().err


def test_every_finding_is_printed(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Silence under --strict and pairs without a path are lines of the text, too."""
    one = fabric.with_name("one.csv")
    one.write_text("r0-leaf-1,swp1,host-1,nic0\n", encoding="utf-8")
    dead = fabric.with_name("dead.txt")
    dead.write_text("".join(f"switch:r{rail}-leaf-1\n" for rail in range(8)), encoding="utf-8")
    words = ["--lldp", str(one), "--strict", "--degraded", str(dead)]
    assert run(["audit", str(fabric), *words]) == 1
    parts = capsys.readouterr().out.split("\n\n")
    kinds = [part.partition(":")[0] for part in parts[1:3]]
    assert kinds == ["minor[silent]", "critical[unreachable]"]
    assert parts[3].startswith("the findings name no cable to move; ")
