"""The drawings of a report: one of each block of a segment, and one of each stripe.

The drawing of a block serves all rails. Owns the data of a drawing for the page. `outputs.drawings`
decides what is drawn and where; the page takes names, colours and marks from the table of devices.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.drawings.build import Drawings, arranged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.outputs.drawings.build import Composed, Subject
    from fabricgen.outputs.drawings.view import DrawnBox, Stroke
    from fabricgen.planning.plan import Plan

MOST_STRIPES, MOST_LINKS = 32, 16_000_000
"""Maximum stripes that are drawn; of a large fabric fewer, as each is a search in all links."""


def rails(drawings: Drawings) -> dict[str, Any]:
    """Return `Rails` of the model.

    A drawing of each block of a segment, and the segment and block of every rail.
    """
    plan = drawings.plan
    of_block = {
        subject.block: subject for subject in drawings.rails.values() if subject.segment == 0
    }
    return {
        "blocks": [_block(drawings, subject) for _, subject in sorted(of_block.items())],
        "named": [
            {"name": name, **_named(drawings, subject)} for name, subject in drawings.rails.items()
        ],
        "names": plan.naming.switches(0),
        "first": len(plan.hosts),
        "boxes": len(plan.naming.boxes),
    }


def _named(drawings: Drawings, subject: Subject) -> dict[str, Any]:
    """Return the block and the segment that the drawing of a rail shows."""
    rail = drawings.plan.mapping.rail(subject.segment, subject.block)
    return {
        "title": drawings.title(subject),
        "unit": subject.segment,
        "block": subject.block,
        "rail": -1 if rail is None else rail,
    }


def _block(drawings: Drawings, subject: Subject) -> dict[str, Any]:
    """Draw a block of segment 0 for the same block of every segment.

    Members are numbers, and where a block has one rail no member has a rail.
    """
    plan, block = drawings.plan, subject.block
    name = next(name for name, other in drawings.rails.items() if other == subject)
    hosts = (plan.segment.kind == LinkKind.HOST) & (plan.segment.block == block)
    gpus = plan.mapping.pattern() if plan.mapping.topology else plan.segment.lower[hosts]
    members = [gpus.tolist(), *(drawings.blocks.boxes(role, block).tolist() for role in plan.roles)]
    return _drawn(drawings.compose(name), members, "gpu", stamped=not plan.mapping.spans_rails)


def stripe_names(drawings: Drawings) -> list[str]:
    """Return the names of the stripes that are drawn, from the first."""
    most = max(1, min(MOST_STRIPES, MOST_LINKS // drawings.plan.links))
    return list(drawings.stripes)[:most]


def stripes(drawings: Drawings) -> dict[str, Any]:
    """Return `Stripes` of the model, those of `stripe_names`; members are names."""
    composed = {name: drawings.compose(name) for name in stripe_names(drawings)}
    return {
        name: _drawn(each, [tier.names for tier in each.tiers], "domain", stamped=False)
        for name, each in composed.items()
    }


def network_drawings(plan: Plan) -> dict[str, Any]:
    """Return the drawings of the networks beside the compute fabric by name, as `stripes` does."""
    every = (Drawings(network) for network in plan.networks.values())
    composed = {name: own.compose(name) for own in every for name in own.rails}
    return {
        name: _drawn(each, [tier.names for tier in each.tiers], "device", stamped=False)
        for name, each in composed.items()
    }


def network_names(plan: Plan) -> list[str]:
    """Return the names of these drawings."""
    return [name for network in plan.networks.values() for name in Drawings(network).rails]


def _drawn(
    composed: Composed, members: Sequence[Sequence[object]], ends: str, *, stamped: bool
) -> dict[str, Any]:
    """Return a composed drawing with the members of each tier, the lowest first.

    `ends` is the kind of the lowest; a `stamped` drawing has no rail.
    """
    drawing = arranged(composed)
    rows = list(zip(drawing.rows, reversed(members), strict=True))
    return {
        "title": drawing.title,
        "width": drawing.width,
        "height": drawing.height,
        "rows": [
            {
                "name": tier.what,
                "count": len(tier.names),
                "y": row.boxes[0].y,
                "boxes": _boxes(row.boxes, own, ends, stamped=stamped),
            }
            for tier, (row, own) in zip(reversed(composed.tiers), rows, strict=True)
        ],
        "strokes": [_stroke(stroke, stamped=stamped) for stroke in drawing.strokes],
    }


def _boxes(
    boxes: Sequence[DrawnBox], members: Sequence[object], ends: str, *, stamped: bool
) -> list[dict[str, Any]]:
    """Return the boxes of a tier, each with its run of the members."""
    cuts = accumulate((box.members for box in boxes), initial=0)
    return [
        {
            "id": box.id,
            "kind": "switch" if box.switch else ends,
            "members": list(members[start:stop]),
            "rail": _rail(box.chip.rail, stamped=stamped),
            "x": box.x,
            "y": box.y,
            "width": box.width,
            "height": box.height,
        }
        for box, (start, stop) in zip(boxes, pairwise(cuts), strict=True)
    ]


def _stroke(stroke: Stroke, *, stamped: bool) -> dict[str, Any]:
    """Return one stroke."""
    return {
        "a": stroke.lower.id,
        "b": stroke.upper.id,
        "rail": _rail(stroke.chip.rail, stamped=stamped),
        "links": stroke.links,
        "speed": stroke.speed,
        "x1": stroke.x1,
        "y1": stroke.y1,
        "x2": stroke.x2,
        "y2": stroke.y2,
        **({"bend": [*stroke.bend]} if stroke.bend else {}),
    }


def _rail(rail: str, *, stamped: bool) -> int:
    """Return a rail as a number; -1 for several, and in a drawing that serves every rail."""
    return int(rail) if rail and not stamped else -1
