"""One lab from beginning to end: boot what was emitted, try it, and be gone.

Owns the steps and what is said of each. Where it stays up between commands, `keeping` holds it.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.files import FileError, parse_json, read_text
from fabricgen.inventory.load import PLAN_BYTES
from fabricgen.lab import namespaces
from fabricgen.lab.boot import Machines
from fabricgen.lab.failover_time import measure_failover
from fabricgen.lab.failures import Survival, every_failure
from fabricgen.lab.files import place_files
from fabricgen.lab.frr import Daemons
from fabricgen.lab.measure import Bench, Trial
from fabricgen.lab.process_tree import run_isolated
from fabricgen.lab.registry import heard, refused
from fabricgen.lab.topology import lay_out, one_rail
from fabricgen.lab.verify import TRIALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.lab.topology import Layout
    from fabricgen.planning.plan import Plan

PATIENCE_S = 120.0
"""How long a lab may take until every kernel knows every route."""


@dataclass(frozen=True)
class Wish:
    """What is asked for: a plan, the directory with its emitted files or None where they are made anew, the slice, and which failures are tried."""

    plan: Plan
    out: Path | None = None
    templates: tuple[Path, ...] = ()
    rails: int | None = None
    domains: int | None = None
    failures: str = "none"
    """none, clocked (one of each kind, with the time that it costs), single (every single thing, with what is left), or all."""
    one_rail: bool = False


def as_root() -> bool:
    """Say whether the lab must be booted by root: where users may not make namespaces."""
    return os.geteuid() == 0 and not namespaces.can_map_users()


def run(wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Boot a lab in a process tree of its own, try it, and end it; return 0 where every trial holds, else 1."""
    layout = lay_out(wish.plan, wish.rails, wish.domains)
    if not wish.one_rail:
        return _isolated(layout, wish, say)
    codes = [
        _isolated(one_rail(layout, rail), wish, _of_rail(rail, say))
        for rail in sorted(layout.rails)
    ]
    said = f"{codes.count(0)} of {len(codes)} rails hold, each booted alone with all its HB domains"
    say(
        {
            "say": f"{said}; that rails stay apart, and how packets cross them over relays, is not proven by it"
        }
    )
    return max(codes)


def _of_rail(rail: int, say: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Say of everything which rail it is about."""
    return lambda document: say({**document, "rail": rail})


def _isolated(layout: Layout, wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Do it all in a process tree of its own."""
    return isolated(lambda tells: _whole(layout, wish, tells), say)


def isolated(
    whole: Callable[[Callable[[dict[str, Any]], None]], int], say: Callable[[dict[str, Any]], None]
) -> int:
    """Do a lab's work in a process tree of its own, and hand on what it says; return its exit code."""
    reading, writing = os.pipe()

    def work() -> int:
        with os.fdopen(writing, "w", encoding="utf-8") as words:
            return whole(lambda document: print(json.dumps(document), file=words, flush=True))

    def listen() -> None:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as words:
            for line in words:
                say(heard(line))

    return run_isolated(work, as_root=as_root(), meanwhile=listen, without=[reading])


def _whole(layout: Layout, wish: Wish, say: Callable[[dict[str, Any]], None]) -> int:
    """Boot, try and report, inside the lab's own namespaces."""
    try:
        return attempt(boot(layout, wish.out, say, wish.templates), wish.failures, say)
    except Refusal as refusal:
        say(refused(refusal))
        return 1


def boot(
    layout: Layout,
    out: Path | None,
    say: Callable[[dict[str, Any]], None],
    templates: tuple[Path, ...] = (),
) -> Bench:
    """Boot a lab in the namespaces that this process is in, and wait until every kernel knows every route.

    `out` is what `build` wrote; where it is None, the files are made here.
    """
    started = time.monotonic()

    def lap(step: str) -> None:
        nonlocal started
        now = time.monotonic()
        say({"step": step, "seconds": round(now - started, 2)})
        started = now

    if left := layout.left_out():
        say({"say": left})
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    machines = Machines(layout, place_files(layout, out, templates))
    lap("the emitted files")
    machines.boot()
    lap(f"{len(layout.nodes):,} namespaces, {len(layout.wires):,} wires")
    daemons = Daemons(machines)
    daemons.start([seat.name for seat in layout.switches])
    machines.open_ports()
    lap(f"FRR in {len(layout.switches):,} switches")
    bench = Bench(machines, daemons)
    _, wrong = bench.converge(patience_s=PATIENCE_S)
    lap(
        "routes in every kernel" if not wrong else f"{len(wrong)} switches without all their routes"
    )
    return bench


def attempt(bench: Bench, failures: str, say: Callable[[dict[str, Any]], None]) -> int:
    """Run the trials, then the failures that were asked for; return 0 where all hold, else 1."""
    return max([tell(outcome, say) for outcome in _outcomes(bench, failures, say)])


def tell(outcome: Trial, say: Callable[[dict[str, Any]], None]) -> int:
    """Tell the outcome of a trial, and return 0 where it holds, else 1."""
    say(
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
    bench: Bench, failures: str, say: Callable[[dict[str, Any]], None]
) -> Iterator[Trial]:
    """Yield the outcome of each trial."""
    for trial in TRIALS:
        started = time.monotonic()
        outcome = trial(bench)
        say({"seconds": round(time.monotonic() - started, 2)})
        yield outcome
    if failures in ("clocked", "all"):
        yield from measure_failover(bench)
    if failures in ("single", "all"):
        yield Survival(bench).run(
            every_failure(bench), lambda done, total: say({"done": done, "total": total})
        )


def digest_of(out: Path) -> str | None:
    """Return the digest of the wiring that a directory was built from; None where `build` did not write it."""
    try:
        document = parse_json(read_text(out / "plan.json", PLAN_BYTES))
    except FileError:
        return None
    return str(document.get("wiring_sha256")) if isinstance(document, dict) else None
