"""What templates see of circuits: rows of the tables, and the configurations of one box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class CircuitPortRow(NamedTuple):
    """A port of a box, and the GPU that ends there."""

    box: str
    port: str
    gpu: str


class CircuitRow(NamedTuple):
    """A circuit of a configuration: two ports of a box, and the GPUs that end there."""

    configuration: int
    phase: str
    box: str
    a_port: str
    b_port: str
    a_gpu: str
    b_gpu: str


class CircuitChangeRow(NamedTuple):
    """A circuit that is removed or added from one configuration to the next, removals first."""

    before: int
    after: int
    box: str
    action: str
    a_port: str
    b_port: str


class CordRow(NamedTuple):
    """A cord of a panel in a configuration, and the ports that it joins; empty where it is spare.

    A circuit that two configurations have keeps its cord.
    """

    configuration: int
    cord: str
    part: str
    length_m: str
    box: str
    rack: str
    unit: str
    a_port: str
    b_port: str


class CircuitSetRow(NamedTuple):
    """A configuration: what it joins, what differs from the one before, and what a box takes.

    `change_ms` is empty where the time is unknown. `joined_pct` are the pairs of HB domains that
    exchange data in it, over at most so many `relays`.
    """

    configuration: int
    phase: str
    turns: int
    circuits: int
    added: int
    removed: int
    kept: int
    change_ms: str
    joined_pct: str
    relays: int
    lost_with_box: int


@dataclass(slots=True)
class CircuitsView:
    """The circuits of a job, in a build of all GPUs, and the cords where a person moves them."""

    sets: list[CircuitSetRow]
    ports: list[CircuitPortRow]
    circuits: list[CircuitRow]
    changes: list[CircuitChangeRow]
    cords: list[CordRow]


class PortPair(NamedTuple):
    """Two ports of a box, and the numbers of their outputs, which follow those of all inputs."""

    a: str
    b: str
    a_output: int
    b_output: int


class BoxConfiguration(NamedTuple):
    """A configuration of one box, and what differs from the one before."""

    number: int
    phase: str
    circuits: list[PortPair]
    removed: list[PortPair]
    added: list[PortPair]


@dataclass(slots=True)
class BoxCircuitsView:
    """The configurations of one box, in order; the first follows the last.

    `steps` join the first one from nothing, then each of the others, and then the first one again.
    """

    name: str
    model: str
    configurations: list[BoxConfiguration]
    steps: list[BoxConfiguration]
