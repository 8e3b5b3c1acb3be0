"""The text of `compare --rails`: one cluster on rails of several media."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.cli.printing import grouped, sum_of_prices, table

if TYPE_CHECKING:
    from fabricgen.analysis.search.side_by_side import RailComparison, RailFigures

UNKNOWN = "-"


def rails_text(compared: RailComparison) -> str:
    """Lay out the figures, and what they leave out."""
    built = [each for each in compared.rails if each.refused is None]
    head = f"{compared.name}: {grouped(compared.gpus)} GPUs, prices {compared.book or UNKNOWN}"
    rows = [
        ("", *(each.rails for each in built)),
        ("medium", *(each.medium for each in built)),
        ("switches", *(_whole(each.switches) for each in built)),
        ("cables", *(_whole(each.cables) for each in built)),
        ("transceivers", *(_whole(each.transceivers) for each in built)),
        (f"cost, {compared.currency}", *(_cost(each) for each in built)),
        ("power, W", *(_whole(each.power_w) for each in built)),
        ("iteration, s", *(_seconds(each.iteration_s) for each in built)),
        ("lost with a switch, %", *(_percent(each.bandwidth_lost_pct) for each in built)),
        ("cut off with it", *(_whole(each.gpus_cut_off) for each in built)),
        ("any to any", *("yes" if each.any_to_any else "by relays" for each in built)),
    ]
    return "\n\n".join(
        [head, table(rows, right=range(1, len(built) + 1)), *_notes(compared)] if built
        else [head, *_notes(compared)]
    )  # fmt: skip


def _notes(compared: RailComparison) -> list[str]:
    """List what cannot be built, and figures that leave parts out."""
    lines = []
    for each in compared.rails:
        if each.refused:
            lines.append(f"{each.rails} cannot be built: {each.refused}")
        if each.unpriced:
            lines.append(f"{each.rails}: the cost leaves out {', '.join(each.unpriced)}")
        if each.unknown_power:
            lines.append(f"{each.rails}: no power is known of {', '.join(each.unknown_power)}")
        if each.not_timed:
            lines.append(f"{each.rails}: {each.not_timed}")
    return ["\n".join(lines)] if lines else []


def _whole(value: float | None) -> str:
    """Format a number."""
    return UNKNOWN if value is None else grouped(round(value))


def _cost(each: RailFigures) -> str:
    """Format a cost."""
    return sum_of_prices(each.cost, partial=bool(each.unpriced))


def _seconds(value: float | None) -> str:
    """Format the time of an iteration."""
    return UNKNOWN if value is None else f"{value:.4g}"


def _percent(value: float | None) -> str:
    """Format a percentage."""
    return UNKNOWN if value is None else f"{value:.4g}"
