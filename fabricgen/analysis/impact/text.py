"""What a failure takes, in words.

Owns the sentence, the names of the figures and how they are written; the figures are those of
`measuring`. Layout is the reader's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Figure(NamedTuple):
    """A figure of `impact --json`: its name, its key and its unit."""

    name: str
    key: str
    unit: str


FIGURES: tuple[Figure, ...] = (
    Figure("GPUs cut off", "gpus_cut_off", ""),
    Figure("GPUs degraded", "gpus_degraded", ""),
    Figure("bandwidth lost, of each such GPU", "gpu_bandwidth_lost_pct", "%"),
    Figure("bandwidth lost, of the fabric", "fabric_bandwidth_lost_pct", "%"),
    Figure("pairs that newly need a relay", "pairs_needing_relay", ""),
    Figure("pairs over the network instead of HB", "hb_pairs_over_network", ""),
    Figure("pairs lost", "pairs_lost", ""),
    Figure("reachable pairs", "reachable_pairs_pct", "%"),
    Figure("bisection left", "bisection_left_pct", "%"),
)


def sentence(document: dict[str, Any]) -> str:
    """Say in one sentence what a failure means, beginning with what failed."""
    rails = document["rails_affected"]
    where = f"on rail {rails[0]}" if len(rails) == 1 else f"on {len(rails)} rails"
    return f"{', '.join(document['failed'])} down: {'; '.join(_losses(document, where))}."


def sentence_of_alike(document: dict[str, Any]) -> str:
    """Say the same of any one part of those that are alike: it names neither the part nor its rail.

    >>> figures = {"gpus_cut_off": 0, "gpus_degraded": 4, "gpu_bandwidth_lost_pct": 25.0, "pairs_needing_relay": 0, "pairs_lost": 0}
    >>> sentence_of_alike({**figures, "rails_affected": [3]})
    'No GPU is cut off; 4 GPUs on its rail lose 25 % of their bandwidth; every pair is still joined.'
    """
    rails = len(document["rails_affected"])
    words = "; ".join(_losses(document, "on its rail" if rails == 1 else f"on {rails} rails"))
    return f"{words[0].upper()}{words[1:]}."


def _losses(document: dict[str, Any], where: str) -> Iterator[str]:
    """Say what is lost, a clause each; `where` says on which rails bandwidth is."""
    cut, degraded = document["gpus_cut_off"], document["gpus_degraded"]
    yield f"{gpus_text(cut)} cut off" if cut else "no GPU is cut off"
    if degraded:
        lose, their = ("loses", "its") if degraded == 1 else ("lose", "their")
        yield f"{gpus_text(degraded)} {where} {lose} {percent_text(document['gpu_bandwidth_lost_pct'])} % of {their} bandwidth"
    if newly := document["pairs_needing_relay"]:
        yield f"{newly:,} pairs newly take a relay"
    yield (
        f"{document['pairs_lost']:,} pairs are lost"
        if document["pairs_lost"]
        else "every pair is still joined"
    )


def figures_of_alike(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the name and the finished value of each figure in which parts that are alike agree."""
    shown = [
        (
            figure.name,
            f"{figure_text(document[figure.key], figure.unit)}{' %' if figure.unit else ''}",
        )
        for figure in FIGURES
    ]
    return [*shown[:4], ("rails affected", f"{len(document['rails_affected']):,}"), *shown[4:]]


def figure_text(value: float, unit: str) -> str:
    """Write a figure, without its unit."""
    return percent_text(value) if unit else f"{value:,}"


def percent_text(value: float) -> str:
    """Write a percentage in three digits or more, and never as none or all of what it is not.

    >>> percent_text(99.99999), percent_text(12.5), percent_text(0.0000004)
    ('> 99.99', '12.5', '< 0.01')
    """
    if 0 < value < 0.01:  # noqa: PLR2004 - the last digit that is written
        return "< 0.01"
    if 99.99 < value < 100:  # noqa: PLR2004 - as above
        return "> 99.99"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def gpus_text(count: int) -> str:
    """Count GPUs.

    >>> gpus_text(1), gpus_text(4096)
    ('1 GPU', '4,096 GPUs')
    """
    return f"{count:,} GPU{'s' * (count != 1)}"
