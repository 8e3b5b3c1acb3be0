"""One lab from start to end: boot the emitted files, run the trials, remove everything.

Owns the steps and what is reported of each. `daemon` holds a lab that stays up between commands.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.files import FileError, parse_json, read_text
from fabricgen.inventory.load import PLAN_BYTES
from fabricgen.lab import namespaces, verify_management
from fabricgen.lab.boot import Machines
from fabricgen.lab.failover_time import measure_failover
from fabricgen.lab.failures import every_failure
from fabricgen.lab.files import place_files
from fabricgen.lab.frr import Daemons
from fabricgen.lab.management.logins import start_logins
from fabricgen.lab.measure import RunningLab, Trial
from fabricgen.lab.networks import verify as verify_networks
from fabricgen.lab.networks.access import AccessNetworks
from fabricgen.lab.networks.choose import lay_out_networks
from fabricgen.lab.networks.devices import boot_devices
from fabricgen.lab.networks.layout import ClusterLayout
from fabricgen.lab.networks.losses import SwitchLosses
from fabricgen.lab.process_tree import run_isolated
from fabricgen.lab.registry import read_message, refused
from fabricgen.lab.slice import lay_out, one_rail
from fabricgen.lab.survival import Survival
from fabricgen.lab.verify import TRIALS, WITHOUT_GPUS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.lab.topology import LabLayout
    from fabricgen.planning.plan import Plan

PATIENCE_S = 120.0
"""Seconds until every kernel must know every route."""


@dataclass(frozen=True)
class LabRequest:
    """The options of a lab.

    The plan, the directory of emitted files (None to build them), the slice, and the failures to
    try.
    """

    plan: Plan
    out: Path | None = None
    templates: tuple[Path, ...] = ()
    rails: int | None = None
    domains: int | None = None
    failures: str = "none"
    """none, clocked (one of each kind, timed), single (every single failure, with what is left), or
    all."""
    one_rail: bool = False
    network: str | None = None
    """A network to boot instead of the compute fabric, or `all`."""

    def layout(self) -> LabLayout:
        """Choose what is booted. Raises Refusal where it cannot boot."""
        if self.network:
            return lay_out_networks(self.plan, self.network, self.domains)
        return lay_out(self.plan, self.rails, self.domains)


def as_root() -> bool:
    """Return whether root must boot the lab, because users may not create namespaces."""
    return os.geteuid() == 0 and not namespaces.can_map_users()


def run(request: LabRequest, emit: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials in a lab of its own; return 0 where all hold, else 1."""
    layout = request.layout()
    if not request.one_rail:
        return _isolated(layout, request, emit)
    codes = [
        _isolated(one_rail(layout, rail), request, _of_rail(rail, emit))
        for rail in sorted(layout.rails)
    ]
    held = f"{codes.count(0)} of {len(codes)} rails hold, each booted alone with all its HB domains"
    emit(
        {
            "text": (
                f"{held}; it does not prove that rails stay apart, "
                "or how packets cross them over relays"
            )
        }
    )
    return max(codes)


def _of_rail(rail: int, emit: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Add the rail to every report."""
    return lambda document: emit({**document, "rail": rail})


def _isolated(
    layout: LabLayout, request: LabRequest, emit: Callable[[dict[str, Any]], None]
) -> int:
    """Run everything in a process tree of its own."""
    return isolated(lambda send: _whole(layout, request, send), emit)


def isolated(
    whole: Callable[[Callable[[dict[str, Any]], None]], int], emit: Callable[[dict[str, Any]], None]
) -> int:
    """Run a lab's work in its own process tree and forward its reports; return its exit code."""
    reading, writing = os.pipe()

    def work() -> int:
        with os.fdopen(writing, "w", encoding="utf-8") as words:
            return whole(lambda document: print(json.dumps(document), file=words, flush=True))

    def listen() -> None:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as words:
            for line in words:
                emit(read_message(line))

    return run_isolated(work, as_root=as_root(), meanwhile=listen, without=[reading])


def _whole(layout: LabLayout, request: LabRequest, emit: Callable[[dict[str, Any]], None]) -> int:
    """Boot, try and report, inside the lab's own namespaces."""
    try:
        return attempt(boot(layout, request.out, emit, request.templates), request.failures, emit)
    except Refusal as refusal:
        emit(refused(refusal))
        return 1


def boot(
    layout: LabLayout,
    out: Path | None,
    emit: Callable[[dict[str, Any]], None],
    templates: tuple[Path, ...] = (),
) -> RunningLab:
    """Boot a lab in this process's namespaces, and wait until every kernel knows every route.

    `out` is a directory that `build` wrote; with None, the files are built here.
    """
    machines, lap = boot_machines(layout, out, emit, templates)
    daemons = Daemons(machines)
    daemons.start([*(seat.name for seat in layout.switches), *layout.speakers])
    machines.open_ports()
    hosts = f" and {len(layout.speakers):,} GPUs" if layout.speakers else ""
    lap(f"FRR in {len(layout.switches):,} switches{hosts}")
    logins = start_logins(machines)
    if logins:
        lap(f"SSH in {len(logins.servers):,} switches")
    if isinstance(layout, ClusterLayout):
        boot_devices(machines, layout)
        if layout.access:
            AccessNetworks(machines, layout).boot()
        access = f"{len(layout.access_switches):,} access switches"
        lap(f"{len(layout.devices):,} hosts and devices, {access}")
    lab = RunningLab(machines, daemons, logins=logins)
    _, wrong = lab.converge(patience_s=PATIENCE_S)
    lap(
        "routes in every kernel" if not wrong else f"{len(wrong)} switches without all their routes"
    )
    return lab


def boot_machines(
    layout: LabLayout,
    out: Path | None,
    emit: Callable[[dict[str, Any]], None],
    templates: tuple[Path, ...] = (),
) -> tuple[Machines, Callable[[str], None]]:
    """Boot the namespaces and the wires of a lab; also return what reports the end of a step."""
    started = time.monotonic()

    def lap(step: str) -> None:
        nonlocal started
        now = time.monotonic()
        emit({"step": step, "seconds": round(now - started, 2)})
        started = now

    for text in (layout.left_out(), layout.not_booted()):
        if text:
            emit({"text": text})
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    machines = Machines(layout, place_files(layout, out, templates))
    lap("the emitted files")
    machines.boot()
    lap(f"{len(layout.nodes):,} namespaces, {len(layout.wires):,} wires")
    return machines, lap


def attempt(lab: RunningLab, failures: str, emit: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials and the chosen failures; return 0 where all hold, else 1."""
    return max([report(outcome, emit) for outcome in _outcomes(lab, failures, emit)])


def report(outcome: Trial, emit: Callable[[dict[str, Any]], None]) -> int:
    """Report the result of a trial; return 0 where it holds, else 1."""
    emit(
        {
            "code": outcome.code,
            "title": outcome.title,
            "ok": outcome.ok,
            "figure": outcome.figure,
            "findings": outcome.findings,
        }
    )
    return int(not outcome.ok)


def _outcomes(
    lab: RunningLab, failures: str, emit: Callable[[dict[str, Any]], None]
) -> Iterator[Trial]:
    """Yield the result of each trial."""
    own = verify_networks.network_lab(lab)
    without = WITHOUT_GPUS if lab.switches else ()
    trials = [partial(trial, lab) for trial in (TRIALS if lab.addresses else without)]
    trials += [partial(trial, lab) for trial in verify_management.TRIALS if lab.logins]
    trials += [partial(trial, own) for trial in verify_networks.trials(own)] if own else []
    for trial in trials:
        started = time.monotonic()
        outcome = trial()
        emit({"seconds": round(time.monotonic() - started, 2)})
        yield outcome
    if failures in ("clocked", "all"):
        yield from measure_failover(lab)
    if lab.logins and failures != "none":
        yield verify_management.without_fabric(lab)
    if failures in ("single", "all"):
        if own:
            yield SwitchLosses(own).run()
            return
        yield Survival(lab).run(
            every_failure(lab), lambda done, total: emit({"done": done, "total": total})
        )


def digest_of(out: Path) -> str | None:
    """Return the wiring's digest of a built directory; None where `build` did not write it."""
    try:
        document = parse_json(read_text(out / "plan.json", PLAN_BYTES))
    except FileError:
        return None
    return str(document.get("wiring_sha256")) if isinstance(document, dict) else None
