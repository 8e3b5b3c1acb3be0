"""The start of the program: few imports, completion, and behaviour at a terminal.

Time is measured by `make bench`. These tests assert its causes: the libraries that are not
imported.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import fabricgen
from fabricgen.cli import PLUGIN_SEARCH, omit_plugin_search, program
from fabricgen.outputs.groups import GROUPS

if TYPE_CHECKING:
    from tests.conftest import Run

PROGRAM = Path(sys.executable).parent / "fabricgen"
HEAVY = {"jinja2", "networkx", "numpy", "pydantic", "ruamel", "xlsxwriter"}
FOR_ARTEFACTS = {"jinja2", "networkx", "xlsxwriter"}
FOR_OTHERS = {
    "fabricgen.cli.build",
    "fabricgen.cli.lab",
    "fabricgen.outputs.packs.sandbox",
    "fabricgen.analysis.checks.laws",
    "fabricgen.views.factory",
    "numpy.ma",
    "fabricgen.inventory.errors",
    "fabricgen.inventory.accounts",
    "fabricgen.inventory.cabling",
    "fabricgen.inventory.devices",
    "fabricgen.inventory.management",
    "fabricgen.inventory.search",
    "fabricgen.core.yaml_tree",
    "fabricgen.planning.channels.plan",
    "importlib.metadata",
    "socket",
}
"""Modules that only other commands need, and large parts of libraries that no command needs."""
INVENTORY = """\
name: start
gpus: 1024
hb_domain: {gpus: 8}
switches:
  leaf: {generic: {radix: 64}}
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """Write an inventory of 1,024 GPUs."""
    path = tmp_path / "fabric.yaml"
    path.write_text(INVENTORY, encoding="utf-8")
    return path


def imported(*arguments: object, env: dict[str, str], cwd: Path) -> set[str]:
    """Return the modules that a run imports, as Python reports them."""
    command = [sys.executable, "-X", "importtime", "-m", "fabricgen", *map(str, arguments)]
    ended = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = (line for line in ended.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_no_heavy_library(
    option: str, environment: dict[str, str], tmp_path: Path
) -> None:
    """`--help` and `--version` answer before anything large is read."""
    modules = imported(option, env=environment, cwd=tmp_path)
    assert "fabricgen" in modules
    assert modules & HEAVY == set()


def test_planning_imports_no_library_of_outputs(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """`plan` reads, counts and wires without graphs, templates and spreadsheets."""
    sizing = ("--gpus", 1024, "--hb-domain", 8, "--radix", 64)
    modules = imported("plan", *sizing, env=environment, cwd=tmp_path)
    assert "numpy" in modules
    assert modules & (FOR_ARTEFACTS | FOR_OTHERS) == set()


def test_pydantic_finds_no_plugins_unless_the_user_names_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own module, which imports much for the search, replaces ours where more is asked."""
    monkeypatch.setenv("PYDANTIC_DISABLE_PLUGINS", "logfire")
    monkeypatch.delitem(sys.modules, PLUGIN_SEARCH, raising=False)
    omit_plugin_search()
    assert PLUGIN_SEARCH not in sys.modules
    monkeypatch.setenv("PYDANTIC_DISABLE_PLUGINS", "__all__")
    omit_plugin_search()
    ours = sys.modules[PLUGIN_SEARCH]
    assert ours.get_plugins() == ()
    assert ours.entry_points is sys.modules[PLUGIN_SEARCH].entry_points
    assert sys.modules[PLUGIN_SEARCH] is not ours


def test_configurations_import_no_library_of_other_groups(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """Few of them start no second process."""
    asked = [
        "build",
        "--gpus",
        "1024",
        "--hb-domain",
        "8",
        "--radix",
        "64",
        "--only",
        "configs",
        "-o",
        str(tmp_path / "out"),
    ]
    code = f"import sys; from fabricgen.cli import run; run({asked}); print(); print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    modules = set(ended.stdout.splitlines()[-1].split())
    assert {"jinja2", "fabricgen.build.group_configs"} <= modules, ended.stderr
    others = [f"group_{name}" for name in GROUPS if name != "configs"] + ["workers"]
    assert modules & {f"fabricgen.build.{name}" for name in others} == set()
    assert (
        modules
        & {
            "fabricgen.analysis.checks.circuits",
            "fabricgen.analysis.checks.cluster_laws",
            "fabricgen.inventory.devices",
            "fabricgen.inventory.management",
            "fabricgen.views.cables.columns",
            "fabricgen.outputs.dcim",
            "fabricgen.lifecycle.change",
            "fabricgen.outputs.labels.pages",
            "fabricgen.outputs.report",
            "multiprocessing",
        }
        == set()
    )


SETTLED = """
import atexit, gc, os, sys
from fabricgen.cli import main
class Kept:
    def __del__(self):
        print("freed")
kept = Kept()
sys.argv[1:] = ["--version"]
atexit.register(lambda: print(os.environ["OPENBLAS_NUM_THREADS"], gc.get_threshold()[0]))
main()
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_numpy_starts_no_threads_and_garbage_is_seldom_collected(
    threads: str, environment: dict[str, str]
) -> None:
    """Both take more CPU than planning, as freeing all objects at the end does.

    A user may set the threads.
    """
    asked = environment | ({} if threads == "1" else {"OPENBLAS_NUM_THREADS": threads})
    ended = subprocess.run(
        [sys.executable, "-c", SETTLED], env=asked, capture_output=True, text=True, check=False
    )
    assert ended.stdout.splitlines()[-1].split() == [threads, "10000000"], ended.stderr


def test_no_model_is_built_before_it_is_used(environment: dict[str, str]) -> None:
    """Building the models of inventories, catalogs and packs takes as long as importing numpy."""
    models = "fabric.FabricSpec, site.Site, site.Footprint, switch.Switch, pack_yaml.Pack"
    packages = (
        ("catalog.models", "switch"),
        ("inventory", "fabric, site"),
        ("outputs.packs", "pack_yaml"),
        ("bom", "summary"),
    )
    imports = "; ".join(
        f"from fabricgen.{package} import {modules}" for package, modules in packages
    )
    code = f"{imports}; print([m.__pydantic_complete__ for m in ({models})])"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout.strip() == "[False, False, False, False, False]", ended.stderr


def test_every_command_is_listed_under_its_own_name() -> None:
    """The table of commands agrees with the modules in it."""
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help


def test_the_module_is_the_program(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    """`python -m fabricgen` and `fabricgen` print the same, under the same name."""
    for option in ("--help", "--version"):
        program = subprocess.run(
            [PROGRAM, option],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run(option).stdout == program.stdout
    assert fabricgen.__version__ in program.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    """Each shell gets a script that completes the program by name."""
    env = environment | {"_FABRICGEN_COMPLETE": f"{shell}_source"}
    script = subprocess.run(
        [PROGRAM], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert f"_FABRICGEN_COMPLETE={shell}_complete" in script.stdout
    assert script.stderr == ""


def test_completion_offers_commands(environment: dict[str, str], tmp_path: Path) -> None:
    """`fabricgen pla<TAB>` offers `plan`."""
    env = environment | {
        "_FABRICGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": "fabricgen pla",
        "COMP_CWORD": "1",
    }
    answer = subprocess.run(
        [PROGRAM], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "plain,plan" in answer.stdout.splitlines()


def test_json_is_alone_on_stdout(run: Run, inventory: Path) -> None:
    """`--json` prints one document, and a pipe gets neither colour nor a progress bar."""
    ended = run("plan", inventory, "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["gpus"] == 1024
    assert not {"\x1b", "\r"} & set(ended.stdout + ended.stderr)


def test_no_progress_bar_without_a_terminal(run: Run, inventory: Path, tmp_path: Path) -> None:
    """A build into a log file writes no control characters there."""
    ended = run("build", inventory, "--only", "cabling,configs", "-o", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    assert not {"\x1b", "\r"} & set(ended.stdout + ended.stderr)


def refusal_at_a_terminal(cwd: Path, env: dict[str, str]) -> str:
    """Return the text of stderr at a terminal when an inventory is refused."""
    (cwd / "bad.yaml").write_text(INVENTORY + "rials: {}\n", encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fabricgen", "plan", "bad.yaml"]
    with os.fdopen(ours, "rb", buffering=0) as screen:
        ended = subprocess.run(
            command,
            env=env | {"TERM": "xterm"},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            check=False,
        )
        os.close(theirs)
        text = read_screen(screen.fileno())
    assert ended.returncode == 2, text
    return text


def read_screen(terminal: int) -> str:
    """Read a terminal until its other end is closed.

    Linux reports that as an error, and others as an empty read.
    """
    chunks = []
    try:
        while chunk := os.read(terminal, 65536):
            chunks.append(chunk)
    except OSError:
        pass
    return b"".join(chunks).decode()


def test_colour_can_be_disabled(environment: dict[str, str], tmp_path: Path) -> None:
    """A terminal gets colour, NO_COLOR removes it, and the words are the same."""
    coloured = refusal_at_a_terminal(tmp_path, environment)
    plain = refusal_at_a_terminal(tmp_path, environment | {"NO_COLOR": "1"})
    assert "\x1b[" in coloured
    assert "\x1b" not in plain
    assert "rials" in plain
    assert "Traceback" not in plain
