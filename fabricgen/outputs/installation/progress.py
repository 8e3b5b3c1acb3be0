"""Days of work: which bundles are finished on which day.

A day has `site.cables_per_day` cables, counted in the order of installation; a bundle belongs to
the day on which its last cable is plugged.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from fabricgen.outputs.installation.view import DayView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.outputs.installation.view import BundleView


def days_of(bundles: Sequence[BundleView]) -> list[DayView]:
    """Divide bundles, which are in the order of installation, into days."""
    days: list[DayView] = []
    total = 0
    for day, run in groupby(bundles, key=lambda bundle: bundle.day):
        held = [*run]
        cables = sum(bundle.cables for bundle in held)
        total += cables
        days.append(DayView(day=day, bundles=held, cables=cables, total=total))
    return days
