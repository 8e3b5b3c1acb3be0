"""Notices about a plan that follows the inventory and may not be what its author wants.

Each names an alternative; none refuses the plan.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role, ratio_text
from fabricgen.planning.as_numbers import PRIVATE
from fabricgen.planning.bisection_width import bisection_of
from fabricgen.planning.cabling.alternatives import alternatives, medium_of_part
from fabricgen.planning.cabling.length_limits import too_long
from fabricgen.planning.cabling.link_cages import GENERIC
from fabricgen.planning.cabling.preference import RULE
from fabricgen.planning.channels.direct_links import direct_links
from fabricgen.planning.plan import make_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.cabling.compatibility import End
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.resolve import ResolvedFabric

ANY_VENDOR = frozenset({GENERIC, "any"})
"""The vendors of parts that any maker sells."""

END_ROLES: tuple[End, End] = ("lower", "upper")

WASTEFUL = 3
"""The multiple of the switches, spines or leaf ports needed from which a notice is given."""

TRIES = 8
"""How many oversubscription ratios are tried, from the smallest that could save the last pod."""


def room_guesses(plan: Plan) -> list[str]:
    """Return a notice where racks and lengths are those of a generated room."""
    guessed = plan.lengths is not None and plan.lengths.room.generated
    return (
        ["racks and lengths of cables follow a generated room; describe yours under `site`"]
        if guessed
        else []
    )


def advice(plan: Plan) -> list[str]:
    """Return the notices of a plan.

    They concern idle tiers and pods, narrow bisections, cables too long in an assumed room, and
    parts with equal alternatives.
    """
    rules = (
        _needless_tiers,
        _idle_pod,
        _wasteful_spread,
        _narrow_halves,
        _long_cables,
        _other_parts,
        _unused_preferences,
        _other_vendors,
        _public_asns,
        _barred_server,
        _shared_nics,
        _direct_links,
    )
    return [sentence for rule in rules for sentence in rule(plan)]


def _direct_links(plan: Plan) -> Iterator[str]:
    """Yield a notice for structured links that stay direct, of each network."""
    yield from direct_links(plan, plan.candidate)
    for name, network in plan.networks.items():
        yield from (f"{name}: {each}" for each in direct_links(network, network.candidate))


def _public_asns(plan: Plan) -> Iterator[str]:
    """Yield a notice where switches have AS numbers that are assigned to networks."""
    number = plan.addresses.as_numbers.public
    if number is not None:
        yield (
            f"AS {number} is not for private use; {PRIVATE[0][0]} to {PRIVATE[0][1]} and"
            f" {PRIVATE[1][0]} and up are"
        )


def _shared_nics(plan: Plan) -> Iterator[str]:
    """Yield a notice where GPUs of one host share a rail, and may be meant to share a NIC."""
    fabric = plan.fabric
    if fabric.host is None and fabric.host_gpus > fabric.rails and plan.spec.rails.count:
        nics = plain_count(fabric.gpus * fabric.nics_per_gpu, "NIC")
        yield (
            f"a host has {fabric.host_gpus} GPUs on {plain_count(fabric.rails, 'rail')}, each with"
            f" a NIC of its own: {nics} in all; a NIC that GPUs share is not planned"
            " (`fabricgen explain shared-nics`)"
        )


def _barred_server(plan: Plan) -> Iterator[str]:
    """Yield a notice where the server that switches boot from may not manage them."""
    asked = plan.spec.management
    if not asked or not asked.allow or not asked.server:
        return
    if not any(asked.server in prefix for prefix in asked.allow):
        allowed = ", ".join(map(str, asked.allow))
        yield (
            f"`management.server` {asked.server} is outside of `management.allow` ({allowed}):"
            " switches boot from it, and it cannot log in to them"
        )


def _needless_tiers(plan: Plan) -> Iterator[str]:
    """Yield a notice where fewer tiers hold the block than `rails.tiers` asks for."""
    sizing, asked = plan.sizing, plan.spec.rails.tiers
    endpoints = int(np.count_nonzero(plan.mapping.pattern() >= 0))
    why = (
        [f"{endpoints:,} of {sizing.slots:,} endpoint positions of a block are taken"]
        if endpoints * WASTEFUL <= sizing.slots
        else []
    )
    why += (
        ["one pod holds every leaf, so that no path crosses a core"]
        if sizing.core and sizing.pods == 1
        else []
    )
    other = (
        None
        if asked in ("auto", 1) or not why
        else _drafted(plan, rails=plan.spec.rails.model_copy(update={"tiers": "auto"}))
    )
    if other is None or other.sizing.tiers >= sizing.tiers:
        return
    was, fewer = (
        f"{_sized(each):,} switch{'' if _sized(each) == 1 else 'es'}{_power(each)}"
        for each in (plan, other)
    )
    yield (
        f"{sizing.tiers} tiers were asked for; {'; '.join(why)};"
        f" `rails.tiers: {other.sizing.tiers}` takes {fewer} instead of {was}"
    )


def _idle_pod(plan: Plan) -> Iterator[str]:
    """Yield a notice where the last pod has few leaves, with what would save it."""
    sizing, mapping = plan.sizing, plan.mapping
    leaves = len(sizing.leaves_of_pod(sizing.pods - 1))
    if sizing.pods == 1 or leaves * WASTEFUL > sizing.pod_leaves:
        return
    blocks = mapping.segments * mapping.segment_blocks
    each = f" in each of {blocks:,} blocks" if blocks > 1 else ""
    idle = f"its {sizing.pod_spines:,} spines{each} use {leaves} of {sizing.pod_leaves} downlinks"
    cheaper = [
        f"{line} takes {_sized(other):,}"
        for line, other in _without_last_pod(plan)
        if _sized(other) < _sized(plan)
    ]
    instead = f"; {', and '.join(cheaper)} switches instead of {_sized(plan):,}" if cheaper else ""
    yield (
        f"the last of {sizing.pods} pods has {leaves} of {sizing.pod_leaves} leaves,"
        f" so {idle}{instead}"
    )


def _without_last_pod(plan: Plan) -> Iterator[tuple[str, Draft]]:
    """Yield the drafts that have a pod less, each with its inventory key.

    Either leaves have more downlinks, or the GPUs of the last pod are left out.
    """
    sizing, spec, shares = plan.sizing, plan.spec, plan.mapping.segment_blocks
    port_layout, leaves = plan.fabric.port_layouts[Role.LEAF], (sizing.pods - 1) * sizing.pod_leaves
    gpus = plan.mapping.pattern()
    fewest = -(-int(np.count_nonzero(gpus >= 0)) // leaves)
    for down in range(fewest, fewest + TRIES):
        up = next(
            (
                up
                for up in range(sizing.leaf_up, 0, -1)
                if port_layout.fits(down * shares, up * shares)
            ),
            0,
        )
        ratio = (
            Fraction(down * port_layout.down.speed_gbps, up * port_layout.up.speed_gbps)
            if up
            else None
        )
        wider = _drafted(plan, oversubscription=ratio) if ratio else None
        if ratio and wider and wider.sizing.pods < sizing.pods:
            yield f'`oversubscription: "{ratio_text(ratio)}"`', wider
            break
    last = gpus[leaves * sizing.leaf_down :]
    coordinates = plan.fabric.coordinates
    beyond = int(last[last >= 0].min(initial=plan.fabric.gpus))
    fewer = coordinates.gpu(coordinates.domain(beyond), 0)
    if fewer and spec.reserve is None and (smaller := _drafted(plan, gpus=fewer)):
        yield f"`gpus: {fewer}`", smaller


def _drafted(plan: Plan, **keys: Any) -> Draft | None:  # noqa: ANN401 - the keys of an inventory
    """Draft the fabric of a plan with some keys changed; None where that is refused."""
    try:
        return make_draft(plan.spec.model_copy(update=keys), plan.catalog)
    except Refusal:
        return None


def _sized(draft: Draft) -> int:
    """Count the switches that a fabric is sized for."""
    sizing, mapping = draft.sizing, draft.mapping
    return mapping.segments * (sizing.leaf + mapping.segment_blocks * (sizing.spine + sizing.core))


def _power(draft: Draft) -> str:
    """Format the typical power of the switches that a fabric is sized for, where it is known."""
    sizing, mapping = draft.sizing, draft.mapping
    counts = {
        Role.LEAF: sizing.leaf,
        Role.SPINE: mapping.segment_blocks * sizing.spine,
        Role.CORE: mapping.segment_blocks * sizing.core,
    }
    models = {role: draft.fabric.port_layouts[role].model for role in draft.roles}
    watts = {role: model.typical_w for role, model in models.items()}
    known = [counts[role] * each for role, each in watts.items() if each is not None]
    return f" of {round(mapping.segments * sum(known)):,} W" if len(known) == len(watts) else ""


def _wasteful_spread(plan: Plan) -> Iterator[str]:
    """Yield a notice where `spread: even` takes many more spines or cores than ports need."""
    sizing, port_layouts = plan.sizing, plan.fabric.port_layouts
    if plan.spec.spread != "even" or sizing.tiers < 2:  # noqa: PLR2004 - no spines
        return
    upper, uplinks, ports, count = (
        (Role.CORE, sizing.spine_up, sizing.pods * sizing.spine_up, sizing.group_cores)
        if sizing.core
        else (Role.SPINE, sizing.leaf_up, sizing.leaf * sizing.leaf_up, sizing.spine)
    )
    fewest = -(-ports // port_layouts[upper].usable)
    if count >= WASTEFUL * fewest:
        where = " in a core group" if sizing.core else ""
        why = (
            f"{uplinks} uplinks are spread evenly,"
            f" and nothing smaller that suffices divides {uplinks}"
        )
        hint = (
            "`spread: minimal` takes the fewest, and another `oversubscription` may split rounder"
        )
        yield f"{count} {upper} switches{where} where {fewest} have the ports: {why}; {hint}"


def _narrow_halves(plan: Plan) -> Iterator[str]:
    """Yield a notice where `spread: minimal` reduces the bisection bandwidth of a block."""
    if plan.spec.spread == "even" or plan.sizing.tiers < 2:  # noqa: PLR2004 - no spines
        return
    found = bisection_of(plan)
    if found.flow < found.even:
        bound = "" if found.exact else "at least "
        share = f"{bound}{100 * found.flow / found.even:.0f}% of the {found.even:,} Gbps"
        even = _drafted(plan, spread="even")
        instead = (
            f"; `spread: even` joins them by all of it, with {_sized(even):,} switches"
            f" instead of {_sized(plan):,}"
            if even
            else ""
        )
        yield (
            f"`spread: minimal` joins the halves of a block by {share}"
            f" that either can send{instead}"
        )


def _long_cables(plan: Plan) -> Iterator[str]:
    """Yield a notice for cables too long for their parts in a generated room.

    In a described room they are refused.
    """
    if plan.lengths and plan.lengths.room.generated:
        for fact, *because in too_long(plan.lengths):
            yield (
                f"in the room that was generated {fact}: {'; '.join(because)};"
                " describe yours under `site`"
            )


def _other_parts(plan: Plan) -> Iterator[str]:
    """Yield a notice for each part in use with alternatives of the same medium and reach."""
    used = [plan.candidates[at] for at in distinct(plan.candidate.ravel()).tolist()]
    for taken, others in alternatives(plan.fabric, plan.catalog, used):
        names = " or ".join(other.model for other in others)
        yield (
            f"{taken.model} is planned where {names} would fit as well: {RULE}, then the name;"
            " `prices.prefer` chooses"
        )


def _unused_preferences(plan: Plan) -> Iterator[str]:
    """Yield a notice for each preferred part, and for vendors, without effect on the fabric."""
    used = [part for joint in plan.candidates for part in (joint.cable, *joint.modules.values())]
    asked = plan.spec.prices.prefer
    media = list(dict.fromkeys(joint.medium for joint in plan.candidates))
    for name in asked.parts:
        if name.lower() in {part.model for part in used}:
            continue
        medium = medium_of_part(plan.fabric, plan.catalog, plan.candidates, name)
        if medium not in media:
            why = (
                f"it is {medium}, and links of {' or '.join(media)} reach: `site.media` decides"
                if medium
                else "it fits no link of this fabric"
            )
            yield f"`prices.prefer.part: {name}` has no effect: {why}"
    vendors = {part.vendor.lower() for part in used}
    if asked.vendors and not vendors.intersection(name.lower() for name in asked.vendors):
        names = ", ".join(asked.vendors)
        yield f"`prices.prefer.vendor: {names}` has no effect: it fits no link of this fabric"


def _other_vendors(plan: Plan) -> Iterator[str]:
    """Yield a notice of the modules and cables in boxes of other vendors, by kind of link."""
    for name, each in {"": plan, **plan.networks}.items():
        found: dict[str, list[str]] = {}
        for joint in each.candidates:
            kind = joint.kind.key.replace("_", "-")
            for end, part in zip(END_ROLES, (joint.lower, joint.upper), strict=True):
                box, vendor = _box(each.fabric, joint.kind.role(end))
                plugged = part or (None if joint.modules else joint.cable)
                if (
                    plugged
                    and vendor not in ANY_VENDOR
                    and plugged.vendor not in {vendor, *ANY_VENDOR}
                ):
                    text = f"{plugged.model} of {plugged.vendor} in {box} of {vendor}"
                    found.setdefault(kind, []).append(text)
        if found:
            kinds = (
                f"{kind} links: {', '.join(dict.fromkeys(texts))}" for kind, texts in found.items()
            )
            yield (
                f"{f'{name}: ' if name else ''}the vendor of the box differs on {'; '.join(kinds)};"
                " `prices.prefer.vendor` chooses, and `generic` is for parts by standard"
            )


def _box(fabric: ResolvedFabric, role: Role | None) -> tuple[str, str]:
    """Return the model and the vendor of what a module is plugged into: a switch, or a NIC."""
    box = fabric.port_layouts[role].model if role else fabric.nic
    return (box.model, box.vendor) if box else (GENERIC, GENERIC)
