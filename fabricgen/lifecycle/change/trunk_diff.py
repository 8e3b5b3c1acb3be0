"""The trunks that only one of two plans has. A trunk is pulled or removed, and never moved.

Owns `TrunkChanges`. Two plans share a trunk where its part and the ports at both of its ends agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.document import Document
from fabricgen.lifecycle.change.work_order import WorkStep
from fabricgen.views.cables.patched import rear_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class TrunkChanges(Document):
    """Trunks by their names: `trunks` of `diff --json`."""

    added: list[str]
    removed: list[str]
    kept: int


@dataclass(frozen=True)
class TrunkDiff:
    """The trunks to pull before any jumper, and those to remove after all.

    A trunk whose ports a new one takes is removed before that is pulled.
    """

    changes: TrunkChanges
    pulled: tuple[WorkStep, ...]
    removed: tuple[WorkStep, ...]


class _Trunk(NamedTuple):
    """A trunk: its name, both ends as text, and the ports that they take."""

    name: str
    ends: tuple[str, str]
    ports: frozenset[tuple[str, int]]


def diff_trunks(old: Plan | None, new: Plan | None) -> TrunkDiff | None:
    """Compare the trunks of two plans; None where neither has any."""
    before, after = (dict(_trunks(plan)) for plan in (old, new))
    if not before and not after:
        return None
    come = [trunk for key, trunk in after.items() if key not in before]
    gone = [trunk for key, trunk in before.items() if key not in after]
    changes = TrunkChanges(
        added=[trunk.name for trunk in come],
        removed=[trunk.name for trunk in gone],
        kept=len(after) - len(come),
    )
    taken = frozenset[tuple[str, int]]().union(*(trunk.ports for trunk in come))
    first = [trunk for trunk in gone if not taken.isdisjoint(trunk.ports)]
    return TrunkDiff(
        changes,
        (
            *(WorkStep("remove", trunk.name, *trunk.ends) for trunk in first),
            *(WorkStep("add", trunk.name, *trunk.ends) for trunk in come),
        ),
        tuple(WorkStep("remove", each.name, *each.ends) for each in gone if each not in first),
    )


def _trunks(plan: Plan | None) -> Iterator[tuple[tuple[str, ...], _Trunk]]:
    """Yield the trunks of a plan, each after its part and its ends."""
    if plan is None or plan.channels is None:
        return
    panels = plan.channels.panels
    for trunk in plan.channels.trunks:
        names = [panels[plug.panel].name for plug in trunk.ends]
        a, b = (
            f"{name} {rear_ports(trunk, plug)}"
            for name, plug in zip(names, trunk.ends, strict=True)
        )
        ports = frozenset(
            (name, plug.port + leg)
            for name, plug in zip(names, trunk.ends, strict=True)
            for leg in range(trunk.parts.legs)
        )
        yield (trunk.item, a, b), _Trunk(trunk.name, (a, b), ports)
