"""The manifest: every file of an output with its SHA-256, and the digest of the inventory.

Owns its format, and reading it; `changes` compares it with a directory.
"""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from fabricgen import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

MANIFEST = "manifest.json"
FORMAT = "fabricgen-manifest/1"
SECRET_MODE = 0o600
"""The mode of a file that holds secrets."""

MOST_BYTES = 2**26
"""The limit of reading; the manifest of a million GPUs has 20 MB."""

DIGEST = 64
"""The characters of a digest."""

FEW = 1000
"""Brackets and commas of a manifest beside those of its files."""


class Written(NamedTuple):
    """One file below OUT."""

    path: str
    sha256: str
    size: int
    secret: bool = False
    """Whether it holds secrets: its bytes then depend on more than the inventory."""


def manifest_text(files: Iterable[Written], inventory_sha256: str, groups: list[str]) -> str:
    """Return the text of a manifest, without times and paths of the machine."""
    listed = sorted(files)
    content = {
        "format": FORMAT,
        "version": __version__,
        "inventory_sha256": inventory_sha256,
        "groups": groups,
        **({"secret": secret} if (secret := [file.path for file in listed if file.secret]) else {}),
        "files": {file.path: file.sha256 for file in listed},
    }
    return json_document(content)


def read_digests(stream: IO[bytes]) -> dict[str, str] | None:
    """Return path -> SHA-256 of the manifest in a stream; None for one of another program."""
    data = stream.read(MOST_BYTES + 1)
    try:
        content: Any = json.loads(data) if _is_list_of_digests(data) else None
    except (ValueError, RecursionError):
        return None
    files = (
        content.get("files")
        if isinstance(content, dict) and content.get("format") == FORMAT
        else None
    )
    return (
        {str(path): str(digest) for path, digest in files.items()}
        if isinstance(files, dict)
        else None
    )


def _is_list_of_digests(data: bytes) -> bool:
    """Return whether values in a manifest are as few as its digests leave room for.

    What a parser makes of `[],[],` takes thirty times the memory of its text.
    """
    brackets = data.count(b"{") + data.count(b"[")
    most = len(data) // DIGEST + FEW
    return len(data) <= MOST_BYTES and brackets <= FEW and data.count(b",") <= most


def json_document(content: object) -> str:
    """Return the JSON text of a value, as in every file of a build."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
