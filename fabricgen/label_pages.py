"""Sheets of labels to print, page by page.

Owns how many labels a page has, and what its template sees of each. The texts are `labelling`'s, the codes `qr`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.colours import HUES
from fabricgen.qr import paths, size
from fabricgen.template_api import for_templates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.labelling import Label, Labelling
    from fabricgen.views import CableView

PAGE = 24
"""Cables of a page: 4 x 12 labels, both of a cable side by side."""


class Mark(NamedTuple):
    """What a label shows beside its texts: the code, as a path in a square of so many modules, and the colours of its rail.

    The path is empty on the second label of a cable, which shows that of the first.
    """

    size: int
    path: str
    fill: str
    text: str


@dataclass(slots=True)
class LabelPage:
    """One page of labels; `first` and `last` mark the ends of its file."""

    title: str
    labels: list[tuple[Label, Mark]]
    number: int
    pages: int

    @property
    @for_templates
    def first(self) -> bool:
        """Whether the file begins here."""
        return self.number == 1

    @property
    @for_templates
    def last(self) -> bool:
        """Whether the file ends here."""
        return self.number == self.pages


def label_pages(fabric: str, labelling: Labelling, cables: Sequence[CableView]) -> Iterator[LabelPage]:
    """Lay the labels of one file out on pages."""
    pages = -(-len(cables) // PAGE)
    title = f"Labels of {fabric}: {cables[0].cable} to {cables[-1].cable}"
    for number in range(pages):
        run = cables[number * PAGE : (number + 1) * PAGE]
        codes = [each for path in paths([cable.cable for cable in run]) for each in (path, "")]
        labels = [(label, _mark(label, code)) for label, code in zip(labelling.labels(run), codes, strict=True)]
        yield LabelPage(title, labels, number + 1, pages)


def _mark(label: Label, path: str) -> Mark:
    """Return what a label shows beside its texts."""
    hue = HUES[int(label.rail or 0) % len(HUES)]
    return Mark(size(label.qr), path, hue.fill, hue.text)
