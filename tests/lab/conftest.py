"""A machine that can boot labs, and a detector of what labs leave behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.yaml_text import write_yaml
from fabricgen.lab.requirements import doctor
from tests import ROOT
from tests.conftest import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

UNPRIVILEGED = 65534
SMALL: dict[str, Any] = {
    "name": "small",
    "gpus": 8,
    "hb_domain": {"gpus": 4},
    "rails": {"count": 2, "tiers": 2},
    "nos": "frr",
    "switches": {"leaf": {"generic": {"radix": 4}}, "spine": {"generic": {"radix": 2}}},
}
"""Two rails of two leaves and two spines, eight switches in all."""

PATIENCE_S = 20.0


@pytest.fixture(scope="session", autouse=True)
def _needs(out_of_reach: Callable[[str], NoReturn]) -> None:
    """Skip unless a lab can boot."""
    missing = [need for need in doctor() if not need.ok]
    if missing:
        out_of_reach(f"no lab here: {', '.join(f'{need.what} ({need.found})' for need in missing)}")


@dataclass
class Machine:
    """Runs `fabricgen` as some user, and finds whatever is left of it.

    Every process that it starts has a mark in its environment.
    """

    place: Path
    prefix: list[str] = field(default_factory=list)
    program: list[str] = field(default_factory=lambda: [sys.executable, "-m", "fabricgen"])
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def environment(self) -> dict[str, str]:
        """A clean environment with the mark.

        Temporary files and the directory of labs have their own folder.
        """
        own = {
            "TMPDIR": str(self.place / "tmp"),
            "XDG_RUNTIME_DIR": f"{self.place}/run",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return clean_environment(self.place) | own | {"FABRICGEN_MARK": self.mark}

    def write(self, **changes: Any) -> Path:  # noqa: ANN401 - keys of an inventory
        """Write the small fabric with some keys replaced."""
        path = self.place / f"{changes.get('name', 'small')}.yaml"
        path.write_text(write_yaml({**SMALL, **changes}), encoding="utf-8")
        path.chmod(0o644)
        return path

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start a command in its own process group."""
        command = [*self.prefix, *self.program, *map(str, arguments)]
        return subprocess.Popen(
            command,
            cwd=self.place,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def run(self, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        with self.start(*arguments) as process:
            out, err = process.communicate(stdin)
            return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def processes(self) -> dict[int, str]:
        """Return the running processes with the mark."""
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if f"FABRICGEN_MARK={self.mark}".encode() in (path / "environ").read_bytes():
                    found[int(path.name)] = (
                        (path / "cmdline")
                        .read_text(encoding="utf-8", errors="replace")
                        .replace("\0", " ")
                    )
            except OSError:  # gone, or of another user
                continue
        return found

    def left(self) -> list[str]:
        """List processes, directories and mounts that are left after a while."""
        until = time.monotonic() + PATIENCE_S
        while self.processes() and time.monotonic() < until:
            time.sleep(0.02)
        files = [
            path
            for folder in ("tmp", "run/fabricgen-lab")
            for path in (self.place / folder).glob("*")
        ]
        mounts = [
            line
            for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
            if "netns" in line or "fabricgen" in line
        ]
        return [*self.processes().values(), *map(str, files), *mounts]


def closed_to_others(path: Path) -> Path | None:
    """Return the outermost directory on the way to a path that other users may not enter."""
    return next(
        (folder for folder in [*reversed(path.parents), path] if not folder.stat().st_mode & 0o001),
        None,
    )


def as_nobody() -> list[str]:
    """Return the words that run a program as an unprivileged user.

    The interpreter and the checkout are readable in any folder.
    """
    opened: dict[Path, list[Path]] = {}
    for needed in {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT}:
        if closed := closed_to_others(needed):
            opened.setdefault(closed, []).append(needed)
    script = ["set -eu; mount -t tmpfs -o mode=755 none /mnt"]
    for number, (closed, paths) in enumerate(opened.items()):
        script += [
            (
                f"mkdir /mnt/{number}; mount --rbind '{closed}' /mnt/{number}; mount -t tmpfs "
                f"-o mode=755 none '{closed}'"
            )
        ]
        script += [
            f"mkdir -p '{path}'; mount --rbind '/mnt/{number}/{path.relative_to(closed)}' '{path}'"
            for path in paths
        ]
    script.append(f'exec setpriv --reuid {UNPRIVILEGED} --regid {UNPRIVILEGED} --clear-groups "$@"')
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(script), "sh"]


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a world-accessible directory with a short name, as a socket's path has 108 bytes."""
    made = Path(tempfile.mkdtemp(prefix="lab-", dir="/tmp"))
    for name in ("tmp", "run"):
        (made / name).mkdir()
    yield made
    shutil.rmtree(made)


@pytest.fixture
def machine(place: Path) -> Iterator[Machine]:
    """Return a machine for the user of the tests."""
    made = Machine(place)
    yield made
    end_all(made)


def end_all(machine: Machine) -> None:
    """End the marked processes of a failed test."""
    for number in machine.processes():
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.fixture(params=["the user of the tests", "an ordinary user", "root where users may not"])
def each_user(
    request: pytest.FixtureRequest, place: Path, out_of_reach: Callable[[str], NoReturn]
) -> Iterator[Machine]:
    """Return a machine for each kind of user."""
    machine = Machine(place)
    if request.param != "the user of the tests" and os.geteuid() != 0:
        pytest.skip("only root can change its user; the tests run as an ordinary user already")
    if request.param == "an ordinary user":
        machine.prefix = as_nobody()
        for path in (place, *place.iterdir()):
            os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
        tried = subprocess.run(
            [*machine.prefix, "unshare", "-Urn", "true"],
            capture_output=True,
            text=True,
            check=False,
        )
        if tried.returncode:
            out_of_reach(f"an ordinary user may not make namespaces here: {tried.stderr.strip()}")
    elif request.param == "root where users may not":
        refuses = (
            "import sys, fabricgen.lab.namespaces as kernel, fabricgen.cli as cli\n"
            "kernel.can_map_users = lambda: False\nsys.argv[0] = 'fabricgen'\ncli.main()"
        )
        machine.program = [sys.executable, "-c", refuses]
    yield machine
    end_all(machine)
