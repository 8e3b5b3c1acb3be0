"""Sheets of labels to print, page by page.

Owns what the template of a page sees of each label. `views.cables.labels` owns the texts, `layouts`
the sheet and the lines, `qr_codes` the codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.colours import HUES
from fabricgen.core.template_api import for_templates
from fabricgen.core.text_fit import cut_each
from fabricgen.outputs.labels.layouts import WHOLE
from fabricgen.outputs.labels.qr_codes import paths, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.outputs.labels.layouts import Layout
    from fabricgen.views.cables.labels import Label, Labelling
    from fabricgen.views.cables.view import CableView


class LabelLine(NamedTuple):
    """A line of a label: which one it is, and its text."""

    kind: str
    text: str


class PrintedLabel(NamedTuple):
    """A label as it is printed: its code, its lines, and the colours of its rail.

    The code is a path in a square of so many modules.
    """

    label: Label
    size: int
    path: str
    fill: str
    text: str
    beside: list[LabelLine]
    below: list[LabelLine]


@dataclass(slots=True)
class LabelPage:
    """One page of labels; `first` and `last` mark the ends of its file."""

    title: str
    layout: Layout
    labels: list[PrintedLabel]
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


def cable_label_pages(
    fabric: str, labelling: Labelling, layout: Layout, cables: Sequence[CableView]
) -> Iterator[LabelPage]:
    """Lay the labels of the cables of one file out on pages."""
    title = f"Labels of {fabric}: {cables[0].cable} to {cables[-1].cable}"
    return label_pages(title, layout, labelling.labels(cables))


def label_pages(title: str, layout: Layout, labels: Sequence[Label]) -> Iterator[LabelPage]:
    """Lay the labels of one file out on pages."""
    pages = -(-len(labels) // layout.per_page) or 1
    lines = (*layout.beside, *layout.below)
    widths = {kind: layout.characters(kind) for kind in lines if kind not in WHOLE}
    # a band without a rail, such as that of a feed, has a colour by its text
    bands = sorted({label.colour for label in labels if label.colour and not label.rail})
    hues = {"": 0} | {text: number for number, text in enumerate(bands)}
    for number in range(pages):
        run = labels[number * layout.per_page : (number + 1) * layout.per_page]
        codes = paths([label.qr for label in run])
        printed = [
            _printed(label, code, layout, widths, int(label.rail or hues[label.colour]))
            for label, code in zip(run, codes, strict=True)
        ]
        yield LabelPage(title, layout, printed, number + 1, pages)


def _printed(
    label: Label, code: str, layout: Layout, widths: dict[str, int], hue_number: int
) -> PrintedLabel:
    """Return a label with the lines of a layout, cut to so many characters.

    A line without a text is left out.
    """
    hue = HUES[hue_number % len(HUES)]
    texts = cut_each(_texts(label), widths)
    beside, below = (
        [LabelLine(kind, texts[kind]) for kind in lines if texts[kind]]
        for lines in (layout.beside, layout.below)
    )
    return PrintedLabel(label, size(label.qr), code, hue.fill, hue.text, beside, below)


def _texts(label: Label) -> dict[str, str]:
    """Return the text of each line that a layout may have."""
    rail = f" rail {label.rail}" if label.rail else ""
    length = f" {label.length_m} m" if label.length_m else ""
    return {
        "cable": label.cable_id,
        "end": f"{f'end {label.end}' if label.end in 'AB' else label.end}{rail}{length}",
        "rail": label.colour,
        "device": label.device,
        "peer": label.far_device and f"to {label.far_device}",
        "near": label.line1,
        "far": label.line2,
        "length": length.strip(),
    }
