"""The plans that the page asks for, one at a time, the last few kept.

Owns the way from controls to a plan and its report, and the locks: two requests for the same fabric
plan it once, and its parts come from that plan. The inventory is read again for each request, so
that the page follows the file; the catalog is read once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.bill import make_bom
from fabricgen.bom.comparison import COMPARED, compare
from fabricgen.build.context import BuildContext
from fabricgen.build.group_report import configs_part
from fabricgen.build.load_plan import plan_of
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.report.compact_json import packed
from fabricgen.outputs.report.report import PARTS, Report
from fabricgen.planning.resolve import resolve
from fabricgen.serve.controls import radix_overrides, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.load import Inventory
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.outputs.report.report import Part
    from fabricgen.planning.plan import Plan

KEPT = 4
"""Plans that are kept, the last ones: one that is turned to and back again comes at once."""


@dataclass
class CachedFabric:
    """One fabric as it was turned: its plan, its report, and the parts of it that were asked for."""

    inventory: Inventory
    plan: Plan
    report: Report
    settings: tuple[str, ...]
    """What was turned, as `--set` takes it."""
    _parts: dict[Part, bytes] = field(default_factory=dict)
    _locks: dict[Part | None, Lock] = field(
        default_factory=lambda: {name: Lock() for name in (None, *PARTS)}
    )
    """One for each part, and one for the page: a drawing does not wait for a table."""

    @cached_property
    def controls(self) -> dict[str, Any]:
        """What the controls stand at: `Controls` of the model."""
        fabric = self.plan.fabric
        port_layout = fabric.port_layouts[Role.LEAF]
        return {
            "gpus": fabric.gpus, "hb_domain": fabric.domain_gpus, "radix": port_layout.radix, "design": fabric.design.value, "planes": fabric.planes,
            "designs": [design.value for design in COMPARED], "leaf": port_layout.model.model,
        }  # fmt: skip

    @property
    def page(self) -> dict[str, Any]:
        """The light part of the report. Raises Refusal for prices that are not to be had."""
        with self._locks[None], self.inventory.locate_findings():
            return self.report.page

    def part(self, name: Part) -> bytes:
        """Return a part of the report as gzip of JSON, made when it is first asked for."""
        with self._locks[name], self.inventory.locate_findings():
            if name not in self._parts:
                self._parts[name] = packed(
                    self.report.part(name), level=1
                )  # it does not travel far
            return self._parts[name]

    def text(self) -> str:
        """Return the inventory that this fabric is planned from, as YAML."""
        return inventory_text(self.inventory.spec)


class PlanCache:
    """Where fabrics are turned: an inventory that is read with settings, one catalog, and the packs that write files of switches."""

    def __init__(
        self, read: Callable[[tuple[str, ...]], Inventory], catalog: Catalog, packs: Packs
    ) -> None:
        """Keep the way to read; nothing is planned yet."""
        self._read, self._catalog, self._packs = read, catalog, packs
        self._kept: list[CachedFabric] = []
        self._lock = Lock()

    def sized(self, asked: Mapping[str, str]) -> CachedFabric:
        """Return the fabric of these controls, texts by their names. Raises Refusal with places, as the command line prints it."""
        with self._lock:
            stated = self._settings(asked)
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
            sized = found or self._plan(inventory, stated)
            self._kept = [sized, *(each for each in self._kept if each is not sized)][:KEPT]
            return sized

    def _settings(self, asked: Mapping[str, str]) -> tuple[str, ...]:
        """Return what controls set in the inventory as it stands now."""
        spec = self._read(()).spec
        found = settings(asked, spec)
        radix = asked.get("radix")
        return tuple(
            found
            if radix is None
            else [*found, *radix_overrides(radix, spec, self._radix(tuple(found)))]
        )

    def _radix(self, stated: tuple[str, ...]) -> int | None:
        """Return the radix that the inventory's own leaf has with these settings; None where they are refused."""
        try:
            return resolve(self._read(stated).spec, self._catalog).port_layouts[Role.LEAF].radix
        except Refusal:
            return None

    def _plan(self, inventory: Inventory, stated: tuple[str, ...]) -> CachedFabric:
        """Plan a fabric; its report is made when it is asked for."""
        plan = plan_of(inventory, self._catalog, self._packs)
        with inventory.locate_findings():
            bom = make_bom(plan)
            comparison = compare(plan.spec, self._catalog, None if inventory.kept else (plan, bom))
        report = Report(plan, bom, comparison, lambda: check(plan), lambda: self._configs(plan))
        return CachedFabric(inventory, plan, report, stated)

    def _configs(self, plan: Plan) -> dict[str, Any]:
        """Return the files of switches; where they cannot be made, why: all else of a page can be looked at."""
        try:
            return configs_part(BuildContext(plan, self._packs))
        except Refusal as refusal:
            return {
                "switches": {},
                "note": "; ".join(
                    f"{finding.fact}: {finding.hint}" for finding in refusal.findings
                ),
            }
