"""Ctrl-C and SIGTERM, held back while a step must not be left half done.

Owns the signal handlers for that time. A handler of Python may run between any two bytecodes, also
inside of a `finally`; cleaning up is complete only where an interruption cannot arrive before it
starts or while it runs.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_signals() -> None:
    """Turn SIGTERM, and the SIGHUP of a closed terminal, into KeyboardInterrupt, as Ctrl-C is; an ignored one stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def leave_to_parent() -> None:
    """Make this worker process deaf to Ctrl-C, which its parent handles, and end at once on the other signals."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Gate:
    """Passes signals on to their handlers inside of `with gate`, and keeps them until then elsewhere."""

    def __init__(self, handlers: dict[signal.Signals, Any]) -> None:
        """Start closed, in front of these handlers."""
        self._handlers, self._open, self._over = handlers, False, False
        self._kept: list[int] = []

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal. The gate closes before a handler raises, so that what cleans up behind it is not interrupted."""
        if not (self._open or self._over):
            self._kept.append(number)
            return
        self._open = False
        self._handlers[signal.Signals(number)](number, frame)
        self._open = not self._over  # a handler that returns interrupts nothing

    def end(self) -> list[int]:
        """Close for good and return what was kept."""
        self._over = True
        return self._kept

    def __enter__(self) -> None:
        """Open, and deliver what was kept."""
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
    """Hold signals back until the block ends, and deliver them then, or inside of `with` the gate that this yields.

    Only signals with a handler of Python are held: what ends a process at once cannot be. Threads
    other than the main one receive no signals, so nothing is done there.
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
