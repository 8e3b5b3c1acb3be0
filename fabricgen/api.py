"""The front door for Python programs: from an inventory to a plan, and from a plan to numbers and graphs.

Owns two ways into a plan; the rest is collected here from the modules that own it, so that one
import has it all. Everything else in the package may change from one version to the next.

>>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"generic": {"radix": 4}}}})
>>> summary(plan)["switches"]
{'leaf': 32, 'spine': 16, 'core': 0, 'total': 48}
>>> graph(plan).number_of_nodes(), switch_graph(plan).number_of_nodes()
(184, 48)
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.graph import graph, graphml, node_link, switch_graph
from fabricgen.bom.bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.build.load_plan import plan_of
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.inventory.load import Flags, read_inventory
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.report.html import html
from fabricgen.outputs.report.report import Report
from fabricgen.planning.plan import Plan

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

__all__ = [
    "Finding",
    "Plan",
    "Refusal",
    "graph",
    "graphml",
    "node_link",
    "plan_file",
    "plan_inventory",
    "report",
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
    """Plan the inventory in a file, or take up a plan that `fabricgen plan -o` kept.

    `overrides` maps keys, dots between their parts, to values that win over the file's. `catalogs`
    are directories of your own catalog files, which shadow the shipped ones, and `templates`
    directories of your own packs. Raises Refusal; its findings have the file, line and column of
    what is wrong.

    >>> from fabricgen.core.resources import shipped
    >>> plan_file(shipped("inventories") / "lab-64.yaml", {"hb_domain.gpus": 4, "gpus": 32}).fabric.rails
    4
    """
    source = str(path)
    return _plan(source, overrides or {}, Catalog(catalogs, Path(source).parent), templates)


def plan_inventory(
    inventory: Mapping[str, Any], *, catalogs: Sequence[Path] = (), templates: Sequence[Path] = ()
) -> Plan:
    """Plan an inventory given as a mapping, with the keys and the values that a file would have; `name` may be left out.

    Raises Refusal; its findings name the key of what is wrong.

    >>> try:
    ...     plan_inventory({"gpus": 60, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"generic": {"radix": 8}}}})
    ... except Refusal as refusal:
    ...     [finding.code for finding in refusal.findings]
    ['gpus-not-whole-domains']
    """
    return _plan(None, inventory, Catalog(catalogs), templates)


def summary(plan: Plan) -> dict[str, Any]:
    """Return the numbers of a plan under the keys of `fabricgen plan --json`. Raises Refusal where a price book is not to be found."""
    return summarize(plan, make_bom(plan)).document()


def report(plan: Plan) -> str:
    """Return the report of a plan as one HTML file, without the files of switches, which `fabricgen build` puts into it.

    Raises Refusal where a price book is not to be found.
    """
    return "".join(html(Report.of(plan)))


def _plan(
    source: str | None, keys: Mapping[str, Any], catalog: Catalog, templates: Sequence[Path]
) -> Plan:
    """Read, lay `keys` over what was read, and plan; the caller's values stay as they are."""
    inventory = read_inventory(
        source,
        flags=Flags({tuple(key.split(".")): (key, deepcopy(value)) for key, value in keys.items()}),
    )
    return plan_of(inventory, catalog, Packs(templates))
