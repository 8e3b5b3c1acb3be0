"""A whole output as one file: `.tar.zst`, `.tar.gz`, `.tar` or `.zip`.

Owns the formats, and reading them. Each task writes its files as a part of a tar, compressed by the
process that renders it; the parent concatenates the parts in the order of the tasks, because both
compressions allow concatenated frames. The bytes are therefore the same on any number of cores, no
archive is in memory as a whole, and no small files are made. Owner, modes and times are fixed. The
parts of a zip cannot be concatenated: the parent compresses its files.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
import tarfile
import tempfile
import zipfile
from typing import IO, TYPE_CHECKING, Any, cast

from fabricgen.build.write.manifest import SECRET_MODE
from fabricgen.build.write.partial import TREE, partial
from fabricgen.build.write.single_file import check_file
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.files import OpenError, open_file
from fabricgen.core.interrupts import held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

KINDS = (".tar.zst", ".tar.gz", ".tar", ".zip")
ZSTD_LEVEL, GZIP_LEVEL = 3, 6
BLOCK, END = 512, bytes(1024)
"""The block size of a tar, and its end."""

COPIED = 2**20
SPOOLED = 2**24
"""Bytes of one file that are kept in memory until its size is known, which precedes it in a tar."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can hold; the time of the build is in no archive."""

PLAN = '{\n "format": "fabricgen-plan/'
"""The beginning of the first file in an archive of fabricgen."""


class ArchivePart:
    """The files that one task writes, as a part of a tar."""

    def __init__(self, stream: IO[bytes], top: str, scratch: Path) -> None:
        """Write to `stream`, all paths below `top`.

        Libraries that write files themselves write them to `scratch`.
        """
        self._stream, self._top, self.scratch = stream, top, scratch

    @contextlib.contextmanager
    def entry(self, path: str, mode: int | None = None) -> Iterator[IO[bytes]]:
        """Yield the stream of a file, which is added when the block ends."""
        with tempfile.SpooledTemporaryFile(SPOOLED, dir=str(self.scratch)) as content:
            yield cast("IO[bytes]", content)
            info = tarfile.TarInfo(f"{self._top}/{path}")
            info.size, info.mode = content.tell(), mode or 0o644
            content.seek(0)
            self._stream.write(info.tobuf(tarfile.PAX_FORMAT))
            shutil.copyfileobj(content, self._stream, COPIED)
            self._stream.write(bytes(-info.size % BLOCK))


class Archive:
    """An archive that is being written."""

    def __init__(self, place: Path, kind: str, top: str) -> None:
        """Write to a file in `place`, a directory of its own."""
        self._place, self._kind, self._top = place, kind, top
        self._scratch = place / "scratch"
        self._scratch.mkdir()
        self._out = (place / TREE).open("wb")
        self._zip = (
            zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED) if kind == ".zip" else None
        )

    @contextlib.contextmanager
    def part(self, number: int) -> Iterator[ArchivePart]:
        """Yield the part that the files of one task are written to, in any process."""
        with self._part(number).open("wb") as raw, _compressed(raw, self._kind) as stream:
            yield ArchivePart(stream, self._top, self._scratch)

    def restrict(self) -> None:
        """Make the archive readable for its owner alone, because a file in it holds secrets."""
        (self._place / TREE).chmod(SECRET_MODE)

    def take(self, number: int) -> None:
        """Append the files of a task, and flush, so that no worker inherits a filled buffer.

        A task may have written none: an empty part is no tar.
        """
        with self._part(number).open("rb") as raw:
            if not self._zip:
                shutil.copyfileobj(raw, self._out, COPIED)
            elif os.fstat(raw.fileno()).st_size:
                _copy_into(self._zip, raw)
        self._part(number).unlink()
        self._out.flush()

    def end(self) -> None:
        """Write the end of the format."""
        if self._zip:
            self._zip.close()
        else:
            with _compressed(self._out, self._kind) as stream:
                stream.write(END)
        self._out.close()

    def drop(self) -> None:
        """Close an archive that is abandoned."""
        with contextlib.suppress(OSError):
            self._out.close()

    def _part(self, number: int) -> Path:
        """Return the file of a task's part until it is appended."""
        return self._place / f"{number}.part"


@contextlib.contextmanager
def archiving(
    path: Path, top: str, *, inputs: Iterable[Path] = (), force: bool = False
) -> Iterator[Archive]:
    """Yield an archive that replaces `path` when the block ends without an exception.

    Its files are below the directory `top`. Raises Refusal `output-is-input`, `cannot-write`, and
    `file-exists` where `path` is anything but such an archive, unless `force`.
    """
    check_archive(path, inputs=inputs, force=force)
    try:
        with held() as gate, partial(path) as place:
            archive = Archive(place, kind_of(path.name), top)
            try:
                with gate:
                    yield archive
                    archive.end()
            finally:
                archive.drop()
            (place / TREE).replace(path)
    except OSError as error:
        fact = f"`{path}` cannot be written: {error.strerror or error}"
        raise refuse(
            "cannot-write", fact, hint="choose another file, or free some space"
        ) from error


def check_archive(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse a file that `archiving` would not replace. Raises Refusal."""
    check_file(path, inputs=inputs, force=force or is_archive(path), streams=False)


def kind_of(name: str) -> str:
    """Return the format of a file name; empty where it has none.

    >>> kind_of("out/west.tar.zst")
    '.tar.zst'
    """
    return next((kind for kind in KINDS if name.endswith(kind)), "")


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive of fabricgen, which begins with a plan."""
    with contextlib.suppress(Refusal), reading(path) as entries:
        name, stream = next(entries, ("", io.BytesIO()))
        return name.endswith("/plan.json") and stream.read(len(PLAN)) == PLAN.encode()
    return False


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """Yield the entries of an archive in their order, each with its name and its content.

    The names of entries other than regular files end in a slash. Nothing is extracted. Raises
    Refusal `no-such-file`, and `broken-archive`, also while a content is read.
    """
    try:
        with open_file(path) as raw:
            yield (
                _zip_entries(raw)
                if kind_of(path.name) == ".zip"
                else _tar_entries(raw, kind_of(path.name))
            )
    except OpenError as error:
        hint = "give what `fabricgen build` wrote"
        raise refuse("no-such-file", f"`{path}` {error.fact}", hint=hint) from None
    except _errors() as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refuse(
            "broken-archive",
            f"`{path}` cannot be read: {why}",
            hint="build it again, or copy it again whole",
        ) from error


def _tar_entries(raw: IO[bytes], kind: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the entries of a tar."""
    with (
        _decompressed(raw, kind) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive,
    ):
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # an archive of empty files would fill the memory
            content = archive.extractfile(info) if info.isreg() else None
            yield (info.name, content) if content else (f"{info.name}/", io.BytesIO())


class _Header(tarfile.TarInfo):
    """A header of a tar that is read before anything is trusted: long ones are refused."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Read what follows a header. Raises ReadError for more than a name of a file takes."""
        if self.type == tarfile.GNUTYPE_SPARSE or (
            self.type in _EXTENDED and self.size > MOST_HEADER
        ):
            raise tarfile.ReadError(f"a header has more than {MOST_HEADER} bytes, or holes")
        read: Callable[[tarfile.TarFile], tarfile.TarInfo] = super()._proc_member  # type: ignore[misc]  # private method, as is every hook before a header is read
        return read(archive)

    def _no_holes(self, *_: object) -> None:
        """Refuse the list of the holes of a file, which may be as long as the file."""
        raise tarfile.ReadError("a file has holes")

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _no_holes


MOST_HEADER = 2**16
"""The largest header of a file in a tar: a path has at most 4,096 bytes."""

MOST_DIRECTORY = 3 * 2**23
"""The largest directory of a zip: a million GPUs take two thirds of it."""

_EXTENDED = {
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
}


def _zip_entries(raw: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the entries of a zip."""
    end = zipfile._EndRecData(raw)  # type: ignore[attr-defined]  # noqa: SLF001 - nothing else knows the size of the directory before it is read
    if end and end[5] > MOST_DIRECTORY:
        raise zipfile.BadZipFile(f"its directory has more than {MOST_DIRECTORY} bytes")
    with zipfile.ZipFile(raw) as archive:
        for info in archive.infolist():
            with archive.open(info) as content:
                yield info.filename, content


def _copy_into(archive: zipfile.ZipFile, raw: IO[bytes]) -> None:
    """Copy the files of a part of a tar into a zip."""
    with tarfile.open(fileobj=raw, mode="r|") as part:
        for info in part:
            entry = zipfile.ZipInfo(info.name, EPOCH)
            entry.external_attr, entry.compress_type, entry.file_size = (
                (0o100000 | info.mode) << 16,
                zipfile.ZIP_DEFLATED,
                info.size,
            )
            content = part.extractfile(info)
            with archive.open(entry, "w") as target:
                shutil.copyfileobj(content or io.BytesIO(), target, COPIED)


@contextlib.contextmanager
def _compressed(raw: IO[bytes], kind: str) -> Iterator[IO[bytes]]:
    """Yield a stream that compresses into another, as one frame."""
    if kind == ".tar.zst":
        import zstandard

        with zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True).stream_writer(
            raw, closefd=False
        ) as stream:
            yield cast("IO[bytes]", stream)
    elif kind == ".tar.gz":
        with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    else:
        yield raw


def _decompressed(raw: IO[bytes], kind: str) -> contextlib.AbstractContextManager[Any]:
    """Return a stream that decompresses all frames of another."""
    if kind == ".tar.zst":
        import zstandard

        return zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            raw, read_across_frames=True, closefd=False
        )
    return gzip.GzipFile(fileobj=raw) if kind == ".tar.gz" else contextlib.nullcontext(raw)


def _errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of reading a file that is damaged, unreadable or not an archive."""
    import zlib

    import zstandard

    return (
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        zstandard.ZstdError,
    )
