"""Archives that `verify` reads before anything in them is trusted."""

from __future__ import annotations

import gzip
import io
import tarfile
from typing import TYPE_CHECKING

from tests.limits.bounded import answers

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def header(kind: bytes) -> Iterator[bytes]:
    """Yield a tar with an extended header of 1 GiB."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = kind, 2**30
    yield entry.tobuf(tarfile.USTAR_FORMAT)
    for _ in range(1024):
        yield b"a" * MIB


def test_small_archives_are_not_unpacked_into_memory(tmp_path: Path) -> None:
    """A manifest of another form and a header of 1 GiB are refused within 512 MiB, libraries included."""
    archives: dict[str, Iterator[bytes]] = {
        "manifest": iter([manifest()]),
        "long-name": header(tarfile.GNUTYPE_LONGNAME),
        "pax": header(tarfile.XHDTYPE),
    }
    for name, parts in archives.items():
        with gzip.open(tmp_path / f"{name}.tar.gz", "wb", compresslevel=1) as file:
            file.writelines(parts)
    commands = [(tmp_path, ["verify", f"{name}.tar.gz"]) for name in archives]
    assert answers(commands, most=512 * MIB) == [2] * len(archives)
