"""The ports of devices on leaves of the compute fabric.

Owns which free port each of them gets: ports of one device are on different leaves, and endpoint
positions that no GPU has are taken before further ports. Their addresses are of compute.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import LinkKind, Role, speed_text
from fabricgen.planning.addressing import AddressPlan
from fabricgen.planning.baseline.kept_bonds import KeptBonds
from fabricgen.planning.networks.attachments import CageSplit, split_of
from fabricgen.planning.port_layout import Port
from fabricgen.planning.shared_switches import share, shared_switches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.models.optics import Transceiver
    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.core.arrays import IntArray
    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.naming import Box
    from fabricgen.planning.networks.attachments import AttachedDevices
    from fabricgen.planning.networks.shared_leaves import SharedLeaves


@dataclass(frozen=True)
class LeafAddresses(AddressPlan):
    """The addresses of devices on leaves of the compute fabric, which have its AS numbers."""

    compute: AddressPlan
    leaves: tuple[tuple[int, Box], ...]
    """The segment and the box of each leaf."""

    def asn(self, segment: int, box: Box) -> int:  # noqa: ARG002 - all leaves are in segment 0
        """Return the AS number of a leaf."""
        return self.compute.asn(*self.leaves[box.index])


class _Place(NamedTuple):
    """A free port of a leaf: the leaf, the port, its block, and the endpoint position or -1.

    `filled` is whether a link of compute has the module of its cage.
    """

    leaf: tuple[int, int]
    port: Port
    block: int
    slot: int
    filled: bool = False


def share_leaves(
    draft: Draft,
    installed: Sequence[bool],
    groups: Sequence[AttachedDevices],
    taken: frozenset[int],
) -> SharedLeaves:
    """Give each port of some devices a free port of a leaf of the compute fabric.

    `taken` are the cages of networks on these leaves. Raises Refusal `no-free-ports` where too few
    are free.
    """
    if draft.fabric.has_circuits or not draft.sizing.leaf:
        raise refuse(
            "no-free-ports",
            f"no leaf of the compute fabric can serve `{groups[0].kind}`",
            path=_path(draft, groups[0]),
            because=("the rails of this fabric join NIC ports two by two",),
            hint="leave `ports.compute` out",
        )
    found = [*_FreePorts(draft, installed, taken).assign(groups)]
    order = {leaf: number for number, leaf in enumerate(sorted({each.leaf for each in found}))}
    ports = sorted({each.port for each in found}, key=lambda port: (port.cage, port.sub))
    bonds = KeptBonds(
        groups=(0,) * len(order),
        stripe=tuple(order[each.leaf] for each in found),
        place=tuple(ports.index(each.port) for each in found),
        slot=tuple(_address_slots(draft, found)),
    )
    return replace(
        share(draft, installed, [*order], ports, bonds),
        blocks=tuple(each.block for each in found),
        filled=tuple(each.filled for each in found),
        modules=frozenset(module.model for module in _host_modules(draft) if module),
    )


def _host_modules(draft: Draft) -> list[Transceiver | None]:
    """Return the modules of leaves for links of GPUs; None for a cable with its own ends."""
    return [each.upper for each in draft.candidates if each.kind is LinkKind.HOST]


def _path(draft: Draft, group: AttachedDevices) -> Path:
    """Return the place of a group of devices in the inventory."""
    return "devices", [each.name for each in draft.spec.devices].index(group.kind)


def leaf_addresses(draft: Draft, shared: SharedLeaves, own: AddressPlan) -> LeafAddresses:
    """Return addresses, `own` or those of compute, on leaves of a compute fabric."""
    leaves = tuple((segment, draft.naming.boxes[box]) for segment, box in shared.leaves)
    return LeafAddresses(
        own.mapping, own.hosts, own.loopbacks, own.router_ids, draft.addresses, leaves
    )


def _address_slots(draft: Draft, found: Sequence[_Place]) -> Iterator[int]:
    """Yield the endpoint position of each port, counted from the first block of the fabric.

    Ports that no GPU could have take positions from the end of a block's addresses, so that their
    addresses stay when the fabric grows. Raises Refusal `pool-too-small`.
    """
    addresses, mapping = draft.addresses, draft.mapping
    size = addresses.hosts.size // (2 if addresses.numbered else 1)
    last: Counter[int] = Counter()
    for each in found:
        block = each.leaf[0] * mapping.segment_blocks + each.block
        slot = each.slot
        if slot < 0:
            last[block] += 1
            slot = size - addresses.skipped - last[block]
        if slot < mapping.sizing.slots and each.slot < 0:
            raise refuse(
                "pool-too-small",
                f"{draft.spec.addressing.host_pool} has no addresses for devices on leaves",
                path=("addressing", "host_pool"),
                because=(f"a slice has {size} positions, {mapping.sizing.slots} for GPUs",),
                hint="give a larger pool",
            )
        yield block * size + slot


class _FreePorts:
    """The free ports of the leaves of a compute fabric, of which devices take some."""

    def __init__(self, draft: Draft, installed: Sequence[bool], taken: frozenset[int]) -> None:
        """Find the endpoint positions that no planned GPU has, and the cages without a link."""
        self.draft, self.layout = draft, draft.fabric.port_layouts[Role.LEAF]
        self.shares = draft.mapping.segment_blocks
        self.leaves = shared_switches(draft, installed)
        self.pattern = draft.mapping.pattern()
        if not draft.spec.reserve:  # the positions of excluded hosts
            self.pattern = np.where(self.pattern < draft.fabric.gpus, self.pattern, -1)
        self.vacant = self._vacant_slots()
        self.with_modules = all(_host_modules(draft))
        idle = groupby(self.layout.idle(draft.ports[Role.LEAF]), key=lambda port: port.cage)
        self.idle = {cage: [*ports] for cage, ports in idle if cage not in taken}
        self.planned = {port.cage for port in draft.ports[Role.LEAF]}
        self.used: Counter[tuple[int, int]] = Counter()
        self.taken: set[tuple[tuple[int, int], Port]] = set()
        self.splits: dict[tuple[tuple[int, int], int], CageSplit] = {}

    def _vacant_slots(self) -> dict[int, IntArray]:
        """Return the vacant endpoint positions of each leaf of a block that has any."""
        slots = np.flatnonzero(self.pattern < 0)
        leaves = slots // max(self.draft.sizing.leaf_down, 1)
        starts = np.flatnonzero(np.diff(leaves, prepend=-1))
        each = np.split(slots, starts[1:])
        return dict(zip(leaves[starts].tolist(), each, strict=True)) if len(slots) else {}

    def assign(self, groups: Sequence[AttachedDevices]) -> Iterator[_Place]:
        """Yield the place of each port of each device. Raises Refusal `no-free-ports`."""
        for group in groups:
            split = split_of(group, self.layout) or CageSplit(self.layout.down)
            for _ in group.names:
                own: list[_Place] = []
                for _ in group.interfaces:
                    own.append(self._take(group, split, {place.leaf for place in own}))
                yield from own

    def _take(self, group: AttachedDevices, split: CageSplit, own: set[tuple[int, int]]) -> _Place:
        """Take the port of a leaf that no other port of the device is on, if there is one.

        Ports of a stated breakout fill a cage before they take another.
        """
        begun = self.splits if split.stated else ()
        offers = (
            (
                leaf in own,
                place.slot < 0,
                (leaf, place.port.cage) not in begun,
                self.used[leaf],
                number,
                place,
            )
            for number, leaf in enumerate(self.leaves)
            if (place := self._first(leaf, split))
        )
        best = min(offers, key=lambda offer: offer[:-1], default=None)
        if best is None:
            raise self._refusal(group, split)
        place = best[-1]._replace(filled=self._is_filled(best[-1]))
        self.used[place.leaf] += 1
        self.taken.add((place.leaf, place.port))
        self.splits[place.leaf, place.port.cage] = split
        return place

    def _first(self, leaf: tuple[int, int], split: CageSplit) -> _Place | None:
        """Return the first free port of a leaf with a split: a vacant position, or another.

        Beside a link whose cable has its own ends, a cage has no module for another link.
        """
        return next(
            (
                place
                for place in self._free(leaf, split)
                if self.with_modules or not self._is_filled(place)
            ),
            None,
        )

    def _free(self, leaf: tuple[int, int], split: CageSplit) -> Iterator[_Place]:
        """Yield the free ports of a leaf that devices with a split may have."""
        return (
            place
            for place in self._without_gpu(leaf, split.mode)
            if (leaf, place.port) not in self.taken
            and self.splits.get((leaf, place.port.cage), split) == split
        )

    def _without_gpu(self, leaf: tuple[int, int], mode: Breakout) -> Iterator[_Place]:
        """Yield the ports of a leaf with a breakout that no GPU has; devices may have some."""
        ports, down = self.draft.ports[Role.LEAF], self.draft.sizing.leaf_down
        if mode == self.layout.down:
            for slot in self.vacant.get(leaf[1], np.zeros(0, dtype=np.int64)).tolist():
                for block in range(self.shares):
                    at = slot % down * self.shares + block
                    yield _Place(leaf, ports[at], block, slot)
            for cage in self.planned & self.idle.keys():
                yield from (_Place(leaf, port, 0, -1) for port in self.idle[cage])
        for cage in self._free_cages(leaf[1], planned=mode != self.layout.down):
            if self.layout.model.splits(cage, mode.name):
                yield from (_Place(leaf, Port(cage, sub, mode), 0, -1) for sub in range(mode.count))

    def _free_cages(self, box: int, *, planned: bool) -> list[int]:
        """Return the cages without a link of compute, those behind all endpoints first.

        With `planned`, cages follow whose endpoint positions are all vacant, from the highest.
        """
        free = [cage for cage in self.idle if cage not in self.planned]
        if not planned:
            return free
        ports, down = self.draft.ports[Role.LEAF], self.draft.sizing.leaf_down
        slots = set(self.vacant.get(box, np.zeros(0, dtype=np.int64)).tolist())
        used = {
            port.cage
            for at, port in enumerate(ports)
            if at >= down * self.shares or box * down + at // self.shares not in slots
        }
        return free + sorted(self.planned - used, reverse=True)

    def _is_filled(self, place: _Place) -> bool:
        """Return whether a link of compute has the module of the cage of a port."""
        ports, down = self.draft.ports[Role.LEAF], self.draft.sizing.leaf_down
        same = [at for at, port in enumerate(ports) if port.cage == place.port.cage]
        slots = [place.leaf[1] * down + at // self.shares for at in same if at < down * self.shares]
        gpus = self.pattern[slots]
        up = any(at >= down * self.shares for at in same)
        return up or bool(((gpus >= 0) & (gpus < self.draft.fabric.gpus)).any())

    def _refusal(self, group: AttachedDevices, split: CageSplit) -> Exception:
        """Return the refusal of a device that finds no free port."""
        speed = speed_text(split.mode.speed_gbps)
        asked = (
            f"{len(group.names)} x {len(group.interfaces)} ports of {speed} are asked for, beside"
            " GPUs and uplinks"
        )
        beside = any(place for leaf in self.leaves for place in self._free(leaf, split))
        copper = (
            "the cages of free ports have cables of GPUs with their own ends, like DAC, not modules"
        )
        hint = (
            "leave out a host, or keep ports of each leaf free for devices, like"
            " `spare_ports: {leaf: 2}`"
        )
        fibre = "give modules to the cables of GPUs, like `site: {media: {host: [mmf, aoc]}}`"
        blocked = beside and not self.with_modules
        return refuse(
            "no-free-ports",
            f"the leaves of the compute fabric have no free port for `{group.kind}`",
            path=_path(self.draft, group),
            because=(asked, copper) if blocked else (asked,),
            hint=fibre if blocked else hint,
        )
