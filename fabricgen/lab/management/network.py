"""The management network of a lab: a bridge with a router, the switches' ports, and an operator.

Addresses, gateways and VRFs of the switches are those of the emitted files; the router and the
operator beyond it belong to the site, so their addresses come from the plan. As with the VRFs of
rails, the VRF of management is a namespace, because a kernel may have no VRFs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal
from fabricgen.lab.boot import BRIDGE, set_kernel
from fabricgen.lab.iproute import batch, link_wire
from fabricgen.lab.management.emitted import PORT, EmittedManagement, Interface, read_management
from fabricgen.lab.topology import OPERATOR, ROUTER
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from fabricgen.lab.boot import Machines
    from fabricgen.planning.management import ManagementPlan

OUTSIDE = (IPv4Network("192.0.2.0/30"), IPv4Network("198.51.100.0/30"))
"""Where the operator is (RFC 5737): the first that is not part of the management subnet, so that
the answers of a switch need its route."""

UPLINK = "operator"
"""The router's interface to the operator."""


@dataclass(frozen=True)
class ManagementNetwork:
    """The management network of one lab; `faults` has what did not boot, by switch."""

    machines: Machines
    faults: dict[str, list[str]] = field(default_factory=dict)

    @property
    def plan(self) -> ManagementPlan:
        """The planned addresses."""
        planned = self.machines.layout.plan.management
        assert planned is not None  # noqa: S101 - there is no such network without `management`
        return planned

    @property
    def switches(self) -> dict[str, str]:
        """The planned address of each switch."""
        return self.machines.layout.management_addresses

    @cached_property
    def emitted(self) -> dict[str, EmittedManagement]:
        """What the emitted files of each switch state."""
        configs = self.machines.out / "configs"
        return {name: read_management(configs / name) for name in self.switches}

    def node(self, switch: str, vrf: str) -> str | None:
        """Return the node of a VRF of a switch; None where its `interfaces` does not make it."""
        layout = self.machines.layout
        if not vrf:
            return layout.first_node(switch)
        own = layout.management[switch]
        made = vrf in self.emitted[switch].interfaces and own == f"{switch}:{vrf}"
        return own if made else None

    def fail(self, switch: str, fault: str) -> None:
        """Keep what is wrong with a switch."""
        self.faults.setdefault(switch, []).append(fault)

    def boot(self) -> None:
        """Make the bridge, the router and the operator, and bring up the port of each switch."""
        inside = self.machines.networks.inside
        inside(ROUTER, self._router)
        inside(OPERATOR, self._operator)
        for number, switch in enumerate(self.switches):
            interface = self.emitted[switch].interfaces.get(PORT)
            if interface is None:
                self.fail(switch, f"`interfaces` does not bring up {PORT}")
            elif (node := self.node(switch, interface.vrf)) is None:
                self.fail(switch, f"{PORT} is in a VRF `{interface.vrf}`, which is not made")
            else:
                if not self._cabled(switch):
                    inside(ROUTER, partial(batch, self._port(number, node), node))
                self._configure(switch, node, interface)

    def _cabled(self, switch: str) -> bool:
        """Return whether a cable of the lab joins the management port to an access switch."""
        machines = self.machines
        return PORT in machines.ends[machines.layout.management[switch]]

    def _router(self) -> None:
        """Make the bridge and its router, whose neighbours are permanent, as all in a lab are."""
        subnet, gateway = self.plan.subnet, address_text(self.plan.gateway)
        set_kernel("net.ipv4.ip_forward", "1")
        batch(
            [
                f"link add {BRIDGE} type bridge forward_delay 0 stp_state 0 mcast_snooping 0",
                f"link set {BRIDGE} address {_mac(0)} up",
                f"address add {gateway}/{subnet.prefixlen} dev {BRIDGE}",
                link_wire(self._first, UPLINK, f"{PORT} netns {OPERATOR}"),
                f"link set {UPLINK} up",
                f"address add {self._outside[1]}/30 dev {UPLINK}",
                *(f"link set {name} master {BRIDGE} up" for name in self.machines.ends[ROUTER]),
                *(
                    f"neigh replace {address} lladdr {_mac(number)} dev {BRIDGE} nud permanent"
                    for number, (switch, address) in enumerate(self.switches.items(), start=1)
                    if not self._cabled(switch)
                ),
            ],
            ROUTER,
        )

    def _operator(self) -> None:
        """Give the operator an address and a route over the router."""
        lines = [f"address add {self._outside[2]}/30 dev {PORT}", f"link set {PORT} up"]
        batch([*lines, f"route add default via {self._outside[1]}"], OPERATOR)

    def _port(self, number: int, node: str) -> list[str]:
        """Return the commands that join the management port of a switch to the bridge."""
        port = f"port{number}"
        far = f"{PORT} address {_mac(number + 1)} netns {node}"
        return [
            link_wire(self._first + 1 + number, port, far),
            f"link set {port} master {BRIDGE} up",
        ]

    @property
    def _first(self) -> int:
        """The number of the first wire that is not one of the layout's."""
        return len(self.machines.layout.wires)

    @cached_property
    def _outside(self) -> IPv4Network:
        """The network between router and operator."""
        return next(net for net in OUTSIDE if not net.overlaps(self.plan.subnet))

    def _configure(self, switch: str, node: str, interface: Interface) -> None:
        """Apply the emitted address and gateway to the management port of a switch."""
        address, gateway, _ = interface
        lines = [f"address add {address} dev {PORT}"] if address else []
        lines += [f"link set {PORT} up", "link set lo up"]
        if gateway:
            lines += [
                f"neigh replace {gateway} lladdr {_mac(0)} dev {PORT} nud permanent",
                f"route add default via {gateway} dev {PORT}",
            ]
        try:
            self.machines.networks.inside(node, partial(batch, lines, node))
        except Refusal as refusal:
            self.fail(switch, f"{PORT}: {refusal.findings[0].because[0]}")


def _mac(number: int) -> str:
    """Return a hardware address of the management network: 0 is the router."""
    return ":".join(f"{byte:02x}" for byte in (2, 1, *number.to_bytes(4, "big")))
