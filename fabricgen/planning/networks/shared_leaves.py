"""The leaves of the compute fabric that devices have ports on.

The links of such devices are a network whose leaves are those of compute. `shared_switches` makes
them; `device_ports` chooses the ports of single devices, `converged_ports` those of a network, and
`uplink_fabric` those of the switches of other networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.port_layout import Port


@dataclass(frozen=True, kw_only=True)
class SharedLeaves:
    """Leaves of the compute fabric with the ports of devices on them.

    `leaves` are segments and boxes of the compute fabric; the other columns are of each port.
    """

    names: tuple[str, ...]
    leaves: tuple[tuple[int, int], ...]
    numbers: tuple[int, ...]
    """The number of each leaf among the installed leaves of compute."""
    ports: tuple[Port, ...]
    """The ports in use on any of the leaves."""
    bonds: KeptBonds
    """The leaf and the place in `ports` of each port of a device, and the endpoint position of
    compute whose addresses it has, counted from the first block of the fabric."""
    blocks: tuple[int, ...]
    """The block of the compute fabric that each port of a device is in, within its segment; empty
    where the ports are in a network of their own."""
    filled: tuple[bool, ...]
    """Whether each port of a device is in a cage with the module of a link of compute."""
    modules: frozenset[str]
    """The models of these modules."""
    role: Role = Role.LEAF
    """The role of these switches in the compute fabric: spines for uplinks of other networks."""
    columns: int = 1
    """The leaves of a stripe, one for each member of a bond."""
    peers: tuple[Port, ...] = ()
    """The ports of each leaf to the others, in their order; empty where no links join them."""

    @property
    def in_compute(self) -> bool:
        """Whether the ports are in compute, with its addresses, and in no network of their own."""
        return bool(self.blocks)

    def places(self) -> Iterator[tuple[int, Port]]:
        """Yield the leaf of each port of a device, and its port there."""
        for stripe, place in zip(self.bonds.stripe, self.bonds.place, strict=True):
            for member in range(self.columns):
                yield stripe * self.columns + member, self.ports[place]

    def taken(self) -> Iterator[tuple[int, Port]]:
        """Yield each leaf and its ports: those of devices, and those to other leaves."""
        yield from self.places()
        yield from ((leaf, port) for leaf in range(len(self.leaves)) for port in self.peers)

    def on(self, segment: int, box: int) -> dict[int, Port]:
        """Return the ports of devices on a leaf of the compute fabric, by their number."""
        return self._by_leaf.get((segment, box), {})

    def taken_on(self, segment: int, box: int) -> tuple[Port, ...]:
        """Return the ports on a leaf of the compute fabric, those to other leaves last."""
        peers = self.peers if (segment, box) in self.leaves else ()
        return (*self.on(segment, box).values(), *peers)

    @cached_property
    def _by_leaf(self) -> dict[tuple[int, int], dict[int, Port]]:
        """The ports of devices on each leaf."""
        found: dict[tuple[int, int], dict[int, Port]] = {}
        every = sorted(enumerate(self.places()), key=lambda each: (each[1][1].cage, each[1][1].sub))
        for number, (leaf, port) in every:
            found.setdefault(self.leaves[leaf], {})[number] = port
        return found


def ports_with(planned: Sequence[Port], devices: Iterable[Port]) -> list[Port]:
    """Return the ports of a leaf, planned for compute or of devices.

    A cage that devices split otherwise has their ports alone.
    """
    own = [*devices]
    modes = {port.cage: port.breakout for port in own}
    kept = (port for port in planned if modes.get(port.cage, port.breakout) == port.breakout)
    return [*dict.fromkeys([*kept, *own])]
