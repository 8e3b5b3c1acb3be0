"""Numbers and names that growth cannot keep, with the reason.

Owns `outgrown`: full slices of the address pools, digits of labels, and positions that a table
changes. `expand` decides what a larger fabric keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabricgen.planning.plan import Plan

ADVICE = "a `reserve` in the first plan would have kept them"


def outgrown(old: Plan, new: Plan) -> Iterator[str]:
    """Yield a sentence for each kind of number that changes when `old` grows to `new`."""
    for what, before, after, count in (
        ("host", old.addresses.hosts.size, new.addresses.hosts.size, _renumbered(old, new)),
        (
            "loopback",
            old.addresses.loopbacks.size,
            new.addresses.loopbacks.size,
            _reassigned(old, new),
        ),
    ):
        if count:
            whose = "NIC ports" if what == "host" else "switches"
            why = (
                f"a slice of the {what} pool grows from {before:,} to {after:,} addresses"
                if before < after
                else "they change their leaf"
            )
            yield f"the addresses of {count:,} existing {whose} change: {why}; {ADVICE}"
    if old.label_width != new.label_width:
        digits = f"numbers take {new.label_width} digits instead of {old.label_width}"
        yield f"every cable gets another label: {digits}; {ADVICE}"
    if moved := _moved_devices(old, new):
        yield (
            f"`site.positions` moves {moved:,} existing devices, and their cables change in length"
        )


def _moved_devices(old: Plan, new: Plan) -> int:
    """Return the number of devices with another place; 0 unless both rooms are described."""
    rooms = [
        plan.lengths.room for plan in (old, new) if plan.lengths and not plan.lengths.room.generated
    ]
    if len(rooms) < len((old, new)):
        return 0
    before, after = (
        {
            room.device(device): room.place(device)
            for device in np.flatnonzero(room.positions.rack >= 0).tolist()
        }
        for room in rooms
    )
    return sum(after.get(name, place) != place for name, place in before.items())


def _positions(plan: Plan, gpus: int) -> NDArray[Any]:
    """Return the slot of each GPU of rail 0, or of each where a block spans rails; else -1."""
    found = np.full(gpus, -1, dtype=np.int64)
    host = (plan.segment.kind == LinkKind.HOST) & (plan.segment.block == 0)
    here = plan.segment.lower[host] < gpus
    found[plan.segment.lower[host][here]] = plan.segment.slot[host][here]
    return found


def _renumbered(old: Plan, new: Plan) -> int:
    """Return the number of installed NIC ports whose address changes."""
    gpus, blocks = old.fabric.gpus, old.mapping.segments * old.mapping.segment_blocks
    before, after = _positions(old, gpus), _positions(new, gpus)
    cabled, step = before >= 0, 2 if old.addresses.numbered else 1
    starts = [
        new.addresses.hosts.start(block) - old.addresses.hosts.start(block)
        for block in range(blocks)
    ]
    return sum(
        int(np.count_nonzero(step * (after[cabled] - before[cabled]) != -start)) for start in starts
    )


def _reassigned(old: Plan, new: Plan) -> int:
    """Return the number of installed routing instances whose loopback changes."""
    blocks = old.mapping.segments * old.mapping.segment_blocks
    each = sum(
        1 if box.block >= 0 else old.mapping.segment_blocks
        for box, has in zip(old.naming.boxes, old.installed, strict=True)
        if has
    )
    moved = sum(
        new.addresses.loopbacks.start(block) != old.addresses.loopbacks.start(block)
        for block in range(blocks)
    )
    return each * old.mapping.segments * moved // blocks
