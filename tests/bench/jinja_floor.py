"""The floor of a build: Jinja alone renders the same files from finished views, with no sandbox.

The files are those that Jinja renders in `build --only cabling,configs`: the files of each switch,
`cables.csv` and `labels.csv`. They are dropped, written to a directory, or added to an archive.
"""

from __future__ import annotations

import contextlib
import gc
import io
import tarfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fabricgen.build.cable_sheets import sheets
from fabricgen.build.context import BuildContext
from fabricgen.build.pack_outputs import switch_outputs
from fabricgen.build.selection import choose
from fabricgen.core.resources import shipped
from fabricgen.core.terms import Role
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.sandbox import OWN_FILTERS
from fabricgen.outputs.packs.secret_values import RESOLVED_TEST
from fabricgen.views.cables.view import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2 import Template

    from fabricgen.planning.plan import Plan

    Store = Callable[[str, str], None]
    """What takes the path and the text of a file."""

SEGMENTS = 8
"""Segments that are rendered; all others are alike."""
TABLES = ("cables.csv", "labels.csv")


class JinjaFloor:
    """Jinja alone on the files of one plan."""

    def __init__(self, plan: Plan) -> None:
        """Compile the templates, by rendering a segment."""
        packs = Packs()
        self._context = BuildContext(plan, packs, choose(("cabling", "configs"), (), packs))
        self._environment = Environment(  # noqa: S701 - no HTML
            loader=FileSystemLoader(shipped("templates")),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters |= OWN_FILTERS
        self._environment.tests[RESOLVED_TEST] = lambda _: False
        if pack := packs.pack("frr"):
            self._environment.globals |= {
                "assumed": pack.assumed,
                "words": pack.words_of("", "ipv4"),
                "terms": pack.terms.model_dump(),
            }
        self._segment(0, drop)
        gc.freeze()  # as the workers of a build do

    def cpu_s(self, store: Store) -> float:
        """Return the CPU seconds of all files."""
        taken = sum(self._segment(segment, store) for segment in range(SEGMENTS))
        return taken * self._context.plan.mapping.segments / SEGMENTS

    def _segment(self, segment: int, store: Store) -> float:
        """Return the CPU seconds of the files of a segment."""
        context, views = self._context, self._context.views
        files = [
            (switch, output.path.format(switch=switch.name), self._template("frr", output.template))
            for switch in views.switches(segment)
            for output in switch_outputs(context, segment, Role(switch.role))
        ]
        chunk = Chunk("bench", views.cables(segment), first=False, last=False)
        chunk.sheet = sheets(context).table
        started = time.process_time()
        for switch, path, template in files:
            store(path, template.render(switch=switch))
        for name in TABLES:
            text = self._template("cabling", f"{name}.j2").render(chunk=chunk)
            store(f"cabling/{segment}-{name}", text)
        return time.process_time() - started

    def _template(self, pack: str, name: str) -> Template:
        """Compile a template once."""
        return self._environment.get_template(f"{pack}/{name}")


def drop(_: str, text: str) -> None:
    """Encode the text of a file, and leave it."""
    text.encode()


def to_folder(root: Path) -> Store:
    """Return what writes files below a directory."""

    def write(path: str, text: str) -> None:
        place = f"{root}/{path}"
        try:
            stream = open(place, "wb")  # noqa: PTH123, SIM115 - the fastest way
        except FileNotFoundError:
            Path(place).parent.mkdir(parents=True)
            stream = open(place, "wb")  # noqa: PTH123, SIM115 - as above
        with stream:
            stream.write(text.encode())

    return write


@contextlib.contextmanager
def to_archive(file: Path) -> Iterator[Store]:
    """Yield what adds files to a TAR archive."""
    with tarfile.open(file, "w") as archive:

        def add(path: str, text: str) -> None:
            data, member = text.encode(), tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))

        yield add
