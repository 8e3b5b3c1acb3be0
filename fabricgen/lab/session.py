"""One lab from beginning to end: boot what was emitted, try it, and be gone.

Owns the steps and what is said of each. Where it stays up between commands, `keeping` holds it.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabricgen.lab import kernel
from fabricgen.lab.booting import Machines, prepare_mounts
from fabricgen.lab.breaking import Survival, every_failure
from fabricgen.lab.clocking import clocked
from fabricgen.lab.daemons import Daemons
from fabricgen.lab.isolating import run_isolated
from fabricgen.lab.layout import lay_out
from fabricgen.lab.trials import TRIALS, Bench, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.lab.layout import Layout
    from fabricgen.planner import Plan

PATIENCE_S = 120.0
"""How long a lab may take until every kernel knows every route."""


@dataclass(frozen=True)
class Wish:
    """What is asked for: a plan, the directory with its emitted files, the slice, and which failures are tried."""

    plan: Plan
    out: Path
    rails: int | None = None
    domains: int | None = None
    failures: str = "none"
    """none, clocked (one of each kind, with the time that it costs), or all."""
    one_rail: bool = False


def as_root() -> bool:
    """Say whether the lab must be booted by root: where users may not make namespaces."""
    return os.geteuid() == 0 and not kernel.can_map_users()


def run(wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Boot a lab in a process tree of its own, try it, and end it; return 0 where every trial holds, else 1."""
    if not wish.one_rail:
        return _isolated(lay_out(wish.plan, wish.rails, wish.domains), wish, say)
    codes = [_isolated(_rail(wish, rail), wish, say) for rail in range(wish.plan.request.rails)]
    say({"say": "a rail at a time proves each rail; what crosses rails, relays and their load, is not proven by it"})
    return max(codes)


def _isolated(layout: Layout, wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Do it all in a process tree of its own, and hand on what it says."""
    reading, writing = os.pipe()

    def work() -> int:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as words:
            return _whole(layout, wish, lambda document: print(json.dumps(document), file=words, flush=True))

    def listen() -> None:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as words:
            for line in words:
                say(json.loads(line))

    return run_isolated(work, as_root=as_root(), meanwhile=listen)


def _rail(wish: Wish, rail: int) -> Layout:
    """Lay out one rail with all its HB domains."""
    return replace(lay_out(wish.plan, None, wish.domains), rails=frozenset({rail}))


def _whole(layout: Layout, wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Boot, try and report, inside the lab's own namespaces."""
    bench = boot(layout, wish.out, say)
    return attempt(bench, wish.failures, say)


def boot(layout: Layout, out: Path, say: Callable[[dict[str, Any]], None]) -> Bench:
    """Boot a lab in the namespaces that this process is in, and wait until every kernel knows every route."""
    started = time.monotonic()

    def lap(step: str) -> None:
        nonlocal started
        now = time.monotonic()
        say({"step": step, "seconds": round(now - started, 2)})
        started = now

    prepare_mounts()
    machines = Machines(layout, out)
    machines.boot()
    lap(f"{len(layout.nodes):,} namespaces, {len(layout.wires):,} wires")
    daemons = Daemons(machines)
    daemons.start([seat.name for seat in layout.switches])
    machines.open_ports()
    lap(f"FRR in {len(layout.switches):,} switches")
    bench = Bench(machines, daemons)
    _, wrong = bench.converge(patience_s=PATIENCE_S)
    lap("routes in every kernel" if not wrong else f"{len(wrong)} switches without all their routes")
    return bench


def attempt(bench: Bench, failures: str, say: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials, then the failures that were asked for; return 0 where all hold, else 1."""
    good = True
    for outcome in _outcomes(bench, failures, say):
        good &= outcome.ok
        say({"code": outcome.code, "title": outcome.title, "ok": outcome.ok, "figure": outcome.figure, "findings": outcome.findings})
    return 0 if good else 1


def _outcomes(bench: Bench, failures: str, say: Callable[[dict[str, Any]], None]) -> Iterator[Trial]:
    """Yield the outcome of each trial."""
    for trial in TRIALS:
        started = time.monotonic()
        outcome = trial(bench)
        say({"seconds": round(time.monotonic() - started, 2)})
        yield outcome
    if failures in ("clocked", "all"):
        yield from clocked(bench)
    if failures == "all":
        yield Survival(bench).run(every_failure(bench), lambda done, total: say({"done": done, "total": total}))


def digest_of(out: Path) -> str | None:
    """Return the digest of the wiring that a directory was built from; None where `build` did not write it."""
    try:
        found = json.loads((out / "plan.json").read_text(encoding="utf-8")).get("wiring_sha256")
    except (OSError, ValueError):
        return None
    return str(found)
