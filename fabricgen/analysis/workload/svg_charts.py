"""Charts as SVG: lines of a sweep and stacked bars of an iteration, light and printable.

Owns axes, ticks, legends and escaping. They are written by hand: a plotting library is a heavy
import for two kinds of chart, and its files differ from version to version. The caller chooses the
figures. The same figures give the same bytes.
"""

from __future__ import annotations

from html import escape
from math import floor, log2, log10
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDTH, LEFT, RIGHT, TOP, PLOT, LINE = 820, 76, 40, 92, 300, 18
"""The picture's width, the margins of the plot, its height, and the height of a line of text."""

TITLE = 36
"""The height of the title, above the legend."""

COLOURS = ("#1f5fa8", "#c8501e", "#2e8b57", "#7b4bb0", "#8a6d1a", "#4d4d4d", "#b03060")
"""Colours that also differ in black and white print."""

Points = list[tuple[float, float]]


class Lines(NamedTuple):
    """A chart of lines: each by name with its points, and the points that others printed.

    The x axis is logarithmic to base 2.
    """

    title: str
    x_name: str
    y_name: str
    series: list[tuple[str, Points]]
    printed: list[tuple[float, float]]


class Bars(NamedTuple):
    """A chart of stacked bars: the name of each, and its parts in one order.

    `printed` are the heights that others printed, by bar.
    """

    title: str
    y_name: str
    parts: list[str]
    bars: list[tuple[str, list[float]]]
    printed: list[tuple[int, float]]
    colours: tuple[str, ...] = COLOURS


def line_chart(chart: Lines, notes: Sequence[str] = (), *, titled: bool = True) -> str:
    """Return a chart of lines, with notes below the plot."""
    xs = sorted({x for _, points in chart.series for x, _ in points})
    top = max([y for _, points in chart.series for _, y in points] + [y for _, y in chart.printed])
    low, high = log2(xs[0]), log2(xs[-1])
    step, ticks = _ticks(top)
    across = WIDTH - LEFT - RIGHT

    def place_x(x: float) -> float:
        return LEFT + across * ((log2(x) - low) / (high - low) if high > low else 0.5)

    def place_y(y: float) -> float:
        return TOP + PLOT * (1 - y / ticks[-1])

    parts = _y_axis(ticks, step, place_y, chart.y_name)
    for x in _thinned(xs, place_x):
        parts += [
            f'<path d="M{coordinate(place_x(x))} {TOP + PLOT}v5" stroke="#333"/>',
            text(place_x(x), TOP + PLOT + 20, short(x), "middle"),
        ]
    parts.append(text(LEFT + across / 2, TOP + PLOT + 42, chart.x_name, "middle"))
    for number, (_, points) in enumerate(chart.series):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{coordinate(place_x(x))},{coordinate(place_y(y))}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{coordinate(place_x(x))}" cy="{coordinate(place_y(y))}" r="3.2"'
            f' fill="{colour}"/>'
            for x, y in points
        ]
    parts += [
        f'<path d="{_diamond(place_x(x), place_y(y))}" fill="none" stroke="#000"'
        ' stroke-width="1.5"/>'
        for x, y in chart.printed
    ]
    names = [
        (name, COLOURS[number % len(COLOURS)]) for number, (name, _) in enumerate(chart.series)
    ]
    return picture(
        chart.title, [*parts, *legend(names, printed=bool(chart.printed))], notes, titled=titled
    )


def bar_chart(chart: Bars, notes: Sequence[str] = (), *, titled: bool = True) -> str:
    """Return a chart of stacked bars, with notes below the plot."""
    step, ticks = _ticks(
        max([sum(values) for _, values in chart.bars] + [height for _, height in chart.printed])
    )

    def place_y(y: float) -> float:
        return TOP + PLOT * (1 - y / ticks[-1])

    parts = _y_axis(ticks, step, place_y, chart.y_name)
    room = (WIDTH - LEFT - RIGHT) / len(chart.bars)
    for number, (name, values) in enumerate(chart.bars):
        x, base = LEFT + room * number, 0.0
        for colour, value in zip(chart.colours, values, strict=False):
            at, wide = (
                f'x="{coordinate(x + room * 0.2)}" y="{coordinate(place_y(base + value))}"',
                coordinate(room * 0.6),
            )
            parts.append(
                f'<rect {at} width="{wide}"'
                f' height="{coordinate(place_y(base) - place_y(base + value))}" fill="{colour}"/>'
            )
            base += value
        words = name.split("\n")
        parts += [
            text(x + room / 2, TOP + PLOT + 18 + 16 * line, word, "middle")
            for line, word in enumerate(words)
        ]
    for number, height in chart.printed:
        parts.append(
            f'<path d="{_diamond(LEFT + room * (number + 0.5), place_y(height))}" fill="none"'
            ' stroke="#000" stroke-width="1.5"/>'
        )
    return picture(
        chart.title,
        [
            *parts,
            *legend(
                list(zip(chart.parts, chart.colours, strict=False)), printed=bool(chart.printed)
            ),
        ],
        notes,
        titled=titled,
    )


def picture(
    title: str,
    parts: Sequence[str],
    notes: Sequence[str],
    *,
    framed: bool = True,
    titled: bool = True,
) -> str:
    """Return a chart with its title above and its notes below, or without both."""
    notes, top = (notes, 0) if titled else ((), TITLE)
    height = TOP + PLOT + 62 + LINE * len(notes) - top
    below = [
        text(LEFT, TOP + PLOT + 66 + LINE * number, note, "start", 12)
        for number, note in enumerate(notes)
    ]
    frame = f'<path d="M{LEFT} {TOP}V{TOP + PLOT}H{WIDTH - RIGHT}" fill="none" stroke="#333"/>'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0'
        f' {top} {WIDTH} {height}" font-family="sans-serif" font-size="13">'
    )
    start = f'y="{top}" ' if top else ""
    lines = [
        head,
        f"<title>{escape(title)}</title>",
        f'<rect {start}width="{WIDTH}" height="{height}" fill="#fff"/>',
        *([text(LEFT, 28, title, "start", 16)] if titled else []),
    ]
    return "\n".join([*lines, *parts, *([frame] if framed else []), *below, "</svg>", ""])


def _y_axis(
    ticks: Sequence[float], step: float, place_y: Callable[[float], float], name: str
) -> list[str]:
    """Yield the lines of a y axis, its figures and its name."""
    digits = max(0, -floor(log10(step)))
    parts = [
        text(
            16,
            TOP + PLOT / 2,
            name,
            "middle",
            13,
            f' transform="rotate(-90 16 {coordinate(TOP + PLOT / 2)})"',
        )
    ]
    for tick in ticks:
        parts.append(
            f'<path d="M{LEFT} {coordinate(place_y(tick))}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        )
        parts.append(text(LEFT - 8, place_y(tick) + 4, f"{tick:,.{digits}f}", "end"))
    return parts


def legend(names: Sequence[tuple[str, str]], *, printed: bool) -> list[str]:
    """Yield the legend above the plot, in several lines for many colours."""
    x, y, parts = float(LEFT), 52.0, []
    for name, colour in names:
        if x + 30 + 7.5 * len(name) > WIDTH - RIGHT:
            x, y = float(LEFT), y + LINE
        parts += [
            (
                f'<rect x="{coordinate(x)}" y="{coordinate(y - 10)}" width="12" height="12"'
                f' fill="{colour}"/>'
            ),
            text(x + 18, y, name, "start"),
        ]
        x += 42 + 7.5 * len(name)
    if printed:
        parts += [
            f'<path d="{_diamond(x + 6, y - 4)}" fill="none" stroke="#000" stroke-width="1.5"/>',
            text(x + 18, y, "as printed", "start"),
        ]
    return parts


def _ticks(top: float) -> tuple[float, list[float]]:
    """Return the step of an axis from 0, a 1, 2 or 5, and its ticks.

    >>> _ticks(0.34)
    (0.1, [0.0, 0.1, 0.2, 0.3, 0.4])
    """
    rough = max(top, 1e-12) / 5
    base = 10.0 ** floor(log10(rough))
    step = next(base * times for times in (1, 2, 5, 10) if base * times >= rough * 0.999)
    digits = max(0, -floor(log10(step)))
    count = -floor(-top / step * 0.9999) or 1
    return round(step, digits), [round(step * number, digits) for number in range(count + 1)]


def _thinned(xs: Sequence[float], place_x: Callable[[float], float]) -> list[float]:
    """Return the figures of an axis without those that would overlap."""
    kept: list[float] = []
    for x in xs:
        if not kept or place_x(x) - place_x(kept[-1]) >= 8 * len(short(x)):
            kept.append(x)
    return kept


def short(number: float) -> str:
    """Return a number for an axis: whole, or in millions.

    >>> short(1048576), short(32000000), short(512)
    ('1.049M', '32M', '512')
    """
    if number >= 10**6:
        return f"{number / 10**6:.4g}M" if number < 10**8 else f"{number / 10**6:,.0f}M"
    return f"{number:,.0f}"


def _diamond(x: float, y: float) -> str:
    """Return the path of a diamond around a point."""
    return f"M{coordinate(x)} {coordinate(y - 7)}l7 7l-7 7l-7 -7z"


def text(x: float, y: float, words: str, anchor: str, size: int = 13, more: str = "") -> str:
    """Return a text element."""
    return (
        f'<text x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" font-size="{size}"'
        f' fill="#111"{more}>{escape(words)}</text>'
    )


def coordinate(number: float) -> str:
    """Return a coordinate in tenths."""
    return f"{number:.1f}".removesuffix(".0")
