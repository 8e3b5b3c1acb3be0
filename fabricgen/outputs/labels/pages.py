"""Sheets of labels to print, page by page.

Owns how many labels a page has, and what its template sees of each. `views.cables.labels` owns the
texts, `qr_codes` the codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.colours import HUES
from fabricgen.core.template_api import for_templates
from fabricgen.outputs.labels.qr_codes import paths, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.views.cables.labels import Label, Labelling
    from fabricgen.views.cables.view import CableView

PAGE = 48
"""Labels of a page: 4 x 12, both of a cable side by side."""


class Mark(NamedTuple):
    """What a label shows beside its texts: its code and the colours of its rail.

    The code is a path in a square of so many modules. The path is empty on the second label of a
    cable on a page, which repeats that of the first.
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


def label_pages(
    fabric: str, labelling: Labelling, cables: Sequence[CableView]
) -> Iterator[LabelPage]:
    """Lay the labels of one file out on pages."""
    title = f"Labels of {fabric}: {cables[0].cable} to {cables[-1].cable}"
    labels = [*labelling.labels(cables)]
    pages = -(-len(labels) // PAGE) or 1
    for number in range(pages):
        run = labels[number * PAGE : (number + 1) * PAGE]
        names = list(dict.fromkeys(label.qr for label in run))
        codes = dict(zip(names, paths(names), strict=True))
        yield LabelPage(
            title,
            [(label, _mark(label, codes.pop(label.qr, ""))) for label in run],
            number + 1,
            pages,
        )


def _mark(label: Label, path: str) -> Mark:
    """Return what a label shows beside its texts."""
    hue = HUES[int(label.rail or 0) % len(HUES)]
    return Mark(size(label.qr), path, hue.fill, hue.text)
