"""The interfaces of hosts and switches, as a data-centre database holds them.

Owns which interfaces there are, and NetBox's names of their types. Their names and positions are
those of the cable list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.view import InterfaceView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.factory import Views

TYPES = frozenset(
    {
        "10gbase-x-sfpp",
        "25gbase-x-sfp28",
        "100gbase-x-qsfp28",
        "100gbase-x-qsfpdd",
        "200gbase-x-qsfpdd",
        "400gbase-x-qsfpdd",
        "800gbase-x-qsfpdd",
        "200gbase-x-qsfp56",
        "400gbase-x-qsfp112",
        "400gbase-x-osfp",
        "800gbase-x-osfp",
        "1.6tbase-x-osfp1600",
    }
)
"""Interface types of NetBox 4 for the cages of the catalog (InterfaceTypeChoices)."""

INFINIBAND = {
    25: "infiniband-edr",
    50: "infiniband-hdr",
    100: "infiniband-ndr",
    200: "infiniband-xdr",
}
"""The same by Gb/s of a lane."""

TWISTED_PAIR = {1: "1000base-t", 10: "10gbase-t"}
"""The same by Gb/s of an RJ45 socket."""

TERABIT = 1000

SECOND = 2
"""The connector of a link's second cable; rows from it on repeat a link."""


def type_of(speed_gbps: int, form_factor: str, lanes: int, transport: str) -> str:
    """Return NetBox's name of a port by its transceiver and speed; `other` where it has none.

    >>> type_of(400, "osfp", 4, "ethernet"), type_of(200, "osfp", 2, "ethernet")
    ('400gbase-x-osfp', 'other')
    >>> type_of(400, "osfp", 4, "infiniband")
    'infiniband-ndr'
    >>> type_of(1, "rj45", 1, "ethernet"), type_of(100, "qsfp28", 4, "ethernet")
    ('1000base-t', '100gbase-x-qsfp28')
    >>> type_of(10, "sfp+", 1, "ethernet")
    '10gbase-x-sfpp'
    """
    if transport == "infiniband":
        return INFINIBAND.get(speed_gbps // lanes, "other")
    if form_factor == "rj45":
        return TWISTED_PAIR.get(speed_gbps, "other")
    form = form_factor.replace("-", "").replace("+", "p")
    name = (
        f"{speed_gbps}gbase-x-{form}"
        if speed_gbps < TERABIT
        else f"{speed_gbps / 1000:g}tbase-x-{form}{speed_gbps}"
    )
    return name if name in TYPES else "other"


class InterfaceRows:
    """The interfaces of one plan; `views` are those of its cables."""

    def __init__(self, plan: Plan, views: Views) -> None:
        """Keep both; nothing is made before it is needed."""
        self.plan, self.views = plan, views

    @property
    def count(self) -> int:
        """The number of interfaces that `rows` yields."""
        plan = self.plan
        each = {role: len(self._ports(plan.fabric.port_layouts[role])) for role in plan.roles}
        own = sum(
            each[box.role]
            for box, has in zip(plan.naming.boxes, plan.installed, strict=True)
            if has
        )
        return plan.link_count(LinkKind.HOST) + plan.mapping.segments * own

    def _ports(self, port_layout: PortLayout) -> list[Port]:
        """List every port of a box of this role, used or not, in the order of the front panel."""
        used = self.plan.ports[port_layout.role]
        return sorted([*used, *port_layout.idle(used)], key=lambda port: (port.cage, port.sub))

    def rows(self) -> Iterator[InterfaceView]:
        """Yield the cabled NIC ports and all ports of the switches, segment by segment."""
        for segment in range(self.plan.mapping.segments):
            links = [cable for cable in self.views.cables(segment) if cable.connector < SECOND]
            yield from (self._nic(cable) for cable in links if cable.tier == Role.LEAF.tier)
            yield from self._switch_ports(segment, links)

    def _nic(self, cable: CableView) -> InterfaceView:
        """Make the interface of a NIC port."""
        fabric = self.plan.fabric
        leaf, form = (
            fabric.port_layouts[Role.LEAF],
            fabric.host.form_factor if fabric.host else "generic",
        )
        kind = type_of(fabric.speed_gbps, form, leaf.down.lanes, leaf.model.transport)
        far = f"{cable.cable} {cable.b_device}:{cable.b_interface}"
        return InterfaceView(
            cable.a_device,
            cable.a_interface,
            cable.a_port,
            kind,
            fabric.speed_gbps * 10**6,
            "true",
            self._mtu,
            far,
        )

    @property
    def _mtu(self) -> str:
        """The MTU of every link; empty on InfiniBand."""
        ethernet = self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"
        return str(self.plan.spec.addressing.mtu) if ethernet else ""

    def _switch_ports(self, segment: int, links: list[CableView]) -> Iterator[InterfaceView]:
        """Yield the ports of a segment's installed switches; one without a cable is disabled."""
        plan, far = self.plan, dict[tuple[str, str], str]()
        for cable in links:
            far[cable.b_device, cable.b_interface] = (
                f"{cable.cable} {cable.a_device}:{cable.a_interface}"
            )
            far[cable.a_device, cable.a_interface] = (
                f"{cable.cable} {cable.b_device}:{cable.b_interface}"
            )
        rows = {
            role: [*self._port_facts(port_layout)]
            for role, port_layout in plan.port_layouts(segment).items()
            if role in plan.roles
        }
        for name, box, has in zip(
            plan.naming.switches(segment), plan.naming.boxes, plan.installed, strict=True
        ):
            for interface, label, kind, speed in rows[box.role] if has else ():
                peer = far.get((name, interface), "")
                yield InterfaceView(
                    name,
                    interface,
                    label,
                    kind,
                    speed,
                    "true" if peer else "false",
                    self._mtu,
                    peer,
                )

    def _port_facts(self, port_layout: PortLayout) -> Iterator[tuple[str, str, str, int]]:
        """Return the facts that ports of every box of a role share: name, label, type, speed."""
        for port in self._ports(port_layout):
            cage, sub, mode = port
            label = f"{cage}/{sub + 1}" if mode.count > 1 else str(cage)
            yield (
                port_layout.interface(port),
                label,
                type_of(
                    mode.speed_gbps,
                    port_layout.model.form_factor_of(mode),
                    mode.lanes,
                    port_layout.model.transport,
                ),
                mode.speed_gbps * 10**6,
            )
