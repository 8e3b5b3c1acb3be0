"""Ctrl-C, SIGTERM and SIGHUP, deferred during a step that must not be interrupted.

Owns the signal handlers for that time. Python may run a handler between any two bytecodes, also
inside a `finally` block; cleanup is complete only if no interruption can arrive before it starts or
while it runs.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process; Windows has no SIGHUP."""

SIGNALS = (signal.SIGINT, *ENDS)


def raise_on_signals() -> None:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP, as on Ctrl-C; ignored signals stay ignored."""
    for number in ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def leave_to_parent() -> None:
    """Ignore Ctrl-C in this worker process, whose parent handles it; end on the other signals."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)


class Gate:
    """Delivers signals to their handlers inside `with gate`, and queues them elsewhere."""

    def __init__(self, handlers: dict[signal.Signals, Any]) -> None:
        """Start closed, in front of these handlers."""
        self._handlers, self._open, self._over = handlers, False, False
        self._kept: list[int] = []

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Deliver or queue one signal.

        The gate closes before a handler runs, so that the cleanup that follows is not interrupted.
        """
        if not (self._open or self._over):
            self._kept.append(number)
            return
        self._open = False
        self._handlers[signal.Signals(number)](number, frame)
        self._open = not self._over  # the handler returned instead of raising

    def end(self) -> list[int]:
        """Close for good and return the queued signals."""
        self._over = True
        return self._kept

    def __enter__(self) -> None:
        """Open, and deliver the queued signals."""
        kept, self._kept = self._kept, []
        self._open = True
        for number in kept:
            signal.raise_signal(number)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self._open = False


@contextlib.contextmanager
def held() -> Iterator[Gate]:
    """Defer signals until the block ends, or until its code enters the gate that this yields.

    Only signals with a Python handler can be deferred; one with the default action still ends the
    process. Threads other than the main one receive no signals, so nothing is done there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Gate({})
        return
    found = {number: signal.getsignal(number) for number in SIGNALS}
    handlers = {number: handler for number, handler in found.items() if callable(handler)}
    gate = Gate(handlers)
    try:
        for number in handlers:
            signal.signal(number, gate.receive)
        yield gate
    finally:
        kept = gate.end()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for late in dict.fromkeys(kept):
            signal.raise_signal(late)
