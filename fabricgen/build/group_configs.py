"""The group of configurations: the files of each switch, and of each InfiniBand subnet.

Owns the tasks of the switches and the list of their overrides; the tasks of the subnets are in
`subnet_files`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.management_notes import left_out
from fabricgen.build.network_tasks import network_tasks
from fabricgen.build.pack_outputs import (
    config_packs,
    every_config_pack,
    incomplete,
    site_lines,
    switch_outputs,
    unconfigured,
)
from fabricgen.build.runs import installed_switches, switch_runs
from fabricgen.build.selection import Skipped
from fabricgen.build.subnet_files import subnet_tasks
from fabricgen.build.task import OneFile
from fabricgen.build.unwritten import unwritten
from fabricgen.build.write.files import Root, write_text
from fabricgen.core.terms import COMPUTE, UPLINKS, Role
from fabricgen.outputs.groups import OVERRIDES
from fabricgen.outputs.packs.quoted_text import csv_cell
from fabricgen.planning.switch_match import matches, switch_identities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.planning.plan import Plan


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the configurations, those of subnet managers included."""
    yield from _of_fabric(context)
    adds_lines = any(own.has_lines for own in context.plan.spec.overrides)
    if adds_lines and context.scope is None and every_config_pack(context):
        yield OverrideList(OVERRIDES)
    yield from left_out(context)
    yield from network_tasks(context, _of_fabric)
    if context.scope is None:
        yield from _left_to_the_site(context)


def _left_to_the_site(context: BuildContext) -> Iterator[Skipped]:
    """List what the switches of networks have no settings for."""
    spec = context.plan.spec
    for name, network in spec.networks.each().items() if context.networks else ():
        on = network.uplink.network if network.uplink else ""
        above = UPLINKS if on == COMPUTE else spec.networks.carrier(on)
        if on == COMPUTE and network.kind == "clos":
            yield Skipped(
                f"the uplinks of {name}: its leaves have no addresses and no BGP on them, and the"
                " switches of compute have no sessions with them; add both with lines of your own"
            )
        elif on and network.kind != "clos" and not context.networks[above].plan.fabric.has_bonds:
            yield Skipped(
                f"the uplinks of {name}: the VLAN of a switch ends at its ports, as the"
                f" {'switches' if on == COMPUTE else 'leaves'} of {on} have routed ports; join it"
                " with lines of your own"
            )
    yield from _not_joined(context.plan)
    for name, network in spec.networks.every().items() if spec.has_networks else ():
        if network.carried and not context.plan.networks[name].fabric.has_bonds:
            yield Skipped(
                f"VRFs for {' and '.join(network.carried)} on the switches of {name}: what they"
                " carry shares one routing table"
            )
    for devices in spec.devices if context.networks else ():
        if devices.edge and not devices.bgp:
            yield Skipped(
                f"BGP to {devices.name}: its ports have addresses, and sessions and routes of the"
                " site are lines of your own"
            )


def _not_joined(plan: Plan) -> Iterator[Skipped]:
    """List the networks in VRFs of compute leaves that no link joins to each other."""
    for name, network in plan.converged.items():
        rules = network.fabric.network
        if rules and rules.shared and not rules.shared.in_compute:
            leaves = len(rules.shared.names)
            if leaves > rules.attached.bond and not rules.peer_links:
                yield Skipped(
                    f"routes between the {leaves} leaves of {name}: each has a VRF of it that no"
                    " link joins to the others; join them with routers or lines of your own"
                )


def _of_fabric(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the switches of one network."""
    if config_packs(context):
        yield from (SwitchFiles(segment, boxes) for segment, boxes in switch_runs(context))
    yield from unconfigured(context)
    yield from incomplete(context)
    yield from unwritten(context)
    yield from subnet_tasks(context)


class SwitchFiles(NamedTuple):
    """The configurations of a run of switches."""

    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List what the pack of each switch's role writes."""
        for switch, role in installed_switches(context, self.segment, self.boxes):
            for output in switch_outputs(context, self.segment, role):
                yield output.path.format(switch=switch)

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        packs = config_packs(context)
        layouts = context.plan.port_layouts(self.segment)
        roles = tuple(role for role, layout in layouts.items() if layout.nos in packs)
        outputs: dict[Role, list[PackOutput]] = {}
        for switch in context.views.switches(self.segment, roles, self.boxes):
            role = Role(switch.role)
            if role not in outputs:  # a run has many switches of each
                outputs[role] = switch_outputs(context, self.segment, role)
            for file in site_lines(context).files(packs[switch.nos], outputs[role], switch):
                yield write_text(root, file.path, file.text, file.mode, secret=file.secret)


@dataclass(frozen=True)
class OverrideList(OneFile):
    """The list of the overrides of each switch: the mark of those in files without comments."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write a line for each override of each switch."""
        yield write_text(root, self.path, _override_rows(context))


def _override_rows(context: BuildContext) -> Iterator[str]:
    """Yield the header, and a line for each override of each switch."""
    yield "switch,file,place,override\n"
    for own in context.each:
        yield from _rows_of_network(own)


def _rows_of_network(context: BuildContext) -> Iterator[str]:
    """Yield a line for each override of each switch of one network."""
    packs, lines = config_packs(context), site_lines(context)
    for switch in switch_identities(context.plan):
        for number, own in enumerate(context.plan.spec.overrides):
            if own.has_lines and matches(own.match, switch):
                place = lines.place(packs[switch.nos], own.place)
                path = place.output.path.format(switch=switch.name) if place else ""
                cells = (switch.name, path, place and place.spot, f"overrides.{number}")
                yield ",".join(map(csv_cell, cells)) + "\n"
