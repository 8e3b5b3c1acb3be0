"""The report of one plan: its page, and the parts that the browser reads when needed.

Owns `Report`, which makes each part on first use, in the shapes of `web/src/model.ts`. Packs render
the files of switches; the caller passes them in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.outputs.drawings.build import Drawings
from fabricgen.outputs.report.drawings import network_drawings, rails, stripes
from fabricgen.outputs.report.failure_impacts import losses
from fabricgen.outputs.report.page_data import Paged, page
from fabricgen.outputs.report.tables import cables_table, devices_table, shown_segments
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.law import CheckResult, Judgement
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Comparison
    from fabricgen.outputs.report.failure_impacts import Losses
    from fabricgen.planning.plan import Plan

Part = Literal["devices", "cables", "rails", "stripes", "configs", "laws"]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts that are read when first needed, by their names in `Parts` of the model."""


def no_configs() -> dict[str, Any]:
    """Return `Configs` of the model without any file."""
    note = "this page holds no files of switches"
    return {"switches": {}, "systems": {}, "verified": {}, "note": note}


@dataclass(frozen=True)
class Report:
    """The report of one plan.

    `page` and the parts are plain values, ready for JSON; what several need is computed once.
    """

    plan: Plan
    bom: Bom
    comparison: Comparison
    judge: Callable[[], CheckResult]
    """Checks the laws, when that part is needed."""
    configs: Callable[[], dict[str, Any]] = no_configs
    """Makes `Configs` of the model, when that part is needed."""
    notes: tuple[str, ...] = ()
    """Notices about the files of switches."""

    @classmethod
    def of(cls, plan: Plan, configs: Callable[[], dict[str, Any]] = no_configs) -> Report:
        """Make the report of a plan. Raises the Refusal of a price book that is not there."""
        return cls(
            plan, make_bom(plan), compare(plan.spec, plan.catalog), lambda: check(plan), configs
        )

    @cached_property
    def page(self) -> dict[str, Any]:
        """The first part: `Page` of the model."""
        bill = cluster_bom(self.plan) if self.plan.networks else self.bom
        return page(Paged(self.plan, self.bom, bill, self.comparison, self._drawings, self.notes))

    def part(self, name: Part) -> Any:  # noqa: ANN401 - each part has a shape of its own
        """Make a part by its name, in its shape of the model; parts are long and not kept."""
        makers: dict[Part, Callable[[], Any]] = {
            "devices": lambda: devices_table(self.plan, self._losses),
            "cables": lambda: cables_table(self.plan, Views(self.plan), self._losses),
            "rails": lambda: rails(self._drawings),
            "stripes": lambda: stripes(self._drawings) | network_drawings(self.plan),
            "configs": self.configs,
            "laws": lambda: [_law(judgement) for judgement in self.judge().judgements],
        }
        return makers[name]()

    @cached_property
    def _drawings(self) -> Drawings:
        """The drawings of the plan."""
        return Drawings(self.plan)

    @cached_property
    def _losses(self) -> Losses:
        """The impact of each switch's failure, and of each cable's where cables are shown."""
        return losses(self.plan, cables=shown_segments(self.plan) > 0)


def _law(judgement: Judgement) -> dict[str, Any]:
    """Return `Law` of the model: a finding with its arithmetic, and the number of others."""
    findings = [
        f"{finding.fact}: {'; '.join(finding.because)}" if finding.because else finding.fact
        for finding in judgement.findings
    ]
    more = [f"and {judgement.more:,} more"] if judgement.more else []
    return {
        "code": judgement.law.code,
        "title": judgement.law.title,
        "ok": judgement.ok,
        "figure": judgement.figure,
        "findings": [*findings, *more],
    }
