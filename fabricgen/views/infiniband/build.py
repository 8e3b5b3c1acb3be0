"""The InfiniBand subnets of a plan: the boxes of each, and their GUIDs, port numbers and names.

A subnet is what one subnet manager sees: the boxes of one segment, because only HB domains join two
segments. So a rail-only fabric has a subnet for each rail and plane; rails that share leaf boxes
share a subnet, where partitions isolate them. Where blocks span rails there is one for each plane.
Owns that rule and the numbering of ports. `guids_csv` owns the GUIDs.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Role
from fabricgen.views.infiniband.guids_csv import (
    KEY,
    bad_guid,
    guid_text,
    port_placeholder,
    read_guids,
    switch_placeholder,
    unknown_guid,
)
from fabricgen.views.infiniband.transport import is_infiniband
from fabricgen.views.infiniband.view import (
    Partition,
    PortNames,
    SubnetNode,
    SubnetPort,
    SubnetView,
    SystemNode,
    SystemView,
)
from fabricgen.views.link_ends import LinkEnds

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    @cached_property
    def names(self) -> list[str]:
        """The names of the subnets, segment by segment: rails and plane, or `all` for a single one.

        A subnet of several rails has the first and the last in its name, like r0-3p1.
        """
        mapping, names = self.plan.mapping, []
        for segment in range(mapping.segments):
            first, last = mapping.rail(segment), mapping.rail(segment, mapping.segment_blocks - 1)
            rails = "" if first is None else f"r{first}" if first == last else f"r{first}-{last}"
            names.append(
                (rails + (f"p{mapping.plane(segment)}" if self.plan.fabric.planes > 1 else ""))
                or "all"
            )
        return names

    @cached_property
    def systems(self) -> list[str]:
        """The names of the types of box, the same in every subnet."""
        return sorted({*self._switch_systems.values(), self._host_system})

    def prepare(self) -> None:
        """Compute now what all subnets share; workers that are forked afterwards inherit it.

        Raises Refusal `bad-guids`.
        """
        _ = self.names, self._links.lower_ports, self._links.upper_ports, self._guids

    def view(self, segment: int) -> SubnetView:
        """Make the view of one subnet. Raises Refusal `bad-guids`."""
        plan = self.plan
        switches, adapters, by_rail = self._joined(segment)
        top = plan.roles[-1].value
        shared = plan.mapping.segment_blocks > 1
        nodes = [*switches, *adapters]
        self._check_apart(nodes)
        roots = [node.guid for node in switches if node.role == top]
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
        made_up = sum(node.guid not in self._given for node in nodes)
        return SubnetView(
            name=self.names[segment],
            fabric=plan.spec.name,
            prefix=guid_text(prefix),
            engines=engines,
            roots=roots,
            switches=switches,
            adapters=adapters,
            systems=self._system_views,
            partitions=keys,
            made_up=made_up,
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
        for node in made.values():
            node.ports.sort(key=lambda port: port.own.number)
        return list(made.values()), adapters, by_rail

    def _check_apart(self, nodes: list[SubnetNode]) -> None:
        """Refuse a GUID of the table that is the placeholder of another port.

        Raises Refusal `bad-guids`.
        """
        seen: dict[str, SubnetNode] = {}
        for node in nodes:
            first = seen.setdefault(node.guid, node)
            if first is not node:
                because = f"`{first.description}` and `{node.description}` would both have it"
                hint = "read GUIDs on the machines; those that begin with 0x02 are placeholders"
                raise Refusal(
                    [
                        bad_guid(
                            str(self.plan.spec.addressing.guids),
                            None,
                            f"{node.guid} stands for two ports",
                            because,
                            hint=hint,
                        )
                    ]
                )

    def _switch(self, name: str, segment: int, index: int) -> SubnetNode:
        """Make the node of a switch."""
        role = self.plan.naming.boxes[index].role
        guid = guid_text(self._guids.get((name, ""), self._placeholder(segment, index)))
        port_layout = self.plan.fabric.port_layouts[role]
        return SubnetNode(
            kind="Switch",
            id=f"S-{guid[2:]}",
            guid=guid,
            base=guid,
            description=name,
            device=name,
            system=self._switch_systems[role],
            width=port_layout.numbers,
            role=role.value,
        )

    def _adapter(self, gpu: int, plane: int, port: PortNames) -> SubnetNode:
        """Make the node of a NIC port."""
        coordinates = self.plan.fabric.coordinates
        device, slot = self.plan.hosts[coordinates.host(gpu)], coordinates.host_slot(gpu)
        adapter = port.panel.removesuffix("/P1")
        given = (
            self._guids.get((device, adapter))
            or self._guids.get((device, self.plan.naming.interface(slot, plane)))
            or port_placeholder(coordinates.nic(gpu, plane))
        )
        base = guid_text(given - 1)
        description = f"{device} {adapter}"[-DESCRIPTION_BYTES:]
        return SubnetNode(
            kind="Ca",
            id=f"H-{base[2:]}",
            guid=guid_text(given),
            base=base,
            description=description,
            device=device,
            system=self._host_system,
            width=1,
            role="",
        )

    def _placeholder(self, segment: int, index: int) -> int:
        """Return the placeholder for a switch's GUID."""
        boxes = self.plan.naming.boxes
        first = next(number for number, box in enumerate(boxes) if box.role is boxes[index].role)
        return switch_placeholder(boxes[index].role.tier, segment, index - first)

    @cached_property
    def _links(self) -> LinkEnds[PortNames]:
        """The ends of the links, with the numbers and names of their ports."""
        fabric = self.plan.fabric
        nics = [
            [self._nics[slot, plane] for slot in range(fabric.host_gpus)]
            for plane in range(fabric.planes)
        ]
        return LinkEnds(self.plan, self._panels, nics)

    @cached_property
    def _panels(self) -> dict[Role, list[PortNames]]:
        """The names of each planned port of a role's box."""
        port_layouts = self.plan.fabric.port_layouts
        return {
            role: [
                PortNames(
                    port_layouts[role].number(port),
                    _word(port_layouts[role].interface(port)),
                    port_layouts[role].interface(port),
                )
                for port in ports
            ]
            for role, ports in self.plan.ports.items()
        }

    @cached_property
    def _nics(self) -> dict[tuple[int, int], PortNames]:
        """The names of each NIC port of a host, by place in the host and plane.

        An adapter has the name of its RDMA device, or of its interface where the chassis is
        unknown; UFM counts adapters from 1.
        """
        fabric, naming = self.plan.fabric, self.plan.naming
        found: dict[tuple[int, int], PortNames] = {}
        for gpu in range(fabric.host_gpus):
            for plane in range(fabric.planes):
                known = fabric.host and fabric.host.port(gpu, plane).rdma
                found[gpu, plane] = PortNames(
                    1,
                    f"{known or naming.interface(gpu, plane)}/P1",
                    f"HCA-{fabric.coordinates.nic(gpu, plane) + 1}/1",
                )
        return found

    @cached_property
    def _host_system(self) -> str:
        """The type of the hosts."""
        host = self.plan.fabric.host
        return (
            _word(host.model.upper())
            if host
            else f"HOST-{self.plan.fabric.host_gpus * self.plan.fabric.planes}"
        )

    @cached_property
    def _switch_systems(self) -> dict[Role, str]:
        """The type of each role's box: its model, and how many ports its split makes."""
        port_layouts = self.plan.fabric.port_layouts
        return {
            role: f"{_word(port_layouts[role].model.model.upper())}-{port_layouts[role].numbers}"
            for role in self.plan.roles
        }

    @cached_property
    def _system_views(self) -> list[SystemView]:
        """The types of box, by name."""
        views: dict[str, SystemView] = {}
        for role, name in self._switch_systems.items():
            port_layout, used = self.plan.fabric.port_layouts[role], self.plan.ports[role]
            panel = {
                port_layout.number(port): _word(port_layout.interface(port))
                for port in [*port_layout.idle(used), *used]
            }
            # every number has a name, in use or not: ibdmchk crashes at a switch that lacks one
            known = (
                views[name].nodes[0].ports
                if name in views
                else [(number, f"N{number}") for number in range(1, port_layout.numbers + 1)]
            )
            views[name] = SystemView(
                name,
                [
                    SystemNode(
                        "SW",
                        _word(port_layout.model.model.upper()),
                        "U1",
                        port_layout.numbers,
                        sorted({**dict(known), **panel}.items()),
                    )
                ],
            )
        nic = self.plan.fabric.host.nic.upper() if self.plan.fabric.host else "NIC"
        nodes = [
            SystemNode("CA", _word(nic), panel.removesuffix("/P1"), 1, [(number, panel)])
            for number, panel, _ in self._nics.values()
        ]
        views[self._host_system] = SystemView(self._host_system, nodes)
        return [views[name] for name in self.systems]

    @cached_property
    def _guids(self) -> dict[tuple[str, str], int]:
        """The GUIDs of the table, by device and port.

        Raises Refusal `bad-guids` for unknown devices and ports, and for repeated GUIDs.
        """
        shown = self.plan.spec.addressing.guids
        if shown is None:
            return {}
        if not is_infiniband(self.plan):
            raise refuse(
                "bad-guids",
                f"{shown}: these switches speak Ethernet, which has no GUIDs",
                path=KEY,
                hint="leave `addressing.guids` out",
            )
        lines = read_guids(self.plan.catalog.relative_path(shown), shown)
        switches, ports = set(self.plan.switches()), set(self._port_names())
        hosts = set(self.plan.hosts)
        unknown = (
            unknown_guid(
                shown, read, [*switches, *hosts], sorted(ports) if read.device in hosts else []
            )
            for read in lines
            if not (
                (read.device in switches and not read.port)
                or (read.device in hosts and read.port in ports)
            )
        )
        if findings := list(islice(unknown, SHOWN)):
            raise Refusal(findings)
        return {(read.device, read.port): read.guid for read in lines}

    @cached_property
    def _given(self) -> set[str]:
        """The GUIDs of the table, as texts."""
        return {guid_text(guid) for guid in self._guids.values()}

    def _port_names(self) -> Iterator[str]:
        """List the names of a host's NIC ports: of their interfaces and of their RDMA devices."""
        for (within, plane), (_, panel, _) in self._nics.items():
            yield panel.removesuffix("/P1")
            yield self.plan.naming.interface(within, plane)


def _word(name: str) -> str:
    """Return the name of a port or a model in .ibnl and .topo files, where it begins with a letter.

    >>> _word("1/1/2"), _word("sw1p2")
    ('P1/1/2', 'sw1p2')
    """
    return name if name[:1].isalpha() else f"P{name}"
