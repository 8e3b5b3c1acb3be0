"""The files of an output, written piece by piece and hashed, and never outside of its root."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from fabricgen.build.write.changes import sha256_of
from fabricgen.build.write.manifest import MANIFEST, SECRET_MODE, Written, manifest_text
from fabricgen.core.diagnostics import Finding, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from fabricgen.build.write.archive import ArchivePart

SIMPLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*")
"""Paths that need no further verification to be below their root."""

Root: TypeAlias = "Path | ArchivePart"
"""What the files of a task are written to: a directory, or a part of an archive."""


def write_text(
    root: Root, path: str, pieces: Iterable[str], mode: int | None = None, *, secret: bool = False
) -> Written:
    """Write a text file below `root`, and hash it meanwhile.

    The umask applies to `mode`; None is the default mode. Only the owner reads a file with secrets.
    Raises Refusal `path-escapes` for a path that leaves `root`, and `bad-template` for text that
    cannot be encoded.
    """
    digest, size = hashlib.sha256(), 0
    with _opened(root, path, SECRET_MODE if secret else mode) as stream:
        for piece in pieces:
            block = _encoded(piece, path)
            digest.update(block)
            size += len(block)
            stream.write(block)
    return Written(path, digest.hexdigest(), size, secret)


def _opened(root: Root, path: str, mode: int | None) -> AbstractContextManager[IO[bytes]]:
    """Open a file below a root for writing."""
    if not isinstance(root, Path):
        _check_path(path)
        return root.entry(path, mode)
    stream = _created(root, path)
    if mode is not None:
        os.fchmod(stream.fileno(), mode & ~umask())
    return stream


def _created(root: Path, path: str) -> IO[bytes]:
    """Open a file for writing, and make its directory, which most files find made."""
    if not SIMPLE.fullmatch(path):
        return _below(root, path).open("wb")
    place = f"{root}/{path}"  # a Path costs as much as the file
    try:
        return open(place, "wb")  # noqa: PTH123 - as above
    except (FileNotFoundError, NotADirectoryError):
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        return open(place, "wb")  # noqa: PTH123 - as above


def adopt(root: Root, path: str) -> Written:
    """Hash a file that a library wrote at `reserve(root, path)`, and add it to an archive."""
    made = _below(root if isinstance(root, Path) else root.scratch, path)
    written = Written(path, sha256_of(made), made.stat().st_size)
    if not isinstance(root, Path):
        with root.entry(path) as entry, made.open("rb") as stream:
            shutil.copyfileobj(stream, entry)
        made.unlink()
    return written


def reserve(root: Root, path: str) -> Path:
    """Return where a library may write `path`; the directory exists."""
    return _below(root if isinstance(root, Path) else root.scratch, path)


def write_manifest(
    root: Root, files: Iterable[Written], inventory: dict[str, Any], groups: list[str]
) -> None:
    """Write the manifest: every file with its SHA-256, the inventory's digest and the version."""
    listed = list(files)
    # the digest of a file lets a reader try out secrets, so that it is as secret as the file
    secret = any(file.secret for file in listed)
    canonical = json.dumps(inventory, sort_keys=True, separators=(",", ":"))
    write_text(
        root,
        MANIFEST,
        [manifest_text(listed, hashlib.sha256(canonical.encode()).hexdigest(), groups)],
        secret=secret,
    )


def umask() -> int:
    """Return the process's umask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _encoded(piece: str, path: str) -> bytes:
    """Encode text. Raises Refusal `bad-template` for half a surrogate pair, made by a template."""
    try:
        return piece.encode()
    except UnicodeEncodeError as error:
        fact = f"`{path}` would hold {piece[error.start]!a}, which is no character"
        raise Refusal(
            [Finding("bad-template", fact, hint="correct the template that writes it")]
        ) from None


def _check_path(path: str) -> tuple[str, ...]:
    """Return the parts of a path. Raises Refusal `path-escapes` for one that leaves the root."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise Refusal(
            [
                Finding(
                    "path-escapes",
                    f"`{path}` is no path below the output directory",
                    hint="correct the `path` in the pack.yaml",
                )
            ]
        )
    return parts


def _below(root: Path, path: str) -> Path:
    """Join a path to a root and make its directory."""
    target = root.joinpath(*_check_path(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
