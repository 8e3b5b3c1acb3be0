"""The steps that plan the structured cabling of a fabric, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.planning.cabling.lengths import candidate_set
from fabricgen.planning.channels.channels import Channels
from fabricgen.planning.channels.ends import patched_links
from fabricgen.planning.channels.kept_cabling import kept_cabling
from fabricgen.planning.channels.loss import loss_rates
from fabricgen.planning.channels.parts import channel_parts, panel_parts
from fabricgen.planning.channels.patch_ends import patch_ends
from fabricgen.planning.channels.patch_lengths import PatchRuns
from fabricgen.planning.channels.trunk_routes import lay_trunks
from fabricgen.planning.channels.trunks import make_trunks, trunk_ends, trunk_parts
from fabricgen.planning.channels.verification import verify
from fabricgen.planning.measure import reserved_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.inventory.cabling import Cabling
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.ends import PatchedLinks
    from fabricgen.planning.channels.panel_racks import PanelSite
    from fabricgen.planning.channels.panels import PanelSpace
    from fabricgen.planning.channels.parts import ChannelParts, PanelParts
    from fabricgen.planning.draft import Draft


def plan_channels(
    draft: Draft, lengths: Lengths | None, cages: Cages, space: PanelSpace | None
) -> Channels | None:
    """Plan the structured cabling of a fabric; None where the inventory has no `cabling`.

    With a reserve, the trunks and the panel ports are those of the whole reserve: growth within it
    adds jumpers, and moves no trunk. Raises Refusal.
    """
    cabling = draft.spec.cabling
    if cabling is None:
        return None
    if lengths is None or space is None:
        raise refuse(
            "no-panel",
            "panels have no rack without a room",
            path=("cabling",),
            because=("`site: unknown` leaves racks and lengths open",),
            hint="describe the room under `site`, or leave `cabling` out",
        )
    if draft.spec.reserve is None:
        every = np.arange(len(lengths.runs.links.kind))
        return _channels(draft, cabling, lengths, every, space)
    installed = candidate_set(draft.candidates, lengths.runs, cages)
    reserved, rows = reserved_lengths(draft, installed)
    channels = _channels(draft, cabling, reserved, rows, space)
    return channels and channels.only(rows)


def _channels(
    draft: Draft, cabling: Cabling, lengths: Lengths, rows: IntArray, space: PanelSpace
) -> Channels | None:
    """Plan the channels of all links that have lengths; None where none runs through panels.

    `rows` are those of the installed links.
    """
    entries = panel_parts(cabling, draft.catalog)
    kept = kept_cabling(draft.mapping, entries, space)
    sites, patched = patched_links(draft, lengths, entries, kept, rows)
    if not len(patched.lower):
        return None
    parts, part = _parts(draft, entries, sites, patched)
    kinds, kind = _trunk_kinds(parts)
    shapes = [(each.cassette.fanout, each.legs) for each in kinds]
    installed = kept.installed(kinds, sites)
    places = lay_trunks(patched, kind[part], shapes, cabling.trunks.spare, installed)
    plugs, panels = trunk_ends(places.routes, kinds, entries, sites, space, kept)
    runs = PatchRuns(lengths, panels)
    trunks = make_trunks(trunk_parts(places, kinds, kept), plugs, runs, space.network)
    lower_is_a = patched.lower == places.a_site[places.trunk]
    lower, upper = patch_ends(patched, lower_is_a, parts, part, places, trunks, runs)
    channels = Channels(
        panels=tuple(panels),
        trunks=tuple(trunks),
        parts=tuple(parts),
        rates=tuple(map(loss_rates, parts)),
        segment=patched.links.segment,
        row=patched.links.row,
        cable=patched.links.cable,
        part=part,
        lower=lower,
        upper=upper,
        trunk=places.trunk,
        leg=places.leg,
        lower_is_a=lower_is_a,
    )
    verify(channels)
    return channels


def _parts(
    draft: Draft, entries: Sequence[PanelParts], sites: Sequence[PanelSite], patched: PatchedLinks
) -> tuple[list[ChannelParts], IntArray]:
    """Choose the parts of each candidate between the panels of its two ends.

    Return them and the index of each channel's. Raises Refusal.
    """
    cabling = draft.spec.cabling
    entry = np.array([site.entry for site in sites], dtype=np.int64)
    keys = [patched.links.candidate.astype(np.int64), entry[patched.lower], entry[patched.upper]]
    kinds, part = np.unique(np.stack(keys).T, axis=0, return_inverse=True)
    found = []
    for candidate, low, high in kinds.tolist():
        if entries[low].cassette != entries[high].cassette:
            raise _other_cassettes(entries[low], entries[high], high)
        if cabling:
            joint = draft.candidates[candidate]
            found.append(channel_parts(cabling, draft.catalog, joint, entries[low]))
    return found, part.ravel()


def _other_cassettes(low: PanelParts, high: PanelParts, number: int) -> Exception:
    """Refuse links between panels whose cassettes differ."""
    return refuse(
        "panel-does-not-fit",
        "links run between panels with different cassettes",
        path=("cabling", "panels", number),
        because=(f"one end has {low.cassette.model}, the other {high.cassette.model}",),
        hint=f"use `cassette: {low.cassette.model}` in both",
    )


def _trunk_kinds(parts: Sequence[ChannelParts]) -> tuple[list[ChannelParts], IntArray]:
    """Return parts with different trunks or cassettes, and the index of each of `parts` there.

    Links of several kinds share the trunks of a route where these are equal.
    """
    keys = [(each.trunk.model, each.cassette.model) for each in parts]
    kinds = list(dict.fromkeys(keys))
    return [parts[keys.index(each)] for each in kinds], np.array([kinds.index(key) for key in keys])
