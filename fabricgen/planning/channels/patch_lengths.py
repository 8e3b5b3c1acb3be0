"""The lengths of jumpers and trunks: their runs to panels, and the stock lengths above them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.cabling.stock_lengths import USUAL_M, stock_mm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.panels import Panel


class PatchRuns:
    """The runs between the devices and the panels of a fabric."""

    def __init__(self, lengths: Lengths, panels: Sequence[Panel]) -> None:
        """Place the panels beside the devices."""
        self._room, self._panels = lengths.room, panels
        rack, unit, need = (
            np.array(column, dtype=np.int32)
            for column in (
                [panel.rack for panel in panels],
                [panel.rack_unit for panel in panels],
                [panel.parts.panel.rack_units for panel in panels],
            )
        )
        self._runs, self._first = lengths.runs.with_panels(rack, unit, need)

    def rack(self, panel: int) -> str:
        """Name the rack of a panel."""
        return self._room.names[self._panels[panel].rack]

    def to_panels(self, devices: Int32Array, panels: IntArray) -> Int32Array:
        """Return the runs from devices to panels, in millimetres."""
        return self._runs.run_mm(devices, (panels + self._first).astype(np.int32))

    def between(self, panels: IntArray, others: IntArray) -> Int32Array:
        """Return the runs between panels, in millimetres."""
        return self.to_panels((panels + self._first).astype(np.int32), others)

    def jumper_mm(self, cable: Cable, run_mm: Int32Array) -> Int32Array:
        """Return the stock lengths of jumpers: those of the site for the medium, else its own."""
        stated = getattr(self._room.site.stock_lengths_m, cable.medium, None)
        return self._stocked(stated or cable.lengths_m, run_mm)

    def trunk_mm(self, lengths_m: Sequence[float], run_mm: Int32Array) -> Int32Array:
        """Return the stock lengths of trunks."""
        return self._stocked(lengths_m, run_mm)

    def _stocked(self, lengths_m: Sequence[object], run_mm: Int32Array) -> Int32Array:
        """Round runs up to stock lengths."""
        table = stock_mm(lengths_m or USUAL_M, self._furthest)
        return table[np.searchsorted(table, run_mm)]

    @cached_property
    def _furthest(self) -> int:
        """An upper bound of the runs."""
        return self._runs.furthest_mm
