"""Commands in processes of their own, each within 5 seconds of CPU and 1 GiB of memory.

`python -m tests.limits.bounded` reads commands as JSON from standard input, runs each in a fork
of itself, and prints the list of their exit codes: minus the signal where a limit ended one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

LAB = str(ROOT / "inventories" / "lab-64.yaml")
FABRIC: dict[str, Any] = {
    "name": "lab",
    "gpus": 64,
    "design": "rail-only",
    "host": {"model": "dgx-h100"},
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "cabling": {"panels": [{"connector": "mpo12", "panel": "panel-1u"}], "trunks": {"fibres": 144}},
    "devices": [{"name": "pdu-{n}", "count": 4, "model": "ap8886", "ports": {"oob": 1}}],
    "networks": {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
}
"""A fabric with a network, devices, panels and trunks."""

SECONDS, BYTES = 5, 2**30


TOO_LARGE = 99
"""The exit code of a command that had more resident memory than it may."""


def answers(commands: Sequence[tuple[Path, Sequence[str]]], most: int = BYTES) -> list[int]:
    """Return the exit codes of commands, each in its folder and within the limits.

    `most` limits the resident memory, with that of the libraries.
    Standard error of a command is appended to `errors.txt` in the folder.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.limits.bounded"],
        input=json.dumps([most, [(str(folder), words) for folder, words in commands]]),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    codes: list[int] = json.loads(done.stdout)
    return codes


def main() -> None:
    """Run the commands of standard input."""
    from fabricgen.cli import run  # noqa: PLC0415 - imported once, before the forks

    most, commands = json.load(sys.stdin)
    builds = any(words[0] == "build" for _, words in commands)
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as scratch:
        # imports the modules and builds the models once
        path = Path(scratch, "f.yaml")
        path.write_text(json.dumps(FABRIC), encoding="utf-8")
        run(["plan", str(path)])
        if builds:
            run(["build", LAB, "-o", f"{scratch}/out", "--only", "configs,cabling"])
    codes = []
    for folder, words in commands:
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            os.chdir(folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open("errors.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
            os._exit(run(words))
        _, status, used = os.wait4(child, 0)
        resident = used.ru_maxrss * 1024
        codes.append(TOO_LARGE if resident > most else os.waitstatus_to_exitcode(status))
    sys.stdout.write(json.dumps(codes))


if __name__ == "__main__":
    main()
