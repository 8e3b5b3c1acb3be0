"""Files below the root of an output: written piece by piece, hashed, and never outside of it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from fabricgen.diagnostics import Finding, Refusal
from fabricgen.writing.manifest import MANIFEST, Written, manifest_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def write_text(root: Path, path: str, pieces: Iterable[str], mode: int | None = None) -> Written:
    """Write a text file below `root`, piece by piece, hashing as it goes. Raises Refusal `path-escapes` for a path that leaves it.

    `mode` is cut by the umask, as the mode of any file is; None is that of any file.
    """
    target = _below(root, path)
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as stream:
        for piece in pieces:
            block = _encoded(piece, path)
            digest.update(block)
            size += len(block)
            stream.write(block)
    if mode is not None:
        target.chmod(mode & ~umask())
    return Written(path, digest.hexdigest(), size)


def adopt(root: Path, path: str) -> Written:
    """Note a file that a library wrote at `reserve(root, path)`."""
    block = (root / path).read_bytes()
    return Written(path, hashlib.sha256(block).hexdigest(), len(block))


def reserve(root: Path, path: str) -> Path:
    """Return where a library may write `path`, its directory made."""
    return _below(root, path)


def write_manifest(root: Path, files: Iterable[Written], inventory: dict[str, Any], groups: list[str]) -> None:
    """Write the manifest: every file with its SHA-256, the inventory's digest and the version."""
    canonical = json.dumps(inventory, sort_keys=True, separators=(",", ":"))
    write_text(root, MANIFEST, [manifest_text(files, hashlib.sha256(canonical.encode()).hexdigest(), groups)])


def umask() -> int:
    """Return the process's umask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _encoded(piece: str, path: str) -> bytes:
    """Encode text. Raises Refusal `bad-template` for half a surrogate pair, which only a template can make."""
    try:
        return piece.encode()
    except UnicodeEncodeError as error:
        fact = f"`{path}` would hold {piece[error.start]!a}, which is no character"
        raise Refusal([Finding("bad-template", fact, hint="correct the template that writes it")]) from None


def _below(root: Path, path: str) -> Path:
    """Join, refusing whatever would leave `root`."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise Refusal([Finding("path-escapes", f"`{path}` is no path below the output directory", hint="correct the `path` in the pack.yaml")])
    target = root.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
