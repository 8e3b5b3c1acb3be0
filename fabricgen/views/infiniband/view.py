"""What templates see of an InfiniBand subnet: its switches, adapters, links and manager.

`build` makes these views.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.core.template_api import for_templates


class PortNames(NamedTuple):
    """The names of a port: its number in the subnet, its name on the panel, and that of UFM.

    The name on the panel begins with a letter.
    """

    number: int
    panel: str
    ufm: str


@dataclass(slots=True)
class SubnetPort:
    """One end of a link, with the far end beside it."""

    own: PortNames
    peer: SubnetNode
    far: PortNames
    cable: str
    """Label of the cable; where the link takes several, what their labels have in common."""
    upward: bool
    """Whether the far end is a tier above; a list with each link once reads it at this end."""


@dataclass(slots=True, kw_only=True)
class SubnetNode:
    """One switch, or one port of an adapter, which is an adapter of one port in the subnet."""

    kind: str
    """`Switch` or `Ca`, as ibnetdiscover writes it."""
    id: str
    """Its name in ibnetdiscover: S- or H- and its GUID."""
    guid: str
    """GUID of a switch, or of the adapter's port."""
    base: str
    """GUID of the node itself: of an adapter in ibsim one less than its port's."""
    description: str
    """NodeDescription: the name of the switch, or of the host and the adapter."""
    device: str
    """The switch or the host."""
    system: str
    """The type of the switch or host, which the .ibnl file of the same name describes."""
    width: int
    """Its ports, in use or not."""
    role: str
    """leaf, spine or core; empty for an adapter."""
    ports: list[SubnetPort] = field(default_factory=list)
    """Ports in use, by number."""
    guids: list[str] = field(default_factory=list)
    """Its GUIDs: of a switch with several planes one for each, the first of which is `guid`."""

    @property
    @for_templates
    def is_switch(self) -> bool:
        """Whether it is a switch."""
        return self.kind == "Switch"


@dataclass(slots=True)
class SystemNode:
    """One device inside a system: a switch, or an adapter, with the names of its ports."""

    kind: str
    """SW or CA."""
    device: str
    """The type of the device."""
    name: str
    width: int
    """The highest number of a port."""
    ports: list[tuple[int, str]]
    """Number and the name on the panel."""


@dataclass(slots=True)
class SystemView:
    """A type of box, for an .ibnl file."""

    name: str
    nodes: list[SystemNode]


@dataclass(slots=True)
class Partition:
    """A partition; `members` are GUIDs of adapters' ports, and an empty list is all of them."""

    name: str
    key: str
    members: list[str]


@dataclass(slots=True, kw_only=True)
class SubnetView:
    """One subnet, and its manager."""

    name: str
    fabric: str
    prefix: str
    """The subnet prefix of its GIDs; no two subnets of a fabric share one."""
    engines: list[str]
    """Routing engines, the preferred one first."""
    roots: list[str]
    """GUIDs of the highest tier."""
    planes: int
    """Nodes that each switch is in the subnet: one, or one for each plane of its model."""
    switches: list[SubnetNode]
    adapters: list[SubnetNode]
    systems: list[SystemView]
    partitions: list[Partition]
    """One for each rail where several share the subnet and must be kept apart; else none."""
    made_up: int
    """The number of placeholders for GUIDs that no table gives."""

    @property
    @for_templates
    def nodes(self) -> list[SubnetNode]:
        """The adapters, then the switches."""
        return [*self.adapters, *self.switches]

    @property
    @for_templates
    def switch_count(self) -> int:
        """How many switches there are."""
        return len(self.switches)

    @property
    @for_templates
    def adapter_count(self) -> int:
        """How many ports of adapters there are."""
        return len(self.adapters)
