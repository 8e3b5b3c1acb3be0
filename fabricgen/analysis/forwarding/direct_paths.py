"""Paths over direct rails: from GPU to GPU over cables, forwarded by the hosts between.

Owns the shortest paths of a rail, with what has failed. A GPU on another rail is reached by the
relay rules of `relay_rules`: over the HB domain first, last, or both. A path of `n` links takes the
bandwidth of `n` links, where a path over a switch takes that of two NIC ports: the difference is a
tax on the links of others.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.paths import Hop, Path
from fabricgen.analysis.forwarding.relay_rules import KINDS, kind_of
from fabricgen.views.link_ends import cable_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.planning.plan import Plan

FORWARDER = "forwarder"
"""The kind of a hop at a NIC whose host forwards the packets of others."""


class _Step(NamedTuple):
    """One link out of a GPU: the GPU that it leads to, its row, and whether it leaves upwards."""

    peer: int
    row: int
    up: bool


class _Crossing(NamedTuple):
    """A way over a rail: where it leaves and lands, its segment, and its links."""

    leaving: int
    landing: int
    segment: int
    steps: list[_Step]
    equal: int


@dataclass(frozen=True, eq=False)
class DirectRouting:
    """The paths of direct rails with some failures."""

    plan: Plan
    failures: Failures

    def paths(self, source: int, target: int, flow: int, *, all_kinds: bool) -> list[Path]:
        """Return a path of each kind that is left, the default first, or the default alone."""
        if self.failures.gpus & {source, target}:
            return []
        if self._inside(source, target) and self._same_domain(source, target):
            return [self._path(source, target, None)]
        found: dict[str, Path] = {}
        for crossing in self._crossings(source, target, flow):
            path = self._path(source, target, crossing)
            found.setdefault(path.kind, path)
            if not all_kinds:
                break
        order = [kind for kind, _ in KINDS]
        return sorted(found.values(), key=lambda path: order.index(path.kind))

    def links_between(self, one: int, other: int, plane: int = 0) -> int | None:
        """Return the links between two GPUs of a rail on a plane; None where no path is left."""
        segment, _ = self.plan.mapping.home(other, plane)
        return self._distances(segment, other).get(one)

    def _crossings(self, source: int, target: int, flow: int) -> Iterator[_Crossing]:
        """Yield the ways that are left, in the order of the relay rules."""
        coordinates = self.plan.fabric.coordinates
        rails = (coordinates.rail(target), coordinates.rail(source))
        others = [rail for rail in range(coordinates.rails) if rail not in rails]
        for rail in dict.fromkeys([*rails, *others]):
            leaving = source if rail == rails[1] else coordinates.on_rail(source, rail, 0)
            landing = target if rail == rails[0] else coordinates.on_rail(target, rail, 0)
            if not (self._inside(source, leaving) and self._inside(landing, target)):
                continue
            yield from self._planes(leaving, landing, flow)

    def _planes(self, leaving: int, landing: int, flow: int) -> Iterator[_Crossing]:
        """Yield the shortest way over a rail on each plane, the plane of the flow first."""
        planes = [*range(self.plan.fabric.planes)]
        first = flow % len(planes)
        for plane in planes[first:] + planes[:first]:
            segment, _ = self.plan.mapping.home(leaving, plane)
            distance = self._distances(segment, landing)
            if leaving in distance:
                steps = self._walk(segment, leaving, landing, flow)
                equal = self._count(segment, leaving, landing)
                yield _Crossing(leaving, landing, segment, steps, equal)

    def _inside(self, one: int, other: int) -> bool:
        """Return whether two GPUs of an HB domain reach each other over it."""
        domain = self.plan.fabric.coordinates.domain
        return one == other or (
            domain(one) == domain(other)
            and domain(one) not in self.failures.domains
            and not self.failures.gpus & {one, other}
        )

    def _same_domain(self, one: int, other: int) -> bool:
        """Return whether two GPUs share an HB domain."""
        domain = self.plan.fabric.coordinates.domain
        return domain(one) == domain(other)

    @cached_property
    def _links(self) -> dict[int, dict[int, list[_Step]]]:
        """The links of each GPU that work, by segment."""
        return {each: self._of_segment(each) for each in range(self.plan.mapping.segments)}

    def _of_segment(self, segment: int) -> dict[int, list[_Step]]:
        """Return the links of each GPU of a segment that work, in order of their ports."""
        plan, down, found = self.plan, self.failures, defaultdict[int, list[_Step]](list)
        if (segment, 0) in down.blocks:
            return found
        plane = plan.mapping.plane(segment)
        rail = plan.mapping.segment_rail(segment)
        ends = zip(plan.segment.lower.tolist(), plan.segment.upper.tolist(), strict=True)
        for row, (lower, upper) in enumerate(ends):
            pair = lower + rail, upper + rail
            dead = any(gpu in down.gpus or (gpu, plane) in down.ports for gpu in pair)
            if not dead and (segment, row) not in down.links:
                found[pair[0]].append(_Step(pair[1], row, up=True))
                found[pair[1]].append(_Step(pair[0], row, up=False))
        return found

    @cached_property
    def _known(self) -> dict[tuple[int, int], dict[int, int]]:
        """The distances that were computed."""
        return {}

    def _distances(self, segment: int, target: int) -> dict[int, int]:
        """Return the links on the shortest path from each GPU of a rail that reaches one of it."""
        if (segment, target) in self._known:
            return self._known[segment, target]
        found, queue = {target: 0}, deque([target])
        while queue:
            at = queue.popleft()
            for step in self._links[segment].get(at, ()):
                if step.peer not in found:
                    found[step.peer] = found[at] + 1
                    queue.append(step.peer)
        self._known[segment, target] = found
        return found

    def _nearer(self, segment: int, at: int, target: int) -> list[_Step]:
        """List the links of a GPU that are on shortest paths to another."""
        distance = self._distances(segment, target)
        return [
            step
            for step in self._links[segment].get(at, ())
            if distance.get(step.peer, distance[at]) < distance[at]
        ]

    def _walk(self, segment: int, source: int, target: int, flow: int) -> list[_Step]:
        """Follow a flow over shortest paths; its number selects among equal links."""
        at, steps = source, []
        while at != target:
            nearer = self._nearer(segment, at, target)
            step = nearer[flow % len(nearer)]
            steps.append(step)
            at = step.peer
        return steps

    def _count(self, segment: int, source: int, target: int) -> int:
        """Count the shortest paths between two GPUs of a rail."""
        distance = self._distances(segment, target)
        ways = {target: 1}
        for at in sorted(distance, key=lambda gpu: distance[gpu]):
            if at != target:
                ways[at] = sum(ways[step.peer] for step in self._nearer(segment, at, target))
            if at == source:
                break
        return ways[source]

    def _path(self, source: int, target: int, crossing: _Crossing | None) -> Path:
        """Return a path hop by hop."""
        fabric = self.plan.fabric
        hops, name = [self._gpu(source, None)], fabric.coordinates.name
        if crossing is None:
            hops += self._over_domain(target)
            return Path("direct", tuple(hops), (), 0, (), 1)
        leaving, landing, segment, steps, equal = crossing
        hops += self._over_domain(leaving) if leaving != source else []
        hops += self._across(crossing)
        hops.append(self._gpu(landing, "nic"))
        hops += self._over_domain(target) if landing != target else []
        between = [leaving, *(step.peer for step in steps)]
        relays = [name(gpu) for gpu in between if gpu not in (source, target)]
        return Path(
            kind=kind_of(fabric, (source, target), (leaving, landing)),
            hops=tuple(hops),
            relays=tuple(dict.fromkeys(relays)),
            links=len(steps),
            planes=(self.plan.mapping.plane(segment),),
            equal=equal,
        )

    def _across(self, crossing: _Crossing) -> Iterator[Hop]:
        """Yield the NICs of a crossing: the first, those whose hosts forward, and the last."""
        plan, segment = self.plan, crossing.segment
        yield self._nic(crossing.leaving, segment, "nic")
        for step in crossing.steps:
            ends = self._interfaces(segment, step.row)
            out, into = ends if step.up else ends[::-1]
            kind = "nic" if step.peer == crossing.landing else FORWARDER
            yield self._nic(
                step.peer, segment, cable_label(plan, segment, step.row), kind, out=out, into=into
            )

    def _interfaces(self, segment: int, row: int) -> tuple[str, str]:
        """Return the interfaces at the lower and the upper end of a link."""
        plan, plane = self.plan, self.plan.mapping.plane(segment)
        slot, links = plan.fabric.coordinates.host_slot, plan.segment
        rail = plan.mapping.segment_rail(segment)
        ends = (
            (links.lower[row], links.lower_port[row]),
            (links.upper[row], links.upper_port[row]),
        )
        low, high = (
            plan.naming.interface(slot(int(gpu) + rail), plane, int(port)) for gpu, port in ends
        )
        return low, high

    def _over_domain(self, gpu: int) -> list[Hop]:
        """Return the steps to another GPU of an HB domain."""
        domain = f"hb:{self.plan.fabric.coordinates.domain(gpu)}"
        return [Hop(domain, "hb-domain", "hb"), self._gpu(gpu, "hb")]

    def _gpu(self, gpu: int, via: str | None) -> Hop:
        """Return the step to a GPU."""
        coordinates = self.plan.fabric.coordinates
        host = self.plan.hosts[coordinates.host(gpu)]
        rail = coordinates.rail(gpu)
        return Hop(coordinates.name(gpu), "gpu", via, device=host, rail=rail)

    def _nic(
        self, gpu: int, segment: int, via: str, kind: str = "nic", *, out: str = "", into: str = ""
    ) -> Hop:
        """Return the step to a NIC port."""
        coordinates, plane = self.plan.fabric.coordinates, self.plan.mapping.plane(segment)
        return Hop(
            f"{coordinates.name(gpu)}/{plane}",
            kind,
            via,
            out=out,
            into=into,
            device=self.plan.hosts[coordinates.host(gpu)],
            rail=coordinates.rail(gpu),
            plane=plane,
        )
