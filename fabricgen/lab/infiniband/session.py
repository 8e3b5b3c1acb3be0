"""One InfiniBand lab from start to end: ibsim and OpenSM in every subnet, and the trials.

Owns the steps and what is reported of each, in the format of `lab.session`. Everything runs in
namespaces of its own, so that simulators do not meet, and ends with the first process.
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
from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import Refusal
from fabricgen.lab import namespaces
from fabricgen.lab.infiniband.opensm import Subnet
from fabricgen.lab.infiniband.subnets import RunningSubnets
from fabricgen.lab.infiniband.verify import TRIALS
from fabricgen.lab.registry import refused
from fabricgen.lab.session import isolated, report
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.infiniband.build import Subnets

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fabricgen.lab.session import LabRequest

FILES, PLACE = Path("/run/fabricgen"), Path("/run/subnets")
"""Directories inside a lab of the emitted files, and of logs and dumps; both are in memory, and
invisible to other labs."""

REPORTS = Path("/var/cache/ibutils")
"""The fixed output directory of ibdmchk."""


def run(request: LabRequest, emit: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials in an InfiniBand lab of its own; return 0 where all hold, else 1."""
    return isolated(lambda send: _whole(request, send), emit)


def _whole(request: LabRequest, emit: Callable[[dict[str, Any]], None]) -> int:
    """Place the files, start, try and report, inside the lab's own namespaces."""
    started = time.monotonic()
    try:
        _place_files(request)
        emit({"step": "the emitted files", "seconds": round(time.monotonic() - started, 2)})
        layouts = request.plan.fabric.port_layouts.values()
        planes = max(layout.model.subnet_nodes for layout in layouts)
        fabric = RunningSubnets(
            request.plan,
            [
                Subnet(name, FILES / "subnets" / name, PLACE / name, planes)
                for name in _names(request)
            ],
            request.failures,
        )
        try:
            return _attempt(fabric, emit)
        finally:
            fabric.end()
    except Refusal as refusal:
        emit(refused(refusal))
        return 1


def _attempt(fabric: RunningSubnets, emit: Callable[[dict[str, Any]], None]) -> int:
    """Start the programs and run the trials; return 0 where all hold, else 1."""
    started = time.monotonic()
    fabric.manage()
    switches, adapters = (
        sum(getattr(subnet.net, key) for subnet in fabric.subnets)
        for key in ("switches", "adapters")
    )
    emit(
        {
            "step": (
                f"ibsim and OpenSM: {counted(len(fabric.subnets), 'subnet')},"
                f" {switches:,} switches, {adapters:,} adapters"
            ),
            "seconds": round(time.monotonic() - started, 2),
        }
    )
    codes = []
    for trial in TRIALS:
        started = time.monotonic()
        outcome = trial(fabric)
        emit({"seconds": round(time.monotonic() - started, 2)})
        codes.append(report(outcome, emit))
    return max(codes)


def _names(request: LabRequest) -> list[str]:
    """Return the names of the subnets to run: all, or those of the first rails."""
    names, planes = Subnets(request.plan).names, request.plan.fabric.planes
    mapping = request.plan.mapping
    if request.rails is None or mapping.spans_rails:
        return names
    return names[: -(-request.rails // mapping.segment_blocks) * planes]


def _place_files(request: LabRequest) -> None:
    """Mount the lab's directories and files. Raises Refusal where they cannot be built."""
    held = (
        None if request.out is None else os.open(request.out, os.O_RDONLY | os.O_DIRECTORY)
    )  # before /run is covered: it may lie there
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    namespaces.mount("proc", "/proc", "proc")
    for place in ("/run", "/var/cache"):
        namespaces.mount("tmpfs", place, "tmpfs")
    REPORTS.mkdir()
    if held is None:
        context = BuildContext(request.plan, Packs(request.templates), GroupSelection(("configs",)))
        build(make_job(context), FILES)
    else:
        FILES.mkdir()
        namespaces.mount(f"/proc/self/fd/{held}", FILES, flags=namespaces.MS_BIND)
        os.close(held)
