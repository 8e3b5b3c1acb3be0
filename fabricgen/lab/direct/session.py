"""A lab of direct rails from start to end: boot the files of hosts, try every path, end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal
from fabricgen.lab.direct.failures import LinkFailures, every_link, one_of_each
from fabricgen.lab.direct.layout import lay_out
from fabricgen.lab.direct.measure import DirectLab
from fabricgen.lab.direct.verify import TRIALS
from fabricgen.lab.frr import Daemons
from fabricgen.lab.registry import refused
from fabricgen.lab.session import PATIENCE_S, boot_machines, isolated, report

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.direct.layout import DirectLayout
    from fabricgen.lab.session import LabRequest

    Emit = Callable[[dict[str, Any]], None]


def run(request: LabRequest, emit: Emit) -> int:
    """Run the trials in a lab of direct rails of its own; return 0 where all hold, else 1."""
    layout = lay_out(request.plan, request.rails)
    return isolated(lambda send: _whole(layout, request, send), emit)


def _whole(layout: DirectLayout, request: LabRequest, emit: Emit) -> int:
    """Boot, try and report, inside the lab's own namespaces."""
    try:
        lab = _boot(layout, request, emit)
        codes = [report(trial(lab), emit) for trial in TRIALS]
        if request.failures != "none":
            wires = one_of_each(lab) if request.failures == "clocked" else every_link(lab)
            codes.append(report(LinkFailures(lab).run(wires, _progress(emit)), emit))
        return max(codes)
    except Refusal as refusal:
        emit(refused(refusal))
        return 1


def _progress(emit: Emit) -> Callable[[int, int], None]:
    """Return a function that reports how many failures were tried."""
    return lambda done, total: emit({"done": done, "total": total})


def _boot(layout: DirectLayout, request: LabRequest, emit: Emit) -> DirectLab:
    """Boot every GPU, and wait until every kernel knows every route."""
    machines, lap = boot_machines(layout, request.out, emit, request.templates)
    daemons = Daemons(machines)
    daemons.start(layout.speakers)
    lap(f"FRR in {len(layout.speakers):,} GPUs")
    lab = DirectLab(machines, daemons)
    _, wrong = lab.converge(patience_s=PATIENCE_S)
    lap("routes in every kernel" if not wrong else f"{len(wrong)} GPUs without all their routes")
    return lab
