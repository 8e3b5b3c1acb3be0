"""Where the files that ship with the program lie.

Owns one question: whether this is an installed wheel, which carries `templates` and `inventories` inside the package, or a checkout,
which has them beside it. What is in the files belongs to `catalog` and `packs`. Standard library only.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """Find the directory `templates` or `inventories`, wherever this copy of the program keeps it.

    >>> shipped("inventories").is_dir()
    True
    """
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
