"""The InfiniBand subnets of a plan: the boxes of each, and the links between them.

A subnet is what one subnet manager sees: the boxes of one segment, because only HB domains join two
segments. So a rail-only fabric has a subnet for each rail and plane; rails that share leaf boxes
share a subnet, where partitions isolate them. Where blocks span rails there is one for each plane.
Owns that rule. `systems` owns the names of ports, and `guids` the GUIDs.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.views.infiniband.devices import device_links
from fabricgen.views.infiniband.guids import Guids
from fabricgen.views.infiniband.guids_csv import guid_text
from fabricgen.views.infiniband.systems import Systems
from fabricgen.views.infiniband.view import (
    Partition,
    PortNames,
    SubnetNode,
    SubnetPort,
    SubnetView,
)
from fabricgen.views.link_ends import LinkEnds

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

DEFAULT_PREFIX, SITE_PREFIX = 0xFE80 << 48, 0xFEC0 << 48
"""The prefix of a single subnet, and the first of those of several.

They are the link-local and the site-local GIDs (InfiniBand Architecture 4.1.1).
"""

FIRST_KEY = 0x8001
"""P_Key of rail 0 where rails share a subnet; the highest bit marks full members."""

DESCRIPTION_BYTES = 64
"""Bytes of a NodeDescription."""

SINGLE_ENGINES, ENGINES = ["updn"], ["ftree", "updn"]
"""The routing engines of a subnet of one leaf, which ftree rejects as no tree, and of others.

OpenSM takes the next engine where one fails.
"""


class Subnets:
    """The subnets of one plan; what they share is computed once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; no view is made yet."""
        self.plan = plan
        self._systems = Systems(plan)
        self._guids = Guids(plan, self._systems)

    @cached_property
    def names(self) -> list[str]:
        """The names of the subnets, segment by segment: rails and plane, or `all` for a single one.

        That of a network beside the compute fabric has its name, and one of several rails has the
        first and the last in its name, like r0-3p1.
        """
        mapping, names = self.plan.mapping, list[str]()
        if network := self.plan.fabric.network:
            return [network.name]
        for segment in range(mapping.segments):
            first, last = mapping.rail(segment), mapping.rail(segment, mapping.segment_blocks - 1)
            rails = "" if first is None else f"r{first}" if first == last else f"r{first}-{last}"
            names.append(
                (rails + (f"p{mapping.plane(segment)}" if self.plan.fabric.planes > 1 else ""))
                or "all"
            )
        return names

    @property
    def systems(self) -> list[str]:
        """The names of the types of box, the same in every subnet."""
        return self._systems.names

    def prepare(self) -> None:
        """Compute now what all subnets share; workers that are forked afterwards inherit it.

        Raises Refusal `bad-guids`.
        """
        _ = self.names, self._links.lower_ports, self._links.upper_ports, self._guids.table

    def view(self, segment: int) -> SubnetView:
        """Make the view of one subnet. Raises Refusal `bad-guids`."""
        plan = self.plan
        switches, adapters, by_rail = self._joined(segment)
        top = plan.roles[-1].value
        shared = plan.mapping.segment_blocks > 1
        nodes = [*switches, *adapters]
        self._guids.check_unique(nodes)
        roots = [guid for node in switches if node.role == top for guid in node.guids]
        engines = (
            ENGINES if sum(node.role == Role.LEAF for node in switches) > 1 else SINGLE_ENGINES
        )
        prefix = SITE_PREFIX | segment + 1 if plan.mapping.segments > 1 else DEFAULT_PREFIX
        keys = (
            [
                Partition(f"rail{rail}", f"0x{FIRST_KEY + rail:04x}", members)
                for rail, members in sorted(by_rail.items())
            ]
            if shared
            else []
        )
        return SubnetView(
            name=self.names[segment],
            fabric=plan.spec.name,
            prefix=guid_text(prefix),
            engines=engines,
            roots=roots,
            planes=max(len(node.guids) for node in switches),
            switches=switches,
            adapters=adapters,
            systems=self._systems.views,
            partitions=keys,
            made_up=self._guids.placeholders(nodes),
        )

    def _joined(
        self, segment: int
    ) -> tuple[list[SubnetNode], list[SubnetNode], dict[int, list[str]]]:
        """Make the nodes of a subnet and their links; also return the ports' GUIDs of each rail."""
        plan, coordinates = self.plan, self.plan.fabric.coordinates
        ends = self._links.of_segment(segment)
        made = {
            index: self._switch(name, segment, index)
            for index, name in enumerate(ends.switches)
            if plan.installed[index]
        }
        adapters: list[SubnetNode] = []
        by_rail: dict[int, list[str]] = defaultdict(list)
        links = ends.columns(slice(None))
        columns = (links.gpu, links.lower, links.lower_port, links.upper, links.upper_port)
        for gpu, lower, below, upper, above, cable in zip(
            *(column.tolist() for column in columns), links.cables, strict=True
        ):
            if gpu >= 0:
                node = self._adapter(gpu, ends.plane, below)
                by_rail[coordinates.rail(gpu)].append(node.guid)
                adapters.append(node)
            else:
                node = made[lower]
            node.ports.append(SubnetPort(below, made[upper], above, cable, upward=True))
            made[upper].ports.append(SubnetPort(above, node, below, cable, upward=False))
        for node, below, box, above, cable in device_links(plan, self._guids, segment):
            node.ports.append(SubnetPort(below, made[box], above, cable, upward=True))
            made[box].ports.append(SubnetPort(above, node, below, cable, upward=False))
            adapters.append(node)
        for node in made.values():
            node.ports.sort(key=lambda port: port.own.number)
        return list(made.values()), adapters, by_rail

    def _switch(self, name: str, segment: int, index: int) -> SubnetNode:
        """Make the node of a switch."""
        role = self.plan.naming.boxes[index].role
        guids = [guid_text(guid) for guid in self._guids.switch(name, segment, index)]
        guid = guids[0]
        port_layout = self.plan.fabric.port_layouts[role]
        return SubnetNode(
            kind="Switch",
            id=f"S-{guid[2:]}",
            guid=guid,
            base=guid,
            description=name,
            device=name,
            system=self._systems.switches[role],
            width=port_layout.numbers,
            role=role.value,
            guids=guids,
        )

    def _adapter(self, gpu: int, plane: int, port: PortNames) -> SubnetNode:
        """Make the node of a NIC port."""
        coordinates = self.plan.fabric.coordinates
        device = self.plan.hosts[coordinates.host(gpu)]
        adapter = port.panel.removesuffix("/P1")
        given = self._guids.nic(device, adapter, gpu, plane)
        base = guid_text(given - 1)
        description = f"{device} {adapter}"[-DESCRIPTION_BYTES:]
        return SubnetNode(
            kind="Ca",
            id=f"H-{base[2:]}",
            guid=guid_text(given),
            guids=[guid_text(given)],
            base=base,
            description=description,
            device=device,
            system=self._systems.host,
            width=1,
            role="",
        )

    @cached_property
    def _links(self) -> LinkEnds[PortNames]:
        """The ends of the links, with the numbers and names of their ports."""
        fabric = self.plan.fabric
        nics = [
            [self._systems.nics[slot, plane] for slot in range(fabric.interface_count)]
            for plane in range(fabric.planes)
        ]
        return LinkEnds(self.plan, self._systems.ports, nics)
