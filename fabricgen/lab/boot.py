"""Booting a lab: wires, bridges, addresses of GPUs, and the kernel settings of each switch.

Owns the order of the boot. All settings of switches and GPUs are in the emitted files; this module
makes the boxes, cables and power. Hardware addresses are fixed and all neighbours permanent,
because the kernel counts the others over all namespaces and limits them to a thousand, a setting
that only the host can change.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv6Address
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE
from fabricgen.core.diagnostics import refuse
from fabricgen.lab import namespaces
from fabricgen.lab.iproute import (
    BATCHES,
    batch,
    check_exit,
    finish_batch,
    link_wire,
    start_batch,
    wait_for_carrier,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.topology import LabLayout, Wire


BRIDGE = "br0"

VRF_KEY = "l3mdev"
"""In the names of kernel parameters of VRFs."""

ACCOUNTS = {
    "/etc/passwd": (
        "root:x:0:0::/:/bin/sh\nfrr:x:0:0::/:/bin/sh\n"
        "_lldpd:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
    ),
    "/etc/group": "root:x:0:\nfrr:x:0:\nfrrvty:x:0:\n_lldpd:x:0:\nnogroup:x:65534:\n",
}
"""Users that daemons require; in a lab each is the user who started it."""


HASH_SEED = "net.ipv4.fib_multipath_hash_seed"
"""Gives each switch its own hash of flows (Linux 6.11). Otherwise all switches of one machine hash
alike, and flows that a leaf sends to one spine all use one core."""


class End(NamedTuple):
    """One end of a wire: interface, hardware address, and the far end's hardware and IP addresses.

    There are no IP addresses where the far end is not resolved.
    """

    interface: str
    mac: str
    peer_mac: str
    peer_addresses: tuple[str, ...]
    wire: Wire


def prepare_mounts() -> None:
    """Mount a private /proc, /run and /var/tmp, and the accounts that daemons run as."""
    namespaces.mount("proc", "/proc", "proc")
    for place in ("/run", "/var/tmp"):  # noqa: S108 - FRR keeps its crash logs there, and this one is private
        namespaces.mount("tmpfs", place, "tmpfs")
    for target, text in ACCOUNTS.items():
        source = Path("/run") / Path(target).name
        source.write_text(text, encoding="ascii")
        namespaces.mount(str(source), target, flags=namespaces.MS_BIND)


@dataclass(frozen=True)
class Machines:
    """The running namespaces of one lab; `out` is the directory with the emitted files."""

    layout: LabLayout
    out: Path
    networks: namespaces.Namespaces = field(default_factory=namespaces.Namespaces)

    @cached_property
    def ends(self) -> dict[str, dict[str, End]]:
        """The ends of wires at every node, by interface."""
        ends: dict[str, dict[str, End]] = {name: {} for name in self.layout.nodes}
        for number, wire in enumerate(self.layout.wires):
            low, high = _mac(2 * number), _mac(2 * number + 1)
            here, there = self._addresses(wire, low, high)
            ends[wire.a][wire.a_interface] = End(wire.a_interface, low, high, there, wire)
            ends[wire.b][wire.b_interface] = End(
                wire.b_interface, high, low, here if wire.label else (), wire
            )
        return ends

    def _addresses(self, wire: Wire, low: str, high: str) -> tuple[tuple[str, ...], ...]:
        """Return the addresses of the ends of a wire: link-local ones where BGP is unnumbered."""
        given = tuple((address,) if address else () for address in (wire.a_address, wire.b_address))
        if not wire.label or wire.numbered:
            return given
        return tuple((*own, link_local(mac)) for own, mac in zip(given, (low, high), strict=True))

    def up(self, node: str, interface: str) -> list[str]:
        """Return the commands of `ip` that bring up a port and make its neighbour permanent."""
        end = self.ends[node][interface]
        return [
            f"link set {interface} up",
            *(_neighbour(address, end.peer_mac, interface) for address in end.peer_addresses),
        ]

    def boot(self) -> None:
        """Create every namespace and wire, and boot everything except the daemons.

        Raises Refusal where the kernel or an emitted file fails.
        """
        layout = self.layout
        self.networks.make(layout.nodes)
        self.networks.each(
            [*(switch.name for switch in layout.switches), *layout.speakers],
            lambda _: _set_scopes("net.ipv6.conf.{}.accept_dad", "0"),
        )
        silent = layout.gpus.values() - layout.speakers.keys()
        without = [] if layout.family == "ipv6" else sorted(silent)
        self.networks.each(
            [*without, *layout.bridges.values()],
            lambda _: _set_scopes("net.ipv6.conf.{}.disable_ipv6", "1"),
        )
        self._wire()
        self.networks.each(list(self._seeds), self._switch)
        self.networks.each(list(layout.bridges.values()), self._bridge)
        self.networks.each(list(layout.gpus.values()), self._gpu)

    def _wire(self) -> None:
        """Create the wires with both ends in their namespaces."""
        mtu = self.layout.plan.spec.addressing.mtu
        lines = []
        for number, wire in enumerate(self.layout.wires):
            near = self.ends[wire.a][wire.a_interface]
            here = f"{wire.a_interface} address {near.mac} mtu {mtu} netns {wire.a}"
            there = f"{wire.b_interface} address {near.peer_mac} mtu {mtu} netns {wire.b}"
            lines.append(link_wire(number, here, there))
        started = [
            (start_batch(lines[first::BATCHES]), lines[first::BATCHES]) for first in range(BATCHES)
        ]
        for process, part in started:
            finish_batch(process, part, "the wires")

    def _switch(self, name: str) -> None:
        """Apply a switch's emitted sysctl.conf; its ports stay down until its daemons run.

        Parameters of VRFs are left out, which a kernel may not have: a VRF is a namespace here.
        """
        switch = self.layout.switch_nodes[name]
        emitted = self.out / "configs" / switch.switch / "sysctl.conf"
        for line in emitted.read_text(encoding="utf-8").splitlines():
            key, equals, value = line.partition("=")
            if equals and not line.startswith("#") and VRF_KEY not in key:
                set_kernel(key.strip(), value.strip())
        set_kernel("net.ipv4.conf.all.rp_filter", "0")
        if has_hash_seed():
            set_kernel(HASH_SEED, str(self._seeds[name]))
        vrf = [f"link add {switch.vrf} type bridge", f"link set {switch.vrf} up"]
        batch(["link set lo up", *(vrf if switch.vrf else ())], name)

    @cached_property
    def _seeds(self) -> dict[str, int]:
        """A number for each switch, from 1."""
        return {switch.name: number for number, switch in enumerate(self.layout.switches, start=1)}

    def open_ports(self) -> None:
        """Bring up the ports of every switch, and wait until the GPUs behind them notice it."""
        self.networks.each(
            list(self._seeds),
            lambda name: batch(
                [line for interface in self.ends[name] for line in self.up(name, interface)], name
            ),
        )
        self.networks.each(
            list(self.layout.gpus.values()),
            lambda gpu: wait_for_carrier(
                [name for name, end in self.ends[gpu].items() if end.wire.label], up=True
            ),
        )

    def _bridge(self, name: str) -> None:
        """Connect the GPUs of an HB domain by a bridge."""
        ports = [f"link set {interface} master {BRIDGE} up" for interface in self.ends[name]]
        batch(
            [
                f"link add {BRIDGE} type bridge forward_delay 0 stp_state 0 mcast_snooping 0",
                f"link set {BRIDGE} up",
                *ports,
            ],
            name,
        )

    def _gpu(self, name: str) -> None:
        """Configure a GPU by its emitted script, and make its neighbours permanent."""
        done = subprocess.run(  # noqa: S603 - the emitted script
            ["/bin/sh", self.out / "lab" / "gpus" / f"{name}.sh"],
            capture_output=True,
            text=True,
            check=False,
        )
        check_exit(done.returncode, done.stdout + done.stderr, name)
        batch([*self._neighbours(name), "link set lo up"], name)

    def _neighbours(self, name: str) -> Iterator[str]:
        """Yield the commands that make a GPU's leaves and HB domain permanent neighbours."""
        yield from (
            _neighbour(address, end.peer_mac, interface)
            for interface, end in self.ends[name].items()
            if end.wire.label
            for address in end.peer_addresses
        )
        domain = self.ends[name][HB_DEVICE].wire.b
        yield from (
            _neighbour(end.wire.a_address, end.peer_mac, HB_DEVICE)
            for end in self.ends[domain].values()
            if end.wire.a != name
        )


def _neighbour(address: str, mac: str, interface: str) -> str:
    """Return the command of `ip` that makes a neighbour permanent."""
    return f"neigh replace {address} lladdr {mac} dev {interface} nud permanent"


def link_local(mac: str) -> str:
    """Return the link-local IPv6 address of a hardware address (RFC 4291, appendix A).

    >>> link_local("02:00:00:00:01:0a")
    'fe80::ff:fe00:10a'
    """
    octets = [int(octet, 16) for octet in mac.split(":")]
    identifier = [octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]]
    return str(IPv6Address(bytes([0xFE, 0x80, 0, 0, 0, 0, 0, 0, *identifier])))


def has_hash_seed() -> bool:
    """Return whether each switch can have its own hash of flows."""
    return Path("/proc/sys", *HASH_SEED.split(".")).exists()


def set_kernel(key: str, value: str) -> None:
    """Set a kernel parameter in the namespace of this thread. Raises Refusal if it is unknown."""
    try:
        Path("/proc/sys", *key.split(".")).write_text(value, encoding="ascii")
    except OSError as error:
        raise refuse(
            "lab-failed",
            f"the kernel does not take `{key} = {value}`",
            because=(str(error.strerror),),
        ) from error


def _set_scopes(key: str, value: str) -> None:
    """Set the defaults of new interfaces.

    Switches and GPUs with BGP skip duplicate address detection, which takes 1.5 s; bridges have no
    IPv6, nor have other GPUs with IPv4 addresses.
    """
    for scope in ("all", "default"):
        set_kernel(key.format(scope), value)


def _mac(number: int) -> str:
    """Return a locally administered hardware address."""
    return ":".join(f"{byte:02x}" for byte in (2, 0, *number.to_bytes(4, "big")))
