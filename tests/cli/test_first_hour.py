"""What a new user types first, in a directory that is no checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fabricgen import __version__
from fabricgen.cli.examples import examples
from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

INVENTORY = """\
name: mine
gpus: 64
hb_domain: {gpus: 8}
switches:
  leaf: {generic: {radix: 16}}
"""


@pytest.mark.parametrize(
    "words",
    [
        ("plan",),
        ("check",),
        ("route", "d0-g0", "d1-g1"),
        ("placement", "d0-d3"),
        ("plan", "--set", "gpus=56"),
    ],
    ids=" ".join,
)
def test_a_command_without_fabric_reads_fabric_yaml(
    tmp_path: Path, run_here: Run, words: tuple[str, ...]
) -> None:
    """It prints so on standard error alone; without the file, it names what is missing."""
    missing = run_here(*words)
    assert missing.returncode == 2
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    found = run_here(*words)
    assert found.returncode == 0, found.stderr
    assert found.stderr.startswith("reading ./fabric.yaml\n")
    assert "reading" not in found.stdout


def test_flags_of_size_win_over_fabric_yaml(tmp_path: Path, run_here: Run) -> None:
    """The file is not read, and flags that are not enough are no reason to read it."""
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    sized = run_here("plan", "--gpus", "128", "--hb-domain", "8", "--radix", "16", "--json")
    assert json.loads(sized.stdout)["gpus"] == 128
    assert "reading" not in sized.stderr
    assert run_here("plan", "--gpus", "128").returncode == 2


def test_the_inventory_that_is_read_is_not_overwritten(tmp_path: Path, run_here: Run) -> None:
    """Also where no argument names it, and with --force."""
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    refused = run_here("plan", "-o", "fabric.yaml", "--force")
    assert refused.returncode == 2
    assert "output-is-input" in refused.stderr
    assert (tmp_path / "fabric.yaml").read_text(encoding="utf-8") == INVENTORY


def test_help_is_a_command_too(run_here: Run) -> None:
    """`help plan` prints what `plan --help` does, and -V the version."""
    assert run_here("help", "plan").stdout == run_here("plan", "--help").stdout
    assert run_here("help", "lab", "up").stdout == run_here("lab", "up", "--help").stdout
    assert run_here("help").stdout == run_here("--help").stdout
    assert run_here("-V").stdout == run_here("--version").stdout
    assert __version__ in run_here("-V").stdout


def test_examples_need_no_checkout(tmp_path: Path, run_here: Run) -> None:
    """Each shipped inventory can be written; an unknown name has the nearest as a hint."""
    listed = json.loads(run_here("init", "--list-examples", "--json").stdout)["examples"]
    names = [row["name"] for row in listed]
    files = {
        path.stem for folder in ("examples", "inventories") for path in (ROOT / folder).glob("*")
    }
    assert set(names) == {name for name in files if name in examples()} >= {"lab-64", "nvl72"}
    assert all(row["description"] for row in listed)
    written = run_here("init", "--example", "lab-64", "lab.yaml")
    assert written.returncode == 0, written.stderr
    assert json.loads(run_here("plan", "lab.yaml", "--json").stdout)["name"] == "lab-64"
    assert (tmp_path / "fabric.schema.json").exists()
    unknown = run_here("init", "--example", "lab-63", "other.yaml")
    assert unknown.returncode == 2
    assert "did you mean `lab-64`?" in unknown.stderr


def test_windows_is_told_what_to_install(tmp_path: Path) -> None:
    """One sentence and exit code 2, without the modules and signals that Windows lacks."""
    script = (
        "import signal, sys\n"
        "del signal.SIGHUP\n"
        "for name in ('fcntl', 'resource'): sys.modules[name] = None\n"
        "from fabricgen.cli import main\n"
        "sys.platform = 'win32'\n"
        "sys.argv = ['fabricgen', '--version']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "WSL" in done.stderr


def test_a_catalog_of_the_user_holds_for_init(tmp_path: Path, run_here: Run) -> None:
    """By --catalog and by the environment, as for every command."""
    own = tmp_path / "mine" / "switches"
    own.mkdir(parents=True)
    shipped = ROOT / "inventories" / "catalog" / "switches" / "sn5600.yaml"
    text = shipped.read_text(encoding="utf-8").replace("model: sn5600", "model: mine-1")
    (own / "mine-1.yaml").write_text(text, encoding="utf-8")
    words = ("init", "--gpus", "64", "--leaf", "mine-1", "-")
    assert run_here(*words).returncode == 2
    assert run_here(*words, "--catalog", "mine").returncode == 0
    assert run_here(*words, env={"FABRICGEN_CATALOG": "mine"}).returncode == 0


def test_a_diff_for_a_pull_request(tmp_path: Path, run_here: Run) -> None:
    """The counts are its heading, and no fence of a value ends the block of the steps."""
    (tmp_path / "fabric.yaml").write_text(INVENTORY, encoding="utf-8")
    (tmp_path / "new.yaml").write_text(
        INVENTORY.replace("gpus: 64", "gpus: 56") + 'vars: {note: "```"}\n', encoding="utf-8"
    )
    assert run_here("diff", "fabric.yaml", "new.yaml", "--markdown", "d.md").returncode == 0
    text = (tmp_path / "d.md").read_text(encoding="utf-8")
    assert text.startswith("### Changes of the fabric: mine -> mine: 0 cables moved")
    fences = [line for line in text.splitlines() if line.startswith("```")]
    assert fences == ["````text", "````"]
    assert "\n     1  remove r0-h00008" in text
    assert run_here("diff", "fabric.yaml", "new.yaml", "--markdown", "d.md").returncode == 0


def test_a_mistyped_option_has_one_hint(run_here: Run) -> None:
    """The nearest option alone, not all that resemble it a little."""
    assert "Did you mean '--prices'?" in run_here("plan", "--pricse", "x").stderr


def test_an_extrapolated_reference_is_announced(run_here: Run) -> None:
    """On the screen too, not in the comment of the file alone."""
    note = "note: the source counts no design of 8 units"
    assert note in run_here("init", "--reference", "mi325x", "--units", "8", "m.yaml").stdout
    assert "note" not in run_here("init", "--reference", "mi325x", "n.yaml").stdout
