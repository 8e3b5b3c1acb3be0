"""Forwarding tables around failed parts, and the list of failed cables and ports.

Owns the list's syntax and the detours. A line names a failure as in `analysis.forwarding.failures`,
or a port as `port:SWITCH INTERFACE`, which fails its cable. The tables omit a next hop if its link
has failed or it no longer leads to the destination; a prefix without next hops is unreachable.
`analysis.impact` measures the effect.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE, GpuRoute, hb_rank
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.forwarding.tables import ForwardingTables
from fabricgen.analysis.impact.network_loss import NetworkFailures
from fabricgen.core.columns import Columns
from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse
from fabricgen.core.terms import Role
from fabricgen.lifecycle.audit.load import read_text
from fabricgen.lifecycle.audit.neighbors import UnreadableError
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.planning.addressing import address_text
from fabricgen.planning.direct_conflicts import require_switches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.analysis.forwarding.path_names import NicAttachment
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import Instance


def read_failures(plan: Plan, path: Path) -> list[str]:
    """Parse a list of failures as names for `NetworkFailures.split`.

    Names are of compute and of the networks beside it. Lines may be the items of a YAML list, and
    `#` begins a comment. Raises Refusal `unknown-failure` with the line of each name that the plan
    does not have, or `bad-evidence` for an unreadable file.
    """
    try:
        lines = read_text(path).splitlines()
    except UnreadableError as error:
        hint = (
            "`--degraded` takes a text file of lines like `link:r0-h00001` or `port:r0-leaf-1 swp1`"
        )
        raise refuse(
            "bad-evidence", f"cannot read failures from `{path}`: {error.fact}", hint=hint
        ) from None
    names, findings, places, networks = list[str](), list[Finding](), None, NetworkFailures(plan)
    for number, line in enumerate(lines, start=1):
        word = line.partition("#")[0].strip().removeprefix("- ").strip().strip("'\"")
        try:
            if word.startswith("port:"):
                places = places or PortIndex(plan)
                names += _port(places, word)
            elif word:
                if not networks.has(word):
                    find_failures(plan, [word])
                names.append(word)
        except Refusal as refusal:
            findings += [
                replace(finding, place=Place(str(path), number, 1)) for finding in refusal.findings
            ]
            if len(findings) >= SHOWN:
                break
    if findings:
        raise Refusal(findings)
    return names


def _port(places: PortIndex, word: str) -> list[str]:
    """Return the cable in a port; an empty port is ignored."""
    name, _, interface = word.removeprefix("port:").strip().partition(" ")
    device = places.device(name)
    found = places.find(device, [interface.strip()]) if device else -1
    if found < 0:
        raise refuse(
            "unknown-failure",
            f"`{word}` is not a port of this fabric",
            hint="write `port:SWITCH INTERFACE`, as `cables.csv` has them",
        )
    return [f"link:{places.labels[found]}"] if places.labels[found] else []


class DegradedTables(ForwardingTables):
    """The forwarding tables of a plan around its failures, in the shape of `ForwardingTables`."""

    def __init__(self, plan: Plan, failures: Failures) -> None:
        """Keep the plan and compute what the failures leave reachable.

        Raises Refusal `no-switches` for direct rails, whose hosts compute routes themselves, and
        for rails of light, whose boxes forward no packets.
        """
        require_switches(plan.spec, "audit --tables")
        if plan.fabric.has_circuits:
            raise refuse(
                "no-switches",
                "`audit --tables` needs rails with packet switches",
                path=("rails", "medium"),
                because=("boxes of light join ports by circuits, and have no forwarding tables",),
                hint="leave `--tables` out; `fabricgen circuits FABRIC -o DIR` writes the circuits",
            )
        super().__init__(plan)
        self.reach = Reach(plan, failures)

    def _gpu(self, gpu: int, ports: Sequence[NicAttachment]) -> dict[str, Any]:
        """Return the tables of a GPU without failed ports and useless relays."""
        document = super()._gpu(gpu, ports)
        coordinates = self.plan.fabric.coordinates
        document["ports"] = [
            port for port in document["ports"] if self.reach.lives(gpu, port["plane"])
        ]
        useful = {
            self.ends.gpu(each)
            for each in coordinates.domain_range(coordinates.domain(gpu))
            if self._carries(each)
            and (each == gpu or (self.reach.hb_lives(gpu) and self.reach.hb_lives(each)))
        }
        document["relays"] = {
            rail: [name for name in names if name in useful]
            for rail, names in document["relays"].items()
        }
        return document

    def _gpu_routes(self, gpu: int, ports: Sequence[NicAttachment]) -> Iterator[Columns]:
        """Yield the IP routes of a GPU that still work, each as a run of its own."""
        for route in map(GpuRoute._make, chain.from_iterable(super()._gpu_routes(gpu, ports))):
            if self._leads(gpu, route):
                yield Columns(route, 0, 1)

    def _carries(self, gpu: int) -> bool:
        """Return whether a GPU has a working NIC port."""
        return any(self.reach.lives(gpu, plane) for plane in range(self.plan.fabric.planes))

    def _leads(self, gpu: int, route: GpuRoute) -> bool:
        """Return whether an IP route of a GPU works.

        It needs the GPU's own NIC port, or its HB domain and the NIC port of the relay.
        """
        if route.device != HB_DEVICE:
            return self.reach.lives(gpu, int(route.device.removeprefix("nic")))
        coordinates = self.plan.fabric.coordinates
        other = coordinates.gpu(coordinates.domain(gpu), hb_rank(route.via))
        if not (self.reach.hb_lives(gpu) and self.reach.hb_lives(other)):
            return False
        plane = next(
            each
            for each in range(self.plan.fabric.planes)
            if address_text(self.ends.address(gpu, each)) == route.source
        )
        bits = self.plan.addresses.hosts.bits
        own = f"{address_text(self.ends.address(other, plane))}/{bits}"
        return route.prefix == own or self.reach.lives(other, plane)

    @cached_property
    def _failed(self) -> set[str]:
        """The labels of failed cables and the names of failed switches."""
        failures, planes = self.reach.failures, range(self.plan.fabric.planes)
        ports = failures.ports | {(gpu, plane) for gpu in failures.gpus for plane in planes}
        cables = {self.ends.nic(gpu, plane).cable for gpu, plane in ports} | {
            self.ends.cable(segment, row) for segment, row in failures.links
        }
        return cables | {self.ends.switch(segment, box) for segment, box in failures.switches}

    def switches(
        self, segment: int, boxes: Sequence[int] | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the table of every working switch of a segment."""
        return (
            (name, table)
            for name, table in super().switches(segment, boxes)
            if name not in self._failed
        )

    def _routes(
        self, segment: int, block: int, box: Box, index: dict[str, int], instance: Instance
    ) -> Iterator[dict[str, Any]]:
        """Yield the routes of one routing instance.

        A route is followed by those of the leaves that fewer of its next hops reach.
        """
        down = (segment, block) in self.reach.failures.blocks
        start, width = (
            self.plan.addresses.hosts.start(segment * self.plan.mapping.segment_blocks + block),
            self.plan.sizing.leaf_down,
        )
        for route in super()._routes(segment, block, box, index, instance):
            living = [
                hop
                for hop in route["next_hops"]
                if not down and hop["cable"] not in self._failed and hop["peer"] not in self._failed
            ]
            apart = []
            for leaf in self._covered(
                segment, block, box, index.get(route["next_hops"][0]["peer"])
            ):
                useful = [
                    hop
                    for hop in living
                    if self._leads_on(segment, block, index[hop["peer"]], leaf)
                ]
                prefixes = self._prefixes(start, leaf * width, (leaf + 1) * width)
                if len(useful) != len(living) and prefixes:
                    apart.append({"prefixes": prefixes, "next_hops": useful})
            alone = [each for each in apart if each["prefixes"] == route["prefixes"]]
            yield from alone or [{"prefixes": route["prefixes"], "next_hops": living}, *apart]

    def _covered(self, segment: int, block: int, box: Box, peer: int | None) -> Iterable[int]:
        """Return the leaves that a route towards a peer covers.

        Empty for a route to a host, and in a block without failed switches and links.
        """
        if peer is None or (segment, block) not in self.reach.affected:
            return ()
        sizing, other = self.plan.sizing, self.plan.naming.boxes[peer]
        pod = range(0)
        if box.role is not Role.CORE and other.role.tier < box.role.tier:
            return (other.index,)
        if box.role is Role.CORE:
            return sizing.leaves_of_pod(other.index // sizing.pod_spines)
        if box.role is Role.SPINE:
            pod = sizing.leaves_of_pod(box.index // sizing.pod_spines)
        return (
            leaf
            for leaf in range(sizing.leaf)
            if leaf not in pod and (box.role is Role.SPINE or leaf != box.index)
        )

    def _leads_on(self, segment: int, block: int, peer: int, leaf: int) -> bool:
        """Return whether a working path leads from a switch to a leaf.

        The path leads down, or from a spine of another pod up once more.
        """
        box, sizing, tiers = (
            self.plan.naming.boxes[peer],
            self.plan.sizing,
            self.reach.tiers(segment, block),
        )
        pod, within = divmod(leaf, sizing.pod_leaves)
        if box.role is Role.LEAF:
            return box.index == leaf
        if box.role is Role.CORE:
            spine, core = divmod(box.index, sizing.group_cores)
            return bool(tiers.spine[pod, spine, core] and tiers.leaf[pod, within, spine])
        own, spine = divmod(box.index, sizing.pod_spines)
        if not tiers.leaf[pod, within, spine]:
            return False
        return own == pod or bool(
            ((tiers.spine[own, spine] > 0) & (tiers.spine[pod, spine] > 0)).any()
        )
