"""The differences between a directory and its manifest.

Owns the walk of the directory and the comparison of each file. Times of the file system prove
nothing, because copies and moves change them: every file is hashed, which takes 2.5 s of CPU for
the 172,000 files of a million GPUs.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.write.manifest import MANIFEST, MOST_BYTES, read_digests
from fabricgen.core.files import FileError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = 2**20


class Changes(NamedTuple):
    """Paths that differ from a manifest, sorted."""

    files: int
    """The number of files in the manifest."""
    missing: list[str]
    extra: list[str]
    """A directory ends in a slash, and includes everything below it."""
    altered: list[str]

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return bool(self.missing or self.extra or self.altered)


def digests_of(out: Path) -> dict[str, str] | None:
    """Return path -> SHA-256 of a directory's manifest; None without one of this program."""
    with contextlib.suppress(FileError):
        return read_digests(io.BytesIO(read_bytes(out / MANIFEST, MOST_BYTES)))
    return None


def changes_of(out: Path, digests: dict[str, str]) -> Changes:
    """Compare every file of a directory with its manifest. Raises OSError for unreadable files."""
    folders = {parent for path in digests for parent in _parents(path)}
    missing, extra, altered = set(digests), [], []
    for path, mode in _entries(out, "", folders):
        if path not in digests:
            extra.append(f"{path}/" if stat.S_ISDIR(mode) else path)
            continue
        missing.discard(path)
        if not stat.S_ISREG(mode) or sha256_of(out / path) != digests[path]:
            altered.append(path)
    return Changes(len(digests), sorted(missing), sorted(extra), sorted(altered))


def fingerprint(out: Path) -> str:
    """Return a digest of a directory's names, inodes, sizes and times, to detect any change."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(out):
        folders.sort()
        for name in sorted(files):
            found = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - a Path takes longer
            state = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            digest.update(f"{name}\0{state}\n".encode(errors="surrogateescape"))
        digest.update("\0".join(["", folder, *folders, ""]).encode(errors="surrogateescape"))
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _parents(path: str) -> Iterator[str]:
    """Yield each directory above a path."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _entries(out: Path, below: str, folders: set[str]) -> Iterator[tuple[str, int]]:
    """Yield path and mode of all entries but the manifest and the directories of its files."""
    with os.scandir(out / below) as entries:
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and path in folders:
                yield from _entries(out, path, folders)
            elif path != MANIFEST:
                yield path, mode
