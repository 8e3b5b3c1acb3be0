"""Where the files that ship with the program lie, and which of a user's files stand in for them.

Owns two questions: whether this is an installed wheel, which carries `templates` and `inventories`
inside the package, or a checkout, which has them beside it; and whether a file of a user's
directory is reached through a link that leaves it. What is in the files belongs to `catalog` and
`packs`. Standard library only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Place, Refusal
from fabricgen.core.files import is_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Find the directory `templates` or `inventories`, wherever this copy of the program keeps it.

    >>> shipped("inventories").is_dir()
    True
    """
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def find_files(roots: Sequence[Path], home: Path, *parts: str) -> Iterator[Path]:
    """Yield the files of this path in the directories of a user, in their order, then in `home`, which ships.

    Raises Refusal `link-leaves-folder` for a file of a user that is reached through a link out of
    its folder: who gives away a pack or a catalog must not choose which files of its user are read.
    """
    for root in roots:
        path = root.joinpath(*parts)
        if is_file(path):
            if link_leaves(root, path):
                hint = f"put a copy of the file into `{path.parent}`"
                fact = f"`{'/'.join(parts)}` is reached through a link that leads out of its folder"
                raise Refusal(
                    [Finding("link-leaves-folder", fact, hint=hint, place=Place(str(path)))]
                )
            yield path
    if is_file(path := home.joinpath(*parts)):
        yield path


def link_leaves(root: Path, path: Path) -> bool:
    """Return whether a link on the way from `root` to `path` leads out of the folder that it lies in; `root` itself may be a link."""
    here = os.path.realpath(root)
    for part in path.relative_to(root).parts:
        folder, here = here, os.path.realpath(os.path.join(here, part))  # noqa: PTH118 - as realpath, which no loop of links breaks
        if os.path.commonpath([folder, here]) != folder:
            return True
    return False
