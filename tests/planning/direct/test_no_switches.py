"""Tasks that work on switches alone refuse direct rails, in programs and in commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.api import phases, plan_inventory, search, switch_graph
from fabricgen.core.diagnostics import Refusal
from fabricgen.lab.slice import lay_out
from fabricgen.lifecycle.audit.degraded_tables import DegradedTables
from fabricgen.lifecycle.change.cut_sheet import CutSheet
from fabricgen.lifecycle.change.import_cut_sheet import import_cut_sheet
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.api import Plan

TASKS: dict[str, Callable[[Plan], object]] = {
    "search": search,
    "phases": phases,
    "switch_graph": switch_graph,
    "audit --tables": lambda plan: DegradedTables(plan, Failures()),
    "lab up": lay_out,
    "import": lambda plan: import_cut_sheet(plan, CutSheet("sheet.csv", [])),
}


@pytest.mark.parametrize("task", TASKS)
def test_tasks_of_switches_refuse_direct_rails(task: str) -> None:
    """Programs that call the library get the refusal of the command."""
    with pytest.raises(Refusal) as refused:
        TASKS[task](plan_inventory(TORUS))
    (finding,) = refused.value.findings
    assert finding.code == "no-switches"
    assert finding.fact.startswith(f"`{task}`")
