"""How new devices fill a room beside existing ones: existing devices keep their places.

Owns `fill`. Hosts go into racks of hosts that have room, then into new racks; switches into racks
of switches, then into new ones in the middle of the new racks; top-of-rack leaves on top of the
racks of new hosts, as far as they fit. New racks take the free places of existing rows, then new
rows of the same length, and only then make rows longer. `rack_placement` fills an empty room.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role
from fabricgen.planning.baseline.rack_positions import RackPositions
from fabricgen.planning.room.footprints import HOST, KINDS, highest, lowest
from fabricgen.planning.room.place_names import listed_names
from fabricgen.planning.room.rack_capacity import check_boxes, hosts_of_a_rack
from fabricgen.planning.room.rack_grid import bounds, no_room
from fabricgen.planning.room.rack_placement import kinds_of, racked_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabricgen.core.arrays import Int32Array
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment
    from fabricgen.planning.room.footprints import Shares


def fill(
    naming: DeviceNames, shares: Shares, site: Site, equipment: Equipment, kept: RackPositions
) -> RackPositions:
    """Place the devices that `kept` does not place; it counts devices as the fabric is now.

    Raises Refusal `no-room` where the site has too few racks, `rack-overflow`, or `cannot-grow`
    where a kept position is outside of the site.
    """
    kinds, order = kinds_of(naming, equipment), racked_order(naming, equipment)
    hosts = naming.mapping.fabric.coordinates.planned_hosts
    if (kept.rack[:hosts] >= 0).all() and (kept.rack[order] >= 0).all():
        return kept
    check_boxes(shares)
    _check_inside(site, kept)
    on_top = (
        kinds == KINDS.index(Role.LEAF)
        if site.leaves == "top-of-rack"
        else np.zeros_like(kinds, dtype=bool)
    )
    new = kept.rack < 0
    names = (*KINDS, *(group.kind for group in equipment.groups))
    baseline = naming.mapping.baseline
    racks = _Racks(kinds, names, shares, kept, baseline.panel_units if baseline else {})
    first = len(racks.held)
    each = hosts_of_a_rack(naming, shares, site, hosts, int(np.count_nonzero(on_top)))
    with_hosts = racks.line(np.flatnonzero(new[:hosts]).tolist(), racks.of_hosts(), each)
    network = range(len(racks.held), UNKNOWN)
    rest = [device for device in order.tolist() if new[device]]
    tops = [device for device in rest if on_top[device]]
    fresh = with_hosts or range(0)
    done = {
        device
        for at, device in enumerate(tops)
        if len(fresh) and racks.put(device, fresh[at * len(fresh) // len(tops)])
    }
    racks.line([device for device in rest if device not in done], racks.of_switches(), UNKNOWN)
    return _laid(
        racks, kept, site, range(first, network.start), range(network.start, len(racks.held))
    )


MORE_HALLS = 100
"""The most halls that growth adds to a room that is an assumption; such a room has no bound."""

UNKNOWN = 2**31
"""Larger than any count here."""


class _Racks:
    """The contents of each rack that has any: devices by rack unit, loads, and their number."""

    def __init__(
        self,
        kinds: Int32Array,
        names: Sequence[str],
        shares: Shares,
        kept: RackPositions,
        panels: Mapping[tuple[int, ...], int],
    ) -> None:
        self.kinds, self._shares = kinds.tolist(), shares
        self.old, where = np.unique(kept.rack[kept.rack >= 0], return_inverse=True)
        self.rack, self.rack_unit = kept.rack.tolist(), kept.rack_unit.tolist()
        self._need = {
            at: [fact or 0 for fact in shares.of[kind]]
            for at, kind in enumerate(names)
            if kind in shares.of
        }
        self._limits = [UNKNOWN**2 if limit is None else limit for limit in shares.rack]
        self.held: list[list[int]] = [[] for _ in self.old]
        with_hosts = {*where[kinds[np.flatnonzero(kept.rack >= 0)] == 0].tolist()}
        self._free = [shares.free(hosts=rack in with_hosts) for rack in range(len(self.old))]
        self._loads = [[0] * len(self._limits) for _ in self.old]
        places = np.stack([kept.hall, kept.row, kept.at])[:, self.old].T.tolist()
        for rack, place in enumerate(places):
            self._free[rack] &= ~panels.get(tuple(place), 0)
        for device, rack in zip(
            np.flatnonzero(kept.rack >= 0).tolist(), where.tolist(), strict=True
        ):
            self._stand(device, rack, self.rack_unit[device])

    def of_hosts(self) -> list[int]:
        """Return the racks that contain hosts."""
        return [
            rack
            for rack, held in enumerate(self.held)
            if any(self.kinds[device] == 0 for device in held)
        ]

    def of_switches(self) -> list[int]:
        """Return the racks that contain only switches."""
        return [
            rack
            for rack, held in enumerate(self.held)
            if held and all(self.kinds[device] for device in held)
        ]

    def line(self, devices: Iterable[int], racks: list[int], each: int) -> list[int]:
        """Put devices into racks in turn, at most `each` into one, then into new racks.

        Return the racks that took any.
        """
        at, took = 0, dict[int, None]()
        for device in devices:
            while at < len(racks) and not (
                len(self.held[racks[at]]) < each and self.put(device, racks[at])
            ):
                at += 1
            if at == len(racks):
                racks.append(self._open(hosts=not self.kinds[device]))
                self.put(device, racks[at])
            took[racks[at]] = None
        return list(took)

    def _open(self, *, hosts: bool) -> int:
        """Add a rack."""
        self.held.append([])
        self._free.append(self._shares.free(hosts=hosts))
        self._loads.append([0] * len(self._limits))
        return len(self.held) - 1

    def put(self, device: int, rack: int) -> bool:
        """Put a device into a rack if it fits: hosts as low, switches as high as possible."""
        need, load = self._need[self.kinds[device]], self._loads[rack]
        if any(
            have + more > limit for have, more, limit in zip(load, need, self._limits, strict=True)
        ):
            return False
        place = (highest if self.kinds[device] else lowest)(self._free[rack], need[0])
        if place is not None:
            self._stand(device, rack, place)
        return place is not None

    def _stand(self, device: int, rack: int, rack_unit: int) -> None:
        """Put a device at a rack unit."""
        need = self._need[self.kinds[device]]
        self.rack[device], self.rack_unit[device] = rack, rack_unit
        self.held[rack].append(device)
        # a PDU beside the rack units has unit 0, and takes none
        self._free[rack] &= ~((1 << need[0]) - 1 << max(rack_unit - 1, 0))
        self._loads[rack] = [
            have + more for have, more in zip(self._loads[rack], need, strict=True)
        ]


def _check_inside(site: Site, kept: RackPositions) -> None:
    """Refuse a site without the kept positions. Raises Refusal `cannot-grow`."""
    used = kept.rack[kept.rack >= 0]
    for key, column, bound in (
        ("halls", kept.hall, site.most("halls")),
        ("rows", kept.row, site.most("rows")),
        ("racks_per_row", kept.at, site.most("racks_per_row")),
    ):
        furthest = int(column[used].max(initial=-1)) + 1
        if bound is not None and furthest > bound:
            because = (
                (
                    "a device is in"
                    f" {'hall' if key == 'halls' else 'row' if key == 'rows' else 'rack'}"
                    f" {furthest}"
                ),
                f"`site.{key}` is {bound}",
            )
            raise refuse(
                "cannot-grow",
                "growth keeps the place of every device",
                path=("site", key),
                because=because,
                hint=f"use `{key}: {furthest}` or more",
            )


def _laid(
    racks: _Racks, kept: RackPositions, site: Site, hosts: range, network: range
) -> RackPositions:
    """Place the new racks; of a run of them in order, the middle ones hold switches."""
    old = [
        tuple(place) for place in np.stack([kept.hall, kept.row, kept.at])[:, racks.old].T.tolist()
    ]
    wanted = len(hosts) + len(network)
    cells = list(islice(_free_cells(site, kept.row_racks, set(old)), wanted))
    if len(cells) < wanted:
        reason = (
            f"{len(old)} racks are in use, and {len(hosts)} more of {HOST}s and {len(network)} of"
            " switches come"
        )
        raise no_room(len(old) + wanted, bounds(site), site, reason)
    before = len(hosts) // 2
    places = [
        *old,
        *cells[:before],
        *cells[before + len(network) :],
        *cells[before : before + len(network)],
    ]
    order = sorted(range(len(places)), key=lambda rack: places[rack])
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    hall, row, at = np.array([places[rack] for rack in order], dtype=np.int32).reshape(-1, 3).T
    names = listed_names(site, zip(hall.tolist(), row.tolist(), at.tolist(), strict=True))
    rack_unit = np.array(racks.rack_unit, dtype=np.int32)
    return RackPositions(number[racks.rack], rack_unit, hall, row, at, kept.row_racks, names)


def _free_cells(site: Site, length: int, taken: set[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the free places of a room for racks.

    Places in rows of the present length come first, hall by hall, then those in longer rows.
    """
    halls, deepest, longest = bounds(site)
    halls = min(halls, max((hall for hall, *_ in taken), default=-1) + 1 + MORE_HALLS)
    yield from (
        cell
        for cell in product(range(halls), range(deepest), range(min(length, longest)))
        if cell not in taken
    )
    yield from (
        cell
        for cell in product(range(halls), range(deepest), range(length, longest))
        if cell not in taken
    )
