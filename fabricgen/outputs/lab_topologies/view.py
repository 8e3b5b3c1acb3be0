"""What templates see of a lab: its nodes, their files and their links.

The rules of `views` apply: every decision is text or number, and a template only loops, tests and
joins. `build` makes these views.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.views.switches.view import PortView


@dataclass(slots=True)
class LabFile:
    """One file that is mounted into a container."""

    path: str
    """Its path below OUT."""
    at: str
    """Its path in the container, read only."""
    key: str
    """Its name among the node's files."""
    text: str = ""
    """Its contents; only where a template is rendered for each node."""


@dataclass(slots=True)
class LabPort:
    """One port of a switch, and its name in the container."""

    name: str
    own: PortView


@dataclass(slots=True, kw_only=True)
class LabNode:
    """One container: a switch, a GPU, a host or device, or an HB domain, a bridge of its GPUs."""

    name: str
    kind: str
    """Containerlab's kind of the node."""
    image: str
    network: str
    """Containerlab's network-mode; empty where the node is on the management network."""
    address: str
    """Its address on the management network; empty where the engine chooses one, or it has none."""
    labels: dict[str, str]
    """Role, and rail and plane where it has one."""
    files: list[LabFile]
    commands: list[str]
    """Commands that run once its interfaces exist."""
    type: str
    """The model of its kind that it plays; empty where it plays none."""
    startup: str
    """The one of `files` that containerlab passes at boot, by its path below OUT, or empty."""
    ports: list[LabPort] = field(default_factory=list)
    """Ports in use of a switch, in the order of the front panel."""
    host_address: str = ""
    """For an engine that chooses none: `address`, else one of `LabView.subnet`; empty without a
    management port."""


@dataclass(slots=True)
class LabLink:
    """One link between two containers: the lower end is `a`, the upper end `b`."""

    a_node: str
    a_interface: str
    b_node: str
    b_interface: str
    cable: str
    """Label of its cable; empty inside an HB domain."""
    mtu: int


@dataclass(slots=True)
class LabNetwork:
    """The management network of the containers, which has the addresses of `management`."""

    name: str
    subnet: str
    gateway: str


@dataclass(slots=True)
class LabView:
    """A fabric in containers."""

    name: str
    nodes: list[LabNode]
    """Switches segment by segment, then GPUs, then HB domains; then the switches of networks, hosts
    and devices."""
    links: list[LabLink]
    """In the order of the cables, then each GPU's to its HB domain, then those of networks."""
    node_count: int
    link_count: int
    management: LabNetwork | None
    """None without `management`, and where no node is on the network."""
    subnet: str
    """That of `management`, else the smallest around netlab's own that holds all `host_address`."""
