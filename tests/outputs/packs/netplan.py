"""The generator of netplan, as a judge of the files of a host."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
