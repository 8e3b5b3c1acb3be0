"""The plans that the page requests, and a cache of the last ones.

Owns the way from controls to a plan and its report, and the locks: two requests for one fabric plan
it once, and its parts come from that plan. The inventory is read again for each request, so that
the page follows the file; the catalog is read once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.build.context import BuildContext
from fabricgen.build.group_report import configs_part
from fabricgen.build.load_plan import plan_of
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.report.packed_parts import packed
from fabricgen.outputs.report.report import PARTS, Report
from fabricgen.planning.resolve import resolve
from fabricgen.serve.control_panel import control_panel
from fabricgen.serve.controls import radix_overrides, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.load import Inventory
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.outputs.report.report import Part
    from fabricgen.planning.plan import Plan

KEPT = 4
"""The size of the plan cache, so that switching back is immediate."""


@dataclass
class CachedFabric:
    """The fabric of some controls: its plan, its report, and the parts that were requested."""

    inventory: Inventory
    plan: Plan
    report: Report
    settings: tuple[str, ...]
    """The settings of the controls, in the form of `--set`."""
    _parts: dict[Part, bytes] = field(default_factory=dict)
    _locks: dict[Part | None, Lock] = field(
        default_factory=lambda: {name: Lock() for name in (None, *PARTS)}
    )
    """One for each part, and one for the page, so that no drawing waits for a table."""

    @cached_property
    def controls(self) -> list[dict[str, Any]]:
        """The controls with their values: a list of `Control` of the page's model."""
        return [control.document() for control in control_panel(self.plan, self.plan.catalog)]

    @property
    def page(self) -> dict[str, Any]:
        """The page of the report, without its parts. Raises Refusal for missing prices."""
        with self._locks[None], self.inventory.locate_findings():
            return self.report.page

    def part(self, name: Part) -> bytes:
        """Return a part of the report as gzip of JSON, made when it is first requested."""
        with self._locks[name], self.inventory.locate_findings():
            if name not in self._parts:
                self._parts[name] = packed(
                    self.report.part(name), level=1
                )  # compressed for this machine only
            return self._parts[name]

    def text(self) -> str:
        """Return the inventory of this fabric as YAML."""
        return inventory_text(self.inventory.spec)


class PlanCache:
    """Plans the fabrics of controls, and caches the last ones."""

    def __init__(
        self, read: Callable[[tuple[str, ...]], Inventory], catalog: Catalog, packs: Packs
    ) -> None:
        """Plan what `read` returns for settings; nothing is planned before the first request."""
        self._read, self._catalog, self._packs = read, catalog, packs
        self._kept: list[CachedFabric] = []
        self._lock = Lock()

    def fabric(self, asked: Mapping[str, str]) -> CachedFabric:
        """Return the fabric of controls, texts by name. Raises Refusal with places."""
        with self._lock:
            stated = tuple(chain.from_iterable(self.settings(asked).values()))
            inventory = self._read(stated)
            found = next(
                (
                    each
                    for each in self._kept
                    if (each.inventory.spec, each.inventory.kept)
                    == (inventory.spec, inventory.kept)
                ),
                None,
            )
            fabric = found or self._plan(inventory, stated)
            self._kept = [fabric, *(each for each in self._kept if each is not fabric)][:KEPT]
            return fabric

    def settings(self, asked: Mapping[str, str]) -> dict[str, list[str]]:
        """Return the settings of controls in the current inventory, by control."""
        spec = self._read(()).spec
        found = settings(asked, spec, self._catalog)
        if radix := asked.get("radix"):
            others = tuple(chain.from_iterable(found.values()))
            found["radix"] = radix_overrides(radix, spec, self._radix(others))
        return found

    def _radix(self, stated: tuple[str, ...]) -> int | None:
        """Return the radix of the inventory's leaf with these settings; None if refused."""
        try:
            return resolve(self._read(stated).spec, self._catalog).port_layouts[Role.LEAF].radix
        except Refusal:
            return None

    def _plan(self, inventory: Inventory, stated: tuple[str, ...]) -> CachedFabric:
        """Plan a fabric; its report is made when it is read."""
        plan = plan_of(inventory, self._catalog, self._packs)
        with inventory.locate_findings():
            bom = make_bom(plan)
            comparison = compare(plan.spec, self._catalog, None if inventory.kept else (plan, bom))
        report = Report(plan, bom, comparison, lambda: check(plan), lambda: self._configs(plan))
        return CachedFabric(inventory, plan, report, stated)

    def _configs(self, plan: Plan) -> dict[str, Any]:
        """Return the files of switches, or the reason of their refusal beside the other parts."""
        try:
            return configs_part(BuildContext(plan, self._packs))
        except Refusal as refusal:
            return {
                "switches": {},
                "note": "; ".join(
                    f"{finding.fact}: {finding.hint}" for finding in refusal.findings
                ),
            }
