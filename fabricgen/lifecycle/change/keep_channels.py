"""The panels, the trunks and the strands that a fabric keeps when it grows.

Owns `kept_channels`. A link whose two ports are in both plans keeps its strand, so that neither of
its jumpers moves. All panels and all trunks stay, also those that no link uses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.lifecycle.change.cable_table import NameIndex, cable_table
from fabricgen.planning.baseline.kept_channels import (
    KeptChannels,
    KeptPanels,
    KeptStrands,
    KeptTrunks,
    TrunkMake,
)
from fabricgen.planning.channels.parts import panel_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.trunks import TrunkRun
    from fabricgen.planning.plan import Plan


def kept_channels(old: Plan, new: Plan) -> KeptChannels | None:
    """Return what a plan keeps of the structured cabling of an older one; None where it has none.

    `new` has the links of the larger fabric; how they are cabled is not read.
    """
    channels, lengths, cabling = old.channels, old.lengths, old.spec.cabling
    if channels is None or lengths is None or cabling is None:
        return None
    positions = lengths.room.positions
    racks = np.array([panel.rack for panel in channels.panels], dtype=np.int64)
    makes = list(dict.fromkeys(_make(trunk) for trunk in channels.trunks))
    return KeptChannels(
        tuple(each.facts for each in panel_parts(cabling, old.catalog)),
        tuple(makes),
        KeptPanels(
            positions.hall[racks],
            positions.row[racks],
            positions.at[racks],
            _column(panel.parts.entry for panel in channels.panels),
            _column(panel.rack_unit for panel in channels.panels),
            _column(panel.parts.panel.rack_units for panel in channels.panels),
        ),
        KeptTrunks(
            _column(makes.index(_make(trunk)) for trunk in channels.trunks),
            *(_column(column) for column in zip(*map(_ends, channels.trunks), strict=True)),
        ),
        _strands(old, new, channels),
    )


def has_same_trunks(old: Plan, new: Plan) -> bool:
    """Return whether two plans and their networks have the same panels and trunks."""
    return _installed(old) == _installed(new)


def _installed(plan: Plan) -> list[tuple[object, ...]]:
    """Return the panels and the trunks of a plan and its networks."""
    every = [each.channels for each in plan.cluster if each.channels]
    return [
        *((panel.name, panel.rack_unit) for each in every for panel in each.panels),
        *((trunk.name, trunk.item, *_ends(trunk)) for each in every for trunk in each.trunks),
    ]


def _make(trunk: TrunkRun) -> TrunkMake:
    """Return the make of a trunk."""
    parts = trunk.parts
    return TrunkMake(parts.trunk.model, parts.path.trunk, parts.fibres, parts.splices)


def _ends(trunk: TrunkRun) -> tuple[int, ...]:
    """Return the panels and the ports of a trunk, as `KeptTrunks` has them."""
    return (*trunk.a, *trunk.b)


def _column(values: Iterable[int]) -> Int32Array:
    """Return a column."""
    return np.array([*values], dtype=np.int32)


class _Cables(NamedTuple):
    """The cables of links: the ports at both ends, and the places of the racks there."""

    pair: NDArray[np.void]
    a: IntArray
    b: IntArray
    racks: IntArray


def _cables(plan: Plan, register: NameIndex) -> _Cables:
    """Return the cables of a plan as if no link ran through panels."""
    table, lengths = cable_table(replace(plan, channels=None), register), plan.lengths
    assert lengths  # noqa: S101 - structured cabling has a room
    positions, cables = lengths.room.positions, plan.link_cables(plan.segment.kind)
    place = (positions.hall.astype(np.int64) << 40) + (positions.row.astype(np.int64) << 20)
    place += positions.at
    low, high = (
        np.concatenate(ends)
        for ends in zip(
            *(lengths.runs.ends(each, 0, None) for each in range(plan.mapping.segments)),
            strict=True,
        )
    )
    many = np.tile(cables, plan.mapping.segments)
    racks = [np.repeat(place[positions.rack[end]], many) for end in (low, high)]
    return _Cables(table.pair, table.a, table.b, np.stack(racks, axis=1))


def _strands(old: Plan, new: Plan, channels: Channels) -> KeptStrands:
    """Return the strand of each cable of the larger fabric.

    A link with the same two ports keeps its strand. So does one of which a single port is the same
    and the other in the same rack: one of its jumpers stays, and the other moves at its device.
    """
    register = NameIndex()
    was, now = (_cables(plan, register) for plan in (old, new))
    cables = old.link_cables(old.segment.kind)
    first, whole = np.cumsum(cables) - cables, int(cables.sum())
    place = channels.segment * whole + first[channels.row] + channels.cable
    at, free = np.full(len(place), -1), np.ones(len(now.a), dtype=bool)
    for column in ("pair", "a", "b"):
        left = np.flatnonzero(at < 0)
        found = _found(getattr(now, column), getattr(was, column)[place[left]])
        fits = (found >= 0) & free[found]
        if column != "pair":
            fits &= (was.racks[place[left]] == now.racks[found]).all(axis=1)
        at[left[fits]] = found[fits]
        free[found[fits]] = False
    fanout = np.array([each.cassette.fanout for each in channels.parts])[channels.part]
    at_a = np.where(channels.lower_is_a, channels.lower.port, channels.upper.port)
    stays, strands = at >= 0, []
    for values in (channels.trunk, channels.leg, at_a % fanout, channels.lower_is_a):
        kept = np.full(len(now.a), -1, dtype=np.int32)
        kept[at[stays]] = values[stays]
        strands.append(kept)
    return KeptStrands(*strands)


def _found(column: NDArray[Any], wanted: NDArray[Any]) -> IntArray:
    """Return where values are in a column without repetitions; -1 where they are not."""
    order = np.argsort(column)
    at = order[np.searchsorted(column, wanted, sorter=order) % len(column)]
    return np.where(column[at] == wanted, at, -1)
