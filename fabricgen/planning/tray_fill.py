"""The check that no tray is fuller than the inventory allows, over all cables of a fabric."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.cabling.trays import Trays, pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.channels import Channels


def check_trays(networks: Sequence[Lengths | None], channels: Sequence[Channels | None]) -> None:
    """Refuse trays that are fuller than the inventory allows, over all racks and cables.

    Each network has its channels at the same place. Raises Refusal `tray-too-full`.
    """
    every = [(lengths, own) for lengths, own in zip(networks, channels, strict=True) if lengths]
    room = every[0][0].room
    if room.site.tray.fill_percent is None:
        return
    counted: Counter[tuple[str, str, str]] = Counter()
    facts: dict[str, Cable | Trunk] = {}
    for lengths, own in every:
        counted.update(_pulled(lengths, own))
        facts |= {joint.cable.model: joint.cable for joint in lengths.candidates}
        for one, other, part, cable in own.pulled(lengths.room) if own else ():
            counted[one, other, part] += 1
            facts[part] = cable
    trays = Trays(room)
    trays.check(trays.loads(pairs_of(counted, room), facts))


def _pulled(lengths: Lengths, channels: Channels | None) -> Counter[tuple[str, str, str]]:
    """Count the cables of a fabric by both racks and part, without those that panels serve."""
    room = lengths.room
    counted: Counter[tuple[str, str, str]] = Counter()
    for segment in range(room.naming.mapping.segments):
        lower, upper = lengths.runs.ends(segment, 0, None)
        first = np.ones(len(lower), dtype=bool)
        if lengths.pieces is not None:
            first = lengths.pieces.first[segment]
        if channels is not None:
            first = first & ~channels.patched(segment, len(first))
        columns = np.stack(
            [room.positions.rack[lower], room.positions.rack[upper], lengths.candidate[segment]]
        )[:, first]
        for (one, other, candidate), count in zip(
            *(each.tolist() for each in np.unique(columns.T, axis=0, return_counts=True)),
            strict=True,
        ):
            joint = lengths.candidates[candidate]
            counted[room.names[one], room.names[other], joint.cable.model] += count * joint.cables
    return counted
