"""What templates and workbooks see of a divided bill, of loads and of savings: finished texts.

A figure that is not known is empty, never 0. `build` makes the first two, `savings` the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.core.template_api import for_templates

UNKNOWN = "not known"


def grouped(number: str) -> str:
    """Separate the thousands of a number; an empty text is not known.

    >>> grouped("1234567.50"), grouped("")
    ('1,234,567.50', 'not known')
    """
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}{point}{rest}" if number else UNKNOWN


def bounded(text: str, bound: str) -> str:
    """Qualify an amount in words; an exact one stays as it is, and so does an unknown one.

    >>> bounded("36.8 %", "at least"), bounded("38.3 %", "of priced parts")
    ('at least 36.8 %', '38.3 % of priced parts')
    """
    if bound == "exact" or text == UNKNOWN:
        return text
    return f"{text} {bound}" if bound == "of priced parts" else f"{bound} {text}"


@dataclass(slots=True, kw_only=True)
class PortionView:
    """One row of a divided bill."""

    row: str
    """The kind of row: part, spares, subtotal of a place, or total."""
    place: str
    """The role, rack or phase; empty for spares and the total."""
    part_class: str
    part: str
    length_m: str = ""
    """Length of a cable in metres."""
    part_number: str
    description: str
    quantity: str
    unit_price: str
    currency: str
    total: str
    power_w: str
    """Typical power of the quantity; spares are not powered."""
    note: str
    """What a sum leaves out."""


@dataclass(slots=True)
class DivisionView:
    """A bill divided by role, rack or phase."""

    fabric: str
    by: str
    """role, rack or phase."""
    rows: list[PortionView]
    """The parts of each place and their subtotal, then the spares, then the total."""


@dataclass(slots=True, kw_only=True)
class LoadView:
    """Loads of one rack, one role, or the fabric; `all_` includes hosts, the rest does not."""

    row: str
    """The kind of row: rack, role, or total."""
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
    """The unknown facts, each with its parts."""


@dataclass(slots=True)
class LoadsView:
    """Power, heat, weight and rack units of a fabric."""

    fabric: str
    room: str
    """Source of the racks: `generated`, `site`, or empty where nothing is placed."""
    rows: list[LoadView]
    notes: list[str]
    """How the figures are meant, in one sentence each."""


@dataclass(slots=True)
class SavingView:
    """One figure of the three designs, and what rail-only saves of it against each other design."""

    figure: str
    unit: str
    values: list[str]
    """In the order of `SavingsView.designs`; empty where the figure is not known."""
    value_bounds: list[str]
    """For each of them whether it is exact, or `at least` that: the sum of the priced parts."""
    saved: list[str]
    """In the order of `SavingsView.baselines`; negative where rail-only takes more."""
    saved_pct: list[str]
    bounds: list[str]
    """For each of `SavingsView.baselines` whether the saving is exact, `at least` or `at most`
    that, or `of priced parts`."""

    @property
    @for_templates
    def cells(self) -> list[str]:
        """The cells of a table, amounts as plain numbers."""
        return [
            self.figure,
            self.unit,
            *self.values,
            *(
                cell
                for against in zip(self.saved, self.saved_pct, self.bounds, strict=True)
                for cell in against
            ),
        ]

    @property
    def bounded_values(self) -> list[tuple[str, str]]:
        """Each value, saving and percentage with its bound."""
        saved = zip(self.saved, self.saved_pct, self.bounds, strict=True)
        bounded_cells = [(cell, bound) for amount, pct, bound in saved for cell in (amount, pct)]
        return [*zip(self.values, self.value_bounds, strict=True), *bounded_cells]

    @property
    @for_templates
    def shown(self) -> list[str]:
        """The cells for a reader: thousands separated, savings with their percentage.

        >>> exact, partial = ["exact", "exact"], ["exact", "at least"]
        >>> SavingView("switches", "", ["1536", "2560"], exact, ["1024"], ["40"], ["exact"]).shown
        ['switches', '1,536', '2,560', '1,024 (40 %)']
        >>> SavingView("cost", "EUR", ["60", "100"], partial, ["40"], ["40"], ["at least"]).shown
        ['cost, EUR', '60', 'at least 100', 'at least 40 (40 %)']
        """
        saved = [
            bounded(f"{grouped(value)} ({pct} %)" if pct else grouped(value), bound)
            for value, pct, bound in zip(self.saved, self.saved_pct, self.bounds, strict=True)
        ]
        return [
            f"{self.figure}, {self.unit}" if self.unit else self.figure,
            *map(bounded, map(grouped, self.values), self.value_bounds),
            *saved,
        ]


@dataclass(slots=True)
class SavingsView:
    """A report on what the rail-only design saves, for a reader without the inventory."""

    title: str
    designs: list[str]
    baselines: list[str]
    headline: list[str]
    """The savings, in one sentence for each other design."""
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
        """Everything as rows of one table: titles, a row per figure, and a row per sentence."""
        against = [
            f"{what}_against_{design}"
            for design in self.baselines
            for what in ("saved", "saved_pct", "bound")
        ]
        titles = ["row", "figure", "unit", *self.designs, *against, "text"]
        figures = [["figure", *row.cells, ""] for row in self.rows]
        notes = (
            ("headline", self.headline),
            ("compared", self.compared),
            ("counted", self.counted),
            ("left out", self.left_out),
        )
        return [
            titles,
            *figures,
            *([kind, *[""] * (len(titles) - 2), text] for kind, texts in notes for text in texts),
        ]
