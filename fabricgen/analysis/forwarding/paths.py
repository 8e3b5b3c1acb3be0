"""A path, hop by hop: switches, interfaces, cables, and the number of equal-cost paths.

Owns `Path` and `Routing`. `path_selection` selects relays, `ecmp_paths` links, and `path_names`
owns the names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.analysis.forwarding.ecmp_hash import Flow, flow_hash
from fabricgen.analysis.forwarding.ecmp_paths import EcmpPaths
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.path_selection import NetworkSegment, PathSelector
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.ecmp_paths import Step
    from fabricgen.analysis.forwarding.path_selection import RelayPath
    from fabricgen.analysis.forwarding.reachability import Reach
    from fabricgen.analysis.forwarding.relay_rules import PathKind


class Hop(NamedTuple):
    """One step of a path: a node of the graph, and what leads to it.

    That is a cable's label, `hb`, or `nic` inside a host. `out` is the interface by which the step
    leaves its predecessor, `into` the one by which it enters; empty if there is none. `device` is
    the host or switch that the node is a part of; `rail` and `plane` are None for a node that
    belongs to none, or to several.
    """

    node: str
    kind: str
    via: str | None
    out: str = ""
    into: str = ""
    device: str = ""
    rail: int | None = None
    plane: int | None = None


@dataclass(frozen=True, slots=True)
class Path(Document):
    """One path between two GPUs.

    `links` counts cables between NIC ports and switches; `equal` the equal-cost paths of its
    crossings.
    """

    kind: PathKind
    hops: tuple[Hop, ...]
    relays: tuple[str, ...]
    links: int
    planes: tuple[int, ...]
    equal: int

    def document(self) -> dict[str, Any]:
        """Return the path in the keys of `route --json`."""
        hops = [hop._asdict() for hop in self.hops]
        return {
            "hops": hops,
            "kind": self.kind,
            "links": self.links,
            "relays": list(self.relays),
            "planes": list(self.planes),
            "equal_cost": self.equal,
        }


@dataclass(frozen=True)
class PathList(Document):
    """The paths between two GPUs, the default first: `route --json`."""

    src: str
    dst: str
    same_rail: bool
    relay: str | None
    """The first relay of the default path."""
    paths: list[Path]
    reachable: bool


@dataclass(frozen=True)
class Routing:
    """The paths of a working network."""

    reach: Reach

    @cached_property
    def choice(self) -> PathSelector:
        """The selection of paths."""
        return PathSelector(self.reach)

    @cached_property
    def ends(self) -> PathNames:
        """The names of what a path contains."""
        return PathNames(self.reach)

    def path(
        self,
        source: int,
        target: int,
        way: RelayPath,
        flow: Flow = Flow(),  # noqa: B008 - a NamedTuple never changes
    ) -> Path:
        """Return a path hop by hop; a flow's hash selects plane and links of each crossing."""
        walk = _Walk(self, source)
        for leg in way.legs:
            walk.inside(leg.exit)
            walk.across(leg, flow)
        walk.inside(target)
        relays = (
            self.ends.gpu(gpu) for leg in way.legs for gpu in leg if gpu not in (source, target)
        )
        return Path(
            way.kind,
            tuple(walk.hops),
            tuple(dict.fromkeys(relays)),
            walk.links,
            tuple(walk.planes),
            walk.equal,
        )

    def steps(self, leg: NetworkSegment, plane: int, flow: Flow) -> tuple[list[Step], int]:
        """Return the links between a crossing's leaves on a plane, and the equal-cost paths."""
        low, high = self.reach.leaf(leg.exit), self.reach.leaf(leg.landing)
        if low == high:
            return [], 1
        crossing = EcmpPaths(self.reach, *self.reach.home(leg.exit, plane))
        return crossing.walk(
            low,
            high,
            (self.ends.address(leg.exit, plane), self.ends.address(leg.landing, plane)),
            flow,
        )


class _Walk:
    """A path under construction."""

    def __init__(self, routing: Routing, source: int) -> None:
        self.routing, self.ends, self.plan = routing, routing.ends, routing.reach.plan
        self.at, self.links, self.equal = source, 0, 1
        self.hops = [self._gpu(source, None)]
        self.planes: list[int] = []

    def inside(self, gpu: int) -> None:
        """Go to a GPU of the same HB domain."""
        if gpu != self.at:
            self.hops += [
                Hop(f"hb:{self.plan.fabric.coordinates.domain(gpu)}", "hb-domain", "hb"),
                self._gpu(gpu, "hb"),
            ]
            self.at = gpu

    def across(self, leg: NetworkSegment, flow: Flow) -> None:
        """Cross the network."""
        reach, planes = self.routing.reach, self.routing.reach.planes(*leg)
        walks = {plane: self.routing.steps(leg, plane, flow) for plane in planes}
        chosen = planes[
            flow_hash(
                0,
                self.ends.address(leg.exit, planes[0]),
                self.ends.address(leg.landing, planes[0]),
                flow,
            )
            % len(planes)
        ]
        segment, block = reach.home(leg.exit, chosen)
        self.equal *= sum(ways for _, ways in walks.values())
        self.planes.append(chosen)
        self._up(leg.exit, chosen)
        for step in walks[chosen][0]:
            self._between(segment, block, step)
        self._down(leg.landing, chosen)

    def _gpu(self, gpu: int, via: str | None) -> Hop:
        """Return the step to a GPU."""
        return Hop(
            self.ends.gpu(gpu),
            "gpu",
            via,
            device=self.ends.host(gpu),
            rail=self.plan.fabric.coordinates.rail(gpu),
        )

    def _nic(self, gpu: int, plane: int, via: str, out: str = "", into: str = "") -> Hop:
        """Return the step to a NIC port."""
        return Hop(
            f"{self.ends.gpu(gpu)}/{plane}",
            "nic",
            via,
            out,
            into,
            self.ends.host(gpu),
            self.plan.fabric.coordinates.rail(gpu),
            plane,
        )

    def _up(self, gpu: int, plane: int) -> None:
        """Add the steps from a GPU to its leaf."""
        end, (segment, block) = self.ends.nic(gpu, plane), self.routing.reach.home(gpu, plane)
        leaf = self._switch(
            segment,
            block,
            int(self.plan.segment.upper[end.row]),
            end.cable,
            (end.interface, end.switch_interface),
        )
        self.hops += [self._nic(gpu, plane, "nic"), leaf]
        self.links += 1

    def _down(self, gpu: int, plane: int) -> None:
        """Add the steps from a leaf to a GPU."""
        end = self.ends.nic(gpu, plane)
        self.hops += [
            self._nic(gpu, plane, end.cable, end.switch_interface, end.interface),
            self._gpu(gpu, "nic"),
        ]
        self.links += 1
        self.at = gpu

    def _between(self, segment: int, block: int, step: Step) -> None:
        """Add a step between two switches."""
        columns = self.plan.segment
        out, into = (
            self.ends.interface(segment, step.row, upper=upper) for upper in (not step.up, step.up)
        )
        box = int((columns.upper if step.up else columns.lower)[step.row])
        self.hops.append(
            self._switch(segment, block, box, self.ends.cable(segment, step.row), (out, into))
        )
        self.links += 1

    def _switch(
        self, segment: int, block: int, box: int, cable: str, interfaces: tuple[str, str]
    ) -> Hop:
        """Return the step to a switch."""
        mapping, role = self.plan.mapping, self.plan.naming.boxes[box].role
        node, device = self.ends.node(segment, block, box), self.ends.switch(segment, box)
        return Hop(
            node,
            role.value,
            cable,
            *interfaces,
            device,
            mapping.rail(segment, block),
            mapping.plane(segment),
        )
