"""The cabling as the records show it: `reconcile` makes it, and the faults are named from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class UnknownPort(NamedTuple):
    """A name that no port of a planned device has, and the neighbour: a planned device too.

    `seen` is the neighbour as text; `far` is the port there, -1 where that is not planned either.
    """

    device: str
    name: str
    peer: str
    seen: str
    far: int


@dataclass(slots=True, kw_only=True)
class ObservedCabling:
    """The cabling as it is; ports are the numbers of `PortIndex`."""

    partner: dict[int, int] = field(default_factory=dict)
    """The port at the other end of the cable in a port, in both directions."""
    reported_neighbors: dict[int, set[int]] = field(default_factory=dict)
    """The ports that each port reports as its neighbours."""
    one_way: int = 0
    """Links that one end does not report, although its device reported."""
    unknown_neighbors: dict[int, str] = field(default_factory=dict)
    """Planned ports with a neighbour outside of the plan, or a port where no cable belongs."""
    misplaced: set[int] = field(default_factory=set)
    """Those of them whose neighbour is a planned device that belongs elsewhere."""
    nameless: set[int] = field(default_factory=set)
    """Ports whose neighbour gives neither a name nor a port of the plan."""
    half_named: dict[int, str] = field(default_factory=dict)
    """Ports whose neighbour gives only the planned device, by its name, or only the planned port,
    with an empty name."""
    unnamed: dict[int, str] = field(default_factory=dict)
    """Ports with a node that has no name of its own, and what it is called instead."""
    by_device: dict[int, str] = field(default_factory=dict)
    """Ports whose neighbour gives a planned device, and no port of it."""
    by_port: dict[int, int] = field(default_factory=dict)
    """Ports whose neighbour gives no name, and the port of the planned device that it names."""
    unjudged: dict[int, str] = field(default_factory=dict)
    """Ports that see the right host, by a NIC name for which the plan has a placeholder."""
    unknown: list[UnknownPort] = field(default_factory=list)
    """Port names of planned devices that the plan does not have."""
    unclear: set[frozenset[str]] = field(default_factory=set)
    """Pairs of devices with a cable between them that a record names by an unknown port."""
    disputed: dict[int, int] = field(default_factory=dict)
    """Ports whose only neighbours report other neighbours themselves."""
    reported: set[int] = field(default_factory=set)
    """Ports of devices that reported."""
    present: set[str] = field(default_factory=set)
    """Planned devices that reported or were reported."""
    foreign: list[str] = field(default_factory=list)
    """Reporting devices outside of the plan."""
