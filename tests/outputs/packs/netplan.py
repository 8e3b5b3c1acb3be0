"""The generator of netplan, as a judge of the files of a host."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


Sections = list[tuple[str, tuple[tuple[str, str], ...]]]


def sections(text: str) -> Sections:
    """Read a file of networkd as sections with sorted settings.

    A route without a table is in the main one.
    """
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in text.splitlines():
        if line.startswith("["):
            found.append((line, []))
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[-1][1].append((key, value))
    for name, settings in found:
        if name == "[Route]" and "Table" not in dict(settings):
            settings.append(("Table", "254"))
    return sorted((name, tuple(sorted(settings))) for name, settings in found)


def assert_networkd_agrees(made: Path, host: Path, count: int) -> None:
    """Assert that the files for networkd of the networks beside compute equal those of netplan.

    `made` has what netplan's generator made, `host` is the directory of the host's files in a
    build, and `count` the number of these files.
    """
    own = [*(host / "networkd").glob("11-*")]
    theirs = {path.name.removeprefix("10-netplan-"): path for path in made.iterdir()}
    for path in own:
        other = theirs[path.name.removeprefix("11-")]
        ours = sections(path.read_text(encoding="utf-8"))
        assert ours == sections(other.read_text(encoding="utf-8")), path.name
    assert len(own) == count


def generated(netplan: str, host: Path, root: Path) -> Path:
    """Generate the files of a host below a root, all together, and return where they are.

    `netplan` is the program, `host` the directory of the host's files in a build.
    """
    folder = root / "etc" / "netplan"
    folder.mkdir(parents=True)
    for file in (host / "netplan").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
        (folder / file.name).chmod(0o600)
    done = subprocess.run(
        [netplan, "generate", "--root-dir", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return root / "run" / "systemd" / "network"
