"""The shapes of wiring lists: sheets of both ends, wiring diagrams and rail topologies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class SheetEnd(NamedTuple):
    """One end of a row of a point-to-point sheet."""

    rack: str
    unit: str
    node: str
    kind: str
    port: str


class EndToEndView(NamedTuple):
    """One row of a point-to-point sheet."""

    a: SheetEnd
    z: SheetEnd


class HcaPortView(NamedTuple):
    """A NIC port of a host: its number, its interface, and its RDMA device or an empty text."""

    port: str
    interface: str
    rdma: str


class WiredSwitch(NamedTuple):
    """A switch in a wiring diagram.

    `splits` maps the name of a whole cage to the name of its split.
    """

    name: str
    role: str
    model: str
    splits: list[tuple[str, str]]


class WiredHost(NamedTuple):
    """A link of a host in a wiring diagram, with the label of its cable."""

    label: str
    host: str
    host_port: str
    leaf: str
    leaf_port: str


class WiredPair(NamedTuple):
    """A switch and a leaf, and the ports of both that are joined."""

    first: str
    leaf: str
    ports: list[tuple[str, str]]


@dataclass(slots=True)
class WiringView:
    """A fabric of up to two tiers as a wiring diagram."""

    fabric: str
    switches: list[WiredSwitch]
    hosts: list[str]
    host_links: list[WiredHost]
    pairs: list[WiredPair]
    """Spines and leaves."""
    meshes: list[WiredPair]
    """Leaves that are joined directly."""


class RailNode(NamedTuple):
    """A host or a leaf; `nos` is empty for a host."""

    name: str
    role: str
    nos: str


class RailLink(NamedTuple):
    """A host's link to a leaf, with the ranks of both, from 0.

    A scalable unit is a stripe, counted within its pod.
    """

    host: str
    host_port: str
    leaf: str
    leaf_port: str
    rail: int
    plane: int
    pod: int
    su: int
    rails: list[int]
    """The rails of the leaf."""


@dataclass(slots=True)
class RailsView:
    """A fabric by rails, planes, pods and scalable units."""

    nodes: list[RailNode]
    links: list[RailLink]
