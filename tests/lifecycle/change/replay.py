"""What the tests of growth share.

These are growing plans, cables by their ends, and a simulated technician.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.expand import grow
from tests.fabrics import CATALOG, cables_of, plan_of, spec_of

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.work_order import WorkStep
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

Ends = frozenset[str]


def grown(older: int, newer: int, **keys: Any) -> tuple[Plan, Plan]:  # noqa: ANN401 - keys of an inventory
    """Plan a fabric of a number of GPUs, and grow it to another."""
    old = plan_of(**keys, gpus=older)
    return old, grow(old, spec_of(**keys, gpus=newer), CATALOG)


def grown_or_refused(old: Plan, **keys: Any) -> Plan | None:  # noqa: ANN401 - keys of an inventory
    """Grow a plan; None where that is refused with findings."""
    try:
        return grow(old, spec_of(**keys), CATALOG)
    except Refusal as refusal:
        findings = refusal.findings
    assert all(finding.code and finding.fact and finding.hint for finding in findings), findings
    return None


def ends(view: CableView) -> Ends:
    """Return the names of both ports of a cable."""
    connector = f" connector {view.connector}" if view.connector else ""
    return frozenset(
        {
            f"{view.a_device} {view.a_interface}{connector}",
            f"{view.b_device} {view.b_interface}{connector}",
        }
    )


def wired(plan: Plan) -> dict[Ends, str]:
    """Return the label of each cable by its ends."""
    return {ends(view): view.cable for view in cables_of(plan)}


class Technician:
    """Carries out steps literally. A port in use or a cable in another place is an error."""

    def __init__(self, cables: dict[Ends, str]) -> None:
        """Start from a cabling."""
        self.cables = dict(cables)
        self.loose: dict[str, str] = {}

    def ports(self) -> set[str]:
        """Return the ports in use; no two cables share one."""
        taken = [port for pair in self.cables for port in pair] + list(self.loose.values())
        assert len(taken) == len(set(taken))
        return set(taken)

    def follow(self, step: WorkStep) -> None:
        """Do one step."""
        taken = self.ports()
        if step.action == "add":
            assert not taken & {step.start, step.end}
            self.cables[frozenset({step.start, step.end})] = step.cable
        elif step.action == "remove":
            assert self.cables.pop(frozenset({step.start, step.end})) == step.cable
        elif step.action in ("move", "unplug"):
            (pair,) = (pair for pair in self.cables if step.start in pair)
            assert self.cables.pop(pair) == step.cable
            (stays,) = pair - {step.start}
            if step.action == "unplug":
                self.loose[step.cable] = stays
            else:
                assert step.end not in taken
                self.cables[frozenset({stays, step.end})] = step.cable
        elif step.action == "plug":
            assert step.end not in taken
            self.cables[frozenset({self.loose.pop(step.cable), step.end})] = step.cable
