"""The ports of a switch in one role: the cages that face down, those that face up, and names.

Owns the assignment of ports inside a switch: downlinks fill the low cages and uplinks the high
ones; where both sides have the same breakout, a cage may hold both. It depends on the catalog, not
on the topology.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.core.terms import Role


class Port(NamedTuple):
    """One port of a cage: the cage from 1, the position in it from 0, and the breakout."""

    cage: int
    sub: int
    breakout: Breakout

    @property
    def printed(self) -> str:
        """The print beside the port: the cage, and the position in it where it is split."""
        return f"{self.cage}/{self.sub + 1}" if self.breakout.count > 1 else str(self.cage)


def prints_of(ports: Iterable[Port]) -> list[str]:
    """Return the print beside each port."""
    return [port.printed for port in ports]


@dataclass(frozen=True)
class PortLayout:
    """A switch model in one role, with the breakouts of the cages that face down and up."""

    role: Role
    model: Switch
    nos: str
    down: Breakout
    up: Breakout
    spare: int = 0
    """Ports at the downward speed that stay free."""
    down_zone: frozenset[int] = frozenset()
    """The cages that may face down; empty for all that `up_zone` leaves."""
    up_zone: frozenset[int] = frozenset()
    """The cages that may face up; empty for all that `down_zone` leaves."""
    reserved: frozenset[int] = frozenset()
    """Cages of a leaf that networks on leaves of the compute fabric have."""
    outward: tuple[Port, ...] = ()
    """Ports of a leaf of one network that are its uplinks into another; their cages have no other
    links."""

    @cached_property
    def radix(self) -> int:
        """Ports at the downward speed when every cage that may face down does."""
        return len(self.low_cages(self.down)) * self.down.count

    @property
    def usable(self) -> int:
        """Ports at the downward speed that may carry links when every cage faces down."""
        return max(self.radix - self.spare, 0)

    def fits(self, down: int, up: int) -> bool:
        """Return whether the switch has ports for so many downlinks and uplinks, and its spares."""
        if self.down.name == self.up.name and not self.zoned:
            return down + up <= self.usable
        low, high = self.low_cages(self.down), self.high_cages(self.up)
        used_low, used_high = -(-(down + self.spare) // self.down.count), -(-up // self.up.count)
        if used_low > len(low) or used_high > len(high):
            return False
        return not used_high or set(low[:used_low]).isdisjoint(high[-used_high:])

    def ports(self, down: int, up: int) -> list[Port]:
        """List the ports in use: `down` downlinks from the lowest cage, then `up` uplinks.

        Where both sides have the same breakout, the uplinks are the last ports of the switch;
        otherwise they start at the first port of the lowest cage that faces up. In a zone of their
        own they start at its first cage.
        """
        low = [
            Port(cage, sub, self.down)
            for cage in self.low_cages(self.down)
            for sub in range(self.down.count)
        ]
        if self.down.name == self.up.name and not self.zoned:
            return low[:down] + (low[-up:] if up else [])
        used, cages = -(-up // self.up.count), self.high_cages(self.up)
        first = 0 if self.up_zone else len(cages) - used
        high = [
            Port(cage, sub, self.up)
            for cage in cages[first : first + used]
            for sub in range(self.up.count)
        ]
        return low[:down] + high[:up]

    def idle(self, used: list[Port]) -> list[Port]:
        """List the idle ports: the rest of the cages in use, and all ports of the others.

        An idle cage has the breakout of its zone, or of the down side where it allows that, else
        its first one.
        """
        taken = {(port.cage, port.sub) for port in used}
        splits = {port.cage: port.breakout for port in (*self.outward, *used)}
        modes = dict.fromkeys(self.model.cages_by_breakout[self.down.name], self.down)
        above = self.up_zone.intersection(self.model.cages_by_breakout[self.up.name])
        modes |= dict.fromkeys(above, self.up)
        splits |= {
            cage: modes.get(cage) or self.model.breakouts_of(cage)[0]
            for cage in range(1, self.model.cages + 1)
            if cage not in splits
        }
        every = (
            Port(cage, sub, splits[cage])
            for cage in sorted(splits)
            for sub in range(splits[cage].count)
        )
        return [port for port in every if (port.cage, port.sub) not in taken]

    def interface(self, port: Port) -> str:
        """Name a port as the NOS does."""
        return self.model.interface(self.nos, port.cage, port.sub, port.breakout)

    @cached_property
    def numbers(self) -> int:
        """The port numbers that a subnet has for this switch.

        Every cage has as many as the finer of the two breakouts, whatever its own.
        """
        return self.model.cages * self._stride

    def number(self, port: Port) -> int:
        """Return the number that a subnet has for a port, from 1, cage by cage.

        With cages of 2 ports, cage 3 has the numbers 5 and 6; where the other side has 4 ports per
        cage, it has 9 and 11: each the first number of its share.
        """
        cage, sub, mode = port
        return (cage - 1) * self._stride + sub * self._stride // mode.count + 1

    @cached_property
    def _stride(self) -> int:
        """Port numbers of each cage."""
        return max(self.down.count, self.up.count)

    @property
    def zoned(self) -> bool:
        """Whether the inventory gives cages to each direction."""
        return bool(self.down_zone or self.up_zone)

    def low_cages(self, breakout: Breakout) -> list[int]:
        """List the cages that may face down and allow a breakout, in order."""
        return self._cages(breakout, self.down_zone, self.up_zone)

    def high_cages(self, breakout: Breakout) -> list[int]:
        """List the cages that may face up and allow a breakout, in order."""
        return self._cages(breakout, self.up_zone, self.down_zone)

    def _cages(self, breakout: Breakout, zone: frozenset[int], other: frozenset[int]) -> list[int]:
        """List the cages of a zone, or outside of the other one where it is empty.

        None is reserved, or has an uplink into another network.
        """
        cages = self.model.cages_by_breakout[breakout.name]
        if not self.zoned and not self.reserved and not self.outward:
            return cages
        kept = self.reserved.union(port.cage for port in self.outward)
        left = [cage for cage in cages if cage not in kept]
        return [cage for cage in left if (cage in zone if zone else cage not in other)]
