"""Facts of one NOS from the catalog, as its templates see them.

The catalog has them by name under `nos`; the pack of the NOS declares which it reads, and no module
of the program knows their names. A plain fact is one of the switch, a mapping one of each breakout,
`per_lane` one of each lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.models.base import LaneFact

if TYPE_CHECKING:
    from fabricgen.catalog.models.base import NosFact
    from fabricgen.planning.port_layout import Port, PortLayout

    NosFacts = dict[str, NosFact]
    Values = dict[str, str | int]
    """Facts by name: texts, numbers, true and false."""


def switch_facts(port_layout: PortLayout) -> Values:
    """Return the facts of a switch; one of a breakout only where all of its cages are split so."""
    split = port_layout.down.name if port_layout.down.name == port_layout.up.name else ""
    plain = {
        name: fact for name, fact in _facts(port_layout).items() if isinstance(fact, str | int)
    }
    return plain | _of_breakout(port_layout, split)


def cage_facts(port_layout: PortLayout, breakout: str) -> Values:
    """Return the facts of a cage with a breakout."""
    return _of_breakout(port_layout, breakout)


def port_facts(port_layout: PortLayout, port: Port) -> Values:
    """Return the facts of a port: those of its lanes, joined by commas."""
    first, lanes = port.sub * port.breakout.lanes, port.breakout.lanes
    return {
        name: ",".join(map(str, fact.per_lane[port.cage - 1][first : first + lanes]))
        for name, fact in _facts(port_layout).items()
        if isinstance(fact, LaneFact)
    }


def _of_breakout(port_layout: PortLayout, breakout: str) -> Values:
    """Return the facts that a breakout has."""
    return {
        name: fact[breakout]
        for name, fact in _facts(port_layout).items()
        if isinstance(fact, dict) and breakout in fact
    }


def _facts(port_layout: PortLayout) -> NosFacts:
    """Return all facts of the NOS that a switch runs."""
    return port_layout.model.nos.get(port_layout.nos, {})
