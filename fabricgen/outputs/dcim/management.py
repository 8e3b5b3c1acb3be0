"""The management ports of switches and hosts, as a data-centre database holds them.

Owns their rows. The addresses are those of the plan, and the names of the ports those of the packs;
a host's port has no name of its own in a plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.outputs.dcim.view import ManagementPortView

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.planning.plan import Plan

UNNAMED = "management"
"""The name of a management port that no pack names."""


class ManagementPorts:
    """The management ports of one plan."""

    def __init__(self, plan: Plan, names: Mapping[str, str]) -> None:
        """Keep the plan, and the name of the port of each NOS."""
        self.plan, self._names = plan, names

    @property
    def count(self) -> int:
        """The number of installed devices with an address."""
        plan = self.plan
        if plan.management is None:
            return 0
        hosts = 0 if plan.management.hosts is None else len(plan.hosts)
        return hosts + plan.mapping.segments * sum(plan.installed)

    def rows(self) -> Iterator[ManagementPortView]:
        """List hosts, then switches segment by segment."""
        plan, given = self.plan, self.plan.management
        if given is None or plan.spec.management is None:
            return
        pool = plan.spec.management.host_pool
        for number, host in enumerate(plan.hosts if pool else ()):
            length = pool.prefixlen if pool else 0
            yield ManagementPortView(host, UNNAMED, f"{given.host(number)}/{length}")
        for segment in range(plan.mapping.segments):
            layouts, names = plan.port_layouts(segment), plan.naming.switches(segment)
            for at, box in enumerate(plan.naming.boxes):
                if plan.installed[at]:
                    name = self._names.get(layouts[box.role].nos) or UNNAMED
                    prefix = f"{given.switch(segment, at)}/{given.subnet.prefixlen}"
                    yield ManagementPortView(names[at], name, prefix)
