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
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.planning.plan import Plan
    from fabricgen.views.infiniband.systems import Systems
    from fabricgen.views.infiniband.view import SubnetNode

FIRST_DEVICE = 1 << 30
"""The number of the first port of a device among all ports of adapters, behind those of GPUs."""


class Guids:
    """The GUIDs of one plan."""

    def __init__(self, plan: Plan, systems: Systems) -> None:
        """Keep the plan and the names of its ports; the table is read on first use."""
        self.plan, self.systems = plan, systems

    @cached_property
    def table(self) -> dict[tuple[str, str], int]:
        """The GUIDs of the table, by device and port.

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
        lines = read_guids(self.plan.catalog.relative_path(shown), shown)
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
        return {(read.device, read.port): read.guid for read in lines}

    @cached_property
    def given(self) -> set[str]:
        """The GUIDs of the table, as texts."""
        return {guid_text(guid) for guid in self.table.values()}

    def switch(self, name: str, segment: int, index: int) -> int:
        """Return the GUID of a switch, by its name and its box in a segment."""
        boxes = self.plan.naming.boxes
        first = next(number for number, box in enumerate(boxes) if box.role is boxes[index].role)
        placeholder = switch_placeholder(boxes[index].role.tier, segment, index - first)
        return self.table.get((name, ""), placeholder)

    def nic(self, device: str, adapter: str, gpu: int, plane: int) -> int:
        """Return the GUID of a NIC port: by the name of its adapter, or of its interface."""
        coordinates = self.plan.fabric.coordinates
        interface = self.plan.naming.interface(self.plan.fabric.interface_index(gpu), plane)
        return (
            self.table.get((device, adapter))
            or self.table.get((device, interface))
            or port_placeholder(coordinates.nic(gpu, plane))
        )

    def device(self, device: str, interface: str, number: int) -> int:
        """Return the GUID of a device's port; all of them are counted."""
        placeholder = port_placeholder(FIRST_DEVICE + number)
        return self.table.get((device, interface), placeholder)

    def placeholders(self, nodes: Iterable[SubnetNode]) -> int:
        """Return how many nodes have a placeholder."""
        return sum(node.guid not in self.given for node in nodes)

    def check_unique(self, nodes: list[SubnetNode]) -> None:
        """Refuse a GUID of the table that is the placeholder of another port.

        Raises Refusal `bad-guids`.
        """
        seen: dict[str, SubnetNode] = {}
        for node in nodes:
            first = seen.setdefault(node.guid, node)
            if first is not node:
                because = f"`{first.description}` and `{node.description}` would both have it"
                hint = "read GUIDs on the machines; those that begin with 0x02 are placeholders"
                raise Refusal(
                    [
                        bad_guid(
                            str(self.plan.spec.addressing.guids),
                            None,
                            f"{node.guid} belongs to two ports",
                            because,
                            hint=hint,
                        )
                    ]
                )
