"""The wheel: built, installed into an empty environment, and used outside of the checkout."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

import fabricgen
from tests.conftest import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Once

pytestmark = pytest.mark.slow


def shell(
    *command: object, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program.

    Without `env` it has the caller's environment, as pip needs for proxies and index.
    """
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(once: Once, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source archive, and the wheel out of that, as a release would."""

    def make() -> str:
        out = tmp_path_factory.mktemp("dist")
        built = shell(
            sys.executable, "-m", "build", "--no-isolation", "--outdir", out, root, cwd=out
        )
        assert built.returncode == 0, built.stdout + built.stderr
        (found,) = out.glob("*.whl")
        return str(found)

    return Path(once("wheel", make))


def shipped(directory: Path) -> set[str]:
    """List the files under a directory of the checkout that belong to the project."""
    files = (
        path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(directory).as_posix() for path in files}


def test_the_wheel_contains_the_package_and_its_files(root: Path, wheel: Path) -> None:
    """Templates and inventories are inside the package, complete, and nothing else is."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {f"fabricgen/{name}" for name in shipped(root / "fabricgen")}
    for directory in ("templates", "inventories", "examples"):
        files = shipped(root / directory)
        assert files, directory
        expected |= {f"fabricgen/{directory}/{name}" for name in files}
    assert names == expected


def empty_environment(home: Path) -> Path:
    """Create an environment without packages and return its python."""
    venv.create(home, with_pip=False, symlinks=True)
    return home / "bin" / "python"


def other_pythons() -> list[Path]:
    """List the tested Pythons that this machine has beside the running one."""
    home = Path.home() / ".pyenv" / "versions"
    found = {}
    for minor in {11, 12, 13} - {sys.version_info.minor}:
        name = f"python3.{minor}"
        known = [*home.glob(f"3.{minor}.*/bin/{name}"), shutil.which(name)]
        runs = (
            Path(path)
            for path in known
            if path and shell(path, "-c", "import venv", cwd=Path.home()).returncode == 0
        )
        found[minor] = next(runs, None)
    return [path for path in found.values() if path]


def constraints(root: Path, path: Path) -> Path:
    """Write the locked versions as constraints without hashes.

    The wheel just built has no hash to compare with.
    """
    path.write_text(
        "\n".join(
            re.findall(
                r"^[a-z0-9-]+==[^\s;]+",
                (root / "requirements.lock").read_text(encoding="utf-8"),
                re.MULTILINE,
            )
        ),
        encoding="utf-8",
    )
    return path


def install(root: Path, wheel: Path, home: Path, out_of_reach: Callable[[str], NoReturn]) -> Path:
    """Install the wheel and its dependencies in the locked versions.

    Return the directory of its programs.
    """
    python = empty_environment(home / "env")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--retries",
        "1",
        "--no-compile",
    ]
    installed = shell(*pip, "--constraint", constraints(root, home / "locked.txt"), wheel, cwd=home)
    if re.search(
        "NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError", installed.stderr
    ):
        out_of_reach(
            "no package index can be reached, so the wheel's dependencies cannot be installed"
        )
    assert installed.returncode == 0, installed.stderr
    return python.parent


def test_the_installed_wheel_builds_an_example(
    root: Path, wheel: Path, tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """`pip install` into an empty environment gives a `fabricgen` that builds an example."""
    programs, env = install(root, wheel, tmp_path, out_of_reach), clean_environment(tmp_path)
    version = shell(programs / "fabricgen", "--version", cwd=tmp_path, env=env)
    assert (version.returncode, version.stderr) == (0, "")
    assert fabricgen.__version__ in version.stdout

    shutil.copytree(root / "examples", tmp_path / "examples")
    example = min(tmp_path.glob("examples/*.yaml"))
    built = shell(
        programs / "fabricgen", "build", example, "-o", tmp_path / "out", cwd=tmp_path, env=env
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (tmp_path / "out" / "cabling" / "cables.csv").is_file()


def test_other_pythons_build_the_same_bytes(
    root: Path, wheel: Path, tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """With the lock of the program alone, each Python that is tested and here writes one manifest.

    This Python is one of them, so that the lock is installed also where there is no other.
    """
    manifests = set()
    for number, python in enumerate([Path(sys.executable), *other_pythons()]):
        home = tmp_path / f"python-{number}"
        made = shell(python, "-m", "venv", "--without-pip", home / "env", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        pip = [sys.executable, "-m", "pip", "--python", home / "env" / "bin" / "python"]
        pip += ["--disable-pip-version-check", "install", "--quiet", "--retries", "1"]
        lock = root / "requirements-run.lock"
        for words in (["--require-hashes", "--requirement", lock], ["--no-deps", wheel]):
            installed = shell(*pip, "--no-compile", *words, cwd=home)
            if re.search("NewConnectionError|NameResolutionError|ProxyError", installed.stderr):
                out_of_reach("no package index can be reached, so the lock cannot be installed")
            assert installed.returncode == 0, installed.stderr
        built = shell(
            home / "env" / "bin" / "fabricgen",
            *("build", root / "inventories" / "lab-64.yaml", "-o", home / "out"),
            cwd=home,
            env=clean_environment(home),
        )
        assert built.returncode == 0, built.stdout + built.stderr
        manifests.add((home / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert len(manifests) == 1
