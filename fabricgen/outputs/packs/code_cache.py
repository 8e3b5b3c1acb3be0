"""Compiled templates, kept beside the program as Python keeps its compiled modules.

Loaded code is executed, so its location must be trusted: a folder in `__pycache__` of this package,
which only those can write who can change the program as well. A folder or a file that others can
write is ignored. If the folder cannot be written, as in a system-wide installation, or Python
writes no bytecode, templates are compiled in every run.

A file begins with the SHA-256 of its code and of everything that this code depends on: the text,
name and path of the template, the version of Python, and the sources of Jinja and of the
environment. Any other file is ignored, and replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import stat
import sys
import tempfile
from functools import cached_property
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

PACKAGE = Path(__file__).parent
FOLDER = PACKAGE / "__pycache__" / "templates"
DIGEST_SIZE = 32
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class CodeCache:
    """The files of compiled templates, one for each path of a template."""

    def __init__(self, folder: Path = FOLDER, kind: str = "") -> None:
        """Keep the folder; it is created when the first code is written.

        Environments that compile differently are of different kinds.
        """
        self._folder, self._kind = folder, kind.encode()
        self.writes = not sys.dont_write_bytecode
        """Whether new code is written; existing code is always read, as Python reads its own."""

    def code(self, text: str, name: str, path: str, compiled: Callable[[], CodeType]) -> CodeType:
        """Return the code of a template: the kept one, or else that of `compiled`."""
        follows = b"\0".join(
            [
                self._environment,
                self._kind,
                name.encode(),
                path.encode(),
                hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(),
            ]
        )
        digest = hashlib.sha256(self._kind + path.encode()).hexdigest()[:32]
        file = self._folder / f"{digest}.{sys.implementation.cache_tag}"
        kept = self._read(file, follows) if self._trusted else None
        if kept is not None:
            return kept
        made = compiled()
        if self.writes:
            with contextlib.suppress(OSError):
                self._write(file, follows, made)
        return made

    @cached_property
    def _environment(self) -> bytes:
        """What code depends on besides its template."""
        own = ("sandbox.py", "compiler.py", "in_place.py", "bounded.py")
        theirs = sorted(Path(jinja2.__file__).parent.glob("*.py"))
        sources = [*(PACKAGE / name for name in own), *theirs]
        return b"\0".join(
            [MAGIC_NUMBER, *(hashlib.sha256(path.read_bytes()).digest() for path in sources)]
        )

    @cached_property
    def _trusted(self) -> bool:
        """Whether the folder exists, and others cannot write files to it."""
        try:
            return _is_ours(self._folder.stat())
        except OSError:
            return False

    @staticmethod
    def _read(file: Path, follows: bytes) -> CodeType | None:
        """Return the code in a file; None if it is missing, stale, damaged or of other users."""
        try:
            with file.open("rb") as stream:
                if not _is_ours(os.fstat(stream.fileno())):
                    return None
                content = stream.read()
        except OSError:
            return None
        digest, code = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if digest != hashlib.sha256(follows + code).digest():
            return None
        found: CodeType = marshal.loads(code)  # noqa: S302 - the digest and the owner were checked
        return found

    def _write(self, file: Path, follows: bytes, made: CodeType) -> None:
        """Write the code of a template, completely or not at all."""
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        code = marshal.dumps(made)
        handle, staged = tempfile.mkstemp(dir=self._folder, prefix=".")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(follows + code).digest() + code)
            Path(staged).chmod(0o644)
            Path(staged).replace(file)
        except OSError:
            Path(staged).unlink(missing_ok=True)
            raise


def _is_ours(status: os.stat_result) -> bool:
    """Return whether a file or folder can be written only by trusted users.

    Those are the user who runs the program, and the one who installed it.
    """
    owners = {os.geteuid(), PACKAGE.stat().st_uid}
    return status.st_uid in owners and not status.st_mode & WRITABLE_BY_OTHERS
