"""The hidden directory in which an output is made before it replaces the old one.

Owns its name, its lock and its removal after a killed process. The directory is beside the output,
so that one rename moves the result. All processes that write there hold a lock on a file in it,
workers included, and the lock ends with the last of them. A process that gets the lock therefore
knows that no other writes there; process numbers, which are used again, would not prove that.
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
"""Entries of the directory: the lock, the new output, and the one that it replaces."""

SUFFIX = ".partial"
LONGEST = 200
"""Bytes of the output's name in the directory's, which has at most 255 on most file systems."""


@contextlib.contextmanager
def partial(target: Path) -> Iterator[Path]:
    """Yield a new directory beside `target`, locked by this process and removed at the end.

    Directories of killed processes are removed first. Raises OSError where none can be made.
    """
    clear(target)
    place, lock = _make(target)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def clear(target: Path) -> None:
    """Remove the directories that killed processes left beside `target`.

    Where a process was killed between the two steps of replacing `target`, the old output is moved
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
    """Return the beginning of the names of an output's directories."""
    return f".{os.fsdecode(os.fsencode(target.name)[:LONGEST])}."


def _left(target: Path) -> list[Path]:
    """Return the directories of an output that this user made."""
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
    """Return whether an entry is a directory of this user."""
    return (
        entry.is_dir(follow_symlinks=False)
        and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    )


def _make(target: Path) -> tuple[Path, int]:
    """Make a directory and take its lock; if another process removes it before, make another."""
    while True:
        place = Path(tempfile.mkdtemp(prefix=_prefix(target), suffix=SUFFIX, dir=target.parent))
        with contextlib.suppress(FileNotFoundError):
            lock = _open_lock(place)
            if _take(lock, unable=True) and place.exists():
                return place, lock
            os.close(lock)


def _open_lock(place: Path) -> int:
    """Open the file of the lock, which forked workers inherit, and started programs do not."""
    return os.open(place / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _take(lock: int, *, unable: bool = False) -> bool:
    """Return whether a lock was taken; `unable` where the file system has no locks.

    There no directory is ever removed.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return unable and error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True
