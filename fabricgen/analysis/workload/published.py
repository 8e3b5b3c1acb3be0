"""What others printed of a model, beside what the equations give.

Owns the file of printed figures, the same figure of ours, and the verdict: *reproduced* within 0.2
points, *close* within 3, else it *differs*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field

from fabricgen.catalog.models.base import Count, Facts, Sourced, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

REPRODUCED, CLOSE = 0.2, 3.0
"""Points of difference up to which a figure is reproduced, and close."""

Figure = Literal[
    "saves_pct",
    "relative_pct",
    "ideal_faster_pct",
    "pairs_idle_pct",
    "hb_pairs_pct",
    "hb_bytes_pct",
    "idle_links_pct",
]


class Printed(Facts):
    """One printed figure: of which model and batch, and at which value of the sweep; `saves_pct` is between two."""

    llm: Text
    figure: Figure
    printed: Annotated[float, Field(allow_inf_nan=False)]
    bound: Literal["equal", "at-least", "at-most"] = "equal"
    at: tuple[Count, ...] = ()
    batch_tokens: Count | None = None

    def is_of(self, row: dict[str, Any]) -> bool:
        """Say whether a row is of the model and batch that the figure is about."""
        return row["llm"] == self.llm and self.batch_tokens in (None, row["batch_tokens"])


class PublishedFigures(Sourced):
    """The printed figures of one plot."""

    name: Text
    figures: tuple[Printed, ...]


class Compared(NamedTuple):
    """A printed figure and ours, in per cent; None where no row of ours is about it."""

    printed: Printed
    ours: float | None

    @property
    def verdict(self) -> str:
        """How near they are."""
        if self.ours is None:
            return "not in this table"
        if self.printed.bound != "equal":
            holds = (
                self.ours >= self.printed.printed
                if self.printed.bound == "at-least"
                else self.ours <= self.printed.printed
            )
            return "reproduced" if holds else "differs"
        apart = abs(self.ours - self.printed.printed)
        return "reproduced" if apart <= REPRODUCED else "close" if apart <= CLOSE else "differs"

    @property
    def words(self) -> str:
        """The comparison in one line."""
        sign = {"equal": "", "at-least": "at least ", "at-most": "at most "}[self.printed.bound]
        ours = "-" if self.ours is None else f"{self.ours:.2f} %"
        return (
            f"{self.subject}: printed {sign}{self.printed.printed:g} %, ours {ours}: {self.verdict}"
        )

    @property
    def subject(self) -> str:
        """What the figure is about."""
        at = " to ".join(f"{value:,}" for value in self.printed.at)
        words = {
            "saves_pct": f"{at} saves",
            "relative_pct": f"relative performance{' at ' + at if at else ''}",
            "ideal_faster_pct": "the ideal is faster by",
            "pairs_idle_pct": "pairs of GPUs without traffic",
            "hb_pairs_pct": "pairs inside HB domains with traffic",
            "hb_bytes_pct": "bytes that stay inside HB domains",
            "idle_links_pct": "links that carry nothing",
        }
        batch = f" with {self.printed.batch_tokens:,} tokens" if self.printed.batch_tokens else ""
        return f"{self.printed.llm}{batch}: {words[self.printed.figure]}"

    def document(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            **self.printed.model_dump(),
            "at": list(self.printed.at),
            "ours": self.ours,
            "verdict": self.verdict,
        }


def compare(figures: Sequence[Printed], rows: Sequence[dict[str, Any]]) -> list[Compared]:
    """Set each printed figure beside ours; `rows` are those of `sweeping.row`, with the value of the sweep under `x`.

    >>> rows = [{"llm": "a", "batch_tokens": 1, "x": x, "iteration_s": s} for x, s in ((8, 2.0), (16, 1.5))]
    >>> compare([Printed(llm="a", figure="saves_pct", at=(8, 16), printed=26)], rows)[0].words
    'a: 8 to 16 saves: printed 26 %, ours 25.00 %: close'
    """
    return [
        Compared(printed, _ours(printed, [row for row in rows if printed.is_of(row)]))
        for printed in figures
    ]


def _ours(printed: Printed, rows: Sequence[dict[str, Any]]) -> float | None:
    """Find our figure among the rows of its model."""
    found = (
        [row for value in printed.at for row in rows if row.get("x") == value]
        if printed.at
        else list(rows[:1])
    )
    if not found or len(found) < len(printed.at):
        return None
    last = found[-1]
    if printed.figure == "saves_pct":
        return float(100 * (1 - last["iteration_s"] / found[0]["iteration_s"]))
    if printed.figure == "ideal_faster_pct":
        return float(100 * (last["iteration_s"] / last["ideal_s"] - 1))
    if printed.figure == "relative_pct":
        return float(100 * last["relative"])
    share = last.get("traffic", {}).get(printed.figure)
    return None if share is None else float(share)
