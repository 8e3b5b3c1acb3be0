"""The rack positions that devices keep when a fabric in a described room grows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan


def kept_positions(old: Plan, spec: FabricSpec, new: Draft) -> RackPositions | None:
    """Return the kept rack positions of a described room, None where there are none to keep.

    None where a table gives positions, where the rule gives the same, and in a room that is an
    assumption, unless it has panels.
    Devices are numbered as in `new`, which has the size of `spec`; new ones have no place yet.
    """
    site, lengths, naming = spec.site, old.lengths, new.naming
    if lengths is None or (site and site.positions):
        return None
    if (site is None or lengths.room.generated) and not (old.channels and spec.cabling):
        return None
    was, room = lengths.room.positions, lengths.room
    hosts, boxes = new.fabric.coordinates.planned_hosts, len(naming.boxes)
    rack, rack_unit = np.full((2, hosts + new.mapping.segments * boxes), -1, dtype=np.int32)
    at = {new.fabric.host_position(host): host for host in range(hosts)}
    stays = [host for host in range(room.hosts) if old.fabric.host_position(host) in at]
    places = [at[old.fabric.host_position(host)] for host in stays]
    # old number of each device -> its number in the larger plan; hosts count first, then switches
    position = {box: at for at, box in enumerate(naming.boxes)}
    now = np.array(
        [position[_core(box, old.sizing, new.sizing)] for box in old.naming.boxes], dtype=np.int64
    )
    switches = np.arange(old.mapping.segments * len(now)) + room.hosts
    before = np.concatenate([stays, switches])
    after = np.concatenate(
        [places, hosts + (np.arange(new.mapping.segments)[:, None] * boxes + now).ravel()]
    )
    rack[after], rack_unit[after] = was.rack[before], was.rack_unit[before]
    by_rule = old.mapping.baseline is None or old.mapping.baseline.positions is None
    same = len(before) == len(rack) and not room.equipment.names
    if by_rule and same and old.spec.site == site:
        return None
    return was._replace(rack=rack, rack_unit=rack_unit)


def with_equipment(kept: RackPositions | None, old: Plan, new: Plan) -> RackPositions | None:
    """Return kept positions with those of the switches of networks and of other devices.

    They are kept by name; `kept` has those of hosts and of the switches of compute.
    """
    if kept is None or old.lengths is None or new.lengths is None:
        return kept
    was, now = old.lengths.room, new.lengths.room
    names, first = was.equipment.names, len(was.positions.rack) - len(was.equipment.names)
    places = dict(zip(names, range(first, first + len(names)), strict=True))
    rows = np.array([places.get(name, -1) for name in now.equipment.names], dtype=np.int64)
    rack, rack_unit = (
        np.concatenate([own, np.where(rows < 0, np.int32(-1), column[rows])]).astype(np.int32)
        for own, column in zip(kept[:2], was.positions[:2], strict=True)
    )
    return kept._replace(rack=rack, rack_unit=rack_unit)


def _core(box: Box, old: Sizing, new: Sizing) -> Box:
    """Return a box as a larger block numbers it: a core group has its older cores first."""
    if box.role is not Role.CORE:
        return box
    group, member = divmod(box.index, old.group_cores)
    return replace(box, index=group * new.group_cores + member)
