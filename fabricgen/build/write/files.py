"""The files of an output, written piece by piece and hashed, and never outside of its root."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from itertools import chain
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

NEW, DEFAULT_MODE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666
"""How a file is created, and with which mode without another; the umask applies."""

Root: TypeAlias = "Path | ArchivePart"
"""What the files of a task are written to: a directory, or a part of an archive."""


def write_text(
    root: Root,
    path: str,
    text: str | Iterable[str],
    mode: int | None = None,
    *,
    secret: bool = False,
    mark: bool = False,
) -> Written:
    """Write a text, or its pieces one by one, to a file below `root`, and hash it.

    With `mark` a CSV begins with a byte order mark, by which Excel knows that it is UTF-8. The
    umask applies to `mode`; None is the default mode. Only the owner reads a file with secrets.
    Raises Refusal `path-escapes` for a path that leaves `root`, and `bad-template` for text that
    cannot be encoded.
    """
    mode = SECRET_MODE if secret else mode
    if mark and path.endswith(".csv"):
        text = chain(("\ufeff",), (text,) if isinstance(text, str) else text)
    if isinstance(text, str):
        content = _encoded(text, path)
        _write_whole(root, path, content, mode)
        return Written(path, hashlib.sha256(content).hexdigest(), len(content), secret)
    digest, size = hashlib.sha256(), 0
    with _opened(root, path, mode) as stream:
        for piece in text:
            block = _encoded(piece, path)
            digest.update(block)
            size += len(block)
            stream.write(block)
    return Written(path, digest.hexdigest(), size, secret)


def _write_whole(root: Root, path: str, content: bytes, mode: int | None) -> None:
    """Write a file at once: Python's stream takes a quarter of the time of a small file."""
    if not isinstance(root, Path):
        with _opened(root, path, mode) as stream:
            stream.write(content)
        return
    created = _created(root, path, mode)
    try:
        while content:  # the system may write a part of it
            content = content[os.write(created, content) :]
    finally:
        os.close(created)


def _opened(root: Root, path: str, mode: int | None) -> AbstractContextManager[IO[bytes]]:
    """Open a new file below a root."""
    if isinstance(root, Path):
        return os.fdopen(_created(root, path, mode), "wb")
    _check_path(path)
    return root.entry(path, mode)


def _created(root: Path, path: str, mode: int | None) -> int:
    """Create a file, and its directory, which most files find made; return its descriptor."""
    # a Path costs as much as the file
    place = f"{root}/{path}" if SIMPLE.fullmatch(path) else os.fspath(_below(root, path))
    bits = DEFAULT_MODE if mode is None else mode
    try:
        return os.open(place, NEW, bits)
    except (FileNotFoundError, NotADirectoryError):
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        return os.open(place, NEW, bits)


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
        manifest_text(listed, hashlib.sha256(canonical.encode()).hexdigest(), groups),
        secret=secret,
    )


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
