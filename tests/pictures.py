"""The drawn pictures of the README and of the documentation: bars, rails and graphs.

    python -m tests.pictures [FOLDER]

`tests/outputs/report/screens.py` takes the screenshots. A test draws these pictures again and
compares.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.circuits.schedule import schedule_of
from fabricgen.analysis.circuits.times import change_count, switching_s
from fabricgen.analysis.search.side_by_side import side_by_side
from fabricgen.analysis.workload.machine import find_llm
from fabricgen.analysis.workload.svg_charts import Bars, bar_chart
from fabricgen.api import plan_file, plan_inventory
from fabricgen.bom.comparison import compare
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.terms import Design
from fabricgen.core.yaml_text import load_facts
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.load import read_inventory
from fabricgen.outputs.drawings.build import Drawings
from fabricgen.outputs.packs.render import Packs
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.planning.plan import Plan

PICTURES = ROOT / "docs" / "pictures"
PARTS = ("switches", "transceivers")


def costs() -> str:
    """Draw the costs of the six fabrics in the paper's table II, computed and published."""
    rows = load_facts(ROOT / "tests" / "published" / "paper.yaml")["rail-only-table-2"]["rows"]
    bars: list[tuple[str, list[float]]] = []
    printed = []
    for gpus, radix, *_, reduction, _power in rows:
        name = f"paper-{gpus // 1000}k-r{radix}"
        plan = plan_file(ROOT / "inventories" / f"{name}.yaml")
        found = compare(plan.spec, plan.catalog)
        any_to_any, ours = (
            [getattr(summary.cost, part) / 1e6 for part in PARTS]
            for design in (Design.FAT_TREE, Design.RAIL_ONLY)
            if (summary := found.summary_of(design))
        )
        bars += [
            (f"{gpus:,}\nradix {radix}", any_to_any),
            (f"rail-only\n-{found.savings.cost_pct} %", ours),
        ]
        printed.append((len(bars) - 1, sum(any_to_any) * (1 - reduction / 100)))
    title = "What the six fabrics of the rail-only paper cost, any-to-any and rail-only"
    reported = [
        "HB domains of 256 GPUs, at the paper's USD 694 a switch port and 199 a transceiver.",
        (
            "As printed: the paper's reduction, in whole per cents, off our cost of the "
            "any-to-any fabric (arXiv 2307.12169v5, table II)."
        ),
    ]
    return bar_chart(Bars(title, "million USD", list(PARTS), bars, printed), reported)


def rail() -> str:
    """Draw the first rail of the 64-GPU lab."""
    return first_rail(plan_file(ROOT / "inventories" / "lab-64.yaml"))


def graph(kind: str) -> str:
    """Draw the first rail of the example of direct rails, whose links make a graph of a kind."""
    spec = read_inventory(str(ROOT / "examples" / "direct-torus.yaml")).spec
    keys = spec.model_dump(mode="json", exclude_unset=True)
    rails = {"medium": "direct", "topology": {"kind": kind}}
    return first_rail(plan_inventory(keys | {"rails": rails}))


def first_rail(plan: Plan) -> str:
    """Draw the first rail of a plan."""
    drawings, packs = Drawings(plan), Packs()
    pack, template = next(
        (pack.name, output.template)
        for pack in packs.group("drawings")
        for output in pack.outputs
        if output.path.endswith(".svg")
    )
    return packs.render(pack, template, drawing=drawings.draw(next(iter(drawings.rails))))


PHOTONIC: dict[str, Any] = {
    "name": "photonic",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "rails": {"medium": "ocs"},
}
"""The inventory of docs/how-to/optical-rails.md, without a switch."""
PATTERNS = {"recursive-doubling": "doubling", "all-to-all": "all-to-all", "ring": "ring"}


def light() -> str:
    """Draw an iteration on packet switches, and what changes of circuits add to it."""
    spec = FabricSpec.model_validate(PHOTONIC | {"switches": {"leaf": {"model": "s320"}}})
    catalog = Catalog()
    compared = side_by_side(spec, catalog, ["sn5600"], llm=find_llm(catalog, "gpt3"))
    iteration_s = compared.rails[0].iteration_s or 0
    bars: list[tuple[str, list[float]]] = [("sn5600\npackets", [iteration_s, 0])]
    for model in ("palomar", "s320"):
        plan = plan_inventory(PHOTONIC | {"switches": {"leaf": {"model": model}}})
        for pattern, words in PATTERNS.items():
            schedule = schedule_of(plan, "", pattern, None)
            changes = sum(change_count(phase, alone=True) for phase in schedule.phases)
            changing_s = (switching_s(schedule) or 0) * changes
            bars.append((f"{model}\n{words}", [iteration_s, changing_s]))
    title = "An iteration of GPT-3 on 1,024 GPUs, one NIC port each"
    notes = [
        "Each pattern once; circuits change between its steps: 3 ms (Palomar) or 200 ms (S320).",
        "A second NIC port holds a ring of circuits all the time, which then never change.",
    ]
    parts = ["as on packet switches", "circuits change"]
    return bar_chart(Bars(title, "seconds", parts, bars, []), notes)


DRAWN: dict[str, Callable[[], str]] = {
    "costs.svg": costs,
    "rail.svg": rail,
    "light.svg": light,
    **{f"{kind}.svg": partial(graph, kind) for kind in ("ring", "torus-2d", "expander")},
}

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(exist_ok=True)
    for file, draw in DRAWN.items():
        (folder / file).write_text(draw(), encoding="utf-8")
