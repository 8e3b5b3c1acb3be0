"""The hidden directory in which an output is made before it takes its place.

Owns its name, its lock and what dead processes left. The directory lies beside the output, so that
one rename moves the result. A lock on a file inside of it is held by whoever writes there, workers
included, and ends with the last of them: who can take the lock knows that nobody writes any more,
whatever number the system has since given to another process.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK, TREE, OLD = "lock", "tree", "old"
"""Inside of the directory: its lock, the output that is being made, and the one that it replaces."""

SUFFIX = ".partial"
LONGEST = 200
"""Bytes of the output's name in that of the directory, which has to stay within the 255 of most file systems."""


@contextlib.contextmanager
def partial(target: Path) -> Iterator[Path]:
    """Yield a fresh directory beside `target`, locked by this process and removed at the end; first remove those of the dead.

    Raises OSError where no directory can be made there.
    """
    clear(target)
    place, lock = _make(target)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def clear(target: Path) -> None:
    """Remove the directories that dead processes left beside `target`.

    Where one died while it replaced `target` in two steps, between them, the older output is put
    back.
    """
    for place in _left(target):
        with contextlib.suppress(OSError):
            lock = _open_lock(place)
            try:
                if not _take(lock):
                    continue
                if (place / OLD).exists() and not os.path.lexists(target):
                    (place / OLD).rename(target)
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(lock)


def _prefix(target: Path) -> str:
    """Return how the names of the directories of one output begin."""
    return f".{os.fsdecode(os.fsencode(target.name)[:LONGEST])}."


def _left(target: Path) -> list[Path]:
    """Return the directories of this output that this user made."""
    pattern = re.compile(re.escape(_prefix(target)) + r"[a-z0-9_]{8}" + re.escape(SUFFIX))
    try:
        with os.scandir(target.parent) as entries:
            return [
                Path(entry.path)
                for entry in entries
                if pattern.fullmatch(entry.name) and _is_own(entry)
            ]
    except OSError:
        return []


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a directory of this user's."""
    return (
        entry.is_dir(follow_symlinks=False)
        and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    )


def _make(target: Path) -> tuple[Path, int]:
    """Make a directory and take its lock. Another process may remove it before it is locked: then make another."""
    while True:
        place = Path(tempfile.mkdtemp(prefix=_prefix(target), suffix=SUFFIX, dir=target.parent))
        with contextlib.suppress(FileNotFoundError):
            lock = _open_lock(place)
            if _take(lock, unable=True) and place.exists():
                return place, lock
            os.close(lock)


def _open_lock(place: Path) -> int:
    """Open the file of the lock; programs that this one starts do not inherit it, forked workers do."""
    return os.open(place / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _take(lock: int, *, unable: bool = False) -> bool:
    """Return whether a lock was taken, and `unable` where the file system has no locks: there nothing is ever removed."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return unable and error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True
