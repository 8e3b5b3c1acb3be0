"""A whole build as one zip.

Owns the archive: the same build gives the same bytes. The build is a process of its own, which proves the laws first and uses every core, while
this one goes on answering; it writes what the command line writes, because it is the command line.
"""

from __future__ import annotations

import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can hold: an archive shows no clock."""


class BuildError(Exception):
    """A build that was refused; says what the command line says."""


def zipped(command: Callable[[Path], Sequence[str]], name: str) -> IO[bytes]:
    """Run the command that builds to a directory, and return an open zip of that, its files below `name`. Raises BuildError."""
    with tempfile.TemporaryDirectory(prefix="fabricgen-") as home:
        out = Path(home) / "out"
        with subprocess.Popen(command(out), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:  # noqa: S603 - our own program, its arguments in a list
            said = child.stderr.read() if child.stderr else ""
            if child.wait():  # its standard input stays open until then: the child ends with it
                raise BuildError(said)
        return _archive(out, name)


def _archive(out: Path, name: str) -> IO[bytes]:
    """Return an open zip of a directory, which is gone when it is closed."""
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(out).as_posix()}", EPOCH)
            entry.external_attr = path.stat().st_mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    stream.seek(0)
    return stream
