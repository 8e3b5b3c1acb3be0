"""The ports of a cluster as numbers, found by any of the names under which a device reports them.

Every planned port has a number, and so has any other port of the plan's devices with a cable in it.
`port_positions` owns the names of a port; in a lab a GPU with `nic<plane>` names the NIC port of
its host. The networks beside the compute fabric have their ports and links in the same tables.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.networks import CONSOLE
from fabricgen.lifecycle.audit.neighbors import CUT
from fabricgen.lifecycle.audit.port_positions import ClusterPositions, PortPosition
from fabricgen.views.cables.view import link_label
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


MANAGEMENT = "mgmt"
"""The interface of a switch's one management port in the plan of a network."""

MANAGEMENT_NAMES = frozenset({"eth0", "mgmt0", "Management0", "Management1", "em0", "re0:mgmt-0"})
"""The names by which switches report it."""


_ABBREVIATED = re.compile(r"^(eth?|ma)(?=\d)")
_FULL = {"et": "ethernet", "eth": "ethernet", "ma": "management"}
"""What EOS and NX-OS print for the long names of interfaces, in small letters."""


class PortRef(NamedTuple):
    """A port that a cable can end in.

    `printed` is its front panel label; `upper` is whether it is the upper end of its planned link.
    """

    device: str
    interface: str
    printed: str
    upper: bool
    rail: str
    plane: int
    network: str
    """The network of its cable; empty where it has none and its device is on several."""


class PortIndex:
    """The ports of one plan as numbers.

    `places`, `peers` and `labels` are tables by that number; an unplanned port has the peer -1.
    `racks` has the rack of each device, empty where it is unknown. The ports before `hidden` see
    whatever port their box joins them to at the moment, so no cable of theirs can be judged.
    """

    def __init__(self, plan: Plan) -> None:
        """Assign a number to every planned port; two cables of one link count once, as in LLDP."""
        self.plan = plan
        self.places: list[PortRef] = []
        self.peers: list[int] = []
        self.labels: list[str] = []
        self.of_device: defaultdict[str, list[int]] = defaultdict(list)
        self.racks: dict[str, str] = {}
        self.hidden = 0
        self._ids: dict[tuple[str, str], int] = {}
        plans = {COMPUTE: plan, **plan.networks}
        self._positions = ClusterPositions([*plans.values()])
        for network, own in plans.items():
            views = Views(own)
            for segment in range(own.mapping.segments):
                for cable in views.cables(segment):
                    if cable.connector <= 1:
                        self._link(cable, network)
            if network == COMPUTE and plan.fabric.has_circuits:
                self.hidden = len(self.places)
        self.planned = len(self.places)
        self._add_gpus()

    def _link(self, cable: CableView, network: str) -> None:
        """Add the ends of one planned link: the lower end, then the upper one."""
        first = len(self.places)
        self.racks.setdefault(cable.a_device, cable.a_rack)
        self.racks.setdefault(cable.b_device, cable.b_rack)
        self._place(
            PortRef(
                cable.a_device,
                cable.a_interface,
                cable.a_port,
                upper=False,
                rail=cable.rail,
                plane=cable.plane,
                network=network,
            )
        )
        self._place(
            PortRef(
                cable.b_device,
                cable.b_interface,
                cable.b_port,
                upper=True,
                rail=cable.rail,
                plane=cable.plane,
                network=network,
            )
        )
        self.peers += [first + 1, first]
        self.labels += [link_label(cable)] * 2

    def _place(self, place: PortRef) -> None:
        """Give a port its number."""
        self._ids[place.device, place.interface] = len(self.places)
        self.of_device[place.device].append(len(self.places))
        self.places.append(place)

    def _add_gpus(self) -> None:
        """Map each GPU of a lab to the NIC ports of its host, unless a device has that name."""
        fabric, naming = self.plan.fabric, self.plan.naming
        self.gpu_ports: dict[str, list[int]] = {}
        if self.plan.mapping.topology:
            return  # records name the links of a split port, and their hosts
        interfaces = [
            [naming.interface(within, plane) for plane in range(fabric.planes)]
            for within in range(fabric.host_gpus)
        ]
        for gpu in range(fabric.gpus):
            name, host = fabric.coordinates.name(gpu), self.plan.hosts[fabric.coordinates.host(gpu)]
            if name not in self.of_device:
                self.gpu_ports[name] = [
                    self._ids[host, interface]
                    for interface in interfaces[fabric.coordinates.host_slot(gpu)]
                ]

    def placeholders(self, device: str) -> bool:
        """Return whether the plan holds placeholders for the port names of a device: of a host."""
        switch = self._positions.has_switch(self.owner(device))
        return not (self.plan.fabric.nics_named or switch)

    def unnamed(self, device: str, port: int) -> bool:
        """Return whether the plan does not know the names of a device's ports on a port's network.

        Catalogs and inventories name the ports of hosts in the compute fabric alone.
        """
        network = self.places[port].network if port >= 0 else COMPUTE
        return network not in {COMPUTE, ""} and not self._positions.has_switch(device)

    def is_quiet(self, port: int) -> bool:
        """Return whether a port sends no neighbor records: that of a BMC or a PDU, or a console."""
        found = self.places[port]
        bare = found.network in self._access and not self._positions.has_switch(found.device)
        return bare or found.network == CONSOLE

    @cached_property
    def _access(self) -> frozenset[str]:
        """The networks of management ports."""
        networks = self.plan.spec.networks.each().items()
        return frozenset(name for name, network in networks if network.kind == "access")

    def device(self, name: str) -> str:
        """Return the plan's name of a device or lab GPU, without a domain; empty if unknown.

        A name that a table cut is that of the only device that begins with it.
        """
        whole = name.rstrip(CUT).lower()
        for each in (name.rstrip(CUT), whole, whole.partition(".")[0]):
            if each in self.of_device or each in self.gpu_ports:
                return each
        several = self.beginning(name)
        return several[0] if len(several) == 1 else ""

    def beginning(self, name: str) -> list[str]:
        """Return up to two devices that begin with a name that a table cut."""
        start = name.rstrip(CUT).lower()
        if not start or not name.endswith(CUT):
            return []
        at = bisect_left(self._names, start)
        return [each for each in self._names[at : at + 2] if each.startswith(start)]

    @cached_property
    def _names(self) -> list[str]:
        """The names of the planned devices, sorted."""
        return sorted(self.of_device)

    def find(self, device: str, words: Iterable[str]) -> int:
        """Return the port of a planned device by the first name that fits; -1 if none does.

        The print beside a port, as labels and pull sheets have it, is tried after its names.
        A port that is not planned is numbered now.
        """
        words = tuple(words)
        found = self._exact(device, words)
        if found >= 0 or not words or device in self.gpu_ports:
            return found
        return self._exact(device, tuple(self._whole(device, words)))

    def _whole(self, device: str, words: Iterable[str]) -> Iterator[str]:
        """Yield the full names that words in another form stand for.

        `Et1/1` is Ethernet1/1, `ge-0/0/1.0` a logical unit of ge-0/0/1, a name that a table cut the
        only one that begins with it, and letters may be of another case.
        """
        known = self._positions.named(device)
        for word in words:
            start = word.rstrip(CUT).lower()
            full = _ABBREVIATED.sub(lambda found: _FULL[found[1].lower()], start)
            wanted = {start, start.removesuffix(".0"), full}
            yield from (name for name in known if name.lower() in wanted)
            if word.endswith(CUT):
                begun = [name for name in known if name.lower().startswith((start, full))]
                yield from begun if len({known[name].interface for name in begun}) == 1 else ()

    def is_cut(self, device: str, word: str) -> bool:
        """Return whether a word is the beginning of the names of several ports of a device."""
        start, known = word.rstrip(CUT).lower(), self._positions.named(device)
        return word.endswith(CUT) and any(name.lower().startswith(start) for name in known)

    def _exact(self, device: str, words: tuple[str, ...]) -> int:
        """Return the port of a planned device by the first of its names; -1 if none fits."""
        for word in words:
            if (found := self._ids.get((device, word))) is not None:
                return found
            if device in self.gpu_ports:
                plane = word.removeprefix("nic")
                if plane.isdecimal() and int(plane) < len(self.gpu_ports[device]):
                    return self.gpu_ports[device][int(plane)]
            elif (position := self._positions.named(device).get(word)) is not None and (
                position.interface != word or self._positions.has_switch(device)
            ):
                return self._number(device, position)
            elif word in MANAGEMENT_NAMES and (device, MANAGEMENT) in self._ids:
                return self._ids[device, MANAGEMENT]
        by_print = self._positions.printed(device) if words and device not in self.gpu_ports else {}
        positions = (by_print[word] for word in words if word in by_print)
        return next((self._number(device, position) for position in positions), -1)

    def _number(self, device: str, position: PortPosition) -> int:
        """Return the number of the port at a position; on a host only planned ports have one."""
        found = self._ids.get((device, position.interface), -1)
        if found >= 0 or not self._positions.has_switch(device):
            return found
        rails, planes, networks = (
            {getattr(self.places[each], key) for each in self.of_device[device]}
            for key in ("rail", "plane", "network")
        )
        self._place(
            PortRef(
                device,
                position.interface,
                position.printed,
                upper=False,
                rail=rails.pop() if len(rails) == 1 else "",
                plane=planes.pop(),
                network=networks.pop() if len(networks) == 1 else "",
            )
        )
        self.peers.append(-1)
        self.labels.append("")
        return len(self.places) - 1

    def position(self, place: int) -> PortPosition:
        """Return the position of a port on its device."""
        device, interface = self.places[place][:2]
        found = self._positions.named(device).get(interface)
        return found or PortPosition(interface, 0, 0, 1, self.of_device[device].index(place))

    def at(self, device: str, cage: int) -> dict[int, int]:
        """Return the planned ports in a cage of a device, by position."""
        positions = (
            (self.position(place), place)
            for place in self.of_device[device]
            if self.peers[place] >= 0
        )
        return {position.sub: place for position, place in positions if position.cage == cage}

    def ports_of(self, name: str) -> list[int]:
        """Return the numbered ports of a device or of a lab GPU."""
        return self.gpu_ports[name] if name in self.gpu_ports else self.of_device[name]

    def owner(self, name: str) -> str:
        """Return the device of a name: the host of a lab GPU, else the device itself."""
        return self.places[self.gpu_ports[name][0]].device if name in self.gpu_ports else name

    def links(self) -> Iterator[tuple[int, int]]:
        """Yield the two ports of every link that can be judged, the lower end first."""
        return ((place, place + 1) for place in range(self.hidden, self.planned, 2))

    @property
    def link_count(self) -> int:
        """The number of links that can be judged."""
        return (self.planned - self.hidden) // 2

    def text(self, place: int) -> str:
        """Return the text `device interface` of a port."""
        found = self.places[place]
        return f"{found.device} {found.interface}"

    def words(self, place: int) -> str:
        """Return the interface of a port, with its front panel label where that differs."""
        found = self.places[place]
        return (
            f"{found.interface} ({found.printed})"
            if found.printed not in ("", found.interface)
            else found.interface
        )

    def scope(self, place: int) -> tuple[frozenset[str], frozenset[int]]:
        """Return the rails and the planes that a port may serve; no rails where they are unknown.

        Where blocks join rails, any port of a leaf serves the rails of its hosts; otherwise a port
        serves the rail of its own cable.
        """
        found = self.places[place]
        switch = self._positions.has_switch(found.device)
        if not switch or not self.plan.mapping.spans_rails:
            return frozenset({found.rail} - {""}), frozenset({found.plane})
        return self._served(found.device), frozenset({found.plane})

    def _served(self, device: str) -> frozenset[str]:
        """Return the rails of the hosts on a switch."""
        if device not in self._rails:
            own = (each for each in self.of_device[device] if self.peers[each] >= 0)
            self._rails[device] = frozenset(self.places[each].rail for each in own) - {""}
        return self._rails[device]

    @cached_property
    def _rails(self) -> dict[str, frozenset[str]]:
        """The rails of the switches looked up so far."""
        return {}
