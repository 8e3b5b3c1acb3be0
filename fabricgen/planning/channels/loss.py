"""The optical loss of each channel against the budget of its modules.

The plugs at both modules, those at both panels, the splices of the trunk, and the fibre of both
jumpers and the trunk count.
Losses are integers in billionths of a decibel, of which a millimetre of fibre loses as many as a
kilometre loses thousandths.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.channels.parts import ChannelParts

DB = 10**9
"""A decibel in the unit of this module."""


class LossFigure(NamedTuple):
    """A figure of the catalog, what it is of, and the part that has it or lacks it."""

    what: str
    part: str
    value: float | None


class LossRates(NamedTuple):
    """The losses of a channel's parts: of all plugs, of all splices, and of a millimetre of fibre.

    `budget` is the smaller one of both modules.
    """

    plugs: int
    splices: int
    lower: int
    trunk: int
    upper: int
    budget: int

    def total(self, lower_mm: Int64Array, trunk_mm: Int64Array, upper_mm: Int64Array) -> Int64Array:
        """Return the losses of channels with cables of these lengths."""
        fibre = lower_mm * self.lower + trunk_mm * self.trunk + upper_mm * self.upper
        return np.asarray(self.plugs + self.splices + fibre, dtype=np.int64)


def loss_figures(parts: ChannelParts) -> list[LossFigure]:
    """List every figure that the loss of a channel is made of."""
    cassette, front, rear = parts.cassette, parts.front, parts.rear
    mated = (
        LossFigure("a mated pair", rear.model, rear.loss_db)
        if cassette.is_adapter
        else LossFigure("a cassette", cassette.model, cassette.loss_db)
    )
    modules = dict.fromkeys(parts.joint.modules.values())
    splice = LossFigure("a splice", parts.trunk.model, parts.trunk.splice_db)
    return [
        LossFigure("a mated pair", front.model, front.loss_db),
        mated,
        LossFigure("a kilometre of fibre", parts.lower.model, parts.lower.db_per_km),
        LossFigure("a kilometre of fibre", parts.trunk.model, parts.trunk.db_per_km),
        LossFigure("a kilometre of fibre", parts.upper.model, parts.upper.db_per_km),
        *([splice] if parts.splices else []),
        *(LossFigure("the budget", module.model, module.budget_db) for module in modules),
    ]


def loss_rates(parts: ChannelParts) -> LossRates:
    """Return the losses of a channel's parts. Raises Refusal `unknown-loss`."""
    figures = loss_figures(parts)
    missing = [figure for figure in figures if figure.value is None]
    if missing:
        raise _unknown(parts, missing)
    plug, mated, lower, trunk, upper, *others = (
        int(Fraction(str(figure.value)) * 1000) for figure in figures
    )
    splices = parts.splices * others.pop(0) if parts.splices else 0
    milli = DB // 1000
    plugs, budget = 2 * (plug + mated) * milli, min(others) * milli
    return LossRates(plugs, splices * milli, lower, trunk, upper, budget)


def decibels(loss: int) -> str:
    """Format a loss, rounded up to thousandths so that none over a budget looks like it.

    >>> decibels(1_446_000_000), decibels(1_446_000_001)
    ('1.446', '1.447')
    """
    return f"{-(-loss // (DB // 1000)) / 1000:g}"


def _unknown(parts: ChannelParts, missing: list[LossFigure]) -> Exception:
    """Refuse channels of which a loss is unknown."""
    kind = parts.joint.kind.key.replace("_", "-")
    return refuse(
        "unknown-loss",
        f"the loss of structured {kind} links is unknown",
        path=("cabling", "where", parts.joint.kind.setting),
        because=[
            f"the catalog does not state {figure.what} of {figure.part}"
            if figure.what == "the budget"
            else f"the catalog does not state the loss of {figure.what} of {figure.part}"
            for figure in dict.fromkeys(missing)
        ],
        hint="state it with its source in a catalog directory of your own (`--catalog DIR`), or"
        f" leave `{parts.joint.kind.setting}: direct`",
    )
