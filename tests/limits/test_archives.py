"""Archives that `verify` reads before anything in them is trusted."""

from __future__ import annotations

import gzip
import io
import tarfile
from typing import TYPE_CHECKING

from tests.limits.bounded import answers

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20


def manifest() -> bytes:
    """Return a tar with a manifest of 60 MiB of empty lists."""
    text = b'{"format": "fabricgen-manifest/1", "files": [' + b"[]," * (20 * MIB) + b"[]]}"
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        entry = tarfile.TarInfo("lab/manifest.json")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return made.getvalue()


def header(kind: bytes) -> bytes:
    """Return a packed tar with an extended header of 1 GiB."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = kind, 2**30
    return gzip.compress(entry.tobuf(tarfile.USTAR_FORMAT)) + gzip.compress(b"a" * MIB) * 1024


def test_small_archives_are_not_unpacked_into_memory(tmp_path: Path) -> None:
    """A manifest of another form and a header of 1 GiB take 512 MiB at most, with libraries."""
    archives = {
        "manifest": gzip.compress(manifest(), 1),
        "long-name": header(tarfile.GNUTYPE_LONGNAME),
        "pax": header(tarfile.XHDTYPE),
    }
    for name, packed in archives.items():
        (tmp_path / f"{name}.tar.gz").write_bytes(packed)
    commands = [(tmp_path, ["verify", f"{name}.tar.gz"]) for name in archives]
    assert answers(commands, most=512 * MIB) == [2] * len(archives)
