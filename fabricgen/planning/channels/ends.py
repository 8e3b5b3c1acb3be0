"""The links that run through panels, and the panels at both of their ends.

Links over fibre of the kinds under `cabling.where` do, unless both ends share a rack of panels: a
direct cable is shorter then. A link that takes several cables has a row for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.channels.panel_racks import panel_sites
from fabricgen.planning.channels.parts import is_patchable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.kept_cabling import KeptCabling, Strands
    from fabricgen.planning.channels.panel_racks import PanelSite
    from fabricgen.planning.channels.parts import PanelParts
    from fabricgen.planning.draft import Draft


class LinkRows(NamedTuple):
    """Links as columns: segment and row of `Plan.segment`, which cable of the link, from 0.

    Its candidate, and the devices at both ends as `Room` numbers them.
    """

    segment: IntArray
    row: IntArray
    cable: IntArray
    candidate: IntArray
    lower: Int32Array
    upper: Int32Array

    def select(self, rows: BoolArray) -> LinkRows:
        """Return some of the links."""
        return LinkRows(
            self.segment[rows],
            self.row[rows],
            self.cable[rows],
            self.candidate[rows],
            self.lower[rows],
            self.upper[rows],
        )


class PatchedLinks(NamedTuple):
    """The links that run through panels, the site of panels at both ends, and the kept strands."""

    links: LinkRows
    lower: IntArray
    upper: IntArray
    strands: Strands


def patched_links(
    draft: Draft,
    lengths: Lengths,
    entries: Sequence[PanelParts],
    kept: KeptCabling,
    installed: IntArray,
) -> tuple[list[PanelSite], PatchedLinks]:
    """Return the sites of panels, and the links between two of them.

    `installed` are the rows of links that are, among those of a reserve. A link whose strand is
    kept stays at its panels. Raises Refusal `no-panel`.
    """
    links = _fibre_links(draft, lengths)
    strands = _kept_strands(draft, lengths, links, kept, installed)
    rack = lengths.room.positions.rack
    plugs = np.array([_plug(joint) for joint in draft.candidates], dtype=object)[links.candidate]
    ends = [(links.lower, plugs), (links.upper, plugs)]
    racks = [
        (plug, np.concatenate([rack[devices[own == plug]] for devices, own in ends]))
        for plug in dict.fromkeys(plugs.tolist())
    ]
    sites, serving = panel_sites(lengths.runs, entries, racks)
    lower, upper = (np.empty(len(plugs), dtype=np.int64) for _ in ends)
    for plug, site in serving.items():
        here = plugs == plug
        lower[here], upper[here] = site[rack[links.lower[here]]], site[rack[links.upper[here]]]
    sites = [*dict.fromkeys((*sites, *kept.sites))]
    stays, number = strands.trunk >= 0, {site: at for at, site in enumerate(sites)}
    at_panel = np.array([number[site] for site in kept.sites], dtype=np.int64)
    a, b = at_panel[kept.ends[strands.trunk[stays]]].T
    forward = strands.lower_is_a[stays]
    lower[stays], upper[stays] = np.where(forward, a, b), np.where(forward, b, a)
    apart = lower != upper
    found = PatchedLinks(links.select(apart), lower[apart], upper[apart], strands.select(apart))
    return sites, found


def _kept_strands(
    draft: Draft, lengths: Lengths, links: LinkRows, kept: KeptCabling, installed: IntArray
) -> Strands:
    """Return the strands that links keep: those of a trunk of their medium and connector."""
    kinds = lengths.runs.links.kind
    cables = draft.link_cables(kinds[installed])
    first = np.full(len(kinds), -1, dtype=np.int64)
    first[installed] = np.cumsum(cables) - cables
    whole, start = int(cables.sum()), first[links.row]
    place = np.where(start < 0, -1, links.segment * whole + start + links.cable)
    strands = kept.of_places(place, draft.mapping.segments * whole)
    media = {trunk.model: trunk.medium for trunk in draft.catalog.trunks()}
    makes = [
        (media.get(trunk.make.model), kept.panels[trunk.a.panel].parts.front.name)
        for trunk in kept.trunks
    ]
    wanted = [(joint.medium, _plug(joint)) for joint in draft.candidates]
    fits = np.array([[make == each for each in wanted] for make in [*makes, None]])
    return strands.without(~fits[strands.trunk, links.candidate])


def _fibre_links(draft: Draft, lengths: Lengths) -> LinkRows:
    """Return the links over fibre of the kinds that are structured."""
    cabling, candidates = draft.spec.cabling, draft.candidates
    structured = [
        cabling is not None
        and getattr(cabling.where, joint.kind.setting) == "structured"
        and is_patchable(joint)
        for joint in candidates
    ]
    cables = np.array(
        [joint.cables * use for joint, use in zip(candidates, structured, strict=True)]
    )
    found = []
    for segment in range(draft.mapping.segments):
        candidate, (low, high) = lengths.candidate[segment], lengths.runs.ends(segment, 0, None)
        takes = cables[candidate]
        rows = np.repeat(np.arange(len(takes)), takes)
        cable = np.arange(len(rows)) - np.repeat(np.cumsum(takes) - takes, takes)
        number = np.full(len(rows), segment)
        found.append(LinkRows(number, rows, cable, candidate[rows], low[rows], high[rows]))
    return LinkRows(*map(np.concatenate, zip(*found, strict=True)))


def _plug(joint: LinkParts) -> str:
    """Return the connector of the modules of a link; empty where it has none."""
    return next((module.connector for module in joint.modules.values()), "")
