"""The figures that others printed for a model, beside the results of the equations.

Owns the file of printed figures, our value of the same figure, and the verdict: *reproduced* within
0.2 points, *close* within 3, otherwise it *differs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from fabricgen.catalog.models.base import Facts, Sourced, Text, Tokens
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.workload.idle_links import Traffic
    from fabricgen.analysis.workload.sweep import IterationRow

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
    """One printed figure, with its model, its batch and its value of the sweep.

    `saves_pct` is between two values.
    """

    llm: Text
    figure: Figure
    printed: Annotated[float, Field(allow_inf_nan=False)]
    bound: Literal["equal", "at-least", "at-most"] = "equal"
    at: tuple[Tokens, ...] = ()
    batch_tokens: Tokens | None = None

    def is_of(self, llm: str, batch_tokens: int) -> bool:
        """Return whether the figure is about a model and batch."""
        return llm == self.llm and self.batch_tokens in (None, batch_tokens)


class PublishedFigures(Sourced):
    """The printed figures of one plot."""

    name: Text
    figures: tuple[Printed, ...]


@dataclass(frozen=True)
class Compared(Document):
    """A printed figure and ours, in per cent; None where no row of ours is about it.

    >>> Compared(Printed(llm="a", figure="saves_pct", at=(8, 16), printed=26), 25.0).words
    'a: 8 to 16 saves: printed 26 %, ours 25.00 %: close'
    """

    printed: Printed
    ours: float | None

    @property
    def verdict(self) -> str:
        """The verdict on the difference."""
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


def compare(
    figures: Sequence[Printed], rows: Sequence[IterationRow], traffic: Traffic | None = None
) -> list[Compared]:
    """Compare each printed figure with the computed one; `traffic` is that of the first row."""
    return [Compared(printed, _ours(printed, rows, traffic)) for printed in figures]


def _ours(printed: Printed, rows: Sequence[IterationRow], traffic: Traffic | None) -> float | None:
    """Return the computed figure; None where no row is about it."""
    about = [row for row in rows if printed.is_of(row.llm, row.batch_tokens)]
    found = (
        [row for value in printed.at for row in about if row.x == value]
        if printed.at
        else about[:1]
    )
    if not found or len(found) < len(printed.at):
        return None
    last = found[-1]
    if printed.figure == "saves_pct":
        return 100 * (1 - last.iteration_s / found[0].iteration_s)
    if printed.figure == "ideal_faster_pct":
        return 100 * (last.iteration_s / last.ideal_s - 1)
    if printed.figure == "relative_pct":
        return 100 * last.relative
    if traffic is None:
        return None
    if printed.figure == "idle_links_pct":
        return traffic.load.idle_links_pct
    share: float = getattr(traffic.shares, printed.figure)
    return share
