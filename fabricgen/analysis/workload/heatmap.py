"""The traffic matrix as a picture: inside an HB domain, and across a few of them.

Owns two squares, sources down and targets to the right, with a cell for a pair of GPUs in the
colour of its class. Direct groups give every pair of a class the same bytes, which are in the
legend, so a colour is a quantity. Cells without traffic are white.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.workload.svg_charts import (
    COLOURS,
    LEFT,
    PLOT,
    TOP,
    coordinate,
    legend,
    picture,
    text,
)
from fabricgen.planning.coordinates import gpu_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.workload.collectives import Groups

SIDE = 64
"""GPUs along a square."""

NAMES = {
    "mp": "MP",
    "dp_within": "DP within HB domains",
    "dp_across": "DP across",
    "pipeline": "pipeline",
}
"""The text of each class."""


def heat_map(groups: Groups, title: str, notes: Sequence[str] = (), *, titled: bool = True) -> str:
    """Draw the first GPUs of one HB domain, and the first ranks of several domains."""
    size, domains = groups.machine.domain_gpus, groups.domains
    ranks = min(size, SIDE)
    few = min(size, max(4, SIDE // min(domains, 16)))
    far = min(domains, SIDE // few)
    inside = list(range(ranks))
    coordinates = groups.machine.coordinates
    across = [coordinates.gpu(domain, rank) for domain in range(far) for rank in range(few)]
    squares = [
        (
            inside,
            (
                f"{gpu_name(0, 0)} to {gpu_name(0, ranks - 1)}, one HB"
                f" domain{'' if ranks == size else f' of {size}'}"
            ),
        ),
        (across, f"{few} ranks each of {far} of {domains} HB domains"),
    ]
    parts = [
        part
        for number, (gpus, words) in enumerate(squares)
        for part in _square(groups, gpus, LEFT + number * (PLOT + 60), words)
    ]
    names = [
        (f"{NAMES[name]}: {_bytes(each.bytes_per_pair)} a pair", COLOURS[list(NAMES).index(name)])
        for name, each in groups.classes.items()
    ]
    return picture(
        title,
        [*parts, *legend(names, printed=False)],
        [*_notes(groups), *notes],
        framed=False,
        titled=titled,
    )


def _square(groups: Groups, gpus: list[int], left: float, words: str) -> list[str]:
    """Draw a square of GPUs."""
    cell, place = PLOT / len(gpus), {gpu: number for number, gpu in enumerate(gpus)}
    parts = [
        (
            f'<rect x="{coordinate(left)}" y="{TOP}" width="{PLOT}" height="{PLOT}" fill="none"'
            ' stroke="#333"/>'
        )
    ]
    for name, each in groups.classes.items():
        spots = []
        for domain in sorted({groups.machine.coordinates.domain(gpu) for gpu in gpus}):
            sources, targets = groups.peers(each, domain)
            spots += [
                (place[a], place[b])
                for a, b in zip(sources.tolist(), targets.tolist(), strict=True)
                if a in place and b in place
            ]
        path = "".join(
            f"M{coordinate(left + x * cell)} {coordinate(TOP + y * cell)}"
            f"h{coordinate(cell)}v{coordinate(cell)}h-{coordinate(cell)}z"
            for y, x in spots
        )
        parts.append(f'<path d="{path}" fill="{COLOURS[list(NAMES).index(name)]}"/>')
    return [
        *parts,
        text(left + PLOT / 2, TOP + PLOT + 22, words, "middle"),
        text(left - 8, TOP + 10, "from", "end", 11),
        text(left, TOP - 6, "to", "start", 11),
    ]


def _notes(groups: Groups) -> list[str]:
    """Return notes on the share of pairs without traffic, and of traffic inside HB domains."""
    shares, machine = groups.shares(), groups.machine
    return [
        (
            f"{machine.gpus:,} GPUs in HB domains of {machine.domain_gpus}, groups of {groups.n_m}:"
            f" {shares.pairs_idle_pct:.2f} % of the pairs carry nothing;"
        ),
        (
            f"{shares.hb_pairs_pct:.3g} % talk inside HB domains and carry"
            f" {shares.hb_bytes_pct:.1f} % of the bytes."
        ),
    ]


def _bytes(number: float) -> str:
    """Return bytes as text.

    >>> _bytes(42.47e6)
    '42.5 MB'
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g} B"
