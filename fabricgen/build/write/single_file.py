"""One file, written whole or not at all.

Owns which files an option of the command line may replace: no input of the command, no link, and,
without `--force`, no file that fabricgen did not write. Pipes and character devices, such as
/dev/null, are written to directly.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from fabricgen.build.write.partial import TREE, partial
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.interrupts import held

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FORCE_IT = "choose another file, or use --force"
HEAD = 2**18
"""Bytes of a file that are compared with its mark."""


def write_file(
    path: Path,
    text: str | Iterable[str],
    *,
    mark: str = "",
    inputs: Iterable[Path] = (),
    force: bool = False,
) -> None:
    """Replace one file whole or not at all, by a text or by its pieces.

    An existing file is replaced where its beginning matches `mark`, a regular expression for files
    of this kind that fabricgen wrote, or with `force`. Raises Refusal `output-is-input`,
    `file-exists` and `cannot-write`.
    """
    pieces = [text] if isinstance(text, str) else text
    try:
        if _is_stream(path):
            with path.open("w", encoding="utf-8") as stream:
                stream.writelines(pieces)
            return
        _check(path, mark, inputs, FORCE_IT, force=force)
        with held() as gate, partial(path) as place:
            staged = place / TREE
            with gate, staged.open("w", encoding="utf-8") as stream:
                stream.writelines(pieces)
            staged.replace(path)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None


def make_parents(path: Path) -> None:
    """Make the directories above a file. Raises Refusal `cannot-write`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refuse(
            "cannot-write",
            f"`{path}` cannot be written: {error.strerror}",
            hint="choose another directory",
        ) from None


def check_file(
    path: Path,
    *,
    mark: str = "",
    inputs: Iterable[Path] = (),
    force: bool = False,
    hint: str = FORCE_IT,
    streams: bool = True,
) -> None:
    """Refuse a file that `write_file` would not replace, before its text is made.

    `streams` allows pipes and devices. Raises Refusal.
    """
    try:
        if not (streams and _is_stream(path)):
            _check(path, mark, inputs, hint, force=force)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None


def _check(path: Path, mark: str, inputs: Iterable[Path], hint: str, *, force: bool) -> None:
    """Refuse to replace a file of the user. Raises Refusal, and OSError for unreadable paths."""
    if path.is_symlink():
        raise _unwritable(
            path, f"it is a link to `{path.readlink()}`", "choose another file, or remove the link"
        )
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise _unwritable(
            path, "it is a directory" if stat.S_ISDIR(found.st_mode) else "it is no regular file"
        )
    if any(each.exists() and each.samefile(path) for each in inputs):
        raise refuse(
            "output-is-input",
            f"`{path}` is read by this command, so it is not overwritten",
            hint="choose another file",
        )
    if not force and not (mark and _is_marked(path, mark)):
        raise refuse("file-exists", f"`{path}` exists, so it is not overwritten", hint=hint)


def _is_marked(path: Path, mark: str) -> bool:
    """Return whether the beginning of a file matches a regular expression. Raises OSError."""
    with path.open("rb") as stream:
        return re.match(mark.encode(), stream.read(HEAD), re.DOTALL) is not None


def _is_stream(path: Path) -> bool:
    """Return whether a path leads to a pipe or a character device, also through links.

    /dev/stdout is such a link. Raises OSError.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _unwritable(path: Path, why: str, hint: str = "choose another file") -> Refusal:
    """Return the refusal for a file that cannot be written."""
    return refuse("cannot-write", f"`{os.fspath(path)}` cannot be written: {why}", hint=hint)
