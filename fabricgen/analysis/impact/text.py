"""The impact of a failure, as text.

Owns the sentence, the names of the figures and their format; `measure` computes the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.impact.direct_loss import PathLengths
    from fabricgen.analysis.impact.measure import Impact


class ImpactFigure(NamedTuple):
    """A figure of an impact: its name, its field and its unit.

    A ranking leaves out figures that are not `ranked`.
    """

    name: str
    key: str
    unit: str = ""
    ranked: bool = True

    def of(self, impact: Impact) -> float:
        """Return the value of the figure."""
        value: float = getattr(impact, self.key)
        return value

    def text(self, impact: Impact) -> str:
        """Format the value of the figure, without its unit."""
        value = self.of(impact)
        return percent_text(value) if self.unit else f"{value:,}"


FIGURES: tuple[ImpactFigure, ...] = (
    ImpactFigure("GPUs cut off", "gpus_cut_off"),
    ImpactFigure("GPUs degraded", "gpus_degraded"),
    ImpactFigure("bandwidth lost, of each such GPU", "gpu_bandwidth_lost_pct", "%"),
    ImpactFigure("bandwidth lost, of the fabric", "fabric_bandwidth_lost_pct", "%"),
    ImpactFigure("pairs that newly need a relay", "pairs_needing_relay"),
    ImpactFigure("pairs over the network instead of HB", "hb_pairs_over_network", ranked=False),
    ImpactFigure("pairs lost", "pairs_lost"),
    ImpactFigure("reachable pairs", "reachable_pairs_pct", "%", ranked=False),
    ImpactFigure("bisection left", "bisection_left_pct", "%"),
)


def sentence(impact: Impact) -> str:
    """Return one sentence on a failure, which begins with the parts that failed."""
    rails = impact.rails_affected
    where = f"on rail {rails[0]}" if len(rails) == 1 else f"on {len(rails)} rails"
    return f"{', '.join(impact.failed)} down: {'; '.join(_losses(impact, where))}."


def sentence_of_alike(impact: Impact) -> str:
    """Return a sentence that is true for each of the parts with the same loss.

    It names neither the part nor its rail.
    """
    rails = len(impact.rails_affected)
    words = "; ".join(_losses(impact, "on its rail" if rails == 1 else f"on {rails} rails"))
    return f"{words[0].upper()}{words[1:]}."


def _losses(impact: Impact, where: str) -> Iterator[str]:
    """Yield a clause for each loss; `where` names the rails that lose bandwidth."""
    cut, degraded = impact.gpus_cut_off, impact.gpus_degraded
    yield f"{counted(cut, 'GPU')} cut off" if cut else "no GPU is cut off"
    if degraded:
        lose, their = ("loses", "its") if degraded == 1 else ("lose", "their")
        lost = percent_text(impact.gpu_bandwidth_lost_pct)
        yield f"{counted(degraded, 'GPU')} {where} {lose} {lost} % of {their} bandwidth"
    if impact.path_lengths and impact.path_lengths.pairs_longer:
        yield _longer(impact.path_lengths)
    if impact.pairs_needing_relay:
        yield f"{impact.pairs_needing_relay:,} pairs newly take a relay"
    yield (
        f"{impact.pairs_lost:,} pairs are lost"
        if impact.pairs_lost
        else "every pair is still joined"
    )


def _longer(paths: PathLengths) -> str:
    """Return the clause on paths that have become longer."""
    longest = (
        f" and the longest {paths.longest_after} instead of {paths.longest_before}"
        if paths.longest_after != paths.longest_before
        else ""
    )
    return (
        f"{paths.pairs_longer:,} pairs of a rail take longer paths, so that the mean path has"
        f" {paths.mean_after:.3g} links instead of {paths.mean_before:.3g}{longest}"
    )


def figures_of_alike(impact: Impact) -> list[tuple[str, str]]:
    """Return the name and the text of each figure in which parts with the same loss agree."""
    shown = [
        (figure.name, f"{figure.text(impact)}{' %' if figure.unit else ''}") for figure in FIGURES
    ]
    return [*shown[:4], ("rails affected", f"{len(impact.rails_affected):,}"), *shown[4:]]


def percent_text(value: float) -> str:
    """Format a percentage to two decimals, without rounding a share to none or all.

    >>> percent_text(99.99999), percent_text(12.5), percent_text(0.0000004)
    ('> 99.99', '12.5', '< 0.01')
    """
    if 0 < value < 0.01:  # noqa: PLR2004 - the last decimal
        return "< 0.01"
    if 99.99 < value < 100:  # noqa: PLR2004 - as above
        return "> 99.99"
    return f"{value:.2f}".rstrip("0").rstrip(".")
