"""Builds that are killed at random times.

Owns the campaign `kills`: OUT is the last good build or the new one, never a mixture, and the next
build removes what was left.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

from tests.fuzz.outputs import manifest_faults
from tests.fuzz.program import Case, runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZES = ((64, 8, 64), (1024, 8, 64), (2048, 64, 64))


class Kill(NamedTuple):
    """Which build is killed, how, and after which share of its duration."""

    size: tuple[int, int, int]
    signal: signal.Signals
    share: float


kills = st.builds(
    Kill,
    st.sampled_from(SIZES),
    st.sampled_from((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)),
    st.floats(0, 1),
)


def search_kills(kill: Kill, home: Path) -> Iterator[tuple[Case, str]]:
    """Build, build again and kill that, verify OUT, and build again."""
    gpus, domain, radix = kill.size
    arguments = (
        "build",
        "--gpus",
        str(gpus),
        "--hb-domain",
        str(domain),
        "--radix",
        str(radix),
        "-o",
        "out",
        "--only",
        "cabling,configs,bom",
    )
    command, out = [sys.executable, "-m", "fabricgen", *arguments], home / "out"
    case = Case(arguments)
    started = time.monotonic()
    _run(command, home)
    whole_s = time.monotonic() - started
    with subprocess.Popen(
        command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as build:
        time.sleep(kill.share * whole_s)
        build.send_signal(kill.signal)
    yield from ((case, f"after {kill}: {fault}") for fault in _look(out))
    if kill.signal != signal.SIGKILL and _left(home):
        yield case, f"after {kill}: {_left(home)} was left"
    if _run(command, home):
        yield case, f"after {kill}: the next build fails"
    if _left(home):
        yield case, f"after {kill}: the next build leaves {_left(home)}"


def _run(command: list[str], home: Path) -> int:
    runs["build"] += 1
    return subprocess.run(
        command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    ).returncode


def _look(out: Path) -> Iterator[str]:
    """OUT exists and is complete."""
    try:
        files = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError) as error:
        yield f"OUT has no manifest: {error}"
        return
    yield from manifest_faults(out, files)


def _left(home: Path) -> list[str]:
    """List the files beside OUT."""
    return sorted(path.name for path in home.iterdir() if path.name != "out")
