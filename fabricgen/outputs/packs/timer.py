"""The timer of a rendering: it stops a template that exceeds the time or memory limit.

A timer of CPU seconds ticks while a template runs, also between two pieces of output, and each tick
checks the time and the memory. Python runs a signal handler in the main thread only; for any other
thread, a second thread does the checks.
"""

from __future__ import annotations

import ctypes
import resource
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from fabricgen.outputs.packs.limits import LimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.outputs.packs.limits import Limits

TICK_S = 0.05
"""CPU seconds from tick to tick; between two ticks, a template of small steps takes some 100 MB."""

_KIB = 1 if sys.platform == "darwin" else 1024
"""Bytes of a memory page."""


class _OverrunError(LimitError):
    """The exception raised in another thread: a class without text."""

    def __init__(self) -> None:
        """Create it without a text."""
        super().__init__("takes more time or memory than it may")


class _Meter:
    """The consumption of one rendering."""

    def __init__(self, limits: Limits, clock: int) -> None:
        """Start to count on a clock of CPU seconds."""
        self._limits, self._clock = limits, clock
        self._start, self._memory = time.clock_gettime(clock), 0
        self.overrun = ""
        """The exceeded limit, as the predicate of a sentence; empty if there is none."""

    def look(self) -> bool:
        """Return whether a limit is exceeded."""
        self._memory = (
            self._memory or _resident_bytes()
        )  # at the first tick: most templates end before
        if time.clock_gettime(self._clock) - self._start > self._limits.seconds:
            self.overrun = f"takes more than {self._limits.seconds:g} CPU seconds"
        elif _resident_bytes() - self._memory > self._limits.memory_bytes:
            self.overrun = f"takes more than {self._limits.memory_bytes >> 20} MiB of memory"
        return bool(self.overrun)


_running: list[_Meter] = []
"""The rendering of the main thread, or None."""


def timed(limits: Limits, render: Callable[[], str]) -> str:
    """Return the output of a template. Raises LimitError as soon as it exceeds the limits."""
    if threading.current_thread() is threading.main_thread():
        return _by_signal(limits, render)
    return _by_thread(limits, render)


def _by_signal(limits: Limits, render: Callable[[], str]) -> str:
    """Check at each tick of a system timer."""
    if (
        signal.getsignal(signal.SIGPROF) is not _tick
    ):  # it stays: without it a last tick would end the program
        signal.signal(signal.SIGPROF, _tick)
    meter = _Meter(limits, time.CLOCK_PROCESS_CPUTIME_ID)
    _running.append(meter)
    signal.setitimer(signal.ITIMER_PROF, TICK_S, TICK_S)
    try:
        return render()
    except Exception:
        if meter.overrun:  # Python or Jinja may make another error of a tick's
            raise LimitError(meter.overrun) from None
        raise
    finally:
        _running.clear()  # a built-in method: no tick comes before it has ended
        signal.setitimer(signal.ITIMER_PROF, 0)


def _tick(*_: object) -> None:
    """Check the meter; as it ticks again, an exception that Python swallows is repeated."""
    if _running and _running[-1].look():
        raise LimitError(_running[-1].overrun)


def _by_thread(limits: Limits, render: Callable[[], str]) -> str:
    """Check from a second thread at intervals."""
    own, ended = threading.get_ident(), threading.Event()
    meter = _Meter(limits, time.pthread_getcpuclockid(own))

    def watch() -> None:
        while not ended.wait(TICK_S):
            if meter.look():
                _raise_in(own, _OverrunError)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return render()
    except Exception:
        if meter.overrun:
            raise LimitError(meter.overrun) from None
        raise
    finally:
        _settle(own, watcher, ended, meter)


def _settle(own: int, watcher: threading.Thread, ended: threading.Event, meter: _Meter) -> None:
    """End the watcher, and catch the exceptions that it raised in this thread.

    To withdraw one that is pending would leave CPython's mark of it (3.11), which slows the process
    down and stops it at the first call once a profiler is set. So one more is raised and awaited.
    """
    awaited = False
    while True:
        try:
            ended.set()
            watcher.join()
            if not meter.overrun:
                return
            awaited = True
            _raise_in(own, _OverrunError)
            while True:
                pass
        except _OverrunError:
            if awaited:
                return


def _raise_in(thread: int, error: type[Exception]) -> None:
    """Raise an exception in a thread at its next step."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _resident_bytes() -> int:
    """Return the memory of this process; its maximum where the system has no current figure."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - the handler of a signal does little
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
