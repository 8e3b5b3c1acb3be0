"""From the channels of a plan to the tables of its structured cabling."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.outputs.patching.labels import panel_labels
from fabricgen.outputs.patching.view import (
    ChannelRow,
    LossRow,
    PanelPortRow,
    PatchingView,
    RouteRow,
    TrayRow,
    TrunkRow,
)
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.planning.cabling.trays import Trays, TraySegment
from fabricgen.planning.channels.loss import decibels, loss_figures
from fabricgen.views.cables.patched import FAR, NEAR, rear_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.models.base import Sourced
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.channels.parts import ChannelParts
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.labels import Labelling
    from fabricgen.views.cables.view import CableView


class Patching:
    """The tables of the channels of one fabric; `links` has the link of each."""

    def __init__(
        self,
        fabric: str,
        channels: Channels,
        room: Room,
        links: Sequence[CableView],
        labelling: Labelling,
    ) -> None:
        """Keep what the tables are made of."""
        self.fabric, self.channels, self.room, self._links = fabric, channels, room, links
        self._labelling = labelling

    @cached_property
    def view(self) -> PatchingView:
        """All tables."""
        return PatchingView(
            fabric=self.fabric,
            trunks=[self._trunk(number) for number in range(len(self.channels.trunks))],
            ports=[*self._ports()],
            channels=self.rows,
            routes=[*self._routes()],
            trays=[*self._trays()],
            losses=[*self._losses()],
            labels=[*panel_labels(self.channels, self.room, self._labelling)],
        )

    @cached_property
    def rows(self) -> list[ChannelRow]:
        """The channels, in the order of the cable list."""
        loss = self.channels.loss.tolist()
        return [self._channel(number, loss[number]) for number in range(len(loss))]

    @cached_property
    def _used(self) -> Counter[int]:
        """The connectors in use of each trunk."""
        pairs = np.stack([self.channels.trunk, self.channels.leg]).T
        return Counter(np.unique(pairs, axis=0)[:, 0].tolist())

    def _panel(self, number: int) -> Panel:
        """Return a panel by its number."""
        return self.channels.panels[number]

    def _trunk(self, number: int) -> TrunkRow:
        """Return the row of a trunk."""
        trunk = self.channels.trunks[number]
        parts, used = trunk.parts, self._used[number]
        a, b = (self._panel(plug.panel) for plug in trunk.ends)
        plugs = ("pins" if trunk.pins else "no pins") if parts.rear.pins else ""
        return TrunkRow(
            trunk=trunk.name,
            part=trunk.item,
            fibres=parts.fibres,
            polarity=parts.path.trunk,
            plugs=plugs,
            medium=parts.trunk.medium,
            length_m=metres(trunk.length_mm),
            a_rack=self.room.names[a.rack],
            a_unit=a.rack_unit,
            a_panel=a.name,
            a_ports=rear_ports(trunk, trunk.a),
            b_rack=self.room.names[b.rack],
            b_unit=b.rack_unit,
            b_panel=b.name,
            b_ports=rear_ports(trunk, trunk.b),
            used=used,
            spare=parts.legs - used,
            splices=parts.splices * parts.fibres,
        )

    def _channel(self, number: int, loss: int) -> ChannelRow:
        """Return the row of a channel."""
        channels, link = self.channels, self._links[number]
        parts, budget = self._parts(number), channels.rates[int(channels.part[number])].budget
        lower, upper = channels.lower, channels.upper
        lanes = parts.front.transmit
        port = int(lower.port[number]) % parts.cassette.fanout
        arrivals = (parts.path.arrival(port, each - 1)[1] + 1 for each in lanes)
        ways = (f"{sent}>{arrives}" for sent, arrives in zip(lanes, arrivals, strict=True))
        return ChannelRow(
            link=link.cable,
            a_device=link.a_device,
            a_port=link.a_port,
            a_jumper=link.cable + NEAR,
            a_jumper_m=metres(int(lower.length_mm[number])),
            a_panel=self._panel(int(lower.panel[number])).name,
            a_panel_port=int(lower.port[number]) + 1,
            trunk=channels.trunks[int(channels.trunk[number])].name,
            trunk_connector=int(channels.leg[number]) + 1,
            fibres=_runs(parts.path.strands(port)),
            b_panel=self._panel(int(upper.panel[number])).name,
            b_panel_port=int(upper.port[number]) + 1,
            b_jumper=link.cable + FAR,
            b_jumper_m=metres(int(upper.length_mm[number])),
            b_device=link.b_device,
            b_port=link.b_port,
            length_m=metres(int(channels.length_mm[number])),
            loss_db=decibels(loss),
            budget_db=decibels(budget),
            margin_db=f"{(budget - loss) / 10**9:.3f}",
            lanes=" ".join(ways),
        )

    def _parts(self, number: int) -> ChannelParts:
        """Return the parts of a channel."""
        return self.channels.parts[int(self.channels.part[number])]

    @cached_property
    def plugged(self) -> dict[tuple[int, int], tuple[str, str, str]]:
        """The jumper in front of each panel port, with its device and the port there."""
        channels, found = self.channels, {}
        for number, row in enumerate(self.rows):
            near = int(channels.lower.panel[number]), int(channels.lower.port[number])
            far = int(channels.upper.panel[number]), int(channels.upper.port[number])
            found[near] = row.a_jumper, row.a_device, row.a_port
            found[far] = row.b_jumper, row.b_device, row.b_port
        return found

    def _ports(self) -> Iterator[PanelPortRow]:
        """Yield every port of every panel."""
        for number, panel in enumerate(self.channels.panels):
            parts = panel.parts
            for port in range(parts.ports):
                jumper, device, far = self.plugged.get((number, port), ("", "", ""))
                rear, inside = divmod(port, parts.cassette.fanout)
                behind = self.channels.behind.get((number, rear))
                first = inside * parts.front.positions + 1
                across = self.channels.far_port(number, port)
                yield PanelPortRow(
                    panel=panel.name,
                    rack=self.room.names[panel.rack],
                    unit=panel.rack_unit,
                    port=port + 1,
                    connector=parts.front.name,
                    jumper=jumper,
                    device=device,
                    device_port=far,
                    trunk=behind.trunk.name if behind else "",
                    trunk_end=behind.end if behind else "",
                    trunk_connector=str(behind.leg + 1) if behind else "",
                    fibres=f"{first}-{first + parts.front.positions - 1}" if behind else "",
                    far_panel=self._panel(across[0]).name if across else "",
                    far_port=str(across[1] + 1) if across else "",
                )

    def _routes(self) -> Iterator[RouteRow]:
        """Yield the routes, in the order of their trunks."""
        routes: dict[int, list[int]] = {}
        for number, trunk in enumerate(self.channels.trunks):
            routes.setdefault(trunk.route, []).append(number)
        for numbers in routes.values():
            trunks = [self.channels.trunks[number] for number in numbers]
            first, used = trunks[0], sum(self._used[number] for number in numbers)
            connectors = sum(trunk.parts.legs for trunk in trunks)
            yield RouteRow(
                a_rack=self.room.names[self._panel(first.a.panel).rack],
                b_rack=self.room.names[self._panel(first.b.panel).rack],
                trunks=len(trunks),
                fibres=sum(trunk.parts.fibres for trunk in trunks),
                connectors=connectors,
                used=used,
                spare=connectors - used,
                length_m=metres(max(trunk.length_mm for trunk in trunks)),
            )

    def _trays(self) -> Iterator[TrayRow]:
        """Yield the segments of trays that trunks lie in, in the order of the room."""
        trays, counts, fibres = Trays(self.room), Counter[TraySegment](), Counter[TraySegment]()
        for trunk in self.channels.trunks:
            a, b = (self._panel(plug.panel).rack for plug in trunk.ends)
            for stretch in trays.way(a, b):
                counts[stretch] += 1
                fibres[stretch] += trunk.parts.fibres
        for stretch in sorted(counts):
            yield TrayRow(trays.name(stretch), counts[stretch], fibres[stretch])

    def _losses(self) -> Iterator[LossRow]:
        """Yield the figures of each kind of channel."""
        for parts in self.channels.parts:
            kind = parts.joint.kind.key.replace("_", "-")
            facts: dict[str, Sourced] = {
                each.model: each
                for each in (
                    parts.front, parts.rear, parts.cassette, parts.lower, parts.upper, parts.trunk,
                    *parts.joint.modules.values(),
                )
            }  # fmt: skip
            for figure in dict.fromkeys(loss_figures(parts)):
                part = facts[figure.part]
                verified = "no" if {*part.unverified} & _LOSSES else "yes"
                source = "; ".join(part.source)
                value = f"{figure.value:g}"
                yield LossRow(kind, figure.what, figure.part, value, verified, source)


_LOSSES = {"loss_db", "db_per_km", "splice_db", "budget_db"}
"""The facts of the catalog that are losses."""


def _runs(numbers: list[int]) -> str:
    """Write numbers in ascending order as runs.

    >>> _runs([1, 2, 3, 4, 9, 10, 11, 12])
    '1-4 9-12'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return " ".join("-".join(map(str, run)) for run in found)
