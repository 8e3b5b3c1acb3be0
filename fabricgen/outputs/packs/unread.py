"""The files of a user's templates that nothing reads: most have a mistyped name.

Owns the refusal `unread-template`. A file is read if a shipped file has its path, if a pack.yaml
names it, or if a template that is read includes, imports or extends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Place, Refusal, nearest
from fabricgen.outputs.packs.override_places import hook_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.outputs.packs.render import Packs

DOCUMENTS = ("README", "LICENSE", "CHANGELOG")
"""How the names of files begin that describe a pack to people."""
SHOWN = 5
"""The findings that one refusal shows."""


def check_unread(packs: Packs) -> None:
    """Verify that the files of the user's packs are read. Raises Refusal with those that are not.

    In a folder that is no pack, only templates (`.j2`) are verified.
    """
    names = packs.names()
    own = {
        path.relative_to(root).as_posix(): path
        for root in packs.roots
        for path in _files(root, names)
    }
    shipped = {path.relative_to(packs.home).as_posix() for path in _files(packs.home, names)}
    unread = sorted(own.keys() - shipped - _named(packs, names)) if own else []
    if unread and (included := _included(own, own.keys() - set(unread))) is not None:
        left = [name for name in unread if name not in included]
        if left:
            raise Refusal(_finding(name, own[name], shipped) for name in left[:SHOWN])


def _files(root: Path, packs: list[str]) -> Iterator[Path]:
    """Yield the templates of a root, and the other files of its packs.

    Hidden files and documents for people are left out.
    """
    found = {*root.glob("*.j2"), *root.glob("*/*.j2")}
    found.update(path for name in packs for path in (root / name).glob("*"))
    for path in found:
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not hidden and not path.name.startswith(DOCUMENTS) and path.is_file():
            yield path


def _named(packs: Packs, names: list[str]) -> set[str]:
    """Return each pack.yaml and the templates that it names."""
    found = set()
    for name in names:
        if pack := packs.pack(name):
            found |= {f"{name}/pack.yaml", *(f"{name}/{file}" for file in pack.templates)}
            for output in pack.open_outputs:
                found |= {f"{name}/{hook}" for hook in hook_names(pack, output).values()}
    return found


def _included(own: dict[str, Path], entries: set[str]) -> set[str] | None:
    """Return the templates that are reached from `entries`; None where a name is computed."""
    from fabricgen.outputs.packs.loader import references  # noqa: PLC0415 - planning reads packs without Jinja2

    found, waiting = set(entries), sorted(entries)
    while waiting:
        for name in references(own[waiting.pop()]):
            if name is None:
                return None
            if name in own and name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _finding(name: str, path: Path, shipped: set[str]) -> Finding:
    """Return the finding for one file, with the shipped file that it may be meant to replace."""
    near = nearest(name, shipped)
    other = "name it under `outputs` of its pack.yaml, or include it in a template that is read"
    return Finding(
        "unread-template",
        f"no pack reads `{name}`",
        because=(
            "no shipped file has this path, and no pack.yaml and no template that is read names it",
        ),
        hint=f"did you mean `{near}`? Otherwise {other}" if near else other,
        place=Place(str(path)),
    )
