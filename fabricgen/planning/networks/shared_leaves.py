"""The leaves of the compute fabric that devices have ports on.

The links of such devices are a network whose leaves are those of compute. `device_ports` chooses
the ports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.port_layout import Port


class SharedLeaves(NamedTuple):
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
    """The block of the compute fabric that each port of a device is in, within its segment."""
    filled: tuple[bool, ...]
    """Whether each port of a device is in a cage with the module of a link of compute."""
    modules: frozenset[str]
    """The models of these modules."""

    def port_of_each(self) -> Iterable[tuple[Port, bool]]:
        """Return the place of each port of a device, and whether its cage has a module."""
        return zip(map(self.ports.__getitem__, self.bonds.place), self.filled, strict=True)

    def on(self, segment: int, box: int) -> dict[int, Port]:
        """Return the ports of devices on a leaf of the compute fabric, by their number."""
        at = self.leaves.index((segment, box)) if (segment, box) in self.leaves else -1
        own = [port for port, leaf in enumerate(self.bonds.stripe) if leaf == at]
        own.sort(key=self.bonds.place.__getitem__)
        return {port: self.ports[self.bonds.place[port]] for port in own}


def ports_with(planned: Sequence[Port], devices: Iterable[Port]) -> list[Port]:
    """Return the ports of a leaf, planned for compute or of devices.

    A cage that devices split otherwise has their ports alone.
    """
    own = [*devices]
    modes = {port.cage: port.breakout for port in own}
    kept = (port for port in planned if modes.get(port.cage, port.breakout) == port.breakout)
    return [*dict.fromkeys([*kept, *own])]
