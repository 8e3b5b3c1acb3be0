"""What stands in a lab: which switches, GPUs and HB domains, and the wires between them.

Owns the slice of a fabric that is booted. Files are taken as they were emitted: in a slice the cables to what is left out are simply not
there, as if they had failed. It starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.diagnostics import refuse
from fabricgen.forwarding.routes import HB_DEVICE
from fabricgen.terms import LinkKind, Role, gpu_name
from fabricgen.viewing import Views

if TYPE_CHECKING:
    from fabricgen.planner import Plan

LONGEST_INTERFACE = 15
"""Characters of an interface's name that Linux takes."""

NOS = "frr"
"""The NOS whose files boot on a plain Linux kernel."""


class Wire(NamedTuple):
    """A cable of the lab, or a GPU's port to its HB domain; `label` is the cable's, empty at an HB domain."""

    label: str
    a: str
    a_interface: str
    b: str
    b_interface: str


class Seat(NamedTuple):
    """A switch of the lab: its name, and its unit and box in the plan."""

    name: str
    unit: int
    box: int


@dataclass(frozen=True)
class Layout:
    """The part of a plan that a lab boots: some rails, some HB domains, and at most so many spines of a pod and cores of a group."""

    plan: Plan
    rails: frozenset[int]
    domains: tuple[int, ...]
    width: int = 0
    """Spines of a pod and cores of a group that are booted; 0 for all."""
    whole: bool = field(default=True)
    """Whether this is the whole fabric."""

    @cached_property
    def gpus(self) -> dict[int, str]:
        """The name of each GPU, in order."""
        request = self.plan.request
        every = (domain * request.domain_gpus + rank for domain in self.domains for rank in range(request.domain_gpus))
        return {gpu: gpu_name(*divmod(gpu, request.domain_gpus)) for gpu in every if gpu % request.domain_gpus % request.rails in self.rails}

    @cached_property
    def units(self) -> list[int]:
        """The units with a rail of the lab."""
        mapping = self.plan.mapping
        return [unit for unit in range(mapping.units) if mapping.spans_rails or mapping.rail(unit) in self.rails]

    @cached_property
    def _boxes(self) -> list[int]:
        """The boxes of a unit that are booted: leaves with a GPU of the lab, and what they need above them."""
        plan, sizing = self.plan, self.plan.sizing
        leaves = {int(plan.unit.upper[row]) for row in self._host_rows}
        pods = {leaf // sizing.pod_leaves for leaf in leaves}
        width = self.width or max(sizing.pod_spines, sizing.group_cores, 1)
        chosen = []
        for index, box in enumerate(plan.naming.boxes):
            spine = box.index % sizing.pod_spines if box.role is Role.SPINE else box.index // sizing.group_cores if box.role is Role.CORE else 0
            core = box.index % sizing.group_cores if box.role is Role.CORE else 0
            wanted = index in leaves if box.role is Role.LEAF else spine < width and core < width
            in_pod = box.role is not Role.SPINE or box.index // sizing.pod_spines in pods
            if plan.installed[index] and in_pod and (wanted or (self.whole and box.role is Role.LEAF)):
                chosen.append(index)
        return chosen

    @cached_property
    def _host_rows(self) -> list[int]:
        """The rows of `Plan.unit` of the GPUs' host links; where a block serves one rail, GPUs are counted by rail 0's."""
        plan, request = self.plan, self.plan.request
        own = {gpu - (0 if plan.mapping.spans_rails else gpu % request.domain_gpus % request.rails) for gpu in self.gpus}
        pairs = zip(plan.unit.kind.tolist(), plan.unit.lower.tolist(), strict=True)
        return [row for row, (kind, lower) in enumerate(pairs) if kind == LinkKind.HOST and lower in own]

    @cached_property
    def rows(self) -> list[int]:
        """The rows of `Plan.unit` that are wired: the GPUs' host links, and the links between booted switches."""
        unit, boxes = self.plan.unit, set(self._boxes)
        ends = zip(unit.kind.tolist(), unit.lower.tolist(), unit.upper.tolist(), strict=True)
        between = [row for row, (kind, lower, upper) in enumerate(ends) if kind != LinkKind.HOST and lower in boxes and upper in boxes]
        return [*self._host_rows, *between]

    @cached_property
    def switches(self) -> list[Seat]:
        """The switches, in order of unit and box."""
        return [Seat(names[box], unit, box) for unit in self.units for names in [self.plan.naming.switches(unit)] for box in self._boxes]

    @cached_property
    def bridges(self) -> dict[int, str]:
        """The node of each HB domain."""
        return {domain: f"hb:{domain}" for domain in self.domains}

    @cached_property
    def nodes(self) -> list[str]:
        """Every namespace of the lab."""
        return [*(seat.name for seat in self.switches), *self.gpus.values(), *self.bridges.values()]

    @cached_property
    def wires(self) -> list[Wire]:
        """Every cable, and every GPU's port to its HB domain."""
        return [*self._cables(), *self._hb_wires()]

    def _cables(self) -> list[Wire]:
        """List the cables; a link that takes several is one wire."""
        plan, views, wires = self.plan, Views(self.plan), []
        for unit in self.units:
            rail, plane = plan.mapping.rail(unit) or 0, plan.mapping.plane(unit)
            for row in self.rows:
                cable = views.cables(unit, row, row + 1)[0]
                a, interface = cable.a_device, cable.a_interface
                if cable.tier == LinkKind.HOST:
                    a, interface = self.gpus[int(plan.unit.lower[row]) + rail], f"nic{plane}"
                label = cable.cable.rstrip("abcdefgh") if cable.connector else cable.cable
                wires.append(Wire(label, a, interface, cable.b_device, cable.b_interface))
        return wires

    def _hb_wires(self) -> list[Wire]:
        """List the GPUs' ports to their HB domains."""
        size = self.plan.request.domain_gpus
        return [Wire("", name, HB_DEVICE, self.bridges[gpu // size], f"gpu{gpu % size}") for gpu, name in self.gpus.items()]


def lay_out(plan: Plan, rails: int | None = None, domains: int | None = None) -> Layout:
    """Choose what is booted: everything, or a faithful slice with every kind of path. Raises Refusal where the files cannot boot on Linux."""
    _check_bootable(plan)
    request = plan.request
    every = request.gpus // request.domain_gpus
    count = min(domains or every, every)
    whole = (rails or request.rails) >= request.rails and count == every
    return Layout(plan, frozenset(range(min(rails or request.rails, request.rails))), _spread(plan, count), 0 if whole else SLICE_WIDTH, whole)


SLICE_WIDTH = 2
"""Spines of a pod and cores of a group in a slice: two, so that one may fail and paths still spread."""


def _spread(plan: Plan, count: int) -> tuple[int, ...]:
    """Choose so many HB domains: by turns the first ones and the last ones, so that they stand on several leaves, and in several pods."""
    every = plan.request.gpus // plan.request.domain_gpus
    return tuple(sorted({*range((count + 1) // 2), *range(every - count // 2, every)}))


def _check_bootable(plan: Plan) -> None:
    """Refuse what a plain Linux kernel cannot boot."""
    for role in plan.roles:
        nos = plan.request.fronts[role].nos
        if nos != NOS:
            hint = f"`--set nos={NOS}` boots the same wiring with {NOS}"
            raise refuse("lab-needs-frr", f"the lab boots {NOS}, and the {role} switches run {nos}", path=("nos",), hint=hint)
    if plan.mapping.unit_blocks > 1:
        because = ("rails that share a box are kept apart by VRFs", "the lab uses plain kernels, which may have none")
        raise refuse(
            "lab-has-no-vrf", "the lab cannot boot shared leaf boxes", path=("rails", "per_switch"), because=because, hint="`--set rails.per_switch=1`"
        )
    for role, ports in plan.ports.items():
        front = plan.request.fronts[role]
        for name in (front.interface(port) for port in ports):
            if len(name) > LONGEST_INTERFACE or "/" in name:
                raise refuse("lab-interface-name", f"Linux takes no interface called `{name}`", because=(f"at most {LONGEST_INTERFACE} characters, no slash",))
