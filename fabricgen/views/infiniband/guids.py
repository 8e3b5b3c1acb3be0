"""The GUIDs of a plan's switches and NIC ports: those of the table, else placeholders.

`guids_csv` reads the table. Owns the refusal of GUIDs that are not of the plan, or used twice.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import DEVICES
from fabricgen.views.infiniband.guids_csv import (
    KEY,
    bad_guid,
    guid_text,
    port_placeholder,
    read_guids,
    switch_placeholder,
    unknown_guid,
)
from fabricgen.views.infiniband.systems import Systems
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.planning.plan import Plan
    from fabricgen.views.infiniband.view import SubnetNode

FIRST_DEVICE = 1 << 30
"""The number of the first port of a device among all ports of adapters, behind those of GPUs."""


class Guids:
    """The GUIDs of one plan."""

    def __init__(self, plan: Plan, systems: Systems) -> None:
        """Keep the plan and the names of its ports; the table is read on first use."""
        self.plan, self.systems = plan, systems

    @cached_property
    def table(self) -> dict[tuple[str, str], list[int]]:
        """The GUIDs of the table, by device and port: one, or of a switch one for each node.

        Raises Refusal `bad-guids` for unknown devices and ports, and for repeated GUIDs.
        """
        shown = self.plan.spec.addressing.guids
        if shown is None:
            return {}
        if not is_infiniband(self.plan):
            raise refuse(
                "bad-guids",
                f"{shown}: these switches speak Ethernet, which has no GUIDs",
                path=KEY,
                hint="leave `addressing.guids` out",
            )
        lines = read_guids(self.plan.catalog.relative_path(shown), shown, self._nodes)
        switches, ports = set(self.plan.switches()), set(self.systems.nic_names())
        hosts = set(self.plan.hosts)
        if devices := self.plan.networks.get(DEVICES):
            hosts |= set(devices.hosts)
            ports |= set(
                devices.fabric.network.attached.interfaces if devices.fabric.network else ()
            )
        unknown = (
            unknown_guid(
                shown, read, [*switches, *hosts], sorted(ports) if read.device in hosts else []
            )
            for read in lines
            if not (
                (read.device in switches and not read.port)
                or (read.device in hosts and read.port in ports)
            )
        )
        if findings := list(islice(unknown, SHOWN)):
            raise Refusal(findings)
        found: dict[tuple[str, str], list[int]] = {}
        for read in lines:
            found.setdefault((read.device, read.port), []).append(read.guid)
        return found

    @property
    def _nodes(self) -> dict[str, int]:
        """The switches that are several nodes of a subnet, and of how many."""
        plan, layouts = self.plan, self.plan.fabric.port_layouts
        return {
            name: nodes
            for segment in range(plan.mapping.segments)
            for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True)
            if (nodes := layouts[box.role].model.subnet_nodes) > 1
        }

    @cached_property
    def given(self) -> set[str]:
        """The GUIDs of the table, as texts."""
        return {guid_text(guid) for own in self.table.values() for guid in own}

    def switch(self, name: str, segment: int, index: int) -> list[int]:
        """Return the GUIDs of a switch's nodes, by its name and its box in a segment."""
        boxes, role = self.plan.naming.boxes, self.plan.naming.boxes[index].role
        first = next(number for number, box in enumerate(boxes) if box.role is role)
        nodes = self.plan.fabric.port_layouts[role].model.subnet_nodes
        given = self.table.get((name, ""), [])
        return given + [
            switch_placeholder(role.tier, segment, index - first, node)
            for node in range(len(given), nodes)
        ]

    def nic(self, device: str, adapter: str, gpu: int, plane: int) -> int:
        """Return the GUID of a NIC port: by the name of its adapter, or of its interface."""
        coordinates = self.plan.fabric.coordinates
        interface = self.plan.naming.interface(self.plan.fabric.interface_index(gpu), plane)
        placeholder = port_placeholder(coordinates.nic(gpu, plane))
        return next(
            (
                self.table[device, name][0]
                for name in (adapter, interface)
                if (device, name) in self.table
            ),
            placeholder,
        )

    def device(self, device: str, interface: str, number: int) -> int:
        """Return the GUID of a device's port; all of them are counted."""
        placeholder = port_placeholder(FIRST_DEVICE + number)
        return self.table.get((device, interface), [placeholder])[0]

    def placeholders(self, nodes: Iterable[SubnetNode]) -> int:
        """Return how many GUIDs of nodes are placeholders."""
        return sum(guid not in self.given for node in nodes for guid in node.guids)

    def check_unique(self, nodes: list[SubnetNode]) -> None:
        """Refuse a GUID of the table that is the placeholder of another port.

        Raises Refusal `bad-guids`.
        """
        seen: dict[str, SubnetNode] = {}
        for guid, node in ((guid, each) for each in nodes for guid in each.guids):
            first = seen.setdefault(guid, node)
            if first is not node:
                because = f"`{first.description}` and `{node.description}` would both have it"
                hint = "read GUIDs on the machines; those that begin with 0x02 are placeholders"
                raise Refusal(
                    [
                        bad_guid(
                            str(self.plan.spec.addressing.guids),
                            None,
                            f"{guid} belongs to two ports",
                            because,
                            hint=hint,
                        )
                    ]
                )


def guid_owners(plan: Plan) -> dict[int, tuple[str, str]]:
    """Return the device and the port that the inventory gives each GUID to.

    Raises Refusal `bad-guids`.
    """
    table = Guids(plan, Systems(plan)).table
    return {guid: owner for owner, own in table.items() for guid in own}
