"""The directories of the shipped files, and the user's files that take precedence over them.

Owns two questions: whether this is an installed wheel, which carries `templates`, `inventories` and
`examples` inside the package, or a checkout, which has them beside it; and whether a file in a
user's directory is reached through a link that leaves it. `catalog` and `outputs.packs` read the
files. Standard library only.
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
    """Return the shipped directory `templates`, `inventories` or `examples`.

    >>> shipped("inventories").is_dir()
    True
    """
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def find_file(roots: Sequence[Path], home: Path, *parts: str) -> Path | None:
    """Return the first of `find_files`; None where there is none."""
    return next(find_files(roots, home, *parts), None)


def find_files(roots: Sequence[Path], home: Path, *parts: str) -> Iterator[Path]:
    """Yield the files at this path: from the user's directories in order, then from `home`.

    Raises Refusal `link-leaves-folder` for a user's file that is reached through a link out of its
    directory: the author of a pack or a catalog must not choose which files of its user are read.
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
    """Return whether a link on the way from `root` to `path` leads out of its own directory.

    `root` itself may be a link.
    """
    here = os.path.realpath(root)
    for part in path.relative_to(root).parts:
        folder, here = here, os.path.realpath(os.path.join(here, part))  # noqa: PTH118 - as realpath, which no loop of links breaks
        if os.path.commonpath([folder, here]) != folder:
            return True
    return False
