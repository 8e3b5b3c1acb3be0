"""The emitted files inside a lab: those of a `build` directory, or built anew in memory.

Owns their place; it never changes them.
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
    from fabricgen.lab.topology import LabLayout

FILES = Path("/run/fabricgen")
"""Their directory inside a lab: in memory, and invisible to other labs."""


def place_files(layout: LabLayout, out: Path | None, templates: tuple[Path, ...] = ()) -> Path:
    """Mount the lab's private directories and its files, and return the directory of the files.

    Raises Refusal where they cannot be built.
    """
    held = (
        None if out is None else os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    )  # before /run is covered: it may lie there
    prepare_mounts()
    if held is None:
        compute = ("forwarding", "lab") if layout.gpus else ()
        named = (*compute, *(("hosts",) if layout.host_packs else ()))
        groups = GroupSelection(("configs", *named), frozenset(named), {"hosts": layout.host_packs})
        context = BuildContext(layout.plan, Packs(templates), groups, scope=layout.scope)
        build(make_job(context), FILES)
    else:
        FILES.mkdir()
        namespaces.mount(f"/proc/self/fd/{held}", FILES, flags=namespaces.MS_BIND)
        os.close(held)
    return FILES
