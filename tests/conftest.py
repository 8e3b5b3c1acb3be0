"""Fixtures: the program as a user runs it, vendors' models, and tools that validate emitted files.

A test whose requirement the machine lacks is skipped with a one-line reason. FABRICGEN_LAB=require
makes such a skip a failure, and FABRICGEN_ORACLES requires the vendors' models and the tools that
read them.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from fabricgen.cli import run as run_command
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LAB_REQUIRED = os.environ.get("FABRICGEN_LAB") == "require"

# The same examples in every run, on every machine and in any order of tests: derived from a seed,
# independent of a database of earlier runs and of constants in the imported modules. Nothing
# depends on the duration of an example.
settings.register_profile(
    "steady",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("steady")
providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001 - hypothesis has no setting


# A process started in the background ignores Ctrl-C, and so would every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until the tests are collected: a million objects, and none of them is garbage
KEPT_OBJECTS = 100_000

OUTSIDE = frozenset({"oracles", "out_of_reach", "python_tool", "tool"})
"""Fixtures for what a machine may lack.

These are Debian programs, network namespaces, a browser and vendors' models.
"""


LONG = (
    "lab/test_verify.py",
    "outputs/test_push.py",
    "outputs/test_push_devices.py",
    "lab/test_session.py",
    "analysis/forwarding/test_tables.py",
    "lab/test_failures.py",
    "analysis/test_checks.py",
    "lab/test_sizes.py",
    "outputs/packs/test_tools.py",
    "lab/test_on_compute.py",
    "outputs/test_lab_topologies.py",
    "lab/test_management.py",
    "outputs/packs/test_hosts.py",
    "lab/test_networks.py",
    "build/test_secrets.py",
    "test_docs.py",
    "lifecycle/audit/test_reconcile.py",
    "outputs/report/test_accessibility.py",
    "lab/test_direct.py",
    "outputs/packs/test_bonds.py",
    "outputs/test_provision.py",
)
"""The files of the longest tests. They come first, so that no worker has one left at the end, and
files that boot labs, which wait, take turns with files that compute."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses such a fixture as `outside`, so that `make test` skips it."""
    for item in items:
        if not OUTSIDE.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("outside")
    turns = {ROOT / "tests" / name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: turns.get(item.path, len(turns)))


def pytest_collection_finish() -> None:
    """Collect garbage as seldom as the program does, and never search the collected tests."""
    gc.freeze()
    gc.set_threshold(KEPT_OBJECTS)
    gc.enable()


class Run(Protocol):
    """Run `fabricgen` with these arguments, as a user would, and return the completed process."""

    def __call__(
        self,
        *arguments: object,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run in `cwd`, or in an empty directory of the test. `env` extends a clean environment."""


class PythonTool(Protocol):
    """Run a program of `make tools` in a directory, and return the completed process."""

    def __call__(
        self, name: str, *arguments: object, cwd: Path, programs: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run with a clean environment, in which programs and modules of a directory come first."""


class Once(Protocol):
    """Compute something costly once for all workers. Each gets it as JSON, by its unique name."""

    def __call__(self, name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - any JSON value
        """Workers that ask for it meanwhile wait."""


def clean_environment(home: Path) -> dict[str, str]:
    """Return the least environment that a program needs, without the developer's own settings."""
    return {"PATH": SYSTEM_PATH, "HOME": str(home), "LC_ALL": "C.UTF-8"}


def in_process(
    words: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `fabricgen` with these arguments in this process, which saves what its imports take."""
    given, stdout, stderr = (
        io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8") for text in (stdin, "", "")
    )
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        mock.patch.object(sys, "stdin", given),
        mock.patch.dict(os.environ, environment, clear=True),
    ):
        code = run_command([*words])
    for stream in (stdout, stderr):
        stream.seek(0)
    return subprocess.CompletedProcess([*words], code, stdout.read(), stderr.read())


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a function that computes once per run.

    A fixture of a module would compute once per worker.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def lend(name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - any JSON value
        kept = shared / f"{name}.json"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_text(json.dumps(make()), encoding="utf-8")
        return json.loads(kept.read_text(encoding="utf-8"))

    return lend


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return a clean environment whose home is the test's own directory."""
    return clean_environment(tmp_path)


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Run:
    """Return a function that runs `python -m fabricgen` outside the checkout."""

    def start(
        *arguments: object,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fabricgen", *map(str, arguments)]
        return subprocess.run(
            command,
            input=stdin,
            cwd=cwd or tmp_path,
            env=environment | dict(env or {}),
            capture_output=True,
            text=True,
            check=False,
        )

    return start


@pytest.fixture
def run_here(tmp_path: Path, environment: dict[str, str]) -> Run:
    """Return a function like `run` for tests of what is printed: it starts no process."""

    def start(
        *arguments: object,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        words = [*map(str, arguments)]
        return in_process(words, cwd or tmp_path, environment | dict(env or {}), stdin)

    return start


@pytest.fixture(scope="session")
def out_of_reach() -> Callable[[str], NoReturn]:
    """Return what a test calls when the machine lacks something.

    It skips the test, or fails where skips are forbidden.
    """

    def stop(reason: str) -> NoReturn:
        if LAB_REQUIRED:
            pytest.fail(f"{reason}, and FABRICGEN_LAB=require allows no skip")
        pytest.skip(reason)

    return stop


@pytest.fixture(scope="session")
def oracles() -> Path:
    """Return the directory of the vendors' models."""
    named = os.environ.get("FABRICGEN_ORACLES")
    if not named:
        pytest.skip("FABRICGEN_ORACLES is unset: the vendors' models are not part of the project")
    path = Path(named).resolve()
    if not path.is_dir():
        pytest.fail(f"FABRICGEN_ORACLES={named} is no directory")
    return path


@pytest.fixture
def python_tool(out_of_reach: Callable[[str], NoReturn], tmp_path: Path) -> PythonTool:
    """Return a function that runs a program of `make tools` in a directory."""

    def start(
        name: str, *arguments: object, cwd: Path, programs: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        program = ROOT / ".venv-tools" / "bin" / name
        if not program.exists():
            out_of_reach(f"{name} is not installed: make tools")
        clean = clean_environment(tmp_path)
        if programs:
            clean |= {"PATH": f"{programs}:{clean['PATH']}", "PYTHONPATH": str(programs)}
        return subprocess.run(
            [program, *map(str, arguments)],
            cwd=cwd,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )

    return start


@pytest.fixture(scope="session")
def tool(out_of_reach: Callable[[str], NoReturn]) -> Callable[[str], str]:
    """Return a function that finds a program that validates emitted files.

    Examples are vtysh and yanglint.
    """

    def find(name: str) -> str:
        found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")
        if found is None:
            if os.environ.get("FABRICGEN_ORACLES"):
                pytest.fail(
                    f"{name} is not installed, and FABRICGEN_ORACLES promises the tools "
                    "that read the models"
                )
            out_of_reach(f"{name} is not installed")
        return found

    return find
