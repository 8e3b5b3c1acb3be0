"""The names of switches, hosts and host interfaces.

Owns name patterns, their check, and the numbers in names, which count from 1. Numbers and padding
follow what is planned, not what is installed, so that growth within a reserve changes no name. A
name is never parsed back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, cycle
from typing import TYPE_CHECKING

from fabricgen.core.terms import ROLES, Role
from fabricgen.planning.name_checks import check_patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.settings import Naming
    from fabricgen.planning.coordinates import Coordinates
    from fabricgen.planning.mapping import Mapping


@dataclass(frozen=True)
class Box:
    """One switch of a segment: its role, its block, and its number in the block, from 0.

    The block is -1 where blocks share the switch; the number is then that in the segment.
    """

    role: Role
    block: int
    index: int


@dataclass(frozen=True)
class DeviceNames:
    """The names of one fabric."""

    mapping: Mapping

    @cached_property
    def boxes(self) -> list[Box]:
        """List the switches of a segment: its leaf boxes, then each block's spines and cores."""
        sizing, blocks = self.mapping.sizing, self.mapping.segment_blocks
        owner = -1 if blocks > 1 else 0
        leaves = [Box(Role.LEAF, owner, index) for index in range(sizing.leaf)]
        upper = ((Role.SPINE, sizing.spine), (Role.CORE, sizing.core))
        return leaves + [
            Box(role, block, index)
            for block in range(blocks)
            for role, count in upper
            for index in range(count)
        ]

    def switches(self, segment: int) -> list[str]:
        """Name the switches of one segment, in the order of `boxes`."""
        mapping, stages = self.mapping, self.mapping.stages
        if mapping.fabric.shared_leaves:
            return [*mapping.fabric.shared_leaves.names]
        plane, (group, groups) = (
            mapping.plane(segment),
            (mapping.rail_group(segment), mapping.rail_groups),
        )
        names, rails = [], mapping.rails(segment)
        for box in self.boxes:
            shared = box.block < 0
            rail = None if shared else rails[box.block]
            number = 1 + (
                stages.across(box.index, group, groups)
                if shared
                else stages.ordinal(box.role, box.index)
            )
            names.append(self._patterns[box.role, shared].format(rail=rail, plane=plane, n=number))
        return names

    def spare_leaves(self, segment: int) -> list[str]:
        """Name the spare leaves of one segment: as a leaf of it, with `spare-` in front."""
        mapping = self.mapping
        count, shared = mapping.spare_leaves // mapping.segments, mapping.segment_blocks > 1
        rail = None if shared else mapping.rails(segment)[0]
        first = 1 + (mapping.rail_group(segment) * count if shared else 0)
        pattern = self._patterns[Role.LEAF, shared]
        return [
            "spare-" + pattern.format(rail=rail, plane=mapping.plane(segment), n=first + number)
            for number in range(count)
        ]

    def host(self, host: int) -> str:
        """Name a host, counted from 0 over all HB domains."""
        fabric = self.mapping.fabric
        if fabric.network:
            return fabric.network.attached.devices[host]
        return host_name(self._host_pattern, fabric.coordinates, fabric.host_position(host))

    def interface(self, gpu: int, plane: int, link: int = 0) -> str:
        """Name the interface of a NIC port as the host does; `gpu` counts within the host.

        The links of a split port have names of their own, as Linux gives them: devlink calls port 0
        of a split port 0 `p0s0`.
        """
        fabric = self.mapping.fabric
        return fabric.interface(gpu, plane) + (f"s{link}" if fabric.split > 1 else "")

    def label(self, gpu: int, plane: int, link: int = 0) -> str:
        """Return the print beside a NIC port; without a host model, the name of the interface."""
        fabric = self.mapping.fabric
        host = fabric.host
        port = host.port(gpu, plane).label if host else fabric.interface(gpu, plane)
        return f"{port}/{link + 1}" if fabric.split > 1 else port

    @cached_property
    def _patterns(self) -> dict[tuple[Role, bool], str]:
        """The pattern of each role by whether blocks share the switch, with padded numbers."""
        mapping, naming = self.mapping, self.mapping.fabric.spec.naming
        sizes = {
            Role.LEAF: mapping.sizing.leaf,
            Role.SPINE: mapping.sizing.spine,
            Role.CORE: mapping.sizing.core,
        }
        patterns = {}
        for role in ROLES:
            for shared in (False, True):
                largest = sizes[role] * (mapping.rail_groups if shared else 1)
                digits = mapping.digits(role, largest)
                rail = "" if shared or mapping.spans_rails else "r{rail}"
                plane = "p{plane}" if mapping.fabric.planes > 1 else ""
                scope = f"{rail}{plane}"
                default = f"{scope}-{role}-{{n}}" if scope else f"{role}-{{n}}"
                pattern = naming.prefix + (getattr(naming, role) or default)
                patterns[role, shared] = pattern.replace("{n}", f"{{n:0{digits}}}")
        return patterns

    @cached_property
    def _host_pattern(self) -> str:
        """The pattern of hosts, with padded numbers."""
        fabric = self.mapping.fabric
        digits = self.mapping.digits("host", fabric.coordinates.planned_hosts)
        return host_pattern(fabric.spec.naming, digits)


def host_pattern(naming: Naming, digits: int) -> str:
    """Return the pattern of host names, the default where the inventory has none, with padding."""
    pattern = naming.prefix + (naming.host or "host-{n}")
    return pattern.replace("{n}", f"{{n:0{digits}}}")


def host_name(pattern: str, coordinates: Coordinates, position: int) -> str:
    """Name the host at a position, counted from 0 over all HB domains.

    >>> from fabricgen.planning.coordinates import Coordinates
    >>> racks = Coordinates(72, 36, planned_gpus=72, domain_hosts=9, rails=4, planes=1)
    >>> host_name("rack{domain}-tray{host:02}", racks, 10)
    'rack1-tray02'
    """
    return pattern.format(
        n=position + 1,
        domain=coordinates.domain_of_host(position),
        host=coordinates.domain_slot(position) + 1,
    )


def make_naming(mapping: Mapping) -> DeviceNames:
    """Return the names of a fabric. Raises Refusal where a pattern has an unknown field."""
    check_patterns(mapping)
    return DeviceNames(mapping)


def host_names(naming: DeviceNames) -> list[str]:
    """Name the installed hosts, in order."""
    fabric = naming.mapping.fabric
    if fabric.network:
        return fabric.network.attached.devices
    return [naming.host(host) for host in range(fabric.coordinates.hosts)]


def spare_leaf_names(naming: DeviceNames) -> list[str]:
    """Name every spare leaf, segment by segment."""
    if not naming.mapping.spare_leaves:
        return []
    return [*chain.from_iterable(map(naming.spare_leaves, range(naming.mapping.segments)))]


def switch_names(naming: DeviceNames, installed: list[bool]) -> Iterator[str]:
    """Name every installed switch by segment; `installed` is that of a segment's switches."""
    for segment in range(naming.mapping.segments):
        yield from compress(naming.switches(segment), installed)


def switch_roles(naming: DeviceNames, installed: list[bool]) -> Iterator[tuple[str, Role]]:
    """Name every installed switch with its role, in the order of `switch_names`."""
    roles = [box.role for box, has in zip(naming.boxes, installed, strict=True) if has]
    yield from zip(switch_names(naming, installed), cycle(roles))
