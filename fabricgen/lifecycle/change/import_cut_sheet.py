"""Importing an existing fabric: the inventory defines it, a cut sheet gives its cabling.

Owns `import_cut_sheet`. The cables of the sheet become the columns of one segment. Cables that the
inventory cannot have are refused line by line: unknown devices or ports, cables between rails or
pods that never meet, and segments that are cabled differently, because a plan stores one segment
and repeats it. The checks judge the imported cabling.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.cut_sheet import first
from fabricgen.lifecycle.change.keep_endpoints import filled, homes
from fabricgen.lifecycle.change.keep_links import TierPorts, keep
from fabricgen.lifecycle.change.sheet_cabling import SheetCabling, read_rows
from fabricgen.lifecycle.change.sheet_checks import missing_cables, unlike_segments
from fabricgen.planning.baseline.baseline import Baseline, Slices
from fabricgen.planning.direct_conflicts import require_switches
from fabricgen.planning.plan import make_plan
from fabricgen.planning.segment_links import tier_links

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array
    from fabricgen.lifecycle.change.cut_sheet import CutSheet
    from fabricgen.planning.block_links import TierLinks
    from fabricgen.planning.plan import Plan


def import_cut_sheet(base: Plan, sheet: CutSheet) -> Plan:
    """Plan the fabric of `base` with the cabling of the sheet.

    Raises Refusal `cut-sheet-does-not-fit` with the first findings.
    """
    require_switches(base.spec, "import")
    cabled = SheetCabling({}, {}, {})
    findings = (
        first(read_rows(base, sheet, cabled))
        or first(missing_cables(base, sheet, cabled))
        or first(unlike_segments(base, sheet, cabled))
    )
    if findings:
        raise Refusal(findings)
    endpoints = _endpoints(base, cabled)
    wired = {
        kind: columns for kind in base.tier_kinds[1:] if (columns := _wired(base, kind, cabled))
    }
    if endpoints is None and not wired and not base.mapping.baseline:
        return base
    slices = Slices(base.addresses.hosts.size, base.addresses.loopbacks.size)
    kept = base.mapping.baseline or Baseline(stages=base.mapping.stages, digits={}, slices=slices)
    return make_plan(base.spec, base.catalog, replace(kept, endpoints=endpoints, wired=wired))


def _endpoints(base: Plan, cabled: SheetCabling) -> Int32Array | None:
    """Return the endpoints as in the sheet; None where they follow the rule."""
    plain = replace(base.mapping, baseline=None)
    rule, found = plain.pattern(), cabled.hosts[0, 0]
    slot, gpu = (
        np.array(sorted(found), dtype=np.int64),
        np.array([found[slot] for slot in sorted(found)], dtype=np.int64),
    )
    return filled(gpu, slot, homes(rule, base.fabric.planned_gpus), rule, base.sizing)


def _wired(
    base: Plan, kind: LinkKind, cabled: SheetCabling
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
