"""The interface for Python programs: plans of inventories, their figures, tables and graphs.

Owns the functions that plan and build; the others are imported here from their modules, so that one
import has them all. Everything else in the package may change between versions.

>>> leaf = {"generic": {"radix": 4}}
>>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
>>> summary(plan)["switches"]
{'leaf': 32, 'spine': 16, 'core': 0, 'total': 48}
>>> graph(plan).number_of_nodes(), switch_graph(plan).number_of_nodes()
(184, 48)
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.graph import flow_graph, graph, graphml, node_link, switch_graph
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.build.load_plan import plan_of
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.inventory.load import Flags, read_inventory
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.report.html import html
from fabricgen.outputs.report.report import Report
from fabricgen.outputs.rows import Row, bom, cables, compare, cost, model, phases, search
from fabricgen.planning.plan import Plan

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from fabricgen.outputs.drawings.build import Drawings

__all__ = [
    "Finding",
    "Plan",
    "Refusal",
    "Row",
    "bom",
    "build",
    "cables",
    "compare",
    "cost",
    "drawing",
    "drawing_names",
    "flow_graph",
    "graph",
    "graphml",
    "model",
    "node_link",
    "phases",
    "plan_file",
    "plan_inventory",
    "report",
    "search",
    "summary",
    "switch_graph",
]


def plan_file(
    path: str | os.PathLike[str],
    overrides: Mapping[str, Any] | None = None,
    *,
    catalogs: Sequence[Path] = (),
    templates: Sequence[Path] = (),
) -> Plan:
    """Plan the inventory in a file, or read a plan that `fabricgen plan -o` wrote.

    `overrides` maps dotted keys to values that replace those of the file. `catalogs` are
    directories of your own catalog files, which shadow the shipped ones, and `templates`
    directories of your own packs. Raises Refusal; its findings have the file, line and column of
    the fault.

    >>> from fabricgen.core.resources import shipped
    >>> lab = shipped("inventories") / "lab-64.yaml"
    >>> plan_file(lab, {"hb_domain.gpus": 4, "gpus": 32}).fabric.rails
    4
    """
    source = str(path)
    return _plan(source, overrides or {}, Catalog(catalogs, Path(source).parent), templates)


def plan_inventory(
    inventory: Mapping[str, Any], *, catalogs: Sequence[Path] = (), templates: Sequence[Path] = ()
) -> Plan:
    """Plan an inventory given as a mapping, with the keys and values of a file.

    `name` may be left out. Raises Refusal; its findings have the key of the fault.

    >>> leaf = {"generic": {"radix": 8}}
    >>> try:
    ...     plan_inventory({"gpus": 60, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
    ... except Refusal as refusal:
    ...     [finding.code for finding in refusal.findings]
    ['gpus-not-whole-domains']
    """
    return _plan(None, inventory, Catalog(catalogs), templates)


def summary(plan: Plan) -> dict[str, Any]:
    """Return the figures of a plan under the keys of `fabricgen plan --json`.

    `ok` and `findings` are left out; `cheaper` is there where another mapping of the cluster costs
    less, and `cheaper_others` where several do. Raises Refusal if a price book is missing.
    """
    from fabricgen.analysis.search.cheaper import AdvisedPlan, cheaper_mappings

    bill = make_bom(plan)
    figures, cheaper = summarize(plan, bill), cheaper_mappings(plan, bill)
    return (AdvisedPlan(figures, cheaper) if cheaper else figures).document()


def drawing_names(plan: Plan) -> list[str]:
    """Return the names of the drawings: of rails or planes, of stripes, and of networks.

    >>> leaf = {"generic": {"radix": 16}}
    >>> plan = plan_inventory({"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}})
    >>> drawing_names(plan)
    ['rail-0', 'rail-1', 'stripe-1']
    """
    return [*_drawn(plan)]


def drawing(plan: Plan, name: str = "", form: str = "svg", *, title: bool = True) -> str:
    """Return a drawing as `build` writes it, by default the first: SVG, or `dot`, `drawio`, `mmd`.

    Without `title`, an SVG has the picture alone: no title, subtitle or note below. Raises
    ValueError for a name or a form that there is none of.

    >>> leaf = {"generic": {"radix": 16}}
    >>> plan = plan_inventory({"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}})
    >>> drawing(plan, "stripe-1")[:4]
    '<svg'
    """
    packs, every = Packs(), _drawn(plan)
    outputs = [output for pack in packs.group("drawings") for output in pack.outputs]
    forms = {output.path.rpartition(".")[2]: output.template for output in outputs}
    name = name or next(iter(every))
    if name not in every:
        raise ValueError(f"no drawing is called `{name}`; there are {', '.join(every)}")
    if form not in forms:
        hint = f"convert the SVG, for example with `rsvg-convert -f {form}`"
        raise ValueError(f"drawings are written as {', '.join(forms)}, not as {form}: {hint}")
    view = every[name].draw(name)
    return packs.render("drawings", forms[form], drawing=view if title else view.untitled())


def _drawn(plan: Plan) -> dict[str, Drawings]:
    """Return the maker of each drawing, by the names of the drawings."""
    from fabricgen.outputs.drawings.build import Drawings

    made = Drawings(plan)
    own = dict.fromkeys((*made.rails, *made.stripes), made)
    networks = map(Drawings, plan.switched.values())
    return own | {name: each for each in networks for name in each.rails}


def report(plan: Plan) -> str:
    """Return the report of a plan as one HTML file, without the files of switches.

    `fabricgen build` adds them. Raises Refusal where a price book is missing.
    """
    return "".join(html(Report.of(plan)))


def build(
    plan: Plan,
    out: str | os.PathLike[str],
    only: Iterable[str] = (),
    *,
    templates: Sequence[Path] = (),
    force: bool = False,
) -> list[Row]:
    """Write the files of a plan to a directory, as `fabricgen build`, and return a row for each.

    `only` names groups of outputs or packs; default: those of the inventory. `templates` are
    directories of your own packs. The directory is replaced whole or not at all; one with files of
    yours only with `force`. Raises Refusal for a broken law, and where a file cannot be written.
    """
    from fabricgen.build.context import BuildContext
    from fabricgen.build.job import make_job
    from fabricgen.build.preconditions import check_buildable
    from fabricgen.build.run import build as build_directory
    from fabricgen.build.selection import choose
    from fabricgen.build.write.directory import check_target

    groups, packs = list(only), Packs(templates)
    check_buildable(plan, packs, groups)
    check_target(Path(out), ())
    context = BuildContext(plan, packs, choose(groups, plan.spec.outputs, packs))
    if not context.check_report.ok:
        raise Refusal(context.check_report.findings)
    return [file._asdict() for file in build_directory(make_job(context), Path(out), force=force)]


def _plan(
    source: str | None, keys: Mapping[str, Any], catalog: Catalog, templates: Sequence[Path]
) -> Plan:
    """Read an inventory, override `keys` of it, and plan; the caller's values are copied."""
    inventory = read_inventory(
        source,
        flags=Flags({tuple(key.split(".")): (key, deepcopy(value)) for key, value in keys.items()}),
    )
    return plan_of(inventory, catalog, Packs(templates))
