"""The cables of two plans side by side: those of both compared, the others kept for pairing.

Owns `CableDiff`. `cable_table` gives the columns, `match_cables` pairs what only one plan has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.lifecycle.change.cable_table import CableTable, views_of
from fabricgen.lifecycle.change.match_cables import CableJob, ChangedCable, cable_of, make_of
from fabricgen.lifecycle.change.work_order import WorkStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


class CableDiff:
    """The cables of two plans, read once: shared ones are compared, others kept for pairing."""

    def __init__(self, before: CableTable, after: CableTable, *, measured: bool) -> None:
        """Find the cables that both tables have."""
        self.before, self.after, self._measured = before, after, measured
        both, self._rows, self.stay = np.intersect1d(
            before.pair, after.pair, assume_unique=True, return_indices=True
        )
        self._partner = (
            dict(zip(self.stay.tolist(), self._rows.tolist(), strict=True)) if len(both) else {}
        )
        self._seen: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._alike: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._places: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self.gone: list[ChangedCable] = []
        self.come: list[ChangedCable] = []
        self.swaps: list[CableJob] = []
        self.small: list[WorkStep] = []
        self.kept = 0
        self.kept_pieces: set[str] = set()

    def read_old(self, plan: Plan) -> None:
        """Read the older plan."""
        stays = set(self._rows.tolist())
        for row, view in enumerate(views_of(plan)):
            self._place(0, view)
            if row in stays:
                rest = (
                    *make_of(view, measured=self._measured),
                    view.a_transceiver,
                    view.b_transceiver,
                )
                self._seen[row] = view.cable, self._alike.setdefault(rest, rest)
            else:
                self.gone.append(cable_of(self.before, row, view, measured=self._measured))

    def read_new(self, plan: Plan) -> None:
        """Read the newer plan, and compare the cables that both have."""
        for row, view in enumerate(views_of(plan)):
            self._place(1, view)
            if row in self._partner:
                self._compare(row, view)
            else:
                self.come.append(cable_of(self.after, row, view, measured=self._measured))

    def _compare(self, row: int, view: CableView) -> None:
        """Compare a cable between the same ports in both plans."""
        label, rest = self._seen.pop(self._partner[row])
        make, modules = rest[:-2], rest[-2:]
        new = cable_of(self.after, row, view, measured=self._measured)
        if make != new.make:
            self.swaps += [
                CableJob(new._replace(label=label, make=make), None),
                CableJob(None, new),
            ]
            return
        self.kept += not new.piece
        self.kept_pieces.update([new.piece] if new.piece else [])
        if label != view.cable:
            self.small.append(WorkStep("relabel", label, label, view.cable))
        if modules != (view.a_transceiver, view.b_transceiver):
            self.small.append(
                WorkStep(
                    "refit",
                    view.cable,
                    " and ".join(modules),
                    f"{view.a_transceiver} and {view.b_transceiver}",
                )
            )

    def _place(self, which: int, view: CableView) -> None:
        """Record the places of both devices of a cable."""
        self._places[which][view.a_device] = f"{view.a_rack} {view.a_unit}".strip()
        self._places[which][view.b_device] = f"{view.b_rack} {view.b_unit}".strip()

    def moved_devices(self) -> Iterator[tuple[str, str, str]]:
        """Yield the devices of both plans whose place differs."""
        was, now = self._places
        return (
            (name, was[name], place)
            for name, place in now.items()
            if self._measured and name in was and was[name] != place
        )
