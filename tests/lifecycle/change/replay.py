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
        """Start from a cabling, where no two cables share a port."""
        self.cables: dict[Ends, str] = {}
        self.loose: dict[str, str] = {}
        self._used: dict[str, Ends] = {}
        for pair, label in cables.items():
            self._plug(pair, label)

    def _plug(self, pair: Ends, label: str) -> None:
        """Connect a cable to two free ports."""
        assert not pair & self._used.keys()
        self.cables[pair] = label
        self._used |= dict.fromkeys(pair, pair)

    def _unplug(self, pair: Ends, label: str) -> None:
        """Take a cable out of both of its ports."""
        assert self.cables.pop(pair) == label
        for port in pair:
            del self._used[port]

    def follow(self, step: WorkStep) -> None:
        """Do one step."""
        if step.action == "add":
            self._plug(frozenset({step.start, step.end}), step.cable)
        elif step.action == "remove":
            self._unplug(frozenset({step.start, step.end}), step.cable)
        elif step.action in ("move", "unplug"):
            assert step.action == "unplug" or step.end not in self._used
            pair = self._used[step.start]
            self._unplug(pair, step.cable)
            (stays,) = pair - {step.start}
            if step.action == "unplug":
                self.loose[step.cable] = stays
                self._used[stays] = frozenset({stays})
            else:
                self._plug(frozenset({stays, step.end}), step.cable)
        elif step.action == "plug":
            assert step.end not in self._used
            stays = self.loose.pop(step.cable)
            del self._used[stays]
            self._plug(frozenset({stays, step.end}), step.cable)
