"""A lab's own process tree: it ends with its first process and is invisible from outside.

Owns forking and ending. The tree: the caller - a guard, which left the namespaces of the machine -
the first process of the new ones, which only waits - the worker. When any of them ends, the kernel
ends the rest, and with it every namespace, wire and daemon.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from fabricgen.lab import namespaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Work = Callable[[], int]

FAULT = 3
POLL_S = 0.01


def run_isolated(
    work: Work, *, as_root: bool, meanwhile: Callable[[], None], without: Iterable[int] = ()
) -> int:
    """Run `work` in new namespaces and return its exit code; call `meanwhile` here.

    An interruption ends the tree and is raised again.
    """
    guard = start(work, as_root=as_root, without=without)
    try:
        meanwhile()
        return _wait(guard)
    except BaseException:
        end(guard)
        raise


def start(
    work: Work, *, as_root: bool, log: Path | None = None, without: Iterable[int] = ()
) -> int:
    """Start `work` in new namespaces and return the process number of its guard.

    With a `log` it outlives this process, and its output goes there. The tree closes the
    descriptors in `without`.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    asked_by, left, mapped = os.getpid(), os.pipe(), os.pipe()
    guard = os.fork()
    if guard == 0:
        for descriptor in (*without, left[0], mapped[1]):
            os.close(descriptor)
        _end(lambda: _guard(work, asked_by, (left[1], mapped[0]), as_root=as_root, log=log))
    os.close(left[1])
    os.close(mapped[0])
    if os.read(left[0], 1):  # nothing comes where the guard could not leave
        os.write(
            mapped[1],
            b"y" if os.geteuid() == 0 and not as_root and namespaces.map_all_users(guard) else b"n",
        )
    os.close(left[0])
    os.close(mapped[1])
    return guard


def end(guard: int) -> None:
    """End a tree by its guard, and wait until its last process has ended."""
    tree = {number: started_at(number) for number in (guard, *children(guard))}
    with contextlib.suppress(ProcessLookupError):
        os.kill(guard, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(guard, 0)
    while any(began and started_at(number) == began for number, began in tree.items()):
        time.sleep(POLL_S)


def children(number: int) -> list[int]:
    """Return the children of a process; none where it has ended."""
    try:
        return [
            int(word)
            for word in Path(f"/proc/{number}/task/{number}/children")
            .read_text(encoding="ascii")
            .split()
        ]
    except OSError:
        return []


def started_at(number: int) -> str:
    """Return the start time of a process in ticks, empty where there is none.

    A process number alone may have been reused.
    """
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _wait(child: int) -> int:
    """Wait for a child and return its exit code."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _guard(
    work: Work, asked_by: int, pipes: tuple[int, int], *, as_root: bool, log: Path | None
) -> int:
    """Leave the machine's namespaces, and start the first process of the new ones."""
    if log:
        os.setsid()
        _speak_into(log)
    user, group = os.getuid(), os.getgid()
    namespaces.leave(as_root=as_root)
    os.write(pipes[0], b"!")
    if os.read(pipes[1], 1) != b"y" and not as_root:
        namespaces.map_alone(user, group)
    namespaces.own_mounts()
    if not log:
        namespaces.die_with_parent()  # after `leave`: new credentials reset the setting
        if os.getppid() != asked_by:
            return FAULT
    go_read, go_write = os.pipe()
    ready_read, ready_write = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(go_write)
        os.close(ready_read)
        _end(lambda: _first(work, go_read, ready_write))
    os.close(ready_write)
    os.read(ready_read, 1)
    os.write(go_write, b"!")
    if log:
        os.chdir("/")
    return _wait(first)


def _first(work: Work, go_read: int, ready_write: int) -> int:
    """Start the worker, and collect orphans until it ends."""
    namespaces.die_with_parent()
    os.write(ready_write, b"!")
    if not os.read(go_read, 1):  # the guard ended before this process could follow its end
        return FAULT
    worker = os.fork()
    if worker == 0:
        _end(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        child, status = os.wait()
        if child == worker:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _speak_into(log: Path) -> None:
    """Redirect this process and its children: no input, output to a file."""
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stands_for in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(number, stands_for)


def _end(work: Work) -> NoReturn:
    """Do the work of a forked process and end it without the parent's cleanup."""
    code = FAULT
    try:
        code = work()
    except (KeyboardInterrupt, BrokenPipeError):  # interrupted, or the listener has gone
        code = 128 + signal.SIGINT
    except BaseException:  # noqa: BLE001 - a forked process must end here, whatever happens
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
