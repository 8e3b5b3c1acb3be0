"""The cabling of a cut sheet by segment and block, and a refusal of each row that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.lifecycle.change.port_names import NicEnd, PlanNames, SwitchEnd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Finding
    from fabricgen.lifecycle.cable_sheet import Row
    from fabricgen.lifecycle.change.cut_sheet import CutSheet
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan

FILE = "`fabricgen plan --json` and cabling/cables.csv list the names of the inventory"


class SheetCabling(NamedTuple):
    """The cabling of a sheet by segment and block.

    It has the GPU of rail 0 by slot, the upper port by lower port, and the line of each end.
    """

    hosts: dict[tuple[int, int], dict[int, int]]
    links: dict[tuple[LinkKind, int, int], dict[tuple[int, int], tuple[int, int]]]
    lines: dict[NicEnd | SwitchEnd, int]


def read_rows(base: Plan, sheet: CutSheet, cabled: SheetCabling) -> Iterator[Finding]:
    """Add every row, or yield the finding that prevents it."""
    names, seen = PlanNames(base), set[frozenset[NicEnd | SwitchEnd]]()
    for row in sheet.rows:
        ends = [
            names.end(device, interface)
            for device, interface in zip(row.devices, row.interfaces, strict=True)
        ]
        wrong = [end for end in ends if isinstance(end, str)]
        if wrong:
            fact, _, hint = wrong[0].partition(": ")
            yield sheet.finding(row.line, fact, hint=hint or FILE)
            continue
        both = frozenset(end for end in ends if not isinstance(end, str))
        if both in seen and len(both) > 1:  # the second cable of a link that takes two
            continue
        seen.add(both)
        twice = next((end for end in both if end in cabled.lines), None)
        if twice is not None or len(both) == 1:
            because = (
                (f"line {cabled.lines[twice]} plugs a cable there already",)
                if twice is not None
                else ()
            )
            yield sheet.finding(
                row.line, "two cables cannot share a port", because, "keep one of the two lines"
            )
            continue
        cabled.lines.update(dict.fromkeys(both, row.line))
        fault = _add(base, cabled, sorted(both, key=lambda end: _tier(base, end)))
        if fault:
            yield sheet.finding(
                row.line, f"{_shown(row)} is no cable of this inventory", (fault,), FILE
            )


def _shown(row: Row) -> str:
    """Return a row as text."""
    return " - ".join(
        f"{device} {interface}"
        for device, interface in zip(row.devices, row.interfaces, strict=True)
    )


def _tier(base: Plan, end: NicEnd | SwitchEnd) -> int:
    """Return the tier of an end; 0 for a NIC port."""
    return 0 if isinstance(end, NicEnd) else base.naming.boxes[end.box].role.tier


def _add(base: Plan, cabled: SheetCabling, ends: list[NicEnd | SwitchEnd]) -> str:
    """Add one cable; return the reason if it fits nowhere."""
    low, high = ends
    if not isinstance(high, SwitchEnd) or _tier(base, high) != _tier(base, low) + 1:
        return "it does not join a tier and the next one"
    return (
        _add_host_cable(base, cabled, low, high)
        if isinstance(low, NicEnd)
        else _add_link(base, cabled, low, high)
    )


def _add_host_cable(base: Plan, cabled: SheetCabling, low: NicEnd, high: SwitchEnd) -> str:
    """Add the cable of a NIC port; return the reason if it does not fit."""
    mapping, fabric, shares = base.mapping, base.fabric, base.mapping.segment_blocks
    down, block = divmod(high.port, shares)
    rail = fabric.coordinates.rail(low.gpu)
    if down >= base.sizing.leaf_down:
        return "the leaf's port is an uplink"
    if mapping.home(low.gpu, low.plane) != (high.segment, block):
        return f"the NIC port is on rail {rail}, plane {low.plane}, and the leaf's port is not"
    striped = fabric.design is Design.RAIL_OPTIMIZED and base.sizing.tiers > 1
    if striped and not mapping.serves(high.box, rail):
        return f"the NIC port is on rail {rail}, which that leaf does not serve"
    first_gpu = mapping.pattern_gpu(low.gpu)
    cabled.hosts.setdefault((high.segment, block), {})[high.box * base.sizing.leaf_down + down] = (
        first_gpu
    )
    return ""


def _add_link(base: Plan, cabled: SheetCabling, low: SwitchEnd, high: SwitchEnd) -> str:
    """Add a cable between two switches; return the reason if it does not fit."""
    boxes, sizing = base.naming.boxes, base.sizing
    below, above = boxes[low.box], boxes[high.box]
    down, shares = (
        base.widths[below.role][0],
        base.mapping.segment_blocks if below.role is Role.LEAF else 1,
    )
    uplink, block = divmod(low.port - down, shares)
    block = above.block if shares == 1 else block
    if low.port < down:
        return "the lower switch's port is a downlink"
    if (
        low.segment != high.segment
        or above.block != block
        or (below.block >= 0 and below.block != block)
    ):
        return "its two switches are of rails or planes that never meet"
    if above.role is not base.roles[-1] and high.port >= base.widths[above.role][0]:
        return "the upper switch's port is an uplink"
    if sizing.core and not _connected(base, below, above):
        return "its two switches are of pods or groups that never meet"
    kind = LinkKind(above.role.tier)
    cabled.links.setdefault((kind, low.segment, block), {})[below.index, uplink] = (
        above.index,
        high.port,
    )
    return ""


def _connected(base: Plan, below: Box, above: Box) -> bool:
    """Return whether a leaf and a spine share a pod, or a spine and a core a group."""
    sizing = base.sizing
    if above.role is Role.SPINE:
        return below.index // sizing.pod_leaves == above.index // sizing.pod_spines
    return below.index % sizing.pod_spines == above.index // sizing.group_cores
