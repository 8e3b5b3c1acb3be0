"""One InfiniBand lab from beginning to end: ibsim and OpenSM in every subnet, the trials, and nothing left.

Owns the steps and what is said of each, in the words of `session`. All of it lives in namespaces of
its own, as every lab does, so that no simulator meets another, and everything ends with the first
process.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.build.context import BuildContext
from fabricgen.build.job import make_job
from fabricgen.build.run import build
from fabricgen.build.selection import GroupSelection
from fabricgen.core.diagnostics import Refusal
from fabricgen.lab import namespaces
from fabricgen.lab.infiniband.opensm import Subnet
from fabricgen.lab.infiniband.verify import TRIALS, Fabric, counted
from fabricgen.lab.registry import refused
from fabricgen.lab.session import isolated, tell
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.infiniband.build import Subnets

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fabricgen.lab.session import Wish

FILES, PLACE = Path("/run/fabricgen"), Path("/run/subnets")
"""Where the emitted files, and the logs and dumps, are inside a lab; both are in memory, and no other lab sees them."""

REPORTS = Path("/var/cache/ibutils")
"""Where ibdmchk insists on writing."""


def run(wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Run an InfiniBand lab in a process tree of its own, try it, and end it; return 0 where every trial holds, else 1."""
    return isolated(lambda tells: _whole(wish, tells), say)


def _whole(wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Place the files, start, try and report, inside the lab's own namespaces."""
    started = time.monotonic()
    try:
        _place_files(wish)
        say({"step": "the emitted files", "seconds": round(time.monotonic() - started, 2)})
        fabric = Fabric(
            wish.plan,
            [Subnet(name, FILES / "subnets" / name, PLACE / name) for name in _names(wish)],
            wish.failures,
        )
        try:
            return _attempt(fabric, say)
        finally:
            fabric.end()
    except Refusal as refusal:
        say(refused(refusal))
        return 1


def _attempt(fabric: Fabric, say: Callable[[dict[str, Any]], None]) -> int:
    """Start the programs and run the trials; return 0 where all hold, else 1."""
    started = time.monotonic()
    fabric.manage()
    switches, adapters = (
        sum(getattr(subnet.net, key) for subnet in fabric.subnets)
        for key in ("switches", "adapters")
    )
    say(
        {
            "step": f"ibsim and OpenSM: {counted(fabric)}, {switches:,} switches, {adapters:,} adapters",
            "seconds": round(time.monotonic() - started, 2),
        }
    )
    codes = []
    for trial in TRIALS:
        started = time.monotonic()
        outcome = trial(fabric)
        say({"seconds": round(time.monotonic() - started, 2)})
        codes.append(tell(outcome, say))
    return max(codes)


def _names(wish: Wish) -> list[str]:
    """Name the subnets that are run: all, or those of the first rails."""
    names, planes = Subnets(wish.plan).names, wish.plan.fabric.planes
    mapping = wish.plan.mapping
    if wish.rails is None or mapping.spans_rails:
        return names
    return names[: -(-wish.rails // mapping.segment_blocks) * planes]


def _place_files(wish: Wish) -> None:
    """Give the lab directories of its own, and its files. Raises Refusal where they cannot be built."""
    held = (
        None if wish.out is None else os.open(wish.out, os.O_RDONLY | os.O_DIRECTORY)
    )  # before /run is covered: it may lie there
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    namespaces.mount("proc", "/proc", "proc")
    for place in ("/run", "/var/cache"):
        namespaces.mount("tmpfs", place, "tmpfs")
    REPORTS.mkdir()
    if held is None:
        context = BuildContext(wish.plan, Packs(wish.templates), GroupSelection(("configs",)))
        build(make_job(context), FILES)
    else:
        FILES.mkdir()
        namespaces.mount(f"/proc/self/fd/{held}", FILES, flags=namespaces.MS_BIND)
        os.close(held)
