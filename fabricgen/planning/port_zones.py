"""The zones of a switch: the cages that an inventory gives to the links of each direction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.inventory.fields import cages_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.sizing import PortZones
    from fabricgen.planning.port_layout import PortLayout


def with_zones(
    layout: PortLayout,
    zones: PortZones | None,
    path: Path,
    findings: list[Finding],
    *,
    joined: bool = True,
) -> PortLayout:
    """Return a layout with the zones of its entry in the inventory; contradictions are findings.

    Where a switch is not `joined` to a tier above, its uplinks are of the speed of another network.
    """
    if zones is None:
        return layout
    asked = {"down": zones.down, "up": zones.up}
    cages = {name: frozenset(cages_of(text or "")) for name, text in asked.items()}
    zoned = replace(layout, down_zone=cages["down"], up_zone=cages["up"])
    found = [*_conflicts(zoned, (*path, "zones"), joined=joined)]
    findings += found
    return layout if found else zoned


def _conflicts(layout: PortLayout, path: Path, *, joined: bool) -> Iterator[Finding]:
    """Refuse cages that a switch lacks, that lack the breakout, and that face both ways."""
    model, zones = layout.model, {"down": layout.down_zone, "up": layout.up_zone}
    for mode, (name, cages) in zip((layout.down, layout.up), zones.items(), strict=True):
        able = model.cages_by_breakout[mode.name]
        every = range(1, model.cages + 1)
        wrong = sorted(cages.difference(able if joined or name == "down" else every))
        if wrong:
            offers = (
                f"it has {model.cages} cages"
                if wrong[-1] > model.cages
                else f"it cannot be split {mode.name}"
            )
            yield Finding(
                "bad-zones",
                f"cage {wrong[-1]} of {model.model} has no links that face {name}",
                (*path, name),
                (offers,),
                f"leave the cage out of `{name}`",
            )
    both = sorted(layout.down_zone & layout.up_zone)
    if both:
        yield Finding(
            "bad-zones",
            f"cage {both[0]} of {model.model} faces down and up",
            (*path, "up"),
            ("links of one direction start at the first cage of their zone",),
            "leave the cage out of one of the zones",
        )
