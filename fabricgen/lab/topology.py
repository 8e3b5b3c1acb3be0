"""The contents of a lab: switches, GPUs and HB domains, and the wires between them.

Owns the slice of a fabric that is booted. Files are used as emitted: in a slice the cables to other
parts are absent, as if they had failed. It starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE, hb_address
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.build.selection import BuildScope
from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan

LONGEST_INTERFACE = 15
"""Characters of an interface name in Linux."""

NOS = "frr"
"""The NOS whose files boot on a plain Linux kernel."""


class Wire(NamedTuple):
    """A cable of the lab, or a GPU's port to its HB domain.

    `label` is the cable's, empty for an HB domain. Addresses are IPv4, empty where an end has none.
    """

    label: str
    a: str
    a_interface: str
    b: str
    b_interface: str
    a_address: str = ""
    b_address: str = ""


class Size(NamedTuple):
    """The number of GPUs, switches, namespaces, and BGP sessions between switches."""

    gpus: int
    switches: int
    nodes: int
    sessions: int


class LabSwitch(NamedTuple):
    """A switch of the lab: its name, and its segment and box in the plan."""

    name: str
    segment: int
    box: int


@dataclass(frozen=True)
class Layout:
    """The part of a plan that a lab boots: some rails and HB domains.

    It has at most `width` spines of a pod and cores of a group, or all with 0.
    """

    plan: Plan
    rails: frozenset[int]
    domains: tuple[int, ...]
    width: int = 0
    in_turn: bool = False
    """Whether the other rails are booted before or after this one, each alone."""

    @cached_property
    def gpus(self) -> dict[int, str]:
        """The name of each GPU, in order."""
        coordinates = self.plan.fabric.coordinates
        return {
            gpu: coordinates.name(gpu)
            for domain in self.domains
            for gpu in coordinates.domain_range(domain)
            if coordinates.rail(gpu) in self.rails
        }

    @cached_property
    def segments(self) -> list[int]:
        """The segments with a rail of the lab."""
        mapping = self.plan.mapping
        return [
            segment
            for segment in range(mapping.segments)
            if mapping.spans_rails or mapping.rail(segment) in self.rails
        ]

    @cached_property
    def boxes(self) -> list[int]:
        """The booted boxes of a segment: in a slice its leaves and the switches above."""
        plan, sizing = self.plan, self.plan.sizing
        leaves = set(plan.segment.upper[self._host_rows].tolist())
        pods = {leaf // sizing.pod_leaves for leaf in leaves}

        def wanted(index: int) -> bool:
            box = plan.naming.boxes[index]
            if box.role is Role.LEAF:
                return index in leaves
            if box.role is Role.SPINE:
                pod, spine = divmod(box.index, sizing.pod_spines)
                return pod in pods and spine < self.width
            return max(divmod(box.index, sizing.group_cores)) < self.width

        return [
            index
            for index, has in enumerate(plan.installed)
            if has and (not self.width or wanted(index))
        ]

    @cached_property
    def _host_rows(self) -> list[int]:
        """The rows of `Plan.segment` of the GPUs' host links.

        Where a block serves one rail, GPUs are numbered by those of rail 0.
        """
        plan = self.plan
        own = {plan.mapping.pattern_gpu(gpu) for gpu in self.gpus}
        rows: list[int] = np.flatnonzero(
            (plan.segment.kind == LinkKind.HOST) & np.isin(plan.segment.lower, list(own))
        ).tolist()
        return rows

    @cached_property
    def _rows(self) -> list[int]:
        """The rows of `Plan.segment` of the links between booted switches."""
        segment = self.plan.segment
        there = np.isin(segment.lower, self.boxes) & np.isin(segment.upper, self.boxes)
        rows: list[int] = np.flatnonzero((segment.kind != LinkKind.HOST) & there).tolist()
        return rows

    @cached_property
    def switches(self) -> list[LabSwitch]:
        """The switches, in order of segment and box."""
        return [
            LabSwitch(names[box], segment, box)
            for segment in self.segments
            for names in [self.plan.naming.switches(segment)]
            for box in self.boxes
        ]

    @cached_property
    def size(self) -> Size:
        """The size of the lab, counted without naming anything, as it may be too large."""
        coordinates, segments = self.plan.fabric.coordinates, len(self.segments)
        gpus = len(self.domains) * sum(
            coordinates.rail(gpu) in self.rails for gpu in coordinates.domain_range(0)
        )
        switches = segments * len(self.boxes)
        return Size(gpus, switches, switches + gpus + len(self.domains), segments * len(self._rows))

    @cached_property
    def bridges(self) -> dict[int, str]:
        """The node of each HB domain."""
        return {domain: f"hb:{domain}" for domain in self.domains}

    @cached_property
    def nodes(self) -> list[str]:
        """Every namespace of the lab."""
        return [*(each.name for each in self.switches), *self.gpus.values(), *self.bridges.values()]

    @cached_property
    def hosts(self) -> list[str]:
        """The names of the hosts with a GPU of the lab."""
        return [
            self.plan.hosts[host]
            for host in sorted({self.plan.fabric.coordinates.host(gpu) for gpu in self.gpus})
        ]

    @cached_property
    def wires(self) -> list[Wire]:
        """Every cable, and every GPU's port to its HB domain; a link is one wire."""
        return [*self._cables(), *self._hb_wires()]

    def _cables(self) -> Iterator[Wire]:
        """Yield the cables."""
        plan, ends = self.plan, PathNames(Reach(self.plan))
        for segment in self.segments:
            plane, lower = plan.mapping.plane(segment), plan.segment.lower[self._host_rows].tolist()
            for gpu in (plan.mapping.lower_gpu(segment, each, 0) for each in lower):
                nic = ends.nic(gpu, plane)
                yield Wire(
                    nic.cable,
                    self.gpus[gpu],
                    f"nic{plane}",
                    nic.switch,
                    nic.switch_interface,
                    dotted(nic.address),
                    dotted(nic.gateway),
                )
            for row in self._rows:
                low, high = (
                    ends.switch(segment, int(column[row]))
                    for column in (plan.segment.lower, plan.segment.upper)
                )
                yield Wire(
                    ends.cable(segment, row),
                    low,
                    ends.interface(segment, row, upper=False),
                    high,
                    ends.interface(segment, row, upper=True),
                )

    def _hb_wires(self) -> Iterator[Wire]:
        """Yield the GPUs' ports to their HB domains."""
        coordinates = self.plan.fabric.coordinates
        for gpu, name in self.gpus.items():
            rank = coordinates.rank(gpu)
            yield Wire(
                "",
                name,
                HB_DEVICE,
                self.bridges[coordinates.domain(gpu)],
                f"gpu{rank}",
                hb_address(rank),
            )

    @property
    def scope(self) -> BuildScope:
        """The part of the fabric that must be built for this lab."""
        return BuildScope(tuple(self.segments), tuple(self.boxes), frozenset(self.gpus))

    @cached_property
    def missing(self) -> Failures:
        """The parts that are left out, as failures of the plan.

        A link between two switches exists where both do.
        """
        plan, boxes = self.plan, set(self.boxes)
        out = [index for index, has in enumerate(plan.installed) if has and index not in boxes]
        return Failures(
            gpus=frozenset(range(plan.fabric.gpus)) - self.gpus.keys(),
            switches=frozenset((segment, index) for segment in self.segments for index in out),
        )

    def left_out(self) -> str:
        """Return what of the fabric is not booted; empty where all of it is."""
        fabric, sizing = self.plan.fabric, self.plan.sizing
        counts = [
            (fabric.rails if self.in_turn else len(self.rails), fabric.rails, "rails"),
            (len(self.domains), fabric.coordinates.domains, "HB domains"),
        ]
        if self.width:
            of_pod = " of each pod" if sizing.core else ""
            counts += [
                (self.width, sizing.pod_spines, f"spines{of_pod}"),
                (self.width, sizing.group_cores, "cores of each group"),
            ]
        left = [f"{have:,} of {every:,} {what}" for have, every, what in counts if have < every]
        alone = (
            [f"rail {min(self.rails)} alone, the other rails in their turn"] if self.in_turn else []
        )
        return "; ".join(
            [
                *alone,
                *([f"a slice of {', '.join(left)}; the rest counts as failed"] if left else []),
            ]
        )


def lay_out(plan: Plan, rails: int | None = None, domains: int | None = None) -> Layout:
    """Choose what is booted: everything, whole rails, or some HB domains with every kind of path.

    Raises Refusal where the files cannot boot on Linux.
    """
    _check_bootable(plan)
    every = plan.fabric.coordinates.domains
    some = frozenset(range(min(rails or plan.fabric.rails, plan.fabric.rails)))
    if domains is None or domains >= every:
        return Layout(plan, some, tuple(range(every)))
    return Layout(plan, some, _choose(plan, domains), SLICE_WIDTH)


def one_rail(layout: Layout, rail: int) -> Layout:
    """Return one rail of a lab, with all its HB domains. Raises Refusal where blocks span rails."""
    if layout.plan.mapping.spans_rails:
        fact = (
            f"the rails of a {layout.plan.fabric.design} fabric meet, so none can be booted alone"
        )
        raise refuse(
            "lab-rails-meet", fact, path=("design",), hint="`--hb-domains 8` boots a slice instead"
        )
    return replace(layout, rails=frozenset({rail}), in_turn=True)


SLICE_WIDTH = 2
"""Spines of a pod and cores of a group in a slice: two, so that one may fail and paths still
spread."""


def _choose(plan: Plan, count: int) -> tuple[int, ...]:
    """Choose HB domains so that paths stay on a leaf, cross spines and cross cores.

    They come in turn from the first leaf, the last one and the second.
    """
    fabric = plan.fabric
    first = np.arange(0, fabric.gpus, fabric.domain_gpus)
    leaf = Reach(plan).slots[first] // plan.sizing.leaf_down
    sources = dict.fromkeys([leaf[0], leaf[-1], *leaf[leaf != leaf[0]][:1]])
    turns = chain.from_iterable(
        zip_longest(*(np.flatnonzero(leaf == source).tolist() for source in sources))
    )
    ordered = [domain for domain in turns if domain is not None] + np.flatnonzero(
        ~np.isin(leaf, list(sources))
    ).tolist()
    return tuple(sorted(ordered[:count]))


def _check_bootable(plan: Plan) -> None:
    """Raise Refusal for what a plain Linux kernel cannot boot."""
    for role in plan.roles:
        nos = next(
            (
                port_layout.nos
                for port_layout in plan.fabric.nos_variants(role)
                if port_layout.nos != NOS
            ),
            NOS,
        )
        if nos != NOS:
            runs = NOS in plan.fabric.port_layouts[role].model.interfaces
            hint = (
                f"`--set nos={NOS}` boots the same wiring with {NOS}"
                if runs
                else f"plan it with switches that run {NOS}, such as generic ones"
            )
            if plan.fabric.port_layouts[role].model.transport == "infiniband":
                hint = (
                    "`fabricgen lab run` runs an InfiniBand fabric over ibsim, with OpenSM; "
                    "it does not stay up"
                )
            key = (
                ("nos",)
                if getattr(plan.spec.nos, role) or plan.spec.nos.rails
                else ("switches", role.value)
            )
            raise refuse(
                "lab-needs-frr",
                f"the lab boots {NOS}, and the {role} switches run {nos}",
                path=key,
                hint=hint,
            )
    if plan.mapping.segment_blocks > 1:
        because = (
            "rails that share a box are kept apart by VRFs",
            "the lab uses plain kernels, which may have none",
        )
        raise refuse(
            "lab-has-no-vrf",
            "the lab cannot boot shared leaf boxes",
            path=("rails", "per_switch"),
            because=because,
            hint="`--set rails.per_switch=1`",
        )
    if plan.spec.addressing.host_links == "unnumbered":
        why = "leaves then learn their hosts by BGP, and the lab's GPUs run no daemon"
        hint = "`--set addressing.host_links=numbered` boots the same wiring with numbered links"
        raise refuse(
            "lab-needs-numbered",
            "the lab cannot boot unnumbered host links",
            path=("addressing", "host_links"),
            because=(why,),
            hint=hint,
        )
    for role, ports in plan.ports.items():
        port_layout = plan.fabric.port_layouts[role]
        for name in (port_layout.interface(port) for port in ports):
            if len(name) > LONGEST_INTERFACE or "/" in name:
                why = f"at most {LONGEST_INTERFACE} characters, no slash"
                own = f"other `interfaces.{NOS}`, in a catalog file of your own"
                hint = f"give {port_layout.model.model} {own}"
                raise refuse(
                    "lab-interface-name",
                    f"Linux does not accept an interface called `{name}`",
                    path=("nos",),
                    because=(why,),
                    hint=hint,
                )
