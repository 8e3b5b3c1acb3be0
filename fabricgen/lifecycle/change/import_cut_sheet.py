"""Importing an existing fabric: the inventory defines it, a cut sheet gives its cabling.

Owns `import_cut_sheet`. The cables of the sheet become the columns of one segment. Cables that the
inventory cannot have are refused line by line: unknown devices or ports, cables between rails or
pods that never meet, and segments that are cabled differently, because a plan stores one segment
and repeats it. The checks judge the imported cabling.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.lifecycle.change.cut_sheet import first
from fabricgen.lifecycle.change.expand import filled, homes
from fabricgen.lifecycle.change.keep_links import TierPorts, keep
from fabricgen.lifecycle.change.port_names import NicEnd, PlanNames, SwitchEnd, end_name
from fabricgen.planning.baseline.baseline import Baseline, Slices
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.planning.plan import make_plan
from fabricgen.planning.segment_links import tier_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array
    from fabricgen.core.diagnostics import Finding
    from fabricgen.lifecycle.change.cut_sheet import CutSheet, Row
    from fabricgen.planning.block_links import TierLinks
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan

FILE = "`fabricgen plan --json` and cabling/cables.csv list the names of the inventory"


class _SheetCabling(NamedTuple):
    """The cabling of a sheet by segment and block.

    It has the GPU of rail 0 by slot, the upper port by lower port, and the line of each end.
    """

    hosts: dict[tuple[int, int], dict[int, int]]
    links: dict[tuple[LinkKind, int, int], dict[tuple[int, int], tuple[int, int]]]
    lines: dict[NicEnd | SwitchEnd, int]


def import_cut_sheet(base: Plan, sheet: CutSheet) -> Plan:
    """Plan the fabric of `base` with the cabling of the sheet.

    Raises Refusal `cut-sheet-does-not-fit` with the first findings.
    """
    cabled = _SheetCabling({}, {}, {})
    findings = (
        first(_read(base, sheet, cabled))
        or first(_missing(base, sheet, cabled))
        or first(_unlike(base, sheet, cabled))
    )
    if findings:
        raise Refusal(findings)
    endpoints = _endpoints(base, cabled)
    wired = {kind: columns for kind in base.kinds[1:] if (columns := _wired(base, kind, cabled))}
    if endpoints is None and not wired and not base.mapping.baseline:
        return base
    slices = Slices(base.addresses.hosts.size, base.addresses.loopbacks.size)
    kept = base.mapping.baseline or Baseline(base.mapping.stages, {}, slices)
    return make_plan(base.spec, base.catalog, replace(kept, endpoints=endpoints, wired=wired))


def _read(base: Plan, sheet: CutSheet, cabled: _SheetCabling) -> Iterator[Finding]:
    """Enter every row, or yield the finding that prevents it."""
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
        fault = _enter(base, cabled, sorted(both, key=lambda end: _tier(base, end)))
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


def _enter(base: Plan, cabled: _SheetCabling, ends: list[NicEnd | SwitchEnd]) -> str:
    """Enter one cable; return the reason where it fits nowhere."""
    low, high = ends
    if not isinstance(high, SwitchEnd) or _tier(base, high) != _tier(base, low) + 1:
        return "it does not join a tier and the next one"
    return (
        _enter_host(base, cabled, low, high)
        if isinstance(low, NicEnd)
        else _enter_link(base, cabled, low, high)
    )


def _enter_host(base: Plan, cabled: _SheetCabling, low: NicEnd, high: SwitchEnd) -> str:
    """Enter the cable of a NIC port; return the reason where it does not fit."""
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


def _enter_link(base: Plan, cabled: _SheetCabling, low: SwitchEnd, high: SwitchEnd) -> str:
    """Enter a cable between two switches; return the reason where it does not fit."""
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
    if sizing.core and not _meet(base, below, above):
        return "its two switches are of pods or groups that never meet"
    kind = LinkKind(above.role.tier)
    cabled.links.setdefault((kind, low.segment, block), {})[below.index, uplink] = (
        above.index,
        high.port,
    )
    return ""


def _meet(base: Plan, below: Box, above: Box) -> bool:
    """Return whether a leaf and a spine share a pod, or a spine and a core a group."""
    sizing = base.sizing
    if above.role is Role.SPINE:
        return below.index // sizing.pod_leaves == above.index // sizing.pod_spines
    return below.index % sizing.pod_spines == above.index // sizing.group_cores


def _missing(base: Plan, sheet: CutSheet, cabled: _SheetCabling) -> Iterator[Finding]:
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
            because = (
                f"the inventory makes {len(wiring.kind):,} links, and the sheet has {lines:,}",
            )
            yield sheet.finding(
                1,
                f"no line has a cable at {end_name(base, low)}",
                because,
                "add its line, or take it out of the inventory",
            )


def _unlike(base: Plan, sheet: CutSheet, cabled: _SheetCabling) -> Iterator[Finding]:
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
    base: Plan, sheet: CutSheet, cabled: _SheetCabling, segment: int, port: SwitchEnd
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


def _endpoints(base: Plan, cabled: _SheetCabling) -> Int32Array | None:
    """Return the endpoints as in the sheet; None where they follow the rule."""
    plain = replace(base.mapping, baseline=None)
    rule, found = plain.pattern(), cabled.hosts[0, 0]
    slot, gpu = (
        np.array(sorted(found), dtype=np.int64),
        np.array([found[slot] for slot in sorted(found)], dtype=np.int64),
    )
    return filled(gpu, slot, homes(rule, base.fabric.planned_gpus), rule, base.sizing)


def _wired(
    base: Plan, kind: LinkKind, cabled: _SheetCabling
) -> tuple[Int32Array, Int32Array] | None:
    """Return the links between switches as in the sheet; None where all follow the rule.

    Links that are not installed yet follow the rule.
    """
    rule = tier_links(replace(base.mapping, baseline=None), kind)
    found = cabled.links.get((kind, 0, 0), {})
    lows = sorted(found)
    columns = np.array([(*low, *found[low]) for low in lows], dtype=np.int32).reshape(-1, 4).T
    sheet: TierLinks = rule._replace(
        lower=columns[0], lower_port=columns[1], upper=columns[2], upper_port=columns[3]
    )
    uplinks, uppers = (
        (base.sizing.leaf_up, base.sizing.spine)
        if kind is LinkKind.LEAF_SPINE
        else (base.sizing.spine_up, base.sizing.core)
    )
    if len(lows) < len(rule.lower):
        sheet = keep(
            sheet, rule, TierPorts(uplinks, uppers, base.fabric.port_layouts[kind.upper].radix)
        )
    if all(np.array_equal(one, other) for one, other in zip(sheet, rule, strict=True)):
        return None
    return sheet.upper, sheet.upper_port
