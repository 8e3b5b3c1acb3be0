"""The standard streams, and errors of the operating system.

Owns the refusal for an `OSError` that no other module handles: a full output, a path that is too
long, a missing permission.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal, refuse

if TYPE_CHECKING:
    from typing import TextIO

_OUTPUT_HINT = "redirect it to a file, or to /dev/null"


def check_streams() -> None:
    """Give closed streams /dev/null. Raises Refusal where standard output is closed.

    Without it, the next file that is opened would take the number of the closed stream, and
    all that is printed there would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stdout is None:
        raise refuse(
            "cannot-write", "standard output cannot be written: it is closed", hint=_OUTPUT_HINT
        )


def escape_unencodable() -> None:
    """Escape characters that the encoding of standard output lacks, as on standard error."""
    with contextlib.suppress(AttributeError):  # a calling program may have replaced the stream
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # suppressed above


def drop_output(stream: TextIO) -> None:
    """Send the buffer of a stream to /dev/null: its reader is gone, or it is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


WRITTEN: list[Path] = []
"""What this run of the program wrote, which remains where it cannot print its result."""


def system_refusal(error: OSError) -> Refusal:
    """Return the refusal for an error of the system."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        hint = "check the path, and what you may read and write there"
        return refuse("system-error", f"the system refuses `{name}`: {reason}", hint=hint)
    if name := _stream(error):
        if name == "output":
            drop_output(sys.stdout)
        because = tuple(f"`{path}` is complete: it was written before" for path in WRITTEN)
        fact = f"standard {name} cannot be written: {reason}"
        return refuse("cannot-write", fact, because=because, hint=_OUTPUT_HINT)
    hint = "free memory, space or processes on this machine, and run the command again"
    return refuse("system-error", f"the system refuses what the command needs: {reason}", hint=hint)


def _stream(error: OSError) -> str:
    """Return which stream could not be written, by the function that raised an error.

    All that is printed goes through click's `echo`, for `--help` and `--version` as well. A second
    flush would not fail again: the buffer of a short text is empty by then.
    """
    import traceback

    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if frame.f_globals.get("__name__") not in {"click.utils", "fabricgen.cli"}:
        return ""
    return "error" if frame.f_locals.get("err") else "output"
