"""`build`: its tree, groups and manifest.

The bytes are reproducible, and OUT is replaced whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.build import run, workers
from fabricgen.cli import run as call
from tests.conftest import clean_environment
from tests.refusals import CASES

if TYPE_CHECKING:
    from tests.conftest import Once, Run

SIZING = ("--gpus", "64", "--hb-domain", "8", "--radix", "4")
TREE = {
    "manifest.json",
    "plan.json",
    "cabling/cables.csv",
    "cabling/cables.schema.json",
    "cabling/cables.xlsx",
    "cabling/labels.csv",
    "cabling/labels.html",
    "bom/bom.csv",
    "bom/bom.xlsx",
    "bom/compare.csv",
    "graph/fabric.json",
    "graph/fabric.graphml",
    "graph/topology.dot",
}


def tree(out: Path) -> dict[str, bytes]:
    """Return every file below a directory with its bytes."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a small fabric once, in a new process with a clean environment."""

    def make() -> str:
        place = tmp_path_factory.mktemp("built")
        command = [sys.executable, "-m", "fabricgen", "build", *SIZING, "-o", "out"]
        done = subprocess.run(
            command,
            cwd=place,
            env=clean_environment(place),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return str(place / "out")

    return Path(once("small-build", make))


@pytest.fixture
def built(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the small build that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "out"))


def test_the_tree_is_that_of_the_contract(built: Path) -> None:
    """Every file of the contract exists, and a directory of configuration for every switch."""
    files = set(tree(built))
    assert files >= TREE
    plan = json.loads((built / "plan.json").read_text())
    assert (
        len({path.split("/")[1] for path in files if path.startswith("configs/")})
        == plan["switches"]["total"]
    )
    assert {path.split("/")[-1] for path in files if path.startswith("configs/")} >= {"frr.conf"}
    assert (
        len({path.split("/")[1] for path in files if path.startswith("hosts/")})
        == plan["hb_domains"]
    )


def test_the_manifest_names_every_file(built: Path) -> None:
    """No file is missing from it, and each digest is right."""
    files = tree(built)
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["files"] == {
        path: hashlib.sha256(block).hexdigest() for path, block in files.items()
    }


def test_the_same_bytes_anywhere(built: Path, tmp_path: Path, run: Run) -> None:
    """Another hash seed, directory, locale, home and time make no difference."""
    elsewhere = tmp_path / "a b" / "out"
    done = run(
        "build",
        *SIZING,
        "-o",
        elsewhere,
        env={"PYTHONHASHSEED": "4711", "LC_ALL": "C", "TZ": "Asia/Tokyo", "HOME": "/"},
    )
    assert done.returncode == 0, done.stderr
    assert tree(elsewhere) == tree(built)


@pytest.fixture
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide the work between two processes, however small it is."""
    monkeypatch.setattr(run, "SERIAL_LINKS", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)


@pytest.mark.usefixtures("_split")
def test_two_processes_write_what_one_writes(built: Path, tmp_path: Path) -> None:
    """Splitting the work changes no byte."""
    assert call(["build", *SIZING, "-o", str(tmp_path / "two")]) == 0
    assert tree(built) == tree(tmp_path / "two")


def test_a_plan_file_builds_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """The plan file is complete, and the plan of a build is that of `plan`."""
    assert call(["plan", *SIZING, "-o", str(tmp_path / "plan.json")]) == 0
    assert (tmp_path / "plan.json").read_bytes() == (built / "plan.json").read_bytes()
    assert call(["build", str(tmp_path / "plan.json"), "-o", str(tmp_path / "again")]) == 0
    assert tree(tmp_path / "again") == tree(built)


def test_a_plan_file_with_another_digest_is_refused(built: Path, tmp_path: Path, run: Run) -> None:
    """A plan file records the digest of its wiring."""
    plan = json.loads((built / "plan.json").read_text())
    (tmp_path / "plan.json").write_text(json.dumps(plan | {"wiring_sha256": "0" * 64}))
    done = run("build", tmp_path / "plan.json", "-o", tmp_path / "other")
    assert done.returncode == 2
    assert "plan-of-another-version" in done.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("group", ["cabling", "bom", "configs", "hosts", "graph"])
def test_only_writes_one_group(tmp_path: Path, group: str) -> None:
    """`--only` leaves the other groups out, and the manifest records it."""
    assert call(["build", *SIZING, "--only", group, "-o", str(tmp_path / "out")]) == 0
    files = tree(tmp_path / "out")
    assert {path.split("/")[0] for path in files if "/" in path} == {group}
    assert json.loads(files["manifest.json"])["groups"] == [group]


def test_dry_run_lists_what_a_build_writes(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list is complete, and nothing is written."""
    assert call(["build", *SIZING, "-o", str(tmp_path / "dry"), "--dry-run"]) == 0
    assert sorted(capsys.readouterr().out.split()) == sorted(tree(built))
    assert not (tmp_path / "dry").exists()


def test_an_unknown_group_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, with the list of groups."""
    assert call(["build", *SIZING, "--only", "cabels", "-o", str(tmp_path / "out")]) == 2
    assert "cabling" in capsys.readouterr().err


def test_bad_input_keeps_the_last_build(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is wrong, OUT stays as it was."""
    before = tree(built)
    for bad in (("--set", "rails.count=3"), ("--set", "prices=no-such-book"), ("--set", "nos=ios")):
        assert call(["build", *SIZING, *bad, "-o", str(built)]) == 2
        assert "Traceback" not in capsys.readouterr().err
        assert tree(built) == before


def test_a_template_that_fails_late_keeps_the_last_build(
    built: Path, tmp_path: Path, run: Run, root: Path
) -> None:
    """A user's template fails on the second switch.

    No partial build is left, and the finding names the template.
    """
    pack = tmp_path / "mine" / "frr"
    shutil.copytree(root / "templates" / "frr", pack)
    (pack / "frr.conf.j2").write_text(
        "{% if switch.name.endswith('2') %}{{ switch.nonsense }}{% endif %}\n"
    )
    before = tree(built)
    done = run("build", *SIZING, "--templates", tmp_path / "mine", "-o", built)
    assert done.returncode == 2
    assert "bad-template" in done.stderr
    assert "nonsense" in done.stderr
    assert tree(built) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]


@pytest.mark.usefixtures("_split")
def test_a_refusal_of_a_worker_is_complete(
    tmp_path: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A template that fails in another process is a finding as well."""
    pack = tmp_path / "mine" / "frr"
    shutil.copytree(root / "templates" / "frr", pack)
    (pack / "frr.conf.j2").write_text("{{ switch.nonsense }}\n")
    assert (
        call(
            [
                "build",
                *SIZING,
                "--only",
                "configs",
                "--templates",
                str(tmp_path / "mine"),
                "-o",
                str(tmp_path / "out"),
            ]
        )
        == 2
    )
    assert capsys.readouterr().err.startswith("error[bad-template]")
    assert not (tmp_path / "out").exists()


def test_a_workbook_above_the_stated_size_is_written_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command names what it leaves out, and the option that writes it."""
    big = (
        "--gpus",
        "131072",
        "--hb-domain",
        "256",
        "--radix",
        "64",
        "--dry-run",
        "-o",
        str(tmp_path / "out"),
    )
    assert call(["build", *big, "--only", "cabling"]) == 0
    output = capsys.readouterr()
    assert "cables.xlsx" not in output.out
    assert "--only workbook" in output.err
    assert call(["build", *big, "--only", "workbook"]) == 0
    assert "cabling/cables.xlsx" in capsys.readouterr().out


def large_build(folder: Path) -> list[str]:
    """Return a build of several processes, with seconds of work after its first file."""
    sizing = ["--gpus", "131072", "--hb-domain", "256", "--radix", "64"]
    command = [sys.executable, "-m", "fabricgen", "build", *sizing, "--only", "configs"]
    return [*command, "-o", str(folder / "out")]


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_an_interrupted_build_leaves_nothing(
    tmp_path: Path, environment: dict[str, str], sent: signal.Signals
) -> None:
    """Neither a partial OUT nor a process is left."""
    with subprocess.Popen(
        large_build(tmp_path),
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        while child.poll() is None and not list(tmp_path.glob(".out.*/*/configs/*")):
            time.sleep(0.05)
        child.send_signal(sent)
        _, output = child.communicate(timeout=60)
    assert child.returncode == 130
    assert output.splitlines()[-1] == "interrupted"
    assert not list(tmp_path.iterdir())
    with pytest.raises(ProcessLookupError):
        os.killpg(child.pid, 0)


def test_a_killed_worker_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written, as where memory runs out, and no fault of the program is reported."""
    (case,) = (case for case in CASES if case.path.stem == "worker-ended")
    monkeypatch.setattr(run, "SERIAL_LINKS", 0)
    monkeypatch.setattr(workers, "do_task", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    assert call(["build", *SIZING, "--only", "bom,configs", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == case.expected
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_workers_end_with_a_killed_build(tmp_path: Path, environment: dict[str, str]) -> None:
    """They end with their parent, also when it is killed. The next build removes their files."""
    with subprocess.Popen(large_build(tmp_path), env=environment, start_new_session=True) as child:
        while child.poll() is None and not list(tmp_path.glob(".out.*/*/configs/*")):
            time.sleep(0.05)
        child.kill()
    deadline = time.monotonic() + 30
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(child.pid, 0)
            time.sleep(0.05)
    assert time.monotonic() < deadline
    assert len(list(tmp_path.iterdir())) == 1
    assert call(["build", *SIZING, "--only", "bom", "-o", str(tmp_path / "out")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
