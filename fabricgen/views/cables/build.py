"""From a plan to the views of its cables, segment by segment.

Owns `CableViews`. What differs from segment to segment (names, racks, lengths, labels) is worked out for
the rows that are asked for, so that memory stays level whatever the size.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.terms import speed_text
from fabricgen.planning.cabling.cable_runs import metres
from fabricgen.views.cables.view import CableView
from fabricgen.views.switches.ports import HOST, Ports, SegmentLabels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.planning.cabling.compatibility import LinkParts


class CableViews:
    """Makes the views of the cables of one plan."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports

    def prepare(self) -> None:
        """Work out now what all segments share."""
        _ = self._lowers, self._uppers, self._texts, self.plan.pieces

    def cables(self, segment: int, start: int = 0, stop: int | None = None) -> list[CableView]:
        """Return the cables of one segment, or a run of them, in the order of `Plan.unit`."""
        plan = self.plan
        names, plane = plan.naming.switches(segment), plan.mapping.plane(segment)
        fabric, words = plan.fabric, SegmentLabels(plan, segment)
        host_gpus, domain_gpus, all_rails = fabric.host_gpus, fabric.domain_gpus, fabric.rails
        texts = [_joint_texts(joint) for joint in plan.offers]
        many = {int(kind): joint.cables for kind, joint in plan.joints.items()}
        shared = {number: joint for number, joint in enumerate(plan.offers) if joint.shared > 1}
        pieces, row = plan.pieces, start - 1
        ports, hosts = self.ports, plan.hosts
        facts, nics, rails, labels = (
            self._lowers,
            ports.host_interfaces[plane],
            words.rails,
            words.cables,
        )
        views: list[CableView] = []
        for (
            kind,
            block,
            lower,
            lower_port,
            upper,
            upper_port,
            _,
            number,
            b_interface,
            b_port,
            offer,
            a_rack,
            a_unit,
            b_rack,
            b_unit,
            length,
        ) in zip(
            *(column[start:stop].tolist() for column in (*plan.segment, *self._uppers)),
            *self._laid(segment, start, stop),
            strict=True,
        ):
            rail, gpu, row = rails[block], 0, row + 1
            speed, medium, part, low, high = texts[offer]
            if kind == HOST:
                gpu = lower + (rail or 0)
                host, within = divmod(gpu, host_gpus)
                a_device, (a_interface, a_port) = hosts[host], nics[within]
                rail = gpu % domain_gpus % all_rails
            else:
                a_device, (a_interface, a_port) = names[lower], facts[lower][lower_port]
            shown = "" if rail is None else str(rail)
            views.append(
                CableView(
                    labels[kind, block](number), shown, plane, kind,
                    a_device, a_interface, a_port, names[upper], b_interface, b_port,
                    speed, a_rack, a_unit, b_rack, b_unit, length, medium, part, low, high, "", 0, "AB", shown,
                )
            )  # fmt: skip
            if pieces and offer in shared:
                views[-1].piece = self._piece(
                    shared[offer], views[-1], (gpu, plane), (lower_port, upper_port)
                )
                views[-1].label_ends = "A" * bool(pieces.lower[segment, row]) + "B" * bool(
                    pieces.upper[segment, row]
                )
                views[-1].piece_rail = "" if pieces.several_rails[segment, row] else shown
            if many[kind] > 1:
                views[-1:] = _split(views[-1], many[kind])
        return views

    def _piece(
        self, joint: LinkParts, view: CableView, nic: tuple[int, int], ports: tuple[int, int]
    ) -> str:
        """Name the piece of cable that a link shares with others: by the cage at its near end, and the position there where the cage holds several."""
        plan, role = self.plan, joint.kind.upper if joint.near == "upper" else joint.kind.lower
        device = view.b_device if joint.near == "upper" else view.a_device
        if role is None:
            port = (
                plan.fabric.host.port(nic[0] % plan.fabric.host_gpus, nic[1])
                if plan.fabric.host
                else None
            )
            return f"{device}:{port.cage}" if port else device
        cage, sub, mode = plan.ports[role][ports[joint.near == "upper"]]
        return f"{device}:{cage}" + (
            f"/{sub // joint.shared + 1}" if mode.count > joint.shared else ""
        )

    @cached_property
    def _lowers(self) -> list[list[tuple[str, str]]]:
        """The interface of each port of each of a segment's boxes, and what is printed beside it."""
        facts, printed = self.ports.facts, self.ports.printed
        ports = {
            role: [
                (fact.interface, shown)
                for fact, shown in zip(facts[role], printed[role], strict=True)
            ]
            for role in facts
        }
        return [ports[box.role] for box in self.plan.naming.boxes]

    @cached_property
    def _uppers(self) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
        """The interface, and what is printed beside it, at the upper end of each of a segment's links."""
        segment = self.plan.segment
        interface, printed = (np.empty(len(segment.kind), dtype=object) for _ in range(2))
        for kind in self.plan.kinds:
            rows = segment.kind == kind
            ports = segment.upper_port[rows]
            interface[rows] = np.array(
                [fact.interface for fact in self.ports.facts[kind.upper]], dtype=object
            )[ports]
            printed[rows] = np.array(self.ports.printed[kind.upper], dtype=object)[ports]
        return interface, printed

    @cached_property
    def _texts(self) -> tuple[NDArray[np.object_], ...]:
        """The rack and the rack unit of each device, empty where it has no place, and each stock length, as texts."""
        lengths = self.plan.lengths
        if lengths is None:
            return ()
        stand = lengths.room.standing
        racks = np.array([*lengths.room.names, ""], dtype=object)[stand.rack]
        segments = np.array(
            [*map(str, range(int(stand.rack_unit.max(initial=0)) + 1)), ""], dtype=object
        )[stand.rack_unit]
        return racks, segments, np.array([*map(metres, lengths.stock_mm.tolist())], dtype=object)

    def _laid(self, segment: int, start: int, stop: int | None) -> list[list[Any]]:
        """Return the offer, rack and segment of both ends and the length of each link of a run, as columns; texts are empty where nothing is placed."""
        if self.plan.lengths is None:
            offer = self.plan.offer(segment)[start:stop].tolist()
            return [offer, *[[""] * len(offer)] * 5]
        laid, (racks, segments, stocks) = self.plan.lengths.laid(segment, start, stop), self._texts
        columns = (
            laid.offer,
            racks[laid.lower],
            segments[laid.lower],
            racks[laid.upper],
            segments[laid.upper],
            stocks[laid.stock],
        )
        return [column.tolist() for column in columns]


def _joint_texts(joint: LinkParts) -> tuple[str, str, str, str, str]:
    """Return the texts of an offer: speed, medium, cable part, and the modules at the lower and the upper end, empty where the cable has its own ends."""
    low, high = (module.model if module else "" for module in (joint.lower, joint.upper))
    return speed_text(joint.speed_gbps), joint.medium, joint.cable.model, low, high


def _split(link: CableView, cables: int) -> list[CableView]:
    """Return the cables of a link that takes several: a letter behind the label, and the connector behind the port."""
    return [
        replace(
            link,
            cable=link.cable + "abcdefgh"[index],
            a_port=f"{link.a_port}/{index + 1}",
            b_port=f"{link.b_port}/{index + 1}",
            connector=index + 1,
        )
        for index in range(cables)
    ]
