"""Both ends of each channel: the panel and the front port, and the jumper to the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.channels.ends import PatchedLinks
    from fabricgen.planning.channels.parts import ChannelParts
    from fabricgen.planning.channels.patch_lengths import PatchRuns
    from fabricgen.planning.channels.trunk_routes import TrunkPlaces
    from fabricgen.planning.channels.trunks import TrunkRun


class PatchEnds(NamedTuple):
    """One end of each channel: its device, its panel and front port, from 0, and its jumper."""

    device: Int32Array
    panel: IntArray
    port: IntArray
    run_mm: Int32Array
    length_mm: Int32Array

    def select(self, rows: BoolArray) -> PatchEnds:
        """Return the ends of some channels."""
        return PatchEnds(
            self.device[rows],
            self.panel[rows],
            self.port[rows],
            self.run_mm[rows],
            self.length_mm[rows],
        )


class PanelPorts(NamedTuple):
    """The panel and the front port of each channel at one end of its trunk."""

    panel: IntArray
    port: IntArray

    def where(self, here: BoolArray, other: PanelPorts) -> PanelPorts:
        """Return these ports where `here` is set, and those of the other end elsewhere."""
        return PanelPorts(*(np.where(here, *each) for each in zip(self, other, strict=True)))


def patch_ends(
    patched: PatchedLinks,
    lower_is_a: BoolArray,
    parts: Sequence[ChannelParts],
    part: IntArray,
    places: TrunkPlaces,
    trunks: Sequence[TrunkRun],
    runs: PatchRuns,
) -> tuple[PatchEnds, PatchEnds]:
    """Return the lower and the upper end of each channel; `lower_is_a` is by its trunk."""
    far = _far_ports(parts)[part, places.port] if len(part) else places.port
    fanout = np.array([each.cassette.fanout for each in parts], dtype=np.int64)[part]
    at_a = _ports(np.array([trunk.a for trunk in trunks]), places, fanout, places.port)
    at_b = _ports(np.array([trunk.b for trunk in trunks]), places, fanout, far)
    lower, upper = at_a.where(lower_is_a, at_b), at_b.where(lower_is_a, at_a)
    return (
        _end(patched.links.lower, lower, [each.lower for each in parts], part, runs),
        _end(patched.links.upper, upper, [each.upper for each in parts], part, runs),
    )


def _far_ports(parts: Sequence[ChannelParts]) -> IntArray:
    """Return the port behind the trunk of each port of a connector, with a row for each part."""
    most = max(each.cassette.fanout for each in parts)
    rows = [
        [each.path.far_port(port) if port < each.cassette.fanout else -1 for port in range(most)]
        for each in parts
    ]
    return np.array(rows, dtype=np.int64)


def _ports(plugs: IntArray, places: TrunkPlaces, fanout: IntArray, port: IntArray) -> PanelPorts:
    """Return the ports of channels at one end of the trunks, where those are plugged in."""
    panel, first = plugs.reshape(-1, 2)[places.trunk].T
    return PanelPorts(panel, (first + places.leg) * fanout + port)


def _end(
    device: Int32Array,
    ports: PanelPorts,
    jumpers: Sequence[Cable],
    part: IntArray,
    runs: PatchRuns,
) -> PatchEnds:
    """Measure the jumpers of one end."""
    run_mm = runs.to_panels(device, ports.panel)
    length_mm = np.zeros_like(run_mm)
    for number, cable in enumerate(jumpers):
        here = part == number
        length_mm[here] = runs.jumper_mm(cable, run_mm[here])
    return PatchEnds(device, ports.panel, ports.port, run_mm, length_mm)
