"""The parts of a large build, each measured alone in one process: what no other part can save."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from typing import TYPE_CHECKING

from fabricgen.build.context import BuildContext
from fabricgen.build.job import make_job
from fabricgen.build.selection import choose
from fabricgen.catalog.catalog import Catalog
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from tests.bench.jinja_floor import JinjaFloor, drop, to_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from fabricgen.inventory.fabric import FabricSpec

GROUPS = ("cabling", "configs", "bom")
LISTS = 2
"""Lists of cables: `cables.csv` and `labels.csv`."""


def build_parts(spec: FabricSpec, home: Path) -> Iterator[tuple[str, float]]:
    """Yield the parts of `build --only cabling,configs,bom` after its imports, in CPU seconds."""
    started = time.process_time()
    plan = make_plan(spec, Catalog())
    yield "plan", time.process_time() - started
    packs = Packs()
    context = BuildContext(plan, packs, choose(GROUPS, (), packs))
    yield "laws", cpu_s(lambda: context.check_report)
    views, segments = context.views, range(plan.mapping.segments)
    views.prepare()
    yield "views of switches", exhaust_s(each for at in segments for each in views.switches(at))
    yield "columns of cables", LISTS * exhaust_s(views.cables(segment) for segment in segments)
    job = make_job(context)
    bills = (task for group, task in job.steps if group == "bom")
    files = (file for bill in bills for file in bill.write(context, home))
    yield "bill and workbook", exhaust_s(files)
    floor = JinjaFloor(plan)
    rendered = floor.cpu_s(drop)
    yield "Jinja alone", rendered
    yield "SHA-256", floor.cpu_s(digest) - rendered
    yield "creating and writing files", floor.cpu_s(to_folder(home / "files")) - rendered


def digest(_: str, text: str) -> None:
    """Hash the text of a file."""
    hashlib.sha256(text.encode()).hexdigest()


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def exhaust_s(values: Iterable[object]) -> float:
    """Return the CPU seconds of making values, none of which is kept."""
    return cpu_s(lambda: deque(values, maxlen=0))
