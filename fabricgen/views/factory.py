"""From a plan to the views of its cables and switches, segment by segment.

Owns `Views`, which also selects the NOS of each rail. `switches.ports` owns what is the same in
every segment; `cables.build` and `switches.build` make the views.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import ROLES, Role
from fabricgen.views.cables.build import CableViews
from fabricgen.views.switches.build import SwitchViews
from fabricgen.views.switches.ports import PortFacts, Ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.protocols import LinkSettings
    from fabricgen.views.switches.view import SwitchView

KEPT_LINKS = 100_000
"""Most links of a fabric whose views are kept where they are read twice: they take 90 MB.

4,096 GPUs with eight planes in two tiers have 98,304 links.
"""


class Views:
    """Makes the views of one plan, segment by segment; what all segments share is computed once.

    With `kept`, the views of a fabric of up to `KEPT_LINKS` links are made once, for laws and
    templates alike.
    """

    def __init__(self, plan: Plan, *, kept: bool = False) -> None:
        """Keep the plan; no view is made yet."""
        self.plan, self._ports = plan, Ports(plan)
        self._kept = kept and plan.links <= KEPT_LINKS
        self._cables, self._switches = (
            CableViews(self._ports),
            SwitchViews(self._ports, kept=self._kept),
        )
        self._rows: dict[tuple[int, int, int], Sequence[CableView]] = {}

    @property
    def facts(self) -> dict[Role, list[PortFacts]]:
        """The ports of each role's box, in the order of `Plan.ports`."""
        return self._ports.facts

    def prepare(self) -> None:
        """Compute now what all segments share; workers that are forked afterwards inherit it."""
        _ = self._ports.link_ends, self.plan.hosts
        self._cables.prepare()
        self._switches.prepare()
        for views in self._by_rail.values():
            views.prepare()

    def cables(self, segment: int, start: int = 0, stop: int | None = None) -> Sequence[CableView]:
        """Return the cables of one segment, or a run of them, in the order of `Plan.segment`."""
        own = self._by_segment[segment]
        if own is not self:
            return own.cables(segment, start, stop)
        if not self._kept:
            return self._cables.cables(segment, start, stop)
        run = segment, start, len(self.plan.segment.kind) if stop is None else stop
        if run not in self._rows:
            self._rows[run] = self._cables.cables(*run)
        return self._rows[run]

    def switches(
        self, segment: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None
    ) -> Iterator[SwitchView]:
        """Make the view of each installed switch of a segment, or of those at these boxes."""
        own = self._by_segment[segment]
        return (
            self._switches.switches(segment, roles, boxes)
            if own is self
            else own.switches(segment, roles, boxes)
        )

    def settings(self, segment: int) -> LinkSettings:
        """Return the settings that every switch of a segment shares with its neighbors."""
        own = self._by_segment[segment]
        return self._switches.settings if own is self else own.settings(segment)

    @cached_property
    def _by_rail(self) -> dict[int, Views]:
        """What makes the views of each rail whose switches run another NOS."""
        return {
            rail: Views(self.plan.with_port_layouts(port_layouts), kept=self._kept)
            for rail, port_layouts in self.plan.fabric.switches_by_rail.items()
        }

    @cached_property
    def _by_segment(self) -> list[Views]:
        """What makes the views of each segment."""
        rails = (self.plan.mapping.rail(segment) for segment in range(self.plan.mapping.segments))
        return [self if rail is None else self._by_rail.get(rail, self) for rail in rails]
