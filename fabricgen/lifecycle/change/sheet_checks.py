"""The checks of a whole cut sheet: no cable is missing, and all segments are cabled alike."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.lifecycle.change.port_names import NicEnd, SwitchEnd, end_name
from fabricgen.planning.fabric_links import wiring_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Finding
    from fabricgen.lifecycle.change.cut_sheet import CutSheet
    from fabricgen.lifecycle.change.sheet_cabling import SheetCabling
    from fabricgen.planning.plan import Plan


def missing_cables(base: Plan, sheet: CutSheet, cabled: SheetCabling) -> Iterator[Finding]:
    """Yield the NIC ports and uplinks without a cable."""
    wiring = wiring_of(base)
    hosts = wiring.kind == LinkKind.HOST
    size = len(base.naming.boxes)
    lows: Iterator[NicEnd | SwitchEnd] = chain(
        map(NicEnd, wiring.lower[hosts].tolist(), wiring.lower_port[hosts].tolist()),
        map(
            SwitchEnd,
            (wiring.lower[~hosts] // size).tolist(),
            (wiring.lower[~hosts] % size).tolist(),
            wiring.lower_port[~hosts].tolist(),
        ),
    )
    for low in lows:  # a NIC port has two numbers, a switch's port three
        if low not in cabled.lines:
            lines = len(cabled.lines) // 2
            because = (f"the inventory makes {len(wiring.kind)} links, and the sheet has {lines}",)
            yield sheet.finding(
                1,
                f"no line has a cable at {end_name(base, low)}",
                because,
                "add its line, or take it out of the inventory",
            )


def unlike_segments(base: Plan, sheet: CutSheet, cabled: SheetCabling) -> Iterator[Finding]:
    """Yield the first cable of each block that differs from the first block."""
    # a plan stores one segment, so every block must repeat the cables of the first one
    pattern = cabled.hosts[0, 0]
    for (segment, block), slots in cabled.hosts.items():
        slot = next(
            (slot for slot in sorted({*slots, *pattern}) if slots.get(slot) != pattern.get(slot)),
            None,
        )
        if slot is not None:
            yield _differs(
                base,
                sheet,
                cabled,
                segment,
                SwitchEnd(
                    segment,
                    slot // base.sizing.leaf_down,
                    slot % base.sizing.leaf_down * base.mapping.segment_blocks + block,
                ),
            )
    for (kind, segment, block), ports in cabled.links.items():
        usual = cabled.links[kind, 0, 0]
        low = next(
            (low for low in sorted({*ports, *usual}) if ports.get(low) != usual.get(low)), None
        )
        if low is not None:
            shares = base.mapping.segment_blocks if kind is LinkKind.LEAF_SPINE else 1
            role = Role.LEAF if kind is LinkKind.LEAF_SPINE else Role.SPINE
            box = next(
                at
                for at, box in enumerate(base.naming.boxes)
                if (box.role, box.index) == (role, low[0]) and box.block in (-1, block)
            )
            yield _differs(
                base,
                sheet,
                cabled,
                segment,
                SwitchEnd(
                    segment,
                    box,
                    base.widths[role][0] + low[1] * shares + (block if shares > 1 else 0),
                ),
            )


def _differs(
    base: Plan, sheet: CutSheet, cabled: SheetCabling, segment: int, port: SwitchEnd
) -> Finding:
    """Return the finding for a segment that is cabled differently from the first."""
    same = f"the same port of the first rail and plane, {base.naming.switches(0)[port.box]}"
    because = (
        f"{same}, leads elsewhere",
        "a plan is one segment, and all segments are alike",
    )
    hint = (
        f"`fabricgen audit FABRIC --lldp {sheet.name}` names the faults "
        "and the fewest moves that make the rails alike"
    )
    line = cabled.lines.get(port, 1)
    return sheet.finding(
        line,
        f"segment {segment + 1} is cabled differently from the first, at {end_name(base, port)}",
        because,
        hint,
    )
