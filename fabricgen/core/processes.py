"""Worker processes that end together with the process that started them.

Owns both directions: workers whose parent ends in any way, and a parent that is interrupted while
its workers run.
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
"""Exit code of a worker whose parent has ended."""


def end_with_parent() -> None:
    """End this worker as soon as its parent has ended, kill -9 included, on any system."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(ORPHANED)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def end_with_stdin() -> None:
    """Send SIGTERM to this program when standard input ends, that is, when its parent has ended."""

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="standard input", daemon=True).start()


@contextlib.contextmanager
def workers_ended() -> Iterator[None]:
    """Kill the processes that the block started if it raises: their results are of no use."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except BaseException:
        for worker in set(multiprocessing.active_children()) - before:
            worker.kill()
            worker.join()
        raise
