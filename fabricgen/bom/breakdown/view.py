"""What templates and workbooks see of a bill that is divided, of racks, and of what a design saves: finished texts, like `views`.

What nobody knows is empty, never 0. `dividing` makes the first two, `savings` the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.core.template_api import for_templates


def grouped(number: str) -> str:
    """Set the thousands of a number apart; nothing is not known.

    >>> grouped("1234567.50"), grouped("")
    ('1,234,567.50', 'not known')
    """
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}{point}{rest}" if number else "not known"


@dataclass(slots=True)
class PortionView:
    """One row of a bill that is divided."""

    row: str
    """What the row is: part, spares, subtotal of a place, or total."""
    place: str
    """The role, rack or phase; empty for spares and the total."""
    part_class: str
    part: str
    part_number: str
    description: str
    quantity: str
    unit_price: str
    currency: str
    total: str
    power_w: str
    """Typical power of the quantity; spares take none."""
    note: str
    """What a sum does not contain."""


@dataclass(slots=True)
class DivisionView:
    """A bill that is divided by role, rack or phase."""

    fabric: str
    by: str
    """role, rack or phase."""
    rows: list[PortionView]
    """Each place's parts and their subtotal, then the spares, then the total."""


@dataclass(slots=True)
class LoadView:
    """What one rack, one role, or the whole fabric asks of the room. `all_` is with hosts, the rest is the fabric alone."""

    row: str
    """What the row is: rack, role, or total."""
    place: str
    hosts: str
    leaf: str
    spine: str
    core: str
    rack_units: str
    power_w: str
    power_max_w: str
    heat_btu_h: str
    heat_max_btu_h: str
    weight_kg: str
    all_rack_units: str
    all_power_w: str
    all_power_max_w: str
    all_heat_btu_h: str
    all_heat_max_btu_h: str
    all_weight_kg: str
    unknown: str
    """The facts that nobody states, each with its parts."""


@dataclass(slots=True)
class LoadsView:
    """What the fabric asks of its room."""

    fabric: str
    room: str
    """Where racks come from: `generated`, `site`, or empty where nothing is placed."""
    rows: list[LoadView]
    notes: list[str]
    """How the figures are meant, in a sentence each."""


@dataclass(slots=True)
class SavingView:
    """One figure of the three designs, and what rail-only saves of it against each of the others."""

    figure: str
    unit: str
    values: list[str]
    """In the order of `SavingsView.designs`; empty where the figure is not known."""
    saved: list[str]
    """In the order of `SavingsView.baselines`; negative where rail-only takes more."""
    saved_pct: list[str]

    @property
    @for_templates
    def cells(self) -> list[str]:
        """The cells for a table, amounts as plain numbers."""
        return [
            self.figure,
            self.unit,
            *self.values,
            *(cell for pair in zip(self.saved, self.saved_pct, strict=True) for cell in pair),
        ]

    @property
    @for_templates
    def shown(self) -> list[str]:
        """The cells for a reader: thousands apart, and what is saved with its per cent.

        >>> SavingView("switches", "", ["1536", "2560"], ["1024"], ["40"]).shown
        ['switches', '1,536', '2,560', '1,024 (40 %)']
        """
        saved = [
            f"{grouped(value)} ({pct} %)" if pct else grouped(value)
            for value, pct in zip(self.saved, self.saved_pct, strict=True)
        ]
        return [
            f"{self.figure}, {self.unit}" if self.unit else self.figure,
            *map(grouped, self.values),
            *saved,
        ]


@dataclass(slots=True)
class SavingsView:
    """A report on what the rail-only design saves, for somebody who has not seen the inventory."""

    title: str
    designs: list[str]
    baselines: list[str]
    headline: list[str]
    """What is saved, in a sentence for each other design."""
    compared: list[str]
    """What was compared, in sentences."""
    rows: list[SavingView]
    counted: list[str]
    """How it was counted, and at which prices."""
    left_out: list[str]
    """What no sum contains."""

    @property
    @for_templates
    def table(self) -> list[list[str]]:
        """Everything as rows of one table: its titles, a row for each figure, and a row for each sentence."""
        against = [
            f"{what}_against_{design}"
            for design in self.baselines
            for what in ("saved", "saved_pct")
        ]
        titles = ["row", "figure", "unit", *self.designs, *against, "text"]
        figures = [["figure", *row.cells, ""] for row in self.rows]
        told = (
            ("headline", self.headline),
            ("compared", self.compared),
            ("counted", self.counted),
            ("left out", self.left_out),
        )
        return [
            titles,
            *figures,
            *([kind, *[""] * (len(titles) - 2), text] for kind, texts in told for text in texts),
        ]
