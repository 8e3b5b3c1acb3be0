"""The standard streams, and what the system refuses: a closed or full output, a path that is too long, a file that is not ours.

Owns how an `OSError` that no reader or writer of ours turned into a refusal becomes one.
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
    whatever is printed there would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        raise refuse(
            "cannot-write", "standard output cannot be written: it is closed", hint=_OUTPUT_HINT
        )


def escape_unencodable() -> None:
    """Let standard output escape what its encoding lacks, as standard error does."""
    with contextlib.suppress(
        AttributeError
    ):  # a program that calls us may have put any stream there
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # checked as it is called


def drop_output(stream: TextIO) -> None:
    """Send whatever Python still holds for a stream to /dev/null: its reader is gone, or it is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def system_refusal(error: OSError) -> Refusal:
    """Return the refusal for what the system did not allow."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        hint = "check the path, and what you may read and write there"
        return refuse("system-error", f"the system refuses `{name}`: {reason}", hint=hint)
    try:
        sys.stdout.flush()
    except OSError:
        drop_output(sys.stdout)
        return refuse(
            "cannot-write", f"standard output cannot be written: {reason}", hint=_OUTPUT_HINT
        )
    hint = "free memory, space or processes on this machine, and run the command again"
    return refuse("system-error", f"the system refuses what the command needs: {reason}", hint=hint)
