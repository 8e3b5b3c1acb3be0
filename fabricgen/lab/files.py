"""The emitted files of a lab, at one place inside of it: those of a directory that `build` wrote, or made anew where they vanish with the lab.

Owns where they lie. What they say is nobody's here to change.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.build.context import BuildContext
from fabricgen.build.job import make_job
from fabricgen.build.run import build
from fabricgen.build.selection import GroupSelection
from fabricgen.lab import namespaces
from fabricgen.lab.boot import prepare_mounts
from fabricgen.outputs.packs.render import Packs

if TYPE_CHECKING:
    from fabricgen.lab.topology import Layout

FILES = Path("/run/fabricgen")
"""Where they are inside a lab; it is in memory, and no other lab sees it."""


def place_files(layout: Layout, out: Path | None, templates: tuple[Path, ...] = ()) -> Path:
    """Give the lab directories of its own, and its files; return where they are. Raises Refusal where they cannot be built."""
    held = (
        None if out is None else os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    )  # before /run is covered: it may lie there
    prepare_mounts()
    if held is None:
        groups = GroupSelection(
            ("configs", "forwarding", "lab"), named=frozenset({"forwarding", "lab"})
        )
        context = BuildContext(layout.plan, Packs(templates), groups, scope=layout.scope)
        build(make_job(context), FILES)
    else:
        FILES.mkdir()
        namespaces.mount(f"/proc/self/fd/{held}", FILES, flags=namespaces.MS_BIND)
        os.close(held)
    return FILES
