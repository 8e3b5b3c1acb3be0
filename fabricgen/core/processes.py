"""Worker processes that end with the process that started them.

Owns both directions: a worker whose parent dies, however that dies, and a parent that is
interrupted while its workers work.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ORPHANED = 1
"""Exit code of a worker whose parent died; nobody is left to read it."""


def end_with_parent() -> None:
    """End this worker process as soon as its parent has ended, after kill -9 too, on any system and however it was started."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(ORPHANED)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def end_with_stdin() -> None:
    """End this program, as SIGTERM does, as soon as its standard input ends: its parent holds the other end of the pipe."""

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="standard input", daemon=True).start()


@contextlib.contextmanager
def workers_ended() -> Iterator[None]:
    """Kill the processes that the block started, if it ends in an exception: what they make is not wanted any more."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except BaseException:
        for worker in set(multiprocessing.active_children()) - before:
            worker.kill()
            worker.join()
        raise
