"""A second desk, in a process of its own, which makes the long tables.

Owns that process. Python does one thing at a time, and a table of a hundred thousand cables takes it a second: at one desk, what is turned next
would wait for the tables of what was turned before.
"""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.report import Part
    from fabricgen.serving.desk import Desk

_desk: Desk | None = None
"""The desk of the process that this module was loaded into as a worker."""


class Beside:
    """Makes parts at a desk in another process; `make` opens that desk there, and so must be a function that travels."""

    def __init__(self, make: Callable[[], Desk]) -> None:
        """Start nothing yet."""
        # a fresh process and no fork: locks that other threads hold at that moment would stay locked in it for ever
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_open, initargs=(make,))

    def start(self) -> None:
        """Start the process, so that it is ready when it is first asked."""
        self._pool.submit(int)

    def part(self, asked: Mapping[str, str], name: Part) -> bytes:
        """Return a part of the fabric of these controls, as `Sized.part` does. Raises Refusal."""
        return self._pool.submit(_part, dict(asked), name).result()

    def close(self) -> None:
        """End the process, after what it is doing."""
        self._pool.shutdown(cancel_futures=True)


def _open(make: Callable[[], Desk]) -> None:
    """Open the desk of a worker; Ctrl-C in the terminal is for the process that started it, which ends this one."""
    global _desk  # noqa: PLW0603 - a worker of a pool has no other place for what all of its tasks share
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _desk = make()


def _part(asked: dict[str, str], name: Part) -> bytes:
    """Make a part at the worker's desk."""
    if _desk is None:
        raise RuntimeError("this process has no desk")
    return _desk.sized(asked).part(name)
