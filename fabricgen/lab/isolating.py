"""A process tree of one lab's own: nothing of it outlives its first process, and nothing outside sees it.

Owns forks and ends. The tree: whoever asked - a guard, which left the namespaces of the machine - the first process of the new ones, which
only waits - the worker. When any of them ends, for whatever reason, the kernel ends the rest, and with it every namespace, wire and daemon.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

from fabricgen.diagnostics import Refusal, text_of
from fabricgen.lab import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

FAULT = 3


def run_isolated(work: Callable[[], int], *, as_root: bool, detached: bool = False, meanwhile: Callable[[], None] | None = None) -> int:
    """Run `work` in namespaces of its own and return its exit code; `meanwhile` is done here.

    A detached tree lives on, and its guard's process number is returned.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    guard = os.fork()
    if guard == 0:
        _end(lambda: _guard(work, as_root=as_root, detached=detached))
    if detached:
        return guard
    with contextlib.suppress(KeyboardInterrupt):
        if meanwhile:
            meanwhile()
    return _wait(guard)


def _wait(child: int) -> int:
    """Wait for a child through interruptions, which reach it as well, and return its exit code."""
    while True:
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def _guard(work: Callable[[], int], *, as_root: bool, detached: bool) -> int:
    """Leave the machine's namespaces, and start the first process of the new ones."""
    if detached:
        os.setsid()
    kernel.isolate(as_root=as_root)
    if not detached:
        kernel.die_with_parent()
    first = os.fork()
    if first == 0:
        kernel.die_with_parent()
        _end(lambda: _first(work))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(1))
    return _wait(first)


def _first(work: Callable[[], int]) -> int:
    """Start the worker, and collect orphans until it ends."""
    worker = os.fork()
    if worker == 0:
        _end(work)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        child, status = os.wait()
        if child == worker:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end(work: Callable[[], int]) -> NoReturn:
    """Do the work of a forked process and end it; nothing of the parent's cleaning up may run here."""
    code = FAULT
    try:
        code = work()
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except Refusal as refusal:
        sys.stderr.write("\n\n".join(text_of(finding) for finding in refusal.findings) + "\n")
        code = 1
    except BaseException:  # noqa: BLE001 - a forked process must end here, whatever happens
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
