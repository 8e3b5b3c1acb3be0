"""Archives that `verify` reads before anything in them is trusted."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
from typing import TYPE_CHECKING

from fabricgen.build.write.archive import MOST_DIRECTORY
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


def holes() -> bytes:
    """Return a tar of a file with holes whose list has 40 million bytes."""
    listed = b"1\n" * 20_000_000
    entry = tarfile.TarInfo("lab/manifest.json")
    entry.size = len(listed)
    entry.pax_headers = dict.fromkeys(("GNU.sparse.major", "GNU.sparse.realsize"), "1") | {
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": entry.name,
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(entry, io.BytesIO(listed))
    return gzip.compress(made.getvalue(), 1)


def directory(entries: int) -> bytes:
    """Return a zip of nothing but a directory with entries of empty names."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, *[0] * 15)
    size = entries * len(entry)
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, 0)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
    most = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[2**16 - 1] * 2, *[2**32 - 1] * 2, 0)
    return entry * entries + end + place + most


def test_archives_are_not_unpacked_into_memory(tmp_path: Path) -> None:
    """Manifests of another form, long headers and lists take 300 MiB at most, with libraries."""
    archives = {
        "manifest.tar.gz": gzip.compress(manifest(), 1),
        "long-name.tar.gz": header(tarfile.GNUTYPE_LONGNAME),
        "pax.tar.gz": header(tarfile.XHDTYPE),
        "holes.tar.gz": holes(),
        "directory.zip": directory(2**20),
        "most.zip": directory(MOST_DIRECTORY // 46),
    }
    for name, packed in archives.items():
        (tmp_path / name).write_bytes(packed)
    commands = [(tmp_path, ["verify", name]) for name in archives]
    assert answers(commands, most=300 * MIB) == [2] * len(archives)
