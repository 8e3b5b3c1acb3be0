"""The check that no tray is fuller than the inventory allows, over all cables of a fabric."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.cabling.trays import Trays, pairs_of

if TYPE_CHECKING:
    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.channels import Channels


def check_trays(lengths: Lengths, channels: Channels | None) -> None:
    """Refuse trays that are fuller than the inventory allows, over all racks and cables.

    Raises Refusal `tray-too-full`.
    """
    room = lengths.room
    if room.site.tray.fill_percent is None:
        return
    counted: Counter[tuple[str, str, str]] = Counter()
    for segment in range(room.naming.mapping.segments):
        laid = lengths.laid(segment)
        first = np.ones(len(laid.lower), dtype=bool)
        if lengths.pieces is not None:
            first = lengths.pieces.first[segment]
        if channels is not None:
            first = first & ~channels.patched(segment, len(first))
        columns = np.stack(
            [room.positions.rack[laid.lower], room.positions.rack[laid.upper], laid.candidate]
        )[:, first]
        for (one, other, candidate), count in zip(
            *(each.tolist() for each in np.unique(columns.T, axis=0, return_counts=True)),
            strict=True,
        ):
            joint = lengths.candidates[candidate]
            counted[room.names[one], room.names[other], joint.cable.model] += count * joint.cables
    facts: dict[str, Cable | Trunk] = {
        joint.cable.model: joint.cable for joint in lengths.candidates
    }
    if channels is not None:
        for one, other, part, cable in channels.pulled(room):
            counted[one, other, part] += 1
            facts[part] = cable
    trays = Trays(room)
    trays.check(trays.loads(pairs_of(counted, room), facts))
