"""A user's files that replace shipped ones, and the version of the shipped file that each is of.

Owns the record of that version: the first line of a copy, with the digest of its original.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from fabricgen.core.files import FileError, read_text
from fabricgen.outputs.packs.loader import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.outputs.packs.render import Packs

DIGITS = 16
"""Digits of a digest in a record."""
HOOK = "site."
"""How the names of hooks begin: they ship empty, so a shadow of one has no original."""

_RECORD = re.compile(rf"(?:\{{#|#) shadows \S+ sha256:([0-9a-f]{{{DIGITS}}})\b")


def shipped_names(packs: Packs) -> list[str]:
    """List the shipped templates by name, like `eos/bgp.cfg.j2`, sorted."""
    return sorted(path.relative_to(packs.home).as_posix() for path in packs.home.glob("*/*.j2"))


def copy_of(packs: Packs, name: str) -> str:
    """Return a shipped template with its record as the first line, which prints nothing."""
    original = (packs.home / name).read_text(encoding="utf-8")
    return f"{_record(packs, name)}\n{original}"


def shadow_notes(packs: Packs) -> Iterator[str]:
    """Yield a note on each file that replaces another version of a shipped one, or any version."""
    for root in packs.roots:
        for path in sorted(root.glob("*/*")):
            name = path.relative_to(root).as_posix()
            if not path.name.startswith(HOOK) and (packs.home / name).is_file():
                recorded = _recorded(path)
                if recorded is None:
                    yield (
                        f"{path} replaces a shipped file and does not record its version, so a"
                        " change of that goes unnoticed: compare them, and begin yours with"
                        f" `{_record(packs, name)}`"
                    )
                elif recorded != _digest(packs.home / name):
                    yield (
                        f"{path} is a copy of another version of the shipped {name}: compare it"
                        f" with {packs.home / name}, then begin it with `{_record(packs, name)}`"
                    )


def _record(packs: Packs, name: str) -> str:
    """Return the record of a shipped file: a comment of Jinja, or of YAML."""
    text = f"shadows {name} sha256:{_digest(packs.home / name)}"
    return f"{{# {text} #}}" if name.endswith(".j2") else f"# {text}"


def _recorded(path: Path) -> str | None:
    """Return the digest that a file records; None where it has no record."""
    try:
        found = _RECORD.match(read_text(path, MOST_BYTES))
    except FileError:  # its use is refused with a better reason
        return ""
    return found[1] if found else None


def _digest(path: Path) -> str:
    """Return the digest of a file, as a record has it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]
