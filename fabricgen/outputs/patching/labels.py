"""The labels of panels and of their cassettes; `views.cables.labels` owns those of cables.

As TIA-606 writes them, the first line is the label's own place, a rack, a rack unit and ports, and
the second one the far end of its trunks. Spare trunks count: they are there, too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.views.cables.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.labels import Labelling


MOST = 2
"""Far ends that a label names."""


def panel_labels(channels: Channels, room: Room, labelling: Labelling) -> Iterator[Label]:
    """Yield the label of each panel, followed by those of its cassettes."""
    ends = _Ends(channels, room, labelling)
    for number, panel in enumerate(channels.panels):
        every, each = range(panel.parts.ports), panel.parts.cassette.front_ports
        yield ends.label(number, "panel", panel.name, every)
        for slot in range(panel.parts.cassettes):
            ports = every[slot * each : (slot + 1) * each]
            yield ends.label(number, "cassette", f"{panel.name}-C{slot + 1}", ports)


class _Ends(NamedTuple):
    """The panels and trunks of a fabric, and how their places are written."""

    channels: Channels
    room: Room
    labelling: Labelling

    def label(self, number: int, what: str, name: str, ports: range) -> Label:
        """Return the label of a run of ports of a panel: of all, or of those of a cassette."""
        panel, far = self.channels.panels[number], self._far(number, ports)
        whole = what == "panel"
        return Label(
            end=what,
            cable_id=name,
            line1=self._place(panel, () if whole else ports),
            line2=_few(self._place(each, () if whole else own) for each, own in far.items()),
            qr=name,
            rail="",
            colour="",
            device=panel.name,
            far_device=_few(each.name for each in far),
            length_m="",
        )

    def _far(self, number: int, ports: range) -> dict[Panel, list[int]]:
        """Return the front ports behind the trunks of some ports, by their panel, sorted."""
        found: dict[Panel, list[int]] = {}
        for panel, port in filter(None, (self.channels.far_port(number, port) for port in ports)):
            found.setdefault(self.channels.panels[panel], []).append(port)
        return {panel: sorted(own) for panel, own in found.items()}

    def _place(self, panel: Panel, ports: Sequence[int]) -> str:
        """Write a panel as the end of a cable, with runs of its ports."""
        rack, unit = self.room.names[panel.rack], str(panel.rack_unit)
        return self.labelling.end(rack, unit, panel.name, _runs(ports)).removesuffix(":")


def _few(names: Iterable[str]) -> str:
    """Write as many names as a label holds, and how many follow.

    >>> _few(["A01-01-48", "A01-02-48"]), _few("abcd")
    ('A01-01-48 A01-02-48', 'a b +2')
    """
    every = [*names]
    more = [f"+{len(every) - MOST}"] if len(every) > MOST else []
    return " ".join(every[:MOST] + more)


def _runs(ports: Sequence[int]) -> str:
    """Write sorted ports, which count from 0, as runs from 1.

    >>> _runs([0, 1, 2, 5]), _runs([])
    ('1-3+6', '')
    """
    if not ports:
        return ""
    cuts = [at for at, (one, other) in enumerate(pairwise(ports), start=1) if other > one + 1]
    runs = [ports[low:high] for low, high in pairwise([0, *cuts, len(ports)])]
    return "+".join(
        f"{run[0] + 1}-{run[-1] + 1}" if len(run) > 1 else f"{run[0] + 1}" for run in runs
    )
