"""Files that a user names: regular files, read up to a limit, as text, JSON or CSV rows.

Owns the faults of reading a file. Each caller catches `FileError` and raises a refusal with its own
code, and interprets the content.
"""

from __future__ import annotations

import codecs
import csv
import errno
import io
import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

CHUNK_BYTES = 2**20

COMMON_SHARE = 1.25
"""Signs of a Chinese text for each of them that GB 2312 has, at most."""

_UTF8 = "save it as UTF-8; Excel calls the format of such a table `CSV UTF-8`"

MAX_DEPTH = 100
"""Levels of a JSON text, far above those of any file."""

MOST_CELLS = 200
"""Cells of a line of CSV, far above the columns of any table."""

_TOO_DEEP = "is nested too deeply"

_DIGITS = re.compile(r"\d+")
_SPECIAL = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class FileError(Exception):
    """A file that cannot be read or decoded.

    `fact` is the predicate of a sentence about the file, like `is larger than 1024 bytes`. Line and
    column count from 1 and are None where the fault has no place in the text.
    """

    def __init__(
        self,
        fact: str,
        line: int | None = None,
        column: int | None = None,
        *,
        hint: str = "",
    ) -> None:
        """Keep the fact, its place and the hint."""
        super().__init__(fact)
        self.fact, self.line, self.column, self.hint = fact, line, column, hint


class OpenError(FileError):
    """A file that cannot be opened: it is missing, not a regular file, or access is denied."""

    def __init__(self, reason: str, *, missing: bool = False) -> None:
        """Keep the reason, and whether the file is missing."""
        super().__init__(f"cannot be read: {reason}")
        self.reason, self.missing = reason, missing


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file, which a pipe is not: reading one may never end. Raises OpenError."""
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer
        stream = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise _open_error(error) from None
    except ValueError:  # a NUL or half a surrogate pair, which no path holds
        raise OpenError("no path holds these characters") from None
    mode = os.fstat(stream.fileno()).st_mode
    for is_kind, kind in _SPECIAL:
        if is_kind(mode):
            stream.close()
            raise OpenError(f"it is {kind}, and not a regular file")
    return stream


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes. Raises FileError."""
    with open_file(path) as stream:
        if os.fstat(stream.fileno()).st_size > most:
            raise _too_large(most)
        return read_stream(stream, most)  # a file may grow after fstat


def _too_large(most: int) -> FileError:
    """Return the error for a file above its limit."""
    return FileError(f"is larger than {most} bytes")


def _open_error(error: OSError) -> OpenError:
    """Return the error for a failed system call."""
    reason = error.strerror or "the system gives no reason"
    return OpenError(reason, missing=error.errno == errno.ENOENT)


def read_stream(stream: BinaryIO, most: int) -> bytes:
    """Return the rest of a stream, at most `most` bytes. Raises FileError."""
    chunks, size = list[bytes](), 0
    try:
        while chunk := stream.read(min(CHUNK_BYTES, most + 1 - size)):
            chunks.append(chunk)
            size += len(chunk)
            if size > most:
                raise _too_large(most)
    except OSError as error:
        raise _open_error(error) from None
    return b"".join(chunks)


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names a regular file; False where it cannot be read."""
    return stat.S_ISREG(_mode(path))


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names a directory; False where it cannot be read."""
    return stat.S_ISDIR(_mode(path))


def irregular(folder: Path) -> Iterator[Path]:
    """Yield what is below a folder and neither a regular file nor a folder, links among them."""
    for path in folder.rglob("*"):
        if stat.S_IFMT(path.lstat().st_mode) not in (stat.S_IFREG, stat.S_IFDIR):
            yield path.relative_to(folder)


def _mode(path: str | os.PathLike[str]) -> int:
    """Return the mode of a file; 0 where it cannot be read."""
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError):
        return 0


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """Return the text of a regular file of at most `most` bytes. Raises FileError.

    It is UTF-8, or UTF-16 with its mark, as PowerShell and Excel write it, or Chinese in GB18030,
    as Excel writes tables in China.
    """
    data = read_bytes(path, most)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise FileError(f"is not UTF-16 text: {error.reason}", hint=_UTF8) from None
    try:
        return decode(data)
    except FileError:
        if (chinese := _gb18030(data)) is None:
            raise
        return chinese


def decode(data: bytes) -> str:
    """Return UTF-8 as text, without a byte order mark. Raises FileError with the place."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = place_at(data, error.start)
        fact = f"is not UTF-8 text: byte 0x{data[error.start]:02x}"
        raise FileError(fact, line, column, hint=_UTF8) from None


def _gb18030(data: bytes) -> str | None:
    """Return Chinese text in GB18030; None for what is more likely another encoding.

    Most texts in another encoding are no valid GB18030, and the others decode to rare signs, where
    Chinese consists of the signs of GB 2312 nearly alone.

    >>> _gb18030("机房A,第1排".encode("gb18030")), _gb18030("Müller für Köln".encode("latin-1"))
    ('机房A,第1排', None)
    """
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    signs = [sign for sign in text if not sign.isascii()]
    common = sum(1 for sign in signs if sign.encode("gb2312", "ignore"))
    return text if len(signs) <= COMMON_SHARE * common else None


def place_at(text: str | bytes, position: int) -> tuple[int, int]:
    """Return line and column, from 1, of a position in a text."""
    newline = b"\n" if isinstance(text, bytes) else "\n"
    before = text[:position]
    return before.count(newline) + 1, position - before.rfind(newline)  # type: ignore[arg-type]  # both are of one type


def parse_json(text: str) -> Any:  # noqa: ANN401 - JSON holds any plain value
    """Return the value of a JSON text. Raises FileError for invalid JSON and invalid characters."""
    try:
        values = json.loads(text, parse_constant=_refuse_constant)
        # an escape may encode half of a surrogate pair, which UTF-8 cannot represent
        if "\\ud" in text.lower():
            json.dumps(values, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        fact = f"is not JSON: {error.msg.lower()}"
        raise FileError(fact, error.lineno, error.colno) from None
    except RecursionError:
        raise FileError(_TOO_DEEP) from None
    except UnicodeEncodeError:
        raise FileError("holds half of a surrogate pair, which is no character") from None
    except ValueError:
        line, column = long_number(text) or (None, None)
        raise FileError(
            f"holds a number of more than {digits_limit()} digits", line, column
        ) from None
    level = [values] if isinstance(values, dict | list) else []
    for _ in range(MAX_DEPTH):  # what reads the values recurses
        level = [
            below
            for each in level
            for below in (each.values() if isinstance(each, dict) else each)
            if isinstance(below, dict | list)
        ]
        if not level:
            return values
    raise FileError(_TOO_DEEP)


def _refuse_constant(word: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python's parser accepts and JSON does not."""
    raise FileError(f"is not JSON: {word} is not a number")


def digits_limit() -> int:
    """Return how many digits Python parses as one number."""
    return sys.get_int_max_str_digits()


def long_number(text: str) -> tuple[int, int] | None:
    """Return line and column of the first number above the digit limit; None if there is none."""
    limit = digits_limit()
    starts = (run.start() for run in _DIGITS.finditer(text) if run.end() - run.start() > limit)
    start = next(starts, None)
    return None if start is None else place_at(text, start)


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV with the number of their last line, from 1. Raises FileError."""
    header = text[: text.find("\n") + 1] or text
    reader = csv.reader(io.StringIO(text), strict=True, delimiter=csv_separator(header))
    try:
        for cells in reader:
            if len(cells) > MOST_CELLS:
                raise FileError(f"has more than {MOST_CELLS} cells", reader.line_num, 1)
            yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(f"is not CSV: {csv_fault(error)}", reader.line_num, 1) from None


def csv_separator(header: str) -> str:
    r"""Return the separator of a CSV by its first line: a comma, or else a semicolon or a tab.

    Spreadsheets write semicolons where the comma is the decimal sign.

    >>> [csv_separator(line) for line in ("device,serial", "device;serial", "a\tb", "device")]
    [',', ';', '\t', ',']
    """
    return next((sign for sign in ",;\t" if sign in header), ",")


def csv_fault(error: csv.Error) -> str:
    """Return what is wrong with a CSV row.

    >>> csv_fault(csv.Error("field larger than field limit (131072)"))
    'a cell has more than 131072 characters'
    """
    text = str(error)
    limit = csv.field_size_limit()
    return f"a cell has more than {limit} characters" if "field limit" in text else text
