"""A whole build as one zip.

Owns the process that builds it while the server continues to respond. It runs `fabricgen build`, so
that it verifies the laws first, uses every core and writes the same files.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fabricgen.build.write.partial import partial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


PLACE = "fabricgen-serve"
"""The beginning of the names of directories in which archives are made."""


class BuildError(Exception):
    """A build that was refused; its text is that of the command line."""


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Turn errors of the disk into a refused build."""
    try:
        yield
    except OSError as error:
        raise BuildError(f"the archive cannot be written: {error.strerror or error}\n") from error


def zipped(command: Callable[[Path], Sequence[str]], name: str) -> IO[bytes]:
    """Run the command that builds to an archive, and return the archive, open and unlinked.

    Temporary files of a killed server are removed first. Raises BuildError.
    """
    with _refusing(), partial(Path(tempfile.gettempdir()) / PLACE) as home:
        file = home / f"{name}.zip"
        with subprocess.Popen(  # noqa: S603 - our own program, its arguments in a list
            command(file),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            errors = child.stderr.read() if child.stderr else ""
            if child.wait():  # its standard input stays open until then: the child ends with it
                raise BuildError(errors)
        return file.open("rb")
