"""A whole build as one zip.

Owns the process that builds it, which proves the laws first and uses every core, while this one
goes on answering; it writes what the command line writes, because it is the command line.
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
"""Begins the names of the directories in which archives are made."""


class BuildError(Exception):
    """A build that was refused; says what the command line says."""


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Tell of a full disk as of a build that is refused."""
    try:
        yield
    except OSError as error:
        raise BuildError(f"the archive cannot be written: {error.strerror or error}\n") from error


def zipped(command: Callable[[Path], Sequence[str]], name: str) -> IO[bytes]:
    """Run the command that builds to an archive, and return that, open and without a name. Raises BuildError.

    What a server that was killed left in the directory for temporary files is removed first.
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
            said = child.stderr.read() if child.stderr else ""
            if child.wait():  # its standard input stays open until then: the child ends with it
                raise BuildError(said)
        return file.open("rb")
